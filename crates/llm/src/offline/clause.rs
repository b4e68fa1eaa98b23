//! One clause of a request as steps.

use super::{
    lex::{Kind, Token},
    step::{Step, shell_quoted},
    verb::{Verb, verb_at},
};

/// Words that carry nothing in a list of paths.
const FILLERS: [&str; 29] = [
    "the",
    "a",
    "an",
    "all",
    "of",
    "in",
    "from",
    "at",
    "to",
    "and",
    "file",
    "files",
    "folder",
    "directory",
    "contents",
    "content",
    "me",
    "my",
    "this",
    "that",
    "is",
    "are",
    "named",
    "called",
    "for",
    "new",
    "there",
    "please",
    "inside",
];

/// Words that stand for the working directory.
const HERE: [&str; 7] = ["here", "current", "project", "repo", "repository", "workspace", "cwd"];

/// One clause: its tokens, and the text that they are from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
}

impl<'a> Clause<'a> {
    /// The text of the clause as it was typed.
    pub(super) fn source(self) -> &'a str {
        let start = self.tokens.first().map_or(0, |token| token.start);
        let end = self.tokens.last().map_or(0, |token| token.end);
        self.text.get(start..end).unwrap_or_default()
    }

    /// What it says: the inside of the quotes if it is one quoted piece, else as it was typed.
    fn said(self) -> String {
        match self.tokens {
            [only] => only.text.clone(),
            _ => self.source().to_owned(),
        }
    }

    fn from(self, at: usize) -> Self {
        Self { tokens: self.tokens.get(at..).unwrap_or_default(), ..self }
    }

    fn until(self, at: usize) -> Self {
        Self { tokens: self.tokens.get(..at).unwrap_or_default(), ..self }
    }

    fn find(self, words: &[&str]) -> Option<usize> {
        self.tokens.iter().position(|token| token.is_any_word(words))
    }

    fn rfind(self, words: &[&str]) -> Option<usize> {
        self.tokens.iter().rposition(|token| token.is_any_word(words))
    }

    /// Without fillers and marks at its start.
    fn skip(self, words: &[&str]) -> Self {
        let is_skipped = |token: &Token| {
            token.is_any_word(words) || matches!(token.kind, Kind::Mark | Kind::Newline)
        };
        let at = self.tokens.iter().position(|token| !is_skipped(token));
        self.from(at.unwrap_or(self.tokens.len()))
    }

    /// Without the marks that end it.
    fn without_stop(self) -> Self {
        let len =
            self.tokens.iter().rposition(|token| token.kind != Kind::Mark).map_or(0, |at| at + 1);
        self.until(len)
    }

    fn is_empty(self) -> bool {
        self.tokens.is_empty()
    }

    /// Its tokens that are neither fillers nor marks.
    fn items(self) -> Vec<&'a Token> {
        let keep = |token: &&Token| {
            let is_mark = matches!(token.kind, Kind::Mark | Kind::Newline);
            !is_mark && !token.is_any_word(&FILLERS)
        };
        self.tokens.iter().filter(keep).collect()
    }

    /// Its first item as a path; none if it means the working directory.
    fn path(self) -> Option<String> {
        self.items().into_iter().find(|item| !item.is_any_word(&HERE)).map(|item| item.text.clone())
    }
}

