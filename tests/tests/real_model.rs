//! Both wire formats against a model server that is not ours: llama.cpp's, from the Python package
//! xllamacpp, with a language model that is made in place (`realworld/mkmodel.py`).
//!
//! The server constrains the model to the tools' schemas, and its table of letters makes it prefer one
//! call; after a result it says its one answer. So the loop of call, result, answer is whole.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::channel,
    thread,
};

use callgate_tests::{LIMIT, Pty, Sandbox, Wire};
use serde_json::{Value, json};

/// What the model says when no call is wanted of it.
const ANSWER: &str = "HI!";

/// The call that it likes best: `glob` with its favourite word as the pattern.
const TOOL: &str = "glob";
const FILE: &str = "fixture";

/// Room for the system prompt and the tools: the model's vocabulary is bytes.
const CONTEXT: &str = "32768";

/// The server. Dropping it ends it.
struct Server {
    child: Child,
    port: u16,
    _model: tempfile::TempDir,
}

fn realworld(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("realworld").join(file)
}

impl Server {
    fn start() -> Self {
        let python = std::env::var("CALLGATE_TEST_PYTHON")
            .expect("CALLGATE_TEST_PYTHON names a Python with xllamacpp and gguf; see .ci/real");
        let directory = tempfile::tempdir().unwrap();
        let model = directory.path().join("bigram.gguf");
        let template = realworld("bigram.jinja");
        let made = Command::new(&python)
            .args([&realworld("mkmodel.py"), &model, &template])
            .output()
            .expect("Python starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new(&python)
            .arg(realworld("serve.py"))
            .arg(&model)
            .args([&free.to_string(), CONTEXT])
            .env("TEMPLATE", &template)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, listening) = channel();
        thread::spawn(move || {
            let found = lines.by_ref().map_while(Result::ok).any(|line| line.contains("listening"));
            let _ = sender.send(found);
            // The rest is read, so that the server never waits for a reader.
            lines.for_each(drop);
        });
        let server = Self { child, port: free, _model: directory };
        assert_eq!(listening.recv_timeout(LIMIT), Ok(true), "the server listens");
        server
    }

    fn args(&self, wire: Wire) -> Vec<String> {
        let version = match wire {
            Wire::Anthropic => "",
            Wire::OpenAi => "/v1",
        };
        let url = format!("http://127.0.0.1:{}{version}", self.port);
        let args = ["--provider", wire.provider(), "--base-url", &url, "--model", "bigram"];
        let modes = ["--permission-mode", "full-auto"];
        args.iter().chain(&modes).map(ToString::to_string).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail harmlessly where it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn as_strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

fn place() -> Sandbox {
    let place = Sandbox::new();
    place.file(FILE, "found");
    place
}

fn headless(wire: Wire) {
    let server = Server::start();
    let place = place();
    let args = server.args(wire);
    let args =
        [&["run", "hello", "--output-format", "stream-json"], as_strs(&args).as_slice()].concat();
    let events = place.run(&args).exits(0).lines();
    let kind = |event: &Value| event["type"].as_str().unwrap().to_owned();
    let at = |wanted: &str| {
        let kinds: Vec<String> = events.iter().map(kind).collect();
        kinds
            .iter()
            .position(|kind| kind == wanted)
            .unwrap_or_else(|| panic!("{wanted}: {kinds:?}"))
    };
    let finished = &events[at("tool.finished")];
    assert_eq!((&finished["name"], &finished["is_error"]), (&json!(TOOL), &json!(false)));
    assert_eq!(finished["content"].as_str().unwrap().trim(), FILE, "the call ran as it was meant");
    let turns = events.iter().filter(|event| event["type"] == "turn.started").count();
    assert!(turns >= 2, "the result was told to the model");
    let last = events.last().unwrap();
    assert_eq!(last["outcome"], "done");
    assert!(last["text"].as_str().unwrap().contains(ANSWER), "{last}");
    assert!(last["totals"]["usage"]["output_tokens"].as_u64().unwrap() > 0, "{last}");
}

fn on_the_screen(wire: Wire, size: (u16, u16)) {
    let server = Server::start();
    let place = place();
    let args = server.args(wire);
    let mut app = Pty::start(&place, &as_strs(&args), size);
    app.wait_for_text("ask for something");
    app.submit("hello");
    app.wait_for_text(ANSWER);
    app.wait_for("the call with its state", |screen| {
        let text = screen.contents();
        text.contains(TOOL) && text.contains(FILE) && text.contains("1 ok")
    });
    app.wait_for_text("idle");
    app.send("\u{4}");
    let (status, _) = app.finish();
    assert_eq!(status.code(), Some(0));
}

#[test]
#[ignore = "needs Python: run by .ci/real"]
fn a_whole_loop_over_anthropic_messages_headless() {
    headless(Wire::Anthropic);
}

#[test]
#[ignore = "needs Python: run by .ci/real"]
fn a_whole_loop_over_openai_chat_headless() {
    headless(Wire::OpenAi);
}

#[test]
#[ignore = "needs Python: run by .ci/real"]
fn a_whole_loop_over_anthropic_messages_on_the_screen() {
    on_the_screen(Wire::Anthropic, (80, 24));
}

#[test]
#[ignore = "needs Python: run by .ci/real"]
fn a_whole_loop_over_openai_chat_on_the_screen() {
    on_the_screen(Wire::OpenAi, (120, 40));
}
