//! `callgate run` with the model that is built in: formats, exit codes, what is kept of a session.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::fs;

use callgate_tests::{Sandbox, Signal, alive, eventually, marker};
use serde_json::{Value, json};

fn place() -> Sandbox {
    let place = Sandbox::new();
    place.file("notes.txt", "the needle is here\n");
    place
}

#[test]
fn text_is_the_final_answer_alone() {
    let ran = place().run(&["run", "read notes.txt"]).exits(0);
    let json = place().run(&["run", "read notes.txt", "--output-format", "json"]).exits(0);
    assert!(ran.text().contains("the needle is here"), "{}", ran.text());
    assert_eq!(ran.text().trim_end(), json.lines()[0]["text"].as_str().unwrap().trim_end());
    assert!(ran.stderr.contains("read_file"), "progress is on standard error: {}", ran.stderr);
    assert!(ran.stderr.contains("offline"), "the app says who answers: {}", ran.stderr);
}

#[test]
fn json_is_the_last_event_alone() {
    let lines = place().run(&["run", "read notes.txt", "--output-format", "json"]).exits(0).lines();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["type"], "session.finished");
    assert_eq!(lines[0]["outcome"], "done");
    assert!(lines[0]["text"].as_str().unwrap().contains("the needle is here"), "{}", lines[0]);
    assert_eq!(lines[0]["totals"]["calls"], 1);
}

#[test]
fn stream_json_is_every_event_in_order() {
    let args = ["run", "read notes.txt", "--output-format", "stream-json"];
    let events = place().run(&args).exits(0).lines();
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], at, "{event}");
        assert_eq!(event["session_id"], events[0]["session_id"]);
    }
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let at = |kind: &str| {
        kinds.iter().position(|known| *known == kind).unwrap_or_else(|| panic!("{kind}"))
    };
    let order = [
        "session.started",
        "turn.started",
        "tool.queued",
        "tool.started",
        "tool.finished",
        "turn.finished",
        "session.finished",
    ];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{kinds:?}");
    assert_eq!(at("session.finished"), kinds.len() - 1);
    let finished = &events[at("tool.finished")];
    assert_eq!((&finished["name"], &finished["is_error"]), (&json!("read_file"), &json!(false)));
    assert!(finished["content"].as_str().unwrap().contains("the needle is here"));
    let spoken: String = events
        .iter()
        .filter(|event| event["type"] == "text.delta")
        .map(|event| event["text"].as_str().unwrap())
        .collect();
    let last = events.last().unwrap()["text"].as_str().unwrap();
    assert!(spoken.ends_with(last), "the final text is what was streamed last");
}

#[test]
fn the_prompt_may_come_on_standard_input() {
    let ran = place().run_with(&["run", "-"], "read notes.txt").exits(0);
    assert!(ran.text().contains("the needle is here"));
}

