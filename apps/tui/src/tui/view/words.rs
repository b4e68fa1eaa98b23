//! The words, glyphs and colours of states and amounts.

use crate::tui::{
    state::{Call, Counts, Phase},
    text::{Piece, Role, Row, SafeText, safe_format},
    theme::Glyphs,
};

pub(super) const fn glyph(phase: Phase, glyphs: &Glyphs) -> &'static str {
    match phase {
        Phase::Queued => glyphs.queued,
        Phase::Waiting | Phase::Asking => glyphs.waiting,
        Phase::Running | Phase::Stopping => glyphs.running,
        Phase::Done => glyphs.done,
        Phase::Failed(_) => glyphs.failed,
        Phase::Cancelled | Phase::Denied => glyphs.stopped,
    }
}

pub(super) const fn role(phase: Phase) -> Role {
    match phase {
        Phase::Queued | Phase::Cancelled => Role::Muted,
        Phase::Waiting | Phase::Asking | Phase::Stopping | Phase::Denied => Role::Warn,
        Phase::Running => Role::Accent,
        Phase::Done => Role::Ok,
        Phase::Failed(_) => Role::Error,
    }
}

/// How many calls, in words.
pub(super) fn calls(count: usize) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

/// The state of a call in words; the word alone says everything.
pub(super) fn state(call: &Call, now_us: u64) -> SafeText {
    let ran = call.ran_us(now_us).map(duration).unwrap_or_default();
    match call.phase() {
        Phase::Queued => SafeText::clean("queue"),
        Phase::Waiting => safe_format!("wait {}", waits_for(call)),
        Phase::Asking if call.waits_for.is_some() => safe_format!("ask, after {}", waits_for(call)),
        Phase::Asking => SafeText::clean("ask"),
        Phase::Running => safe_format!("run {ran:>6}"),
        Phase::Stopping => safe_format!("stop {ran:>5}"),
        Phase::Done => safe_format!("ok {ran:>7}"),
        Phase::Failed(code) => match call.ended.as_ref().and_then(|ended| ended.exit_code) {
            Some(exit) => safe_format!("FAIL exit {exit}"),
            None => safe_format!("FAIL {}", code.as_str()),
        },
        Phase::Cancelled => SafeText::clean("cncl"),
        Phase::Denied => SafeText::clean("deny"),
    }
}

/// The same without a running clock, for what is drawn once.
pub(super) fn still(call: &Call) -> SafeText {
    match call.phase() {
        Phase::Running => SafeText::clean("run"),
        Phase::Stopping => SafeText::clean("stop"),
        _ => state(call, 0),
    }
}

/// `c3`, `c1 c3`, `c1 +4`, or `slot`.
fn waits_for(call: &Call) -> String {
    let label = |index: &usize| format!("c{}", index.saturating_add(1));
    match call.waits_for.as_deref() {
        None | Some([]) => "slot".into(),
        Some([only]) => label(only),
        Some([first, second]) => format!("{} {}", label(first), label(second)),
        Some([first, rest @ ..]) => format!("{} +{}", label(first), rest.len()),
    }
}

/// A time in four to six columns.
pub(super) fn duration(us: u64) -> String {
    let ms = us / 1_000;
    match ms {
        0 => format!("{us}µs"),
        1..1_000 => format!("{ms}ms"),
        1_000..60_000 => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{}m{:02}s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{}h{:02}m", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// An amount of bytes in at most seven columns.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if count < 1_000 {
        return format!("{count} B");
    }
    let mut tenths = count / 100;
    for unit in UNITS {
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1_000;
    }
    format!("{} EB", tenths / 10)
}

/// A number with its thousands apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `2 ok  1 run  1 FAIL`.
pub(super) fn counts(counts: Counts) -> Row {
    let mut row = Row::default();
    let all = [
        (counts.done, "ok", Role::Ok),
        (counts.running, "run", Role::Accent),
        (counts.failed, "FAIL", Role::Error),
        (counts.asking, "ask", Role::Warn),
        (counts.waiting, "wait", Role::Warn),
        (counts.queued, "queue", Role::Muted),
        (counts.cancelled, "cncl", Role::Muted),
        (counts.denied, "deny", Role::Warn),
    ];
    for (count, word, role) in all.into_iter().filter(|(count, _, _)| *count > 0) {
        let gap = if row.pieces.is_empty() { "" } else { "  " };
        row.pieces.push(Piece { text: safe_format!("{gap}{count} {word}"), role });
    }
    row
}
