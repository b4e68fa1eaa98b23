//! Which stores are in use.

use std::fs::File;

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use super::{id, root::Root};

/// The mark of a running store: a file that it holds a lock on until it is dropped, or dies.
#[derive(Debug)]
pub(super) struct Session {
    id: String,
    lock: Option<File>,
}

impl Session {
    /// Without the mark the store works, but another one's sweep may take its finished outputs.
    pub(super) fn start(root: &Root) -> Self {
        let id = id::random();
        let lock = Root::create(&root.dir(), &Self::name(&id))
            .ok()
            .filter(|file| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok());
        Self { id, lock }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn name(id: &str) -> String {
        format!("{id}.lock")
    }

    /// Whether some store still runs under that id.
    pub(super) fn is_running(root: &Root, id: &str) -> bool {
        id::is_valid(id) && root.read(&Self::name(id)).is_ok_and(|file| is_locked(&file))
    }

    /// Takes the mark away.
    pub(super) fn end(&mut self, root: &Root) {
        if self.lock.take().is_some() {
            // A mark without a lock says nothing; the next sweep takes it.
            let _ = root.remove(&Self::name(&self.id));
        }
    }
}

/// Whether another open file holds a lock on it.
pub(super) fn is_locked(file: &File) -> bool {
    flock(file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
}
