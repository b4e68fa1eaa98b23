//! The loop, with a scripted model and the real tools.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use callgate_agent::{
    Command, Control, Decision, Engine, Envelope, Event, Outcome, PermissionMode, Settings, Sink,
    Workbench, spawn,
};
use callgate_dispatch::ErrorCode;
use callgate_llm::{Block, Delta, LlmError, ResultPart, Role, Scripted, StopReason, Turn};
use tempfile::TempDir;

/// A person's machine: a working directory and a place for state.
struct Place {
    cwd: TempDir,
    state: TempDir,
}

type Log = Arc<Mutex<Vec<Envelope>>>;

impl Place {
    fn new() -> Self {
        Self { cwd: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap() }
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::new(self.cwd.path(), self.state.path().join("outputs"));
        settings.sessions_dir = Some(self.state.path().join("sessions"));
        settings.permission_mode = PermissionMode::FullAuto;
        settings
    }

    fn open(settings: Settings, model: &Scripted) -> (Engine, Log) {
        let workbench = Workbench::open(settings).unwrap();
        let log = Log::default();
        let sink: Sink = {
            let log = Arc::clone(&log);
            Box::new(move |envelope: &Envelope| log.lock().unwrap().push(envelope.clone()))
        };
        let engine = Engine::open(&workbench, Arc::new(model.clone()), vec![sink], false).unwrap();
        (engine, log)
    }
}

