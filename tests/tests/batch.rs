//! `callgate batch` and `call`: what comes in, and one result for each call, in order.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::fs;

use callgate_tests::Sandbox;
use serde_json::{Value, json};

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"id": id, "name": name, "arguments": arguments})
}

fn codes(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["error_code"].as_str().unwrap_or("ok")).collect()
}

#[track_caller]
fn assert_says(result: &Value, words: &[&str]) {
    let content = result["content"].as_str().unwrap();
    for word in words {
        assert!(content.contains(word), "{word:?} is missing in: {content}");
    }
}

#[test]
fn the_seven_calls_are_answered_in_order_and_the_bad_two_cost_nothing() {
    let place = Sandbox::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        place.file(name, format!("this is {name}"));
    }
    let calls = json!([
        call("1", "read_file", &json!({"path": "a.txt"})),
        call("2", "read_file", &json!({"path": "b.txt"})),
        call("3", "read_file", &json!({"path": "c.txt"})),
        call("4", "write_file", &json!({"path": "a.txt", "content": "written"})),
        call("5", "read_file", &json!({"path": "a.txt"})),
        call("6", "reed_file", &json!({"path": "a.txt"})),
        call("7", "read_file", &json!({"path": 7})),
    ]);
    let results = place.batch(&calls);
    assert_eq!(
        codes(&results),
        ["ok", "ok", "ok", "ok", "ok", "unknown_tool", "invalid_arguments"]
    );
    assert_says(&results[0], &["this is a.txt"]);
    assert_says(&results[4], &["written"]);
    assert_says(&results[5], &["reed_file", "read_file"]);
    assert_says(&results[6], &["/path", "string", "7"]);
    let us = |result: &Value, step: &str| result["timing"][step].as_u64().unwrap();
    assert!(us(&results[4], "started_us") >= us(&results[3], "finished_us"), "{results:?}");
    for result in &results {
        assert!(us(result, "queued_us") <= us(result, "started_us"), "{result}");
        assert!(us(result, "started_us") <= us(result, "finished_us"), "{result}");
    }
    for bad in &results[5..] {
        assert_eq!(us(bad, "started_us"), us(bad, "finished_us"), "it never ran: {bad}");
    }
}

#[test]
fn a_result_is_a_line_of_exactly_the_fields_of_the_contract() {
    let place = Sandbox::new();
    place.file("a.txt", "x");
    let good = place.call("read_file", &json!({"path": "a.txt"}));
    let keys: Vec<&String> = good.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["tool_use_id", "name", "is_error", "content", "spill", "timing"]);
    assert_eq!(good["is_error"], false);
    assert_eq!(good["spill"], Value::Null);
    let bad = place.call("bash", &json!({"command": "echo out; echo err >&2; exit 3"}));
    assert_eq!(
        (&bad["is_error"], &bad["error_code"], &bad["exit_code"]),
        (&json!(true), &json!("execution_error"), &json!(3))
    );
    assert_says(&bad, &["out", "err"]);
}

#[test]
fn d10_arguments_may_be_a_json_text_and_d11_are_unwrapped_only_once() {
    let place = Sandbox::new();
    place.file("a", "content of a");
    let once = json!({"path": "a"}).to_string();
    let twice = json!(once).to_string();
    let calls = json!([
        {"id": "1", "name": "read_file", "arguments": once},
        {"id": "2", "name": "read_file", "arguments": twice},
    ]);
    let results = place.batch(&calls);
    assert_eq!(codes(&results), ["ok", "invalid_arguments"]);
    assert_says(&results[0], &["content of a"]);
}

#[test]
fn a_batch_may_be_an_object_with_calls_a_file_or_standard_input() {
    let place = Sandbox::new();
    place.file("a", "content of a");
    let calls = json!({"calls": [call("x", "read_file", &json!({"path": "a"}))]}).to_string();
    let file = place.file("calls.json", &calls);
    let of_file = place.run(&["batch", file.to_str().unwrap()]).exits(0).lines();
    let of_input = place.run_with(&["batch"], &calls).exits(0).lines();
    let of_dash = place.run_with(&["batch", "-"], &calls).exits(0).lines();
    for lines in [of_file, of_input, of_dash] {
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["tool_use_id"], "x");
        assert_says(&lines[0], &["content of a"]);
    }
}

#[test]
fn d37_an_empty_batch_has_no_results_and_is_done() {
    let ran = Sandbox::new().run_with(&["batch"], "[]").exits(0);
    assert_eq!(ran.text(), "");
}

