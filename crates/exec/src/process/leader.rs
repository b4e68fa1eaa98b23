//! The process that was asked for, with all that it started.

use std::{
    os::unix::process::ExitStatusExt,
    process::{Child, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use rustix::process::Pid;

use super::{
    Exit, ProcessName, Stream,
    pump::Pump,
    tree::{Brand, Tree},
};

/// How long what a command left behind may stay silent before it is ended. Enough for the end of a `> >(tee log)`.
const SETTLE_SILENCE: Duration = Duration::from_millis(200);

/// How long what a command left behind may go on writing.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// The pause between two looks at what a command left behind.
const SETTLE_TICK: Duration = Duration::from_millis(10);

/// The longest grace of what a command left behind: the command itself has ended, and somebody waits for the answer.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);

/// The leader of a session.
///
/// It stays unreaped until everything is over: as long as it is a zombie, no other process can get its pid, and so its
/// group and its session can't be anybody else's. Dropped before [`finish`](Self::finish), it is killed with all its tree.
pub(super) struct Leader {
    /// Nothing once it is reaped or left to another thread.
    child: Option<Child>,
    pid: Pid,
    tree: Tree,
}

impl Leader {
    pub(super) fn new(child: Child, brand: Brand) -> Self {
        let pid = Pid::from_child(&child);
        Self { child: Some(child), pid, tree: Tree::new(pid, brand) }
    }

    pub(super) const fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) const fn child_mut(&mut self) -> Option<&mut Child> {
        self.child.as_mut()
    }

    /// Reaps orphans that became our children while the call still runs.
    pub(super) fn reap_orphans(&self) {
        self.tree.has_leftovers();
    }

    /// Ends everything, the leader too; names what would not go.
    pub(super) fn stop<F: Fn(Stream, &str)>(
        &self,
        grace: Duration,
        pump: &mut Pump<F>,
    ) -> Vec<ProcessName> {
        self.tree.end(grace, |wait| {
            pump.turn(wait);
            pump.has_exited()
        })
    }

    /// Once the leader has ended: lets what it left behind finish its output, then ends it. Names what was ended and
    /// what would not go.
    pub(super) fn settle<F: Fn(Stream, &str)>(
        &self,
        grace: Duration,
        pump: &mut Pump<F>,
    ) -> (Vec<ProcessName>, Vec<ProcessName>) {
        let started = Instant::now();
        let mut last_output = started;
        while self.tree.has_leftovers() {
            let patience = started.elapsed() < SETTLE_TIME
                && last_output.elapsed() < SETTLE_SILENCE
                && !pump.is_stopped();
            if !patience {
                let mut ended = self.tree.leftovers();
                let survivors = self.stop(grace.min(LEFTOVER_GRACE), pump);
                ended.retain(|name| survivors.iter().all(|survivor| survivor.pid != name.pid));
                return (ended, survivors);
            }
            if pump.turn(SETTLE_TICK).moved {
                last_output = Instant::now();
            }
        }
        (Vec::new(), Vec::new())
    }

    /// Reaps the leader. One that can't be ended is left to a thread that waits for it.
    pub(super) fn finish(mut self, has_exited: bool) -> Exit {
        let Some(mut child) = self.child.take() else { return Exit::Alive };
        let status = if has_exited { child.wait().map(Some) } else { child.try_wait() };
        if let Ok(Some(status)) = status {
            return exit_of(status);
        }
        // Without the thread it would stay a zombie, once it ends, until this process ends.
        let wait = move || child.wait();
        let _ = thread::Builder::new().name("callgate-wait".to_owned()).spawn(wait);
        Exit::Alive
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            self.tree.kill(|wait| {
                thread::sleep(wait);
                child.try_wait().is_ok_and(|status| status.is_some())
            });
        }
    }
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        // Neither is for processes that were stopped, and these are not waited for.
        (None, None) => Exit::Alive,
    }
}
