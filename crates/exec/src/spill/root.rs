//! The directory itself: opened once, guarded, and made again when somebody removed it.

use std::{
    fs::{DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{self, AtFlags, CWD, Mode, OFlags},
    io::Errno,
    process::geteuid,
};

use super::stamp::Stamp;
use crate::error::ExecError;

const PRIVATE_DIR: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A private directory; every file in it is reached through its descriptor, never through a path that could be
/// led elsewhere in the meantime.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    dir: Mutex<Arc<OwnedFd>>,
}

impl Root {
    pub(super) fn open(path: PathBuf) -> Result<Self, ExecError> {
        let dir = open_private(&path)?;
        Ok(Self { path, dir: Mutex::new(Arc::new(dir)) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The directory for reading: as it was opened.
    pub(super) fn dir(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.dir.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The directory for writing: made again if its path no longer leads to it.
    pub(super) fn writable(&self) -> Result<Arc<OwnedFd>, ExecError> {
        let mut dir = self.dir.lock().unwrap_or_else(PoisonError::into_inner);
        if !leads_to(&self.path, dir.as_ref()) {
            *dir = Arc::new(open_private(&self.path)?);
        }
        Ok(Arc::clone(&dir))
    }

    /// Creates a file that was not there: never opens one, never follows a link.
    pub(super) fn create(dir: &OwnedFd, name: &str) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(fs::openat(dir, name, flags, PRIVATE_FILE)?))
    }

    /// Opens a regular file for reading; refuses whatever else bears its name.
    pub(super) fn read(&self, name: &str) -> io::Result<File> {
        // Opening a planted FIFO must not wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = fs::openat(self.dir(), name, flags, Mode::empty())?;
        if fs::FileType::from_raw_mode(fs::fstat(&file)?.st_mode).is_file() {
            Ok(File::from(file))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
    }

    /// The file that bears a name now.
    pub(super) fn stat(&self, name: &str) -> io::Result<fs::Stat> {
        Ok(fs::statat(self.dir(), name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(self.dir(), name, AtFlags::empty())?)
    }

    /// The names in the directory; none if it has been removed.
    pub(super) fn names(&self) -> Result<Vec<String>, ExecError> {
        let failed = |error: Errno| ExecError::file("list the outputs", &self.path, error);
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(self.dir()).map_err(failed)? {
            if let Ok(name) = entry.map_err(failed)?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

fn open_private(path: &Path) -> Result<OwnedFd, ExecError> {
    let untrusted = |reason| ExecError::UntrustedRoot { path: path.to_owned(), reason };
    let failed = |action| move |error: Errno| ExecError::file(action, path, error);

    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(PRIVATE_DIR.bits()).create(parent);
        made.map_err(|error| ExecError::file("make the directory", parent, error))?;
    }
    match fs::mkdir(path, PRIVATE_DIR) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(failed("make the directory")(error)),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = fs::openat(CWD, path, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => untrusted("it is a link or no directory"),
        error => failed("open the directory")(error),
    })?;
    let stat = fs::fstat(&dir).map_err(failed("examine the directory"))?;
    if stat.st_uid != geteuid().as_raw() {
        return Err(untrusted("it belongs to another user"));
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
        fs::fchmod(&dir, PRIVATE_DIR).map_err(failed("make the directory private"))?;
    }
    Ok(dir)
}

fn leads_to(path: &Path, dir: impl AsFd) -> bool {
    let there = fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW);
    matches!((there, fs::fstat(dir)), (Ok(there), Ok(ours))
        if Stamp::from_stat(&there).same_file(&Stamp::from_stat(&ours)))
}
