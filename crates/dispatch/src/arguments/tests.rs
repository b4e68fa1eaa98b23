use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn refusal(text: &str) -> String {
    read(Arguments::Text(text.to_owned())).unwrap_err().message
}

fn accepted(text: &str) -> Value {
    read(Arguments::Text(text.to_owned())).unwrap()
}

#[test]
fn d08_null_is_refused_as_no_object() {
    for arguments in [Arguments::Value(Value::Null), Arguments::Text("null".to_owned())] {
        assert_eq!(read(arguments).unwrap_err().message, "at the root: expected object, came null");
    }
}

#[test]
fn d09_an_array_is_refused_as_no_object() {
    let refused = read(Arguments::Value(json!(["a"]))).unwrap_err();
    assert_eq!(refused.message, "at the root: expected object, came array");
    assert_eq!(refused.arguments, json!(["a"]));
}

#[test]
fn d10_json_text_is_read_once() {
    assert_eq!(accepted(r#"{"path":"a"}"#), json!({"path": "a"}));
}

#[test]
fn d11_text_inside_text_is_not_unwrapped() {
    assert_eq!(
        refusal(r#""{\"path\":\"a\"}""#),
        "at the root: expected object, came string; send the object itself, not its text inside a string"
    );
}

#[test]
fn d17_duplicate_keys_are_refused_also_when_spelt_differently() {
    assert_eq!(
        refusal(r#"{"path":"a.txt","path":"/etc/passwd"}"#),
        "the key \"path\" appears twice at character 17, near `{\"path\":\"a.txt\",\"path\":\"/etc/passwd\"`"
    );
    assert!(refusal(r#"{"a":1,"\u0061":2}"#).contains("the key \"a\" appears twice"));
    assert!(refusal(r#"{"o":{"k":1,"k":1}}"#).contains("the key \"k\" appears twice"));
}

#[test]
fn d18_nan_is_refused_with_its_place() {
    assert_eq!(
        refusal(r#"{"path":NaN}"#),
        "not valid JSON: expected a value at character 9, near `{\"path\":NaN}`"
    );
    assert!(refusal(r#"{"a":-Infinity}"#).contains("expected a digit at character 7"));
}

#[test]
fn d19_a_number_that_overflows_is_refused() {
    assert!(
        refusal(r#"{"path":"a","limit":1e999}"#)
            .contains("the number 1e999 is out of range at character 21")
    );
}

#[test]
fn d20_an_integer_beyond_64_bits_is_refused_rather_than_rounded() {
    let message = refusal(r#"{"path":"a","limit":18446744073709551616}"#);
    assert!(message.contains("the number 18446744073709551616 is out of range"), "{message}");
    assert!(refusal(r#"{"n":-9223372036854775809}"#).contains("out of range"));
    assert_eq!(
        accepted(r#"{"a":18446744073709551615,"b":-9223372036854775808}"#),
        json!({"a": u64::MAX, "b": i64::MIN})
    );
}

#[test]
fn d21_a_lone_surrogate_is_refused_with_its_place() {
    for text in [r#"{"path":"\ud83d"}"#, r#"{"path":"\ude00"}"#, r#"{"path":"\ud83d\u0041"}"#] {
        let message = refusal(text);
        assert!(message.contains("a lone surrogate at character 10"), "{message}");
    }
    assert_eq!(accepted(r#"{"path":"\ud83d\ude00"}"#), json!({"path": "😀"}));
}

#[test]
fn d25_ten_megabytes_are_read_and_more_than_the_limit_is_refused() {
    let text = format!(r#"{{"content":"{}"}}"#, "x".repeat(10_000_000));
    assert_eq!(accepted(&text)["content"].as_str().unwrap().len(), 10_000_000);
    let large = "x".repeat(MAX_BYTES + 1);
    let refused = [Arguments::Text(large.clone()), Arguments::Value(json!({ "content": large }))];
    for arguments in refused {
        assert!(read(arguments).unwrap_err().message.contains("too large"));
    }
}

#[test]
fn d26_deep_nesting_is_refused_fast_and_without_a_deep_stack() {
    let begin = Instant::now();
    for text in [
        "[".repeat(100_000),
        "[".repeat(100_000) + &"]".repeat(100_000),
        r#"{"a":"#.repeat(100_000),
    ] {
        assert_eq!(refusal(&text), "the arguments are nested deeper than 128 levels");
    }
    assert!(
        begin.elapsed() < Duration::from_millis(30),
        "three times 10 ms: {:?}",
        begin.elapsed()
    );

    let mut value = Value::Null;
    for _ in 0..100_000 {
        value = Value::Array(vec![value]);
    }
    let refused = read(Arguments::Value(value)).unwrap_err();
    assert_eq!(refused.message, "the arguments are nested deeper than 128 levels");
    let deepest = format!(r#"{{"a":{}{}}}"#, "[".repeat(127), "]".repeat(127));
    accepted(&deepest);
}

#[test]
fn cut_off_text_is_recognised_wherever_it_was_cut() {
    let whole = r#"{"path": "a😀\n\ud83d\ude00", "n": [1, -2.5e+3, true, false, null], "o": {}}"#;
    accepted(whole);
    for (end, _) in whole.char_indices().skip(1) {
        let (cut, _) = whole.split_at(end);
        let expected = format!(
            "the arguments were cut off after {} characters: the JSON text does not end",
            cut.chars().count()
        );
        assert_eq!(refusal(cut), expected, "{cut}");
    }
}

#[test]
fn no_text_and_a_byte_order_mark_are_no_faults() {
    for text in ["", " \n", "\u{feff}", "\u{feff} {}"] {
        assert_eq!(accepted(text), json!({}));
    }
    assert!(refusal("\u{feff}\u{feff}{}").contains("expected a value"));
}

#[test]
fn what_is_almost_json_is_refused() {
    for (text, part) in [
        ("{} {}", "data after the end of the arguments at character 4"),
        ("{'a':1}", "expected a key in double quotes at character 2"),
        (r#"{"a":1,}"#, "expected a key in double quotes at character 8"),
        (r#"{"a":[1,]}"#, "expected a value"),
        (r#"{"a":01}"#, "expected `,` or `}`"),
        (r#"{"a":+1}"#, "expected a value"),
        (r#"{"a":.5}"#, "expected a value"),
        (r#"{"a":1.}"#, "expected a digit"),
        (r#"{"a":"\x"}"#, "an unknown escape at character 7"),
        ("{\"a\":\"\n\"}", "an unescaped control character at character 7"),
        (r#"{"a":True}"#, "expected a value"),
        (r#"{"a":trve}"#, "expected true"),
        (r#"{"a" 1}"#, "expected `:`"),
        (r#"{"a":"\u12g4"}"#, "expected a hexadecimal digit"),
    ] {
        let message = refusal(text);
        assert!(message.contains(part), "{text} -> {message}");
    }
}

#[test]
fn messages_stay_short_and_harmless_whatever_the_text() {
    let message = refusal(&format!("{{\"{}\u{1b}[2J", "\u{202e}".repeat(5_000)));
    assert!(message.chars().count() < 300, "{message}");
    assert!(!message.contains('\u{1b}') && !message.contains('\u{202e}'));
}

proptest! {
    #[test]
    fn reads_what_serde_json_writes(text in any::<String>(), number in any::<f64>(), integer in any::<i64>()) {
        let number = if number.is_finite() { number } else { 0.5 };
        let value = json!({ "text": text, &*text: [number, integer, null, true], "x": {"y": {}} });
        let written = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(parse(&written).unwrap(), serde_json::from_str::<Value>(&written).unwrap());
    }

    #[test]
    fn accepts_nothing_that_serde_json_refuses(text in r#"[\[\]{}:," 0-9eE.+\-\\utrfalsn]{0,24}"#) {
        if let Ok(value) = parse(&text) {
            prop_assert_eq!(value, serde_json::from_str::<Value>(&text).unwrap());
        }
    }

    #[test]
    fn never_panics(text in any::<String>()) {
        let _ = read(Arguments::Text(text));
    }
}
