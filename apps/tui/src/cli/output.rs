//! `output`: outputs that were too long to be returned whole.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, IsTerminal as _, Write as _},
    time::Duration,
};

use callgate_agent::Workbench;
use callgate_exec::{SpillEntry, SpillState};
use jiff::Timestamp;
use regex::RegexBuilder;
use serde_json::json;

use super::{Exit, args::Output};
use crate::start::{Start, UsageError};

/// Bytes of one line that are searched or shown to a person.
const MAX_SHOWN_LINE: usize = 1024 * 1024;

/// Lists, prints, searches or sweeps spilled outputs.
pub(super) fn run(start: &Start, command: &Output) -> anyhow::Result<Exit> {
    let workbench = start.workbench()?;
    match command {
        Output::List { json } => list(&workbench, *json),
        Output::Show { id, offset, limit } => show(&workbench, id, *offset, *limit),
        Output::Grep { id, pattern, ignore_case } => grep(&workbench, id, pattern, *ignore_case),
        Output::Sweep { max_age_days, max_total_bytes } => {
            let configured = &start.loaded.config.output;
            let days = max_age_days.unwrap_or(configured.max_age_days);
            let bytes = max_total_bytes.unwrap_or(configured.max_total_bytes);
            sweep(&workbench, days, bytes)
        }
    }
}

fn list(workbench: &Workbench, json: bool) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    for entry in workbench.spills().list()? {
        if json {
            let created = Timestamp::try_from(entry.created)?.to_string();
            let line = json!({
                "id": entry.id,
                "path": entry.path,
                "of": entry.label,
                "created": created,
                "bytes": entry.bytes,
                "lines": entry.lines,
                "lost_bytes": entry.lost_bytes,
                "state": state(entry.state),
            });
            writeln!(out, "{line}")?;
        } else {
            let created = Timestamp::try_from(entry.created)?.strftime("%Y-%m-%d %H:%M:%SZ");
            let lines = entry.lines.map_or_else(|| "-".to_owned(), |lines| lines.to_string());
            let of: String = crate::plain(&entry.label).chars().take(60).collect();
            writeln!(
                out,
                "{}  {created}  {:>13} bytes  {lines:>9} lines  {:<11}  {of}",
                entry.id,
                entry.bytes,
                state(entry.state)
            )?;
        }
    }
    Ok(Exit::Done)
}

const fn state(state: SpillState) -> &'static str {
    match state {
        SpillState::Live => "live",
        SpillState::Complete => "complete",
        SpillState::Interrupted => "interrupted",
        SpillState::Changed => "changed",
        _ => "missing",
    }
}

/// Bytes as they are for a program; for a person, nothing that could drive the terminal.
fn show(workbench: &Workbench, id: &str, offset: u64, limit: Option<u64>) -> anyhow::Result<Exit> {
    let entry = find(workbench, id)?;
    if entry.state == SpillState::Missing {
        let path = entry.path.display();
        return Err(UsageError::Other(format!("{path} was removed or replaced")).into());
    }
    if entry.state == SpillState::Changed {
        crate::say("warning: the file was changed after its command ended");
    }
    let skipped = offset.saturating_sub(1);
    let limit = limit.unwrap_or(u64::MAX);
    let mut out = BufWriter::new(io::stdout().lock());
    if io::stdout().is_terminal() {
        let lines = workbench.spills().lines(id, MAX_SHOWN_LINE)?;
        for line in lines.skip(usize::try_from(skipped)?).take(usize::try_from(limit)?) {
            writeln!(out, "{}", crate::plain(&line?.text))?;
        }
    } else {
        let mut file = BufReader::with_capacity(1 << 20, File::open(&entry.path)?);
        for _ in 0..skipped {
            if file.skip_until(b'\n')? == 0 {
                break;
            }
        }
        copy_lines(&mut file, &mut out, limit)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Copies lines without ever holding a whole one.
fn copy_lines(from: &mut impl BufRead, to: &mut impl io::Write, mut lines: u64) -> io::Result<()> {
    while lines > 0 {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(buffer.len());
        to.write_all(buffer.get(..length).unwrap_or(buffer))?;
        from.consume(length);
        lines -= u64::from(end.is_some());
    }
    Ok(())
}

fn grep(workbench: &Workbench, id: &str, pattern: &str, ignore_case: bool) -> anyhow::Result<Exit> {
    let matcher = RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .build()
        .map_err(|error| UsageError::Other(format!("the pattern can't be used: {error}")))?;
    find(workbench, id)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut found = false;
    for line in workbench.spills().lines(id, MAX_SHOWN_LINE)? {
        let line = line?;
        if matcher.is_match(&line.text) {
            found = true;
            writeln!(out, "{}:{}", line.number, crate::plain(&line.text))?;
        }
    }
    out.flush()?;
    // As grep has it: a search that finds nothing is told apart from one that does.
    Ok(if found { Exit::Done } else { Exit::Failed })
}

fn sweep(workbench: &Workbench, days: u64, bytes: u64) -> anyhow::Result<Exit> {
    let age = Duration::from_secs(days.saturating_mul(24 * 60 * 60));
    let swept = workbench.spills().sweep(age, bytes)?;
    writeln!(
        io::stdout().lock(),
        "removed {} outputs ({} bytes), kept {} ({} bytes)",
        swept.removed,
        swept.removed_bytes,
        swept.kept,
        swept.kept_bytes
    )?;
    if swept.failed > 0 {
        crate::say(&format!("{} outputs could not be removed", swept.failed));
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}

fn find(workbench: &Workbench, id: &str) -> Result<SpillEntry, UsageError> {
    workbench.spills().find(id).ok_or_else(|| {
        let id = id.escape_debug();
        UsageError::Other(format!("there is no output `{id}`; callgate output list names them"))
    })
}
