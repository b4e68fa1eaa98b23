use std::{path::Path, sync::Arc};

use callgate_dispatch::{Call, Dispatcher, ErrorCode, ToolResult};
use callgate_registry::{Effects, Registry, ToolOutput, ToolSpec};
use serde_json::{Value, json};

use super::{Approvals, PermissionMode, Rule, rule::Target};
use crate::command::Decision;

fn rule(text: &str) -> Rule {
    text.parse().unwrap()
}

fn bash(command: &str) -> Target<'_> {
    Target { tool: "bash", subject: Some(command), paths: Vec::new() }
}

#[test]
fn what_is_no_rule_is_refused_with_an_example() {
    for bad in ["", "(", "bash(", "bash(x", ")", "ba sh", "(x)", "bash([)"] {
        let error = bad.parse::<Rule>().expect_err(bad).to_string();
        assert!(error.contains("rule"), "{bad}: {error}");
    }
}

#[test]
fn a_pattern_that_the_glob_library_could_not_take_is_refused() {
    assert!(matches!(
        format!("bash({})", "x".repeat(1_000_000)).parse::<Rule>(),
        Err(super::RuleError::TooLong { bytes: 1_000_000 })
    ));
    assert!(Rule::exact("bash", &"[".repeat(1_000_000)).is_err());
    assert!(
        rule(&format!("bash({})", "x".repeat(64 * 1024)))
            .allows(&bash(&"x".repeat(64 * 1024)), Path::new("/w"))
    );
}

#[test]
fn pain_32_an_allow_rule_covers_one_command_and_nothing_joined_to_it() {
    let git = rule("bash(git status*)");
    let cwd = Path::new("/w");
    assert!(git.allows(&bash("git status"), cwd));
    assert!(git.allows(&bash("git status --short"), cwd));
    for joined in [
        "git status; rm x",
        "git status && rm x",
        "git status & rm x",
        "git status | sh",
        "git status\nrm x",
        "git status $(rm x)",
        "git status `rm x`",
        "git status > x",
        "env git status",
        "nohup git status",
        "xargs git status",
    ] {
        assert!(!git.allows(&bash(joined), cwd), "{joined}");
    }
}

#[test]
fn an_exact_rule_allows_its_command_whatever_characters_it_has() {
    let command = "for f in *.rs; do wc -l \"$f\"; done | sort [a] {b}";
    let exact = Rule::exact("bash", command).unwrap();
    assert!(exact.allows(&bash(command), Path::new("/w")));
    assert!(
        !exact
            .allows(&bash("for f in a.rs; do wc -l \"$f\"; done | sort [a] {b}"), Path::new("/w"))
    );
}

#[test]
fn a_deny_rule_finds_its_command_in_any_part_of_a_line() {
    let rm = rule("bash(rm *)");
    let cwd = Path::new("/w");
    for line in ["rm x", "ls; rm x", "ls && rm x", "echo $(rm x)", "ls\nrm x", "true | rm x"] {
        assert!(rm.denies(&bash(line), cwd), "{line}");
    }
    for spelled in [
        "rm\tx",
        "/bin/rm x",
        "\"rm\" x",
        "r\\m x",
        "env rm x",
        "command rm x",
        "! rm x",
        "A=1 rm x",
        "if true; then rm x; fi",
        "time rm x",
        "exec rm  x",
        "sudo env B=2 /usr/bin/rm x",
    ] {
        assert!(rm.denies(&bash(spelled), cwd), "{spelled}");
    }
    assert!(!rm.denies(&bash("farm x"), cwd));
    assert!(!rm.denies(&bash("echo warm x"), cwd));
}

