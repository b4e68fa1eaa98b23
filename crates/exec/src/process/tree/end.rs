//! Ending the processes of a call.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use super::{Tree, names, procfs::Row};
use crate::process::ProcessName;

/// How long KILL is repeated before the rest are named as survivors.
const KILL_TIME: Duration = Duration::from_secs(2);

/// How often processes are stopped and looked for anew before those that were found are killed: one that forks as fast as it can
/// would otherwise keep us looking.
const FREEZE_ROUNDS: usize = 8;

/// The pause between two looks at what is left. Only trees that resist are looked at more than once.
const TICK: Duration = Duration::from_millis(10);

impl Tree {
    /// Ends all that belongs to the call: TERM, then, after the grace, KILL. Names those that would not go.
    ///
    /// `wait` is called to let time pass; it moves output meanwhile, so that nobody blocks on a full pipe instead of ending, and
    /// tells whether the leader has ended.
    pub(in crate::process) fn end(
        &self,
        grace: Duration,
        mut wait: impl FnMut(Duration) -> bool,
    ) -> Vec<ProcessName> {
        self.ask_to_end();
        let asked = Instant::now();
        while asked.elapsed() < grace {
            if wait(TICK) && !self.has_leftovers() {
                return Vec::new();
            }
        }
        self.kill(wait)
    }

    /// The processes that are still there now that the leader has ended.
    pub(in crate::process) fn leftovers(&self) -> Vec<ProcessName> {
        names(&self.members())
    }

    /// Ends everything at once.
    pub(in crate::process) fn kill(
        &self,
        mut wait: impl FnMut(Duration) -> bool,
    ) -> Vec<ProcessName> {
        let started = Instant::now();
        loop {
            // In one step for all of the group, so that none of it can fork away.
            self.signal_group(Signal::KILL);
            for row in self.freeze() {
                (self.send)(&row, Signal::KILL);
            }
            let leader_has_ended = wait(TICK);
            let left = self.members();
            // The table may miss what was forked while it was read; the list of our children does not.
            if left.is_empty() && leader_has_ended && !self.has_leftovers() {
                return Vec::new();
            }
            if started.elapsed() >= KILL_TIME {
                return names(&left);
            }
        }
    }

    fn ask_to_end(&self) {
        let members = self.members();
        let outside = members.iter().filter(|row| row.group != self.leader.as_raw_pid());
        // A stopped process only sees the TERM when it goes on.
        for signal in [Signal::TERM, Signal::CONT] {
            self.signal_group(signal);
            for row in outside.clone() {
                (self.send)(row, signal);
            }
        }
    }

    /// Stops all members, and those that they forked before they stopped, and so on.
    fn freeze(&self) -> Vec<Row> {
        let mut frozen: HashMap<(i32, u64), Row> = HashMap::new();
        for _ in 0..FREEZE_ROUNDS {
            let before = frozen.len();
            for row in self.members() {
                frozen.entry((row.pid, row.start)).or_insert_with(|| {
                    (self.send)(&row, Signal::STOP);
                    row
                });
            }
            if frozen.len() == before {
                break;
            }
        }
        frozen.into_values().collect()
    }
}
