//! The directory of the kept outputs.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{LinePage, LineReader, SpillEntry, SpillLimits, Swept, TextPage};
use crate::error::ExecError;

/// A private directory of outputs that were too long to be returned.
#[derive(Debug)]
pub struct SpillStore {
    root: PathBuf,
    limits: SpillLimits,
}

impl SpillStore {
    /// Opens the directory; makes it, for this user alone, if it is not there.
    ///
    /// # Errors
    ///
    /// [`ExecError::UntrustedRoot`] if it is a link, no directory, or another's; [`ExecError::File`] if it can't be made.
    pub fn open(root: impl Into<PathBuf>, limits: SpillLimits) -> Result<Self, ExecError> {
        Ok(Self {
            root: root.into(),
            limits,
        })
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The limits.
    pub const fn limits(&self) -> SpillLimits {
        self.limits
    }

    /// The kept outputs, newest first.
    ///
    /// # Errors
    ///
    /// [`ExecError::File`] if the directory can't be read.
    pub fn list(&self) -> Result<Vec<SpillEntry>, ExecError> {
        Ok(Vec::new())
    }

    /// One kept output; nothing if there is none of that id.
    pub fn find(&self, id: &str) -> Option<SpillEntry> {
        let _ = id;
        None
    }

    /// Up to `limit` lines from line `first` (from 1) on.
    ///
    /// # Errors
    ///
    /// [`ExecError::UnknownOutput`], or [`ExecError::File`] if the file can't be read.
    pub fn read_lines(&self, id: &str, first: u64, limit: usize) -> Result<LinePage, ExecError> {
        let _ = (first, limit);
        Err(ExecError::UnknownOutput { id: id.to_owned() })
    }

    /// About `limit` bytes from byte `first` (from 0) on, to the end of a character.
    ///
    /// # Errors
    ///
    /// As [`read_lines`](Self::read_lines).
    pub fn read_text(&self, id: &str, first: u64, limit: usize) -> Result<TextPage, ExecError> {
        let _ = (first, limit);
        Err(ExecError::UnknownOutput { id: id.to_owned() })
    }

    /// All lines, one after the other; of each no more than `max_line_bytes`.
    ///
    /// # Errors
    ///
    /// As [`read_lines`](Self::read_lines).
    pub fn lines(&self, id: &str, max_line_bytes: usize) -> Result<LineReader, ExecError> {
        let _ = max_line_bytes;
        Err(ExecError::UnknownOutput { id: id.to_owned() })
    }

    /// Deletes outputs older than `max_age`, then the oldest until no more than `max_total` bytes are left; never one
    /// that a running session may still refer to.
    ///
    /// # Errors
    ///
    /// [`ExecError::File`] if the directory can't be read.
    pub fn sweep(&self, max_age: Duration, max_total: u64) -> Result<Swept, ExecError> {
        let _ = (max_age, max_total);
        Ok(Swept::default())
    }
}
