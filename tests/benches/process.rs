//! What a person waits for and what it costs, measured on the whole process and beside a floor in the
//! same run: `cargo bench -p callgate-tests`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and fails by panicking"
)]

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use callgate_tests::{Gate, ModelServer, Sandbox, Turn, Wire, callgate};
use serde_json::json;

/// Runs of each figure; the median is told.
const RUNS: usize = 9;

/// Turns of the session whose turns are measured.
const TURNS: usize = 20;

/// Text deltas of the long answer. The server cuts text into pieces of six bytes.
const DELTAS: usize = 5_000;

fn main() {
    callgate();
    let start = median((0..RUNS).map(|_| first_request()).collect());
    println!("process start to first request      {:>8.2} ms", millis(start));
    let floor = median((0..RUNS).map(|_| shell()).collect());
    println!("floor: bash -c true, start to wait  {:>8.2} ms", millis(floor));
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        let (turn, kib) = turns(wire);
        let ratio = turn.as_secs_f64() / floor.as_secs_f64();
        println!(
            "{wire:?}: a turn with one true      {:>8.2} ms, {ratio:.2} x the floor",
            millis(turn)
        );
        println!("{wire:?}: peak memory after {TURNS} turns {:>8.1} MB", kib / 1024.0);
        println!("{wire:?}: {DELTAS} text deltas         {:>8.3} CPU s", deltas(wire));
    }
}

fn place(server: &ModelServer) -> Sandbox {
    Sandbox::new().with_model(server, "sk-bench")
}

/// A refused request ends the run, so the whole run is the way to the first request, and the exit.
fn first_request() -> Duration {
    let server = ModelServer::start(Wire::Anthropic, [Turn::refuses(401, "no")]);
    let place = place(&server);
    let mut command = place.command(["run", "hello"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    command.status().expect("callgate starts");
    begin.elapsed()
}

fn shell() -> Duration {
    let begin = Instant::now();
    Command::new("bash").args(["-c", "true"]).status().expect("bash starts");
    begin.elapsed()
}

/// The wall time of one turn with one command in it, and the peak memory after all of them in KiB.
fn turns(wire: Wire) -> (Duration, f64) {
    let gate = Gate::new();
    let call = |n: usize| Turn::calls(&format!("c{n}"), "bash", &json!({"command": "true"}));
    let last = Turn::says("done").held_after(1, &gate);
    let server = ModelServer::start(wire, (0..TURNS).map(call).chain([last]));
    let place = place(&server);
    let args = ["run", "go", "--output-format", "stream-json"];
    let mut run = place.start(&args, "");
    run.wait_for("the first turn", |event| event["type"] == "turn.started");
    let begin = Instant::now();
    let last = TURNS + 1;
    run.wait_for("the last turn", |event| event["type"] == "turn.started" && event["turn"] == last);
    let wall = begin.elapsed();
    gate.reached();
    let kib = status(run.id(), "VmHWM:");
    gate.open();
    run.finish().exits(0);
    (wall / u32::try_from(TURNS).expect("it is small"), kib)
}

/// CPU seconds of a run whose answer has many deltas.
fn deltas(wire: Wire) -> f64 {
    let gate = Gate::new();
    let text = "word, ".repeat(DELTAS);
    let server = ModelServer::start(wire, [Turn::says(&text).held_after(DELTAS, &gate)]);
    let place = place(&server);
    let run = place.start(&["run", "go"], "");
    gate.reached();
    let ticks = cpu_ticks(run.id());
    gate.open();
    run.finish().exits(0);
    // The kernel counts in hundredths (USER_HZ, fixed at 100 for programs).
    ticks / 100.0
}

fn status(pid: u32, key: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = text.lines().find(|line| line.starts_with(key)).expect("the kernel tells it");
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn cpu_ticks(pid: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, fields) = text.rsplit_once(") ").unwrap();
    let field = |n: usize| fields.split(' ').nth(n - 3).unwrap().parse::<f64>().unwrap();
    field(14) + field(15)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
