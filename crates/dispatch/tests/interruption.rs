//! Limits, cancels, panics, and handlers that won't end: each call is answered once, in its order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use callgate_dispatch::{Call, CallEvent, CallIndex, ErrorCode};
use callgate_registry::{
    Effects, OutputChunk, OutputStream, Stop, ToolError, ToolOutput, ToolSpec,
};
use serde_json::json;
use support::{Recorder, dispatcher, echo, let_go_at_last, texts, tool};
use tokio_util::sync::CancellationToken;

fn call(name: &str) -> Call {
    Call::new(name, name, json!({}))
}

fn chunk(text: &str) -> OutputChunk {
    OutputChunk { stream: OutputStream::Stdout, text: text.to_owned() }
}

/// Never answers, and doesn't listen.
fn deaf() -> ToolSpec {
    tool("deaf", |call| async move {
        call.context.progress(chunk("half of it"));
        pending::<()>().await;
        Ok(ToolOutput::default())
    })
}

/// Returns what it has when it is asked to stop.
fn polite() -> ToolSpec {
    tool("polite", |call| async move {
        let why = call.context.stopped().await;
        assert_eq!(call.context.stop(), Some(why));
        Err(ToolError::Failed { message: "x".into(), output: ToolOutput::text("so far") })
    })
}

