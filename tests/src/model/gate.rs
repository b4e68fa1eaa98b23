//! A place in a stream where the server waits until the test lets it go on.

use std::sync::{Arc, Condvar, Mutex};

use crate::LIMIT;

/// A gate. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
struct State {
    reached: bool,
    open: bool,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until the server stands before it.
    #[track_caller]
    pub fn reached(&self) {
        self.wait(|state| state.reached);
    }

    /// Lets the server pass.
    pub fn open(&self) {
        self.change(|state| state.open = true);
    }

    pub(super) fn pass(&self) {
        self.change(|state| state.reached = true);
        self.wait(|state| state.open);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.0.lock().expect("no holder panicked"));
        self.0.1.notify_all();
    }

    #[track_caller]
    fn wait(&self, until: impl Fn(&State) -> bool) {
        let state = self.0.0.lock().expect("no holder panicked");
        let (state, _) = self
            .0
            .1
            .wait_timeout_while(state, LIMIT, |state| !until(state))
            .expect("no holder panicked");
        let arrived = until(&state);
        drop(state);
        assert!(arrived, "nobody came to the gate, or nobody opened it");
    }
}
