//! One lock for each file that is being changed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Makes changes of one file from this process wait for each other, so that none of them is made
/// to a content that another is about to replace.
#[derive(Debug, Default)]
pub(super) struct Locks(Mutex<HashMap<PathBuf, Weak<Mutex<()>>>>);

impl Locks {
    /// Runs `change` while no other change of `path` runs.
    pub(super) fn holding<T>(&self, path: &Path, change: impl FnOnce() -> T) -> T {
        let lock = self.of(path);
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        change()
    }

    fn of(&self, path: &Path) -> Arc<Mutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(path).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(path.to_owned(), Arc::downgrade(&lock));
        lock
    }
}
