//! One call: what it was asked, what it answered, when; and what exactly the model received.

use ratatui::layout::Rect;

use super::{Cache, Painter, cache::Source, words};
use crate::tui::{
    msg::Extent,
    state::{Call, Ended, Focus, State, Work},
    text::{Piece, Role, Row, SafeStr, SafeText, safe_format, wrap_pieces, wrap_text},
};

/// The view that stands beside `work`.
pub(super) const fn other(work: Work) -> Work {
    match work {
        Work::Spill => Work::Detail,
        Work::Lanes | Work::Detail => Work::Spill,
    }
}

/// Draws what `work` says of the selected call.
pub(super) fn draw(
    state: &State,
    cache: &mut Cache,
    painter: &mut Painter<'_>,
    area: Rect,
    work: Work,
) -> Option<Extent> {
    let received = work == Work::Spill;
    let shown = state.work == work || (state.work == Work::Lanes && !received);
    let focused = state.focus == Focus::Detail && shown;
    let Some((batch, call)) = state.batches.current().zip(state.batches.selected()) else {
        let title = if received { "Received by the model" } else { "Call" };
        painter.frame(area, &Row::of(title, Role::Text), &Row::default(), focused);
        return None;
    };
    let now = state.engine_now();
    let (title, right) = titles(call, received, now);
    let inner = painter.frame(area, &title, &right, focused);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    if inner.is_empty() {
        return None;
    }
    let at = (batch.number, call.index);
    let source = if received {
        Source::Received { batch: at.0, call: at.1 }
    } else {
        Source::Detail { batch: at.0, call: at.1 }
    };
    let width = usize::from(inner.width);
    let rows = cache.rows(source, (call.version, inner.width), || {
        if received { received_rows(call, width) } else { detail_rows(call, width) }
    });
    let top = if shown { state.work_scroll.top } else { 0 };
    let extent = painter.rows(inner, &rows, top);
    let cut = |row: &Row| row.pieces.first().is_some_and(|piece| piece.role == Role::Selected);
    Some(Extent { mark: rows.iter().position(cut), ..extent })
}

fn titles(call: &Call, received: bool, now: u64) -> (Row, Row) {
    let label = call.label();
    let title = if received {
        safe_format!("{} as the model received it", label.as_str())
    } else {
        safe_format!("Call {}  {}  {}", label.as_str(), call.name.as_str(), call.subject.as_str())
    };
    let role = words::role(call.phase());
    let right = Row { pieces: vec![Piece { text: words::state(call, now), role }] };
    (Row { pieces: vec![Piece { text: title, role: Role::Text }] }, right)
}

fn detail_rows(call: &Call, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    heading(&mut rows, "arguments", width);
    rows.extend(wrap_text(&call.arguments, Role::Code, width));
    if let Some(ended) = &call.ended {
        facts(&mut rows, call, ended, width);
        heading(&mut rows, "result", width);
        rows.extend(wrap_text(&ended.text, Role::Text, width));
    } else {
        heading(&mut rows, "output so far", width);
        rows.extend(wrap_text(call.tail.text(), Role::Text, width));
    }
    heading(&mut rows, "steps", width);
    for step in &call.steps {
        let at = words::duration(step.at_us.saturating_sub(call.queued_us));
        let line = safe_format!("{at:>8}  {}", step.what.as_str());
        rows.extend(wrap_text(&line, Role::Text, width));
    }
    rows
}

fn facts(rows: &mut Vec<Row>, call: &Call, ended: &Ended, width: usize) {
    heading(rows, "facts", width);
    let mut fact = |name: &'static str, value: SafeText| {
        let name = Piece { text: safe_format!("{name:<10}"), role: Role::Muted };
        let indent = Piece { text: safe_format!("{:10}", ""), role: Role::Text };
        let value = Piece { text: value, role: Role::Text };
        rows.extend(wrap_pieces(&[value], width, &[name], &[indent]));
    };
    let timing = ended.timing;
    fact(
        "waited",
        SafeText::clean(&words::duration(timing.started_us.saturating_sub(timing.queued_us))),
    );
    fact(
        "ran",
        SafeText::clean(&words::duration(timing.finished_us.saturating_sub(timing.started_us))),
    );
    if let Some(code) = ended.error {
        fact("error", SafeText::clean(code.as_str()));
    }
    if let Some(code) = ended.exit_code {
        fact("exit", safe_format!("{code}"));
    }
    for repair in &ended.repairs {
        fact("mended", repair.clone());
    }
    if let Some(spill) = &call.spill {
        fact("spilled", spill_facts(spill));
    }
    fact("id", SafeText::first_line(&call.tool_use_id));
    fact(
        "declared",
        SafeText::clean(if call.read_only { "only reads" } else { "may change things" }),
    );
}

fn spill_facts(spill: &callgate_registry::Spill) -> SafeText {
    let lost = match spill.lost_bytes {
        0 => String::new(),
        lost => format!(", {} bytes LOST", words::grouped(lost)),
    };
    safe_format!(
        "{} bytes, {} lines{lost} in {}",
        words::grouped(spill.bytes),
        words::grouped(spill.lines),
        spill.path.display()
    )
}

/// What the model received, with the line where text was cut out.
fn received_rows(call: &Call, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let Some(ended) = &call.ended else {
        return wrap_text(
            "The model receives the result when the call has ended.",
            Role::Muted,
            width,
        );
    };
    let text = &ended.text;
    let chars = words::grouped(text.as_str().chars().count() as u64);
    let whole = call.spill.as_ref().map_or_else(
        || safe_format!("the model received all of it: {chars} chars"),
        |spill| safe_format!("the model received {chars} chars of {}", spill_facts(spill).as_str()),
    );
    rows.extend(wrap_text(&whole, Role::Muted, width));
    if text.removed() + text.revealed() > 0 {
        let hidden = safe_format!(
            "{} escape sequences are left out here, {} hidden characters are shown",
            words::grouped(text.removed() as u64),
            words::grouped(text.revealed() as u64)
        );
        rows.extend(wrap_text(&hidden, Role::Warn, width));
    }
    heading(&mut rows, "", width);
    let path = call.spill.as_ref().map(|spill| spill.path.display().to_string());
    let is_cut =
        |line: SafeStr<'_>| path.as_deref().is_some_and(|path| line.as_str().contains(path));
    for line in text.lines() {
        let role = if is_cut(line) { Role::Selected } else { Role::Text };
        rows.extend(wrap_text(line, role, width));
    }
    rows
}

fn heading(rows: &mut Vec<Row>, title: &'static str, width: usize) {
    if !rows.is_empty() {
        rows.push(Row::default());
    }
    if !title.is_empty() && width > title.len() {
        rows.push(Row::of(title, Role::Heading));
    }
}
