//! The next turn, worked out from the request and from what has happened since.

use serde_json::Value;

use super::{
    doubt,
    phrase::{self, Wish},
    rounds::{self, Done},
    step::Step,
    summary, tour,
};
use crate::provider::Request;

/// What the model says next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) text: String,
    /// Tools and their arguments.
    pub(super) calls: Vec<(String, String)>,
}

impl Turn {
    pub(super) fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }
}

/// What the person may say, and how to get a real model.
pub(super) const HELP: &str = "I am the offline model: a small planner built into this program. I \
    am no language model, but I drive the real tools. I understand plain requests such as:\n\n\
    - `read src/main.rs`, `show lines 10-20 of notes.txt`\n\
    - `list src`, `find *.rs in src`\n\
    - `search for TODO in src`\n\
    - `run cargo --version`, or a line that begins with `$ `\n\
    - `create notes.txt with \"hello\"`\n\
    - `replace \"hello\" with \"goodbye\" in notes.txt`\n\
    - `call read_file {\"path\": \"notes.txt\"}` (any tool, exactly as you say)\n\
    - `tour`: the four pits of tool calling, shown on the real tools\n\n\
    Join several with `and` to do them at once, and with `then` to do them one after the other.\n\n\
    For a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a local server with \
    `--provider openai --base-url http://127.0.0.1:8080`.";

/// The next turn of the conversation.
pub(super) fn next_turn(request: &Request) -> Turn {
    let (task, rounds) = rounds::since_asked(&request.messages);
    match phrase::understand(&task) {
        Wish::Help => Turn::say(HELP),
        Wish::Unknown => Turn::say(format!("{}\n\n{HELP}", doubt::told(&task))),
        _ if request.tools.is_empty() => {
            Turn::say("I would call tools for that, but none are offered to me here.")
        }
        Wish::Tour => tour::next_turn(&rounds),
        Wish::Plan { stages, puzzles } => next_of_plan(request, &stages, &puzzles, &rounds),
    }
}

fn next_of_plan(
    request: &Request,
    stages: &[Vec<Step>],
    puzzles: &[String],
    rounds: &[Vec<Done>],
) -> Turn {
    let mut done = rounds.iter();
    for (at, stage) in stages.iter().enumerate() {
        let Some(round) = done.next() else {
            let calls = stage.iter().map(Step::call).collect();
            return Turn { text: announce(stage, at), calls };
        };
        let again: Vec<_> = round.iter().filter_map(|done| corrected(done, request)).collect();
        if !again.is_empty() && done.next().is_none() {
            let text = "Some of that failed, and the answer says what was meant. I'll try once \
                        more."
                .to_owned();
            return Turn { text, calls: again.into_iter().map(|(call, _)| call).collect() };
        }
    }
    Turn::say(summary::of(rounds, puzzles))
}

fn announce(stage: &[Step], at: usize) -> String {
    let intents: Vec<String> = stage.iter().map(Step::intent).collect();
    let list = match intents.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [many @ .., last] => format!("{} and {last}", many.join(", ")),
    };
    if at == 0 { format!("I'll {list}.") } else { format!("Then I'll {list}.") }
}

/// The call as the error says it was meant, and what was changed: another tool, or another path.
pub(super) fn corrected(done: &Done, request: &Request) -> Option<((String, String), String)> {
    if !done.is_error {
        return None;
    }
    let meant = suggestion(&done.text)?;
    if is_offered(request, &meant) {
        return (meant != done.name).then(|| ((meant.clone(), done.arguments.clone()), meant));
    }
    let mut arguments: Value = serde_json::from_str(&done.arguments).ok()?;
    let path = arguments.get_mut("path")?;
    // The suggestion must be about the path that was given, not about something else in the call.
    let given = path.as_str()?.to_owned();
    if given == meant || !done.text.contains(&given) {
        return None;
    }
    *path = Value::String(meant.clone());
    Some(((done.name.clone(), arguments.to_string()), meant))
}

fn is_offered(request: &Request, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name))
}

/// What an error suggests: `did you mean read_file?`, `did you mean `a.txt` or `b.txt`?`.
fn suggestion(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("did you mean")? + "did you mean".len();
    let rest = text.get(at..)?.trim_start_matches([':', ' ']);
    let end = rest.find(['?', '\n', ',']).unwrap_or(rest.len());
    let first = rest.get(..end)?.split(" or ").next()?;
    let meant = first.trim().trim_matches(['`', '"', '\'', '“', '”']);
    (!meant.is_empty() && !meant.contains(' ')).then(|| meant.to_owned())
}

#[cfg(test)]
mod tests;
