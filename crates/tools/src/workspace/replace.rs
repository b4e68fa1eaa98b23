//! Changing a file all at once.
//!
//! The new content is written beside the file, made durable, and renamed over it: a reader, and
//! whoever looks after a crash, sees the old content or the new, never a part. A file with several
//! names (hard links) is the exception: it is written in place, so that it stays one file.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write as _},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use callgate_registry::{Mode as Use, ToolError};
use rustix::{
    fs::{
        AtFlags, FallocateFlags, FileType, Gid, Mode, OFlags, Stat, Uid, fallocate, fchmod, fchown,
        fstat, fsync, ftruncate, openat, renameat, statat, unlinkat,
    },
    io::Errno,
};

use super::{
    Located, Workspace, beneath,
    file::{Refusal, empty_path},
};

/// What tells that a file is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    file: (u64, u64),
    size: i64,
    modified: (i64, u64),
    changed: (i64, u64),
}

impl Stamp {
    #[expect(
        clippy::allow_attributes,
        clippy::unnecessary_cast,
        reason = "these fields have different types on different systems"
    )]
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "compared for equality only"
    )]
    pub(crate) const fn of(stat: &Stat) -> Self {
        Self {
            file: (stat.st_dev as u64, stat.st_ino as u64),
            size: stat.st_size as i64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        }
    }
}

impl Stamp {
    /// Whether it is the same file with the same content; that it was renamed does not matter.
    fn is_alike(&self, other: &Self) -> bool {
        (self.file, self.size, self.modified) == (other.file, other.size, other.modified)
    }
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// The file is new.
    Created(Located),
    /// The file was there and has the new content now.
    Overwritten(Located),
    /// The same, of a file with so many names: under all of them.
    InPlace(Located, u64),
    /// The file is no longer the one that the new content was made from; it was left alone.
    Stale,
}

impl Workspace {
    /// Gives the file at `path` a new content, and makes the file and its directories if they don't
    /// exist. With a stamp, only if the file is still the one of the stamp.
    pub(crate) fn replace(
        &self,
        tool: &str,
        path: &str,
        content: &[u8],
        stamp: Option<Stamp>,
    ) -> Result<Replaced, ToolError> {
        if path.is_empty() {
            return Err(empty_path());
        }
        self.settled(tool, path, Use::Write, |at| {
            let (Some(parent), Some(name)) = (at.path.parent(), at.path.file_name()) else {
                return Err(Refusal::Kind(FileType::Directory));
            };
            let directory = beneath::make_directory(self.anchor(parent), parent)?;
            let old = existing(directory.as_fd(), name)?;
            if stamp.is_some() && stamp != old.as_ref().map(Stamp::of) {
                return Ok(Replaced::Stale);
            }
            if let Some(old) = old.as_ref().filter(|old| links(old) > 1) {
                let written = write_in_place(directory.as_fd(), name, content, old)?;
                let in_place = || Replaced::InPlace(at.clone(), links(old));
                return Ok(if written { in_place() } else { Replaced::Stale });
            }
            let written = write_beside(directory.as_fd(), content, old.as_ref())?;
            match stamp {
                None => written.rename_to(name)?,
                Some(stamp) if !written.take_place_of(name, stamp)? => return Ok(Replaced::Stale),
                Some(_) => {}
            }
            // Makes the rename durable where the file system can.
            let _ = openat(&directory, ".", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
                .and_then(|directory| fsync(&directory));
            Ok(match old {
                None => Replaced::Created(at.clone()),
                Some(_) => Replaced::Overwritten(at.clone()),
            })
        })
    }

    /// Runs `change` while no other change of the same file runs in this process.
    pub(crate) fn exclusively<T>(&self, path: &str, change: impl FnOnce() -> T) -> T {
        let key = self.key(path);
        let key = super::inode(&key).map_or(key, PathBuf::from);
        self.locks.holding(&key, change)
    }
}

/// What stands under the name now; a link, or anything else that must not be replaced, is refused.
fn existing(directory: BorrowedFd<'_>, name: &OsStr) -> Result<Option<Stat>, Refusal> {
    let stat = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        outcome => outcome?,
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // Appeared after the path was resolved.
        FileType::Symlink => return Err(Refusal::Errno(Errno::LOOP)),
        kind => return Err(Refusal::Kind(kind)),
    }
    // A rename would overrule what the person set; not even we as root do.
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WUSR | Mode::WGRP | Mode::WOTH) {
        Ok(Some(stat))
    } else {
        Err(Refusal::WriteProtected)
    }
}

