//! Where file tools go and where they don't: the corpus of hostile paths.

use std::{
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use callgate_registry::Mode;
use callgate_tools::Grants;
use serde_json::json;

use crate::support::{Bench, text};

#[tokio::test]
async fn f01_what_lies_outside_is_denied_and_the_rule_that_would_allow_it_is_named() {
    let bench = Bench::new();
    let secret = bench.outside("secret");
    std::fs::write(&secret, "key").unwrap();
    let (code, told) = bench.refusal("read_file", json!({"path": "../secret"})).await;
    assert_eq!(code, "denied");
    assert!(told.contains(&format!("--allow 'read_file({})'", secret.display())), "{told}");
    let (code, _) = bench.refusal("read_file", json!({"path": secret})).await;
    assert_eq!(code, "denied");
    symlink(&secret, bench.path("link")).unwrap();
    symlink("..", bench.path("up")).unwrap();
    for path in ["link", "up/secret", "up/app/../secret"] {
        let (code, told) = bench.refusal("read_file", json!({"path": path})).await;
        assert_eq!(code, "denied", "{path}: {told}");
        let edit = json!({"path": path, "old_text": "key", "new_text": "x"});
        assert_eq!(bench.refusal("edit_file", edit).await.0, "denied");
        let write = json!({"path": path, "content": "x"});
        assert_eq!(bench.refusal("write_file", write).await.0, "denied");
    }
    for tool in ["glob", "grep"] {
        let (code, _) = bench.refusal(tool, json!({"pattern": "x", "path": "up"})).await;
        assert_eq!(code, "denied");
    }
    assert_eq!(std::fs::read(&secret).unwrap(), b"key");
}

#[tokio::test]
async fn a_granted_path_is_open_to_the_tool_and_the_use_that_it_is_granted_for() {
    let bench = Bench::granting(Grants::by(|tool, path, mode| {
        tool == "read_file" && path.ends_with("ws/notes") && mode == Mode::Read
    }));
    std::fs::write(bench.outside("notes"), "text\n").unwrap();
    std::fs::write(bench.outside("other"), "text\n").unwrap();
    assert_eq!(bench.text("read_file", json!({"path": "../notes"})).await, "text\n");
    assert_eq!(bench.refusal("read_file", json!({"path": "../other"})).await.0, "denied");
    let write = json!({"path": "../notes", "content": ""});
    assert_eq!(bench.refusal("write_file", write).await.0, "denied");
}

#[tokio::test]
async fn paths_inside_are_fine_in_every_form() {
    let bench = Bench::new();
    bench.write("sub/a", "text");
    symlink("sub", bench.path("dir")).unwrap();
    symlink(bench.path("sub/a"), bench.path("absolute")).unwrap();
    let absolute = bench.path("sub/a");
    for path in
        ["sub/a", "./sub//a", "sub/../sub/a", "dir/a", "absolute", absolute.to_str().unwrap()]
    {
        assert_eq!(bench.text("read_file", json!({"path": path})).await, "text", "{path}");
    }
}

#[tokio::test]
async fn f04_f05_the_kernels_trees_are_denied_before_any_rule() {
    let everything = Grants::by(|_, _, _| true);
    for bench in [Bench::new(), Bench::granting(everything)] {
        symlink("/proc/self/environ", bench.path("env")).unwrap();
        symlink("/proc", bench.path("proc")).unwrap();
        for path in [
            "/proc/self/environ",
            "/proc/thread-self/../self/fd/3",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd/env",
            "/proc/../proc/version",
            "/../../proc/version",
            "/dev/fd/3",
            "/sys/kernel/uevent_seqnum",
            "env",
            "proc/version",
        ] {
            let (code, told) = bench.refusal("read_file", json!({"path": path})).await;
            let is_device_link = path.starts_with("/dev") && code == "execution_error";
            assert!(code == "denied" || is_device_link, "{path}: {code}: {told}");
        }
        assert_eq!(
            bench.refusal("glob", json!({"pattern": "*", "path": "/proc"})).await.0,
            "denied"
        );
        assert_eq!(
            bench.refusal("grep", json!({"pattern": "x", "path": "/proc/self/environ"})).await.0,
            "denied"
        );
    }
}

#[tokio::test]
async fn f07_a_device_that_is_allowed_is_still_no_file() {
    let granted = Bench::granting(Grants::by(|_, path, _| path == Path::new("/dev/zero")));
    let (code, told) = granted.refusal("read_file", json!({"path": "/dev/zero"})).await;
    assert_eq!(code, "execution_error");
    assert!(told.contains("not a regular file"), "{told}");
    assert_eq!(granted.refusal("read_file", json!({"path": "/dev/null"})).await.0, "denied");
    let (code, told) = Bench::new().refusal("read_file", json!({"path": "/dev/zero"})).await;
    assert_eq!(code, "denied");
    assert!(told.contains("head -c") && !told.contains("--allow"), "no rule would help: {told}");
}

#[tokio::test]
async fn pipes_sockets_and_directories_are_refused_with_a_word_on_what_to_use() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("dir")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    let fifo = bench.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for (path, word) in [("dir", "glob"), ("socket", "socket"), ("fifo", "a pipe")] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old_text": "a", "new_text": "b"})),
        ] {
            let (code, told) = bench.refusal(tool, arguments).await;
            assert_eq!(code, "execution_error");
            assert!(told.contains(word), "{tool} {path}: {told}");
        }
    }
    assert!(bench.text("grep", json!({"pattern": "x"})).await.contains("no match"));
}

