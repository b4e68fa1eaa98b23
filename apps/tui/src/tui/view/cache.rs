//! Text that was wrapped before. Kept apart from the state, and bounded.

use std::{collections::HashMap, rc::Rc};

use crate::tui::text::Row;

/// Rows that are kept at most; about a hundred screens.
const MAX_ROWS: usize = 20_000;

/// What a wrapped text is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Entry(u64),
    Detail { batch: u64, call: usize },
    Received { batch: u64, call: usize },
    Payload { batch: u64, call: usize },
}

#[derive(Debug)]
struct Wrapped {
    version: u64,
    width: u16,
    rows: Rc<[Row]>,
    used: u64,
}

/// Wrapped texts, by what they are of.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    wrapped: HashMap<Source, Wrapped>,
    rows: usize,
    frame: u64,
}

impl Cache {
    /// A new frame begins; what is used in it is kept.
    pub(super) fn begin(&mut self) {
        self.frame += 1;
        if self.rows > MAX_ROWS {
            let frame = self.frame;
            self.wrapped.retain(|_, wrapped| wrapped.used + 1 >= frame);
            self.rows = self.wrapped.values().map(|wrapped| wrapped.rows.len()).sum();
        }
    }

    /// The rows of `source` as they were, or as `wrap` makes them if it changed.
    pub(super) fn rows(
        &mut self,
        source: Source,
        (version, width): (u64, u16),
        wrap: impl FnOnce() -> Vec<Row>,
    ) -> Rc<[Row]> {
        let frame = self.frame;
        if let Some(known) = self.wrapped.get_mut(&source)
            && (known.version, known.width) == (version, width)
        {
            known.used = frame;
            return Rc::clone(&known.rows);
        }
        let rows: Rc<[Row]> = wrap().into();
        self.rows += rows.len();
        let wrapped = Wrapped { version, width, rows: Rc::clone(&rows), used: frame };
        if let Some(old) = self.wrapped.insert(source, wrapped) {
            self.rows = self.rows.saturating_sub(old.rows.len());
        }
        rows
    }
}
