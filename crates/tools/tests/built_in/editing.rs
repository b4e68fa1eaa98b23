//! `write_file` and `edit_file`.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use serde_json::json;

use crate::support::Bench;

#[tokio::test]
async fn a_file_is_created_with_its_directories_and_then_overwritten() {
    let bench = Bench::new();
    let new = bench.text("write_file", json!({"path": "a/b/c.txt", "content": "one\n"})).await;
    assert_eq!(new, "Created a/b/c.txt (4 bytes).");
    let again = bench.text("write_file", json!({"path": "a/b/c.txt", "content": ""})).await;
    assert_eq!(again, "Overwrote a/b/c.txt (0 bytes).");
    assert_eq!(bench.read("a/b/c.txt"), b"");
    let names: Vec<_> = std::fs::read_dir(bench.path("a/b")).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left beside it: {names:?}");
}

#[tokio::test]
async fn a_write_keeps_the_mode_and_follows_a_link_inside() {
    let bench = Bench::new();
    bench.write("run.sh", "old");
    let mode = std::fs::Permissions::from_mode(0o751);
    std::fs::set_permissions(bench.path("run.sh"), mode).unwrap();
    symlink("run.sh", bench.path("link")).unwrap();
    bench.text("write_file", json!({"path": "link", "content": "new"})).await;
    assert!(bench.path("link").is_symlink());
    assert_eq!(bench.read("run.sh"), b"new");
    assert_eq!(bench.path("run.sh").metadata().unwrap().mode() & 0o7777, 0o751);
    bench.text("edit_file", json!({"path": "link", "old_text": "new", "new_text": "edited"})).await;
    assert_eq!(bench.read("run.sh"), b"edited");
    assert_eq!(bench.path("run.sh").metadata().unwrap().mode() & 0o7777, 0o751);
}