/// Holds its thread until it is let go.
fn busy(go_on: &Arc<AtomicBool>) -> ToolSpec {
    let go_on = Arc::clone(go_on);
    tool("busy", move |call| {
        let go_on = Arc::clone(&go_on);
        async move {
            while go_on.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            call.context.progress(chunk("too late"));
            Ok(ToolOutput::text("too late"))
        }
    })
    .timeout(Duration::from_millis(200))
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_listens_has_its_output_in_the_answer() {
    let dispatcher = dispatcher([polite().timeout(Duration::from_secs(3))]);
    let recorder = Arc::new(Recorder::default());
    let batch = dispatcher.batch(vec![call("polite")]).events(Arc::clone(&recorder) as _);
    let result = batch.run().await.remove(0);
    assert_eq!(result.error_code, Some(ErrorCode::Timeout));
    let notice = "timed out: stopped after its limit of 3s; it may have had effects.";
    assert_eq!(texts(&result), ["so far", notice]);
    assert_eq!(result.timing.finished_us, 3_000_000);
    assert_eq!(recorder.names(0), ["queued", "started", "stopping", "finished timeout"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_listen_is_dropped_and_its_live_output_is_kept() {
    let dispatcher = dispatcher([deaf().timeout(Duration::from_secs(3))]);
    let result = dispatcher.dispatch(call("deaf")).await;
    let notice = "timed out: stopped after its limit of 3s; it may have had effects. \
                  It did not stop when asked, and was dropped.";
    assert_eq!(texts(&result), ["half of it", notice]);
    assert_eq!(result.timing.finished_us, 3_100_000, "the limit and the grace");
    assert_eq!(dispatcher.abandoned(), []);
}

#[tokio::test(start_paused = true)]
async fn live_output_that_is_kept_is_bounded_and_keeps_its_end() {
    let chatty = tool("chatty", |call| async move {
        for line in 0..20_000 {
            call.context.progress(chunk(&format!("zeile ä {line}\n")));
        }
        pending::<()>().await;
        Ok(ToolOutput::default())
    });
    let result = dispatcher([chatty]).dispatch(call("chatty")).await;
    let told = texts(&result)[0];
    assert!(told.len() < 25_000 && told.ends_with("zeile ä 19999\n"), "{}", told.len());
    let (said, rest) = told.split_once('\n').unwrap();
    let dropped: usize = said
        .trim_matches(|c: char| !c.is_ascii_digit())
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let whole: usize = (0..20_000).map(|line| format!("zeile ä {line}\n").len()).sum();
    assert_eq!(dropped + rest.len(), whole);
}

#[tokio::test(start_paused = true)]
async fn cancelling_tells_what_ran_from_what_never_started_and_what_was_done() {
    let cancel = CancellationToken::new();
    let ripcord = {
        let cancel = cancel.clone();
        tool("ripcord", move |_| {
            let cancel = cancel.clone();
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                cancel.cancel();
                Ok(ToolOutput::text("pulled"))
            }
        })
        .effects(|_| Effects::reads_named("x"))
    };
    let waiting = echo("waiting").effects(|_| Effects::Everything);
    let polite = polite().effects(|_| Effects::reads_named("x"));
    let dispatcher = dispatcher([echo("done"), ripcord, polite, waiting]);
    let calls = ["done", "polite", "ripcord", "waiting", "done"].map(call).to_vec();
    let recorder = Arc::new(Recorder::default());
    let batch = dispatcher.batch(calls).cancel(cancel).events(Arc::clone(&recorder) as _);
    let results = batch.run().await;
    let never = "cancelled before it started; nothing ran";
    let interrupted = "interrupted: cancelled while it ran; it may have had effects.";
    let told: Vec<_> =
        results.iter().map(|result| (result.error_code, texts(result).join("|"))).collect();
    assert_eq!(told[0], (None, "{}".to_owned()));
    assert_eq!(told[1], (Some(ErrorCode::Cancelled), format!("so far|{interrupted}")));
    assert_eq!(told[3], (Some(ErrorCode::Cancelled), never.to_owned()));
    assert_eq!(told[4], (Some(ErrorCode::Cancelled), never.to_owned()));
    assert_eq!(recorder.names(3), ["queued", "waiting [1, 2]", "finished cancelled"]);
    assert_eq!(recorder.names(4), ["queued", "waiting [3]", "finished cancelled"]);
    assert_eq!(results[3].timing.started_us, results[3].timing.finished_us);
}

#[tokio::test(start_paused = true)]
async fn one_call_can_be_cancelled_while_it_waits_or_runs_and_others_go_on() {
    let tokens: Vec<CancellationToken> = (0..4).map(|_| CancellationToken::new()).collect();
    let canceller = {
        let tokens = tokens.clone();
        tool("canceller", move |_| {
            let tokens = tokens.clone();
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                tokens[1].cancel();
                tokens[2].cancel();
                Ok(ToolOutput::default())
            }
        })
        .effects(|_| Effects::writes_named("x"))
    };
    let waiting = echo("waiting").effects(|_| Effects::writes_named("x"));
    let dispatcher = dispatcher([canceller, polite(), waiting]);
    let calls = ["canceller", "polite", "waiting", "waiting"].map(call).to_vec();
    let results = dispatcher.batch(calls).call_cancels(tokens).run().await;
    let codes: Vec<_> = results.iter().map(|result| result.error_code).collect();
    let cancelled = Some(ErrorCode::Cancelled);
    assert_eq!(codes[0..2], [None, cancelled]);
    assert_eq!(codes[3], None);
    // The answer of the canceller frees the third call at the very moment at which it is cancelled.
    assert!(codes[2] == cancelled || codes[2].is_none());
}

#[tokio::test]
async fn a_batch_that_is_cancelled_already_runs_nothing() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = {
        let ran = Arc::clone(&ran);
        tool("count", move |_| {
            ran.fetch_add(1, Ordering::Relaxed);
            async { Ok(ToolOutput::default()) }
        })
    };
    let cancel = CancellationToken::new();
    cancel.cancel();
    let calls = vec![call("count"); 100];
    let results = dispatcher([count]).batch(calls).cancel(cancel).run().await;
    assert_eq!(results.len(), 100);
    assert!(results.iter().all(|result| result.error_code == Some(ErrorCode::Cancelled)));
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

/// Panics again when what it panicked with is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped by whoever caught it");
    }
}

