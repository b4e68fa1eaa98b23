//! The way out: what Ctrl-C and Esc do next.

use crate::tui::msg::Millis;

/// Milliseconds for which Ctrl-C remembers the one before.
const CTRL_C: Millis = 2_000;
/// Milliseconds for which Esc remembers the one before.
const ESC: Millis = 1_500;
/// Milliseconds for which an answer to a slash command is shown.
const SAY: Millis = 6_000;

/// What stands in the status line for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hint {
    QuitAgain,
    Interrupting,
    EscInterrupts,
    UnknownCommand,
    NoApproval,
    ReadToEnd,
    NotArmed,
}

/// Recent presses, and the hint that they left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ladder {
    presses: [Option<Millis>; 2],
    esc: Option<Millis>,
    quit_armed: Option<Millis>,
    hint: Option<(Hint, Millis)>,
}

impl Ladder {
    /// Notes a Ctrl-C; true if it is the third in two seconds.
    pub(crate) fn press(&mut self, now: Millis) -> bool {
        let third = self.presses.iter().all(|at| at.is_some_and(|at| now < at + CTRL_C));
        self.presses = [Some(now), self.presses[0]];
        third
    }

    /// True if the last Ctrl-C asked to quit, and this one confirms; else it asks.
    pub(crate) fn confirms_quit(&mut self, now: Millis) -> bool {
        let confirmed = self.quit_armed.is_some_and(|at| now < at + CTRL_C);
        self.quit_armed = Some(now);
        if !confirmed {
            self.show(Hint::QuitAgain, now);
        }
        confirmed
    }

    /// True if this Esc follows another.
    pub(crate) fn confirms_interrupt(&mut self, now: Millis) -> bool {
        let confirmed = self.esc.take().is_some_and(|at| now < at + ESC);
        if !confirmed {
            self.esc = Some(now);
            self.show(Hint::EscInterrupts, now);
        }
        confirmed
    }

    /// Esc: it has a count of its own, and ends that of Ctrl-C.
    pub(crate) const fn forget_presses(&mut self) {
        self.presses = [None; 2];
        self.quit_armed = None;
    }

    /// Any other key: everything starts over, and what was said has been read.
    pub(crate) const fn reset(&mut self) {
        self.presses = [None; 2];
        self.esc = None;
        self.quit_armed = None;
        self.hint = None;
    }

    pub(crate) const fn show(&mut self, hint: Hint, now: Millis) {
        let lasts = match hint {
            Hint::QuitAgain | Hint::Interrupting => CTRL_C,
            Hint::EscInterrupts => ESC,
            _ => SAY,
        };
        self.hint = Some((hint, now + lasts));
    }

    pub(crate) fn hint(&self, now: Millis) -> Option<Hint> {
        self.hint.filter(|(_, until)| now < *until).map(|(hint, _)| hint)
    }

    /// When the hint goes.
    pub(crate) fn expires(&self, now: Millis) -> Option<Millis> {
        self.hint.map(|(_, until)| until).filter(|until| now < *until)
    }
}
