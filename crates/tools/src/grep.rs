//! `grep`: finds lines in files.

use std::{
    fs::File,
    io::{self, Read},
    ops::ControlFlow,
    path::Path,
    sync::Arc,
};

use callgate_registry::{Content, Effects, Mode, ToolError, ToolOutput, ToolSpec};
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Toolbox, arguments,
    blocking::{StopFlag, blocking},
    findings::{FileFindings, Findings},
    text,
    toolbox::LOOKS_ONLY,
    unread,
    walk::{self, Walk, Walked},
    workspace::Workspace,
};

const NAME: &str = "grep";

const DESCRIPTION: &str = "\
Searches the lines of text files below a directory, or of one file, for a regular expression, and \
lists them as path:line:text, in the order of the paths; lines of context as path-line-text. The \
expression is that of ripgrep: linear in time, without look-around and back-references, and matched \
within a line; put a backslash before . ( ) [ ] { } + * ? | ^ $ to mean the character. Files that \
.gitignore names are left out, hidden ones too unless glob or path names them, and .git always; binary \
files are skipped. The answer is bounded to 50 KiB and says how much more was found: then narrow it \
with path or glob, or ask for files_only.";

/// Memory for the longest line of a file; a file with a longer one is set aside.
const MAX_LINE_MEMORY: usize = 64 * 1024 * 1024;

const TOO_LONG: &str = "it has a line of more than 64 MiB; search it with grep in bash";

/// Lines of context that may be asked for.
const MAX_CONTEXT: u32 = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The regular expression.
    pattern: String,
    /// The directory or file to search. The working directory if left out.
    path: Option<String>,
    /// Searches only files that match: `*.rs` by name, `src/**/*.rs` by path, `!*.min.js` all but
    /// these.
    glob: Option<String>,
    /// Lines shown before and after each match.
    #[schemars(range(max = MAX_CONTEXT))]
    context: Option<u32>,
    /// Takes upper and lower case for the same.
    ignore_case: Option<bool>,
    /// Lists only the paths of files that have a match.
    files_only: Option<bool>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let (run, keys) = (Arc::clone(toolbox), Arc::clone(toolbox));
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |stop| search(&toolbox, &arguments, stop))
    })
    .effects(move |arguments| {
        Effects::reads_subtree(keys.workspace().key(arguments::text(arguments, "path")))
    })
    .subject("path")
    .annotations(LOOKS_ONLY)
}

