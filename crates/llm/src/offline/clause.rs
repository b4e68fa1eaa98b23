//! One clause of a request as steps.

use super::{
    doubt,
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

/// Verbs that are programs too.
const PROGRAMS: [&str; 7] = ["cat", "ls", "dir", "find", "grep", "rg", "touch"];

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

    pub(super) fn from(self, at: usize) -> Self {
        Self { tokens: self.tokens.get(at..).unwrap_or_default(), ..self }
    }

    pub(super) fn until(self, at: usize) -> Self {
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

    /// What it says, unless there is more than one quoted piece, or words without quotes that
    /// may be something else than the text itself.
    fn said_exactly(self) -> Option<String> {
        let is_plain = |token: &Token| {
            matches!(token.kind, Kind::Word | Kind::Mark) && !doubt::is_joiner(token)
        };
        let is_exact = self.tokens.len() == 1 || self.tokens.iter().all(is_plain);
        (!self.is_empty() && is_exact).then(|| self.said())
    }

    /// Without the marks and the courtesy that end it.
    fn without_stop(self) -> Self {
        let is_end = |token: &Token| {
            token.kind == Kind::Mark || token.is_any_word(&["please", "now", "thanks", "too"])
        };
        let len = self.tokens.iter().rposition(|token| !is_end(token)).map_or(0, |at| at + 1);
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
    if verb != Verb::Shell && rest.tokens.iter().any(doubt::is_pronoun) {
        return None;
    }
    let named = clause.from(after.saturating_sub(1));
    let is_program = named.tokens.first().is_some_and(|token| token.is_any_word(&PROGRAMS));
    if is_program && is_shell(rest) {
        return command(named).map(|step| vec![step]);
    }
    let one = |step: Step| Some(vec![step]);
    match verb {
        Verb::Read => read_files(rest),
        Verb::List => list(rest),
        Verb::Find => find(rest).and_then(one),
        Verb::Search => search(rest, None).and_then(one),
        Verb::Run => run(rest).and_then(one),
        Verb::Shell => {
            (!rest.is_empty()).then(|| vec![Step::Run { command: rest.source().to_owned() }])
        }
        Verb::Command => command(rest).and_then(one),
        Verb::Write => write(rest, named).and_then(one),
        Verb::Edit => {
            let path = rest.path()?;
            match rest.find(&["replace", "change", "substitute"]) {
                Some(at) => {
                    *file = Some(path);
                    replace(rest.from(at + 1), file).and_then(one)
                }
                None if rest.items().len() == 1 => {
                    *file = Some(path);
                    Some(Vec::new())
                }
                None => None,
            }
        }
        Verb::Replace => replace(rest, file).and_then(one),
        Verb::Delete => delete(rest).and_then(one),
        Verb::Call => call(rest).and_then(one),
        Verb::In => within(rest, file).and_then(one),
    }
}

/// A command after `run`: in quotes with nothing after it, or as it is typed.
fn run(rest: Clause<'_>) -> Option<Step> {
    let is_named = rest.find(&["command", "following"]).is_some_and(|at| at < 3);
    let what = rest.skip(&["the", "command", "shell", "following"]);
    match what.tokens {
        [only] if only.kind != Kind::Word => Some(Step::Run { command: only.text.clone() }),
        [first, ..] if first.kind == Kind::Word => {
            // `run the tests` names no command.
            let has_article = rest.tokens.first().is_some_and(|token| token.is_word("the"));
            if has_article && !is_named { None } else { command(what) }
        }
        _ => None,
    }
}

/// A command that was typed without quotes.
fn command(line: Clause<'_>) -> Option<Step> {
    let is_command = doubt::is_command_line(line.tokens);
    is_command.then(|| Step::Run { command: line.source().to_owned() })
}

/// Only of what looks like a path, and only if nothing else is said.
fn delete(rest: Clause<'_>) -> Option<Step> {
    const KINDS: [&str; 6] = ["the", "file", "files", "named", "called", "and"];
    let is_said = |token: &&Token| token.kind != Kind::Mark && !token.is_any_word(&KINDS);
    let items: Vec<&Token> = rest.tokens.iter().filter(is_said).collect();
    if items.is_empty() || !items.iter().all(|item| doubt::is_deletable(item)) {
        return None;
    }
    let paths: Vec<String> = items.into_iter().map(|item| shell_quoted(&item.text)).collect();
    Some(Step::Run { command: format!("rm -- {}", paths.join(" ")) })
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
        || (token.kind == Kind::Code && !token.text.contains(char::is_whitespace))
        || token.text.contains(['.', '/', '~', '_'])
        || BARE.contains(&token.text.to_lowercase().as_str())
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '{'])
}

