//! What a passage that is not there may have meant.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::text;

/// Lines of the file that are compared, and time that it may take.
const MAX_LINES: usize = 50_000;
const MAX_TIME: Duration = Duration::from_millis(100);

/// Lines that are quoted, and characters of each.
const MAX_QUOTED: usize = 12;
const MAX_QUOTED_BYTES: usize = 300;

/// Lines that are named as similar, and the least likeness.
const MAX_SIMILAR: usize = 3;
const MIN_LIKENESS: f32 = 0.6;

/// What comes near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Near {
    /// The same but for white space: the first line's number, and the lines as they are.
    Spaced(usize, Vec<String>),
    /// Lines that are like the most telling line of the passage, best first.
    Similar(Vec<(usize, String)>),
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spaced(line, lines) => {
                write!(
                    f,
                    "Line {line} on is the same but for white space; the file has:\n{}\n",
                    lines.join("\n")
                )
            }
            Self::Similar(lines) if lines.is_empty() => {
                f.write_str("No line of it is similar. Read the file again.")
            }
            Self::Similar(lines) => {
                f.write_str("The most similar lines are:\n")?;
                for (number, line) in lines {
                    writeln!(f, "{number}: {line}")?;
                }
                Ok(())
            }
        }
    }
}

/// Finds what comes near `wanted`, which is not in `body`.
pub(crate) fn find(body: &str, wanted: &str) -> Near {
    let lines: Vec<&str> = body.lines().take(MAX_LINES).collect();
    let wanted: Vec<&str> = wanted.trim_matches(['\n', '\r']).lines().collect();
    spaced(&lines, &wanted).unwrap_or_else(|| Near::Similar(similar(&lines, &wanted)))
}

fn spaced(lines: &[&str], wanted: &[&str]) -> Option<Near> {
    if wanted.iter().all(|line| line.trim().is_empty()) {
        return None;
    }
    let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
    let at = lines
        .windows(wanted.len())
        .position(|window| window.iter().zip(wanted).all(|(a, b)| same(a, b)))?;
    let quoted = lines.iter().skip(at).take(wanted.len().min(MAX_QUOTED));
    Some(Near::Spaced(at + 1, quoted.map(|line| quote(line)).collect()))
}

fn similar(lines: &[&str], wanted: &[&str]) -> Vec<(usize, String)> {
    // The longest line tells most.
    let Some(telling) = wanted.iter().map(|line| line.trim()).max_by_key(|line| line.len()) else {
        return Vec::new();
    };
    let telling = text::cut(telling, MAX_QUOTED_BYTES);
    let until = Instant::now() + MAX_TIME;
    let mut found: Vec<(f32, usize, &str)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let trimmed = text::cut(line.trim(), MAX_QUOTED_BYTES);
        let (short, long) = (telling.len().min(trimmed.len()), telling.len().max(trimmed.len()));
        // Too unequal in length to be alike, whatever they hold.
        if short * 5 < long * 2 || short == 0 {
            continue;
        }
        if Instant::now() > until {
            break;
        }
        let likeness = similar::TextDiff::from_chars(telling, trimmed).ratio();
        if likeness >= MIN_LIKENESS {
            found.push((likeness, index, line));
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            found.truncate(MAX_SIMILAR);
        }
    }
    found.into_iter().map(|(_, index, line)| (index + 1, quote(line))).collect()
}

fn quote(line: &str) -> String {
    let shown = text::cut(line, MAX_QUOTED_BYTES);
    if shown.len() == line.len() { line.to_owned() } else { format!("{shown} [...]") }
}
