//! The question whether a call may run.

use ratatui::layout::Rect;

use super::{Cache, Painter, cache::Source};
use crate::tui::{
    msg::Extent,
    state::{Approval, Focus, State},
    text::{Piece, Role, Row, safe_format, width_of, wrap_text},
};

/// Rows of the card besides its payload: the frame, the reason, what `a` allows, the keys.
const CHROME: u16 = 5;
/// Screens with fewer rows have no room for the composer beside the card.
const CROWDED: u16 = 16;
/// Rows of the end that stay in sight when the middle is cut.
const END: usize = 2;
/// Fewer rows than this are not worth cutting.
const MIN_CUT: usize = 6;

/// Whether the card needs the rows of the composer, which has not the keys then.
pub(super) fn needs_all_rows(state: &State, area: Rect) -> bool {
    state.focus == Focus::Approval && !state.approvals.is_empty() && area.height < CROWDED
}

/// Rows that the card takes out of `rest`: one while it has not the keys, so that it disturbs nobody.
pub(super) fn height(state: &State, rest: Rect) -> u16 {
    let Some(approval) = state.approvals.first() else { return 0 };
    if state.focus != Focus::Approval {
        return 1;
    }
    let width = usize::from(rest.width.saturating_sub(4)).max(1);
    let rows: usize = approval
        .payload
        .lines()
        .map(|line| width_of(line.as_str()) / width + 1)
        .take(usize::from(rest.height))
        .sum();
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    rows.saturating_add(CHROME).clamp(7, 24).min(rest.height * 4 / 5)
}

pub(super) fn draw(
    state: &State,
    cache: &mut Cache,
    painter: &mut Painter<'_>,
    area: Rect,
) -> Option<Extent> {
    let approval = state.approvals.first()?;
    if state.focus != Focus::Approval {
        badge(state, approval, painter, area);
        return None;
    }
    let count = state.approvals.len();
    let title = safe_format!("May {} run {}?", label(approval), approval.tool.as_str());
    let title = Row { pieces: vec![Piece { text: title, role: Role::Warn }] };
    let right = safe_format!(
        "{}{}",
        match approval.payload.lines().count() {
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        },
        match count {
            1 => String::new(),
            count => format!("  1 of {count}"),
        }
    );
    let right = Row { pieces: vec![Piece { text: right, role: Role::Muted }] };
    let inner = painter.frame(area, &title, &right, true);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    // The payload comes first, then the keys, then what they allow, then the reason.
    let reason = u16::from(inner.height >= 5);
    let footer = inner.height.saturating_sub(reason + 1).min(2);
    if reason == 1 {
        let why = safe_format!("asked because {}", approval.reason.as_str());
        painter.put_within(inner, (0, 0), inner.width, (&why, Role::Muted));
    }
    let body = Rect { y: inner.y + reason, height: inner.height - reason - footer, ..inner };
    let extent = payload(approval, cache, painter, body);
    let footer = Rect { y: body.bottom(), height: footer, ..inner };
    if footer.height == 2 {
        let scope = safe_format!("a this session: {}", approval.scope.as_str());
        painter.put_within(footer, (0, 0), footer.width, (&scope, Role::Muted));
    }
    if let Some(y) = footer.height.checked_sub(1) {
        keys(state, approval, painter, Rect { y: footer.y + y, height: 1, ..footer });
    }
    Some(extent)
}

pub(super) fn label(approval: &Approval) -> String {
    format!("c{}", approval.call.index.saturating_add(1))
}

fn badge(state: &State, approval: &Approval, painter: &mut Painter<'_>, area: Rect) {
    let key = "Alt-A or F2 answers ";
    let width = u16::try_from(key.len()).unwrap_or_default();
    let more = match state.approvals.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let first = approval.payload.lines().next().map_or("", |line| line.as_str());
    let text = safe_format!(
        "{} {} {} waits for you{more}  {first}",
        painter.glyphs().waiting,
        label(approval),
        approval.tool.as_str(),
    );
    let room = area.width.saturating_sub(width + 2);
    let x = painter.put_within(area, (1, 0), room, (&text, Role::Warn));
    painter.put_right(area, (x, 0), key, Role::Strong);
}

/// All of it, or a window on it and its end: nothing can be pushed out of sight unnoticed.
pub(super) fn payload(
    approval: &Approval,
    cache: &mut Cache,
    painter: &mut Painter<'_>,
    area: Rect,
) -> Extent {
    let source = Source::Payload { batch: approval.call.batch, call: approval.call.index };
    let width = usize::from(area.width);
    let rows =
        cache.rows(source, (0, area.width), || wrap_text(&approval.payload, Role::Code, width));
    let height = usize::from(area.height);
    if rows.len() <= height || height < MIN_CUT {
        return painter.rows(area, &rows, approval.scroll.top);
    }
    let window = Rect { height: area.height.saturating_sub(3), ..area };
    let (middle, end) = rows.split_at(rows.len() - END);
    let extent = painter.rows(window, middle, approval.scroll.top);
    let hidden = extent.total.saturating_sub(extent.top + extent.height);
    let cut = if hidden == 0 {
        safe_format!("── the end ──")
    } else {
        safe_format!(
            "── {hidden} more of {} rows: j or PgDn shows them; the last {END}: ──",
            rows.len()
        )
    };
    painter.put_within(area, (0, window.height), area.width, (&cut, Role::Warn));
    for (y, row) in (window.height + 1..area.height).zip(end) {
        painter.row(area, y, row);
    }
    extent
}

/// What does not count yet is said to be so.
fn keys(state: &State, approval: &Approval, painter: &mut Painter<'_>, area: Rect) {
    let armed = state.approvals.armed(state.now);
    let allow = if armed && approval.read { Role::Strong } else { Role::Muted };
    let deny = if armed { Role::Strong } else { Role::Muted };
    let mut x = 0;
    for (text, role) in
        [("y once", allow), ("a this session", allow), ("n deny", deny), ("Esc later", Role::Text)]
    {
        x = painter.put_within(area, (x, 0), area.width.saturating_sub(x), (text, role)) + 3;
    }
    let note = match (armed, approval.read) {
        (_, false) => "scroll to the end first",
        (false, true) => "arming…",
        (true, true) => "",
    };
    painter.put_right(area, (x, 0), note, Role::Warn);
}
