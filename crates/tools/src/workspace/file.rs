//! Opening for reading.

use std::{
    fs::File,
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
};

use callgate_registry::{Mode, ToolError};
use rustix::{
    fs::{FileType, OFlags, Stat, fstat},
    io::Errno,
};

use super::{Located, Place, Workspace, beneath};
use crate::{names, text};

/// How often a path is looked up anew when a link appeared in it after it was resolved.
const LOOKUPS: usize = 16;

/// Names compared when one is not found, and names offered.
const MAX_NAMES: usize = 2_000;
const MAX_OFFERED: usize = 3;

/// The least likeness of a name that is offered in place of one that does not exist.
const MIN_LIKENESS: f32 = 0.6;

/// A regular file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) at: Located,
    pub(crate) stat: Stat,
}

impl OpenFile {
    /// Bytes in it when it was opened.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }
}

impl Workspace {
    /// Opens a regular file for `tool`, which will use it as `mode` says.
    pub(crate) fn open(&self, tool: &str, path: &str, mode: Mode) -> Result<OpenFile, ToolError> {
        if path.is_empty() {
            return Err(empty_path());
        }
        self.settled(tool, path, mode, |at| self.open_located(at))
    }

    /// Opens a directory for `tool` to walk; `None` if the path is that of a file.
    pub(crate) fn directory(&self, tool: &str, path: &str) -> Result<Option<Located>, ToolError> {
        self.settled(tool, path, Mode::Read, |at| {
            let found = beneath::open_beneath(self.anchor(&at.path), &at.path, LOOK)?;
            let kind = FileType::from_raw_mode(fstat(&found)?.st_mode);
            Ok((kind == FileType::Directory).then(|| at.clone()))
        })
    }

    /// Opens a file met on a walk; `None` if it is no regular file any more.
    pub(crate) fn open_met(&self, path: &Path) -> Result<Option<File>, Errno> {
        match open_regular(self.anchor(path), path) {
            Ok((file, _)) => Ok(Some(file)),
            Err(Refusal::Errno(errno)) if errno != Errno::LOOP && errno != Errno::NOENT => {
                Err(errno)
            }
            Err(_) => Ok(None),
        }
    }

    /// Locates, decides and opens, again while links move under the path.
    pub(super) fn settled<T>(
        &self,
        tool: &str,
        path: &str,
        mode: Mode,
        open: impl Fn(&Located) -> Result<T, Refusal>,
    ) -> Result<T, ToolError> {
        for _ in 0..LOOKUPS {
            let at = self.locate(path)?;
            self.admit(tool, &at, mode)?;
            match open(&at) {
                Ok(opened) => return Ok(opened),
                // A link that was not there a moment ago: where it leads is not decided yet.
                Err(Refusal::Errno(Errno::LOOP | Errno::AGAIN))
                    if !matches!(at.place, Place::Kernel(_)) => {}
                Err(Refusal::Errno(Errno::NOENT)) => return Err(self.not_found(path, &at)),
                Err(Refusal::Errno(errno)) => return Err(at.explain(errno)),
                Err(Refusal::Kind(kind)) => return Err(irregular(&at.shown, kind)),
                Err(Refusal::Partly(errno)) => {
                    return Err(ToolError::failed(format!(
                        "{}: {}. It was written in place, since it has several names (hard \
                         links), and may hold only a part of the new content now.",
                        at.shown,
                        io::Error::from(errno)
                    )));
                }
                Err(Refusal::WriteProtected) => {
                    return Err(ToolError::failed(format!(
                        "{} is write-protected (no write bit in its mode). If it is meant to \
                         change, make it writable first, with chmod in bash.",
                        at.shown
                    )));
                }
            }
        }
        Err(ToolError::Denied(format!(
            "{} changes between a link and a directory while it is opened. Nothing was opened.",
            text::echo(&names::shown(Path::new(path)))
        )))
    }

    fn open_located(&self, at: &Located) -> Result<OpenFile, Refusal> {
        let (file, stat) = open_regular(self.anchor(&at.path), &at.path)?;
        Ok(OpenFile { file, at: at.clone(), stat })
    }

    /// Says that there is no such file, and which names come near.
    fn not_found(&self, asked: &str, at: &Located) -> ToolError {
        if self.is_link(asked) {
            return ToolError::failed(format!(
                "{} is a link to {}, which does not exist.",
                text::echo(asked),
                at.shown
            ));
        }
        let near = self.near(at, |_| true);
        ToolError::failed(match near.as_slice() {
            [] => format!("{} does not exist. Find files with glob.", at.shown),
            near => format!("{} does not exist; did you mean {}?", at.shown, near.join(" or ")),
        })
    }

