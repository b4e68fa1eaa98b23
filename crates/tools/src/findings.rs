//! What a search found, bounded; what is past the bound is counted.

use std::io;

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::{text, unread::Unread, walk};

/// Bytes shown of a line, and of what stands before the match in a long one.
const MAX_LINE_BYTES: usize = 500;
const BEFORE_MATCH: usize = 100;

/// All that was found so far.
#[derive(Debug)]
pub(crate) struct Findings {
    lines: String,
    max_bytes: usize,
    files_only: bool,
    searched: u64,
    files: u64,
    matches: u64,
    shown_files: u64,
    shown_matches: u64,
    binary: u64,
    /// Files that could not be read to their end.
    pub(crate) unreadable: Unread,
    /// Files that a rule denies.
    pub(crate) denied: u64,
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    lines: String,
    matches: u64,
    shown: u64,
    binary: bool,
}

impl Findings {
    pub(crate) fn new(max_bytes: usize, files_only: bool) -> Self {
        Self {
            lines: String::new(),
            max_bytes,
            files_only,
            searched: 0,
            files: 0,
            matches: 0,
            shown_files: 0,
            shown_matches: 0,
            binary: 0,
            unreadable: Unread::default(),
            denied: 0,
        }
    }

    /// Adds what was found in a file; nothing of one that turned out to be binary.
    pub(crate) fn add(&mut self, shown: &str, found: &Found) {
        if found.binary {
            self.binary += 1;
            return;
        }
        self.searched += 1;
        if found.matches == 0 {
            return;
        }
        self.files += 1;
        self.matches += found.matches;
        if self.files_only {
            if self.lines.len() + shown.len() < self.max_bytes {
                self.lines.push_str(shown);
                self.lines.push('\n');
                self.shown_files += 1;
            }
            return;
        }
        self.shown_files += u64::from(found.shown > 0);
        self.shown_matches += found.shown;
        self.lines.push_str(&found.lines);
    }

    /// The lines, and what there is to say about them.
    pub(crate) fn into_parts(self, pattern: &str) -> (String, Vec<String>) {
        let mut remarks = Vec::new();
        let searched = text::count(self.searched, "file", "files");
        if self.matches == 0 {
            remarks.push(format!("no match for {} in {searched}", text::echo(pattern)));
            remarks.push("hidden and ignored files are left out unless they are named".to_owned());
        } else if self.files_only && self.shown_files < self.files {
            let more = text::count(self.files - self.shown_files, "more file", "more files");
            remarks.push(format!("{more} with a match not listed; narrow the search"));
        } else if !self.files_only && self.shown_matches < self.matches {
            remarks.push(format!(
                "{} not shown, of {} in {}; narrow the search with path or glob, or list the files \
                 with files_only",
                text::count(self.matches - self.shown_matches, "more match", "more matches"),
                text::grouped(self.matches),
                text::count(self.files, "file", "files"),
            ));
        }
        if self.binary > 0 {
            remarks.push(format!(
                "{} skipped",
                text::count(self.binary, "binary file", "binary files")
            ));
        }
        remarks.extend(self.unreadable.remark("file", "files", "searched"));
        remarks.extend(walk::denied(self.denied));
        let mut lines = self.lines;
        // The last line has no line end in an answer.
        if lines.ends_with('\n') {
            lines.pop();
        }
        (lines, remarks)
    }
}

/// Takes the matches of one file.
pub(crate) struct FileFindings<'a> {
    found: Found,
    path: &'a str,
    matcher: &'a RegexMatcher,
    room: usize,
    files_only: bool,
    /// Whether there is no room any more.
    full: bool,
}

impl<'a> FileFindings<'a> {
    pub(crate) fn new(all: &Findings, path: &'a str, matcher: &'a RegexMatcher) -> Self {
        Self {
            found: Found::default(),
            path,
            matcher,
            room: all.max_bytes.saturating_sub(all.lines.len()),
            files_only: all.files_only,
            full: false,
        }
    }

    pub(crate) fn finish(self) -> Found {
        self.found
    }

    /// Adds a line if there is room; whether there was.
    fn push(&mut self, separator: char, number: Option<u64>, bytes: &[u8]) -> bool {
        if self.full {
            return false;
        }
        let text = self.shortened(bytes);
        let line = format!("{}{separator}{}{separator}{text}\n", self.path, number.unwrap_or(0));
        self.full = self.found.lines.len() + line.len() > self.room;
        if !self.full {
            self.found.lines.push_str(&line);
        }
        !self.full
    }

    /// The line, or of a long one the part around its first match.
    fn shortened(&self, bytes: &[u8]) -> String {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() <= MAX_LINE_BYTES {
            return text::show(line).text;
        }
        let at = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        let from = text::floor_boundary(line, at.saturating_sub(BEFORE_MATCH));
        let to = text::floor_boundary(line, from + MAX_LINE_BYTES);
        let shown = text::show(line.get(from..to).unwrap_or_default()).text;
        let before = if from > 0 { "[...] " } else { "" };
        let after = if to < line.len() { " [...]" } else { "" };
        format!("{before}{shown}{after}")
    }
}

impl Sink for FileFindings<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found.matches += 1;
        if self.files_only {
            return Ok(false);
        }
        let shown = self.push(':', found.line_number(), found.bytes());
        self.found.shown += u64::from(shown);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push('-', context.line_number(), context.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if !self.full && self.found.lines.len() + 3 <= self.room {
            self.found.lines.push_str("--\n");
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.found.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.found.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}