/// Reads a clause. `file` is the file that the clauses before were about.
pub(super) fn read(clause: Clause<'_>, file: &mut Option<String>) -> Option<Vec<Step>> {
    let (verb, after) = verb_at(clause.tokens, 0)?;
    let rest = match verb {
        Verb::Shell | Verb::Command => clause.from(after),
        _ => clause.from(after).without_stop(),
    };
    if matches!(verb, Verb::Read | Verb::List | Verb::Find | Verb::Search) && is_shell(rest) {
        let command = clause.from(after.saturating_sub(1)).source().to_owned();
        return Some(vec![Step::Run { command }]);
    }
    let one = |step: Step| Some(vec![step]);
    match verb {
        Verb::Read => read_files(rest),
        Verb::List => list(rest),
        Verb::Find => find(rest).and_then(one),
        Verb::Search => search(rest, None).and_then(one),
        Verb::Run => {
            let rest = rest.skip(&["the", "command", "shell", "following"]);
            (!rest.is_empty()).then(|| vec![Step::Run { command: rest.said() }])
        }
        Verb::Shell | Verb::Command => {
            (!rest.is_empty()).then(|| vec![Step::Run { command: rest.source().to_owned() }])
        }
        Verb::Write => write(rest).and_then(one),
        Verb::Edit => {
            let path = rest.path()?;
            *file = Some(path);
            match rest.find(&["replace", "change", "substitute"]) {
                Some(at) => replace(rest.from(at + 1), file).and_then(one),
                None => Some(Vec::new()),
            }
        }
        Verb::Replace => replace(rest, file).and_then(one),
        Verb::Delete => {
            let paths: Vec<String> =
                rest.items().into_iter().map(|item| shell_quoted(&item.text)).collect();
            let command = format!("rm -- {}", paths.join(" "));
            (!paths.is_empty()).then(|| vec![Step::Run { command }])
        }
        Verb::Call => call(rest).and_then(one),
        Verb::In => within(rest, file).and_then(one),
    }
}

/// Whether what follows makes sense only for a shell: options, pipes, redirections.
fn is_shell(rest: Clause<'_>) -> bool {
    let is_word = |token: &&Token| token.kind == Kind::Word;
    rest.tokens.first().is_some_and(|token| token.kind == Kind::Word && token.text.starts_with('-'))
        || rest.tokens.iter().filter(is_word).any(|token| {
            matches!(token.text.as_str(), "|" | ">" | ">>" | "&&" | "||" | "<" | "2>&1")
        })
}

fn looks_like_path(token: &Token) -> bool {
    const BARE: [&str; 7] =
        ["makefile", "readme", "license", "dockerfile", "justfile", "cargo.lock", "changelog"];
    token.kind == Kind::Quoted
        || token.kind == Kind::Code
        || token.text.contains(['.', '/', '~', '_'])
        || BARE.contains(&token.text.to_lowercase().as_str())
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '{'])
}

fn read_files(rest: Clause<'_>) -> Option<Vec<Step>> {
    if rest.tokens.first().is_some_and(|token| token.is_word("output"))
        && let Some(id) = rest.from(1).items().first()
    {
        return Some(vec![Step::Output { id: id.text.clone() }]);
    }
    let (rest_of_paths, offset, limit) = lines(rest);
    let items: Vec<&Token> = rest_of_paths.iter().collect();
    let speaks_of_files =
        rest.tokens.iter().any(|token| token.is_any_word(&["files", "directory", "folder"]));
    let paths: Vec<&&Token> = items.iter().filter(|item| looks_like_path(item)).collect();
    if speaks_of_files && !paths.iter().any(|path| has_extension(&path.text)) {
        return list(rest);
    }
    let paths: Vec<&Token> = match (paths.as_slice(), items.as_slice()) {
        ([], [only]) if !only.is_any_word(&HERE) => vec![*only],
        ([], _) => return None,
        (paths, _) => paths.iter().map(|path| **path).collect(),
    };
    let step = |path: &Token| {
        let path = path.text.clone();
        if path.ends_with('/') || path == "." || path == ".." {
            Step::List { path: Some(path) }
        } else if is_pattern(&path) {
            Step::Run { command: format!("cat {path}") }
        } else {
            Step::Read { path, offset, limit }
        }
    };
    Some(paths.into_iter().map(step).collect())
}

fn has_extension(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.'))
}

