//! Rules: `TOOL` or `TOOL(PATTERN)`.

use std::{fmt, path::Path, str::FromStr};

use callgate_registry::{Effects, Resource};
use globset::{GlobBuilder, GlobMatcher};
use thiserror::Error;

/// Why a rule could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// It has no tool, or its parentheses do not match.
    #[error("`{0}` is no rule; write TOOL or TOOL(PATTERN), such as bash(cargo test *)")]
    Form(String),
    /// Its pattern is longer than 64 KiB.
    #[error("the pattern of a rule has {bytes} bytes; it may have {MAX_PATTERN_BYTES}")]
    TooLong {
        /// Bytes of the pattern.
        bytes: usize,
    },
    /// Its pattern is no glob.
    #[error("the pattern of rule `{rule}` is no glob")]
    Pattern {
        /// The rule.
        rule: String,
        /// What is wrong with the pattern.
        #[source]
        source: globset::Error,
    },
}

/// A rule on calls: a tool, and optionally a pattern on what the call is about.
///
/// The pattern is matched against the command of `bash` and against the path of tools on files; a
/// pattern that does not start with `/` is relative to the working directory.
#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    tool: String,
    pattern: Option<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    /// For commands, `*` crosses everything.
    command: GlobMatcher,
    /// For paths, `*` stays within a component.
    path: GlobMatcher,
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let form = || RuleError::Form(text.to_owned());
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(form)?)),
        };
        // `./x` is another spelling of `x`, and a directory means what is below it.
        let pattern = pattern.map(|pattern| pattern.strip_prefix("./").unwrap_or(pattern));
        let pattern = pattern.map(|pattern| match pattern.strip_suffix('/') {
            Some(directory) if !directory.is_empty() => directory,
            _ => pattern,
        });
        let tool = tool.trim();
        if tool.is_empty() || tool.contains([')', ' ']) {
            return Err(form());
        }
        let pattern = pattern.map(|pattern| Pattern::new(pattern, text)).transpose()?;
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), pattern })
    }
}

/// The most bytes that a pattern may have. Far more than a person writes, and far below the size at
/// which the glob library gives up (about 1 MB).
const MAX_PATTERN_BYTES: usize = 64 * 1024;

impl Pattern {
    fn new(pattern: &str, rule: &str) -> Result<Self, RuleError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(RuleError::TooLong { bytes: pattern.len() });
        }
        let compile = |separator: bool| {
            GlobBuilder::new(pattern)
                .literal_separator(separator)
                .backslash_escape(true)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|source| RuleError::Pattern { rule: rule.to_owned(), source })
        };
        Ok(Self { text: pattern.to_owned(), command: compile(false)?, path: compile(true)? })
    }

    /// Whether the pattern means the path: a relative one means paths of the working directory.
    fn means_path(&self, path: &Path, cwd: &Path) -> bool {
        if self.text.starts_with('/') {
            self.path.is_match(path)
        } else {
            path.strip_prefix(cwd).is_ok_and(|inside| self.path.is_match(inside))
        }
    }

    /// Whether the path, or a directory that it is in, matches in any reading. For what is forbidden:
    /// there `**/key` means every key, wherever it is.
    fn covers_path(&self, path: &Path, cwd: &Path) -> bool {
        path.ancestors()
            .any(|ancestor| self.path.is_match(ancestor) || self.means_path(ancestor, cwd))
    }
}

/// What a rule is held against.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    /// The tool.
    pub(crate) tool: &'a str,
    /// What the call is about, in the model's words: the command, or a path.
    pub(crate) subject: Option<&'a str>,
    /// The files and directories that the call declares, absolute and with links resolved, so that
    /// no other name of a file gets around a rule.
    pub(crate) paths: Vec<&'a Path>,
}

