//! Files: where tools may go, and what rules and modes say about it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

use callgate_tests::Sandbox;
use serde_json::{Value, json};

fn code(result: &Value) -> &str {
    result["error_code"].as_str().unwrap_or("ok")
}

fn content(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

#[test]
fn f01_f05_f11_what_leaves_the_directory_is_denied_and_stays_unread() {
    let place = Sandbox::new();
    fs::write(place.root().join("secret"), "SECRET").unwrap();
    fs::create_dir(place.root().join("work-evil")).unwrap();
    fs::write(place.root().join("work-evil/x"), "SECRET").unwrap();
    symlink("../secret", place.work().join("link")).unwrap();
    symlink("..", place.work().join("up")).unwrap();
    let absolute = place.root().join("work-evil/x").display().to_string();
    for path in [
        "../secret",
        "a/../../secret",
        "link",
        "up/secret",
        &absolute,
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/thread-self/../self/fd/3",
    ] {
        let result = place.call("read_file", &json!({"path": path}));
        assert_eq!(code(&result), "denied", "{path}: {result}");
        assert!(!content(&result).contains("SECRET"), "{path}: {result}");
        let result = place.call("write_file", &json!({"path": path, "content": "changed"}));
        assert_eq!(code(&result), "denied", "{path}: {result}");
    }
    assert_eq!(fs::read_to_string(place.root().join("secret")).unwrap(), "SECRET");
    for (tool, arguments) in [
        ("glob", json!({"pattern": "*", "path": ".."})),
        ("grep", json!({"pattern": "SECRET", "path": ".."})),
        ("edit_file", json!({"path": "link", "old_text": "SECRET", "new_text": "x"})),
        ("bash", json!({"command": "true", "workdir": ".."})),
    ] {
        let result = place.call(tool, &arguments);
        assert_eq!(code(&result), "denied", "{tool}: {result}");
    }
}

#[test]
fn a_rule_that_names_an_outside_path_opens_it_and_nothing_else() {
    let place = Sandbox::new();
    let secret = place.root().join("secret");
    fs::write(&secret, "outside").unwrap();
    fs::write(place.root().join("other"), "other").unwrap();
    let rule = format!("read_file({})", secret.display());
    let args = ["--allow", rule.as_str()];
    let result = place.call_with(&args, "read_file", &json!({"path": "../secret"}));
    assert!(content(&result).contains("outside"), "{result}");
    let result = place.call_with(&args, "read_file", &json!({"path": "../other"}));
    assert_eq!(code(&result), "denied", "{result}");
    let result =
        place.call_with(&args, "write_file", &json!({"path": "../secret", "content": "x"}));
    assert_eq!(code(&result), "denied", "{result}");
    let bare = ["--allow", "read_file"];
    let result = place.call_with(&bare, "read_file", &json!({"path": "../secret"}));
    assert_eq!(code(&result), "denied", "{result}");
}

#[test]
fn f07_what_is_no_regular_file_is_refused_even_where_a_rule_allows_it() {
    let place = Sandbox::new();
    let args = ["--allow", "read_file(/dev/zero)"];
    let result = place.call_with(&args, "read_file", &json!({"path": "/dev/zero"}));
    assert_eq!(code(&result), "execution_error", "{result}");
    place.call("bash", &json!({"command": "mkfifo pipe; mkdir directory"}));
    for path in ["pipe", "directory", "."] {
        let result = place.call("read_file", &json!({"path": path}));
        assert_eq!(code(&result), "execution_error", "{path}: {result}");
    }
}

#[test]
fn f09_a_name_that_is_no_text_is_listed_and_can_be_read_back() {
    let place = Sandbox::new();
    fs::write(place.work().join(OsStr::from_bytes(b"f\xffo")), "odd").unwrap();
    let listed = place.call("glob", &json!({"pattern": "*"}));
    let line = content(&listed).lines().find(|line| line.contains('f')).unwrap().to_owned();
    assert!(!line.contains('\u{fffd}'), "{listed}");
    let read = place.call("read_file", &json!({"path": line}));
    assert!(content(&read).contains("odd"), "{line}: {read}");
}

#[test]
fn f13_a_loop_of_links_ends_and_f14_a_hostile_pattern_is_linear() {
    let place = Sandbox::new();
    place.file("only", "a".repeat(50_000));
    symlink(".", place.work().join("loop")).unwrap();
    let listed = place.call("glob", &json!({"pattern": "**/*"}));
    assert_eq!(content(&listed).matches("only").count(), 1, "{listed}");
    let found = place.call("grep", &json!({"pattern": "(a+)+$"}));
    assert_eq!(code(&found), "ok", "{found}");
}

#[test]
fn f15_f16_an_edit_must_say_exactly_one_place() {
    let place = Sandbox::new();
    place.file("a", "x\ny\nx\nx\n");
    let edit = |old: &str| {
        place.call("edit_file", &json!({"path": "a", "old_text": old, "new_text": "z"}))
    };
    assert_eq!(code(&edit("")), "invalid_arguments");
    let ambiguous = edit("x");
    assert_eq!(code(&ambiguous), "execution_error");
    for word in ["3", "1", "4"] {
        assert!(content(&ambiguous).contains(word), "{ambiguous}");
    }
    assert_eq!(code(&edit("nowhere")), "execution_error");
    assert_eq!(place.read("a"), "x\ny\nx\nx\n");
    assert_eq!(code(&edit("y")), "ok");
    assert_eq!(place.read("a"), "x\nz\nx\nx\n");
}

#[test]
fn an_edit_keeps_line_endings_mode_and_byte_order_mark() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Sandbox::new();
    let path = place.file("script", "\u{feff}one\r\ntwo\r\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let arguments = json!({"path": "script", "old_text": "one\ntwo", "new_text": "1\n2"});
    let result = place.call("edit_file", &arguments);
    assert_eq!(code(&result), "ok", "{result}");
    assert_eq!(place.read("script"), "\u{feff}1\r\n2\r\n");
    assert_eq!(Sandbox::mode(&path), 0o750);
}

#[test]
fn f19_what_makes_programs_run_something_later_is_not_written() {
    let place = Sandbox::new();
    place.call("bash", &json!({"command": "mkdir -p .git/hooks .callgate; touch .git/config"}));
    for path in [".git/config", ".GIT/config", ".git/hooks/pre-commit", ".callgate/config.toml"] {
        let result = place.call("write_file", &json!({"path": path, "content": "evil"}));
        assert_eq!(code(&result), "denied", "{path}: {result}");
    }
    assert_eq!(place.read(".git/config"), "");
}

#[test]
fn f20_a_tilde_is_a_plain_character() {
    let place = Sandbox::new();
    let result = place.call("write_file", &json!({"path": "~/x", "content": "y"}));
    assert_eq!(code(&result), "ok", "{result}");
    assert_eq!(place.read("~/x"), "y");
    assert_eq!(fs::read_dir(place.root().join("home")).unwrap().count(), 0);
}

#[test]
fn rules_that_deny_hold_for_every_part_of_a_command_and_every_name_of_a_file() {
    let place = Sandbox::new();
    place.file("secrets/key", "hidden");
    place.file("keep", "kept");
    symlink("secrets/key", place.work().join("innocent")).unwrap();
    let args = ["--deny", "bash(rm *)", "--deny", "read_file(secrets/**)"];
    for command in
        ["rm keep", "true; rm keep", "true && rm keep", "echo $(rm keep)", "true\nrm keep"]
    {
        let result = place.call_with(&args, "bash", &json!({"command": command}));
        assert_eq!(code(&result), "denied", "{command:?}: {result}");
        assert!(content(&result).contains("bash(rm *)"), "{result}");
    }
    assert_eq!(place.read("keep"), "kept");
    for path in ["secrets/key", "./secrets/../secrets/key", "innocent"] {
        let result = place.call_with(&args, "read_file", &json!({"path": path}));
        assert_eq!(code(&result), "denied", "{path}: {result}");
    }
    // A rule that denies wins over one that allows, and over the person who named the call.
    let args = ["--allow", "bash", "--deny", "bash(rm *)", "--permission-mode", "full-auto"];
    assert_eq!(code(&place.call_with(&args, "bash", &json!({"command": "rm keep"}))), "denied");
    assert_eq!(code(&place.call_with(&args, "bash", &json!({"command": "true"}))), "ok");
}

#[test]
fn the_mode_read_only_changes_nothing_and_names_the_flag() {
    let place = Sandbox::new();
    place.file("a", "old");
    let calls = json!([
        {"id": "1", "name": "read_file", "arguments": {"path": "a"}},
        {"id": "2", "name": "write_file", "arguments": {"path": "a", "content": "new"}},
        {"id": "3", "name": "bash", "arguments": {"command": "touch made"}},
        {"id": "4", "name": "bash", "arguments": {"command": "cat a"}},
    ]);
    let results = place.batch_with(&["--permission-mode", "read-only"], &calls);
    let codes: Vec<&str> = results.iter().map(code).collect();
    assert_eq!(codes, ["ok", "denied", "denied", "ok"]);
    assert!(content(&results[1]).contains("--allow"), "{}", results[1]);
    assert_eq!(place.read("a"), "old");
    assert!(!place.work().join("made").exists());
}

#[test]
fn glob_and_grep_respect_what_git_ignores() {
    let place = Sandbox::new();
    place.call("bash", &json!({"command": "mkdir .git"}));
    place.file(".gitignore", "ignored/\n");
    place.file("ignored/a.txt", "needle");
    place.file("seen/a.txt", "needle");
    let listed = place.call("glob", &json!({"pattern": "**/*.txt"}));
    let found = place.call("grep", &json!({"pattern": "needle"}));
    for result in [listed, found] {
        assert!(content(&result).contains("seen/a.txt"), "{result}");
        assert!(!content(&result).contains("ignored/"), "{result}");
    }
}
