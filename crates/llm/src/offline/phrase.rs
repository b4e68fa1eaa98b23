//! What a request in plain words asks for.

use super::{
    clause::{self, Clause},
    lex::{self, Kind, Token},
    step::Step,
    verb::{Verb, verb_at},
};

/// What the person wants.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// To know what can be asked.
    Help,
    /// The guided tour.
    Tour,
    /// Things to do: all of a stage at once, the stages one after the other; and what was said
    /// besides and not understood.
    Plan { stages: Vec<Vec<Step>>, puzzles: Vec<String> },
    /// Nothing that is understood.
    Unknown,
}

/// Reads a request.
pub(super) fn understand(text: &str) -> Wish {
    let text = lex::normalise(text);
    let tokens = lex::lex(&text);
    if let Some(wish) = whole_request(&tokens) {
        return wish;
    }
    let mut stages = vec![Vec::new()];
    let mut puzzles = Vec::new();
    let mut file = None;
    for (is_next_stage, range) in clauses(&tokens) {
        let Some(tokens) = tokens.get(range) else {
            continue;
        };
        if is_next_stage && stages.last().is_some_and(|stage| !stage.is_empty()) {
            stages.push(Vec::new());
        }
        let clause = Clause { text: &text, tokens };
        match clause::read(clause, &mut file) {
            Some(steps) => {
                if let Some(stage) = stages.last_mut() {
                    stage.extend(steps);
                }
            }
            None => puzzles.push(clause.source().to_owned()),
        }
    }
    stages.retain(|stage| !stage.is_empty());
    puzzles.retain(|puzzle| !puzzle.trim().is_empty());
    if stages.is_empty() { Wish::Unknown } else { Wish::Plan { stages, puzzles } }
}

/// Requests that are one thing as a whole.
fn whole_request(tokens: &[Token]) -> Option<Wish> {
    const SHORT: usize = 8;
    const GREETINGS: [&str; 6] = ["help", "hello", "hi", "hey", "/help", "commands"];
    let words: Vec<String> = tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text.to_lowercase())
        .collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let line = words.join(" ");
    if line.contains("four pits") || (words.len() <= SHORT && (has("tour") || has("demo"))) {
        return Some(Wish::Tour);
    }
    let asks = ["what can you", "what do you understand", "how do you work", "who are you"];
    let is_greeting = words.len() <= 3
        && words.first().is_some_and(|first| GREETINGS.contains(&first.as_str()))
        && (1..tokens.len()).all(|at| verb_at(tokens, at).is_none());
    (is_greeting || asks.iter().any(|question| line.contains(question)) || line == "?")
        .then_some(Wish::Help)
}

/// Cuts the tokens into clauses, each with whether it belongs to the next stage. A clause begins
/// only at a verb: what follows `and` otherwise belongs to the clause before.
fn clauses(tokens: &[Token]) -> Vec<(bool, std::ops::Range<usize>)> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut is_next_stage = false;
    let mut at = 0;
    while at < tokens.len() {
        match joint(tokens, start, at) {
            Some((next, then)) => {
                clauses.push((is_next_stage, start..at));
                (start, at, is_next_stage) = (next, next, then);
            }
            None => at += 1,
        }
    }
    clauses.push((is_next_stage, start..tokens.len()));
    clauses.retain(|(_, range)| !range.is_empty());
    clauses
}

/// Whether a new clause begins with the joint at `at`: where it begins, and whether its stage is
/// the next one.
fn joint(tokens: &[Token], start: usize, at: usize) -> Option<(usize, bool)> {
    const THEN: [&str; 5] = ["then", "afterwards", "finally", "after", "that"];
    let token = tokens.get(at)?;
    let verb = verb_at(tokens, start).map(|(verb, _)| verb);
    // `in FILE, replace …` is one clause.
    if verb == Some(Verb::In) && at <= start + 2 {
        return None;
    }
    let is_raw = verb == Some(Verb::Shell);
    let is_command = matches!(verb, Some(Verb::Run | Verb::Command));
    let joins = match token.kind {
        Kind::Newline => true,
        Kind::Mark => !is_raw && !is_command,
        Kind::Word => !is_raw && (token.is_word("and") || token.is_word("then")),
        Kind::Quoted | Kind::Code => false,
    };
    if !joins || at == 0 {
        return None;
    }
    let mut next = at;
    let mut then = false;
    while let Some(token) = tokens.get(next) {
        let is_then = token.is_any_word(&THEN);
        if !(matches!(token.kind, Kind::Newline | Kind::Mark) || token.is_word("and") || is_then) {
            break;
        }
        then |= is_then;
        next += 1;
    }
    verb_at(tokens, next).map(|_| (next, then))
}

#[cfg(test)]
mod tests;
