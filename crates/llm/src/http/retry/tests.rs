use std::str::FromStr;

use reqwest::header::{HeaderName, HeaderValue};

use super::*;

fn unavailable(retry_after: Option<Duration>) -> LlmError {
    LlmError::Unavailable { status: 429, message: "slow down".to_owned(), retry_after }
}

fn retry() -> Retry {
    Retry { max_attempts: 4, max_wait: Duration::from_mins(1) }
}

fn wait(decision: Decision) -> Duration {
    match decision {
        Decision::Again { wait, .. } => wait,
        Decision::GiveUp(error) => panic!("{error}"),
    }
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let header = |(name, value): &(&str, &str)| {
        (HeaderName::from_str(name).unwrap(), HeaderValue::from_str(value).unwrap())
    };
    pairs.iter().map(header).collect()
}

#[test]
fn back_off_doubles_within_its_jitter() {
    let wait = |attempt, chance| wait(retry().decide(attempt, unavailable(None), chance));
    assert_eq!(wait(1, 1.0), Duration::from_millis(500));
    assert_eq!(wait(1, 0.0), Duration::from_millis(250));
    assert_eq!(wait(2, 1.0), Duration::from_secs(1));
    assert_eq!(wait(3, 0.5), Duration::from_millis(1500));
    let patient = Retry { max_attempts: u32::MAX, max_wait: Duration::MAX };
    let long = patient.decide(4_000_000, unavailable(None), 1.0);
    assert!(matches!(long, Decision::Again { wait, .. } if wait == LONGEST_BACK_OFF));
}

#[test]
fn l07_the_attempts_are_bounded() {
    let Decision::GiveUp(error) = retry().decide(4, unavailable(None), 0.5) else {
        panic!("a fifth attempt");
    };
    assert!(matches!(error, LlmError::GaveUp { attempts: 4, .. }));
    assert_eq!(
        error.to_string(),
        "gave up after 4 attempts: the provider can't answer now (HTTP 429): slow down"
    );
}

#[test]
fn l05_a_longer_wait_than_allowed_is_an_error_that_states_it() {
    let ages = Some(Duration::from_secs(999_999_999));
    let Decision::GiveUp(error) = retry().decide(1, unavailable(ages), 0.5) else {
        panic!("it waits");
    };
    assert!(error.to_string().contains("999999999 s (11574 days)"), "{error}");
    assert!(!error.is_retryable());
    let minute = Some(Duration::from_mins(1));
    assert_eq!(wait(retry().decide(1, unavailable(minute), 0.5)), Duration::from_mins(1));
}

#[test]
fn what_can_not_succeed_is_not_tried_again() {
    let refused = LlmError::Refused { status: 400, message: String::new() };
    assert!(matches!(
        retry().decide(1, refused, 0.5),
        Decision::GiveUp(LlmError::Refused { status: 400, .. })
    ));
}

#[test]
fn the_asked_wait_is_read_in_all_its_forms() {
    const DATE: (&str, &str) = ("date", "Fri, 02 Jan 2026 03:00:00 GMT");
    type Case = (&'static [(&'static str, &'static str)], Option<Duration>);
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
    let cases: [Case; 12] = [
        (&[], None),
        (&[("retry-after", "7")], Some(Duration::from_secs(7))),
        (&[("retry-after", " 1.5 ")], Some(Duration::from_millis(1500))),
        (&[("retry-after", "7"), ("retry-after-ms", "250")], Some(Duration::from_millis(250))),
        (&[("retry-after", "Fri, 02 Jan 2026 03:04:35 GMT")], Some(Duration::from_secs(30))),
        (&[("retry-after", "Fri, 02 Jan 2026 03:00:09 GMT"), DATE], Some(Duration::from_secs(9))),
        (&[("retry-after", "Fri, 02 Jan 2015 03:04:35 GMT")], Some(Duration::ZERO)),
        (&[("retry-after", "-3")], None),
        (&[("retry-after", "nan")], None),
        (&[("retry-after", "soon")], None),
        (&[("retry-after", "99999999999999999999999999")], Some(Duration::MAX)),
        (&[("retry-after", "999999999")], Some(Duration::from_secs(999_999_999))),
    ];
    for (pairs, wait) in cases {
        assert_eq!(asked_wait(&headers(pairs), now), wait, "{pairs:?}");
    }
}
