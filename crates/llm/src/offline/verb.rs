//! The words that begin a clause.

use super::lex::{Kind, Token};

/// What a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    List,
    Find,
    Search,
    Run,
    /// A line after `$`: all of it is the command.
    Shell,
    /// A command that is named without a verb, such as `git status`.
    Command,
    Write,
    Edit,
    Replace,
    Delete,
    Call,
    /// `in FILE replace …`, `in PATH search …`.
    In,
}

const VERBS: [(Verb, &[&str]); 11] = [
    (Verb::Read, &["read", "show", "cat", "open", "print", "display", "view", "what's", "whats"]),
    (Verb::List, &["list", "ls", "dir"]),
    (Verb::Find, &["find", "locate", "glob"]),
    (Verb::Search, &["search", "grep", "rg"]),
    (Verb::Run, &["run", "execute", "exec"]),
    (Verb::Shell, &["$"]),
    (Verb::Write, &["write", "create", "save", "put", "touch"]),
    (Verb::Edit, &["edit", "modify", "update"]),
    (Verb::Replace, &["replace", "change", "substitute"]),
    (Verb::Delete, &["delete", "remove"]),
    (Verb::Call, &["call", "invoke", "use"]),
];

/// Commands that people name without saying that they are to be run.
const COMMANDS: [&str; 38] = [
    "git", "cargo", "rustc", "make", "npm", "npx", "node", "python", "python3", "pip", "go",
    "echo", "printf", "pwd", "env", "printenv", "whoami", "date", "uname", "wc", "head", "tail",
    "sort", "seq", "du", "df", "ps", "mkdir", "rm", "cp", "mv", "sed", "awk", "curl", "true",
    "false", "sleep", "test",
];

/// Words of courtesy around a request.
pub(super) const POLITE: [&str; 26] = [
    "please", "can", "could", "would", "will", "you", "now", "also", "first", "just", "let's",
    "lets", "let", "us", "me", "i", "i'd", "want", "need", "like", "to", "kindly", "next", "ok",
    "okay", "go",
];

/// The verb at `at`, and where what follows it begins. Words of courtesy are passed over.
pub(super) fn verb_at(tokens: &[Token], mut at: usize) -> Option<(Verb, usize)> {
    let start = at;
    while tokens.get(at).is_some_and(|token| {
        (token.is_any_word(&POLITE) && !is_go_command(tokens, at))
            || (at > start && token.is_mark(","))
    }) {
        at += 1;
    }
    if is_no_request(tokens.get(start..at).unwrap_or_default()) {
        return None;
    }
    let token = tokens.get(at)?;
    let follows = |ahead: usize, words: &[&str]| {
        tokens.get(at + ahead).is_some_and(|token| token.is_any_word(words))
    };
    if token.kind == Kind::Code && is_last_of_clause(tokens, at) {
        return Some((Verb::Run, at));
    }
    if token.is_word("what") && follows(1, &["is", "are"]) {
        return Some((Verb::Read, at + 2));
    }
    if token.is_word("look") && follows(1, &["at", "into"]) {
        return Some((Verb::Read, at + 2));
    }
    if token.is_word("look") && follows(1, &["for"]) {
        return Some((Verb::Search, at + 2));
    }
    if token.is_word("where") && follows(1, &["is", "are"]) {
        return Some((Verb::Search, at + 2));
    }
    if token.is_word("make") && follows(1, &["a", "an", "the", "file", "new"]) {
        return Some((Verb::Write, at + 1));
    }
    if token.is_word("in") && is_in_clause(tokens, at) {
        return Some((Verb::In, at + 1));
    }
    let verb = VERBS.iter().find(|(_, words)| token.is_any_word(words)).map(|(verb, _)| *verb);
    if let Some(verb) = verb {
        return Some((verb, at + 1));
    }
    // Commands are written as they are, in lower case; `Make`, `Test` and `Date` begin sentences.
    let is_command = token.kind == Kind::Word && COMMANDS.contains(&token.text.as_str());
    is_command.then_some((Verb::Command, at))
}

/// `can I …`, `I will …`: a question or a plan of the person's own.
fn is_no_request(courtesy: &[Token]) -> bool {
    let can = ["can", "could", "will"];
    courtesy.iter().zip(courtesy.iter().skip(1)).any(|(first, second)| {
        (first.is_any_word(&can) && second.is_word("i"))
            || (first.is_word("i") && second.is_any_word(&can))
    })
}

fn is_go_command(tokens: &[Token], at: usize) -> bool {
    let sub = ["build", "test", "run", "vet", "version", "mod"];
    tokens.get(at).is_some_and(|token| token.text == "go")
        && tokens.get(at + 1).is_some_and(|token| token.is_any_word(&sub))
}

fn is_last_of_clause(tokens: &[Token], at: usize) -> bool {
    match tokens.get(at + 1) {
        None => true,
        Some(next) => {
            matches!(next.kind, Kind::Mark | Kind::Newline) || next.is_any_word(&["and", "then"])
        }
    }
}

/// Whether `in PATH` is followed by what to do there.
fn is_in_clause(tokens: &[Token], at: usize) -> bool {
    let mut next = at + 2;
    while tokens.get(next).is_some_and(|token| token.kind == Kind::Mark) {
        next += 1;
    }
    let verbs = ["replace", "change", "substitute", "search", "find", "grep"];
    tokens.get(next).is_some_and(|token| token.is_any_word(&verbs))
}
