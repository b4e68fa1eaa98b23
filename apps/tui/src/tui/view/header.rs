//! The line at the top: where, with whom, and what is going on.

use callgate_agent::PermissionMode;
use ratatui::layout::Rect;

use super::Painter;
use crate::tui::{
    state::State,
    text::{Piece, Role, Row, safe_format, width_of},
};

pub(super) fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let right = activity(state);
    let width: usize = right.pieces.iter().map(|piece| width_of(piece.text.as_str())).sum();
    let width = u16::try_from(width).unwrap_or(u16::MAX).saturating_add(1);
    let left = area.width.saturating_sub(width + 1);
    let mut x = painter.put_within(area, (1, 0), left, ("callgate", Role::Strong));
    let mode = safe_format!("mode {}", state.session.mode);
    let role =
        if state.session.mode == PermissionMode::FullAuto { Role::Warn } else { Role::Muted };
    if x + 16 < left {
        x = painter.put_within(area, (x + 2, 0), left - x - 2, (&mode, role));
    }
    for text in [&state.session.cwd, &state.session.provider] {
        if !text.is_empty() && x + 8 < left {
            x = painter.put_within(area, (x + 2, 0), left - x - 2, (text, Role::Muted));
        }
    }
    let mut x = area.width.saturating_sub(width).max(x + 1);
    for piece in &right.pieces {
        x = painter.put(area, (x, 0), &piece.text, piece.role);
    }
}

/// What waits for the person comes first.
pub(super) fn activity(state: &State) -> Row {
    let mut row = Row::default();
    if !state.approvals.is_empty() {
        let count = state.approvals.len();
        let word = if count == 1 { "approval" } else { "approvals" };
        row.pieces.push(Piece { text: safe_format!("{count} {word} Alt-A  "), role: Role::Warn });
    }
    if let Some(since) = state.task.since() {
        // The clock of a task ticks by seconds; calls have finer ones.
        let seconds = state.now.saturating_sub(since) / 1_000;
        let elapsed = format!("{}:{:02}", seconds / 60, seconds % 60);
        let word = if state.task.stopping { "stop" } else { "run" };
        row.pieces.push(Piece { text: safe_format!("{word} {elapsed}"), role: Role::Accent });
    } else {
        let word = if state.session.ended { "ended" } else { "idle" };
        row.pieces.push(Piece::new(word, Role::Muted));
    }
    row
}
