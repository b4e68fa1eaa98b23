//! What is said that the planner must not act on: conditions, negations, pronouns.
//!
//! What it does not fully understand it does not do. A word that it passed over could turn a
//! request into its opposite.

use super::{
    lex::{self, Kind, Token},
    phrase::{self, Wish},
    step::first_line,
    verb::{Verb, verb_at},
};

/// Words that make what is asked depend on something.
const CONDITIONS: [&str; 24] = [
    "iff",
    "assuming",
    "suppose",
    "supposing",
    "till",
    "if",
    "unless",
    "only",
    "when",
    "whenever",
    "while",
    "until",
    "except",
    "provided",
    "once",
    "otherwise",
    "else",
    "case",
    "maybe",
    "perhaps",
    "before",
    "instead",
    "rather",
    "whether",
];

/// Words that turn what is asked into its opposite; besides, all that end with `n't`.
const NEGATIONS: [&str; 13] = [
    "not",
    "never",
    "no",
    "without",
    "cannot",
    "dont",
    "nor",
    "neither",
    "avoid",
    "refuse",
    "refrain",
    "stop",
    "forbidden",
];

/// Words that stand for something else; for what, takes a language model.
const PRONOUNS: [&str; 18] = [
    "it",
    "them",
    "its",
    "their",
    "they",
    "everything",
    "nothing",
    "anything",
    "something",
    "these",
    "those",
    "itself",
    "themselves",
    "both",
    "none",
    "any",
    "whatever",
    "things",
];

/// Words of prose that are no part of a command.
const PROSE: [&str; 26] = [
    "the",
    "an",
    "my",
    "me",
    "you",
    "your",
    "our",
    "we",
    "sure",
    "that",
    "this",
    "and",
    "or",
    "but",
    "then",
    "so",
    "please",
    "file",
    "files",
    "folder",
    "directory",
    "because",
    "again",
    "carefully",
    "everywhere",
    "old",
];

/// The most characters of a request that are repeated.
const SHOWN_CHARS: usize = 160;

/// Whether a condition or a negation is among the words: then nothing of the request is done, for
/// it may be meant for all of it.
pub(super) fn is_conditional(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| is_condition(token) || is_negation(token))
}

fn is_condition(token: &Token) -> bool {
    is_bare(token, &CONDITIONS)
}

fn is_negation(token: &Token) -> bool {
    let text = token.text.replace('’', "'").to_lowercase();
    let is_short = token.kind == Kind::Word && text.trim_end_matches(')').ends_with("n't");
    is_short || is_bare(token, &NEGATIONS)
}

/// Whether it is one of these words, also in brackets.
fn is_bare(token: &Token, words: &[&str]) -> bool {
    let text = token.text.trim_matches(['(', ')', '[', ']', '*', '_', '—', '…']);
    token.kind == Kind::Word && words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether it stands for something that was said elsewhere.
pub(super) fn is_pronoun(token: &Token) -> bool {
    is_bare(token, &PRONOUNS)
}

/// Whether another request may begin after it.
pub(super) fn is_joiner(token: &Token) -> bool {
    token.is_any_word(&["and", "then", "but", "so", "or"])
}

/// Whether words that were typed without quotes can be meant as a command line: no prose, no
/// command in backticks inside of it, and no `rm` of what does not look like a path.
pub(super) fn is_command_line(tokens: &[Token]) -> bool {
    let Some(program) = tokens.first() else {
        return false;
    };
    let is_free = |token: &Token| token.kind != Kind::Code && !is_pronoun(token);
    let is_prose = |token: &Token| token.is_any_word(&PROSE);
    let says = program.is_any_word(&["echo", "printf"]);
    tokens.iter().all(is_free)
        && (says || !tokens.iter().any(is_prose))
        && tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.is_any_word(&["rm", "rmdir"]))
            .all(|(at, _)| removes_only_paths(tokens.get(at + 1..).unwrap_or_default()))
}

/// Whether what follows `rm`, up to the next command of the line, are options and paths.
fn removes_only_paths(arguments: &[Token]) -> bool {
    let ends = |token: &&Token| {
        token.kind != Kind::Mark
            && token.kind != Kind::Newline
            && !matches!(token.text.as_str(), "|" | "||" | "&&" | "&")
    };
    let is_path = |token: &Token| token.text.starts_with('-') || is_deletable(token);
    arguments.iter().take_while(ends).all(is_path)
}

/// Whether it looks enough like a path to be removed.
pub(super) fn is_deletable(token: &Token) -> bool {
    let is_word = matches!(token.kind, Kind::Word | Kind::Quoted | Kind::Code);
    is_word && token.text.contains(['.', '/']) && !token.text.contains('\n')
}

/// Says that `text` was not understood, and why as far as that can be told.
pub(super) fn told(text: &str) -> String {
    let said = first_line(text);
    let mut shown: String = said.chars().take(SHOWN_CHARS).collect();
    if said.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    // It is clear by itself, but hangs on something that is not.
    if matches!(phrase::understand(text), Wish::Plan { puzzles, .. } if puzzles.is_empty()) {
        return format!("I left “{shown}” undone, since I did not understand what came before.");
    }
    let tokens = lex::lex(&lex::normalise(text));
    let any = |is: fn(&Token) -> bool| tokens.iter().find(|token| is(token));
    let why = if let Some(word) = any(is_condition) {
        format!(
            "what depends on something (“{}”) I can't judge, so I did nothing; what is meant as text, put in quotes",
            word.text
        )
    } else if let Some(word) = any(is_negation) {
        format!(
            "it says “{}”, and I do nothing where I may get that wrong; what is meant as text, put in quotes",
            word.text
        )
    } else if let Some(word) = any(is_pronoun) {
        format!("I don't know what “{}” stands for; say it by name", word.text)
    } else {
        match verb_at(&tokens, 0) {
            Some((Verb::Write, _)) => "which file, and what shall be in it? Say for example \
                                       `create notes.txt with \"hello\"`"
                .to_owned(),
            Some((Verb::Delete, _)) => "I delete only what is named by its path and nothing more, \
                                        such as `delete ./notes.txt`"
                .to_owned(),
            Some((Verb::Run | Verb::Command, _)) => {
                "put a command in backticks with nothing after it, or begin the line with `$ `"
                    .to_owned()
            }
            _ => "I am the offline model".to_owned(),
        }
    };
    format!("I did not understand “{shown}”: {why}.")
}
