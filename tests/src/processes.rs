//! What runs on this machine, found by a mark in its command line.

use std::{
    fs, process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::LIMIT;

/// A number of seconds (over ten minutes) that no other `sleep` on this machine has, so that
/// [`alive`] finds exactly the processes of one test.
pub fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("600.{:07}{:03}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The command lines of all living processes that contain `marker`. A zombie has none.
pub fn alive(marker: &str) -> Vec<String> {
    fs::read_dir("/proc")
        .expect("/proc can be read")
        .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(marker))
        .collect()
}

/// Polls until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
