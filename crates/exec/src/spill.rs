//! Outputs that are kept in files.
//!
//! A store is one private directory. Each output is a file `ID.out`, with what is known of it in `ID.json` beside it, and
//! each running store holds a lock file that tells others to leave its outputs alone.

mod entry;
mod id;
mod limits;
mod lines;
mod meta;
mod quota;
mod root;
mod session;
mod sink;
mod stamp;
mod store;
mod sweep;
mod writer;

pub use entry::{Line, LinePage, SpillEntry, SpillState, Swept, TextPage};
pub use limits::SpillLimits;
pub use lines::LineReader;
pub use store::SpillStore;
pub use writer::SpillWriter;