/// The expression as it is searched for, here and in kept outputs.
pub(crate) fn matcher(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolError> {
    RegexMatcherBuilder::new().case_insensitive(ignore_case).crlf(true).build(pattern).map_err(
        |error| {
            ToolError::invalid(
                "/pattern",
                format!(
                    "The pattern can't be searched for: {}. To mean a character such as ( or [ \
                     itself, put a backslash before it.",
                    text::echo(&error.to_string())
                ),
            )
        },
    )
}

fn search(
    toolbox: &Toolbox,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolError> {
    let workspace = toolbox.workspace();
    let mut search = Search::new(toolbox, arguments)?;
    let asked = arguments.path.as_deref().unwrap_or(".");
    let Some(base) = workspace.directory(NAME, asked)? else {
        let open = workspace.open(NAME, asked, Mode::Read)?;
        search.file(&workspace.shown(&open.at.path), &open.file, stop);
        return Ok(search.answer(&arguments.pattern, Walked::default()));
    };
    if walk::is_in_git(base.path.strip_prefix(workspace.root()).unwrap_or(&base.path)) {
        return Err(ToolError::failed(
            "The .git directory is never searched. Use git in bash, such as `git log -S` or \
             `git grep`.",
        ));
    }
    let filter = arguments.glob.as_deref().map(Filter::new).transpose()?;
    let hidden = arguments.glob.as_deref().is_some_and(walk::names_hidden);
    let walked = Walk { workspace, base: &base.path, hidden, stop }.files(|met| {
        let wanted = || {
            let path = met.path.strip_prefix(&base.path).unwrap_or(&met.path);
            filter.as_ref().is_none_or(|filter| filter.admits(path))
        };
        // A link's target is searched under its own name, if it is to be.
        if !met.link && wanted() {
            search.met(workspace, &met.path, stop);
        }
        ControlFlow::Continue(())
    });
    Ok(search.answer(&arguments.pattern, walked))
}

/// Which files are searched.
struct Filter {
    matcher: GlobMatcher,
    inverted: bool,
}

impl Filter {
    fn new(glob: &str) -> Result<Self, ToolError> {
        let (pattern, inverted) = match glob.strip_prefix('!') {
            Some(pattern) => (pattern, true),
            None => (glob, false),
        };
        let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
        // Without a slash it is about the name, wherever the file is.
        let anywhere = if pattern.contains('/') { "" } else { "**/" };
        let matcher = GlobBuilder::new(&format!("{anywhere}{pattern}"))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| {
                let reason = error.kind().to_string();
                let (glob, reason) = (text::echo(glob), text::echo(&reason));
                ToolError::invalid("/glob", format!("{glob} is no glob: {reason}."))
            })?
            .compile_matcher();
        Ok(Self { matcher, inverted })
    }

    fn admits(&self, path: &Path) -> bool {
        self.matcher.is_match(path) != self.inverted
    }
}

/// A file that ends early when the search is to stop, since one file can be endless.
struct Stoppable<'a> {
    file: &'a File,
    stop: &'a StopFlag,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() { Ok(0) } else { self.file.read(buffer) }
    }
}

/// A search in progress.
struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    findings: Findings,
}

impl Search {
    fn new(toolbox: &Toolbox, arguments: &Arguments) -> Result<Self, ToolError> {
        let files_only = arguments.files_only.unwrap_or(false);
        let context = if files_only { 0 } else { arguments.context.unwrap_or(0).min(MAX_CONTEXT) };
        let context = usize::try_from(context).unwrap_or(0);
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE_MEMORY))
            .build();
        Ok(Self {
            matcher: matcher(&arguments.pattern, arguments.ignore_case.unwrap_or(false))?,
            searcher,
            findings: Findings::new(toolbox.max_shown_bytes(), files_only),
        })
    }

    fn met(&mut self, workspace: &Workspace, path: &Path, stop: &StopFlag) {
        if workspace.denies(NAME, path) {
            self.findings.denied += 1;
            return;
        }
        match workspace.open_met(path) {
            Ok(Some(file)) => self.file(&workspace.shown(path), &file, stop),
            Ok(None) => {}
            Err(errno) => {
                let reason = unread::reason(&io::Error::from(errno));
                self.findings.unreadable.add(&workspace.shown(path), &reason);
            }
        }
    }

    fn file(&mut self, shown: &str, file: &File, stop: &StopFlag) {
        let mut found = FileFindings::new(&self.findings, shown, &self.matcher);
        let searched =
            self.searcher.search_reader(&self.matcher, Stoppable { file, stop }, &mut found);
        let found = found.finish();
        match searched {
            Ok(()) => self.findings.add(shown, &found),
            Err(error) if error.raw_os_error().is_some() => {
                self.findings.unreadable.add(shown, &unread::reason(&error));
            }
            // The searcher's own: no room for a line.
            Err(_) => self.findings.unreadable.add(shown, TOO_LONG),
        }
    }

    fn answer(self, pattern: &str, walked: Walked) -> ToolOutput {
        let (lines, mut remarks) = self.findings.into_parts(pattern);
        remarks.extend(walked.remarks());
        let mut output = ToolOutput::default();
        if !lines.is_empty() {
            output.content.push(Content::text(lines));
        }
        if !remarks.is_empty() {
            output.content.push(Content::text(format!("[{}]", remarks.join("; "))));
        }
        output
    }
}