#[tokio::test]
async fn a_file_without_a_write_bit_is_left_alone() {
    let bench = Bench::new();
    bench.write("a", "old");
    std::fs::set_permissions(bench.path("a"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let (code, told) = bench.refusal("write_file", json!({"path": "a", "content": "new"})).await;
    assert_eq!(code, "execution_error");
    assert!(told.contains("write-protected"), "{told}");
    assert_eq!(bench.read("a"), b"old");
}

#[tokio::test]
async fn an_edit_answers_with_the_difference() {
    let bench = Bench::new();
    bench.write("a", "one\ntwo\nthree\n");
    let told =
        bench.text("edit_file", json!({"path": "a", "old_text": "two", "new_text": "2"})).await;
    assert_eq!(told, "Edited a.\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three");
    let edits = json!([
        {"old_text": "one", "new_text": "1"},
        {"old_text": "three\n", "new_text": "", "replace_all": true},
    ]);
    let told = bench.text("edit_file", json!({"path": "a", "edits": edits})).await;
    assert!(told.starts_with("Edited a (2 edits).\n"), "{told}");
    assert_eq!(bench.read("a"), b"1\n2\n");
}

#[tokio::test]
async fn line_ends_and_the_byte_order_mark_stay() {
    let bench = Bench::new();
    bench.write("a", "\u{feff}one\r\ntwo\r\n");
    let edit = json!({"path": "a", "old_text": "one\ntwo\n", "new_text": "1\n2\n3\n"});
    bench.text("edit_file", edit).await;
    assert_eq!(bench.read("a"), "\u{feff}1\r\n2\r\n3\r\n".as_bytes());
}

#[tokio::test]
async fn f15_f16_edits_that_could_mean_anything_are_refused() {
    let bench = Bench::new();
    bench.write("a", "x\nx\nx\n");
    for (arguments, code, word) in [
        (
            json!({"old_text": "", "new_text": "x"}),
            "invalid_arguments",
            "/old_text: old_text is empty",
        ),
        (json!({"old_text": "x", "new_text": "x"}), "invalid_arguments", "/new_text: "),
        (
            json!({"old_text": "x", "new_text": "y"}),
            "execution_error",
            "3 places, starting in lines 1, 2, 3",
        ),
        (json!({"old_text": "q", "new_text": "y"}), "execution_error", "old_text is not in a."),
        (json!({}), "invalid_arguments", "Say what to change"),
        (json!({"old_text": "x"}), "invalid_arguments", "new_text is missing"),
        (json!({"new_text": "x"}), "invalid_arguments", "old_text is missing"),
        (json!({"edits": []}), "invalid_arguments", "empty"),
        (json!({"old_text": "x", "new_text": "y", "edits": []}), "invalid_arguments", "not both"),
        (
            json!({"edits": [{"old_text": "x\nx\nx", "new_text": "y"}, {"old_text": "", "new_text": ""}]}),
            "invalid_arguments",
            "/edits/1/old_text",
        ),
        (
            json!({"edits": [{"old_text": "x\nx\nx", "new_text": "y"}, {"old_text": "q", "new_text": ""}]}),
            "execution_error",
            "Edit 2 of 2",
        ),
    ] {
        let mut arguments = arguments;
        arguments["path"] = json!("a");
        let (got, told) = bench.refusal("edit_file", arguments).await;
        assert_eq!(got, code, "{told}");
        assert!(told.contains(word), "{told}");
        assert_eq!(bench.read("a"), b"x\nx\nx\n");
    }
}

#[tokio::test]
async fn what_is_no_text_is_not_edited() {
    let bench = Bench::new();
    bench.write("a", b"x\0y");
    let edit = json!({"path": "a", "old_text": "x", "new_text": "z"});
    let (code, told) = bench.refusal("edit_file", edit).await;
    assert_eq!(code, "execution_error");
    assert!(told.contains("binary"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f18_two_edits_of_one_file_are_both_there_a_thousand_times() {
    let bench = Bench::new();
    let lines: String = (1..=100).map(|n| format!("line {n};\n")).collect();
    let expected = lines.replace("line 1;", "first").replace("line 100;", "last");
    symlink("a", bench.path("alias")).unwrap();
    for _ in 0..1_000 {
        bench.write("a", &lines);
        let first = json!({"path": "a", "old_text": "line 1;", "new_text": "first"});
        let last = json!({"path": "alias", "old_text": "line 100;", "new_text": "last"});
        let both = tokio::join!(bench.call("edit_file", first), bench.call("edit_file", last));
        both.0.unwrap();
        both.1.unwrap();
        assert_eq!(String::from_utf8(bench.read("a")).unwrap(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_beside_another_program_loses_nothing_of_what_that_wrote() {
    // The other program replaces the file by a rename, as formatters do.
    let bench = Bench::new();
    for round in 0..200 {
        bench.write("f", "a = 1\nb = 1\n");
        bench.write("new", format!("a = 1\nb = {round}\n"));
        let (from, to) = (bench.path("new"), bench.path("f"));
        let other = std::thread::spawn(move || std::fs::rename(from, to).unwrap());
        let edit = json!({"path": "f", "old_text": "a = 1", "new_text": "a = 2"});
        let edited = bench.call("edit_file", edit).await;
        other.join().unwrap();
        edited.unwrap();
        let now = String::from_utf8(bench.read("f")).unwrap();
        // Whoever came last, the other program's line is never taken back.
        assert!(now.contains(&format!("b = {round}\n")), "{now}");
    }
}

#[tokio::test]
async fn a_new_content_does_not_keep_the_right_to_run_as_somebody_else() {
    let bench = Bench::new();
    for (name, other) in [("alone", None), ("linked", Some("other"))] {
        bench.write(name, "old");
        if let Some(other) = other {
            std::fs::hard_link(bench.path(name), bench.path(other)).unwrap();
        }
        for call in ["write_file", "edit_file"] {
            let mode = std::fs::Permissions::from_mode(0o6755);
            std::fs::set_permissions(bench.path(name), mode).unwrap();
            let arguments = if call == "write_file" {
                json!({"path": name, "content": "new"})
            } else {
                json!({"path": name, "old_text": "new", "new_text": "newer"})
            };
            bench.text(call, arguments).await;
            let mode = bench.path(name).metadata().unwrap().mode();
            assert_eq!(mode & 0o7777, 0o755, "{name} by {call}");
        }
    }
}

#[tokio::test]
async fn a_file_with_two_names_stays_one_file() {
    let bench = Bench::new();
    bench.write("one", "a long line\n");
    std::fs::hard_link(bench.path("one"), bench.path("two")).unwrap();
    let inode = bench.path("one").metadata().unwrap().ino();
    let remark =
        "It has 2 names (hard links) and was written in place: all of them have the new content.";
    let edit = json!({"path": "two", "old_text": "a long line", "new_text": "b"});
    let told = bench.text("edit_file", edit).await;
    assert!(told.starts_with(&format!("Edited two. {remark}\n")), "{told}");
    assert_eq!(bench.read("one"), b"b\n");
    let told = bench.text("write_file", json!({"path": "one", "content": "longer again\n"})).await;
    assert_eq!(told, format!("Overwrote one (13 bytes). {remark}"));
    assert_eq!(bench.read("two"), b"longer again\n");
    assert_eq!(bench.path("two").metadata().unwrap().ino(), inode);
    assert_eq!(bench.path("one").metadata().unwrap().ino(), inode);
}

#[tokio::test]
async fn two_names_of_one_file_conflict() {
    let bench = Bench::new();
    bench.write("one", "a");
    bench.write("apart", "a");
    std::fs::hard_link(bench.path("one"), bench.path("two")).unwrap();
    let effects = |tool: &str, path| bench.tools.get(tool).unwrap().effects(&json!({"path": path}));
    for writer in ["edit_file", "write_file"] {
        for other in ["read_file", "edit_file", "write_file"] {
            assert!(effects(writer, "one").conflicts_with(&effects(other, "two")));
            assert!(!effects(writer, "one").conflicts_with(&effects(other, "apart")));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_edit_is_lost_between_two_names_of_one_file() {
    let bench = Bench::new();
    let lines: Vec<String> = (0..20).map(|line| format!("line {line}.\n")).collect();
    bench.write("one", lines.concat());
    std::fs::hard_link(bench.path("one"), bench.path("two")).unwrap();
    let bench = std::sync::Arc::new(bench);
    let edits: Vec<_> = (0..20)
        .map(|line| {
            let bench = std::sync::Arc::clone(&bench);
            tokio::spawn(async move {
                let path = if line % 2 == 0 { "one" } else { "two" };
                let (old, new) = (format!("line {line}."), format!("done {line}."));
                bench
                    .text("edit_file", json!({"path": path, "old_text": old, "new_text": new}))
                    .await
            })
        })
        .collect();
    for edit in edits {
        edit.await.unwrap();
    }
    assert_eq!(bench.read("two"), lines.concat().replace("line", "done").into_bytes());
}
