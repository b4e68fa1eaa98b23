//! Places in text that is scrolled.

use crate::tui::msg::{Extent, Placed};

/// A place in a text whose extent the last frame found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    pub(crate) top: usize,
    extent: Extent,
}

impl Scroll {
    /// Moves by rows; the end is where the last row is in sight.
    pub(crate) fn by(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top());
    }

    pub(crate) const fn go_top(&mut self) {
        self.top = 0;
    }

    pub(crate) const fn go_end(&mut self) {
        self.top = self.last_top();
    }

    /// To the row that the frame marked, or else to the end.
    pub(crate) fn go_mark(&mut self) {
        let mark = self.extent.mark.unwrap_or(usize::MAX);
        self.top = mark.saturating_sub(self.extent.height / 2).min(self.last_top());
    }

    /// Rows of a page, with one of overlap.
    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.extent.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Takes what the frame found.
    pub(crate) const fn drawn(&mut self, extent: Extent) {
        self.top = extent.top;
        self.extent = extent;
    }

    const fn last_top(&self) -> usize {
        self.extent.total.saturating_sub(self.extent.height)
    }
}

/// Where the conversation stands. Following is a mode that only the person changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The last row stays in sight.
    #[default]
    Follow,
    /// This row of this entry stays at the top.
    At { entry: usize, row: usize },
}

impl Anchor {
    /// The place that the last frame showed.
    pub(crate) const fn from_placed(placed: Placed) -> Self {
        Self::At { entry: placed.entry, row: placed.row }
    }
}
