//! Output that is too long: its preview, its counts, its file, and how it is got at later.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{fs, path::Path};

use callgate_tests::{Sandbox, Signal, marker};
use serde_json::{Value, json};

/// The sizes of the preview in characters, as the design has them.
const HEAD: usize = 6_000;
const TAIL: usize = 24_000;

fn seq_80000() -> String {
    (1..=80_000).fold(String::new(), |text, n| text + &n.to_string() + "\n")
}

fn spill(result: &Value) -> (String, String) {
    let text =
        |key: &str| result["spill"][key].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
    (text("id"), text("path"))
}

fn content(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

/// Checks that the preview is the beginning and the end of `whole`, and returns what stands between.
#[track_caller]
fn assert_preview<'a>(content: &'a str, whole: &str) -> &'a str {
    let chars: Vec<char> = whole.chars().collect();
    let head: String = chars[..HEAD].iter().collect();
    let tail: String = chars[chars.len() - TAIL..].iter().collect();
    let rest = content.strip_prefix(&head).expect("it begins as the output does");
    let rest = rest.trim_end_matches('\n');
    rest.strip_suffix(tail.trim_end_matches('\n')).expect("it ends as the output does")
}

#[test]
fn seq_80000_comes_back_with_head_tail_counts_and_path_and_lies_whole_in_its_file() {
    let place = Sandbox::new();
    let whole = seq_80000();
    let result = place.call("bash", &json!({"command": "seq 1 80000"}));
    let (id, path) = spill(&result);
    assert_eq!(result["is_error"], false);
    assert_eq!(result["exit_code"], 0);
    assert_eq!(result["spill"]["bytes"], whole.len());
    assert_eq!(result["spill"]["lines"], 80_000);
    let notice = assert_preview(content(&result), &whole);
    let omitted = whole.len() - HEAD - TAIL;
    for told in [&omitted.to_string(), &whole.len().to_string(), "80000", &path, &id] {
        assert!(notice.contains(told), "{told} is missing in: {notice}");
    }
    assert_eq!(fs::read(&path).unwrap(), whole.as_bytes());
    let path = Path::new(&path);
    assert!(path.starts_with(place.state()), "{}", path.display());
    assert_eq!(Sandbox::mode(path), 0o600);
    assert_eq!(Sandbox::mode(path.parent().unwrap()), 0o700);
    assert_eq!(Sandbox::mode(&place.state().join("outputs")), 0o700);
}

#[test]
fn a_spilled_output_is_listed_shown_searched_and_swept() {
    let place = Sandbox::new();
    let (id, path) = spill(&place.call("bash", &json!({"command": "seq 1 80000"})));
    let listed = place.run(&["output", "list", "--json"]).exits(0).lines();
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["lines"]), (&json!(id), &json!(80_000)));
    assert!(place.run(&["output", "list"]).exits(0).text().contains(&id));
    assert_eq!(place.run(&["output", "show", &id]).exits(0).text(), seq_80000());
    let page = place.run(&["output", "show", &id, "--offset", "40000", "--limit", "2"]).exits(0);
    assert_eq!(page.text(), "40000\n40001\n");
    let found = place.run(&["output", "grep", &id, "^7999[89]$"]).exits(0);
    assert_eq!(found.text(), "79998:79998\n79999:79999\n");
    assert_eq!(place.run(&["output", "grep", &id, "nowhere"]).exits(1).text(), "");
    place.run(&["output", "grep", &id, "("]).exits(2);
    place.run(&["output", "show", "no-such-id"]).exits(2);
    place.run(&["output", "sweep"]).exits(0);
    assert!(Path::new(&path).exists(), "a new output is kept by default");
    place.run(&["output", "sweep", "--max-age-days", "0"]).exits(0);
    assert!(!Path::new(&path).exists());
    assert_eq!(place.run(&["output", "list", "--json"]).exits(0).text(), "");
}

