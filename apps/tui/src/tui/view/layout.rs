//! What goes where, by size.

use ratatui::layout::Rect;

use super::{approval, composer};
use crate::tui::state::{Focus, State, Work};

/// Below this the screen is one line per call.
const TINY: (u16, u16) = (40, 10);
/// From here on there are two columns.
const TWO_COLUMNS: (u16, u16) = (100, 30);
/// From here on there are three regions.
const THREE_REGIONS: (u16, u16) = (160, 40);
/// Rows of the batch pane in the stack.
const STACK_BATCH: u16 = 12;

/// Fewer rows than this are not worth a frame.
const MIN_PANE: u16 = 4;

/// Where everything goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    Tiny(TinyPlan),
    Full(FullPlan),
}

/// For the smallest sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TinyPlan {
    pub(super) body: Rect,
    pub(super) composer: Rect,
}

/// For all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FullPlan {
    pub(super) header: Rect,
    pub(super) conversation: Option<Rect>,
    /// One row that stands for the batch pane.
    pub(super) summary: Option<Rect>,
    pub(super) lanes: Option<Rect>,
    pub(super) detail: Option<Rect>,
    pub(super) inspector: Option<Rect>,
    pub(super) approval: Option<Rect>,
    pub(super) composer: Rect,
    pub(super) status: Rect,
}

pub(super) fn plan(state: &State, area: Rect) -> Plan {
    if area.width < TINY.0 || area.height < TINY.1 {
        let (body, composer) = split_bottom(area, 1);
        return Plan::Tiny(TinyPlan { body, composer });
    }
    let (header, rest) = split_top(area, 1);
    let (rest, status) = split_bottom(rest, 1);
    let composer =
        if approval::needs_all_rows(state, area) { 0 } else { composer::height(state, rest) };
    let (rest, composer) = split_bottom(rest, composer);
    let (body, card) = split_bottom(rest, approval::height(state, rest));
    let mut plan = FullPlan { header, composer, status, ..FullPlan::default() };
    plan.approval = (card.height > 0).then_some(card);
    fill(state, area, body, &mut plan);
    Plan::Full(plan)
}

fn fill(state: &State, area: Rect, body: Rect, plan: &mut FullPlan) {
    if state.zoomed && zoom(state, body, plan) {
        return;
    }
    if area.width >= THREE_REGIONS.0 && area.height >= THREE_REGIONS.1 {
        three_regions(state, body, plan);
    } else if area.width >= TWO_COLUMNS.0 && area.height >= TWO_COLUMNS.1 {
        let (left, right) = split_left(body, body.width * 9 / 20);
        plan.conversation = Some(left);
        *work(state, plan) = Some(right);
    } else {
        stack(state, body, plan);
    }
}

/// The focused pane takes the whole body.
const fn zoom(state: &State, body: Rect, plan: &mut FullPlan) -> bool {
    match state.focus {
        Focus::Conversation => plan.conversation = Some(body),
        Focus::Batch => plan.lanes = Some(body),
        Focus::Detail => plan.detail = Some(body),
        Focus::Composer | Focus::Approval => return false,
    }
    true
}

const fn work<'a>(state: &State, plan: &'a mut FullPlan) -> &'a mut Option<Rect> {
    match state.work {
        Work::Lanes => &mut plan.lanes,
        Work::Detail | Work::Spill => &mut plan.detail,
    }
}

fn three_regions(state: &State, body: Rect, plan: &mut FullPlan) {
    let (left, right) = split_left(body, body.width * 2 / 5);
    let (upper, lower) = split_top(right, right.height * 9 / 20);
    plan.conversation = Some(left);
    plan.lanes = Some(upper);
    let (detail, inspector) = split_left(lower, lower.width / 2);
    // The pane with the keys stands where it stood; its companion shows the other view.
    let (first, second) =
        if state.work == Work::Spill { (inspector, detail) } else { (detail, inspector) };
    plan.detail = Some(first);
    plan.inspector = Some(second);
}

fn stack(state: &State, body: Rect, plan: &mut FullPlan) {
    // There is room for one of both, and it goes to what has the keys.
    if state.work != Work::Lanes && state.focus == Focus::Detail {
        plan.detail = Some(body);
        return;
    }
    let Some(batch) = state.batches.current() else {
        plan.conversation = Some(body);
        return;
    };
    let open = !batch.is_over() || state.focus == Focus::Batch;
    let wanted =
        if state.focus == Focus::Batch { body.height * 3 / 4 } else { body.height * 3 / 5 };
    let rows = STACK_BATCH.min(wanted);
    let rows = if open && rows >= MIN_PANE { rows } else { 1 };
    let (upper, lower) = split_bottom(body, rows);
    plan.conversation = Some(upper).filter(|area| !area.is_empty());
    if rows < MIN_PANE {
        plan.summary = Some(lower);
    } else {
        plan.lanes = Some(lower);
    }
}

pub(super) fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let upper = Rect { height: rows, ..area };
    (upper, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

pub(super) fn split_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    split_top(area, area.height - rows.min(area.height))
}

pub(super) fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let left = Rect { width: columns, ..area };
    (left, Rect { x: area.x + columns, width: area.width - columns, ..area })
}
