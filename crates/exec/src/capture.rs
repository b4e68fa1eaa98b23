//! Bounding an output: whole while it is short, head and tail and a file once it is long.

mod captured;
mod collector;
mod edge;
mod keep;
mod notice;
mod shown;
mod window;

pub use captured::{CaptureOptions, Captured, SpillInfo};
pub use collector::{Collector, capture_bytes, capture_reader};
pub(crate) use shown::{count, shown};
