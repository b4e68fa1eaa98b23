//! `read_output`: pages and searches an output that was too long to be shown.

use std::sync::Arc;

use callgate_exec::{SpillEntry, SpillState, SpillStore};
use callgate_registry::{Content, Effects, ToolError, ToolOutput, ToolSpec};
use grep_matcher::Matcher as _;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Toolbox, arguments,
    blocking::{StopFlag, blocking},
    grep, text,
    toolbox::LOOKS_ONLY,
};

const NAME: &str = "read_output";

const DESCRIPTION: &str = "\
Reads an output that was too long to be shown whole, by the id that was given with its start and end. \
With offset and limit it returns those lines; with pattern, a regular expression as in grep, it \
returns the lines that match, as line:text, from offset on and limit of them at most. One answer is \
bounded to 50 KiB and says where to go on. Search before paging: errors are found faster that way.";

/// Bytes shown of a line.
const MAX_LINE_BYTES: usize = 2_000;

/// Lines that are read at a time.
const STEP: usize = 500;

/// Outputs that are offered in place of one that does not exist.
const MAX_OFFERED: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id of the output.
    id: String,
    /// The first line wanted, counted from 1.
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines at most.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// Returns only lines that match this regular expression.
    pattern: Option<String>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let run = Arc::clone(toolbox);
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |stop| read(&toolbox, &arguments, stop))
    })
    .effects(|arguments| {
        Effects::reads_named(format!("output/{}", arguments::text(arguments, "id")))
    })
    .subject("id")
    .max_output_bytes(None)
    .annotations(LOOKS_ONLY)
}

