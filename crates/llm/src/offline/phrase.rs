//! What a request in plain words asks for.

use std::ops::Range;

use super::{
    clause::{self, Clause},
    doubt,
    lex::{self, Kind, Token},
    step::Step,
    verb::{POLITE, Verb, verb_at},
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
    // A prompt from a pipe ends with a newline.
    let text = lex::normalise(text.trim());
    let tokens = lex::lex(&text);
    if let Some(wish) = whole_request(&tokens) {
        return wish;
    }
    let clauses = clauses(&tokens);
    let is_conditional = |(_, range): &(bool, Range<usize>)| {
        let words = tokens.get(range.clone()).unwrap_or_default();
        !is_raw(words) && doubt::is_conditional(words)
    };
    if clauses.iter().any(is_conditional) {
        return Wish::Unknown;
    }
    let mut stages = vec![Vec::new()];
    let mut puzzles = Vec::new();
    let mut file = None;
    for (is_next_stage, range) in clauses {
        let Some(tokens) = tokens.get(range) else {
            continue;
        };
        if is_next_stage && stages.last().is_some_and(|stage| !stage.is_empty()) {
            stages.push(Vec::new());
        }
        let (steps, puzzle) = as_far_as_understood(Clause { text: &text, tokens }, &mut file);
        // What changes something may hang on what was said before and not understood.
        if puzzles.is_empty() || steps.iter().all(Step::only_looks) {
            if let Some(stage) = stages.last_mut() {
                stage.extend(steps);
            }
            puzzles.extend(puzzle);
        } else {
            puzzles.push(Clause { text: &text, tokens }.source().to_owned());
        }
    }
    stages.retain(|stage| !stage.is_empty());
    if stages.is_empty() { Wish::Unknown } else { Wish::Plan { stages, puzzles } }
}

/// The steps of a clause, and what of it is not understood. Of a clause that goes on after `and` or
/// a comma with something strange, the beginning is done only if it changes nothing.
fn as_far_as_understood(
    clause: Clause<'_>,
    file: &mut Option<String>,
) -> (Vec<Step>, Option<String>) {
    if let Some(steps) = clause::read(clause, file) {
        return (steps, None);
    }
    let joints = clause.tokens.iter().enumerate().rev().filter(|(at, token)| {
        *at > 0 && (doubt::is_joiner(token) || matches!(token.kind, Kind::Mark | Kind::Newline))
    });
    for (at, _) in joints {
        let Some(steps) = clause::read(clause.until(at), &mut None) else {
            continue;
        };
        if !steps.is_empty() && steps.iter().all(Step::only_looks) {
            return (steps, Some(clause.from(at + 1).source().to_owned()));
        }
    }
    let is_courtesy = |token: &Token| {
        token.kind == Kind::Mark
            || token.kind == Kind::Newline
            || token.is_any_word(&POLITE)
            || token.is_any_word(&["hello", "hi", "hey", "thanks", "thank", "well", "great", "so"])
    };
    let is_said = !clause.tokens.iter().all(is_courtesy);
    (Vec::new(), is_said.then(|| clause.source().to_owned()))
}

/// Whether it is a line after `$`, which is taken as it is.
fn is_raw(tokens: &[Token]) -> bool {
    verb_at(tokens, 0).is_some_and(|(verb, _)| verb == Verb::Shell)
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
fn clauses(tokens: &[Token]) -> Vec<(bool, Range<usize>)> {
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
    // A line after `$` ends where it ends.
    let ends = is_raw && next < tokens.len();
    (ends || verb_at(tokens, next).is_some()).then_some((next, then))
}

#[cfg(test)]
mod tests;
