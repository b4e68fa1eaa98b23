//! What came of a plan, told from the results.

use super::{doubt, rounds::Done, step::first_line};

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
    parts.extend(puzzles.iter().map(|puzzle| doubt::told(puzzle)));
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

/// The first and the last lines, as a block that stands out. What a result says of its own cut stays,
/// since it counts what is missing and names where it lies.
pub(super) fn excerpt(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    // A fence longer than any in the text, so that the text can't end it.
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let mut shown: Vec<String> = vec![fence.clone()];
    if lines.len() <= LINES {
        shown.extend(lines.iter().map(|line| short(line)));
    } else {
        let hidden = lines.len() - LINES;
        let cut = lines.iter().find(|line| line.starts_with("[... "));
        shown.extend(lines.iter().take(LINES / 2).map(|line| short(line)));
        shown.push(match cut {
            Some(cut) => (*cut).to_owned(),
            None => format!("… {hidden} lines …"),
        });
        shown.extend(lines.iter().skip(LINES / 2 + hidden).map(|line| short(line)));
    }
    shown.push(fence);
    shown.join("\n")
}

fn short(line: &str) -> String {
    let mut text: String = line.chars().take(LINE_CHARS).collect();
    if line.chars().nth(LINE_CHARS).is_some() {
        text.push('…');
    }
    text
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
