//! Running processes.

mod child;
mod exit_notice;
mod feed;
mod finished;
mod leader;
mod pump;
mod run;
mod shell;
mod spec;
mod start;
mod stopper;
mod supervise;
mod tree;

pub(crate) use child::ignore_file_size_signal;
pub use finished::{Exit, Finished, ProcessName, Stream};
pub use run::run;
pub use spec::{DEFAULT_GRACE, ProcessSpec, Stdin};
pub use tree::kill_descendants;