fn kinds(log: &Log) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter()
        .map(|envelope| {
            serde_json::to_value(envelope).unwrap()["type"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// The answers that the model was told in its last request.
fn told(model: &Scripted) -> Vec<(String, String, bool)> {
    let requests = model.requests();
    let last = requests.last().unwrap().messages.last().unwrap();
    assert_eq!(last.role, Role::User);
    last.content
        .iter()
        .filter_map(|block| match block {
            Block::ToolResult { tool_use_id, content, is_error } => {
                let text = content.iter().map(|part| match part {
                    ResultPart::Text { text } => text.clone(),
                    _ => String::new(),
                });
                Some((tool_use_id.clone(), text.collect(), *is_error))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_asked_run_told_and_answered() {
    let place = Place::new();
    fs::write(place.cwd.path().join("a.txt"), "alpha\n").unwrap();
    let model = Scripted::new([
        Turn::new().text("One moment.").call("c1", "read_file", r#"{"path":"a.txt"}"#).call(
            "c2",
            "write_file",
            r#"{"path":"b.txt","content":"beta"}"#,
        ),
        Turn::new().text("It says alpha."),
    ]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let report = engine.task("what is in a.txt?".to_owned(), &Control::new()).await;
    assert_eq!((report.outcome, report.text.as_str()), (Outcome::Done, "It says alpha."));
    assert_eq!((report.totals.turns, report.totals.calls, report.totals.failed_calls), (2, 2, 0));
    assert_eq!(fs::read_to_string(place.cwd.path().join("b.txt")).unwrap(), "beta");
    let told = told(&model);
    assert_eq!(told[0].0, "c1");
    assert!(told[0].1.contains("alpha"));
    assert_eq!(told[1].0, "c2");
    let kinds = kinds(&log);
    assert_eq!(kinds[..4], ["session.started", "prompt", "turn.started", "text.delta"]);
    assert_eq!(kinds.last().unwrap(), "session.finished");
    assert_eq!(kinds.iter().filter(|kind| *kind == "tool.finished").count(), 2);
    let log = log.lock().unwrap();
    assert!(log.iter().enumerate().all(|(n, envelope)| envelope.seq == n as u64));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_cannot_run_are_told_and_the_loop_goes_on() {
    let place = Place::new();
    let model = Scripted::new([
        Turn::new()
            .call("c1", "reed_file", "{}")
            .call("c2", "read_file", r#"{"path":7}"#)
            .call("c3", "read_file", r#"{"path":"a"#)
            .call("c4", "bash", r#"{"command":"exit 3"}"#),
        Turn::new().text("Done."),
    ]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let report = engine.task("go".to_owned(), &Control::new()).await;
    assert_eq!(report.outcome, Outcome::Done);
    assert_eq!(report.totals.failed_calls, 4);
    assert!(told(&model).iter().all(|(_, _, is_error)| *is_error));
    let log = log.lock().unwrap();
    let mut codes: Vec<_> = log
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::ToolFinished { result } => Some((result.tool_use_id.clone(), result.error_code)),
            _ => None,
        })
        .collect();
    codes.sort_by(|a, b| a.0.cmp(&b.0));
    let codes: Vec<_> = codes.into_iter().map(|(_, code)| code.unwrap()).collect();
    let expected = [
        ErrorCode::UnknownTool,
        ErrorCode::InvalidArguments,
        ErrorCode::InvalidArguments,
        ErrorCode::ExecutionError,
    ];
    assert_eq!(codes, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn pain_4_a_repeated_id_runs_each_call_once_and_the_history_has_unique_ids() {
    let place = Place::new();
    let append = |text: &str| format!(r#"{{"command":"echo {text} >> log"}}"#);
    let model = Scripted::new([
        Turn::new().call("call_1", "bash", append("a")).call("call_1", "bash", append("b")),
        Turn::new().call("call_1", "bash", append("c")),
        Turn::new().text("Done."),
    ]);
    let (mut engine, _) = Place::open(place.settings(), &model);
    engine.task("go".to_owned(), &Control::new()).await;
    assert_eq!(fs::read_to_string(place.cwd.path().join("log")).unwrap(), "a\nb\nc\n");
    let requests = model.requests();
    let mut asked = Vec::new();
    let mut answered = Vec::new();
    for message in &requests.last().unwrap().messages {
        for block in &message.content {
            match block {
                Block::ToolUse { id, .. } => asked.push(id.clone()),
                Block::ToolResult { tool_use_id, .. } => answered.push(tool_use_id.clone()),
                _ => {}
            }
        }
    }
    assert_eq!(asked, ["call_1", "call_1_2", "call_1_3"]);
    assert_eq!(asked, answered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_turns_ends_the_task() {
    let place = Place::new();
    let turns = (0..5).map(|n| Turn::new().call(format!("c{n}"), "glob", r#"{"pattern":"*"}"#));
    let model = Scripted::new(turns);
    let mut settings = place.settings();
    settings.max_turns = 3;
    let (mut engine, _) = Place::open(settings, &model);
    let report = engine.task("go".to_owned(), &Control::new()).await;
    assert_eq!(report.outcome, Outcome::LimitReached);
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_ends_the_task_and_not_the_session() {
    let place = Place::new();
    let model =
        Scripted::new([Turn::new().fail(LlmError::Incomplete), Turn::new().text("Now it works.")]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let failed = engine.task("one".to_owned(), &Control::new()).await;
    assert_eq!(failed.outcome, Outcome::ProviderFailed);
    assert!(kinds(&log).contains(&"error".to_owned()));
    let worked = engine.task("two".to_owned(), &Control::new()).await;
    assert_eq!((worked.outcome, worked.text.as_str()), (Outcome::Done, "Now it works."));
}

#[tokio::test(flavor = "multi_thread")]
async fn pain_41_an_answer_with_nothing_in_it_is_no_success() {
    let place = Place::new();
    let refusal = Turn::raw(vec![Ok(Delta::Stopped(StopReason::Refusal))]);
    let nothing = Turn::raw(vec![Ok(Delta::Stopped(StopReason::EndTurn))]);
    for (turn, word) in [(refusal, "refused"), (nothing, "nothing")] {
        let model = Scripted::new([turn]);
        let (mut engine, log) = Place::open(place.settings(), &model);
        let report = engine.task("go".to_owned(), &Control::new()).await;
        assert_eq!(report.outcome, Outcome::Failed);
        assert!(report.text.contains(word), "{}", report.text);
        assert!(kinds(&log).contains(&"error".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_voids_the_text_before_it() {
    let place = Place::new();
    let retrying = Delta::Retrying {
        attempt: 1,
        wait: Duration::from_millis(20),
        reason: "overloaded".to_owned(),
    };
    let model = Scripted::new([Turn::raw(vec![
        Ok(Delta::Text { index: 0, text: "Half of".to_owned() }),
        Ok(retrying),
        Ok(Delta::Text { index: 0, text: "The whole.".to_owned() }),
        Ok(Delta::BlockEnd { index: 0 }),
        Ok(Delta::Stopped(StopReason::EndTurn)),
    ])]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let report = engine.task("go".to_owned(), &Control::new()).await;
    assert_eq!(report.text, "The whole.");
    assert!(kinds(&log).contains(&"turn.retrying".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_answers_every_call_and_keeps_the_history_valid() {
    let place = Place::new();
    let model = Scripted::new([
        Turn::new().call("c1", "bash", r#"{"command":"touch started; sleep 600"}"#).call(
            "c2",
            "write_file",
            r#"{"path":"never","content":""}"#,
        ),
        Turn::new().text("Back again."),
    ]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let control = Control::new();
    let started = place.cwd.path().join("started");
    let interrupt = async {
        until(|| started.exists()).await;
        control.interrupt();
    };
    let (report, ()) = tokio::join!(engine.task("go".to_owned(), &control), interrupt);
    assert_eq!(report.outcome, Outcome::Interrupted);
    assert!(!place.cwd.path().join("never").exists());
    let cancelled = log
        .lock()
        .unwrap()
        .iter()
        .filter(|envelope| {
            matches!(&envelope.event, Event::ToolFinished { result }
                if result.error_code == Some(ErrorCode::Cancelled))
        })
        .count();
    assert_eq!(cancelled, 2);

    let report = engine.task("and now?".to_owned(), &Control::new()).await;
    assert_eq!(report.text, "Back again.");
    assert_eq!(told(&model).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_while_the_model_speaks_keeps_what_was_said() {
    let place = Place::new();
    let model = Scripted::new([Turn::new().text("I was just").hang(), Turn::new().text("Fine.")]);
    let (mut engine, log) = Place::open(place.settings(), &model);
    let control = Control::new();
    let interrupt = async {
        until(|| kinds(&log).contains(&"text.delta".to_owned())).await;
        control.interrupt();
    };
    let (report, ()) = tokio::join!(engine.task("go".to_owned(), &control), interrupt);
    assert_eq!(report.outcome, Outcome::Interrupted);
    engine.task("go on".to_owned(), &Control::new()).await;
    let requests = model.requests();
    let roles: Vec<Role> = requests[1].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_transcript_is_private_and_names_a_call_before_its_result() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let model = Scripted::new([
        Turn::new().call("c1", "bash", r#"{"command":"echo hi"}"#),
        Turn::new().text("Done."),
    ]);
    let (mut engine, _) = Place::open(place.settings(), &model);
    engine.task("go".to_owned(), &Control::new()).await;
    let path = engine.transcript_path().unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let lines: Vec<serde_json::Value> = fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = |found: &dyn Fn(&serde_json::Value) -> bool| lines.iter().position(found).unwrap();
    let asked = at(&|line| line["message"]["content"][0]["type"] == "tool_use");
    let started = at(&|line| line["type"] == "tool.started");
    let finished = at(&|line| line["type"] == "tool.finished");
    assert!(asked < started && started < finished, "{asked} {started} {finished}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_and_the_answer_is_obeyed() {
    let place = Place::new();
    let model = Scripted::new([
        Turn::new().call("c1", "bash", r#"{"command":"touch yes"}"#).call(
            "c2",
            "bash",
            r#"{"command":"touch no"}"#,
        ),
        Turn::new().text("Done."),
    ]);
    let mut settings = place.settings();
    settings.permission_mode = PermissionMode::Ask;
    let workbench = Workbench::open(settings).unwrap();
    let (mut handle, ended) = spawn(&workbench, Arc::new(model.clone())).unwrap();
    handle.commands.send(Command::Submit("go".to_owned())).await.unwrap();
    loop {
        let envelope = handle.events.recv().await.unwrap();
        match envelope.event {
            Event::ToolAwaitingApproval { tool_use_id, .. } => {
                let decision = if tool_use_id == "c1" {
                    Decision::Once
                } else {
                    Decision::Deny { note: String::new() }
                };
                handle.commands.send(Command::Answer { tool_use_id, decision }).await.unwrap();
            }
            Event::SessionFinished { outcome, .. } => {
                assert_eq!(outcome, Outcome::Done);
                break;
            }
            _ => {}
        }
    }
    assert!(place.cwd.path().join("yes").exists());
    assert!(!place.cwd.path().join("no").exists());
    drop(handle);
    ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_left_ends_what_it_started() {
    let place = Place::new();
    let command = r#"{"command":"echo $$ > pid; sleep 600"}"#;
    let model = Scripted::new([Turn::new().call("c1", "bash", command)]);
    let workbench = Workbench::open(place.settings()).unwrap();
    let (handle, ended) = spawn(&workbench, Arc::new(model)).unwrap();
    handle.commands.send(Command::Submit("go".to_owned())).await.unwrap();
    let pid_file = place.cwd.path().join("pid");
    until(|| fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n'))).await;
    let pid = fs::read_to_string(&pid_file).unwrap();
    drop(handle);
    ended.await.unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

/// Polls until it holds; a hang fails after a minute.
async fn until(holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it came to hold");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_file_is_met_by_no_tool_that_looks_around() {
    let place = Place::new();
    fs::write(place.cwd.path().join("secret.txt"), "hunter2\n").unwrap();
    fs::write(place.cwd.path().join("open.txt"), "hunter1\n").unwrap();
    let mut settings = place.settings();
    settings.deny = vec!["*(secret.txt)".parse().unwrap()];
    let model = Scripted::new([
        Turn::new()
            .call("c1", "grep", r#"{"pattern":"hunter"}"#)
            .call("c2", "glob", r#"{"pattern":"*.txt"}"#)
            .call("c3", "read_file", r#"{"path":"secret.txt"}"#),
        Turn::new().text("Done."),
    ]);
    let (mut engine, _) = Place::open(settings, &model);
    engine.task("go".to_owned(), &Control::new()).await;
    let told = told(&model);
    assert!(told[0].1.contains("hunter1") && told[1].1.contains("open.txt"), "{told:?}");
    assert!(told.iter().all(|(_, text, _)| !text.contains("hunter2")), "{told:?}");
    assert!(!told[1].1.contains("secret.txt"), "{told:?}");
    assert!(told[2].2, "{told:?}");
}