#[test]
fn d39_d41_input_that_is_no_batch_ends_with_2_and_nothing_is_run() {
    let touch = r#"{"id":"a","name":"bash","arguments":{"command":"touch ran"}}"#;
    let inputs = [
        format!(r#"[{touch},{{"id":"b"}}]"#),
        format!("[{touch}] []"),
        "[] []".to_owned(),
        format!("[{touch}"),
        touch.to_owned(),
        format!(r#"[{touch},{{"id":"b","name":7,"arguments":{{}}}}]"#),
        format!("[{touch},7]"),
        String::new(),
        "null".to_owned(),
        "\"x\"".to_owned(),
        "{}".to_owned(),
        format!(r#"{{"calls":{touch}}}"#),
        "please read a file".to_owned(),
    ];
    for input in inputs {
        let place = Sandbox::new();
        let ran = place.run_with(&["batch"], &input).exits(2);
        assert_eq!(ran.text(), "", "{input}");
        assert!(ran.stderr.contains("no batch"), "{input}: {}", ran.stderr);
        assert!(!place.work().join("ran").exists(), "{input} ran something");
    }
    let place = Sandbox::new();
    place.run_with(&["batch"], [b'[', 0xff, b']']).exits(2);
    place.run(&["batch", "no/such/file.json"]).exits(2);
}

#[test]
fn d01_d03_d04_d06_an_unknown_name_is_told_escaped_and_short_with_the_nearest() {
    let place = Sandbox::new();
    let calls = json!([
        call("empty", "", &json!({})),
        call("case", "BASH", &json!({"command": "touch ran"})),
        call("nul", "ba\u{0}sh", &json!({"command": "touch ran"})),
        call("long", &"x".repeat(100_000), &json!({})),
        call("typo", "reed_file", &json!({})),
    ]);
    let results = place.batch(&calls);
    assert_eq!(codes(&results), ["unknown_tool"; 5]);
    assert_says(&results[0], &["empty"]);
    assert_says(&results[1], &["bash"]);
    assert!(!results[2]["content"].as_str().unwrap().contains('\u{0}'), "{}", results[2]);
    assert!(results[3]["content"].as_str().unwrap().matches('x').count() <= 102, "{}", results[3]);
    assert_says(&results[4], &["read_file"]);
    assert!(!place.work().join("ran").exists());
}

#[test]
fn d08_d09_d14_d15_d31_d35_arguments_are_held_against_the_schema() {
    let place = Sandbox::new();
    place.file("a", "one\ntwo\n");
    let calls = json!([
        call("null", "read_file", &Value::Null),
        call("array", "read_file", &json!(["a"])),
        call("boolean", "read_file", &json!({"path": "a", "limit": true})),
        call("float", "read_file", &json!({"path": "a", "limit": 1.0})),
        call("proto", "read_file", &json!({"path": "a", "__proto__": {"x": 1}, "constructor": 1})),
        call("zero", "read_file", &json!({"path": "a", "offset": 0})),
        call("missing", "read_file", &json!({"pth": "a"})),
    ]);
    let results = place.batch(&calls);
    let bad = "invalid_arguments";
    assert_eq!(codes(&results), [bad, bad, bad, "ok", bad, bad, bad]);
    assert_says(&results[0], &["object", "null"]);
    assert_says(&results[1], &["object", "array"]);
    assert_says(&results[2], &["/limit", "boolean"]);
    assert_says(&results[3], &["one"]);
    assert!(!results[3]["content"].as_str().unwrap().contains("two"), "{}", results[3]);
    assert_says(&results[4], &["__proto__", "constructor"]);
    assert_says(&results[5], &["/offset"]);
    assert_says(&results[6], &["pth", "path"]);
}

#[test]
fn d17_d18_d19_d20_d21_d26_arguments_are_read_strictly() {
    let place = Sandbox::new();
    place.file("a", "x");
    place.file("a.txt", "x");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let texts = [
        r#"{"path":"a.txt","path":"/etc/passwd"}"#,
        r#"{"path":NaN}"#,
        r#"{"path":"a","limit":1e999}"#,
        r#"{"path":"a","limit":18446744073709551616}"#,
        r#"{"path":"\ud83d"}"#,
        r#"{"path":"a"#,
        r#"{"path":"a"} {}"#,
        "",
        &deep,
    ];
    let calls: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| json!({"id": at.to_string(), "name": "read_file", "arguments": text}))
        .collect();
    let results = place.batch(&json!(calls));
    assert_eq!(codes(&results), vec!["invalid_arguments"; texts.len()]);
    assert_says(&results[0], &["path"]);
    // The same, as JSON in place and not as a text.
    let raw = r#"[{"id":"0","name":"read_file","arguments":{"path":"a.txt","path":"/etc/passwd"}},
                  {"id":"1","name":"read_file","arguments":{"path":"a","limit":18446744073709551616}}]"#;
    let results = place.run_with(&["batch"], raw).exits(0).lines();
    assert_eq!(codes(&results), ["invalid_arguments"; 2]);
}

#[test]
fn d25_ten_megabytes_of_arguments_run() {
    let place = Sandbox::new();
    let content = "x".repeat(10_000_000);
    let calls = json!([call("1", "write_file", &json!({"path": "a", "content": content}))]);
    assert_eq!(codes(&place.batch(&calls)), ["ok"]);
    assert_eq!(place.read("a"), content);
}

#[test]
fn d27_calls_that_share_an_id_both_run_and_are_not_mixed_up() {
    let place = Sandbox::new();
    place.file("a", "content of a");
    place.file("b", "content of b");
    let calls = json!([
        call("x", "read_file", &json!({"path": "a"})),
        call("x", "read_file", &json!({"path": "b"})),
        call("", "read_file", &json!({"path": "a"})),
    ]);
    let results = place.batch(&calls);
    assert_eq!(codes(&results), ["ok"; 3]);
    assert_says(&results[0], &["content of a"]);
    assert_says(&results[1], &["content of b"]);
    assert_says(&results[2], &["content of a"]);
}

#[test]
fn pain_14_only_what_is_invalid_is_mended_and_that_is_said() {
    let place = Sandbox::new();
    place.file("a", "one\ntwo\n");
    place.file("e", "old");
    let edits = json!([{"old_text": "old", "new_text": "new"}]).to_string();
    let calls = json!([
        call("number", "read_file", &json!({"path": "a", "limit": "1"})),
        call("list", "edit_file", &json!({"path": "e", "edits": edits})),
        call("text", "write_file", &json!({"path": "w", "content": "[\"x\"]"})),
        call("hopeless", "read_file", &json!({"path": "a", "limit": "many"})),
    ]);
    let results = place.batch(&calls);
    assert_eq!(codes(&results), ["ok", "ok", "ok", "invalid_arguments"]);
    assert_eq!(results[0]["repairs"][0]["pointer"], "/limit");
    assert_eq!(results[1]["repairs"][0]["pointer"], "/edits");
    assert_eq!(results[2]["repairs"], Value::Null);
    assert_eq!(place.read("e"), "new");
    assert_eq!(place.read("w"), "[\"x\"]");
}

#[test]
fn pain_6_one_exit_code_1_stops_none_of_its_26_siblings() {
    let place = Sandbox::new();
    let mut calls = vec![call("grep", "bash", &json!({"command": "grep nomatch file0"}))];
    for n in 0..26 {
        place.file(&format!("file{n}"), format!("content {n}"));
        calls.push(call(&format!("r{n}"), "read_file", &json!({"path": format!("file{n}")})));
    }
    let results = place.batch(&json!(calls));
    assert_eq!(
        (&results[0]["error_code"], &results[0]["exit_code"]),
        (&json!("execution_error"), &json!(1))
    );
    assert_eq!(codes(&results[1..]), ["ok"; 26]);
    for (n, result) in results[1..].iter().enumerate() {
        assert_says(result, &[&format!("content {n}")]);
    }
}

#[test]
fn a_single_call_is_a_batch_of_one() {
    let place = Sandbox::new();
    fs::write(place.work().join("a"), "content of a").unwrap();
    let lines = place.run(&["call", "read_file", r#"{"path":"a"}"#]).exits(0).lines();
    assert_eq!(lines.len(), 1);
    assert_says(&lines[0], &["content of a"]);
    let lines = place.run(&["call", "read_file", "{"]).exits(0).lines();
    assert_eq!(codes(&lines), ["invalid_arguments"]);
    let lines = place.run(&["call", "nothing"]).exits(0).lines();
    assert_eq!(codes(&lines), ["unknown_tool"]);
}

#[test]
fn tools_are_listed_once_and_alike_for_people_programs_and_wire_formats() {
    let place = Sandbox::new();
    let own = ["bash", "edit_file", "glob", "grep", "read_file", "read_output", "write_file"];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let json = |args: &[&str]| -> Value {
        let args = [&["tools", "list"], args].concat();
        serde_json::from_str(&place.run(&args).exits(0).text()).unwrap()
    };
    let names = |list: &Value, pointer: &str| {
        let tools = list.as_array().unwrap().iter();
        sorted(
            tools.map(|tool| tool.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect(),
        )
    };
    assert_eq!(names(&json(&["--json"]), "/name"), own);
    for dialect in ["anthropic", "mcp"] {
        assert_eq!(names(&json(&["--dialect", dialect]), "/name"), own, "{dialect}");
    }
    assert_eq!(names(&json(&["--dialect", "openai"]), "/function/name"), own);
    let people = place.run(&["tools", "list"]).exits(0).text();
    let first = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    assert_eq!(sorted(people.lines().map(first).collect()), own);
    place.run(&["tools", "list", "--dialect", "klingon"]).exits(2);
}
