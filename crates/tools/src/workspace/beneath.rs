//! Opening a path that must lead through no link.
//!
//! What was checked is the path without links; a link that turns up while it is opened was put there
//! since. So no link is followed at all, and a race can't lead out.

use std::{
    ffi::OsStr,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, mkdirat, open, openat, statat},
    io::Errno,
};

#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

/// Flags with which a directory is held open to look names up in it.
const DIRECTORY: OFlags =
    SEARCH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How often the kernel is asked again when a rename elsewhere disturbed its walk.
#[cfg(target_os = "linux")]
const RETRIES: usize = 64;

/// Opens `path`, absolute and without links, which lies in `anchor`.
///
/// # Errors
/// [`Errno::LOOP`] if there is a link on the way.
pub(crate) fn open_beneath(anchor: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let relative = path.strip_prefix(anchor).map_err(|_outside| Errno::XDEV)?;
    let anchor = open(anchor, DIRECTORY, Mode::empty())?;
    let flags = flags | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    match by_kernel(anchor.as_fd(), relative, flags) {
        // An old kernel, or a container that filters the call.
        Err(Errno::NOSYS | Errno::PERM) => {}
        outcome => return outcome,
    }
    by_component(anchor, relative, flags)
}

#[cfg(target_os = "linux")]
fn by_kernel(anchor: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    let relative = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
    for _ in 0..RETRIES {
        match openat2(anchor, relative, flags, Mode::empty(), rules) {
            Err(Errno::AGAIN) => {}
            outcome => return outcome,
        }
    }
    Err(Errno::AGAIN)
}

fn by_component(anchor: OwnedFd, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names = names(relative)?;
    let Some(last) = names.pop() else {
        return openat(anchor, ".", flags, Mode::empty());
    };
    let mut directory = anchor;
    for name in names {
        directory = enter(directory.as_fd(), name)?;
    }
    let file = openat(&directory, last, flags | OFlags::NOFOLLOW, Mode::empty())
        .map_err(|errno| link_or(directory.as_fd(), last, errno))?;
    // With `PATH`, the link itself is opened.
    match FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(file),
    }
}

/// Opens a directory, absolute and without links, which lies in `anchor`, and makes what is missing
/// of it.
pub(crate) fn make_directory(anchor: &Path, path: &Path) -> Result<OwnedFd, Errno> {
    let relative = path.strip_prefix(anchor).map_err(|_outside| Errno::XDEV)?;
    let mut directory = open(anchor, DIRECTORY, Mode::empty())?;
    for name in names(relative)? {
        directory = match enter(directory.as_fd(), name) {
            Err(Errno::NOENT) => {
                match mkdirat(&directory, name, Mode::from_raw_mode(0o777)) {
                    // Somebody else made it first.
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno),
                }
                enter(directory.as_fd(), name)?
            }
            outcome => outcome?,
        };
    }
    Ok(directory)
}

fn names(relative: &Path) -> Result<Vec<&OsStr>, Errno> {
    relative
        .components()
        .map(|component| match component {
            Component::Normal(name) => Ok(name),
            _ => Err(Errno::XDEV),
        })
        .collect()
}

fn enter(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(directory, name, DIRECTORY, Mode::empty())
        .map_err(|errno| link_or(directory, name, errno))
}

/// A link where a directory was wanted is reported as "not a directory": tells the two apart. One
/// that turned into a directory since is as good as a link: the path must be looked up anew.
fn link_or(directory: BorrowedFd<'_>, name: &OsStr, errno: Errno) -> Errno {
    let now = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .map(|stat| FileType::from_raw_mode(stat.st_mode));
    match now {
        Ok(FileType::Symlink) => Errno::LOOP,
        Ok(FileType::Directory) if errno == Errno::NOTDIR => Errno::LOOP,
        _ => errno,
    }
}

/// Whether anything has that name, a dangling link too.
pub(crate) fn exists(path: &Path) -> bool {
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_walk_by_component_opens_what_the_kernels_walk_opens() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "x").unwrap();
        symlink("b", root.join("a/link")).unwrap();
        symlink("file", root.join("a/b/alias")).unwrap();
        let anchor = || open(root, DIRECTORY, Mode::empty()).unwrap();
        let inode = |file: Result<OwnedFd, Errno>| {
            file.map(|file| rustix::fs::fstat(&file).unwrap().st_ino)
        };
        for path in ["a/b/file", "a/b", "", "a/none", "a/link/file", "a/b/alias", "a/b/file/x"] {
            for flags in [OFlags::PATH, OFlags::RDONLY] {
                let flags = flags | OFlags::CLOEXEC;
                let by_kernel = inode(by_kernel(anchor().as_fd(), Path::new(path), flags));
                let by_component = inode(by_component(anchor(), Path::new(path), flags));
                assert_eq!(by_kernel, by_component, "{path} with {flags:?}");
            }
        }
    }
}
