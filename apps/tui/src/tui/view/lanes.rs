//! Time from left to right.

use ratatui::layout::Rect;

use super::{Painter, words};
use crate::tui::{
    state::{Call, Phase},
    text::{Role, safe_format},
};

/// Columns that a mark on the axis needs.
const MARK: u16 = 9;

/// Maps time to columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    began_us: u64,
    span_us: u64,
    columns: u16,
}

impl Axis {
    /// From `began_us` to a round time past `until_us`, so that the scale stands still for a while.
    pub(super) fn new(began_us: u64, until_us: u64, columns: u16) -> Self {
        let span_us = round_up(until_us.saturating_sub(began_us).max(1_000));
        Self { began_us, span_us, columns }
    }

    fn column(self, at_us: u64) -> u16 {
        let past = u128::from(at_us.saturating_sub(self.began_us));
        let column = past * u128::from(self.columns) / u128::from(self.span_us.max(1));
        u16::try_from(column).unwrap_or(u16::MAX).min(self.columns.saturating_sub(1))
    }

    pub(super) fn draw(self, painter: &mut Painter<'_>, area: Rect, at: u16) {
        let marks = u64::from((self.columns / MARK).min(5));
        for mark in 0..marks {
            let time = self.span_us / marks * mark;
            let text =
                safe_format!("|{}", if mark == 0 { "0".into() } else { words::duration(time) });
            painter.put(area, (at + self.column(self.began_us + time), 0), &text, Role::Muted);
        }
    }
}

/// The next of 1, 2, 5, 10, 20, …
fn round_up(us: u64) -> u64 {
    let mut unit = 1_000_u64;
    loop {
        for step in [1, 2, 5] {
            let candidate = unit.saturating_mul(step);
            if candidate >= us || candidate == u64::MAX {
                return candidate;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// The life of one call: waiting, then running, then how it ended.
pub(super) fn bar(
    call: &Call,
    painter: &mut Painter<'_>,
    (area, at, y): (Rect, u16, u16),
    (axis, now_us): (Axis, u64),
) {
    let glyphs = painter.glyphs();
    let phase = call.phase();
    let until = call.ended.as_ref().map_or(now_us, |ended| ended.at_us);
    let queued = axis.column(call.queued_us);
    let end = axis.column(until).max(queued);
    let started = call.started_us.map_or(end, |started| axis.column(started).min(end));
    painter.line(area, (at + queued, y), started - queued, (glyphs.bar_waiting, Role::Muted));
    if call.started_us.is_none() {
        let mark = if call.is_over() { glyphs.stopped } else { glyphs.bar_waiting };
        painter.put(area, (at + end, y), mark, words::role(phase));
        return;
    }
    let (body, head) = match phase {
        Phase::Running | Phase::Stopping => (glyphs.bar_running, glyphs.bar_head),
        Phase::Failed(_) => (glyphs.bar_failed, glyphs.failed),
        Phase::Cancelled | Phase::Denied => (glyphs.bar_failed, glyphs.stopped),
        _ => (glyphs.bar_done, glyphs.bar_done),
    };
    painter.line(area, (at + started, y), end - started, (body, words::role(phase)));
    painter.put(area, (at + end, y), head, words::role(phase));
}
