//! The last resort of a program that is about to exit: everything that descends from it.

use std::{
    collections::HashSet,
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use super::procfs::{self, Row, Table};

/// How long KILL is repeated: what forks meanwhile is found in the next round.
const KILL_TIME: Duration = Duration::from_secs(1);

/// The pause between two rounds.
const TICK: Duration = Duration::from_millis(5);

/// Kills every process that descends from this one, without asking any to end, and returns when none is left, or
/// after a second.
///
/// For a program that is about to exit and won't wait for its calls; the calls see their processes end and answer.
/// Blocks. On systems without `/proc` it does nothing.
pub fn kill_descendants() {
    let started = Instant::now();
    while started.elapsed() < KILL_TIME {
        let living = descendants();
        if living.is_empty() {
            return;
        }
        for row in &living {
            procfs::signal(row, Signal::KILL);
        }
        thread::sleep(TICK);
    }
}

fn descendants() -> Vec<Row> {
    let table = Table::read(0);
    let mut family = HashSet::from([procfs::this_process()]);
    loop {
        let before = family.len();
        let children = table.rows().filter(|row| family.contains(&row.parent)).map(|row| row.pid);
        family.extend(children.collect::<Vec<_>>());
        if family.len() == before {
            break;
        }
    }
    table.into_rows().filter(|row| family.contains(&row.pid) && !row.has_ended()).collect()
}