fn read(
    toolbox: &Toolbox,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolError> {
    let spills = toolbox.spills();
    let entry = spills.find(&arguments.id).ok_or_else(|| unknown(spills, &arguments.id))?;
    let mut remarks = Vec::new();
    match entry.state {
        SpillState::Missing => {
            return Err(ToolError::failed(format!(
                "The file of output {} was deleted. Run the command again if it is still needed.",
                entry.id
            )));
        }
        SpillState::Changed => remarks.push(
            "WARNING: somebody changed this file after it was written; don't rely on it".to_owned(),
        ),
        SpillState::Interrupted => {
            remarks.push("its writer died before the end; this is what it had written".to_owned());
        }
        SpillState::Live => remarks.push("it is still being written".to_owned()),
        _ => {}
    }
    if entry.lost_bytes > 0 {
        let lost = text::count(entry.lost_bytes, "byte", "bytes");
        remarks.push(format!("{lost} after these could not be kept and are lost"));
    }
    let answer = match &arguments.pattern {
        None => page(toolbox, &entry, arguments, stop)?,
        Some(pattern) => search(toolbox, &entry, arguments, pattern, stop)?,
    };
    let mut output = ToolOutput::default();
    if !answer.lines.is_empty() {
        output.content.push(Content::text(answer.lines));
    }
    remarks.insert(0, answer.remark);
    output.content.push(Content::text(format!("[{}]", remarks.join("; "))));
    Ok(output)
}

/// Lines, and which they are.
struct Answer {
    lines: String,
    remark: String,
}

fn page(
    toolbox: &Toolbox,
    entry: &SpillEntry,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<Answer, ToolError> {
    let first = arguments::line(arguments.offset).get();
    let mut room = Room::new(toolbox, arguments.limit);
    let mut next = Some(first);
    while let Some(from) = next
        && room.is_left()
        && !stop.is_set()
    {
        let page =
            toolbox.spills().read_lines(&entry.id, from, STEP).map_err(|e| failed(entry, &e))?;
        next = page.next_line;
        for line in page.lines {
            if !room.push(&shortened(&line.text, line.cut_bytes)) {
                next = Some(line.number);
                break;
            }
        }
    }
    if room.count == 0 {
        return Err(ToolError::failed(match entry.lines {
            Some(lines) => format!(
                "Output {} has no line {first}: it has {}.",
                entry.id,
                text::count(lines, "line", "lines")
            ),
            None => format!("Output {} has no line {first} yet.", entry.id),
        }));
    }
    let last = first + room.count - 1;
    let total =
        entry.lines.map_or_else(String::new, |lines| format!(" of {}", text::grouped(lines)));
    let on = next.map_or_else(String::new, |next| format!("; go on with offset {next}"));
    Ok(Answer { lines: room.lines, remark: format!("lines {first}-{last}{total}{on}") })
}

fn search(
    toolbox: &Toolbox,
    entry: &SpillEntry,
    arguments: &Arguments,
    pattern: &str,
    stop: &StopFlag,
) -> Result<Answer, ToolError> {
    let matcher = grep::matcher(pattern, false)?;
    let first = arguments::line(arguments.offset).get();
    let mut room = Room::new(toolbox, arguments.limit);
    let (mut matches, mut next) = (0_u64, None);
    // Longer lines are searched than are shown.
    let lines = toolbox.spills().lines(&entry.id, 64 * 1024).map_err(|e| failed(entry, &e))?;
    for line in lines {
        let line = line.map_err(|error| failed(entry, &error))?;
        if stop.is_set() {
            break;
        }
        if line.number < first || !matcher.is_match(line.text.as_bytes()).unwrap_or(false) {
            continue;
        }
        matches += 1;
        let text = format!("{}:{}", line.number, shortened(&line.text, line.cut_bytes));
        if next.is_none() && !(room.is_left() && room.push(&text)) {
            next = Some(line.number);
        }
    }
    let found = text::count(matches, "match", "matches");
    let remark = match next {
        None if matches == 0 => format!("no match for {}", text::echo(pattern)),
        None => found,
        Some(next) => format!(
            "{found}, of which {} are shown; go on with offset {next}",
            text::grouped(room.count)
        ),
    };
    Ok(Answer { lines: room.lines, remark })
}

/// The bound of an answer.
struct Room {
    lines: String,
    count: u64,
    limit: u64,
    max_bytes: usize,
    /// Whether a line was turned away: no shorter one may take its place.
    full: bool,
}

impl Room {
    fn new(toolbox: &Toolbox, limit: Option<u64>) -> Self {
        let limit = limit.unwrap_or(u64::MAX);
        let max_bytes = toolbox.max_shown_bytes();
        Self { lines: String::new(), count: 0, limit, max_bytes, full: false }
    }

    const fn is_left(&self) -> bool {
        !self.full && self.count < self.limit && self.lines.len() < self.max_bytes
    }

    /// Adds a line, if it fits; the first always does.
    fn push(&mut self, line: &str) -> bool {
        let fits = self.is_left() && self.lines.len() + line.len() < self.max_bytes;
        if !fits && self.count > 0 {
            self.full = true;
            return false;
        }
        if self.count > 0 {
            self.lines.push('\n');
        }
        self.lines.push_str(line);
        self.count += 1;
        true
    }
}

fn shortened(line: &str, cut_bytes: u64) -> String {
    let shown = text::cut(line, MAX_LINE_BYTES);
    let hidden =
        u64::try_from(line.len() - shown.len()).unwrap_or(u64::MAX).saturating_add(cut_bytes);
    if hidden == 0 {
        return shown.to_owned();
    }
    format!("{shown} [... {} of this line left out]", text::count(hidden, "byte", "bytes"))
}

fn failed(entry: &SpillEntry, error: &impl std::fmt::Display) -> ToolError {
    ToolError::failed(format!("Output {} can't be read: {error}.", entry.id))
}

/// Says that there is no such output, and which there are.
fn unknown(spills: &SpillStore, id: &str) -> ToolError {
    let mut entries = spills.list().unwrap_or_default();
    let likeness = |entry: &SpillEntry| {
        similar::TextDiff::from_chars(text::cut(id, 64), entry.id.as_str()).ratio()
    };
    // Stable, so that among equally unlike ones the newest come first.
    entries.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    let offered: Vec<String> = entries
        .iter()
        .take(MAX_OFFERED)
        .map(|entry| format!("{} ({})", entry.id, entry.label))
        .collect();
    let id = text::cut(id, 64);
    ToolError::failed(match offered.as_slice() {
        [] => format!("There is no output {id}; none is kept at all."),
        offered => format!("There is no output {id}. There are: {}.", offered.join(", ")),
    })
}
