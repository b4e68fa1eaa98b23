//! The files below a directory, in a fixed order, without what is ignored.

use std::{
    ffi::OsStr,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{DirEntry, WalkBuilder};

use crate::{
    blocking::StopFlag,
    text,
    unread::{self, Unread},
    workspace::Workspace,
};

/// What is walked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The directory, absolute and without links.
    pub(crate) base: &'a Path,
    /// Whether names with a dot at the start are walked too.
    pub(crate) hidden: bool,
    pub(crate) stop: &'a StopFlag,
}

/// How a walk ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// Directories and files that could not be looked at.
    pub(crate) unreadable: Unread,
    /// Whether it was ended before all was seen.
    pub(crate) cut_short: bool,
}

impl Walked {
    /// What there is to say about the walk.
    pub(crate) fn remarks(self) -> impl Iterator<Item = String> {
        let unreadable = self.unreadable.remark("entry", "entries", "looked at");
        let cut = self.cut_short.then(|| "stopped before all was seen".to_owned());
        unreadable.into_iter().chain(cut)
    }
}

/// A file that was met.
#[derive(Debug)]
pub(crate) struct Met {
    /// Absolute.
    pub(crate) path: PathBuf,
    /// Whether it is a link, which is not followed.
    pub(crate) link: bool,
}

impl Walk<'_> {
    /// Visits every file, each once: no link is followed.
    ///
    /// Rules of `.gitignore` and `.ignore` hold from the working directory down, in a repository or
    /// not. A directory that is named is walked even if a rule ignores it, since it was asked for.
    pub(crate) fn files(self, mut visit: impl FnMut(Met) -> ControlFlow<()>) -> Walked {
        let root = self.workspace.root();
        if self.base != root && self.base.starts_with(root) {
            let mut reached = false;
            let walked = self.from(root, &mut |entry| {
                reached = true;
                visit(entry)
            });
            if reached || walked.cut_short {
                return walked;
            }
        }
        self.from(self.base, &mut visit)
    }

    fn from(self, start: &Path, visit: &mut impl FnMut(Met) -> ControlFlow<()>) -> Walked {
        let mut walked = Walked::default();
        for entry in self.builder(start).build() {
            if self.stop.is_set() {
                walked.cut_short = true;
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = path_of(&error).unwrap_or(start);
                    let reason = error.io_error().map_or_else(|| error.to_string(), unread::reason);
                    walked.unreadable.add(&self.workspace.shown(path), &text::echo(&reason));
                    continue;
                }
            };
            let Some(kind) = entry.file_type() else { continue };
            if !(kind.is_file() || kind.is_symlink()) || !entry.path().starts_with(self.base) {
                continue;
            }
            let met = Met { link: kind.is_symlink(), path: entry.into_path() };
            if visit(met).is_break() {
                walked.cut_short = true;
                break;
            }
        }
        walked
    }

    fn builder(self, start: &Path) -> WalkBuilder {
        let mut builder = WalkBuilder::new(start);
        let base: Arc<Path> = Arc::from(self.base);
        let closed = self.workspace.closed();
        builder
            .hidden(!self.hidden)
            // What stands above the working directory is not ours; a home directory that is kept
            // in git often ignores everything.
            .parents(false)
            .git_global(false)
            .require_git(false)
            .follow_links(false)
            .sort_by_file_name(OsStr::cmp)
            .filter_entry(move |entry| is_walked(entry, &base, &closed));
        builder
    }
}

/// What the error is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

fn is_walked(entry: &DirEntry, base: &Path, closed: &[PathBuf]) -> bool {
    let path = entry.path();
    let on_the_way = base.starts_with(path) || path.starts_with(base);
    on_the_way && !is_git(entry.file_name()) && !closed.iter().any(|closed| path == closed)
}

fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Whether a path leads into a repository's own directory, which is never walked.
pub(crate) fn is_in_git(path: &Path) -> bool {
    path.iter().any(is_git)
}

/// Says how many files a rule kept out of an answer.
pub(crate) fn denied(count: u64) -> Option<String> {
    (count > 0).then(|| {
        let are = if count == 1 {
            "is denied by a rule and was"
        } else {
            "are denied by a rule and were"
        };
        format!("{} {are} left out", text::count(count, "file", "files"))
    })
}

/// Whether a glob names something hidden, so that hidden files are meant too.
pub(crate) fn names_hidden(glob: &str) -> bool {
    glob.split('/').any(|part| {
        part.trim_start_matches(['{', '[', '!']).starts_with('.') && part != "." && part != ".."
    })
}