#[test]
fn a_spilled_output_is_paged_and_searched_by_a_tool_of_a_later_process() {
    let place = Sandbox::new();
    let (id, _) = spill(&place.call("bash", &json!({"command": "seq 1 80000"})));
    let page = place.call("read_output", &json!({"id": id, "offset": 40_000, "limit": 2}));
    assert!(content(&page).starts_with("40000\n40001\n["), "{page}");
    let found = place.call("read_output", &json!({"id": id, "pattern": "^7999[89]$"}));
    assert!(content(&found).contains("79998:79998"), "{found}");
    assert!(!content(&found).contains("79997"), "{found}");
    let wrong = place.call("read_output", &json!({"id": format!("{id}x")}));
    assert_eq!(wrong["error_code"], "execution_error", "{wrong}");
    assert!(content(&wrong).contains(&id), "the ids there are are offered: {wrong}");
}

#[test]
fn up_to_the_threshold_output_comes_back_whole_and_one_byte_more_is_spilled() {
    let place = Sandbox::new();
    let of = |bytes: usize| json!({"command": format!("head -c {bytes} /dev/zero | tr '\\0' x")});
    let whole = place.call("bash", &of(51_200));
    assert_eq!(whole["spill"], Value::Null);
    assert_eq!(content(&whole), "x".repeat(51_200));
    let more = place.call("bash", &of(51_201));
    assert_eq!(more["spill"]["bytes"], 51_201);
    assert_preview(content(&more), &"x".repeat(51_201));
}

#[test]
fn the_sizes_are_configurable() {
    let place = Sandbox::new();
    let args = ["-c", "output.threshold_bytes=100", "-c", "output.head_chars=10"];
    let args = [&args[..], &["-c", "output.tail_chars=20"]].concat();
    let result = place.call_with(&args, "bash", &json!({"command": "seq 1 100"}));
    assert_eq!(result["spill"]["lines"], 100, "{result}");
    assert!(content(&result).starts_with("1\n2\n3\n4\n5\n"), "{result}");
    assert!(content(&result).trim_end().ends_with("98\n99\n100"), "{result}");
    assert!(content(&result).len() < 1_000, "{result}");
}

#[test]
fn pain_26_the_end_of_a_failing_build_is_never_hidden_by_long_lines() {
    let place = Sandbox::new();
    let command = "for i in 1 2 3 4 5; do head -c 1000000 /dev/zero | tr '\\0' x; echo; done; \
                   echo 'error: X'; exit 1";
    let result = place.call("bash", &json!({"command": command}));
    assert_eq!(
        (&result["error_code"], &result["exit_code"]),
        (&json!("execution_error"), &json!(1))
    );
    assert!(content(&result).contains("error: X"), "the tail is missing");
    assert_eq!(result["spill"]["bytes"], 5 * 1_000_001 + 9);
    assert_eq!(result["spill"]["lines"], 6);
    let (_, path) = spill(&result);
    assert!(content(&result).contains(&path));
    assert_eq!(fs::metadata(path).unwrap().len(), 5 * 1_000_001 + 9);
}

#[test]
fn pain_28_x10_characters_are_never_cut_in_half() {
    let place = Sandbox::new();
    for shift in 0..4 {
        let whole = format!("{}{}", "x".repeat(shift), "漢字😀é".repeat(20_000));
        place.file("text", &whole);
        let result = place.call("bash", &json!({"command": "cat text; echo >&2"}));
        let shown = content(&result);
        assert!(!shown.contains('\u{fffd}'), "shift {shift}");
        let (_, path) = spill(&result);
        assert!(fs::read(&path).unwrap().len() > whole.len());
        let result = place.call("bash", &json!({"command": "cat text"}));
        assert_preview(content(&result), &whole);
        assert_eq!(fs::read_to_string(spill(&result).1).unwrap(), whole);
    }
}

