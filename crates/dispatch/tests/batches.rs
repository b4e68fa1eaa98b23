//! Batches: one result per call, in call order, as parallel as the order of conflicts allows.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use callgate_dispatch::{
    Call, CallEvent, Dispatcher, ErrorCode, Gate, PermitRequest, SchedulePolicy, Verdict,
};
use callgate_registry::{BoxFuture, Effects, ToolOutput, ToolSpec};
use serde_json::{Value, json};
use support::{Recorder, dispatcher, echo, read_file, texts, tool};
use tokio::time::Instant;

fn sleep(effects: impl Fn(&Value) -> Effects + Send + Sync + 'static) -> ToolSpec {
    tool("sleep", |call| async move {
        let millis = call.arguments["ms"].as_u64().unwrap();
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(ToolOutput::text(millis.to_string()))
    })
    .effects(effects)
}

fn sleeps() -> Vec<Call> {
    [1_600, 1_200, 800, 400].map(|ms| Call::new("c", "sleep", json!({ "ms": ms }))).to_vec()
}

async fn timed(dispatcher: Dispatcher, calls: Vec<Call>) -> (Duration, Vec<String>) {
    let begin = Instant::now();
    let results = dispatcher.dispatch_batch(calls).await;
    let told = results.iter().map(|result| texts(result).join("|")).collect();
    (begin.elapsed(), told)
}

#[tokio::test(start_paused = true)]
async fn four_sleepers_take_as_long_as_the_longest_or_as_all_and_are_answered_in_order() {
    let in_order = ["1600", "1200", "800", "400"].map(str::to_owned).to_vec();
    let free = dispatcher([sleep(|_| Effects::none())]);
    let alone = dispatcher([sleep(|_| Effects::Everything)]);
    let all = Duration::from_secs(4);
    for (dispatcher, took) in [
        (free.clone(), Duration::from_millis(1_600)),
        (free.clone().with_policy(SchedulePolicy::AllOrNothing), Duration::from_millis(1_600)),
        (free.clone().with_policy(SchedulePolicy::Sequential), all),
        (free.with_max_parallel(1), all),
        (alone.clone(), all),
        (alone.with_policy(SchedulePolicy::AllOrNothing), all),
    ] {
        assert_eq!(timed(dispatcher, sleeps()).await, (took, in_order.clone()));
    }
}