/// The items without `lines 10-20`, `lines 10 to 20`, `line 5`, `first 20 lines`; the first line
/// and how many.
fn lines(rest: Clause<'_>) -> (Vec<Token>, Option<u64>, Option<u64>) {
    let mut items: Vec<Token> = rest.items().into_iter().cloned().collect();
    let number = |token: Option<&Token>| token.and_then(|token| token.text.parse::<u64>().ok());
    let at = items.iter().position(|token| token.is_any_word(&["lines", "line"]));
    let Some(at) = at else {
        return (items, None, None);
    };
    if let Some(first) = at.checked_sub(2)
        && items.get(first).is_some_and(|token| token.is_word("first"))
        && let Some(count) = number(items.get(at - 1))
    {
        items.drain(first..=at);
        return (items, None, Some(count));
    }
    let range = items.get(at + 1).and_then(|token| {
        let (from, to) = token.text.split_once('-')?;
        Some((from.parse::<u64>().ok()?, to.parse::<u64>().ok()?))
    });
    let count = |from: u64, to: u64| Some(to.saturating_sub(from) + 1);
    if let Some((from, to)) = range {
        items.drain(at..=at + 1);
        return (items, Some(from), count(from, to));
    }
    match (number(items.get(at + 1)), number(items.get(at + 2))) {
        (Some(from), Some(to)) => {
            items.drain(at..=at + 2);
            (items, Some(from), count(from, to))
        }
        (Some(from), None) => {
            items.drain(at..=at + 1);
            (items, Some(from), Some(1))
        }
        _ => (items, None, None),
    }
}

fn list(rest: Clause<'_>) -> Option<Vec<Step>> {
    let items: Vec<&Token> =
        rest.items().into_iter().filter(|item| !item.is_any_word(&HERE)).collect();
    if let Some(pattern) = items.iter().find(|item| is_pattern(&item.text)) {
        let path = items.iter().find(|item| item.start != pattern.start);
        let path = path.map(|item| item.text.clone());
        return Some(vec![Step::Find { pattern: anywhere(&pattern.text), path }]);
    }
    match items.as_slice() {
        [] => Some(vec![Step::List { path: None }]),
        [only] => Some(vec![Step::List { path: Some(only.text.clone()) }]),
        several if several.iter().all(|item| looks_like_path(item)) => {
            let step = |item: &&Token| Step::List { path: Some(item.text.clone()) };
            Some(several.iter().map(step).collect())
        }
        _ => None,
    }
}

/// A file pattern that matches in every directory, unless it names one.
fn anywhere(pattern: &str) -> String {
    if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") }
}

fn find(rest: Clause<'_>) -> Option<Step> {
    const LANGUAGES: [(&str, &str); 9] = [
        ("rust", "*.rs"),
        ("python", "*.py"),
        ("markdown", "*.md"),
        ("javascript", "*.js"),
        ("typescript", "*.ts"),
        ("toml", "*.toml"),
        ("json", "*.json"),
        ("text", "*.txt"),
        ("yaml", "*.y{,a}ml"),
    ];
    let split = rest.rfind(&["in", "under", "inside", "within"]);
    let (what, place) = match split {
        Some(at) if at > 0 => (rest.until(at), Some(rest.from(at + 1))),
        _ => (rest, None),
    };
    let path = place.and_then(Clause::path);
    let speaks_of_files =
        what.tokens.iter().any(|token| token.is_any_word(&["file", "files", "named", "called"]));
    let items = what.items();
    let first = items.first()?;
    let language = LANGUAGES.iter().find(|(name, _)| first.is_word(name) && speaks_of_files);
    if let Some((_, pattern)) = language {
        return Some(Step::Find { pattern: anywhere(pattern), path });
    }
    let bare = first.kind == Kind::Word || speaks_of_files;
    if bare && items.len() == 1 && (is_pattern(&first.text) || has_extension(&first.text)) {
        return Some(Step::Find { pattern: anywhere(&first.text), path });
    }
    if speaks_of_files && items.len() == 1 {
        return Some(Step::Find { pattern: format!("**/*{}*", first.text), path });
    }
    search(rest, None)
}

fn search(rest: Clause<'_>, place: Option<String>) -> Option<Step> {
    let rest = rest.skip(&["for", "the", "text", "word", "string", "pattern", "all"]);
    let split = rest.rfind(&["in", "under", "inside", "within", "across"]).filter(|at| *at > 0);
    let ends =
        |at: usize| rest.from(at + 1).items().len() <= 1 || rest.from(at + 1).path().is_none();
    let (what, path) = match (split.filter(|at| ends(*at)), rest.tokens) {
        (Some(at), _) => (rest.until(at), rest.from(at + 1).path()),
        (None, [_, path]) if looks_like_path(path) => (rest.until(1), Some(path.text.clone())),
        (None, _) => (rest, None),
    };
    let text = what.said();
    let text = text.trim_end_matches([' ', ',', ':']);
    let text = ["used", "defined", "called"]
        .iter()
        .fold(text, |text, word| text.strip_suffix(word).map_or(text, str::trim_end));
    let pattern = match text.strip_prefix('/').and_then(|text| text.strip_suffix('/')) {
        Some(regex) if !regex.is_empty() => regex.to_owned(),
        _ => escape(text),
    };
    (!pattern.is_empty()).then_some(Step::Search { pattern, path: place.or(path) })
}

