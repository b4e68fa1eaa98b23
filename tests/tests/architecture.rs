//! The shape of the workspace: who may know whom, what may come in from outside, how large a file is.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use callgate_tests::cargo;
use serde_json::Value;

type Names = BTreeSet<String>;

fn metadata() -> Value {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--no-deps"])
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn packages() -> Vec<Value> {
    metadata()["packages"].as_array().expect("a list").clone()
}

fn name(package: &Value) -> String {
    package["name"].as_str().expect("a name").to_owned()
}

/// The normal dependencies that a package names itself.
fn dependencies(package: &Value) -> Names {
    let all = package["dependencies"].as_array().expect("a list").iter();
    all.filter(|dependency| dependency["kind"].is_null()).map(name).collect()
}

/// All crates that a package is built from in the end, itself included.
fn tree(package: &str) -> Names {
    let output = cargo()
        .args(["tree", "--edges=normal", "--prefix=none", "--no-dedupe", "--format={p}"])
        .args(["--package", package])
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // `name v1.2.3 (path)`: two versions of one crate are two.
    text.lines()
        .map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect()
}

fn has(tree: &Names, name: &str) -> bool {
    tree.iter().any(|line| line.split(' ').next() == Some(name))
}

/// Every file of ours with that ending, with its text.
fn sources(ending: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut files = Vec::new();
    let mut directories: Vec<PathBuf> =
        ["apps", "crates", "tests", "fuzz"].iter().map(|directory| root.join(directory)).collect();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                let skipped = path.file_name().is_some_and(|name| name == "target");
                directories.extend((!skipped).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let text = fs::read_to_string(&path).expect("source is UTF-8");
                files.push((path.strip_prefix(root).expect("below it").to_owned(), text));
            }
        }
    }
    assert!(files.len() > 3, "the sources are found");
    files
}

#[test]
fn our_crates_know_only_whom_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = [
        ("callgate-registry", &[][..]),
        ("callgate-exec", &[]),
        ("callgate-llm", &[]),
        ("callgate-dispatch", &["callgate-registry"]),
        ("callgate-tools", &["callgate-exec", "callgate-registry"]),
        (
            "callgate-agent",
            &[
                "callgate-dispatch",
                "callgate-exec",
                "callgate-llm",
                "callgate-registry",
                "callgate-tools",
            ],
        ),
        (
            "callgate",
            &[
                "callgate-agent",
                "callgate-dispatch",
                "callgate-exec",
                "callgate-llm",
                "callgate-registry",
            ],
        ),
        ("callgate-tests", &[]),
    ]
    .into();
    let ours: BTreeMap<String, Names> = packages()
        .iter()
        .map(|package| {
            let own = dependencies(package).into_iter().filter(|name| name.starts_with("callgate"));
            (name(package), own.collect())
        })
        .collect();
    let allowed: BTreeMap<String, Names> = allowed
        .into_iter()
        .map(|(name, known)| (name.to_owned(), known.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(ours, allowed);
}

#[test]
fn only_the_app_sees_the_screen_the_command_line_and_the_configuration() {
    for package in packages() {
        let own = dependencies(&package);
        for library in ["ratatui", "crossterm", "clap", "figment"] {
            let is_app = name(&package) == "callgate";
            assert_eq!(own.contains(library), is_app, "{} and {library}", name(&package));
        }
    }
    for library in ["registry", "exec", "llm", "dispatch", "tools", "agent"] {
        let tree = tree(&format!("callgate-{library}"));
        for banned in ["ratatui", "crossterm", "clap", "figment"] {
            assert!(!has(&tree, banned), "{library} brings {banned}");
        }
    }
}

#[test]
fn the_ledger_needs_no_async_runtime_and_dispatch_no_processes() {
    assert!(!has(&tree("callgate-registry"), "tokio"));
    let dispatch = packages().into_iter().find(|p| name(p) == "callgate-dispatch").expect("it");
    for foreign in ["rustix", "libc", "tempfile"] {
        assert!(!dependencies(&dispatch).contains(foreign), "dispatch names {foreign}");
    }
}

#[test]
fn no_second_tls_and_no_c_beyond_ring_comes_in() {
    let app = tree("callgate");
    assert!(has(&app, "ring"), "the tree is read right");
    for banned in
        ["aws-lc-rs", "aws-lc-sys", "openssl-sys", "native-tls", "onig", "onig_sys", "cmake"]
    {
        assert!(!has(&app, banned), "{banned} came in");
    }
}

/// Counted on Linux with `cargo tree --edges normal`. A growth past a budget needs a reason, and a
/// change here: each of these crates must be pleasant to use alone.
#[test]
fn no_crate_outgrows_its_budget_of_dependencies() {
    let budgets = [
        ("callgate-registry", 80),
        ("callgate-exec", 60),
        ("callgate-llm", 115),
        ("callgate-dispatch", 90),
        ("callgate-tools", 130),
        ("callgate-agent", 210),
        ("callgate", 330),
    ];
    for (package, budget) in budgets {
        let count = tree(package).len();
        assert!(count <= budget, "{package} is built from {count} crates, its budget is {budget}");
    }
}

#[test]
fn unsafe_code_is_in_one_module_of_exec() {
    // Split, so that this file does not find itself.
    let word = concat!("unsa", "fe");
    let uses = |text: &str| {
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).any(|code| {
            [" {", " fn", " impl", " extern", " trait"]
                .iter()
                .any(|after| code.contains(&format!("{word}{after}")))
        })
    };
    let found: Vec<PathBuf> =
        sources("rs").into_iter().filter(|(_, text)| uses(text)).map(|(path, _)| path).collect();
    assert!(found.len() <= 1, "{found:?}");
    assert!(found.iter().all(|path| path.starts_with("crates/exec/src")), "{found:?}");
}

#[test]
fn no_source_file_is_over_600_lines() {
    let long: Vec<(PathBuf, usize)> = sources("rs")
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > 600)
        .collect();
    assert_eq!(long, []);
}

#[test]
fn every_version_stands_in_the_root_alone() {
    for (path, text) in sources("toml").iter().filter(|(path, _)| !path.starts_with("fuzz")) {
        let mut section = "";
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            }
            let is_dependency = section.ends_with("dependencies]") && line.contains('=');
            assert!(
                !is_dependency || line.contains("workspace = true"),
                "{}: {line}",
                path.display()
            );
        }
    }
}