#[tokio::test(start_paused = true)]
async fn one_conflict_makes_all_or_nothing_go_one_by_one_and_conflicts_only_where_it_is() {
    let effects = |arguments: &Value| match arguments["ms"].as_u64() {
        Some(1_600 | 400) => Effects::writes_path("/f"),
        _ => Effects::none(),
    };
    let by_conflict = dispatcher([sleep(effects)]);
    let all = by_conflict.clone().with_policy(SchedulePolicy::AllOrNothing);
    assert_eq!(timed(by_conflict, sleeps()).await.0, Duration::from_secs(2));
    assert_eq!(timed(all, sleeps()).await.0, Duration::from_secs(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_edits_of_one_file_in_one_batch_are_never_lost() {
    let lines = Arc::new(Mutex::new(Vec::<String>::new()));
    let edit = {
        let lines = Arc::clone(&lines);
        tool("edit", move |call| {
            let lines = Arc::clone(&lines);
            async move {
                let mut copy = lines.lock().unwrap().clone();
                tokio::task::yield_now().await;
                let line = usize::try_from(call.arguments["line"].as_u64().unwrap()).unwrap();
                copy[line] = "edited".to_owned();
                *lines.lock().unwrap() = copy;
                Ok(ToolOutput::default())
            }
        })
        .effects(|_| Effects::writes_path("/f"))
    };
    let dispatcher = dispatcher([edit]);
    for _ in 0..1_000 {
        *lines.lock().unwrap() = (1..=100).map(|line| line.to_string()).collect();
        let calls = [0, 99].map(|line| Call::new("c", "edit", json!({ "line": line }))).to_vec();
        dispatcher.dispatch_batch(calls).await;
        let edited = lines.lock().unwrap().iter().filter(|line| *line == "edited").count();
        assert_eq!(edited, 2);
    }
}

#[tokio::test]
async fn d27_calls_of_one_id_or_none_are_each_run_and_answered_under_ids_of_their_own() {
    let tell_id =
        tool("id", |call| async move { Ok(ToolOutput::text(call.context.call_id().to_owned())) });
    let ids = ["x", "x", "", "x#2", "", "x"];
    let calls = ids.map(|id| Call::new(id, "id", json!({}))).to_vec();
    let results = dispatcher([tell_id]).dispatch_batch(calls).await;
    let asked: Vec<_> = results.iter().map(|result| result.tool_use_id.as_str()).collect();
    assert_eq!(asked, ids);
    let told: Vec<_> = results.iter().map(|result| texts(result)[0]).collect();
    assert_eq!(told, ["x", "x#3", "call#1", "x#2", "call#2", "x#4"]);
}

#[tokio::test]
async fn d37_an_empty_batch_has_no_results() {
    assert_eq!(dispatcher([read_file()]).dispatch_batch(Vec::new()).await, []);
}

#[tokio::test]
async fn one_failure_never_stops_its_siblings() {
    let grep = tool("grep", |_| async {
        Err(callgate_registry::ToolError::Failed {
            message: String::new(),
            output: ToolOutput::text("no match").with_exit_code(Some(1)),
        })
    });
    let mut calls = vec![Call::new("g", "grep", json!({}))];
    calls.extend((0..26).map(|n| Call::new("r", "read_file", json!({ "path": n.to_string() }))));
    let results = dispatcher([grep, read_file()]).dispatch_batch(calls).await;
    assert_eq!(results[0].exit_code, Some(1));
    assert!(results[1..].iter().all(|result| result.error_code.is_none()));
    assert_eq!(results.len(), 27);
}

#[tokio::test(start_paused = true)]
async fn what_can_not_run_holds_nobody_up() {
    let write = sleep(|_| Effects::writes_path("/f"));
    let denied = echo("denied").effects(|_| Effects::writes_path("/f"));
    let dispatcher = dispatcher([write, denied]).with_gate(Arc::new(Rule));
    let sleep = |ms| Call::new("s", "sleep", json!({ "ms": ms }));
    let calls = vec![
        Call::new("u", "unknown", json!({})),
        Call::with_text("i", "sleep", "["),
        Call::new("d", "denied", json!({})),
        sleep(100),
        Call::new("d", "denied", json!({})),
        sleep(100),
    ];
    let recorder = Arc::new(Recorder::default());
    let results = dispatcher.batch(calls).events(Arc::clone(&recorder) as _).run().await;
    let ends: Vec<_> = results.iter().map(|r| (r.error_code, r.timing.finished_us)).collect();
    let denied = (Some(ErrorCode::Denied), 0);
    assert_eq!(
        ends,
        [
            (Some(ErrorCode::UnknownTool), 0),
            (Some(ErrorCode::InvalidArguments), 0),
            denied,
            (None, 100_000),
            denied,
            (None, 200_000),
        ]
    );
    assert_eq!(texts(&results[2]), ["no"]);
    let expected = ["queued", "waiting [3]", "decided false: no", "finished denied"];
    assert_eq!(recorder.names(4), expected);
    let expected = ["queued", "waiting [3]", "decided true: yes", "started", "finished ok"];
    assert_eq!(recorder.names(5), expected);
}

/// Refuses the tool `denied`; asks for a second about the tool `asked`; crashes at `crash`.
struct Rule;

impl Gate for Rule {
    fn permit(&self, request: PermitRequest) -> BoxFuture<'_, Verdict> {
        Box::pin(async move {
            match request.tool.name() {
                "denied" => return Verdict::Deny { reason: "no".to_owned() },
                "crash" => panic!("at /home/me/gate.rs"),
                "asked" => {
                    (request.asking)("may it?".to_owned());
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                _ => {}
            }
            Verdict::Allow { reason: "yes".to_owned() }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn permissions_are_asked_together_while_others_run_and_a_crash_of_the_gate_denies() {
    let asked = echo("asked");
    let dispatcher = dispatcher([asked, sleep(|_| Effects::none()), echo("crash")]);
    let dispatcher = dispatcher.with_gate(Arc::new(Rule));
    let mut calls = vec![Call::new("a", "asked", json!({})); 8];
    calls.push(Call::new("s", "sleep", json!({"ms": 500})));
    calls.push(Call::new("c", "crash", json!({})));
    let recorder = Arc::new(Recorder::default());
    let results = dispatcher.batch(calls).events(Arc::clone(&recorder) as _).run().await;
    for (index, result) in results.iter().enumerate().take(8) {
        assert_eq!(result.timing.finished_us, 1_000_000);
        let names = recorder.names(index);
        let expected = ["queued", "asking: may it?", "decided true: yes", "started", "finished ok"];
        assert_eq!(names, expected);
    }
    assert_eq!(results[8].timing.finished_us, 500_000);
    assert_eq!(results[9].error_code, Some(ErrorCode::Denied));
    assert_eq!(texts(&results[9]), ["the permission could not be decided"]);
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_call_that_may_touch_anything_is_asked_again_when_that_has_ended() {
    let planned_at = Arc::new(Mutex::new(Vec::new()));
    let begin = Instant::now();
    let late = {
        let planned_at = Arc::clone(&planned_at);
        echo("late").effects(move |_| {
            planned_at.lock().unwrap().push(begin.elapsed());
            Effects::reads_path("/f")
        })
    };
    let dispatcher = dispatcher([late, sleep(|_| Effects::Everything)]);
    let late = Call::new("l", "late", json!({}));
    let calls = vec![late.clone(), Call::new("s", "sleep", json!({"ms": 1_000})), late];
    dispatcher.dispatch_batch(calls).await;
    let asked = [Duration::ZERO, Duration::ZERO, Duration::from_secs(1)];
    assert_eq!(*planned_at.lock().unwrap(), asked);
}

#[tokio::test(start_paused = true)]
async fn every_call_is_announced_at_once_and_a_bad_one_answered_behind_one_that_runs_alone() {
    let dispatcher = dispatcher([sleep(|_| Effects::Everything)]);
    let call = |id: &str| Call::new(id, "sleep", json!({"ms": 1_000}));
    let calls = vec![call("a"), call("b"), Call::new("x", "slep", json!({})), call("c")];
    let recorder = Arc::new(Recorder::default());
    let results = dispatcher.batch(calls).events(Arc::clone(&recorder) as _).run().await;
    let queued: Vec<u64> = results.iter().map(|result| result.timing.queued_us).collect();
    assert_eq!(queued, [0, 0, 0, 0]);
    assert_eq!(results[2].timing.finished_us, 0);
    assert_eq!(recorder.names(1)[..2], ["queued", "waiting [0]"]);
    assert_eq!(recorder.names(3)[..2], ["queued", "waiting [1]"]);
}

#[tokio::test(start_paused = true)]
async fn at_most_so_many_run_at_once_and_the_others_are_told_to_wait_for_a_slot() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let count = {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        tool("count", move |_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(10)).await;
                running.fetch_sub(1, Ordering::Relaxed);
                Ok(ToolOutput::default())
            }
        })
    };
    let recorder = Arc::new(Recorder::default());
    let calls = vec![Call::new("c", "count", json!({})); 20];
    let batch = dispatcher([count]).batch(calls).events(Arc::clone(&recorder) as _);
    batch.run().await;
    assert_eq!(most.load(Ordering::Relaxed), 16);
    assert_eq!(recorder.names(15), ["queued", "started", "finished ok"]);
    assert_eq!(recorder.names(16), ["queued", "waiting []", "started", "finished ok"]);
    let order: Vec<_> =
        recorder.all().into_iter().filter(|(_, e)| *e == CallEvent::Started).collect();
    assert!(order.iter().map(|(index, _)| *index).is_sorted());
}

#[tokio::test]
async fn ten_thousand_calls_are_answered_in_order() {
    let calls = (0..10_000).map(|n| Call::new(n.to_string(), "echo", json!({ "n": n }))).collect();
    let results = dispatcher([echo("echo")]).dispatch_batch(calls).await;
    assert_eq!(results.len(), 10_000);
    for (n, result) in results.iter().enumerate() {
        assert_eq!(result.tool_use_id, n.to_string());
        assert_eq!(texts(result), [json!({ "n": n }).to_string()]);
    }
}