    /// The names beside a place that does not exist which are most like its own, best first.
    pub(crate) fn near(&self, at: &Located, fits: impl Fn(&Path) -> bool) -> Vec<String> {
        near_names(&at.path)
            .filter(|path| fits(path))
            .take(MAX_OFFERED)
            .map(|path| self.shown(&path))
            .collect()
    }

    /// Whether the last name of a path as it was written is that of a link.
    pub(crate) fn is_link(&self, path: &str) -> bool {
        self.root.join(path).is_symlink()
    }
}

/// Why a place was not opened.
pub(super) enum Refusal {
    /// The system refused.
    Errno(Errno),
    /// It is no regular file.
    Kind(FileType),
    /// It may be read only.
    WriteProtected,
    /// The system refused when a part was written already.
    Partly(Errno),
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);

/// A terminal must not become ours, nor a pipe hold us, should one take the file's place.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

fn open_regular(anchor: &Path, path: &Path) -> Result<(File, Stat), Refusal> {
    // Looked at first, since opening alone wakes the writer of a pipe and moves some devices, and
    // again afterwards, since it may have been replaced.
    regular(&beneath::open_beneath(anchor, path, LOOK)?)?;
    let file = beneath::open_beneath(anchor, path, READ)?;
    let stat = regular(&file)?;
    Ok((File::from(file), stat))
}

fn regular(file: &impl AsFd) -> Result<Stat, Refusal> {
    let stat = fstat(file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        // The kernel's made-up files are regular ones; this is how to know them under any mount.
        FileType::RegularFile if is_made_up(file)? => Err(Refusal::Errno(Errno::ACCESS)),
        FileType::RegularFile => Ok(stat),
        kind => Err(Refusal::Kind(kind)),
    }
}

#[cfg(target_os = "linux")]
fn is_made_up(file: &impl AsFd) -> Result<bool, Errno> {
    const PROC: i64 = 0x9fa0;
    const SYSFS: i64 = 0x6265_6572;
    let kind = rustix::fs::fstatfs(file)?.f_type;
    Ok(matches!(kind, PROC | SYSFS))
}

#[cfg(not(target_os = "linux"))]
fn is_made_up(_: &impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}

/// A path that names nothing is not the working directory where a file is wanted.
pub(super) fn empty_path() -> ToolError {
    ToolError::invalid("/path", "path is empty. Give the file's name.")
}

fn irregular(shown: &str, kind: FileType) -> ToolError {
    ToolError::failed(match kind {
        FileType::Directory => {
            format!("{shown} is a directory, not a file. List what is in it with glob.")
        }
        FileType::Fifo => format!(
            "{shown} is not a regular file but a pipe. Use bash, with a time limit, to talk to it."
        ),
        FileType::Socket => format!(
            "{shown} is not a regular file but a socket. Use bash and a client for its protocol."
        ),
        _ => format!(
            "{shown} is not a regular file but a device. Use bash, such as `head -c 100 {shown}`."
        ),
    })
}

/// What the system refused, in words for a model.
pub(crate) fn explain(shown: &str, errno: Errno) -> ToolError {
    ToolError::failed(match errno {
        Errno::NOENT => format!("{shown} does not exist."),
        Errno::NOTDIR => format!("{shown}: a part of this path is a file, not a directory."),
        Errno::ACCESS | Errno::PERM => format!("{shown}: permission denied by the system."),
        Errno::LOOP => format!("{shown} is a loop of symbolic links."),
        Errno::NAMETOOLONG => format!("{shown}: the path or a name in it is too long."),
        Errno::NOSPC | Errno::DQUOT => {
            format!("{shown}: the disk is full. The file is as it was before.")
        }
        Errno::ROFS => format!("{shown} is on a read-only file system."),
        Errno::MFILE | Errno::NFILE => {
            format!("{shown}: too many files are open. Try again, with fewer calls at once.")
        }
        other => format!("{shown}: {}.", io::Error::from(other)),
    })
}

/// The names in the same directory that are most like the last one of `path`, best first.
fn near_names(path: &Path) -> impl Iterator<Item = PathBuf> {
    let parent = path.parent().unwrap_or(path);
    let name = path.file_name().unwrap_or_default();
    let wanted = name.to_string_lossy().to_lowercase();
    let mut near: Vec<(f32, PathBuf)> = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            let likeness = similar::TextDiff::from_chars(
                wanted.as_str(),
                name.to_string_lossy().to_lowercase().as_str(),
            )
            .ratio();
            (likeness >= MIN_LIKENESS).then(|| (likeness, parent.join(name)))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.into_iter().map(|(_, path)| path)
}
