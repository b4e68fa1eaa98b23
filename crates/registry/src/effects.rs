//! What a call touches, in terms in which two calls can be compared.

use std::path::{Path, PathBuf};

/// Something that calls can contend for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resource {
    /// One file. Absolute, with links resolved, so that two names of one file are equal.
    Path(PathBuf),
    /// A directory and all below it. Absolute, with links resolved.
    Subtree(PathBuf),
    /// Anything else that has a name: a server, a port, a terminal.
    Named(String),
}

impl Resource {
    /// Whether the two have anything in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(a), Self::Path(b)) => a == b,
            (Self::Path(path), Self::Subtree(tree)) | (Self::Subtree(tree), Self::Path(path)) => {
                path.starts_with(tree)
            }
            (Self::Subtree(a), Self::Subtree(b)) => a.starts_with(b) || b.starts_with(a),
            (Self::Named(a), Self::Named(b)) => a == b,
            _ => false,
        }
    }
}

/// How a call uses a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It looks, and leaves the resource as it was.
    Read,
    /// It may change the resource.
    Write,
}

/// One use of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// How it is used.
    pub mode: Mode,
    /// What is used.
    pub resource: Resource,
}

/// Everything that a call reads and writes.
///
/// Two calls conflict where one writes what the other touches. A tool that declares nothing has
/// [`Effects::everything`], and so runs alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effects {
    /// It may read and write anything: it runs alone.
    Everything,
    /// It touches these and nothing else; none at all is fine.
    Only(Vec<Access>),
}

impl Effects {
    /// The effects of a call that must run alone.
    pub const fn everything() -> Self {
        Self::Everything
    }

    /// The effects of a call that touches nothing that another call could touch.
    pub const fn none() -> Self {
        Self::Only(Vec::new())
    }

    /// Reads one file.
    pub fn reads_path(path: impl AsRef<Path>) -> Self {
        Self::one(Mode::Read, Resource::Path(path.as_ref().to_owned()))
    }

    /// Writes one file.
    pub fn writes_path(path: impl AsRef<Path>) -> Self {
        Self::one(Mode::Write, Resource::Path(path.as_ref().to_owned()))
    }

    /// Reads a directory and all below it.
    pub fn reads_subtree(path: impl AsRef<Path>) -> Self {
        Self::one(Mode::Read, Resource::Subtree(path.as_ref().to_owned()))
    }

    /// Writes a directory or anything below it.
    pub fn writes_subtree(path: impl AsRef<Path>) -> Self {
        Self::one(Mode::Write, Resource::Subtree(path.as_ref().to_owned()))
    }

    /// Reads a named resource.
    pub fn reads_named(name: impl Into<String>) -> Self {
        Self::one(Mode::Read, Resource::Named(name.into()))
    }

    /// Writes a named resource.
    pub fn writes_named(name: impl Into<String>) -> Self {
        Self::one(Mode::Write, Resource::Named(name.into()))
    }

    fn one(mode: Mode, resource: Resource) -> Self {
        Self::Only(vec![Access { mode, resource }])
    }

    /// Both effects together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Only(mut these), Self::Only(those)) => {
                these.extend(those);
                Self::Only(these)
            }
            _ => Self::Everything,
        }
    }

    /// Whether nothing is changed.
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Everything => false,
            Self::Only(accesses) => accesses.iter().all(|access| access.mode == Mode::Read),
        }
    }

    /// Whether the order of the two calls could matter.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => a.iter().any(|x| {
                b.iter().any(|y| {
                    (x.mode == Mode::Write || y.mode == Mode::Write)
                        && x.resource.overlaps(&y.resource)
                })
            }),
            (Self::Everything, Self::Only(accesses)) | (Self::Only(accesses), Self::Everything) => {
                !accesses.is_empty()
            }
            (Self::Everything, Self::Everything) => true,
        }
    }
}
