//! The line at the bottom: what has the keys, and which keys.

use ratatui::layout::Rect;

use super::Painter;
use crate::tui::{
    keymap::Context,
    state::{Hint, State},
    text::Role,
};

pub(super) fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let context = state.context();
    let mut x = painter.put(area, (1, 0), context.title(), Role::Strong) + 2;
    if let Some(hint) = state.ladder.hint(state.now) {
        painter.put(area, (x, 0), words(hint), Role::Warn);
        return;
    }
    if context == Context::Approval {
        let armed = state.approvals.armed(state.now);
        let (word, role) = if armed { ("armed", Role::Warn) } else { ("arming…", Role::Muted) };
        x = painter.put(area, (x, 0), word, role) + 2;
    }
    let x = painter.put(area, (x, 0), keys(context, state.composer.is_empty()), Role::Muted);
    let zoom = if state.zoomed { "zoomed  F1 help " } else { "F1 help " };
    painter.put_right(area, (x + 2, 0), zoom, Role::Muted);
}

const fn keys(context: Context, empty: bool) -> &'static str {
    match context {
        Context::Everywhere => "",
        Context::Composer if empty => "Enter send  / commands  Tab panes  Ctrl-D quit",
        Context::Composer => "Enter send  Alt-Enter newline  Ctrl-C clear",
        Context::Conversation => "j k rows  PgUp PgDn  G follow  z zoom  Esc composer",
        Context::Batch => "j k call  [ ] batch  Enter detail  s received  x cancel  Esc",
        Context::Detail => "j k rows  Enter detail  s received  x cancel  z zoom  q close",
        Context::Approval => "y once  a session  n deny  j k scroll  Tab next  Esc later",
        Context::Help => "j k scroll  Esc close",
    }
}

const fn words(hint: Hint) -> &'static str {
    match hint {
        Hint::QuitAgain => "Ctrl-C again to quit",
        Hint::Interrupting => "interrupting; calls are being stopped",
        Hint::EscInterrupts => "Esc again interrupts",
        Hint::UnknownCommand => "no such command; /help and /quit exist",
        Hint::NoApproval => "nothing waits for an approval",
        Hint::ReadToEnd => "scroll to the end before you allow it",
        Hint::NotArmed => "too soon; keys count half a second after the last one",
    }
}
