//! What the system tells of processes; on systems without `/proc`, nothing.

use std::{fs, io::Read, path::Path};

use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use super::Brand;

/// Bytes of a command line that are looked at, and characters that are shown.
const COMMAND_BYTES: u64 = 4096;
const COMMAND_CHARS: usize = 200;

/// One process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// When it started, in ticks since boot: with the pid it says which process this is.
    pub(super) start: u64,
    state: char,
    name: String,
}

impl Row {
    pub(super) fn read(pid: i32) -> Option<Self> {
        let text = read_bounded(format!("/proc/{pid}/stat"), 4096)?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    fn parse(stat: &str) -> Option<Self> {
        let (pid, rest) = stat.split_once(" (")?;
        // The name may hold anything, parentheses and spaces too.
        let (name, rest) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            pid: pid.parse().ok()?,
            name: name.to_owned(),
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            start: field(22)?.parse().ok()?,
        })
    }

    /// Whether it has ended and only waits to be reaped.
    pub(super) const fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// All processes at one moment, as far as a table can be of one moment.
#[derive(Debug)]
pub(super) struct Table(Vec<Row>);

impl Table {
    /// The processes that started at that time or later, but this one and its threads.
    pub(super) fn read(since: u64) -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let rows = pids
            .filter(|&pid| pid != this_process())
            .filter_map(Row::read)
            .filter(|row| row.start >= since);
        Self(rows.collect())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.0.iter()
    }

    pub(super) fn into_rows(self) -> impl Iterator<Item = Row> {
        self.0.into_iter()
    }
}

pub(super) fn this_process() -> i32 {
    std::process::id().cast_signed()
}

/// Our children, with the orphans that became ours; nothing where the system keeps no such list.
///
/// Orphans are given to the first living thread, that is the main thread, so its list is enough. The list may
/// lack some while others end, so it is read until it is the same twice.
pub(super) fn children_of_this_process() -> Option<Vec<i32>> {
    const ATTEMPTS: usize = 10;
    let pid = this_process();
    let path = format!("/proc/{pid}/task/{pid}/children");
    let mut before = fs::read_to_string(&path).ok()?;
    for _ in 0..ATTEMPTS {
        let after = fs::read_to_string(&path).ok()?;
        if after == before {
            // An ended main thread adopts nobody.
            let main_is_alive = !Row::read(pid)?.has_ended();
            let pids = after.split_whitespace().filter_map(|pid| pid.parse().ok());
            return main_is_alive.then(|| pids.collect());
        }
        before = after;
    }
    None
}

pub(super) fn has_brand(pid: i32, brand: Brand) -> bool {
    let Some(text) = read_bounded(format!("/proc/{pid}/limits"), 8192) else { return false };
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))
        .and_then(|rest| rest.split_whitespace().next())
        .is_some_and(|soft| soft.parse() == Ok(brand.0))
}

pub(super) fn command(row: &Row) -> String {
    let text = read_bounded(format!("/proc/{}/cmdline", row.pid), COMMAND_BYTES);
    let text = text.unwrap_or_default();
    let words: Vec<_> = text
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty())
        .map(String::from_utf8_lossy)
        .collect();
    if words.is_empty() {
        return format!("[{}]", row.name);
    }
    words.join(" ").chars().take(COMMAND_CHARS).collect()
}

/// Sends a signal to exactly that process, not to one that got its pid meanwhile.
pub(super) fn signal(row: &Row, signal: Signal) {
    #[cfg(target_os = "linux")]
    if let Some(pid) = Pid::from_raw(row.pid) {
        use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
        // The descriptor is opened first: what is read after that is of the process that it stands for.
        let descriptor = pidfd_open(pid, PidfdFlags::empty());
        if Row::read(row.pid).is_some_and(|now| now.start == row.start) {
            // A refusal shows later, as a survivor.
            let _ = match descriptor {
                Ok(descriptor) => pidfd_send_signal(descriptor, signal),
                Err(_) => kill_process(pid, signal),
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (row, signal);
}

/// Reaps a child that has ended.
pub(super) fn reap(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

fn read_bounded(path: impl AsRef<Path>, bytes: u64) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(2048);
    fs::File::open(path).ok()?.take(bytes).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_is_no_riddle() {
        let stat = "42 (a) S (b) T 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 2";
        let expected = Row {
            pid: 42,
            parent: 7,
            group: 8,
            session: 9,
            start: 12345,
            state: 'T',
            name: "a) S (b".to_owned(),
        };
        assert_eq!(Row::parse(stat), Some(expected));
        for broken in ["", "42", "42 (a", "42 (a) S 1", "x (a) S 7 8 9"] {
            assert_eq!(Row::parse(broken), None, "{broken:?}");
        }
    }
}
