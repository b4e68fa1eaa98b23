//! What the tests share.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use callgate_exec::{
    CaptureOptions, Environment, Finished, ProcessSpec, SpillLimits, SpillStore, run,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A command with the environment of this process, as far as it is allowed.
pub fn shell(command: &str) -> ProcessSpec {
    ProcessSpec::shell(command).env(Environment::inherit_allowed())
}

/// Runs a command to its end, nothing kept.
pub async fn sh(command: &str) -> Finished {
    run(shell(command), CaptureOptions::default(), CancellationToken::new(), |_, _| {})
        .await
        .unwrap()
}

/// A store in a directory of its own, without a floor, so that a small disk does not matter.
pub fn store() -> (TempDir, Arc<SpillStore>) {
    store_with(SpillLimits { free_floor: 0, ..SpillLimits::default() })
}

pub fn store_with(limits: SpillLimits) -> (TempDir, Arc<SpillStore>) {
    let directory = TempDir::new().unwrap();
    let store = SpillStore::open(directory.path().join("outputs"), limits).unwrap();
    (directory, Arc::new(store))
}

/// A token that is cancelled after that time.
pub fn stop_after(time: Duration) -> CancellationToken {
    let stop = CancellationToken::new();
    let timer = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(time).await;
        timer.cancel();
    });
    stop
}

/// Waits until something holds; fails after ten seconds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The living processes whose environment holds that text.
pub fn processes_with(text: &str) -> Vec<i32> {
    pids()
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
                environ.windows(text.len()).any(|part| part == text.as_bytes())
            })
        })
        .collect()
}

/// The descendants of this process, with those that have ended but are not reaped.
pub fn descendants() -> Vec<i32> {
    let table: Vec<(i32, i32)> = pids().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![std::process::id().cast_signed()];
    let mut index = 0;
    while let Some(&of) = found.get(index) {
        found.extend(table.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        index += 1;
    }
    found.split_off(1)
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
