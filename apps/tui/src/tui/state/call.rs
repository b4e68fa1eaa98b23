//! One call, from its admission to its answer.

use callgate_dispatch::{ErrorCode, Timing, ToolResult};
use callgate_registry::Spill;
use serde_json::Value;

use super::Tail;
use crate::tui::text::{SafeText, fold_blanks, safe_format};

/// Bytes of arguments that are kept for the detail view.
const MAX_ARGUMENTS: usize = 256 * 1024;
/// Steps that are kept; a call has about eight.
const MAX_STEPS: usize = 32;

/// Something that happened to the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) at_us: u64,
    pub(crate) what: SafeText,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) at_us: u64,
    pub(crate) error: Option<ErrorCode>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) timing: Timing,
    /// What the model received, with nothing hidden but escape sequences.
    pub(crate) text: SafeText,
    pub(crate) repairs: Vec<SafeText>,
}

/// The state of a call; its word and its glyph are shown for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Queued,
    Waiting,
    Asking,
    Running,
    Stopping,
    Done,
    Failed(ErrorCode),
    Cancelled,
    Denied,
}

/// A call.
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent, as the events are")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool_use_id: String,
    pub(crate) index: usize,
    pub(crate) name: SafeText,
    /// What it is about, on one line.
    pub(crate) subject: SafeText,
    /// Its arguments with nothing hidden, as the person judges them.
    pub(crate) arguments: SafeText,
    /// What allowing it for the session would allow.
    pub(crate) scope: SafeText,
    pub(crate) read_only: bool,
    pub(crate) queued_us: u64,
    pub(crate) started_us: Option<u64>,
    /// The calls that it waits for now; an empty list: for a slot.
    pub(crate) waits_for: Option<Vec<usize>>,
    pub(crate) asking: bool,
    pub(crate) stopping: bool,
    /// It came behind a barrier: everything before it had to end first.
    pub(crate) behind_barrier: bool,
    pub(crate) tail: Tail,
    pub(crate) spill: Option<Spill>,
    pub(crate) ended: Option<Ended>,
    pub(crate) steps: Vec<Step>,
    /// Changes with everything that the detail view shows.
    pub(crate) version: u64,
}

impl Call {
    pub(crate) fn queued(at_us: u64, index: usize, queued: Queued<'_>) -> Self {
        let subject = queued.subject.map_or_else(|| brief(queued.arguments), str::to_owned);
        let mut call = Self {
            tool_use_id: queued.tool_use_id.to_owned(),
            index,
            name: SafeText::first_line(queued.name),
            subject: SafeText::first_line(&fold_blanks(&subject)),
            arguments: SafeText::reveal(&readable(queued.arguments)),
            scope: scope(queued.name, queued.subject),
            read_only: queued.read_only,
            queued_us: at_us,
            started_us: None,
            waits_for: None,
            asking: false,
            stopping: false,
            behind_barrier: false,
            tail: Tail::default(),
            spill: None,
            ended: None,
            steps: Vec::new(),
            version: 0,
        };
        call.step(at_us, "queued");
        call
    }

    pub(crate) const fn phase(&self) -> Phase {
        match &self.ended {
            Some(ended) => match ended.error {
                None => Phase::Done,
                Some(ErrorCode::Cancelled) => Phase::Cancelled,
                Some(ErrorCode::Denied) => Phase::Denied,
                Some(code) => Phase::Failed(code),
            },
            None if self.stopping => Phase::Stopping,
            None if self.started_us.is_some() => Phase::Running,
            None if self.asking => Phase::Asking,
            None if self.waits_for.is_some() => Phase::Waiting,
            None => Phase::Queued,
        }
    }

    /// The short name: ids are long.
    pub(crate) fn label(&self) -> SafeText {
        safe_format!("c{}", self.index.saturating_add(1))
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Microseconds that its handler ran, until `now_us` if it still runs.
    pub(crate) fn ran_us(&self, now_us: u64) -> Option<u64> {
        match &self.ended {
            Some(ended) => Some(ended.timing.finished_us.saturating_sub(ended.timing.started_us))
                .filter(|_| self.started_us.is_some()),
            None => self.started_us.map(|started| now_us.saturating_sub(started)),
        }
    }

    pub(crate) fn step(&mut self, at_us: u64, what: &str) {
        self.version += 1;
        if self.steps.len() < MAX_STEPS {
            self.steps.push(Step { at_us, what: SafeText::first_line(what) });
        }
    }

    pub(crate) fn finish(&mut self, at_us: u64, result: &ToolResult) {
        self.waits_for = None;
        self.asking = false;
        self.stopping = false;
        self.spill = result.spill.clone().or_else(|| self.spill.take());
        self.tail = Tail::default();
        let repaired = |repair: &callgate_dispatch::Repair| {
            safe_format!("{}: {} → {}", repair.pointer, repair.from, repair.to)
        };
        self.ended = Some(Ended {
            at_us,
            error: result.error_code,
            exit_code: result.exit_code,
            timing: result.timing,
            text: SafeText::clean(&result.described()),
            repairs: result.repairs.iter().map(repaired).collect(),
        });
        let word = result.error_code.map_or("ok", ErrorCode::as_str);
        self.step(at_us, &format!("finished: {word}"));
    }

    /// Lets go of what only the detail view needs.
    pub(crate) fn slim(&mut self) {
        const GONE: &str = "(no longer kept on the screen; the transcript has it)";
        if let Some(ended) = &mut self.ended {
            ended.text = SafeText::clean(GONE);
            self.arguments = SafeText::clean(GONE);
            self.version += 1;
        }
    }
}

/// What is known of a call when it is queued.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queued<'a> {
    pub(crate) tool_use_id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a Value,
    pub(crate) subject: Option<&'a str>,
    pub(crate) read_only: bool,
}

/// What the gate remembers when a call is allowed for the session: a command word for word, any other
/// tool for every file of the working directory, or as a whole if it is not about files.
fn scope(tool: &str, subject: Option<&str>) -> SafeText {
    match subject {
        Some(_) if tool == "bash" => SafeText::clean("exactly this command"),
        Some(_) => SafeText::first_line(&format!("{tool}(**), every file here")),
        None => SafeText::first_line(&format!("{tool}, whatever it is given")),
    }
}

/// The arguments in a few words.
fn brief(arguments: &Value) -> String {
    match arguments {
        Value::Object(map) => map.values().find_map(Value::as_str).unwrap_or_default().to_owned(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// One line for each argument; texts as they are, so that line ends are line ends.
fn readable(arguments: &Value) -> String {
    let mut text = String::new();
    match arguments {
        Value::Object(map) => {
            for (name, value) in map {
                let value = match value {
                    Value::String(value) if value.contains('\n') => format!("\n{value}"),
                    Value::String(value) => value.clone(),
                    other => other.to_string(),
                };
                text.extend(name.escape_debug());
                text.extend([": ", &fold_blanks(&value), "\n"]);
            }
        }
        Value::String(value) => text.push_str(&fold_blanks(value)),
        other => text.push_str(&other.to_string()),
    }
    let text = text.trim_end_matches('\n');
    let kept = text.get(..text.floor_char_boundary(MAX_ARGUMENTS)).unwrap_or_default();
    if kept.len() == text.len() {
        return text.to_owned();
    }
    format!("{kept}\n⟨{} more bytes⟩", text.len() - kept.len())
}
