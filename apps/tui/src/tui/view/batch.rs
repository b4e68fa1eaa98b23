//! The batch pane: one lane for each call.

use ratatui::layout::Rect;

use super::{
    Painter,
    lanes::{Axis, bar},
    words,
};
use crate::tui::{
    state::{Batch, Call, Focus, Phase, State},
    text::{Piece, Role, Row, SafeText, safe_format},
};

/// Columns of the state word, and one blank.
const STATE: u16 = 18;
/// Narrower than this, there is no time axis.
const NO_AXIS: u16 = 56;

/// One line of the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Before the call of this label.
    Barrier(usize),
    Call(usize),
}

/// The pane as one row.
pub(super) fn summary(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let Some(batch) = state.batches.current() else { return };
    let mut row = head(state, batch);
    row.pieces.push(Piece::new("  ", Role::Text));
    row.pieces.extend(words::counts(batch.counts()).pieces);
    row.pieces.push(Piece::new("  Alt-2 opens", Role::Muted));
    painter.row(Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area }, 0, &row);
}

fn head(state: &State, batch: &Batch) -> Row {
    let latest = state.batches.latest().map_or(batch.number, |latest| latest.number);
    let place = if batch.number == latest {
        if batch.is_over() { " (last)".to_owned() } else { String::new() }
    } else {
        format!(" of {latest}")
    };
    Row {
        pieces: vec![Piece {
            text: safe_format!("Batch {}{place}", batch.number),
            role: Role::Text,
        }],
    }
}

pub(super) fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let focused = state.focus == Focus::Batch;
    let Some(batch) = state.batches.current() else {
        let inner = painter.frame(area, &Row::of("Batch", Role::Text), &Row::default(), focused);
        painter.put_within(inner, (1, 0), inner.width, ("no calls yet", Role::Muted));
        return;
    };
    let counts = words::counts(batch.counts());
    let inner = painter.frame(area, &head(state, batch), &counts, focused);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    if inner.is_empty() {
        return;
    }
    let columns = Columns::of(inner.width);
    let now = state.engine_now();
    let (began, until) = (batch.began_us(), batch.until_us(now));
    let axis = Axis::new(began, until, columns.bar);
    let facts = safe_format!(
        "{}  {}",
        words::calls(batch.of),
        words::duration(until.saturating_sub(began))
    );
    painter.put_within(inner, (0, 0), columns.bar_at.saturating_sub(1), (&facts, Role::Muted));
    axis.draw(painter, inner, columns.bar_at);
    let foot = u16::from(inner.height >= 5);
    let body = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + foot), ..inner };
    lanes(state, batch, painter, body, (columns, axis, now));
    if foot == 1 {
        foot_line(state, batch, painter, Rect { y: inner.bottom() - 1, height: 1, ..inner });
    }
}

/// Where the columns of a lane are.
#[derive(Debug, Clone, Copy)]
struct Columns {
    name: u16,
    state_at: u16,
    bar_at: u16,
    bar: u16,
}

impl Columns {
    fn of(width: u16) -> Self {
        if width < NO_AXIS {
            let state = STATE.min(width / 3);
            let name = width.saturating_sub(state + 1);
            return Self { name, state_at: name + 1, bar_at: width, bar: 0 };
        }
        let name = (width * 9 / 20).min(48);
        let bar_at = name + 1 + STATE;
        Self { name, state_at: name + 1, bar_at, bar: width.saturating_sub(bar_at) }
    }
}

