//! The processes of one call: finding them, ending them, reaping them.
//!
//! A process can leave its group and its session, have its parent die, and clear its environment. What it can't easily
//! do is leave all of these at once: the chain of parents, the session, the brand of the call. And as
//! this process is made the reaper of its orphans, whatever lost its parent becomes a child of this process, so that once the
//! leader has ended a look at our own children shows whether anything is left.

mod brand;
mod descendants;
mod end;
mod procfs;

use std::{collections::HashSet, sync::Once};

use rustix::process::{Pid, Signal, kill_process_group};

pub(super) use brand::Brand;
pub use descendants::kill_descendants;
use procfs::{Row, Table};

use super::ProcessName;

/// The processes that one call started.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    /// When the leader started, in ticks since boot: nothing older belongs to it.
    since: u64,
    brand: Brand,
    send: fn(&Row, Signal),
}

impl Tree {
    /// The tree of a child that leads its own session and is not reaped before [`Tree`] is done with.
    pub(super) fn new(leader: Pid, brand: Brand) -> Self {
        let since = Row::read(leader.as_raw_pid()).map_or(0, |row| row.start);
        Self { leader, since, brand, send: procfs::signal }
    }

    /// Whether anything but the leader is left, once the leader has ended; reaps what has ended.
    ///
    /// Cheap: it looks at this process's children only, not at all processes.
    pub(super) fn has_leftovers(&self) -> bool {
        loop {
            let Some(children) = procfs::children_of_this_process() else {
                return !self.members().is_empty();
            };
            let rows = children.into_iter().filter_map(Row::read);
            let members = rows.filter(|row| row.pid != self.leader.as_raw_pid());
            let (ended, living): (Vec<Row>, Vec<Row>) =
                members.filter(|row| self.is_branded(row)).partition(Row::has_ended);
            for row in &ended {
                self.reap(row);
            }
            if ended.is_empty() || !living.is_empty() {
                return !living.is_empty();
            }
            // What ended since the list was read has left its own children to us, and they are not on that list.
        }
    }

    /// All living processes of the call but an ended leader; reaps what has ended.
    fn members(&self) -> Vec<Row> {
        let table = Table::read(self.since);
        let mut found: HashSet<i32> =
            table.rows().filter(|row| self.is_branded(row)).map(|row| row.pid).collect();
        // Children of those that are known, until there are no more.
        loop {
            let before = found.len();
            found.extend(
                table
                    .rows()
                    .filter(|row| found.contains(&row.parent))
                    .map(|row| row.pid)
                    .collect::<Vec<_>>(),
            );
            if found.len() == before {
                break;
            }
        }
        let (ended, living): (Vec<Row>, Vec<Row>) =
            table.into_rows().filter(|row| found.contains(&row.pid)).partition(Row::has_ended);
        for row in &ended {
            self.reap(row);
        }
        living
    }

    /// Whether the process itself shows that it belongs to the call.
    fn is_branded(&self, row: &Row) -> bool {
        row.start >= self.since
            && (row.session == self.leader.as_raw_pid() || procfs::has_brand(row.pid, self.brand))
    }

    /// Reaps an orphan that became our child. The leader is left to its owner, and nobody else's child is a member.
    fn reap(&self, row: &Row) {
        if row.pid != self.leader.as_raw_pid() && row.parent == procfs::this_process() {
            procfs::reap(row.pid);
        }
    }

    fn signal_group(&self, signal: Signal) {
        // The group may be empty by now.
        let _ = kill_process_group(self.leader, signal);
    }
}

/// Has orphans of our children become our children, from now on and for good.
///
/// Otherwise they would become the child of the system's first process, and nobody could tell any more where they came from.
pub(super) fn adopt_orphans() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(target_os = "linux")]
        {
            // Refused by old kernels only; then orphans are found by their brands.
            let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        }
    });
}

fn names(rows: &[Row]) -> Vec<ProcessName> {
    rows.iter().map(|row| ProcessName { pid: row.pid, command: procfs::command(row) }).collect()
}

#[cfg(test)]
mod tests;
