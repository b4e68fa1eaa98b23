//! Whether what a command names lies in the working directory.
//!
//! A word may be the name of a file or just text, and which of the two only its program knows. So
//! every word is looked up as if it were a name, but for programs that open none: text that looks
//! like a path leading out costs a command its company and an approval, nothing worse.

use std::path::{Component, Path, PathBuf};

use super::{
    lexer::{Command, Word},
    programs,
};
use crate::Workspace;

/// Programs that open no file that they are given.
const SPEAKERS: &[&str] = &[
    "true", "false", ":", "echo", "printf", "pwd", "basename", "dirname", "seq", "sleep", "tr",
    "which", "type", "command", "uname", "whoami", "id", "groups", "nproc", "arch", "hostname",
    "env", "printenv", "ps", "free", "uptime",
];

/// Options whose values are patterns that nothing is read from.
const FILTERS: &[&str] = &["--include=", "--exclude=", "--exclude-dir="];

/// Directories that a line may be in, names that its patterns may stand for, and bytes of an option
/// that are looked at.
const MAX_DIRECTORIES: usize = 16;
const MAX_NAMES: usize = 2_000;
const MAX_OPTION: usize = 200;

/// Follows a line through the directories that it may be in.
pub(super) struct Inside<'a> {
    workspace: &'a Workspace,
    /// As the shell knows them: not without links. After a `cd` that may or may not have been made,
    /// both are held possible.
    directories: Vec<PathBuf>,
}

impl<'a> Inside<'a> {
    pub(super) fn new(workspace: &'a Workspace, directory: &Path) -> Self {
        Self { workspace, directories: vec![directory.to_owned()] }
    }

    /// Whether all that the command names lies inside.
    pub(super) fn holds(&mut self, command: &Command) -> bool {
        let Some((name, words)) = programs::named(&command.words) else {
            return false;
        };
        if !self.directories.iter().all(|directory| self.is_inside(directory))
            || !command.inputs.iter().all(|word| self.has(word))
        {
            return false;
        }
        match name.text.as_str() {
            "cd" => self.enter(words),
            // It follows the links in directories.
            "diff" => words.iter().all(|word| self.has(word) && !self.is_directory(word)),
            name if SPEAKERS.contains(&name) => {
                words.iter().all(|word| if word.glob { self.has(word) } else { !is_home(word) })
            }
            _ => words.iter().all(|word| self.has(word)),
        }
    }

    fn enter(&mut self, words: &[Word]) -> bool {
        let [to] = words else {
            // Home.
            return false;
        };
        if to.glob || to.text.is_empty() || to.text.starts_with('-') || !self.has(to) {
            return false;
        }
        for directory in self.directories.clone() {
            let path = directory.join(&to.text);
            // The shell takes `..` for the parent by name, and where that fails, for the real one.
            let Ok(real) = self.workspace.resolve(&path) else {
                return false;
            };
            for entered in [by_name(&path), real.path] {
                if !self.directories.contains(&entered) {
                    self.directories.push(entered);
                }
            }
        }
        self.directories.len() <= MAX_DIRECTORIES
    }

    /// Whether a word, taken for a name, is one of something inside.
    fn has(&self, word: &Word) -> bool {
        let text = word.text.as_str();
        if is_home(word) {
            return false;
        }
        // Where options end, what looks like one is a name.
        let named = text == "/dev/null" || self.leads_inside(text);
        let value = !text.starts_with('-') || self.has_value(word);
        named && value && (!word.glob || self.has_matches(word))
    }

    /// Whether the value that may be in an option is a name of something inside.
    fn has_value(&self, word: &Word) -> bool {
        let text = word.text.as_str();
        if word.glob {
            return FILTERS.iter().any(|filter| text.starts_with(filter));
        }
        // A lone slash is a separator, and nothing to be read.
        let fits = |value: &str| value == "/" || self.leads_inside(value);
        if text.starts_with("--") {
            return text.split_once('=').is_none_or(|(_, value)| fits(value));
        }
        // Which letter takes a value is not known.
        text.len() <= MAX_OPTION
            && text.char_indices().skip(2).all(|(at, _)| text.get(at..).is_some_and(fits))
    }

    /// Whether all names that a pattern may stand for are inside. Any name will do for a part with a
    /// wildcard: that is more than the shell puts there, and never less.
    fn has_matches(&self, word: &Word) -> bool {
        let mut left = MAX_NAMES;
        let mut places = if word.text.starts_with('/') {
            vec![PathBuf::from("/")]
        } else {
            self.directories.clone()
        };
        for part in word.text.split('/').filter(|part| !part.is_empty()) {
            if !part.contains(['*', '?', '[']) {
                for place in &mut places {
                    place.push(part);
                }
                continue;
            }
            if may_be_parent(part) {
                return false;
            }
            let Some(next) = self.names_in(&places, word.glob_first, &mut left) else {
                return false;
            };
            places = next;
        }
        places.iter().all(|place| self.is_inside(place))
    }

    /// What is in these directories; `None` if they are outside, or hold too much, or what a program
    /// would take for an option.
    fn names_in(&self, places: &[PathBuf], first: bool, left: &mut usize) -> Option<Vec<PathBuf>> {
        let mut names = Vec::new();
        for place in places {
            if !self.is_inside(place) {
                return None;
            }
            for entry in std::fs::read_dir(place).into_iter().flatten() {
                *left = left.checked_sub(1)?;
                let name = entry.ok()?.file_name();
                if first && name.as_encoded_bytes().starts_with(b"-") {
                    return None;
                }
                names.push(place.join(name));
            }
        }
        Some(names)
    }

    fn leads_inside(&self, name: &str) -> bool {
        self.directories.iter().all(|directory| self.is_inside(&directory.join(name)))
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.workspace.resolve(path).is_ok_and(|at| at.is_inside())
    }

    fn is_directory(&self, word: &Word) -> bool {
        self.directories.iter().any(|directory| directory.join(&word.text).is_dir())
    }
}

/// Whether the shell may put a home directory in the word's place, or in that of a part of it.
fn is_home(word: &Word) -> bool {
    word.text.starts_with('~') || word.text.contains("=~") || word.text.contains(":~")
}

/// Whether some shells find `..` for the pattern.
fn may_be_parent(part: &str) -> bool {
    part.strip_prefix('.').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn by_name(path: &Path) -> PathBuf {
    let mut named = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                named.pop();
            }
            Component::CurDir => {}
            other => named.push(other),
        }
    }
    named
}
