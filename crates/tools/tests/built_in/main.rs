//! The built-in tools as their callers see them, on real files and real processes.

mod commands;
mod editing;
mod ledger;
mod outputs;
mod paths;
mod reading;
mod searching;
mod support;