fn read_files(rest: Clause<'_>) -> Option<Vec<Step>> {
    if rest.tokens.first().is_some_and(|token| token.is_word("output"))
        && let [id] = rest.from(1).items().as_slice()
    {
        return Some(vec![Step::Output { id: id.text.clone() }]);
    }
    let (rest_of_paths, offset, limit) = lines(rest)?;
    let is_said = |item: &&Token| !item.is_any_word(&["whole", "entire", "text", "source", "code"]);
    let items: Vec<&Token> = rest_of_paths.iter().filter(is_said).collect();
    let speaks_of_files =
        rest.tokens.iter().any(|token| token.is_any_word(&["files", "directory", "folder"]));
    let paths: Vec<&&Token> = items.iter().filter(|item| looks_like_path(item)).collect();
    if speaks_of_files && !paths.iter().any(|path| has_extension(&path.text)) {
        return list(rest);
    }
    let paths: Vec<&Token> = match (paths.as_slice(), items.as_slice()) {
        ([], [only]) if !only.is_any_word(&HERE) => vec![*only],
        ([], _) => return None,
        (paths, items) if paths.len() != items.len() => return None,
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
/// and how many. None if they go backwards.
fn lines(rest: Clause<'_>) -> Option<(Vec<Token>, Option<u64>, Option<u64>)> {
    let mut items: Vec<Token> = rest.items().into_iter().cloned().collect();
    let number = |token: Option<&Token>| token.and_then(|token| token.text.parse::<u64>().ok());
    let at = items.iter().position(|token| token.is_any_word(&["lines", "line"]));
    let Some(at) = at else {
        return Some((items, None, None));
    };
    if let Some(first) = at.checked_sub(2)
        && items.get(first).is_some_and(|token| token.is_word("first"))
        && let Some(count) = number(items.get(at - 1))
    {
        items.drain(first..=at);
        return Some((items, None, Some(count)));
    }
    let range = items.get(at + 1).and_then(|token| {
        let (from, to) = token.text.split_once('-')?;
        Some((from.parse::<u64>().ok()?, to.parse::<u64>().ok()?))
    });
    let count = |from: u64, to: u64| to.checked_sub(from).map(|more| more.saturating_add(1));
    if let Some((from, to)) = range {
        items.drain(at..=at + 1);
        return Some((items, Some(from), Some(count(from, to)?)));
    }
    match (number(items.get(at + 1)), number(items.get(at + 2))) {
        (Some(from), Some(to)) => {
            items.drain(at..=at + 2);
            Some((items, Some(from), Some(count(from, to)?)))
        }
        (Some(from), None) => {
            items.drain(at..=at + 1);
            Some((items, Some(from), Some(1)))
        }
        _ => Some((items, None, None)),
    }
}

fn list(rest: Clause<'_>) -> Option<Vec<Step>> {
    let items: Vec<&Token> =
        rest.items().into_iter().filter(|item| !item.is_any_word(&HERE)).collect();
    if let Some(pattern) = items.iter().find(|item| is_pattern(&item.text)) {
        if items.len() > 2 {
            return None;
        }
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
    let text = what.said_exactly()?;
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

/// `named` begins with the verb.
fn write(rest: Clause<'_>, named: Clause<'_>) -> Option<Step> {
    const FIRST: [&str; 9] = ["a", "an", "the", "new", "file", "named", "called", "empty", "into"];
    const WITH: [&str; 5] = ["with", "containing", "saying", "reading", "contains"];
    let what = rest.skip(&FIRST);
    let first = what.tokens.first()?;
    let is_path = looks_like_path(first);
    let with = what.find(&WITH).filter(|at| *at <= 2).or_else(|| {
        let is_colon = |token: &Token| token.is_mark(":");
        what.tokens.iter().position(is_colon).filter(|at| *at <= 2)
    });
    if let Some(at) = with {
        let is_mark = |token: &Token| token.kind == Kind::Mark;
        let is_next = what.until(at).from(1).tokens.iter().all(is_mark);
        let content = content(what.from(at + 1))?;
        return (is_path && is_next).then(|| Step::Write { path: first.text.clone(), content });
    }
    if let Some(at) = rest.rfind(&["to", "into", "in"]).filter(|at| *at > 0) {
        let items = rest.from(at + 1).items();
        let [path] = items.as_slice() else {
            return None;
        };
        let text = rest.until(at).skip(&["the", "text", "line"]);
        // `write documentation to README.md` would lose what is there; `save hello to …` is clear.
        let is_clear = text.tokens.iter().all(|token| token.kind != Kind::Word)
            || named.tokens.first().is_some_and(|token| token.is_word("save"));
        let content = content(text).filter(|_| is_clear && looks_like_path(path))?;
        return Some(Step::Write { path: path.text.clone(), content });
    }
    match what.tokens {
        [path, content] if is_path && matches!(content.kind, Kind::Quoted | Kind::Code) => {
            Some(Step::Write { path: path.text.clone(), content: content.text.clone() })
        }
        // Without content it is made if it is not there, and never emptied.
        [path] if is_path => {
            let is_wanted = named.tokens.first().is_some_and(|token| token.is_word("touch"))
                || rest.find(&["empty"]).is_some_and(|at| at < rest.tokens.len() - 1);
            let command = format!("touch -- {}", shell_quoted(&path.text));
            is_wanted.then_some(Step::Run { command })
        }
        _ => None,
    }
}

/// The content of a file: in quotes with nothing after it, or words that don't describe it.
fn content(said: Clause<'_>) -> Option<String> {
    const NAMES: [&str; 5] = ["content", "contents", "text", "line", "word"];
    const DESCRIBING: [&str; 12] =
        ["the", "a", "an", "of", "some", "all", "same", "my", "your", "from", "what", "as"];
    let bare = said.skip(&["the"]).skip(&NAMES);
    let is_named = said.skip(&["the"]).tokens.len() > bare.tokens.len();
    let said = if is_named || bare.tokens.len() == 1 { bare } else { said.skip(&[]) };
    let is_described = said.tokens.len() > 1 && said.find(&DESCRIBING).is_some();
    if is_described { None } else { said.said_exactly() }
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
    let old = what.until(with).said_exactly()?;
    let new = what.from(with + 1).said_exactly()?;
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
    let given = rest.from(1).skip(&["with", "arguments"]);
    let arguments = match given.tokens {
        [] => "{}",
        [only] if only.text.starts_with('{') => only.text.as_str(),
        // It is no JSON, and the answer will say where not.
        [first, ..] if first.kind == Kind::Word && first.text.starts_with('{') => given.source(),
        _ => return None,
    };
    Some(Step::Call { name: name.text.clone(), arguments: arguments.trim().to_owned() })
}