#[tokio::test]
async fn d42_a_panic_fails_its_own_call_without_a_trace_of_our_inside() {
    let panics = tool("panics", |_| async {
        assert!(std::hint::black_box(false), "/home/me/secret.rs:12");
        Ok(ToolOutput::default())
    });
    let eager = tool("eager", |_| {
        assert!(std::hint::black_box(false), "before there is a future");
        async { Ok(ToolOutput::default()) }
    });
    let bomb = tool("bomb", |_| async { std::panic::panic_any(Bomb) });
    let dispatcher = dispatcher([echo("ok"), panics, eager, bomb]);
    let calls = ["ok", "panics", "eager", "bomb", "ok"].map(call).to_vec();
    let results = dispatcher.dispatch_batch(calls).await;
    let told: Vec<_> = results.iter().map(|r| (r.error_code, texts(r).join("|"))).collect();
    let crashed = |name: &str| {
        let text = format!("{name} crashed: a fault of the tool itself. It may have had effects.");
        (Some(ErrorCode::ExecutionError), text)
    };
    let ok = (None, "{}".to_owned());
    assert_eq!(told, [ok.clone(), crashed("panics"), crashed("eager"), crashed("bomb"), ok]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d43_handlers_that_never_yield_are_answered_in_time_though_they_outnumber_the_threads() {
    let go_on = Arc::new(AtomicBool::new(true));
    let_go_at_last(&go_on);
    let dispatcher = dispatcher([busy(&go_on), echo("ok")]);
    let mut calls = vec![call("busy"); 3];
    calls.push(call("ok"));
    let begin = Instant::now();
    let recorder = Arc::new(Recorder::default());
    let batch = dispatcher.batch(calls).events(Arc::clone(&recorder) as _);
    let results = tokio::spawn(batch.run()).await.unwrap();
    let took = begin.elapsed();
    for result in &results[..3] {
        assert_eq!(result.error_code, Some(ErrorCode::Timeout));
    }
    assert_eq!(results[3].error_code, None);
    assert!(results[3].timing.finished_us < 200_000, "{:?}", results[3].timing);
    assert!(took < Duration::from_millis(400), "twice the limit: {took:?}");
    assert_eq!(dispatcher.abandoned().len(), 3);

    go_on.store(false, Ordering::Relaxed);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !dispatcher.abandoned().is_empty() {
        assert!(Instant::now() < deadline, "an ended handler stays listed");
        tokio::task::yield_now().await;
    }
    for index in 0..3 {
        let names = recorder.names(index);
        assert_eq!(names, ["queued", "started", "stopping", "finished timeout"], "nothing follows");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d44_a_handler_that_ignores_a_cancel_is_answered_at_once_and_listed() {
    let go_on = Arc::new(AtomicBool::new(true));
    let_go_at_last(&go_on);
    let dispatcher = dispatcher([busy(&go_on).timeout(Duration::from_mins(10))]);
    let cancel = CancellationToken::new();
    let sink = {
        let cancel = cancel.clone();
        move |_: CallIndex, event: CallEvent| {
            if event == CallEvent::Started {
                cancel.cancel();
            }
        }
    };
    let batch = dispatcher.batch(vec![call("busy")]).cancel(cancel).events(Arc::new(sink));
    let begin = Instant::now();
    let results = batch.run().await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!(results[0].error_code, Some(ErrorCode::Cancelled));
    let listed = dispatcher.abandoned();
    assert_eq!((listed[0].tool.as_str(), listed[0].call_id.as_str()), ("busy", "busy"));
    go_on.store(false, Ordering::Relaxed);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_batch_drops_its_handlers() {
    struct Gone(Arc<AtomicBool>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let gone = Arc::new(AtomicBool::new(false));
    let waits = {
        let gone = Arc::clone(&gone);
        tool("waits", move |_| {
            let guard = Gone(Arc::clone(&gone));
            async move {
                pending::<()>().await;
                drop(guard);
                Ok(ToolOutput::default())
            }
        })
    };
    let dispatcher = dispatcher([waits]);
    let run = dispatcher.dispatch(call("waits"));
    assert!(tokio::time::timeout(Duration::from_secs(1), run).await.is_err());
    tokio::task::yield_now().await;
    assert!(gone.load(Ordering::Relaxed));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_and_the_reason_to_stop_are_told_to_the_handler() {
    let curious = tool("curious", |call| async move {
        let now = tokio::time::Instant::now().into_std();
        let left = call.context.deadline().map(|deadline| deadline - now);
        let why = call.context.stopped().await;
        Ok(ToolOutput::text(format!("{left:?} {}", why == Stop::Timeout)))
    })
    .timeout(Duration::from_secs(5));
    let result = dispatcher([curious]).dispatch(call("curious")).await;
    assert_eq!(texts(&result)[0], "Some(5s) true");
}
