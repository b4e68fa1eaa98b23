//! The working directory, and the one way by which file tools reach files.
//!
//! 1. [`Workspace::locate`] turns the model's words into one absolute path without links.
//! 2. [`Workspace::admit`] decides about that path.
//! 3. The path is opened without following any link, so that what was decided about is what is
//!    opened, whatever happened to the directories meanwhile.

mod beneath;
mod file;
mod grants;
mod locks;
mod protect;
mod replace;
mod resolve;

use std::{
    io,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use callgate_registry::{Access, Effects, Mode, Resource, ToolError};
use rustix::io::Errno;
use thiserror::Error;

use self::grants::Denials;
pub use self::grants::Grants;
pub(crate) use self::{
    file::{OpenFile, explain},
    replace::{Replaced, Stamp},
};
use crate::{names, text};

/// Why a directory can't be worked in.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// It can't be reached.
    #[error("can't use {} as the working directory", path.display())]
    Root {
        /// The directory, as it was given.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It is something else than a directory.
    #[error("{} is no directory", .0.display())]
    NotADirectory(PathBuf),
}

/// The working directory of a session: what lies in it is open to file tools, the rest is not.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    grants: Grants,
    denials: Denials,
    hidden: Vec<PathBuf>,
    locks: locks::Locks,
}

/// Where the words of a model lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// Absolute and without links; the key under which uses of the file are compared.
    pub(crate) path: PathBuf,
    /// As the model is told of it: relative to the working directory where that is possible, and
    /// without its middle if it is long.
    pub(crate) shown: String,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Inside,
    Hidden,
    Outside,
    Kernel(&'static str),
}

impl Workspace {
    /// Works in the directory `root`, with nothing outside of it open.
    ///
    /// # Errors
    /// `root` does not exist, can't be reached, or is no directory.
    pub fn new(root: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        let given = root.as_ref();
        let root = given
            .canonicalize()
            .map_err(|source| WorkspaceError::Root { path: given.to_owned(), source })?;
        if !root.is_dir() {
            return Err(WorkspaceError::NotADirectory(root));
        }
        let (grants, denials) = (Grants::none(), Denials::none());
        Ok(Self { root, grants, denials, hidden: Vec::new(), locks: locks::Locks::default() })
    }

    /// Opens paths outside of the working directory.
    #[must_use]
    pub fn with_grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// Closes paths: `deny` is asked with the tool's name and the absolute path without links of
    /// every file that the tool would open, search or list, and its yes is final.
    #[must_use]
    pub fn denying(mut self, deny: impl Fn(&str, &Path) -> bool + Send + Sync + 'static) -> Self {
        self.denials = Denials::by(deny);
        self
    }

    /// Treats these files and directories as if they lay outside: keys, tokens, our own state. They
    /// matter where the working directory is as wide as a home directory.
    #[must_use]
    pub fn hiding(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let resolved = |path: PathBuf| path.canonicalize().unwrap_or(path);
        self.hidden.extend(paths.into_iter().map(resolved));
        self
    }

    /// The directory, absolute and without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The absolute path without links that a call means by `path`: the key of its effects.
    ///
    /// It says nothing about whether the path may be used.
    pub fn key(&self, path: &str) -> PathBuf {
        self.locate(path).map_or_else(|_| self.root.join(path), |located| located.path)
    }

    /// The effects of a call that uses the file at `path`. A file with several names is named by its
    /// number too, so that two names of it conflict.
    pub(crate) fn uses(&self, path: &str, mode: Mode) -> Effects {
        let path = self.key(path);
        let names = inode(&path).map(|inode| Access { mode, resource: Resource::Named(inode) });
        let file = Access { mode, resource: Resource::Path(path) };
        Effects::Only(std::iter::once(file).chain(names).collect())
    }

    /// Finds out where `path` leads. A path that does not exist but does once its `\xNN` are bytes
    /// is read that way, since that is how such names are listed.
    pub(crate) fn locate(&self, path: &str) -> Result<Located, ToolError> {
        if path.contains('\0') {
            return Err(ToolError::invalid("/path", "A path can't hold a NUL character."));
        }
        let literal = self.resolve(Path::new(path))?;
        if !beneath::exists(&literal.path)
            && let Some(bytes) = names::unescaped(path)
            && !bytes.as_os_str().as_encoded_bytes().contains(&0)
        {
            let decoded = self.resolve(&bytes)?;
            if beneath::exists(&decoded.path) {
                return Ok(decoded);
            }
        }
        Ok(literal)
    }

