//! Processes and their outputs.

mod capture;
mod environment;
mod error;
mod process;
mod spill;

pub use capture::{CaptureOptions, Captured, Collector, SpillInfo, capture_bytes, capture_reader};
pub use environment::{DEFAULT_ALLOWED, Environment};
pub use error::ExecError;
pub use process::{DEFAULT_GRACE, Exit, Finished, ProcessName, ProcessSpec, Stdin, Stream, run};
pub use spill::{
    Line, LinePage, LineReader, SpillEntry, SpillLimits, SpillState, SpillStore, SpillWriter,
    Swept, TextPage,
};
