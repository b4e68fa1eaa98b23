//! The picture of a state. Reads the state and changes nothing but its own cache.

mod approval;
mod batch;
mod cache;
mod composer;
mod conversation;
mod detail;
mod header;
mod help;
mod lanes;
mod layout;
mod paint;
mod status;
mod tiny;
mod words;

#[cfg(test)]
mod tests;

use ratatui::{buffer::Buffer, layout::Position};

pub(crate) use cache::Cache;
use layout::Plan;
use paint::Painter;

use super::{msg::Metrics, state::State, theme::Theme};

/// What a frame came to, besides its cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) metrics: Metrics,
    /// Where the real cursor belongs; nowhere, if it is to be hidden.
    pub(crate) cursor: Option<Position>,
}

/// Draws the state on the whole of `buffer`.
pub(crate) fn draw(state: &State, cache: &mut Cache, theme: Theme, buffer: &mut Buffer) -> Frame {
    let area = buffer.area;
    cache.begin();
    let mut painter = Painter::new(buffer, theme);
    let mut frame = Frame::default();
    if area.is_empty() {
        return frame;
    }
    match layout::plan(state, area) {
        Plan::Tiny(plan) => tiny::draw(state, cache, &mut painter, plan, &mut frame),
        Plan::Full(plan) => {
            header::draw(state, &mut painter, plan.header);
            if let Some(area) = plan.conversation {
                frame.metrics.conversation = conversation::draw(state, cache, &mut painter, area);
            }
            if let Some(area) = plan.summary {
                batch::summary(state, &mut painter, area);
            }
            if let Some(area) = plan.lanes {
                batch::draw(state, &mut painter, area);
            }
            if let Some(area) = plan.detail {
                frame.metrics.work = detail::draw(state, cache, &mut painter, area, state.work);
            }
            if let Some(area) = plan.inspector {
                detail::draw(state, cache, &mut painter, area, detail::other(state.work));
            }
            if let Some(area) = plan.approval {
                frame.metrics.approval = approval::draw(state, cache, &mut painter, area);
            }
            frame.cursor = composer::draw(state, &mut painter, plan.composer);
            status::draw(state, &mut painter, plan.status);
        }
    }
    if let Some(help) = &state.help {
        frame.metrics.help = Some(help::draw(state, *help, &mut painter, area));
        frame.cursor = None;
    }
    frame
}
