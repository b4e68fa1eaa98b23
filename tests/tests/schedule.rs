//! Which calls of a batch run together, told by their own times and events, never by ours.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use callgate_tests::Sandbox;
use serde_json::{Value, json};

fn started(result: &Value) -> u64 {
    result["timing"]["started_us"].as_u64().unwrap()
}

fn finished(result: &Value) -> u64 {
    result["timing"]["finished_us"].as_u64().unwrap()
}

fn bash(id: &str, command: &str) -> Value {
    json!({"id": id, "name": "bash", "arguments": {"command": command}})
}

fn edit(id: usize, path: &str, old: &str, new: &str) -> Value {
    let arguments = json!({"path": path, "old_text": old, "new_text": new});
    json!({"id": id.to_string(), "name": "edit_file", "arguments": arguments})
}

fn a_hundred_lines() -> String {
    (1..=100).fold(String::new(), |text, n| text + "line " + &n.to_string() + ".\n")
}

fn sleepers() -> Value {
    json!([
        bash("1", "sleep 1.6"),
        bash("2", "sleep 1.2"),
        bash("3", "sleep 0.8"),
        bash("4", "sleep 0.4")
    ])
}

#[test]
fn four_sleeping_calls_that_conflict_with_nobody_all_overlap() {
    let results = Sandbox::new().batch(&sleepers());
    let last_start = results.iter().map(started).max().unwrap();
    let first_end = results.iter().map(finished).min().unwrap();
    assert!(last_start < first_end, "{results:?}");
}

#[test]
fn the_same_four_never_overlap_under_the_sequential_policy() {
    let results = Sandbox::new().batch_with(&["--policy", "sequential"], &sleepers());
    for pair in results.windows(2) {
        assert!(started(&pair[1]) >= finished(&pair[0]), "{results:?}");
    }
}

#[test]
fn one_writer_makes_all_or_nothing_sequential() {
    let mut calls = sleepers();
    let write =
        json!({"id": "w", "name": "write_file", "arguments": {"path": "f", "content": "x"}});
    calls.as_array_mut().unwrap().push(write);
    let results = Sandbox::new().batch_with(&["--policy", "all-or-nothing"], &calls);
    for pair in results.windows(2) {
        assert!(started(&pair[1]) >= finished(&pair[0]), "{results:?}");
    }
}

#[test]
fn commands_that_may_change_anything_run_alone() {
    let touch = |n: u32| bash(&n.to_string(), &format!("sleep 0.1; touch made{n}"));
    let results = Sandbox::new().batch(&json!([touch(1), touch(2), touch(3)]));
    for pair in results.windows(2) {
        assert!(started(&pair[1]) >= finished(&pair[0]), "{results:?}");
    }
}

#[test]
fn no_more_run_together_than_max_parallel_allows() {
    let calls: Vec<Value> = (0..6).map(|n| bash(&n.to_string(), "sleep 0.2")).collect();
    let results = Sandbox::new().batch_with(&["--max-parallel", "2"], &json!(calls));
    for at in results.iter().map(started) {
        let together = results.iter().filter(|r| started(r) <= at && at < finished(r)).count();
        assert!(together <= 2, "{results:?}");
    }
}

#[test]
fn a_writer_between_readers_waits_for_those_before_and_holds_those_after() {
    let place = Sandbox::new();
    place.file("f", "old");
    place.file("other", "other");
    let calls = json!([
        bash("before", "sleep 0.5; cat f"),
        {"id": "write", "name": "write_file", "arguments": {"path": "f", "content": "new"}},
        {"id": "after", "name": "read_file", "arguments": {"path": "f"}},
        {"id": "apart", "name": "read_file", "arguments": {"path": "other"}},
    ]);
    let results = place.batch(&calls);
    let [before, write, after, apart] = &results[..] else { panic!("{results:?}") };
    assert!(before["content"].as_str().unwrap().contains("old"), "{before}");
    assert!(after["content"].as_str().unwrap().contains("new"), "{after}");
    assert!(started(write) >= finished(before), "{results:?}");
    assert!(started(after) >= finished(write), "{results:?}");
    assert!(started(apart) < finished(before), "what conflicts with nobody waits for nobody");
}