    /// Finds out where a path leads that was met, not written by a model.
    pub(crate) fn resolve(&self, path: &Path) -> Result<Located, ToolError> {
        let resolved = resolve::resolve(&self.root.join(path), &self.root)
            .map_err(|errno| explain(&text::echo(&names::shown(path)), errno))?;
        let place = match resolved.kernel {
            Some(tree) => Place::Kernel(tree),
            None if self.hidden.iter().any(|hidden| resolved.path.starts_with(hidden)) => {
                Place::Hidden
            }
            // By component: `/ws/app-evil` does not lie in `/ws/app`.
            None if resolved.path.starts_with(&self.root) => Place::Inside,
            None => Place::Outside,
        };
        let shown = text::echo(&self.shown(&resolved.path)).into_owned();
        Ok(Located { shown, path: resolved.path, place })
    }

    /// A path as the model is told of it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => names::shown(inside),
            Err(_) => names::shown(path),
        }
    }

    /// Decides whether `tool` may use the place.
    pub(crate) fn admit(&self, tool: &str, at: &Located, mode: Mode) -> Result<(), ToolError> {
        if mode == Mode::Write
            && let Some(name) = protect::protected(self.inside(&at.path))
        {
            return Err(ToolError::Denied(format!(
                "{} is protected: what `{name}` holds makes programs run later, so file tools \
                 never write there and no rule allows it. Nothing was changed. Ask the person to \
                 make this change.",
                at.shown
            )));
        }
        if self.denies(tool, &at.path) {
            return Err(ToolError::Denied(format!(
                "{} is denied to {tool} by a rule. Nothing was {}.",
                at.shown,
                used(mode)
            )));
        }
        let reason = match at.place {
            Place::Inside => return Ok(()),
            Place::Kernel(tree @ ("/proc" | "/sys")) => {
                return Err(ToolError::Denied(format!(
                    "{} is not open to file tools: {tree} is not made of files but of the \
                     kernel's and other processes' state. No rule allows it.",
                    at.shown
                )));
            }
            _ if self.grants.allow(tool, &at.path, mode) => return Ok(()),
            Place::Kernel(_) if is_device(&at.path) => {
                return Err(ToolError::Denied(format!(
                    "{0} is a device, which file tools don't open, and no rule allows it. Use \
                     bash, such as `head -c 100 {0}`.",
                    at.shown
                )));
            }
            Place::Kernel(_) => "lies among devices, outside of",
            Place::Hidden => "is a place for secrets, which file tools treat as outside of",
            Place::Outside => "lies outside of",
        };
        Err(ToolError::Denied(format!(
            "{} {reason} the working directory {}. Nothing was {}. The person can allow it with \
             --allow '{tool}({})'.",
            text::echo(&names::shown(&at.path)),
            text::echo(&names::shown(&self.root)),
            used(mode),
            rule_pattern(&at.path),
        )))
    }

    /// Whether a rule keeps `tool` from using the path, which has no links in it.
    pub(crate) fn denies(&self, tool: &str, path: &Path) -> bool {
        self.denials.deny(tool, path)
    }

    /// Directories and files that a walk leaves out.
    pub(crate) fn closed(&self) -> Vec<PathBuf> {
        let trees = resolve::KERNEL_TREES.iter().map(PathBuf::from);
        let trees = trees.filter(|tree| !self.root.starts_with(tree));
        self.hidden.iter().cloned().chain(trees).collect()
    }

    /// The directory below which a path is opened: the narrowest that is known to hold it.
    fn anchor(&self, path: &Path) -> &Path {
        if path.starts_with(&self.root) { &self.root } else { Path::new("/") }
    }

    /// The part of a path in which names are protected.
    fn inside<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// The path as the pattern of a rule, which is a glob; a stand-in for one that is too long to be
/// repeated, since a part of it would be another rule.
fn rule_pattern(path: &Path) -> String {
    let pattern = globset::escape(&names::shown(path));
    if text::echo(&pattern) == pattern { pattern } else { "PATH".to_owned() }
}

/// The number of a file that has more than one name.
fn inode(path: &Path) -> Option<String> {
    let found = path.symlink_metadata().ok()?;
    (found.is_file() && found.nlink() > 1).then(|| format!("inode:{}:{}", found.dev(), found.ino()))
}

/// What a call that was refused did not do.
const fn used(mode: Mode) -> &'static str {
    match mode {
        Mode::Write => "changed",
        Mode::Read => "read",
    }
}

fn is_device(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_char_device() || kind.is_block_device()
    })
}

impl Located {
    /// Whether it lies in the working directory, and not in a place for secrets.
    pub(crate) fn is_inside(&self) -> bool {
        self.place == Place::Inside
    }

    /// The error that opening the place met.
    pub(crate) fn explain(&self, errno: Errno) -> ToolError {
        explain(&self.shown, errno)
    }
}

#[cfg(test)]
mod tests;
