//! `tools list`: the ledger, as people or as a wire format see it.

use std::io::{self, Write as _};

use callgate_agent::Workbench;
use callgate_registry::Dialect;
use serde_json::json;

use super::{Exit, args::Tools};
use crate::start::{Start, UsageError};

/// Prints the ledger.
pub(super) fn run(start: &Start, tools: &Tools) -> anyhow::Result<Exit> {
    let Tools::List { json, dialect } = tools;
    let dialect = match dialect {
        None => None,
        Some(name) => {
            Some(name.parse::<Dialect>().map_err(|error| UsageError::Other(error.to_string()))?)
        }
    };
    let workbench = start.workbench()?;
    match (dialect, *json) {
        (Some(dialect), _) => print_dialect(&workbench, dialect)?,
        (None, true) => print_json(&workbench)?,
        (None, false) => print_people(&workbench)?,
    }
    Ok(Exit::Done)
}

/// The definitions on standard output, what the dialect can't express on standard error.
fn print_dialect(workbench: &Workbench, dialect: Dialect) -> anyhow::Result<()> {
    let projection = workbench.registry().snapshot().project(dialect);
    for note in &projection.notes {
        crate::say(&format!("note: {} {}: {}", note.tool, note.pointer, note.message));
    }
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &projection.tools)?;
    Ok(out.write_all(b"\n")?)
}

fn print_json(workbench: &Workbench) -> anyhow::Result<()> {
    let snapshot = workbench.registry().snapshot();
    let tools: Vec<_> = snapshot
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name(),
                "description": tool.description(),
                "input_schema": tool.schema().as_value(),
                "annotations": tool.annotations(),
            })
        })
        .collect();
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &tools)?;
    Ok(out.write_all(b"\n")?)
}

fn print_people(workbench: &Workbench) -> anyhow::Result<()> {
    let snapshot = workbench.registry().snapshot();
    let mut out = io::stdout().lock();
    for tool in snapshot.iter() {
        let nature = if tool.annotations().read_only { "reads" } else { "may change things" };
        let first = crate::plain(tool.description());
        let first = first.split_inclusive(". ").next().unwrap_or_default().trim_end();
        writeln!(out, "{:<12} {nature:<18} {first}", tool.name())?;
    }
    Ok(())
}