/// Text as a regular expression that matches exactly it.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn write(rest: Clause<'_>) -> Option<Step> {
    const FIRST: [&str; 9] = ["a", "an", "the", "new", "file", "named", "called", "empty", "into"];
    const WITH: [&str; 5] = ["with", "containing", "saying", "reading", "contains"];
    const CONTENT: [&str; 6] = ["the", "content", "contents", "text", "line", "of"];
    let what = rest.skip(&FIRST);
    let first = what.tokens.first()?;
    let with = what.find(&WITH).filter(|at| *at <= 2).or_else(|| {
        let is_colon = |token: &Token| token.is_mark(":");
        what.tokens.iter().position(is_colon).filter(|at| *at <= 2)
    });
    if let Some(at) = with {
        let path = first.text.clone();
        let content = what.from(at + 1).skip(&CONTENT).said();
        return Some(Step::Write { path, content });
    }
    if let Some(at) = what.rfind(&["to", "into", "in"]).filter(|at| *at > 0)
        && let Some(path) = what.from(at + 1).path()
    {
        return Some(Step::Write { path, content: what.until(at).said() });
    }
    match what.tokens {
        [path, content] if matches!(content.kind, Kind::Quoted | Kind::Code) => {
            Some(Step::Write { path: path.text.clone(), content: content.text.clone() })
        }
        [path] if path.kind != Kind::Quoted || looks_like_path(path) => {
            Some(Step::Write { path: path.text.clone(), content: String::new() })
        }
        _ => None,
    }
}

fn replace(rest: Clause<'_>, file: &mut Option<String>) -> Option<Step> {
    const ALL: [&str; 4] = ["all", "every", "each", "everywhere"];
    const WITH: [&str; 6] = ["with", "by", "->", "=>", "→", "into"];
    let all = rest.tokens.iter().any(|token| token.is_any_word(&ALL));
    let rest = rest.skip(&["all", "every", "each", "the", "text", "word"]);
    let place = rest.rfind(&["in", "inside"]).filter(|at| rest.from(at + 1).items().len() == 1);
    if let Some(path) = place.and_then(|at| rest.from(at + 1).path()) {
        *file = Some(path);
    }
    let what = place.map_or(rest, |at| rest.until(at));
    let trailing = what.rfind(&["everywhere"]).filter(|at| at + 1 == what.tokens.len());
    let what = trailing.map_or(what, |at| what.until(at));
    let with = what.find(&WITH).or_else(|| what.find(&["to"]))?;
    let path = file.clone()?;
    let old = what.until(with).said();
    let new = what.from(with + 1).said();
    (!old.is_empty()).then_some(Step::Edit { path, old, new, all })
}

fn within(rest: Clause<'_>, file: &mut Option<String>) -> Option<Step> {
    let path = rest.tokens.first()?.text.clone();
    let rest = rest.from(1).skip(&[]);
    let verb = rest.tokens.first()?;
    let what = rest.from(1);
    if verb.is_any_word(&["search", "find", "grep"]) {
        return search(what, Some(path));
    }
    *file = Some(path);
    replace(what, file)
}

/// `call NAME {…}`: the arguments exactly as typed.
fn call(rest: Clause<'_>) -> Option<Step> {
    let rest = rest.skip(&["the", "tool"]);
    let name = rest.tokens.first()?;
    let source = rest.source();
    let arguments = source.find('{').and_then(|at| source.get(at..)).unwrap_or("{}");
    Some(Step::Call { name: name.text.clone(), arguments: arguments.trim().to_owned() })
}
