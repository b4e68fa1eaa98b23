//! The smallest screens: a line for each running call, and the composer.

use ratatui::layout::{Position, Rect};

use super::{Cache, Frame, Painter, approval, composer, header, layout::TinyPlan, words};
use crate::tui::{
    state::{Body, Call, Focus, Phase, State},
    text::{Role, SafeText, safe_format},
};

pub(super) fn draw(
    state: &State,
    cache: &mut Cache,
    painter: &mut Painter<'_>,
    plan: TinyPlan,
    frame: &mut Frame,
) {
    let body = plan.body;
    if let Some(question) = state.approvals.first().filter(|_| state.focus == Focus::Approval) {
        // What would run goes before what it is.
        let head = u16::from(body.height >= 3);
        let what = safe_format!(
            "{} {}  a: {}",
            approval::label(question),
            question.tool.as_str(),
            question.scope.as_str()
        );
        if head == 1 {
            painter.put_within(body, (0, 0), body.width, (&what, Role::Warn));
        }
        let payload = Rect { y: body.y + head, height: body.height - head, ..body };
        frame.metrics.approval = Some(approval::payload(question, cache, painter, payload));
        let keys = if state.approvals.armed(state.now) {
            "y once  a session  n deny"
        } else {
            "arming…"
        };
        painter.put_within(plan.composer, (0, 0), plan.composer.width, (keys, Role::Warn));
        return;
    }
    let activity = header::activity(state);
    if body.height > 0 {
        painter.row(body, 0, &activity);
    }
    let lines = Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body };
    if !lines.is_empty() {
        calls(state, painter, lines);
    }
    frame.cursor = prompt(state, painter, plan.composer);
}

/// The calls that are not over, or else the last words.
fn calls(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let now = state.engine_now();
    let calls = state.batches.latest().map(|batch| batch.calls.as_slice()).unwrap_or_default();
    let runs = |call: &&Call| matches!(call.phase(), Phase::Running | Phase::Stopping);
    let waits = |call: &&Call| !call.is_over() && !runs(call);
    let mut y = 0;
    for call in calls.iter().filter(runs).chain(calls.iter().filter(waits)).take(area.height.into())
    {
        let text = safe_format!(
            "{} {} {}  {}",
            call.label().as_str(),
            call.name.as_str(),
            words::state(call, now).as_str(),
            call.subject.as_str()
        );
        painter.put_within(area, (0, y), area.width, (&text, words::role(call.phase())));
        y += 1;
    }
    if y == 0 {
        last_words(state, painter, area);
    }
}

fn last_words(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let said = |body: &Body| match body {
        Body::You(text)
        | Body::Agent(text)
        | Body::Notice(text)
        | Body::Error(text)
        | Body::Summary(text) => Some(text.clone()),
        Body::Thinking(_) | Body::Batch(_) => None,
    };
    let last = state.conversation.entries().iter().rev().find_map(|entry| said(&entry.body));
    let text: SafeText = last.unwrap_or_default();
    let rows = crate::tui::text::wrap_text(&text, Role::Text, area.width.into());
    painter.rows(area, &rows, usize::MAX);
}

fn prompt(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<Position> {
    let mark = if area.width > 4 { painter.put(area, (0, 0), "> ", Role::Accent) } else { 0 };
    let text = Rect { x: area.x + mark, width: area.width.saturating_sub(mark), ..area };
    let caret =
        if text.is_empty() { None } else { composer::editor(&state.composer, painter, text) };
    caret.filter(|_| state.focus == Focus::Composer)
}
