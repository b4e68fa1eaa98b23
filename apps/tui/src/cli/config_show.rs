//! `config show`: the values in force, each with what set it.

use std::io::{self, Write as _};

use super::Exit;
use crate::{config, start::Start};

/// Prints the configuration.
pub(super) fn run(start: &Start) -> anyhow::Result<Exit> {
    start.warn();
    io::stdout().lock().write_all(config::show(&start.loaded).as_bytes())?;
    Ok(Exit::Done)
}
