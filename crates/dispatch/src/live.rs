//! The side of a running call that its handler sees.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Instant,
};

use callgate_registry::{BoxFuture, CallContext, OutputChunk, Stop};
use tokio_util::sync::CancellationToken;

use crate::{
    event::{CallEvent, CallIndex, EventSink},
    guard::shielded,
    worker,
};

/// Bytes of live output that are kept for the answer to a call that never gives one itself.
const TAIL_BYTES: usize = 24_000;

/// Where the events of a batch go, if anywhere; a sink that panics loses the event and no more.
#[derive(Clone, Default)]
pub(crate) struct Events(pub(crate) Option<Arc<dyn EventSink>>);

impl Events {
    /// Makes and emits an event, if anybody listens.
    pub(crate) fn emit(&self, index: CallIndex, event: impl FnOnce() -> CallEvent) {
        if let Some(sink) = &self.0 {
            shielded(|| sink.emit(index, event()));
        }
    }
}

/// What a call and whoever watches it share.
pub(crate) struct Live {
    index: CallIndex,
    call_id: String,
    deadline: Option<Instant>,
    events: Events,
    stop: CancellationToken,
    why: OnceLock<Stop>,
    /// `None` once the call is answered: what comes later is dropped.
    tail: Mutex<Option<Tail>>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("call_id", &self.call_id)
            .field("deadline", &self.deadline)
            .field("stop", &self.why.get())
            .finish_non_exhaustive()
    }
}

impl Live {
    pub(crate) fn new(
        index: CallIndex,
        call_id: String,
        deadline: Option<Instant>,
        events: Events,
    ) -> Arc<Self> {
        Arc::new(Self {
            index,
            call_id,
            deadline,
            events,
            stop: CancellationToken::new(),
            why: OnceLock::new(),
            tail: Mutex::new(Some(Tail::default())),
        })
    }

    /// Asks the handler to stop.
    pub(crate) fn ask_to_stop(&self, why: Stop) {
        if self.why.set(why).is_ok() {
            self.events.emit(self.index, || CallEvent::Stopping);
            self.stop.cancel();
        }
    }

    /// Ends the live output and returns the last of it.
    pub(crate) fn close(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner).take();
        tail.map(Tail::into_text).unwrap_or_default()
    }
}

/// What the handler is given.
#[derive(Debug)]
pub(crate) struct Context(pub(crate) Arc<Live>);

impl CallContext for Context {
    fn call_id(&self) -> &str {
        &self.0.call_id
    }

    fn stopped(&self) -> BoxFuture<'static, Stop> {
        let live = Arc::clone(&self.0);
        Box::pin(async move {
            live.stop.cancelled().await;
            live.why.get().copied().unwrap_or(Stop::Cancelled)
        })
    }

    fn stop(&self) -> Option<Stop> {
        self.0.why.get().copied()
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    fn progress(&self, chunk: OutputChunk) {
        // The event is emitted under the lock, so that none can follow the answer.
        let mut tail = self.0.tail.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tail) = tail.as_mut() {
            tail.push(&chunk.text);
            self.0.events.emit(self.0.index, || CallEvent::Output(chunk));
            if self.0.events.0.is_some() {
                // The sink may have woken the very task that watches over this handler.
                worker::release_woken();
            }
        }
    }
}

/// The last bytes of a live output.
#[derive(Debug, Default)]
struct Tail {
    text: String,
    dropped: usize,
}

impl Tail {
    fn push(&mut self, chunk: &str) {
        self.text.push_str(chunk);
        // Cutting at twice the size makes each byte move at most once.
        if self.text.len() > 2 * TAIL_BYTES {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let surplus = self.text.len().saturating_sub(TAIL_BYTES);
        let start = self.text.ceil_char_boundary(surplus);
        self.text.drain(..start);
        self.dropped += start;
    }

    fn into_text(mut self) -> String {
        self.cut();
        if self.dropped > 0 {
            self.text.insert_str(0, &format!("[{} earlier bytes are not shown]\n", self.dropped));
        }
        self.text
    }
}
