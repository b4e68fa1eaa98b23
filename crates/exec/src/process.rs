//! Running processes.

mod finished;
mod run;
mod spec;

pub use finished::{Exit, Finished, ProcessName, Stream};
pub use run::run;
pub use spec::{DEFAULT_GRACE, ProcessSpec, Stdin};
