//! How a running task is stopped, whole or call by call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

/// Stops one task. Clones stop the same task.
#[derive(Debug, Clone, Default)]
pub struct Control {
    task: CancellationToken,
    calls: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl Control {
    /// A control that has stopped nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the task: the model is no longer listened to, calls are asked to stop, and each of them
    /// is still answered.
    pub fn interrupt(&self) {
        self.task.cancel();
    }

    /// Whether the task was stopped.
    pub fn is_interrupted(&self) -> bool {
        self.task.is_cancelled()
    }

    /// Stops one call; an id that does not run is left alone.
    pub fn cancel_call(&self, call_id: &str) {
        if let Some(call) = self.calls.lock().unwrap_or_else(PoisonError::into_inner).get(call_id) {
            call.cancel();
        }
    }

    pub(crate) const fn task(&self) -> &CancellationToken {
        &self.task
    }

    /// One token for each call of a batch, in its order.
    pub(crate) fn register<'a>(
        &self,
        ids: impl Iterator<Item = &'a str>,
    ) -> Vec<CancellationToken> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.clear();
        ids.map(|id| calls.entry(id.to_owned()).or_default().clone()).collect()
    }
}
