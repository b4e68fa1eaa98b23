//! From the emitter, which must not wait, to a reader, who may be slow.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use crate::{
    emitter::Sink,
    event::{Envelope, Event},
};

/// Events that wait in the reader's own channel.
const READER_BUFFER: usize = 256;

/// Pieces of live output that may wait beside that. They are for showing; the result is whole, so
/// what a slow reader misses is not lost.
const MAX_WAITING_OUTPUT: usize = 256;

/// A sink for the emitter, and the reader's end.
pub(crate) fn open() -> (Sink, mpsc::Receiver<Envelope>) {
    // Unbounded for what must not be missed: its size is bounded by the calls of a batch and the
    // tokens of an answer.
    let (inlet, mut outlet) = mpsc::unbounded_channel::<Envelope>();
    let (reader, events) = mpsc::channel(READER_BUFFER);
    let waiting = Arc::new(AtomicUsize::new(0));
    let leaving = Arc::clone(&waiting);
    tokio::spawn(async move {
        while let Some(envelope) = outlet.recv().await {
            let output = is_output(&envelope);
            if reader.send(envelope).await.is_err() {
                return;
            }
            if output {
                leaving.fetch_sub(1, Ordering::Relaxed);
            }
        }
    });
    let sink = Box::new(move |envelope: &Envelope| {
        if is_output(envelope) && waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING_OUTPUT {
            waiting.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        // A reader that is gone misses nothing that it wants.
        let _ = inlet.send(envelope.clone());
    });
    (sink, events)
}

const fn is_output(envelope: &Envelope) -> bool {
    matches!(envelope.event, Event::ToolOutput { .. })
}
