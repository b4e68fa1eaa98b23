//! Keeping one output.

use std::{fs::File, io, path::PathBuf, sync::Arc};

use super::{
    meta::{Meta, MetaEnd},
    root::Root,
    sink::Sink,
    store::{Inner, new_file},
};
use crate::{
    capture::{SpillInfo, count},
    error::ExecError,
};

/// How often the free disk is looked at, in bytes written.
const CHECK_EVERY: u64 = 8 * 1024 * 1024;

/// Keeps one output in a file of a [`SpillStore`](super::SpillStore).
///
/// It never fails. What can't be kept is counted, and from the first such byte on nothing more is kept: the file is
/// always the exact beginning of the output.
#[derive(Debug)]
pub struct SpillWriter {
    store: Arc<Inner>,
    id: String,
    meta: Meta,
    sink: Box<dyn Sink>,
    kept: u64,
    newlines: u64,
    ends_open: bool,
    lost: u64,
    loss: Option<Loss>,
    /// Bytes that may be written before the free disk is looked at again.
    room: u64,
}

/// Why no more is kept.
#[derive(Debug)]
enum Loss {
    CallQuota,
    SessionQuota,
    DiskFloor,
    Write(io::Error),
}

impl SpillWriter {
    pub(super) fn new(store: Arc<Inner>, id: String, meta: Meta, sink: Box<dyn Sink>) -> Self {
        Self {
            store,
            id,
            meta,
            sink,
            kept: 0,
            newlines: 0,
            ends_open: false,
            lost: 0,
            loss: None,
            room: 0,
        }
    }

    /// The handle.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.store.root.join(&output_name(&self.id))
    }

    /// Appends bytes, or counts them as lost.
    pub fn append(&mut self, bytes: &[u8]) {
        let written = if self.loss.is_none() { self.write(bytes) } else { 0 };
        let (kept, lost) = bytes.split_at(written);
        if let Some(&last) = kept.last() {
            self.kept += kept.len() as u64;
            self.newlines += count(b'\n', kept);
            self.ends_open = last != b'\n';
        }
        self.lost += lost.len() as u64;
    }

    /// Writes what the quotas and the disk allow; tells how many bytes that was.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let wanted = bytes.len() as u64;
        let call = wanted.min(self.store.limits.per_call.saturating_sub(self.kept));
        let granted = self.store.quota.take(call);
        let mut written = 0;
        while written < granted && self.disk_has_room() {
            let len = (granted - written).min(self.room);
            let from = usize::try_from(written).unwrap_or(usize::MAX);
            let to = usize::try_from(written + len).unwrap_or(usize::MAX);
            match self.sink.write(bytes.get(from..to).unwrap_or_default()) {
                Ok(0) => self.loss = Some(Loss::Write(io::ErrorKind::WriteZero.into())),
                Ok(more) => {
                    written += more as u64;
                    self.room -= more as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.loss = Some(Loss::Write(error)),
            }
        }
        self.store.quota.give_back(granted - written);
        if self.loss.is_none() && written < wanted {
            let quota = if call < wanted { Loss::CallQuota } else { Loss::SessionQuota };
            self.loss = Some(quota);
        }
        usize::try_from(written).unwrap_or(usize::MAX)
    }

    fn disk_has_room(&mut self) -> bool {
        if self.loss.is_none() && self.room == 0 {
            // A file system that can't tell has no floor; a full one will fail the write.
            let free = self.sink.free_bytes().unwrap_or(u64::MAX);
            self.room = free.saturating_sub(self.store.limits.free_floor).min(CHECK_EVERY);
            if self.room == 0 {
                self.loss = Some(Loss::DiskFloor);
            }
        }
        self.loss.is_none()
    }

    /// Ends the output: where it is, and what went wrong, in words.
    ///
    /// There is no place if the file was removed meanwhile and could not be written again.
    pub fn finish(mut self) -> (Option<SpillInfo>, Option<String>) {
        let mut troubles: Vec<String> = self.loss_in_words().into_iter().collect();
        if !self.is_in_place() {
            match self.write_again() {
                Ok(()) => troubles.push(
                    "its file was removed or replaced while it was written, and was written again"
                        .to_owned(),
                ),
                Err(error) => {
                    troubles.push(format!("its file was removed while it was written: {error}"));
                    return (None, Some(troubles.join("; ")));
                }
            }
        }
        if let Err(error) = self.seal() {
            troubles.push(format!("its counts could not be noted: {error}"));
        }
        let info = SpillInfo {
            path: self.path(),
            id: self.id,
            bytes: self.kept,
            lines: self.newlines + u64::from(self.ends_open),
            lost_bytes: self.lost,
        };
        (Some(info), (!troubles.is_empty()).then(|| troubles.join("; ")))
    }

    fn loss_in_words(&self) -> Option<String> {
        let limits = self.store.limits;
        let reason = match self.loss.as_ref()? {
            Loss::CallQuota => format!("the quota of {} bytes a call was reached", limits.per_call),
            Loss::SessionQuota => {
                format!("the quota of {} bytes a session was reached", limits.per_session)
            }
            Loss::DiskFloor => {
                format!(
                    "the disk has no more than the {} bytes free that must stay free",
                    limits.free_floor
                )
            }
            Loss::Write(error) => format!("the file could not be written: {error}"),
        };
        Some(format!("{} bytes were not kept, because {reason}", self.lost))
    }

    /// Whether the name still leads to what was written.
    fn is_in_place(&self) -> bool {
        let Ok(ours) = self.sink.stamp() else {
            return false;
        };
        let Ok(dir) = self.store.root.writable() else {
            return false;
        };
        let there =
            rustix::fs::statat(&dir, output_name(&self.id), rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        there.is_ok_and(|there| super::stamp::Stamp::from_stat(&there).same_file(&ours))
    }

    /// The file is still open, though nameless: its bytes go to a new one, under a new handle.
    fn write_again(&mut self) -> Result<(), ExecError> {
        let (id, mut file) = new_file(&self.store)?;
        let path = self.store.root.join(&output_name(&id));
        self.sink
            .copy_to(&mut file)
            .map_err(|error| ExecError::file("write the output again", path, error))?;
        self.id = id;
        self.sink = Box::new(file);
        Ok(())
    }

    /// Notes the counts and the stamp, here and beside the file.
    fn seal(&mut self) -> io::Result<()> {
        let stamp = self.sink.stamp()?;
        self.store.remember(&self.id, stamp);
        self.meta.end = Some(MetaEnd {
            lines: self.newlines + u64::from(self.ends_open),
            lost_bytes: self.lost,
            stamp,
        });
        let dir = self.store.root.writable().map_err(io::Error::other)?;
        self.meta.write(&dir, &self.id)
    }
}

pub(super) fn output_name(id: &str) -> String {
    format!("{id}.out")
}

/// Creates the file of an output and locks it, so that a sweep knows that it is being written.
pub(super) fn create_locked(dir: &rustix::fd::OwnedFd, id: &str) -> io::Result<File> {
    let file = Root::create(dir, &output_name(id))?;
    // Where a file system has no locks, the lock of the session still protects the file.
    let _ = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    Ok(file)
}

#[cfg(test)]
mod tests;