fn lanes(
    state: &State,
    batch: &Batch,
    painter: &mut Painter<'_>,
    area: Rect,
    (columns, axis, now): (Columns, Axis, u64),
) {
    let mut lines = Vec::with_capacity(batch.calls.len());
    for (position, call) in batch.calls.iter().enumerate() {
        if call.behind_barrier {
            lines.push(Line::Barrier(call.index.saturating_add(1)));
        }
        lines.push(Line::Call(position));
    }
    let height = usize::from(area.height);
    let chosen = Line::Call(state.batches.selected_position());
    let chosen_at = lines.iter().position(|line| *line == chosen).unwrap_or_default();
    let top = chosen_at.saturating_sub(height / 2).min(lines.len().saturating_sub(height));
    if lines.len() > height {
        let seen = safe_format!(" {}-{} of {} rows", top + 1, top + height, lines.len());
        let head = Rect { y: area.y.saturating_sub(1), height: 1, width: columns.bar_at, ..area };
        painter.put_right(head, (columns.state_at, 0), &seen, Role::Info);
    }
    for (y, line) in (0..area.height).zip(lines.iter().skip(top)) {
        match line {
            Line::Barrier(label) => {
                let glyph = painter.glyphs().barrier;
                let text = safe_format!(" barrier: c{label} waits for all before it ");
                let x = painter.put_within(area, (0, y), area.width, (&text, Role::Muted));
                painter.line(area, (x, y), area.width, (glyph, Role::Border));
            }
            Line::Call(position) => {
                let Some(call) = batch.calls.get(*position) else { continue };
                lane(call, painter, (area, y), (columns, axis, now));
                if *line == chosen && state.focus == Focus::Batch {
                    painter.select(Rect { width: columns.bar_at.min(area.width), ..area }, y);
                }
            }
        }
    }
}

fn lane(
    call: &Call,
    painter: &mut Painter<'_>,
    (area, y): (Rect, u16),
    (columns, axis, now): (Columns, Axis, u64),
) {
    let phase = call.phase();
    let role = words::role(phase);
    let glyph = words::glyph(phase, painter.glyphs());
    painter.put_within(area, (0, y), columns.name, (glyph, role));
    let mut x = 2;
    for (text, role) in
        [(&call.label(), Role::Muted), (&call.name, Role::Strong), (&call.subject, Role::Text)]
    {
        x = painter.put_within(area, (x, y), columns.name.saturating_sub(x), (text, role)) + 1;
    }
    let spill = call.spill.as_ref().map(|_| painter.glyphs().spilled);
    let word = words::state(call, now);
    let end = painter.put_within(area, (columns.state_at, y), STATE - 2, (&word, role));
    if let Some(mark) = spill {
        painter.put(area, (end.max(columns.state_at + 1) + 1, y), mark, Role::Info);
    }
    if columns.bar > 0 {
        bar(call, painter, (area, columns.bar_at, y), (axis, now));
    }
}

/// What the selected call waits for, or the last line of what runs.
fn foot_line(state: &State, batch: &Batch, painter: &mut Painter<'_>, area: Rect) {
    let selected = state.batches.selected();
    let waiting = selected.filter(|call| call.waits_for.is_some() || call.asking);
    if let Some(call) = waiting.filter(|_| state.focus == Focus::Batch) {
        painter.put_within(area, (0, 0), area.width, (&reasons(call, batch), Role::Warn));
        return;
    }
    let runs = |call: &&Call| matches!(call.phase(), Phase::Running | Phase::Stopping);
    let running = selected.filter(runs).or_else(|| batch.calls.iter().find(runs));
    let Some(call) = running else { return };
    let last = call.tail.text().lines().rev().find(|line| !line.as_str().trim().is_empty());
    let text = match last {
        Some(line) => safe_format!(
            "{} {} │ {}",
            call.label().as_str(),
            words::bytes(call.tail.bytes()),
            line.as_str()
        ),
        None => safe_format!("{} runs, no output yet", call.label().as_str()),
    };
    painter.put_within(area, (0, 0), area.width, (&text, Role::Muted));
}

fn reasons(call: &Call, batch: &Batch) -> SafeText {
    let mut reasons: Vec<String> = match call.waits_for.as_deref() {
        None => Vec::new(),
        Some([]) => vec!["a free slot".into()],
        Some(on) => on
            .iter()
            .filter_map(|index| batch.call(*index))
            .map(|on| {
                format!("{} ({} {})", on.label().as_str(), on.name.as_str(), on.subject.as_str())
            })
            .collect(),
    };
    if call.asking {
        reasons.push("your approval (Enter)".into());
    }
    safe_format!("{} waits for {}", call.label().as_str(), reasons.join(", "))
}
