//! Handlers that did not end when they should have.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task::JoinHandle;

use crate::guard::discard;

/// A handler that still runs although its call was answered: it neither returned when it was asked to
/// stop nor ever yielded, so that it could not be dropped. Whatever it returns is thrown away.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Abandoned {
    /// The tool.
    pub tool: String,
    /// The id that the handler knows its call by.
    pub call_id: String,
}

/// The abandoned handlers of a dispatcher.
#[derive(Debug, Clone, Default)]
pub(crate) struct AbandonedList(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    running: BTreeMap<u64, Abandoned>,
}

impl AbandonedList {
    /// Lists a handler until its task ends.
    pub(crate) fn watch<T: Send + 'static>(&self, entry: Abandoned, task: JoinHandle<T>) {
        let key = self.with(|entries| {
            entries.next += 1;
            entries.running.insert(entries.next, entry);
            entries.next
        });
        let list = self.clone();
        tokio::spawn(async move {
            if let Err(Ok(payload)) = task.await.map_err(tokio::task::JoinError::try_into_panic) {
                discard(payload);
            }
            list.with(|entries| entries.running.remove(&key));
        });
    }

    /// Those that still run, oldest first.
    pub(crate) fn list(&self) -> Vec<Abandoned> {
        self.with(|entries| entries.running.values().cloned().collect())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Entries) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
