//! Whom the person talks to, and what is going on.

use std::collections::VecDeque;

use callgate_agent::PermissionMode;

use super::Composer;
use crate::tui::{msg::Millis, text::SafeText};

/// What the head line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) provider: SafeText,
    pub(crate) cwd: SafeText,
    pub(crate) mode: PermissionMode,
    /// The engine has gone.
    pub(crate) ended: bool,
}

/// The task that a prompt set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Task {
    running_since: Option<Millis>,
    /// The person asked it to stop.
    pub(crate) stopping: bool,
    pub(crate) turn: u32,
    /// A prompt went to the engine, which has not taken it up yet.
    pub(crate) sent: bool,
    /// Prompts that go to the engine one by one, when the task before has ended well. They are held
    /// here, so that stopping a task starts no other.
    pub(crate) queued: VecDeque<String>,
}

impl Task {
    pub(crate) const fn is_running(&self) -> bool {
        self.running_since.is_some()
    }

    pub(crate) const fn since(&self) -> Option<Millis> {
        self.running_since
    }

    /// Whether a prompt has to wait.
    pub(crate) const fn is_busy(&self) -> bool {
        self.sent || self.is_running()
    }

    pub(crate) const fn begin(&mut self, now: Millis) {
        self.sent = false;
        if self.running_since.is_none() {
            self.running_since = Some(now);
        }
    }

    pub(crate) const fn end(&mut self) {
        self.running_since = None;
        self.stopping = false;
        self.sent = false;
    }

    /// The next prompt, which is then on its way.
    pub(crate) fn next(&mut self) -> Option<String> {
        let next = self.queued.pop_front();
        self.sent |= next.is_some();
        next
    }

    /// Puts what is queued back where it was written; says how many prompts that were.
    pub(crate) fn hand_back(&mut self, composer: &mut Composer) -> usize {
        let count = self.queued.len();
        composer.put_back(self.queued.drain(..));
        count
    }
}
