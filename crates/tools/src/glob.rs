//! `glob`: finds files by name.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use callgate_registry::{Content, Effects, ToolError, ToolOutput, ToolSpec};
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Toolbox, arguments,
    blocking::{StopFlag, blocking},
    text,
    toolbox::LOOKS_ONLY,
    walk::{self, Met, Walk, Walked},
    workspace::Workspace,
};

const NAME: &str = "glob";

const DESCRIPTION: &str = "\
Finds files by name and lists their paths in alphabetical order, relative to the working directory. \
* and ? match within a name, ** any directories, {a,b} either, [a-z] one of: `**/*.rs` finds all Rust \
files, `src/*.rs` those directly in src, `*.rs` only those directly in path. Files that .gitignore \
names are left out, hidden ones too unless the pattern names them (`.github/**`), and .git always; to \
look into an ignored directory, give it as path. Links are not followed. At most 1,000 paths are \
listed, and how many more there are is said. To search in files use grep.";

/// Paths that are listed.
const MAX_PATHS: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The pattern of the path, relative to `path`.
    pattern: String,
    /// The directory to look in. The working directory if left out.
    path: Option<String>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let (run, keys) = (Arc::clone(toolbox), Arc::clone(toolbox));
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |stop| find(&toolbox, &arguments, stop))
    })
    .effects(move |arguments| {
        Effects::reads_subtree(keys.workspace().key(arguments::text(arguments, "path")))
    })
    .subject("path")
    .annotations(LOOKS_ONLY)
}

fn find(
    toolbox: &Toolbox,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolError> {
    let workspace = toolbox.workspace();
    let asked = arguments.path.as_deref().unwrap_or(".");
    let Some(base) = workspace.directory(NAME, asked)? else {
        return Err(ToolError::failed(format!(
            "{} is a file, not a directory. Give the directory as path and the name as pattern.",
            text::echo(asked)
        )));
    };
    if walk::is_in_git(base.path.strip_prefix(workspace.root()).unwrap_or(&base.path)) {
        return Err(ToolError::failed(
            "The .git directory is never listed. Use git in bash to see what a repository holds.",
        ));
    }
    if arguments.pattern.is_empty() {
        return Err(ToolError::invalid(
            "/pattern",
            "The pattern is empty. `**` finds all files, `*.rs` those whose names end in .rs.",
        ));
    }
    let pattern = relative(&arguments.pattern, workspace, &base.path)?;
    let matcher = compile(pattern)?;
    let mut found = Found { paths: Vec::new(), bytes: 0, more: 0, denied: 0 };
    let max_bytes = toolbox.max_shown_bytes();
    let hidden = walk::names_hidden(pattern);
    let walked = Walk { workspace, base: &base.path, hidden, stop }.files(|met| {
        let matches = met.path.strip_prefix(&base.path).is_ok_and(|path| matcher.is_match(path));
        if matches && let Some(file) = listed(workspace, &met) {
            if workspace.denies(NAME, &met.path) || workspace.denies(NAME, &file) {
                found.denied += 1;
            } else {
                found.push(workspace.shown(&met.path), max_bytes);
            }
        }
        ControlFlow::Continue(())
    });
    Ok(found.answer(&arguments.pattern, walked))
}

/// The pattern relative to the directory that is walked.
fn relative<'a>(
    pattern: &'a str,
    workspace: &Workspace,
    base: &Path,
) -> Result<&'a str, ToolError> {
    let outside = || {
        ToolError::invalid(
            "/pattern",
            "The pattern leaves the directory it is matched in. Give the directory as path, and \
             the pattern relative to it.",
        )
    };
    if pattern.split('/').any(|part| part == "..") {
        return Err(outside());
    }
    if !pattern.starts_with('/') {
        return Ok(pattern.trim_start_matches("./"));
    }
    [base, workspace.root()]
        .into_iter()
        .find_map(|directory| {
            let rest = pattern.strip_prefix(directory.to_str()?)?.strip_prefix('/')?;
            // Matched below `base` only, so it must be meant from there.
            (directory == base).then_some(rest)
        })
        .ok_or_else(outside)
}

fn compile(pattern: &str) -> Result<GlobMatcher, ToolError> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| {
            ToolError::invalid(
                "/pattern",
                format!("The pattern is no glob: {}.", text::echo(&error.kind().to_string())),
            )
        })
}

/// The file that is listed. A link is listed like the file it leads to, if that is open to file
/// tools.
fn listed(workspace: &Workspace, met: &Met) -> Option<PathBuf> {
    if !met.link {
        return Some(met.path.clone());
    }
    let at = workspace.resolve(&met.path).ok()?;
    (at.is_inside() && at.path.metadata().is_ok_and(|found| found.is_file())).then_some(at.path)
}

struct Found {
    paths: Vec<String>,
    bytes: usize,
    more: u64,
    denied: u64,
}

impl Found {
    fn push(&mut self, path: String, max_bytes: usize) {
        if self.paths.len() < MAX_PATHS && self.bytes + path.len() < max_bytes {
            self.bytes += path.len() + 1;
            self.paths.push(path);
        } else {
            self.more += 1;
        }
    }

    fn answer(self, pattern: &str, walked: Walked) -> ToolOutput {
        let mut remarks = Vec::new();
        let pattern = text::echo(pattern);
        if self.paths.is_empty() {
            remarks.push(format!("no file matches {pattern}"));
            if !pattern.contains('/') {
                remarks.push(format!("`**/{pattern}` looks in all directories below"));
            }
            remarks.push("hidden and ignored files are left out unless they are named".to_owned());
        }
        if self.more > 0 {
            remarks.push(format!(
                "{} not listed; narrow the pattern",
                text::count(self.more, "more path", "more paths")
            ));
        }
        remarks.extend(walk::denied(self.denied));
        remarks.extend(walked.remarks());
        let mut output = ToolOutput::default();
        if !self.paths.is_empty() {
            output.content.push(Content::text(self.paths.join("\n")));
        }
        if !remarks.is_empty() {
            output.content.push(Content::text(format!("[{}]", remarks.join("; "))));
        }
        output
    }
}
