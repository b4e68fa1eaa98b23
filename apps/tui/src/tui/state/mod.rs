//! Everything that the screen knows. Pure: no clock, no terminal, no engine.

mod approval;
mod batch;
mod call;
mod clock;
mod composer;
mod conversation;
mod ladder;
mod scroll;
mod session;
mod tail;

#[cfg(test)]
mod tests;

pub(crate) use approval::{Approval, Approvals};
pub(crate) use batch::{Batch, Batches, CallAt, Counts};
pub(crate) use call::{Call, Ended, Phase, Queued};
pub(crate) use clock::EngineClock;
pub(crate) use composer::Composer;
pub(crate) use conversation::{Body, Conversation, Entry};
pub(crate) use ladder::{Hint, Ladder};
pub(crate) use scroll::{Anchor, Scroll};
pub(crate) use session::{Session, Task};
pub(crate) use tail::Tail;

use super::{
    keymap::{Context, KeyMap},
    msg::{Millis, Size},
};

/// Milliseconds between frames that only move a clock.
const TICK: Millis = 125;
/// Milliseconds between frames while the task waits and no call runs.
const SLOW_TICK: Millis = 1_000;

/// What has the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Focus {
    #[default]
    Composer,
    Conversation,
    Batch,
    Detail,
    Approval,
}

/// What the work pane shows of the selected call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// The lanes of the batch.
    #[default]
    Lanes,
    /// Arguments, result, timing, steps.
    Detail,
    /// What the model received.
    Spill,
}

/// The state.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) now: Millis,
    pub(crate) size: Size,
    pub(crate) clock: EngineClock,
    pub(crate) session: Session,
    pub(crate) task: Task,
    pub(crate) conversation: Conversation,
    pub(crate) batches: Batches,
    pub(crate) approvals: Approvals,
    pub(crate) composer: Composer,
    pub(crate) focus: Focus,
    pub(crate) work: Work,
    pub(crate) work_scroll: Scroll,
    pub(crate) zoomed: bool,
    pub(crate) help: Option<Scroll>,
    pub(crate) ladder: Ladder,
    pub(crate) keymap: KeyMap,
    /// Counts what may look different in the next frame.
    pub(crate) revision: u64,
}

impl State {
    /// Where keys are looked up first.
    pub(crate) const fn context(&self) -> Context {
        if self.help.is_some() { Context::Help } else { self.focus_context() }
    }

    /// Where they are looked up first when no help is open.
    pub(crate) const fn focus_context(&self) -> Context {
        match self.focus {
            Focus::Composer => Context::Composer,
            Focus::Conversation => Context::Conversation,
            Focus::Batch => Context::Batch,
            Focus::Detail => Context::Detail,
            Focus::Approval => Context::Approval,
        }
    }

    /// When the screen changes though nothing happens; never, while nothing moves.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        let tick = if self.batches.running() > 0 {
            Some(self.now + TICK)
        } else if self.task.is_running() {
            Some(self.now + SLOW_TICK)
        } else {
            None
        };
        let focused = self.focus == Focus::Approval;
        let arming = if focused { self.approvals.arms_at(self.now) } else { None };
        [tick, arming, self.ladder.expires(self.now)].into_iter().flatten().min()
    }

    /// The engine's clock as it stands now, in microseconds of the session.
    pub(crate) const fn engine_now(&self) -> u64 {
        self.clock.now(self.now)
    }
}
