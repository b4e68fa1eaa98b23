//! The kit of the whole-system tests: the binary, a place to run it in, a model server, a terminal.
//!
//! The tests see what a person's shell sees: arguments, files, exit codes, bytes. Nothing here sleeps
//! to wait for something; whatever is waited for has a deadline, [`LIMIT`], which is for hangs only.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::return_self_not_must_use,
    reason = "a kit of tests fails by panicking"
)]

mod binary;
pub mod model;
mod processes;
mod pty;
mod running;
mod sandbox;

use std::time::Duration;

pub use binary::{callgate, cargo};
pub use model::{Gate, ModelServer, Turn, Wire};
pub use processes::{alive, eventually, marker};
pub use pty::Pty;
pub use running::{Ran, Running};
pub use rustix::process::Signal;
pub use sandbox::Sandbox;

/// How long anything may take before a test calls it hung. A loaded machine is slow, never this slow.
pub const LIMIT: Duration = Duration::from_mins(2);