impl<'a> Target<'a> {
    pub(crate) fn new(tool: &'a str, subject: Option<&'a str>, effects: &'a Effects) -> Self {
        let paths = match effects {
            Effects::Everything => Vec::new(),
            Effects::Only(accesses) => accesses
                .iter()
                .filter_map(|access| match &access.resource {
                    Resource::Path(path) | Resource::Subtree(path) => Some(path.as_path()),
                    _ => None,
                })
                .collect(),
        };
        Self { tool, subject, paths }
    }
}

/// Words that stand before a program and leave it what it is.
const WRAPPERS: &[&str] = &[
    "!", "builtin", "command", "do", "elif", "else", "env", "exec", "if", "ionice", "nice",
    "nohup", "setsid", "stdbuf", "sudo", "then", "time", "timeout", "until", "while", "xargs",
];

/// A simple command without quotes, odd blanks, wrappers, assignments and the program's directory.
fn plain_spelling(part: &str) -> String {
    let unquoted: String = part.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let mut words: Vec<&str> = unquoted
        .split_whitespace()
        .skip_while(|word| WRAPPERS.contains(word) || word.contains('='))
        .collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or(program);
    }
    words.join(" ")
}

/// Characters with which one command line becomes several commands, or writes a file.
const SHELL_OPERATORS: &[char] = &[';', '&', '|', '<', '>', '`', '$', '(', ')', '{', '}', '\n'];

impl Rule {
    /// A rule for exactly one tool and one subject, whatever characters the subject has.
    ///
    /// # Errors
    /// The subject is too long for a pattern.
    pub(crate) fn exact(tool: &str, subject: &str) -> Result<Self, RuleError> {
        format!("{tool}({})", globset::escape(subject)).parse()
    }

    fn names(&self, tool: &str) -> bool {
        self.tool == "*" || self.tool == tool
    }

    /// Whether the rule allows a call. A pattern on a command allows it only if the command is a
    /// single one: `git status` must not let `git status; rm x` pass.
    pub(crate) fn allows(&self, target: &Target<'_>, cwd: &Path) -> bool {
        self.names(target.tool)
            && match (&self.pattern, target.subject) {
                (None, _) => true,
                (Some(pattern), Some(command)) if target.tool == "bash" => {
                    pattern.text == globset::escape(command)
                        || (!command.contains(SHELL_OPERATORS) && pattern.command.is_match(command))
                }
                (Some(pattern), _) => {
                    !target.paths.is_empty()
                        && target.paths.iter().all(|path| pattern.means_path(path, cwd))
                }
            }
    }

    /// Whether the rule denies a call. A pattern on a command denies it if any part of the command
    /// line matches, as it is written or without quotes, wrappers and the directory of the program.
    /// That finds plain spellings; a command that wants to hide what it does can.
    pub(crate) fn denies(&self, target: &Target<'_>, cwd: &Path) -> bool {
        self.names(target.tool)
            && match (&self.pattern, target.subject) {
                (None, _) => true,
                (Some(pattern), Some(command)) if target.tool == "bash" => {
                    pattern.command.is_match(command)
                        || command.split(SHELL_OPERATORS).any(|part| {
                            pattern.command.is_match(part.trim())
                                || pattern.command.is_match(plain_spelling(part))
                        })
                }
                (Some(pattern), _) => {
                    target.paths.iter().any(|path| pattern.covers_path(path, cwd))
                }
            }
    }

    /// Whether the rule keeps a tool from a file, wherever a call may meet it.
    pub(crate) fn denies_path(&self, tool: &str, path: &Path, cwd: &Path) -> bool {
        self.names(tool)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.covers_path(path, cwd))
    }

    /// The name of the tool that the rule is about; `*` for all.
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether the rule opens a path outside of the working directory to a tool: only a rule that
    /// names the path does.
    pub(crate) fn grants(&self, tool: &str, path: &Path) -> bool {
        self.names(tool)
            && self
                .pattern
                .as_ref()
                .is_some_and(|pattern| pattern.text.starts_with('/') && pattern.path.is_match(path))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