/// A finished file that still lacks its name; without one, it goes when dropped.
struct Beside<'a> {
    directory: BorrowedFd<'a>,
    name: String,
}

impl Beside<'_> {
    fn rename_to(self, name: &OsStr) -> Result<(), Errno> {
        renameat(self.directory, &self.name, self.directory, name)
    }

    /// Takes the place of the file of the stamp; whether that is what stood there.
    ///
    /// The two are exchanged first and looked at then, so that what another program put there in
    /// the last moment is given back instead of lost.
    #[cfg(target_os = "linux")]
    fn take_place_of(self, name: &OsStr, stamp: Stamp) -> Result<bool, Refusal> {
        use rustix::fs::{RenameFlags, renameat_with};

        let exchange = || {
            renameat_with(self.directory, &self.name, self.directory, name, RenameFlags::EXCHANGE)
        };
        match exchange() {
            Ok(()) => {}
            // Somebody removed it.
            Err(Errno::NOENT) => return Ok(false),
            // Not every file system can exchange.
            Err(Errno::INVAL | Errno::NOSYS) => return self.take_place_checked(name, stamp),
            Err(errno) => return Err(Refusal::Errno(errno)),
        }
        let old = statat(self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        let ours = Stamp::of(&old).is_alike(&stamp);
        if !ours {
            exchange()?;
        }
        Ok(ours)
    }

    #[cfg(not(target_os = "linux"))]
    fn take_place_of(self, name: &OsStr, stamp: Stamp) -> Result<bool, Refusal> {
        self.take_place_checked(name, stamp)
    }

    /// Looks first and renames then, with a moment between in which a change goes unseen.
    fn take_place_checked(self, name: &OsStr, stamp: Stamp) -> Result<bool, Refusal> {
        let now = existing(self.directory, name)?;
        let ours = now.is_some_and(|now| Stamp::of(&now).is_alike(&stamp));
        if ours {
            self.rename_to(name)?;
        }
        Ok(ours)
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove.
        let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
    }
}

fn write_beside<'a>(
    directory: BorrowedFd<'a>,
    content: &[u8],
    old: Option<&Stat>,
) -> Result<Beside<'a>, Refusal> {
    let (file, beside) = create_beside(directory)?;
    if let Some(old) = old {
        // Only root may give files away; where we can't, the file becomes ours.
        let _ = fchown(&file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
        fchmod(&file, permissions(old))?;
    }
    let mut file = File::from(file);
    file.write_all(content).and_then(|()| file.sync_all()).map_err(|error| errno(&error))?;
    Ok(beside)
}

/// The mode of a file with a new content: whose rights a program is run with (setuid, setgid) was
/// said of the old one.
fn permissions(old: &Stat) -> Mode {
    Mode::from_raw_mode(old.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO)
}

#[expect(clippy::allow_attributes, reason = "this field has different types on different systems")]
#[allow(clippy::useless_conversion, reason = "as above")]
fn links(stat: &Stat) -> u64 {
    u64::from(stat.st_nlink)
}

/// Writes into the file itself, since a file of another number would take only one of its names;
/// whether it is still the file that was looked at.
///
/// Room is made first, so that a full disk is met before anything is lost.
fn write_in_place(
    directory: BorrowedFd<'_>,
    name: &OsStr,
    content: &[u8],
    old: &Stat,
) -> Result<bool, Refusal> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(directory, name, flags | OFlags::NOCTTY, Mode::empty())?;
    let now = fstat(&file)?;
    if Stamp::of(&now) != Stamp::of(old) {
        return Ok(false);
    }
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    let before = u64::try_from(now.st_size).unwrap_or(0);
    if length > before {
        match fallocate(&file, FallocateFlags::empty(), 0, length) {
            // Not every file system can.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            Err(refused) => {
                let _ = ftruncate(&file, before);
                return Err(Refusal::Errno(refused));
            }
        }
    }
    fchmod(&file, permissions(old))?;
    let mut file = File::from(file);
    file.write_all(content)
        .and_then(|()| file.set_len(length))
        .and_then(|()| file.sync_all())
        .map_err(|error| Refusal::Partly(errno(&error)))?;
    Ok(true)
}

fn create_beside(directory: BorrowedFd<'_>) -> Result<(OwnedFd, Beside<'_>), Errno> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".callgate-{}-{count}.tmp", std::process::id());
        match openat(directory, &name, flags, Mode::from_raw_mode(0o666)) {
            // Left over from a process of the same number that was killed.
            Err(Errno::EXIST) => {}
            file => return Ok((file?, Beside { directory, name })),
        }
    }
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
