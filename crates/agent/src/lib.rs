//! The loop.

mod command;
mod event;
mod handle;
mod permission;

pub use command::{Command, Decision};
pub use event::{Envelope, Event, Outcome, Totals};
pub use handle::Handle;
pub use permission::PermissionMode;