#[test]
fn a_path_rule_goes_by_the_file_and_not_by_its_spelling() {
    let secrets = rule("read_file(secrets/**)");
    let cwd = Path::new("/w");
    let target = |path: &'static str| Target {
        tool: "read_file",
        subject: Some("innocent.txt"),
        paths: vec![Path::new(path)],
    };
    assert!(secrets.denies(&target("/w/secrets/key"), cwd));
    assert!(!secrets.denies(&target("/w/secrets-not/key"), cwd));
    assert!(!secrets.denies(&target("/elsewhere/secrets/key"), cwd));
    assert!(secrets.allows(&target("/w/secrets/key"), cwd));
    for spelled in ["read_file(./secrets)", "read_file(secrets/)", "read_file(/w/secrets)"] {
        assert!(rule(spelled).denies(&target("/w/secrets/deep/key"), cwd), "{spelled}");
        assert!(!rule(spelled).denies(&target("/w/secrets-not/key"), cwd), "{spelled}");
    }
}

#[test]
fn a_rule_about_a_tool_that_is_not_there_keeps_a_session_from_opening() {
    let cwd = tempfile::tempdir().unwrap();
    let open = |deny: &str| {
        let mut settings = crate::Settings::new(cwd.path(), cwd.path().join("outputs"));
        settings.deny = vec![rule(deny)];
        crate::Workbench::open(settings)
    };
    let error = open("bsh(rm *)").unwrap_err().to_string();
    assert!(error.contains("bsh(rm *)") && error.contains("bash"), "{error}");
    for known in ["bash(rm *)", "*(secret)", "mcp__files__write"] {
        assert!(open(known).is_ok(), "{known}");
    }
}

#[test]
fn a_relative_pattern_allows_nothing_outside_of_the_working_directory() {
    let cwd = Path::new("/w");
    let at = |path: &'static str| Target {
        tool: "write_file",
        subject: Some(path),
        paths: vec![Path::new(path)],
    };
    let all = rule("write_file(**)");
    assert!(all.allows(&at("/w/a/b"), cwd));
    assert!(!all.allows(&at("/etc/passwd"), cwd));
    assert!(!rule("write_file(**/passwd)").allows(&at("/etc/passwd"), cwd));
    assert!(rule("write_file(/etc/*)").allows(&at("/etc/passwd"), cwd));
    // What is forbidden stays so wherever it is.
    assert!(all.denies(&at("/etc/passwd"), cwd));
}

#[test]
fn only_a_rule_that_names_an_outside_path_opens_it() {
    let path = Path::new("/etc/hosts");
    assert!(rule("read_file(/etc/hosts)").grants("read_file", path));
    assert!(rule("*(/etc/**)").grants("read_file", path));
    assert!(!rule("read_file").grants("read_file", path));
    assert!(!rule("read_file(**)").grants("read_file", path));
    assert!(!rule("write_file(/etc/hosts)").grants("read_file", path));
    assert!(!rule("read_file(/etc)").grants("read_file", path));
}

/// A ledger with a tool for each kind of effect.
fn registry() -> Arc<Registry> {
    let registry = Registry::new();
    let schema = json!({
        "type": "object",
        "properties": {"command": {"type": "string"}, "path": {"type": "string"}},
    });
    let tool = |name: &str, subject: &str, effects: fn(&Value) -> Effects| {
        ToolSpec::raw(name, "A tool of the tests.", schema.clone(), Done)
            .subject(subject)
            .effects(effects)
    };
    registry
        .register_all([
            tool("bash", "command", |_| Effects::everything()),
            tool("read_file", "path", |_| Effects::reads_path("/w/a")),
            tool("write_file", "path", |arguments| {
                Effects::writes_path(Path::new("/w").join(arguments["path"].as_str().unwrap()))
            }),
        ])
        .unwrap();
    Arc::new(registry)
}

struct Done;

impl callgate_registry::Handler for Done {
    fn call(
        &self,
        _: callgate_registry::Invocation,
    ) -> callgate_registry::BoxFuture<'_, Result<ToolOutput, callgate_registry::ToolError>> {
        Box::pin(std::future::ready(Ok(ToolOutput::text("done"))))
    }
}

fn approvals(mode: PermissionMode, allow: &[&str], deny: &[&str]) -> Approvals {
    let rules = |texts: &[&str]| texts.iter().map(|text| rule(text)).collect();
    Approvals::new("/w".into(), mode, rules(allow), rules(deny))
}

