//! The guided tour: the four pits of tool calling, on the real tools.
//!
//! It writes nothing but one file under a directory of its own, and removes it at the end.

use serde_json::json;

use super::{plan::Turn, rounds::Done, step::first_line, summary};

/// Where the tour writes.
const DIRECTORY: &str = ".callgate-tour";

/// A command whose output is surely too long for the context: 588,895 bytes.
const LONG_OUTPUT: &str = "seq 1 80000";

/// A line that lies neither in the head nor in the tail of it.
const LOST_LINE: &str = "^40000$";

/// The next turn of the tour, told from what has happened so far.
pub(super) fn next_turn(rounds: &[Vec<Done>]) -> Turn {
    let last = rounds.last().map(Vec::as_slice).unwrap_or_default();
    match rounds.len() {
        0 => ledger(),
        1 => arguments(last),
        2 => order(last),
        3 => boundary(last),
        4 => cleanup(last),
        _ => farewell(rounds),
    }
}

fn call(name: &str, arguments: &serde_json::Value) -> (String, String) {
    (name.to_owned(), arguments.to_string())
}

fn ledger() -> Turn {
    Turn {
        text: "Welcome. This tour falls into the four pits of tool calling on purpose; what \
               answers are the real tools.\n\n**Pit 1: two ledgers.** I ask for a tool that does \
               not exist, `reed_file`, and in the same turn for one that does."
            .to_owned(),
        calls: vec![
            call("reed_file", &json!({"path": "README.md"})),
            call("glob", &json!({"pattern": "*"})),
        ],
    }
}

fn arguments(last: &[Done]) -> Turn {
    let unknown = last.first();
    let mut text = match unknown {
        Some(done) if done.is_error => format!(
            "The unknown tool came back as an ordinary result, so that I can correct myself:\n{}\n\
             The call beside it was not held up.",
            summary::excerpt(&done.text)
        ),
        _ => "Strange: the unknown tool did not fail.".to_owned(),
    };
    text.push_str(
        "\n\n**Pit 2: one bad argument ends the loop.** I read two files at the same time, and \
         beside them I ask for a number of lines that is no number.",
    );
    let [first, second] = two_files(last);
    Turn {
        text,
        calls: vec![
            call("read_file", &json!({"path": first, "limit": 5})),
            call("read_file", &json!({"path": second, "limit": 5})),
            call("read_file", &json!({"path": first, "limit": "many"})),
        ],
    }
}

/// Two files that are here, as the listing says; likely ones if it says nothing.
fn two_files(last: &[Done]) -> [String; 2] {
    let listing = last.iter().find(|done| done.name == "glob" && !done.is_error);
    let is_file =
        |line: &&str| !line.is_empty() && !line.contains([' ', ':']) && line.contains('.');
    let mut files = listing
        .into_iter()
        .flat_map(|done| done.text.lines())
        .map(str::trim)
        .filter(is_file)
        .filter(|line| !line.ends_with('/'))
        .map(str::to_owned);
    let first = files.next().unwrap_or_else(|| "README.md".to_owned());
    let second = files.next().unwrap_or_else(|| first.clone());
    [first, second]
}

fn order(last: &[Done]) -> Turn {
    let failed = last.iter().filter(|done| done.is_error).count();
    let told = last.last().filter(|done| done.is_error);
    let mut text = match told {
        Some(done) => format!(
            "{} of {} calls failed, and each has its own answer. The bad argument is told with its \
             place:\n{}",
            failed,
            last.len(),
            summary::excerpt(&done.text)
        ),
        None => "Strange: the bad argument was accepted.".to_owned(),
    };
    text.push_str(
        "\n\n**Pit 3: writers trample each other.** In one turn I write a file twice and read it. \
         All three arrive at once; the outcome must be as if they had run in order.",
    );
    let path = format!("{DIRECTORY}/note.txt");
    Turn {
        text,
        calls: vec![
            call("write_file", &json!({"path": path, "content": "first\n"})),
            call("write_file", &json!({"path": path, "content": "second\n"})),
            call("read_file", &json!({"path": path})),
        ],
    }
}

fn boundary(last: &[Done]) -> Turn {
    let mut text = match last.last() {
        Some(done) if !done.is_error && done.text.contains("second") => {
            "The reader saw `second`: it waited for both writers, and they for each other."
                .to_owned()
        }
        Some(done) if done.is_error => format!(
            "That was not possible here, and it is said rather than hidden:\n{}",
            summary::excerpt(&done.text)
        ),
        _ => "Strange: the reader did not see what was written last.".to_owned(),
    };
    text.push_str(
        "\n\n**Pit 4: the process boundary.** A command must not inherit secrets, and its output \
         must neither flood the context nor be lost. I print the environment, and 80,000 lines.",
    );
    Turn {
        text,
        calls: vec![
            call("bash", &json!({"command": "env | sort"})),
            call("bash", &json!({"command": LONG_OUTPUT})),
        ],
    }
}

fn cleanup(last: &[Done]) -> Turn {
    let mut parts = Vec::new();
    for done in last {
        let command = done.argument("command").unwrap_or_default();
        let command = first_line(&command);
        parts.push(match (done.is_error, command == LONG_OUTPUT) {
            (true, _) => format!("`{command}` did not run:\n{}", summary::excerpt(&done.text)),
            (false, false) => format!(
                "The environment of a command holds {} variables, none of them a key of yours: it \
                 is built from a list of what is allowed.",
                done.text.lines().filter(|line| line.contains('=')).count()
            ),
            (false, true) => format!(
                "`{command}` wrote 588,895 bytes; {} of them came back to me, the head and the \
                 tail. Every byte is in a file, which `read_output` pages and searches.",
                done.text.len()
            ),
        });
    }
    let command = format!("rm -rf -- {DIRECTORY}");
    let mut calls = vec![call("bash", &json!({"command": command}))];
    let mut last_words = "I remove what the tour has written.".to_owned();
    if let Some(id) = last.iter().find_map(|done| spill_id(&done.text)) {
        calls.insert(0, call("read_output", &json!({"id": id, "pattern": LOST_LINE})));
        last_words.insert_str(0, "I search it for a line of the middle, which I was not shown. ");
    }
    parts.push(last_words);
    Turn { text: parts.join("\n\n"), calls }
}

/// The id under which a long output is kept, as its notice says: `read_output with id "…"`.
fn spill_id(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("read_output with id \"")?;
    rest.split_once('"').map(|(id, _)| id)
}

fn farewell(rounds: &[Vec<Done>]) -> Turn {
    let calls = rounds.iter().map(Vec::len).sum::<usize>();
    let failed = rounds.iter().flatten().filter(|done| done.is_error).count();
    let mut text = String::new();
    let mut last = rounds.last().into_iter().flatten();
    if let Some(done) = last.find(|done| done.name == "read_output" && !done.is_error) {
        let found = format!("It was in the file:\n{}\n\n", summary::excerpt(&done.text));
        text.push_str(&found);
    }
    let totals = format!(
        "That was the tour: {calls} calls, {calls} results, {failed} of them failures, and the \
         conversation never broke."
    );
    text.push_str(&totals);
    if let Some(done) = rounds.last().and_then(|round| round.last()).filter(|done| done.is_error) {
        let left = format!(
            "\n\nThe directory `{DIRECTORY}` could not be removed: {}",
            first_line(&done.text)
        );
        text.push_str(&left);
    }
    text.push_str("\n\nSay `help` for what else I understand.");
    Turn::say(text)
}
