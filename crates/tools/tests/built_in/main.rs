//! The built-in tools as their callers see them, on real files and real processes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::format_collect,
    clippy::string_slice,
    reason = "helpers of tests may panic as tests do, and what is cut is ASCII"
)]

mod commands;
mod editing;
mod ledger;
mod outputs;
mod paths;
mod reading;
mod searching;
mod support;
