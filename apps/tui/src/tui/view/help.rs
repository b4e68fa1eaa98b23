//! The keys, from the table that the keys are looked up in.

use ratatui::layout::Rect;

use super::Painter;
use crate::tui::{
    keymap::{BINDINGS, Context},
    msg::Extent,
    state::{Scroll, State},
    text::{Piece, Role, Row, safe_format, width_of},
};

/// Wider than this, the card has two columns.
const TWO_COLUMNS: u16 = 76;
/// Columns of a column.
const COLUMN: usize = 46;
/// Columns of the keys.
const KEYS: usize = 20;

pub(super) fn draw(state: &State, scroll: Scroll, painter: &mut Painter<'_>, area: Rect) -> Extent {
    let width = area.width.min(98);
    let height = area.height.min(44);
    let card = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    painter.clear(card);
    let first = state.focus_context();
    let inner = painter.frame(
        card,
        &Row::of("Keys", Role::Strong),
        &Row::of("Esc closes", Role::Muted),
        true,
    );
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
    let two = inner.width >= TWO_COLUMNS;
    let rows = if two {
        let (left, right) = (
            [Context::Everywhere, Context::Composer, Context::Help],
            [Context::Batch, Context::Detail, Context::Approval, Context::Conversation],
        );
        beside(sections(&left), sections(&right))
    } else {
        // What has the keys now comes first.
        let others = Context::ALL.into_iter().filter(|context| *context != first);
        sections(&std::iter::once(first).chain(others).collect::<Vec<_>>())
    };
    painter.rows(inner, &rows, scroll.top)
}

fn sections(contexts: &[Context]) -> Vec<Row> {
    let mut rows = Vec::new();
    for context in contexts {
        if !rows.is_empty() {
            rows.push(Row::default());
        }
        rows.push(Row::of(context.title(), Role::Heading));
        for binding in BINDINGS.iter().filter(|binding| binding.context == *context) {
            let keys = safe_format!(" {:<KEYS$} ", binding.keys.join(" "));
            rows.push(
                Row { pieces: vec![Piece { text: keys, role: Role::Accent }] }
                    .and(binding.help, Role::Text),
            );
        }
    }
    rows
}

fn beside(left: Vec<Row>, right: Vec<Row>) -> Vec<Row> {
    let mut rows = left;
    rows.resize(rows.len().max(right.len()), Row::default());
    for (row, right) in rows.iter_mut().zip(right) {
        let used: usize = row.pieces.iter().map(|piece| width_of(piece.text.as_str())).sum();
        let pad = safe_format!("{:1$}", "", COLUMN.saturating_sub(used));
        row.pieces.push(Piece { text: pad, role: Role::Text });
        row.pieces.extend(right.pieces);
    }
    rows
}