#[tokio::test]
async fn f09_a_name_that_is_no_utf8_is_listed_escaped_and_read_back() {
    let bench = Bench::new();
    let name = std::ffi::OsStr::from_bytes(b"f\xffo");
    std::fs::write(bench.root().join(name), "found\n").unwrap();
    std::fs::write(bench.path("two\nlines"), "x\n").unwrap();
    assert_eq!(bench.text("glob", json!({"pattern": "*"})).await, "f\\xffo\ntwo\\x0alines");
    assert_eq!(bench.text("read_file", json!({"path": "f\\xffo"})).await, "found\n");
    assert_eq!(bench.text("read_file", json!({"path": "two\\x0alines"})).await, "x\n");
    assert_eq!(bench.text("grep", json!({"pattern": "found"})).await, "f\\xffo:1:found");
    let edit = json!({"path": "f\\xffo", "old_text": "found", "new_text": "changed"});
    bench.text("edit_file", edit).await;
    assert_eq!(std::fs::read(bench.root().join(name)).unwrap(), b"changed\n");
    // A file that really has this name comes first.
    bench.write("f\\xffo", "literal");
    assert_eq!(bench.text("read_file", json!({"path": "f\\xffo"})).await, "literal");
}

#[tokio::test]
async fn f11_a_directory_whose_name_starts_alike_is_outside() {
    let bench = Bench::new();
    let evil = bench.outside("app-evil");
    std::fs::create_dir(&evil).unwrap();
    std::fs::write(evil.join("x"), "x").unwrap();
    for path in [evil.join("x"), "../app-evil/x".into()] {
        assert_eq!(bench.refusal("read_file", json!({"path": path})).await.0, "denied");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f12_a_link_put_in_the_way_between_check_and_open_never_leads_out() {
    const ROUNDS: usize = 10_000;
    let bench = Bench::new();
    let outside = bench.outside("victim");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("f"), "OUTSIDE").unwrap();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.write("d/f", "inside");
    symlink(&outside, bench.path("l")).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let (d, l, seen) = (bench.path("d"), bench.path("l"), Arc::clone(&done));
    let swapper = std::thread::spawn(move || {
        let (cwd, exchange) = (rustix::fs::CWD, rustix::fs::RenameFlags::EXCHANGE);
        let mut swaps = 0_u64;
        while !seen.load(Ordering::Relaxed) {
            rustix::fs::renameat_with(cwd, &d, cwd, &l, exchange).unwrap();
            swaps += 1;
        }
        swaps
    });
    let (mut read, mut denied) = (0, 0);
    for round in 0..ROUNDS {
        let outcome = if round % 4 == 3 {
            bench.call("write_file", json!({"path": "d/f", "content": "inside"})).await.map(|_| ())
        } else {
            bench.call("read_file", json!({"path": "d/f"})).await.map(|output| {
                assert_eq!(text(&output), "inside");
            })
        };
        match outcome {
            Ok(()) => read += 1,
            Err(callgate_registry::ToolError::Denied(_)) => denied += 1,
            Err(other) => panic!("{other}"),
        }
    }
    done.store(true, Ordering::Relaxed);
    let swaps = swapper.join().unwrap();
    assert_eq!(std::fs::read(outside.join("f")).unwrap(), b"OUTSIDE");
    let beside: Vec<_> = std::fs::read_dir(&outside).unwrap().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
    assert_eq!(read + denied, ROUNDS);
    // The race was one: both ends were met.
    assert!(read > 0 && denied > 0 && swaps > 100, "{read} read, {denied} denied, {swaps} swaps");
}

#[tokio::test]
async fn f19_protected_names_may_be_read_but_not_written_in_any_case() {
    let bench = Bench::new();
    bench.write(".git/config", "[core]\n");
    bench.write(".GIT/config", "[core]\n");
    assert_eq!(bench.text("read_file", json!({"path": ".GIT/config"})).await, "[core]\n");
    symlink(".git", bench.path("g")).unwrap();
    for path in [
        ".GIT/config",
        ".git/config",
        "g/config",
        "x/.Git/hooks/pre-commit",
        ".callgate/config.toml",
    ] {
        let (code, told) = bench.refusal("write_file", json!({"path": path, "content": "x"})).await;
        assert_eq!(code, "denied", "{path}");
        assert!(told.contains("protected"), "{told}");
        let edit = json!({"path": path, "old_text": "core", "new_text": "x"});
        assert_eq!(bench.refusal("edit_file", edit).await.0, "denied", "{path}");
    }
    assert_eq!(bench.read(".git/config"), b"[core]\n");
    assert!(!bench.path("x").exists(), "not even directories are made");
}

#[tokio::test]
async fn f20_a_tilde_is_a_plain_character() {
    let bench = Bench::new();
    bench.text("write_file", json!({"path": "~/x", "content": "y"})).await;
    assert_eq!(bench.read("~/x"), b"y");
    assert_eq!(bench.text("read_file", json!({"path": "~/x"})).await, "y");
}

#[tokio::test]
async fn a_name_that_is_nearly_right_is_offered() {
    let bench = Bench::new();
    bench.write("src/handler.rs", "");
    let (code, told) = bench.refusal("read_file", json!({"path": "src/handlers.rs"})).await;
    assert_eq!(
        (code, told.as_str()),
        ("execution_error", "src/handlers.rs does not exist; did you mean src/handler.rs?")
    );
}

#[tokio::test]
async fn odd_paths_are_answered_in_words() {
    let bench = Bench::new();
    bench.write("file", "x");
    symlink("loop", bench.path("loop")).unwrap();
    for (path, code, word) in [
        ("", "invalid_arguments", "path is empty"),
        (".", "execution_error", "is a directory"),
        ("a\0b", "invalid_arguments", "NUL"),
        ("file/x", "execution_error", "not a directory"),
        ("loop", "execution_error", "loop of symbolic links"),
        (&"x".repeat(300), "execution_error", "too long"),
        (&"x/".repeat(5_000), "execution_error", ""),
    ] {
        let (got, told) = bench.refusal("read_file", json!({"path": path})).await;
        assert_eq!(got, code, "{told}");
        assert!(told.contains(word), "{told}");
    }
}

#[tokio::test]
async fn what_a_rule_denies_is_left_out_of_searches_and_counted() {
    let bench = Bench::with(|workspace| {
        workspace.denying(|tool, path| {
            tool != "write_file" && path.file_name().is_some_and(|name| name == "secret.txt")
        })
    });
    bench.write("secret.txt", "s\n");
    bench.write("sub/secret.txt", "s\n");
    bench.write("open.txt", "s\n");
    symlink("secret.txt", bench.path("alias.txt")).unwrap();
    assert_eq!(
        bench.text("grep", json!({"pattern": "s"})).await,
        "open.txt:1:s\n[2 files are denied by a rule and were left out]"
    );
    assert_eq!(
        bench.text("glob", json!({"pattern": "*.txt"})).await,
        "open.txt\n[2 files are denied by a rule and were left out]"
    );
    let sub = bench.text("glob", json!({"pattern": "*", "path": "sub"})).await;
    assert!(sub.ends_with("1 file is denied by a rule and was left out]"), "{sub}");
    for path in ["secret.txt", "alias.txt", "./sub/../secret.txt"] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("edit_file", json!({"path": path, "old_text": "s", "new_text": "t"})),
            ("grep", json!({"path": path, "pattern": "s"})),
        ] {
            let (code, told) = bench.refusal(tool, arguments).await;
            assert_eq!(code, "denied", "{tool} {path}");
            assert!(told.contains("by a rule"), "{told}");
        }
    }
    bench.text("write_file", json!({"path": "secret.txt", "content": "new"})).await;
}

