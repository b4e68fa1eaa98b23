//! Whom the person talks to, and what is going on.

use std::collections::VecDeque;

use callgate_agent::PermissionMode;

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
    /// Prompts that were sent and not yet taken up.
    pub(crate) queued: VecDeque<SafeText>,
}

impl Task {
    pub(crate) const fn is_running(&self) -> bool {
        self.running_since.is_some()
    }

    pub(crate) const fn since(&self) -> Option<Millis> {
        self.running_since
    }

    pub(crate) fn begin(&mut self, now: Millis) {
        self.queued.pop_front();
        if self.running_since.is_none() {
            self.running_since = Some(now);
        }
    }

    pub(crate) const fn end(&mut self) {
        self.running_since = None;
        self.stopping = false;
    }
}
