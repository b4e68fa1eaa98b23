//! Paths outside of the working directory that the person opened, and paths that the person closed.

use std::{fmt, path::Path, path::PathBuf, sync::Arc};

use callgate_registry::Mode;

type Decide = dyn Fn(&str, &Path, Mode) -> bool + Send + Sync;

/// Says which tool may use which path outside of the working directory, and how.
///
/// A grant is asked with the absolute path after links were resolved, so that another name of a file
/// opens nothing. It can't open `/proc` and `/sys`, nor lift the protection of a name.
#[derive(Clone)]
pub struct Grants(Arc<Decide>);

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grants")
    }
}

impl Default for Grants {
    fn default() -> Self {
        Self::none()
    }
}

impl Grants {
    /// Nothing outside may be used.
    pub fn none() -> Self {
        Self::by(|_, _, _| false)
    }

    /// A function of the tool's name, the path and the use decides.
    pub fn by(decide: impl Fn(&str, &Path, Mode) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(decide))
    }

    /// Every tool may read these files, and whatever is in these directories.
    pub fn reading(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().collect();
        Self::by(move |_, path, mode| {
            mode == Mode::Read && paths.iter().any(|granted| path.starts_with(granted))
        })
    }

    pub(crate) fn allow(&self, tool: &str, path: &Path, mode: Mode) -> bool {
        (self.0)(tool, path, mode)
    }
}

type Deny = dyn Fn(&str, &Path) -> bool + Send + Sync;

/// Says which tool must not use which path, wherever it lies.
#[derive(Clone)]
pub(super) struct Denials(Arc<Deny>);

impl fmt::Debug for Denials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Denials")
    }
}

impl Denials {
    pub(super) fn none() -> Self {
        Self::by(|_, _| false)
    }

    pub(super) fn by(deny: impl Fn(&str, &Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(deny))
    }

    pub(super) fn deny(&self, tool: &str, path: &Path) -> bool {
        (self.0)(tool, path)
    }
}
