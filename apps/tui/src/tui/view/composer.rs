//! Where the person writes. The real cursor stands at the caret, for input methods and readers.

use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::Painter;
use crate::tui::{
    state::{Composer, Focus, State},
    text::{Piece, Role, Row, SafeText, safe_format, width_of},
};

/// Rows of text that are shown at most.
const MAX_ROWS: u16 = 8;
/// Queued prompts that are shown at most; fewer on small screens.
const MAX_QUEUED: u16 = 3;
/// Lines before and after the caret's that are laid out.
const NEAR: usize = 16;

/// Rows that the composer takes, with its frame.
pub(super) fn height(state: &State, rest: Rect) -> u16 {
    let width = rest.width.saturating_sub(6).max(1);
    let rows = u16::try_from(Layout::new(&state.composer, width).rows.len()).unwrap_or(MAX_ROWS);
    (rows.clamp(1, MAX_ROWS) + 2).min((rest.height / 3).max(3)) + queued_rows(state, rest.height)
}

/// Rows of queued prompts above the frame, of `height` rows in all.
fn queued_rows(state: &State, height: u16) -> u16 {
    let queued = u16::try_from(state.task.queued.len()).unwrap_or(u16::MAX);
    queued.min(MAX_QUEUED).min(height / 7)
}

pub(super) fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<Position> {
    let focused = state.focus == Focus::Composer;
    let queued = state.task.queued.len();
    let above =
        area.height.saturating_sub(3).min(queued_rows(state, painter.height().saturating_sub(2)));
    for (y, prompt) in (0..above).zip(&state.task.queued) {
        let text = safe_format!("next {}: {}", y + 1, SafeText::first_line(prompt).as_str());
        painter.put_within(area, (1, y), area.width.saturating_sub(2), (&text, Role::Info));
    }
    let area = Rect { y: area.y + above, height: area.height - above, ..area };
    let right = match queued {
        0 => Row::default(),
        count => {
            Row { pieces: vec![Piece { text: safe_format!("{count} queued"), role: Role::Info }] }
        }
    };
    let inner = painter.frame(area, &Row::default(), &right, focused);
    let text = Rect { x: inner.x + 3, width: inner.width.saturating_sub(4), ..inner };
    painter.put(inner, (1, 0), ">", if focused { Role::Accent } else { Role::Muted });
    if text.is_empty() {
        return None;
    }
    if state.composer.is_empty() {
        let hint = if state.task.is_running() {
            "type to queue the next prompt"
        } else {
            "ask for something"
        };
        painter.put_within(text, (0, 0), text.width, (hint, Role::Muted));
    }
    let caret = editor(&state.composer, painter, text);
    caret.filter(|_| focused)
}

/// Draws the text around the caret; returns where the caret is.
pub(super) fn editor(
    composer: &Composer,
    painter: &mut Painter<'_>,
    area: Rect,
) -> Option<Position> {
    let layout = Layout::new(composer, area.width);
    let height = usize::from(area.height);
    let (column, row) = layout.caret;
    let top = (row + 1).saturating_sub(height);
    for (y, row) in (0..area.height).zip(layout.rows.iter().skip(top)) {
        painter.put(area, (0, y), row, Role::Text);
    }
    let y = u16::try_from(row - top).ok().filter(|y| *y < area.height)?;
    Some(Position { x: area.x + column.min(area.width.saturating_sub(1)), y: area.y + y })
}

/// The text in rows of one width.
struct Layout {
    rows: Vec<SafeText>,
    /// Column and row.
    caret: (u16, usize),
}

impl Layout {
    fn new(composer: &Composer, width: u16) -> Self {
        let (text, caret) = near(composer.text(), composer.caret());
        let mut rows = vec![String::new()];
        let mut place = (0, 0);
        let (mut column, mut offset) = (0_u16, 0);
        for grapheme in text.graphemes(true) {
            let shown = shown(grapheme);
            let wide = u16::try_from(width_of(shown.as_str())).unwrap_or(u16::MAX);
            let full = column > 0 && column.saturating_add(wide) > width;
            if full {
                rows.push(String::new());
                column = 0;
            }
            if offset <= caret {
                place = (column, rows.len() - 1);
            }
            if grapheme == "\n" {
                rows.push(String::new());
                column = 0;
            } else if let Some(row) = rows.last_mut() {
                row.push_str(shown.as_str());
                column = column.saturating_add(wide);
            }
            offset += grapheme.len();
        }
        if offset <= caret {
            if column >= width {
                rows.push(String::new());
                column = 0;
            }
            place = (column, rows.len() - 1);
        }
        Self { rows: rows.iter().map(|row| SafeText::clean(row)).collect(), caret: place }
    }
}

/// What stands for a grapheme of the person's own text.
fn shown(grapheme: &str) -> SafeText {
    SafeText::clean(grapheme)
}

/// The lines around the caret, and the caret in them: a pasted book costs no more than a screen.
fn near(text: &str, caret: usize) -> (&str, usize) {
    let before = text.get(..caret).unwrap_or_default();
    let after = text.get(caret..).unwrap_or_default();
    let start = before.rmatch_indices('\n').nth(NEAR).map_or(0, |(at, _)| at + 1);
    let end = after.match_indices('\n').nth(NEAR).map_or(text.len(), |(at, _)| caret + at);
    (text.get(start..end).unwrap_or_default(), caret - start)
}