#[tokio::test]
async fn no_answer_repeats_a_long_argument() {
    let bench = Bench::new();
    bench.write("file", "x");
    let long = "x".repeat(1_000_000);
    let deep = "x/".repeat(3_000);
    let outside = format!("/{long}");
    let bad = format!("({long}");
    let glob = format!("[{long}");
    for (tool, arguments) in [
        ("read_file", json!({"path": long})),
        ("read_file", json!({"path": deep})),
        ("read_file", json!({"path": outside})),
        ("write_file", json!({"path": long, "content": ""})),
        ("write_file", json!({"path": outside, "content": ""})),
        ("edit_file", json!({"path": long, "old_text": "a", "new_text": "b"})),
        ("bash", json!({"command": "true", "workdir": long})),
        ("bash", json!({"command": "true", "workdir": outside})),
        ("glob", json!({"pattern": glob})),
        ("glob", json!({"pattern": "*", "path": long})),
        ("grep", json!({"pattern": bad})),
        ("grep", json!({"pattern": "x", "glob": glob})),
        ("grep", json!({"pattern": "x", "path": deep})),
        ("read_output", json!({"id": long})),
    ] {
        let (_, told) = bench.refusal(tool, arguments).await;
        assert!(told.len() < 1_000, "{tool}: {} bytes: {}", told.len(), &told[..300]);
    }
    for (tool, arguments) in [
        ("glob", json!({"pattern": "x".repeat(10_000)})),
        ("grep", json!({"pattern": "x".repeat(10_000)})),
    ] {
        let told = bench.text(tool, arguments).await;
        assert!(told.len() < 1_000, "{tool}: {} bytes", told.len());
    }
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_told_from_a_name_that_is_nearly_right() {
    let bench = Bench::new();
    symlink("dangling", bench.path("dang")).unwrap();
    let (_, told) = bench.refusal("read_file", json!({"path": "dang"})).await;
    assert_eq!(told, "dang is a link to dangling, which does not exist.");
    let told = bench.text("write_file", json!({"path": "dang", "content": "x"})).await;
    assert_eq!(told, "Created dangling (1 byte), which the link dang leads to.");
    let (code, told) = bench.refusal("glob", json!({"pattern": ""})).await;
    assert_eq!(code, "invalid_arguments");
    assert!(told.contains("The pattern is empty"), "{told}");
}

#[tokio::test]
async fn what_could_not_be_searched_is_named_with_the_reason() {
    let bench = Bench::new();
    bench.write("a.txt", "found\n");
    bench.write("long.txt", "y".repeat(65 * 1024 * 1024));
    let told = bench.text("grep", json!({"pattern": "found"})).await;
    let reason = "it has a line of more than 64 MiB; search it with grep in bash";
    assert_eq!(told, format!("a.txt:1:found\n[1 file could not be searched: long.txt ({reason})]"));
}
