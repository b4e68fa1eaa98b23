//! Ending whole trees: whatever way out a process tries, nothing is left, and whatever is left is named.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

mod common;

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use callgate_exec::{CaptureOptions, Environment, Exit, Finished, ProcessSpec, run};
use common::{descendants, eventually, processes_with, shell, stop_after};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The descendants of this process can be counted for one test at a time only.
static ALONE: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);

const NOBODY: [i32; 0] = [];

/// Runs a command under a mark of the test's own, and sees to it that nothing of it is left in any way of counting.
async fn leaves_nothing(name: &str, command: &str, stop: CancellationToken) -> Finished {
    let mark = format!("TREE_TEST={name}-{}", std::process::id());
    let (key, value) = mark.split_once('=').unwrap();
    let spec = ProcessSpec::shell(command)
        .env(Environment::inherit_allowed().set(key, value))
        .grace(Duration::from_millis(300));
    let finished = run(spec, CaptureOptions::default(), stop, |_, _| {}).await.unwrap();
    assert_eq!(processes_with(&mark), NOBODY, "{name}: by mark");
    assert_eq!(descendants(), NOBODY, "{name}: by descent, zombies too");
    assert_eq!(finished.survivors, [], "{name}: by its own account");
    finished
}

/// Says `up` when everything is in place, so that the stop comes after it.
async fn stopped_when_up(name: &str, command: &str) -> Finished {
    let mark = format!("TREE_TEST={name}-{}", std::process::id());
    let (key, value) = mark.split_once('=').unwrap();
    let stop = CancellationToken::new();
    let on_chunk = {
        let stop = stop.clone();
        move |_, text: &str| {
            // A flood may already have washed the word away.
            if text.contains("up") || text.contains("y\ny\n") {
                stop.cancel();
            }
        }
    };
    let spec = ProcessSpec::shell(command)
        .env(Environment::inherit_allowed().set(key, value))
        .grace(Duration::from_millis(300));
    let finished = run(spec, CaptureOptions::default(), stop, on_chunk).await.unwrap();
    assert!(finished.stopped, "{name}");
    assert_eq!(processes_with(&mark), NOBODY, "{name}: by mark");
    assert_eq!(descendants(), NOBODY, "{name}: by descent, zombies too");
    assert_eq!(finished.survivors, [], "{name}: by its own account");
    finished
}

