//! What came of a plan, told from the results.

use super::{rounds::Done, step::first_line};

/// The most lines that are shown of one result: the app shows the whole beside it.
const LINES: usize = 12;

/// The most characters of one such line.
const LINE_CHARS: usize = 160;

/// Tells what came of each call.
pub(super) fn of(rounds: &[Vec<Done>], puzzles: &[String]) -> String {
    let calls: Vec<&Done> = rounds.iter().flatten().collect();
    let failed = calls.iter().filter(|done| done.is_error).count();
    let mut parts = Vec::new();
    if calls.len() > 1 {
        parts.push(match failed {
            0 => format!("All {} calls succeeded.", calls.len()),
            _ => format!("{failed} of {} calls failed.", calls.len()),
        });
    }
    parts.extend(calls.into_iter().map(one));
    for puzzle in puzzles {
        parts.push(format!("I did not understand “{}”; I am the offline model.", puzzle.trim()));
    }
    parts.join("\n\n")
}

fn one(done: &Done) -> String {
    let subject = subject(done);
    if done.is_error {
        return format!("{subject} failed:\n{}", excerpt(&done.text));
    }
    if done.text.trim().is_empty() {
        return format!("{subject}: done, without output.");
    }
    match done.name.as_str() {
        "write_file" | "edit_file" => format!("{subject}: {}", first_line(&done.text)),
        _ => format!("{subject}:\n{}", excerpt(&done.text)),
    }
}

fn subject(done: &Done) -> String {
    let named = ["command", "path", "pattern", "id"].iter().find_map(|name| done.argument(name));
    match named {
        Some(argument) => format!("`{}` of `{}`", done.name, first_line(&argument)),
        None => format!("`{}`", done.name),
    }
}

/// The first lines, as a block that stands out.
pub(super) fn excerpt(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    // A fence longer than any in the text, so that the text can't end it.
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let mut out = format!("{fence}\n");
    for line in lines.iter().take(LINES) {
        out.extend(line.chars().take(LINE_CHARS));
        if line.chars().nth(LINE_CHARS).is_some() {
            out.push('…');
        }
        out.push('\n');
    }
    out.push_str(&fence);
    if let Some(more) = lines.len().checked_sub(LINES).filter(|more| *more > 0) {
        let rest = format!("\n… and {more} more lines.");
        out.push_str(&rest);
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
