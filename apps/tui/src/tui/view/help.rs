//! The keys, from the table that the keys are looked up in.

use ratatui::layout::Rect;

use super::Painter;
use crate::tui::{
    keymap::{BINDINGS, Binding, Context},
    msg::Extent,
    state::{Scroll, State},
    text::{Piece, Role, Row, SafeText, safe_format, width_of, wrap_text},
};

/// The widest card, frame included.
const MAX_WIDTH: u16 = 130;
/// Columns between keys and words, and between two columns of both.
const GAP: usize = 2;

pub(super) fn draw(state: &State, scroll: Scroll, painter: &mut Painter<'_>, area: Rect) -> Extent {
    let width = area.width.min(MAX_WIDTH);
    let height = area.height.min(44);
    let card = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    painter.clear(card);
    let inner = Rect {
        x: card.x.saturating_add(2),
        y: card.y.saturating_add(1),
        width: card.width.saturating_sub(4),
        height: card.height.saturating_sub(2),
    };
    let rows = rows(state, usize::from(inner.width));
    let more = rows.len() > usize::from(inner.height);
    let right = if more { "j k scroll  Esc closes" } else { "Esc closes" };
    painter.frame(card, &Row::of("Keys", Role::Strong), &Row::of(right, Role::Muted), true);
    painter.rows(inner, &rows, scroll.top)
}

/// Two columns where both fit, else one, in which what has the keys now comes first.
fn rows(state: &State, width: usize) -> Vec<Row> {
    let left = sections(&[Context::Everywhere, Context::Composer, Context::Help], width);
    let right = sections(
        &[Context::Batch, Context::Detail, Context::Approval, Context::Conversation],
        width,
    );
    let column = widest(&left) + GAP;
    if column + widest(&right) <= width {
        return beside(left, right, column);
    }
    let first = state.focus_context();
    let others = Context::ALL.into_iter().filter(|context| *context != first);
    sections(&std::iter::once(first).chain(others).collect::<Vec<_>>(), width)
}

/// Keys and words beside each other, or below each other where they do not fit.
fn sections(contexts: &[Context], width: usize) -> Vec<Row> {
    let bindings = || BINDINGS.iter().filter(|binding| contexts.contains(&binding.context));
    let keys =
        bindings().map(|binding| width_of(keys_of(binding).as_str())).max().unwrap_or_default();
    let words = bindings().map(|binding| width_of(binding.help)).max().unwrap_or_default();
    let beside = keys + GAP + words <= width;
    let mut rows = Vec::new();
    for context in contexts {
        if !rows.is_empty() {
            rows.push(Row::default());
        }
        rows.push(Row::of(context.title(), Role::Heading));
        for binding in bindings().filter(|binding| binding.context == *context) {
            if beside {
                let text = safe_format!("{:<1$}", keys_of(binding).as_str(), keys + GAP);
                let row = Row { pieces: vec![Piece { text, role: Role::Accent }] };
                rows.push(row.and(binding.help, Role::Text));
            } else {
                rows.extend(wrap_text(&keys_of(binding), Role::Accent, width));
                let words = wrap_text(binding.help, Role::Text, width.saturating_sub(3));
                rows.extend(words.into_iter().map(indented));
            }
        }
    }
    rows
}

fn keys_of(binding: &Binding) -> SafeText {
    safe_format!(" {}", binding.keys.join(" "))
}

fn indented(row: Row) -> Row {
    let mut indented = Row::of("   ", Role::Text);
    indented.pieces.extend(row.pieces);
    indented
}

fn width_of_row(row: &Row) -> usize {
    row.pieces.iter().map(|piece| width_of(piece.text.as_str())).sum()
}

fn widest(rows: &[Row]) -> usize {
    rows.iter().map(width_of_row).max().unwrap_or_default()
}

fn beside(left: Vec<Row>, right: Vec<Row>, column: usize) -> Vec<Row> {
    let mut rows = left;
    rows.resize(rows.len().max(right.len()), Row::default());
    for (row, right) in rows.iter_mut().zip(right) {
        let pad = safe_format!("{:1$}", "", column.saturating_sub(width_of_row(row)));
        row.pieces.push(Piece { text: pad, role: Role::Text });
        row.pieces.extend(right.pieces);
    }
    rows
}