/// Twelve ways out. Each says `up` at the end of its preparations and then would run for ten minutes.
const ESCAPES: [(&str, &str); 12] = [
    ("child", "sleep 600 & echo up; wait"),
    ("ignores-term", "trap '' TERM; sleep 600 & echo up; while :; do sleep 600; done"),
    ("new-session", "setsid sleep 600 & sleep 0.05; echo up; sleep 600"),
    ("double-fork", "(setsid sleep 600 &); sleep 0.05; echo up; sleep 600"),
    (
        "daemon-without-environment",
        "(setsid env -i /bin/sh -c 'sleep 600 & sleep 600 & wait' </dev/null >/dev/null 2>&1 &); \
         sleep 0.1; echo up; sleep 600",
    ),
    (
        "closed-pipes",
        "exec 3>&1; (exec >/dev/null 2>&1 3>&-; sleep 600) & echo up; exec >&- 2>&-; sleep 600",
    ),
    (
        "respawner",
        "r() { trap '' TERM; while :; do sleep 0.02; done; }; \
         (while :; do r & sleep 0.01; wait -n; done) & (trap 'r & r &' TERM; r) & echo up; sleep 600",
    ),
    ("stopped", "(kill -STOP $BASHPID; sleep 600) & sleep 0.05; echo up; kill -STOP $$"),
    ("job-control", "set -m; sleep 600 & (set -m; sleep 600 & wait) & echo up; wait"),
    ("floods-both", "(yes >&2) & (trap '' TERM; yes) & echo up; yes"),
    (
        "deep",
        "sh -c 'sh -c \"sh -c \\\"setsid sh -c \\\\\\\"sleep 600 & wait\\\\\\\" & wait\\\" & wait\" & wait' & sleep 0.1; echo up; wait",
    ),
    (
        "ignores-everything-in-a-session-of-its-own",
        "(setsid bash -c \"trap '' TERM HUP INT QUIT PIPE; while :; do sleep 1; done\" &); \
         sleep 0.1; echo up; sleep 600",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f2_pains19_twelve_ways_out_leave_nothing_when_stopped() {
    let _alone = ALONE.lock().await;
    for (name, command) in ESCAPES {
        stopped_when_up(name, command).await;
    }
}

#[tokio::test]
async fn pains18_f1_a_child_in_the_background_does_not_hold_the_call_and_is_named() {
    let _alone = ALONE.lock().await;
    let started = Instant::now();
    let finished =
        leaves_nothing("background", "sleep 600 & echo ok", CancellationToken::new()).await;
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!((finished.exit, finished.output.text.as_str()), (Exit::Code(0), "ok\n"));
    let commands: Vec<_> = finished.ended.iter().map(|name| name.command.as_str()).collect();
    assert_eq!(commands, ["sleep 600"]);
}

#[tokio::test]
async fn x03_pains19_daemons_are_ended_when_their_command_ends() {
    let _alone = ALONE.lock().await;
    for (name, command) in [
        ("double", "(setsid sleep 600 &); echo ok"),
        ("quiet", "(setsid sleep 600 >/dev/null 2>&1 </dev/null &); sleep 0.05; echo ok"),
        (
            "no-environment",
            "(setsid env -i sleep 600 >/dev/null 2>&1 </dev/null &); sleep 0.1; echo ok",
        ),
    ] {
        let finished = leaves_nothing(name, command, CancellationToken::new()).await;
        assert_eq!(finished.output.text, "ok\n", "{name}");
        assert_eq!(finished.ended.len(), 1, "{name}: {:?}", finished.ended);
    }
}

#[tokio::test]
async fn what_finishes_by_itself_right_after_its_command_is_not_disturbed() {
    let _alone = ALONE.lock().await;
    let command = "echo a > >(sleep 0.05; cat; echo b)";
    let finished = leaves_nothing("late", command, CancellationToken::new()).await;
    assert_eq!(finished.output.text, "a\nb\n");
    assert_eq!(finished.ended, []);
}

#[tokio::test]
async fn a_flood_left_behind_does_not_hold_the_call() {
    let _alone = ALONE.lock().await;
    let started = Instant::now();
    let finished = leaves_nothing("flood", "yes & echo ok", CancellationToken::new()).await;
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!(finished.ended.len(), 1);
}

#[tokio::test]
async fn f3_what_ignores_term_is_killed_after_the_grace() {
    let _alone = ALONE.lock().await;
    let started = Instant::now();
    let finished =
        stopped_when_up("grace", "trap '' TERM; echo up; while :; do sleep 9; done").await;
    assert_eq!(finished.exit, Exit::Signal(9));
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn f20_x36_what_is_written_on_term_is_kept() {
    let _alone = ALONE.lock().await;
    let command = "trap 'echo late; exit 3' TERM; echo up; while :; do sleep 0.01; done";
    let finished = stopped_when_up("late-words", command).await;
    assert_eq!(finished.exit, Exit::Code(3));
    // On the other stream the shell may say that its `sleep` was ended.
    assert!(finished.output.text.starts_with("up\n") && finished.output.text.contains("late\n"));
}

#[tokio::test]
async fn f4_orphans_that_end_early_leave_no_zombies() {
    let _alone = ALONE.lock().await;
    let command = "for i in 1 2 3 4 5; do (setsid env -i true &); done; sleep 0.1";
    let finished = leaves_nothing("zombies", command, CancellationToken::new()).await;
    assert_eq!(finished.ended, []);
}

#[tokio::test]
async fn a_dropped_future_ends_the_tree() {
    let _alone = ALONE.lock().await;
    let (told, up) = tokio::sync::oneshot::channel::<()>();
    let told = std::sync::Mutex::new(Some(told));
    let on_chunk = move |_, _: &str| drop(told.lock().unwrap().take());
    let spec = shell("sleep 600 & echo up; wait");
    let call =
        tokio::spawn(run(spec, CaptureOptions::default(), CancellationToken::new(), on_chunk));
    let _ = up.await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    eventually("nothing is left", || descendants().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_side_by_side_leave_each_others_children_alone() {
    let _alone = ALONE.lock().await;
    let long = tokio::spawn(run(
        shell(
            "(sleep 1.5; echo inner) & (setsid env -i sleep 1.2; echo orphan) & wait; echo outer",
        ),
        CaptureOptions::default(),
        CancellationToken::new(),
        |_, _| {},
    ));
    for _ in 0..5 {
        let short = run(
            shell("(setsid env -i sleep 600 &); sleep 600 & sleep 0.05"),
            CaptureOptions::default(),
            CancellationToken::new(),
            |_, _| {},
        );
        assert_eq!(short.await.unwrap().ended.len(), 2);
    }
    let long = long.await.unwrap().unwrap();
    assert_eq!(long.output.text, "orphan\ninner\nouter\n");
    assert_eq!(descendants(), NOBODY);
}

#[tokio::test]
async fn children_of_others_in_this_process_are_neither_ended_nor_reaped() {
    let _alone = ALONE.lock().await;
    let mut living = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let mut ended = std::process::Command::new("sh").args(["-c", "exit 5"]).spawn().unwrap();
    let spec = shell("sleep 600 & sleep 0.1; echo ok");
    let finished =
        run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {}).await.unwrap();
    assert_eq!(finished.ended.len(), 1);
    assert_eq!(ended.wait().unwrap().code(), Some(5));
    assert_eq!(living.try_wait().unwrap(), None);
    living.kill().unwrap();
    living.wait().unwrap();
}

#[tokio::test]
async fn a_stop_in_time_is_a_stop_with_what_was_written() {
    let _alone = ALONE.lock().await;
    let started = Instant::now();
    let stop = stop_after(Duration::from_millis(200));
    let finished = leaves_nothing("time", "echo first; sleep 600", stop).await;
    assert!(finished.stopped);
    assert_eq!(finished.exit, Exit::Signal(15));
    assert_eq!(finished.output.text, "first\n");
    assert!(started.elapsed() < Duration::from_secs(2), "TERM was enough");
    // The clock of the stop started a little before the process.
    assert!(finished.duration >= Duration::from_millis(100));
}
