//! The seam between a writer and the disk.

use std::{
    fmt,
    fs::File,
    io::{self, Write},
};

use rustix::fs;

use super::stamp::Stamp;

/// Where a writer's bytes go: a file, or in tests something that fails on demand.
pub(super) trait Sink: Send + fmt::Debug {
    /// Writes some of the bytes, as [`Write::write`] does.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Bytes that this user may still write to the disk.
    fn free_bytes(&self) -> io::Result<u64>;

    /// The state of the file.
    fn stamp(&self) -> io::Result<Stamp>;

    /// Copies everything that was written to another file.
    fn copy_to(&mut self, other: &mut File) -> io::Result<u64>;
}

impl Sink for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(self, bytes)
    }

    fn free_bytes(&self) -> io::Result<u64> {
        let stat = fs::fstatvfs(self)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    fn stamp(&self) -> io::Result<Stamp> {
        Stamp::of(self)
    }

    fn copy_to(&mut self, other: &mut File) -> io::Result<u64> {
        io::Seek::rewind(self)?;
        io::copy(self, other)
    }
}