#[test]
fn a_task_whose_calls_fail_is_a_task_that_is_done() {
    let args = ["run", "read missing.txt", "--output-format", "stream-json"];
    let events = place().run(&args).exits(0).lines();
    let finished = events.iter().find(|event| event["type"] == "tool.finished").unwrap();
    assert_eq!(finished["is_error"], true);
    assert_eq!(events.last().unwrap()["outcome"], "done");
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_right() {
    let place = place();
    for args in [
        &["run"][..],
        &["run", ""],
        &["run", "x", "--output-format", "xml"],
        &["run", "x", "--provider", "klingon"],
        &["run", "x", "--cwd", "nowhere"],
        &["run", "x", "--permission-mode", "yolo"],
        &["run", "x", "--policy", "chaos"],
        &["run", "x", "--max-turns", "0"],
        &["run", "x", "--allow", "("],
        &["run", "x", "--config", "nowhere.toml"],
        &["run", "x", "-c", "nothing"],
        &["run", "x", "--provider", "anthropic"],
        &["no-such-command"],
        &[],
    ] {
        let ran = place.run(args).exits(2);
        assert_eq!(ran.text(), "", "{args:?}");
        assert!(ran.stderr.len() > 10, "{args:?}");
    }
    let ran = place.run(&[]).exits(2);
    assert!(ran.stderr.contains("callgate run"), "{}", ran.stderr);
}

#[test]
fn a_limit_of_turns_ends_with_4() {
    let args = ["run", "read notes.txt", "--max-turns", "1", "--output-format", "stream-json"];
    let events = place().run(&args).exits(4).lines();
    assert_eq!(events.last().unwrap()["outcome"], "limit_reached");
    assert!(events.iter().any(|event| event["type"] == "tool.finished"), "its calls are answered");
}

#[test]
fn pain_41_what_would_need_approval_is_denied_with_the_flag_that_would_have_allowed_it() {
    let place = place();
    let args = ["run", "run `touch made`", "--output-format", "stream-json"];
    let events = place.run(&args).exits(0).lines();
    let finished = events.iter().find(|event| event["type"] == "tool.finished").unwrap();
    assert_eq!(finished["error_code"], "denied");
    let content = finished["content"].as_str().unwrap();
    assert!(content.contains("--allow 'bash(touch made)'"), "{content}");
    assert!(!place.work().join("made").exists());
    let args = ["run", "run `touch made`", "--allow", "bash(touch made)"];
    place.run(&args).exits(0);
    assert!(place.work().join("made").exists(), "the flag that was named allows it");
}

#[test]
fn an_interrupted_task_answers_its_calls_and_ends_with_130() {
    let place = place();
    let mark = marker();
    let prompt = format!("run `sleep {mark}; true`");
    let args = ["run", &prompt, "--permission-mode", "full-auto", "--output-format", "stream-json"];
    let mut run = place.start(&args, "");
    run.wait_for("the start of the call", |event| event["type"] == "tool.started");
    // Our own command line has the mark too, and so has the shell's.
    eventually("it sleeps", || alive(&mark).len() >= 3);
    run.signal(Signal::INT);
    let events = run.finish().exits(130).lines();
    let finished = events.iter().find(|event| event["type"] == "tool.finished").unwrap();
    assert_eq!(finished["error_code"], "cancelled");
    assert_eq!(events.last().unwrap()["outcome"], "interrupted");
    assert_eq!(alive(&mark), Vec::<String>::new());
}

#[test]
fn a_session_is_kept_as_private_lines_of_json() {
    let place = place();
    let args = ["run", "read notes.txt", "--output-format", "json"];
    let last = place.run(&args).exits(0).lines().remove(0);
    let files = place.state_files("sessions");
    assert_eq!(files.len(), 1, "{files:?}");
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert!(name.contains(last["session_id"].as_str().unwrap()), "{name}");
    assert_eq!(Sandbox::mode(&files[0]), 0o600);
    assert_eq!(Sandbox::mode(files[0].parent().unwrap()), 0o700);
    let text = fs::read_to_string(&files[0]).unwrap();
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(records.iter().any(|record| record["type"] == "session.started"));
    let finished = records.iter().find(|record| record["type"] == "tool.finished").unwrap();
    assert!(finished["content"].as_str().unwrap().contains("the needle is here"));
    let named = records
        .iter()
        .position(|record| record["type"] == "message" && record.to_string().contains("tool_use"))
        .expect("the call is in a message");
    let ran = records.iter().position(|record| record["type"] == "tool.started").unwrap();
    assert!(named < ran, "a call is written down before it runs");
}

#[test]
fn two_tasks_keep_two_sessions() {
    let place = place();
    for _ in 0..2 {
        place.run(&["run", "read notes.txt"]).exits(0);
    }
    assert_eq!(place.state_files("sessions").len(), 2);
}

#[test]
fn several_things_at_once_are_one_batch() {
    let place = place();
    place.file("more.txt", "more");
    let args = ["run", "read notes.txt and more.txt", "--output-format", "stream-json"];
    let events = place.run(&args).exits(0).lines();
    let queued: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "tool.queued")
        .map(|event| (&event["batch"], &event["index"], &event["of"]))
        .collect();
    let (one, two) = (json!(1), json!(2));
    assert_eq!(queued, [(&one, &json!(0), &two), (&one, &one, &two)]);
}
