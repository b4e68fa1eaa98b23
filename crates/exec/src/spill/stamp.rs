//! Noticing that a file is no longer what was written.

use std::io;

use rustix::{fd::AsFd, fs};
use serde::{Deserialize, Serialize};

/// What the system says of a file when its writer is done with it.
///
/// The change time can't be set by a program, so neither an edit nor a replacement goes unnoticed. A digest would
/// show the same and cost a read of the whole output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    dev: u64,
    ino: u64,
    pub(super) size: u64,
    changed_s: i64,
    changed_ns: i64,
}

impl Stamp {
    pub(super) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from_stat(&fs::fstat(file)?))
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "the types of these fields differ from system to system"
    )]
    pub(super) fn from_stat(stat: &fs::Stat) -> Self {
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: stat.st_size as u64,
            changed_s: stat.st_ctime as i64,
            changed_ns: stat.st_ctime_nsec as i64,
        }
    }

    /// Whether both are of the same file, whatever was done to it since.
    pub(super) const fn same_file(&self, other: &Self) -> bool {
        self.dev == other.dev && self.ino == other.ino
    }
}
