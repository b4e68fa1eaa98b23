//! What a command takes along, how it ends, and what is left of it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::collections::BTreeSet;

use callgate_tests::{Sandbox, Signal, alive, eventually, marker};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-0123456789";

fn bash(id: &str, command: &str) -> Value {
    json!({"id": id, "name": "bash", "arguments": {"command": command}})
}

fn limited(id: &str, command: &str, timeout_ms: u64) -> Value {
    json!({"id": id, "name": "bash", "arguments": {"command": command, "timeout_ms": timeout_ms}})
}

fn content(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

#[test]
fn pain_34_a_command_gets_no_key_and_nothing_that_is_not_on_the_list() {
    let place = Sandbox::new()
        .var("ANTHROPIC_API_KEY", KEY)
        .var("OPENAI_API_KEY", KEY)
        .var("CALLGATE_API_KEY", KEY)
        .var("AWS_SECRET_ACCESS_KEY", KEY)
        .var("LC_SECRET_TOKEN", KEY)
        .var("GIT_DIR", "/elsewhere")
        .var("SSH_AUTH_SOCK", "/elsewhere")
        .var("SOMETHING_ELSE", "leaked")
        .var("LC_TIME", "C");
    let ran = place.run_with(&["batch"], json!([bash("a", "env")]).to_string()).exits(0);
    assert!(!ran.everything().contains(KEY), "{}", ran.everything());
    let text = ran.lines()[0]["content"].as_str().unwrap().to_owned();
    let names: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    // `PWD`, `SHLVL` and `_` are bash's own.
    let known = ["HOME", "LANG", "LC_TIME", "PATH", "TERM", "PWD", "SHLVL", "_"];
    assert!(names.is_subset(&known.into()), "{names:?}");
    assert!(names.contains("PATH") && names.contains("HOME"), "{names:?}");
}

#[test]
fn pain_34_a_variable_that_the_person_names_comes_along() {
    let place = Sandbox::new().var("MY_SETTING", "wanted").var("OTHER", "unwanted");
    let args = ["-c", "env.allow=['MY_SETTING']"];
    let result = place.call_with(&args, "bash", &json!({"command": "env"}));
    assert!(content(&result).contains("MY_SETTING=wanted"), "{result}");
    assert!(!content(&result).contains("unwanted"), "{result}");
}

#[test]
fn g17_what_makes_programs_load_code_is_never_passed_on() {
    let place = Sandbox::new();
    let script = place.file("x", "touch ran");
    let place = place
        .var("BASH_ENV", script.to_str().unwrap())
        .var("ENV", script.to_str().unwrap())
        .var("PROMPT_COMMAND", "touch ran");
    let result = place.call("bash", &json!({"command": "echo done; env"}));
    assert!(content(&result).contains("done"), "{result}");
    assert!(!content(&result).contains("BASH_ENV"), "{result}");
    assert!(!place.work().join("ran").exists());
}

#[test]
fn pain_18_a_child_left_in_the_background_holds_nobody_and_is_named() {
    let place = Sandbox::new();
    let mark = marker();
    let result = place.call("bash", &json!({"command": format!("sleep {mark} & echo ok")}));
    assert_eq!(result["is_error"], false, "{result}");
    assert!(content(&result).starts_with("ok"), "{result}");
    assert!(content(&result).contains("sleep"), "what was ended is named: {result}");
    assert_eq!(alive(&mark), Vec::<String>::new());
}

#[test]
fn pain_19_x03_a_child_in_a_session_of_its_own_is_ended_too() {
    let place = Sandbox::new();
    for form in ["setsid sleep MARK & sleep MARK", "(setsid sleep MARK &); sleep MARK"] {
        let mark = marker();
        let arguments = json!({"command": form.replace("MARK", &mark), "timeout_ms": 1000});
        let result = place.call("bash", &arguments);
        assert_eq!(result["error_code"], "timeout", "{form}: {result}");
        assert_eq!(alive(&mark), Vec::<String>::new(), "{form}");
    }
    let mark = marker();
    let command = format!("(setsid sleep {mark} &); echo ok");
    let result = place.call("bash", &json!({"command": command}));
    assert_eq!(result["is_error"], false, "{result}");
    assert_eq!(alive(&mark), Vec::<String>::new());
}

#[test]
fn nothing_of_a_call_runs_any_more_when_its_result_is_there() {
    let place = Sandbox::new();
    let (ended, running) = (marker(), marker());
    let calls = json!([
        limited("ended", &format!("setsid sleep {ended} & sleep {ended}"), 500),
        bash("running", &format!("sleep {running}")),
    ]);
    let mut run = place.start(&["batch", "--output-format", "stream-json"], calls.to_string());
    let result = run.wait_for("the first result", |event| event["type"] == "tool.finished");
    assert_eq!(
        (&result["tool_use_id"], &result["error_code"]),
        (&json!("ended"), &json!("timeout"))
    );
    assert_eq!(alive(&ended), Vec::<String>::new(), "{result}");
    run.wait_for("the second start", |event| {
        event["type"] == "tool.started" && event["tool_use_id"] == "running"
    });
    eventually("the second command runs", || !alive(&running).is_empty());
}

#[test]
fn pain_20_a_command_dies_with_the_harness_that_is_killed() {
    let place = Sandbox::new();
    let mark = marker();
    let calls = json!([bash("a", &format!("sleep {mark}"))]);
    let run = place.start(&["batch"], calls.to_string());
    eventually("the command runs", || !alive(&mark).is_empty());
    run.signal(Signal::KILL);
    eventually("the command is dead", || alive(&mark).is_empty());
}

#[test]
fn a_limit_of_time_keeps_what_was_printed_and_lets_siblings_live() {
    let place = Sandbox::new();
    let calls =
        json!([limited("slow", "echo before; sleep 600", 500), bash("next", "echo after"),]);
    let results = place.batch(&calls);
    assert_eq!(results[0]["error_code"], "timeout");
    assert!(content(&results[0]).contains("before"), "{}", results[0]);
    let timing = &results[0]["timing"];
    let took = timing["finished_us"].as_u64().unwrap() - timing["started_us"].as_u64().unwrap();
    assert!(took >= 500_000, "{timing}");
    assert!(content(&results[1]).contains("after"), "{}", results[1]);
}

#[test]
fn a_command_that_ignores_the_polite_signal_is_killed() {
    let place = Sandbox::new();
    let mark = marker();
    let command = format!("trap '' TERM INT HUP; sleep {mark}; sleep {mark}");
    let result = place.call("bash", &json!({"command": command, "timeout_ms": 500}));
    assert_eq!(result["error_code"], "timeout", "{result}");
    assert_eq!(alive(&mark), Vec::<String>::new());
}

#[test]
fn standard_input_is_at_its_end_and_there_is_no_terminal() {
    let place = Sandbox::new();
    let calls = json!([
        bash("cat", "cat; echo end"),
        bash("read", "read line || echo nothing to read"),
        bash("tty", "tty; (echo x >/dev/tty) 2>/dev/null || echo no terminal"),
    ]);
    let results = place.batch(&calls);
    assert_eq!(content(&results[0]).trim(), "end");
    assert!(content(&results[1]).contains("nothing to read"), "{}", results[1]);
    assert!(content(&results[2]).contains("no terminal"), "{}", results[2]);
}

#[test]
fn pain_25_x16_a_directory_that_is_gone_breaks_no_later_command() {
    let place = Sandbox::new();
    let workdir = json!({"command": "touch ran", "workdir": "d"});
    let calls = json!([
        bash("1", "mkdir d && cd d && rmdir ../d"),
        bash("2", "echo hi"),
        {"id": "3", "name": "bash", "arguments": workdir},
        bash("4", "echo hi"),
    ]);
    let results = place.batch(&calls);
    for at in [1, 3] {
        assert_eq!(content(&results[at]), "hi\n", "{}", results[at]);
    }
    // To run it elsewhere than asked could be worse than not to run it.
    assert_eq!(results[2]["error_code"], "execution_error");
    assert!(content(&results[2]).contains("does not exist"), "{}", results[2]);
    assert!(!place.work().join("ran").exists());
}

#[test]
fn x38_a_command_over_the_limit_of_one_argument_runs_or_is_refused_in_words() {
    let place = Sandbox::new();
    let command = format!("true #{}", "x".repeat(300_000));
    let result = place.call_by_batch("bash", &json!({"command": command}));
    if result["is_error"] == true {
        assert!(!content(&result).contains("os error 7"), "{result}");
        assert!(content(&result).contains("long"), "{result}");
    }
}

#[test]
fn an_interrupted_batch_answers_every_call_and_leaves_nothing_alive() {
    let place = Sandbox::new();
    let mark = marker();
    let calls = json!([
        bash("done", "touch first"),
        bash("running", &format!("echo begun; sleep {mark}; true")),
        bash("never", "touch never"),
        {"id": "bad", "name": "nothing", "arguments": {}},
    ]);
    let mut run = place.start(&["batch", "--output-format", "stream-json"], calls.to_string());
    run.wait_for("the end of the first call", |event| {
        event["type"] == "tool.finished" && event["tool_use_id"] == "done"
    });
    run.wait_for("output of the second call", |event| {
        event["type"] == "tool.output"
            && event["text"].as_str().is_some_and(|t| t.contains("begun"))
    });
    eventually("it sleeps", || !alive(&mark).is_empty());
    run.signal(Signal::INT);
    let ran = run.finish().exits(130);
    let results: Vec<Value> =
        ran.lines().into_iter().filter(|event| event["type"] == "tool.finished").collect();
    let of = |id: &str| results.iter().filter(|r| r["tool_use_id"] == id).collect::<Vec<_>>();
    for (id, code) in
        [("done", Value::Null), ("running", json!("cancelled")), ("never", json!("cancelled"))]
    {
        let own = of(id);
        assert_eq!(own.len(), 1, "{id}: {results:?}");
        assert_eq!(own[0]["error_code"], code, "{id}");
    }
    // What can't run may be found out before the interrupt or not at all; it is answered once.
    assert_eq!(of("bad").len(), 1, "{results:?}");
    assert_eq!(of("bad")[0]["is_error"], true);
    assert!(content(of("running")[0]).contains("begun"), "{results:?}");
    assert!(!place.work().join("never").exists());
    assert_eq!(alive(&mark), Vec::<String>::new());
}

#[test]
fn an_interrupted_batch_prints_its_results_in_call_order() {
    let place = Sandbox::new();
    let mark = marker();
    let calls = json!([
        bash("a", &format!("sleep {mark}; true")),
        bash("b", "touch never"),
        bash("c", "touch never"),
    ]);
    let run = place.start(&["batch"], calls.to_string());
    eventually("it sleeps", || alive(&mark).len() >= 2);
    run.signal(Signal::TERM);
    let results = run.finish().exits(130).lines();
    let answers: Vec<_> = results.iter().map(|r| (&r["tool_use_id"], &r["error_code"])).collect();
    let cancelled = json!("cancelled");
    assert_eq!(
        answers,
        [(&json!("a"), &cancelled), (&json!("b"), &cancelled), (&json!("c"), &cancelled)]
    );
    assert_eq!(alive(&mark), Vec::<String>::new());
}
