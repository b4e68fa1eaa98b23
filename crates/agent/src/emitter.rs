//! The one road of events: numbered, stamped and handed on in one order.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use crate::event::{Envelope, Event};

/// Where the events of a session go. Called in the order of their numbers; must return at once.
pub type Sink = Box<dyn FnMut(&Envelope) + Send>;

/// Numbers and stamps the events of one session.
#[derive(Clone)]
pub(crate) struct Emitter {
    inner: Arc<Inner>,
}

struct Inner {
    session_id: String,
    started: Instant,
    out: Mutex<Out>,
}

struct Out {
    seq: u64,
    sinks: Vec<Sink>,
}

impl std::fmt::Debug for Emitter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emitter")
            .field("session_id", &self.inner.session_id)
            .finish_non_exhaustive()
    }
}

impl Emitter {
    pub(crate) fn new(session_id: String, sinks: Vec<Sink>) -> Self {
        let out = Mutex::new(Out { seq: 0, sinks });
        Self { inner: Arc::new(Inner { session_id, started: Instant::now(), out }) }
    }

    pub(crate) fn session_id(&self) -> &str {
        &self.inner.session_id
    }

    pub(crate) fn emit(&self, event: Event) {
        let mut out = self.inner.out.lock().unwrap_or_else(PoisonError::into_inner);
        let envelope = Envelope {
            session_id: self.inner.session_id.clone(),
            seq: out.seq,
            at_us: u64::try_from(self.inner.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            event,
        };
        out.seq += 1;
        for sink in &mut out.sinks {
            sink(&envelope);
        }
    }
}