async fn codes(approvals: Approvals) -> Vec<Option<ErrorCode>> {
    results(approvals).await.iter().map(|result| result.error_code).collect()
}

async fn results(approvals: Approvals) -> Vec<ToolResult> {
    let calls = vec![
        Call::new("r", "read_file", json!({"path": "a"})),
        Call::new("w", "write_file", json!({"path": "a"})),
        Call::new("b", "bash", json!({"command": "make"})),
    ];
    Dispatcher::new(registry()).with_gate(Arc::new(approvals)).dispatch_batch(calls).await
}

const DENIED: Option<ErrorCode> = Some(ErrorCode::Denied);

#[tokio::test]
async fn each_mode_lets_pass_what_it_says() {
    use PermissionMode::{Ask, AutoEdit, FullAuto, ReadOnly};
    assert_eq!(codes(approvals(ReadOnly, &[], &[])).await, [None, DENIED, DENIED]);
    assert_eq!(codes(approvals(Ask, &[], &[])).await, [None, DENIED, DENIED]);
    assert_eq!(codes(approvals(AutoEdit, &[], &[])).await, [None, None, DENIED]);
    assert_eq!(codes(approvals(FullAuto, &[], &[])).await, [None, None, None]);
}

#[tokio::test]
async fn deny_wins_over_allow_and_over_every_mode() {
    let denied = approvals(PermissionMode::FullAuto, &["bash"], &["bash(make*)", "read_file(a)"]);
    assert_eq!(codes(denied).await, [DENIED, None, DENIED]);
}

#[tokio::test]
async fn a_headless_denial_names_the_flag_that_would_have_allowed_it() {
    let results = results(approvals(PermissionMode::Ask, &["write_file(a)"], &[])).await;
    assert_eq!(results[1].error_code, None);
    assert!(results[2].described().contains("--allow 'bash(make)'"), "{:?}", results[2]);
}

#[tokio::test]
async fn pain_11_one_answer_for_the_session_settles_the_questions_that_wait() {
    let approvals = Arc::new(approvals(PermissionMode::Ask, &[], &[]).interactive(true));
    let calls: Vec<Call> = (0..8)
        .map(|n| Call::new(format!("w{n}"), "write_file", json!({"path": format!("f{n}")})))
        .collect();
    let (asked, mut questions) = tokio::sync::mpsc::unbounded_channel();
    let dispatcher = Dispatcher::new(registry())
        .with_gate(Arc::clone(&approvals) as Arc<dyn callgate_dispatch::Gate>);
    let batch = dispatcher.batch(calls).events(Arc::new(
        move |index: usize, event: callgate_dispatch::CallEvent| {
            if matches!(event, callgate_dispatch::CallEvent::AwaitingApproval { .. }) {
                asked.send(index).unwrap();
            }
        },
    ));
    let answering = async {
        for _ in 0..8 {
            questions.recv().await.unwrap();
        }
        approvals.answer("w3", Decision::Session);
    };
    let (results, ()) = tokio::join!(batch.run(), answering);
    assert!(results.iter().all(|result| !result.is_error()), "{results:?}");
}

#[tokio::test]
async fn the_note_of_a_refusal_reaches_the_model() {
    let approvals = Arc::new(approvals(PermissionMode::Ask, &[], &[]).interactive(true));
    let gate = Arc::clone(&approvals);
    let dispatcher = Dispatcher::new(registry()).with_gate(gate);
    let answering = Arc::clone(&approvals);
    let batch = dispatcher.batch(vec![Call::new("b", "bash", json!({"command": "make"}))]).events(
        Arc::new(move |_: usize, event: callgate_dispatch::CallEvent| {
            if matches!(event, callgate_dispatch::CallEvent::AwaitingApproval { .. }) {
                answering.answer("b", Decision::Deny { note: "use ninja".to_owned() });
            }
        }),
    );
    let results = batch.run().await;
    assert_eq!(results[0].error_code, DENIED);
    assert!(results[0].described().contains("use ninja"));
}
