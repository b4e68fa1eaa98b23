//! `glob` and `grep`.

use std::{
    os::unix::fs::symlink,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::{Bench, Context};

fn tree() -> Bench {
    let bench = Bench::new();
    for (name, content) in [
        ("Cargo.toml", "name = \"x\"\n"),
        ("src/main.rs", "fn main() {\n    helper();\n}\n"),
        ("src/lib.rs", "pub fn helper() {}\n"),
        ("src/deep/er.rs", "// HELPER\n"),
        (".github/ci.yml", "helper: yes\n"),
        (".hidden", "helper\n"),
        ("target/out.rs", "helper\n"),
        ("debug.log", "helper\n"),
        ("src/.gitignore", "secret.rs\n"),
        ("src/secret.rs", "helper\n"),
        (".gitignore", "/target\n*.log\n"),
        (".git/objects/x.rs", "helper\n"),
    ] {
        bench.write(name, content);
    }
    bench
}

#[tokio::test]
async fn glob_lists_what_matches_in_order_without_hidden_and_ignored_files() {
    let bench = tree();
    let glob = async |pattern: &str| bench.text("glob", json!({"pattern": pattern})).await;
    assert_eq!(glob("**/*.rs").await, "src/deep/er.rs\nsrc/lib.rs\nsrc/main.rs");
    assert_eq!(glob("src/*.rs").await, "src/lib.rs\nsrc/main.rs");
    assert_eq!(glob("*").await, "Cargo.toml");
    assert_eq!(glob("./src/{lib,main}.rs").await, "src/lib.rs\nsrc/main.rs");
    assert_eq!(glob(".github/**").await, ".github/ci.yml");
    assert_eq!(glob("**/.hid*").await, ".hidden");
    assert!(glob("*.rs").await.contains("`**/*.rs` looks in all directories below"));
    let absolute = bench.path("src/*.rs");
    assert_eq!(glob(absolute.to_str().unwrap()).await, "src/lib.rs\nsrc/main.rs");
}

#[tokio::test]
async fn rules_of_directories_above_path_hold_unless_path_itself_is_ignored() {
    let bench = tree();
    let glob = async |path: &str| bench.text("glob", json!({"pattern": "**", "path": path})).await;
    assert_eq!(glob("src").await, "src/deep/er.rs\nsrc/lib.rs\nsrc/main.rs");
    assert_eq!(glob("target").await, "target/out.rs");
    assert_eq!(glob(".github").await, ".github/ci.yml");
    let (code, _) = bench.refusal("glob", json!({"pattern": "**", "path": ".git"})).await;
    assert_eq!(code, "execution_error");
}

#[tokio::test]
async fn f13_a_loop_of_links_ends_and_each_file_is_listed_once() {
    let bench = Bench::new();
    bench.write("sub/file", "needle\n");
    symlink(".", bench.path("a")).unwrap();
    symlink("..", bench.path("sub/up")).unwrap();
    symlink("self", bench.path("self")).unwrap();
    symlink("/etc/passwd", bench.path("outside")).unwrap();
    assert_eq!(bench.text("glob", json!({"pattern": "**/*"})).await, "sub/file");
    assert_eq!(bench.text("grep", json!({"pattern": "needle|root"})).await, "sub/file:1:needle");
    // A link to a file is a name by which people look for it.
    symlink("sub/file", bench.path("alias")).unwrap();
    assert_eq!(bench.text("glob", json!({"pattern": "alias"})).await, "alias");
}

#[tokio::test]
async fn patterns_that_are_none_or_that_leave_are_refused() {
    let bench = Bench::new();
    bench.write("file", "");
    for (tool, arguments, word) in [
        ("glob", json!({"pattern": "a[" }), "/pattern"),
        ("glob", json!({"pattern": "../*"}), "/pattern"),
        ("glob", json!({"pattern": "/etc/*"}), "/pattern"),
        ("grep", json!({"pattern": "(a"}), "/pattern"),
        ("grep", json!({"pattern": "(?=a)"}), "/pattern"),
        ("grep", json!({"pattern": "a", "glob": "{"}), "/glob"),
    ] {
        let (code, told) = bench.refusal(tool, arguments).await;
        assert_eq!(code, "invalid_arguments", "{told}");
        assert!(told.starts_with(word), "{told}");
    }
    assert!(
        bench
            .refusal("glob", json!({"pattern": "*", "path": "file"}))
            .await
            .1
            .contains("is a file")
    );
    assert!(
        bench
            .refusal("grep", json!({"pattern": "x", "path": "none"}))
            .await
            .1
            .contains("does not exist")
    );
}

#[tokio::test]
async fn long_lists_are_bounded_and_say_how_much_is_left_out() {
    let bench = Bench::new();
    for n in 0..1_200 {
        bench.write(&format!("f{n:04}"), "needle\n");
    }
    let told = bench.text("glob", json!({"pattern": "*"})).await;
    assert_eq!(told.lines().count(), 1_001);
    assert!(told.ends_with("f0999\n[200 more paths not listed; narrow the pattern]"));
    bench.write("many", "a line with a needle in it\n".repeat(10_000));
    let told = bench.text("grep", json!({"pattern": "needle"})).await;
    assert!(told.len() < 52 * 1024, "{}", told.len());
    assert!(told.contains(" of 11,200 in 1,201 files; narrow"), "{}", &told[told.len() - 300..]);
    let shown = u64::try_from(told.lines().count()).unwrap() - 1;
    let left_out = format!("[{} more matches not shown", callgate_count(11_200 - shown));
    assert!(told.contains(&left_out), "{left_out}: {}", &told[told.len() - 300..]);
}

fn callgate_count(number: u64) -> String {
    format!("{},{:03}", number / 1_000, number % 1_000)
}

#[tokio::test]
async fn grep_lists_lines_with_their_places() {
    let bench = tree();
    let grep = async |arguments: serde_json::Value| bench.text("grep", arguments).await;
    assert_eq!(
        grep(json!({"pattern": "helper"})).await,
        "src/lib.rs:1:pub fn helper() {}\nsrc/main.rs:2:    helper();"
    );
    assert_eq!(
        grep(json!({"pattern": "helper", "ignore_case": true, "files_only": true})).await,
        "src/deep/er.rs\nsrc/lib.rs\nsrc/main.rs"
    );
    assert_eq!(
        grep(json!({"pattern": "helper", "path": "src/main.rs", "context": 1})).await,
        "src/main.rs-1-fn main() {\nsrc/main.rs:2:    helper();\nsrc/main.rs-3-}"
    );
    assert_eq!(
        grep(json!({"pattern": "helper", "glob": "lib.*"})).await,
        "src/lib.rs:1:pub fn helper() {}"
    );
    assert_eq!(
        grep(json!({"pattern": "helper", "glob": "!main.rs"})).await,
        "src/lib.rs:1:pub fn helper() {}"
    );
    assert_eq!(
        grep(json!({"pattern": "helper", "path": "target"})).await,
        "target/out.rs:1:helper"
    );
    assert_eq!(grep(json!({"pattern": "helper", "path": "debug.log"})).await, "debug.log:1:helper");
    let none = grep(json!({"pattern": "nowhere"})).await;
    assert!(none.starts_with("[no match for nowhere in 4 files; hidden and ignored"), "{none}");
}

#[tokio::test]
async fn binary_files_are_skipped_and_said() {
    let bench = Bench::new();
    bench.write("bin", b"needle\n\0\n");
    bench.write("text", "needle\r\n");
    assert_eq!(
        bench.text("grep", json!({"pattern": "needle$"})).await,
        "text:1:needle\n[1 binary file skipped]"
    );
}

#[tokio::test]
async fn of_a_long_line_the_place_around_the_match_is_shown() {
    let bench = Bench::new();
    bench.write("min.js", format!("{}needle{}\n", "a".repeat(100_000), "é".repeat(100_000)));
    let told = bench.text("grep", json!({"pattern": "needle"})).await;
    assert!(told.starts_with("min.js:1:[...] aaa") && told.ends_with("éé [...]"), "{told}");
    assert!(told.contains("aneedleé") && told.len() < 600, "{told}");
}

#[tokio::test]
async fn f14_a_pattern_that_explodes_elsewhere_is_linear_here() {
    let bench = Bench::new();
    bench.write("a", format!("{}b\n", "a".repeat(50_000)));
    let begun = Instant::now();
    let told = bench.text("grep", json!({"pattern": "(a+)+$"})).await;
    assert!(told.starts_with("[no match"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_search_stops_when_asked() {
    let bench = Bench::new();
    for n in 0..500 {
        bench.write(&format!("f{n}"), "x\n");
    }
    let context = Context::default();
    context.stop.cancel();
    let output = bench.call_with("grep", json!({"pattern": "x"}), context).await.unwrap();
    // Either it was done before it could be told, or it says that it was not.
    let told = crate::support::text(&output);
    assert!(told.contains("stopped before all was seen") || told.lines().count() == 500, "{told}");
}