#[test]
fn the_events_say_who_waits_for_whom_and_come_in_the_order_of_a_life() {
    let place = Sandbox::new();
    for name in ["a", "b", "c"] {
        place.file(name, name);
    }
    let read =
        |id: &str, path: &str| json!({"id": id, "name": "read_file", "arguments": {"path": path}});
    let calls = json!([
        read("r1", "a"),
        read("r2", "b"),
        read("r3", "c"),
        {"id": "w", "name": "write_file", "arguments": {"path": "a", "content": "new"}},
        read("r4", "a"),
        read("bad", "../a"),
    ]);
    let args = ["batch", "--output-format", "stream-json"];
    let events = place.run_with(&args, calls.to_string()).exits(0).lines();
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    assert!(events.iter().all(|event| event["session_id"] == events[0]["session_id"]));
    let life = |id: &str| -> Vec<&str> {
        let own = events.iter().filter(|event| event["tool_use_id"] == id);
        own.map(|event| event["type"].as_str().unwrap())
            .filter(|kind| !matches!(*kind, "tool.waiting" | "tool.decided" | "tool.output"))
            .collect()
    };
    for id in ["r1", "r2", "r3", "w", "r4"] {
        assert_eq!(life(id), ["tool.queued", "tool.started", "tool.finished"], "{id}");
    }
    let waits = |id: &str| -> Vec<&Value> {
        let own = events.iter().filter(|event| event["tool_use_id"] == id);
        own.filter(|event| event["type"] == "tool.waiting").map(|event| &event["on"]).collect()
    };
    for id in ["r1", "r2", "r3"] {
        assert!(waits(id).is_empty(), "the reads wait for nobody: {events:?}");
    }
    assert_eq!(waits("r4").first(), Some(&&json!(["w"])));
    assert!(waits("w").iter().all(|on| **on == json!(["r1"])), "{events:?}");
    let of_finish = |id: &str| {
        let mut own = events.iter().filter(|event| event["tool_use_id"] == id);
        own.find(|event| event["type"] == "tool.finished").unwrap()
    };
    assert_eq!(of_finish("bad")["error_code"], "denied");
    assert!(of_finish("r4")["content"].as_str().unwrap().contains("new"));
}

#[test]
fn pain_7_f18_two_edits_of_one_file_in_a_batch_are_both_there() {
    const FILES: usize = 200;
    let place = Sandbox::new();
    let lines = a_hundred_lines();
    let mut calls = Vec::new();
    for n in 0..FILES {
        let path = format!("f{n}");
        place.file(&path, &lines);
        calls.push(edit(2 * n, &path, "line 1.", "first"));
        calls.push(edit(2 * n + 1, &path, "line 100.", "last"));
    }
    let results = place.batch(&json!(calls));
    assert!(results.iter().all(|result| result["is_error"] == false), "{results:?}");
    let expected = lines.replace("line 1.", "first").replace("line 100.", "last");
    for n in 0..FILES {
        assert_eq!(place.read(&format!("f{n}")), expected, "f{n}");
    }
}

#[test]
fn pain_7_a_hundred_edits_of_one_file_in_one_batch_are_all_there() {
    let place = Sandbox::new();
    let lines = a_hundred_lines();
    place.file("f", &lines);
    let edits: Vec<Value> =
        (1..=100).map(|n| edit(n, "f", &format!("line {n}."), &format!("edited {n}."))).collect();
    let results = place.batch(&json!(edits));
    assert!(results.iter().all(|result| result["is_error"] == false), "{results:?}");
    assert_eq!(place.read("f"), lines.replace("line", "edited"));
}

#[test]
fn pain_8_a_command_and_an_edit_of_one_file_take_turns() {
    let place = Sandbox::new();
    place.file("f", "alpha\nbeta\n");
    let calls = json!([
        bash("format", "sleep 0.3; sed -i 's/alpha/ALPHA/' f"),
        edit(2, "f", "beta", "gamma"),
        bash("3", "cat f"),
    ]);
    let results = place.batch(&calls);
    assert!(results[2]["content"].as_str().unwrap().contains("ALPHA\ngamma"), "{results:?}");
    assert_eq!(place.read("f"), "ALPHA\ngamma\n");
}