#[test]
fn x08_bytes_that_are_no_text_are_kept_raw_and_shown_escaped() {
    let place = Sandbox::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    place.file("bytes", &bytes);
    let result = place.call("bash", &json!({"command": "cat bytes"}));
    assert_eq!(fs::read(spill(&result).1).unwrap(), bytes);
    assert!(content(&result).contains("\\xff"), "the byte 0xff is not shown");
    let (id, _) = spill(&result);
    assert_eq!(place.run(&["output", "show", &id]).exits(0).stdout, bytes);
}

#[test]
fn past_the_quota_the_loss_is_counted_and_told() {
    let place = Sandbox::new();
    let args = ["-c", "output.per_call_bytes=100000"];
    let result = place.call_with(&args, "bash", &json!({"command": "seq 1 80000"}));
    let whole = seq_80000();
    let kept = result["spill"]["bytes"].as_u64().unwrap();
    let lost = result["spill"]["lost_bytes"].as_u64().unwrap();
    assert!(kept <= 100_000, "{kept}");
    assert_eq!(kept + lost, whole.len() as u64);
    assert!(content(&result).contains(&lost.to_string()), "the loss is told");
    assert_preview(content(&result), &whole);
    let (_, path) = spill(&result);
    assert_eq!(fs::read(path).unwrap(), whole.as_bytes()[..usize::try_from(kept).unwrap()]);
}

#[test]
fn a_huge_file_that_is_read_is_bounded_like_a_command() {
    let place = Sandbox::new();
    place.file("huge", "0123456789abcdef\n".repeat(1_000_000));
    let result = place.call("read_file", &json!({"path": "huge"}));
    assert_eq!(result["is_error"], false, "{result}");
    assert!(content(&result).len() < 200_000, "{}", content(&result).len());
    let result = place.call("read_file", &json!({"path": "huge", "offset": 999_999, "limit": 5}));
    assert!(content(&result).contains("0123456789abcdef"), "{result}");
}

#[test]
fn p06_a_file_that_was_changed_later_is_told_to_be() {
    let place = Sandbox::new();
    let (id, path) = spill(&place.call("bash", &json!({"command": "seq 1 80000"})));
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] = b'9';
    fs::write(&path, bytes).unwrap();
    let result = place.call("read_output", &json!({"id": id, "limit": 1}));
    assert!(content(&result).contains("changed"), "{result}");
    fs::remove_file(&path).unwrap();
    let result = place.call("read_output", &json!({"id": id}));
    assert_eq!(result["error_code"], "execution_error", "{result}");
}

#[test]
fn x07_hundreds_of_megabytes_pass_through_little_memory_also_without_a_newline() {
    const BYTES: u64 = 300_000_000;
    // Three times what is aimed at for a release build, a fraction of what passes through.
    const MOST_KB: u64 = 120_000;
    let place = Sandbox::new();
    let mark = marker();
    let bash = |id: &str, command: &str| json!({"id": id, "name": "bash", "arguments": {"command": command}});
    let calls = json!([
        bash("lines", &format!("yes | head -c {BYTES}; true")),
        bash("line", &format!("head -c {BYTES} /dev/zero | tr '\\0' x; true")),
        bash("wait", &format!("sleep {mark}; true")),
    ]);
    let mut run = place.start(&["batch", "--output-format", "stream-json"], calls.to_string());
    for (id, lines) in [("lines", BYTES / 2), ("line", 1)] {
        let result = run.wait_for(id, |event| event["type"] == "tool.finished");
        assert_eq!(result["tool_use_id"], id);
        assert_eq!(
            (&result["spill"]["bytes"], &result["spill"]["lines"]),
            (&json!(BYTES), &json!(lines))
        );
        assert_eq!(fs::metadata(spill(&result).1).unwrap().len(), BYTES);
    }
    let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    run.signal(Signal::INT);
    run.finish().exits(130);
    assert!(peak < MOST_KB, "{peak} kB at the peak");
}
