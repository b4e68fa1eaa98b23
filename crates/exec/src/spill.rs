//! Outputs that are kept in files.

mod entry;
mod limits;
mod lines;
mod store;

pub use entry::{Line, LinePage, SpillEntry, SpillState, Swept, TextPage};
pub use limits::SpillLimits;
pub use lines::LineReader;
pub use store::SpillStore;
