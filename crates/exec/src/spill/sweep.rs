//! Letting old outputs go.

use std::{
    collections::HashMap,
    fs::File,
    time::{Duration, SystemTime},
};

use super::{
    Swept, id,
    meta::{Meta, TEMPORARY},
    root::Root,
    session::{Session, is_locked},
    writer::output_name,
};
use crate::error::ExecError;

/// How old a leftover must be before it is surely nobody's work in progress.
const LEFTOVER_AGE: Duration = Duration::from_hours(1);

struct Candidate {
    id: String,
    bytes: u64,
    age: Duration,
    in_use: bool,
}

pub(super) fn sweep(root: &Root, max_age: Duration, max_total: u64) -> Result<Swept, ExecError> {
    let names = root.names()?;
    let mut running = HashMap::new();
    let ids = names.iter().filter_map(|name| name.strip_suffix(".out"));
    let mut candidates: Vec<_> = ids.filter_map(|id| candidate(root, id, &mut running)).collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.age));

    let mut total: u64 = candidates.iter().map(|candidate| candidate.bytes).sum();
    let mut swept = Swept::default();
    for Candidate { id, bytes, age, in_use } in candidates {
        let wanted = age <= max_age && total <= max_total;
        if in_use || wanted || !remove(root, &id) {
            swept.failed += u64::from(!in_use && !wanted);
            swept.kept += 1;
            swept.kept_bytes += bytes;
        } else {
            swept.removed += 1;
            swept.removed_bytes += bytes;
            total -= bytes;
        }
    }
    for name in &names {
        if is_leftover(root, name) {
            // It will be a leftover next time, too.
            let _ = root.remove(name);
        }
    }
    Ok(swept)
}

fn candidate(root: &Root, id: &str, running: &mut HashMap<String, bool>) -> Option<Candidate> {
    if !id::is_valid(id) {
        return None;
    }
    let file = root.read(&output_name(id)).ok()?;
    let session = Meta::read(root, id).map(|meta| meta.session);
    let in_use = is_locked(&file)
        || session.is_some_and(|session| {
            *running.entry(session).or_insert_with_key(|session| Session::is_running(root, session))
        });
    let bytes = file.metadata().ok()?.len();
    Some(Candidate { id: id.to_owned(), bytes, age: age(&file), in_use })
}

/// Since it was last written; a time in the future counts as now.
fn age(file: &File) -> Duration {
    let written = file.metadata().and_then(|metadata| metadata.modified());
    let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
    SystemTime::now().duration_since(written).unwrap_or_default()
}

/// The sidecar goes last: without its output it is a leftover, while an output without it would lose its label.
fn remove(root: &Root, id: &str) -> bool {
    let removed = root.remove(&output_name(id)).is_ok();
    if removed {
        let _ = root.remove(&Meta::name(id));
    }
    removed
}

/// A sidecar without an output, an unfinished sidecar, the mark of a store that died.
fn is_leftover(root: &Root, name: &str) -> bool {
    let old = |file: &File| age(file) > LEFTOVER_AGE;
    let Ok(file) = root.read(name) else {
        return false;
    };
    match name.rsplit_once('.') {
        None => name.starts_with(TEMPORARY) && old(&file),
        Some((id, "lock")) => id::is_valid(id) && !is_locked(&file) && old(&file),
        Some((id, "json")) => {
            id::is_valid(id) && root.stat(&output_name(id)).is_err() && old(&file)
        }
        Some(_) => false,
    }
}
