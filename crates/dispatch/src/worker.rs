//! Tasks for code that may never yield.

use std::{
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll},
};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio_util::task::AbortOnDropHandle;

/// Workers of the runtime that are inside of foreign code at this moment.
///
/// One count for the process: with several runtimes it only makes us more careful than needed.
static HELD_WORKERS: AtomicUsize = AtomicUsize::new(0);

/// Spawns foreign code on a task of its own, aborted when the handle is dropped.
///
/// A handler that computes for minutes without awaiting holds the worker thread that polls it. Were
/// all workers held, no timer would fire, and neither a time limit nor the screen would be served. So
/// one worker is always kept out: where a poll would take the last one, its thread hands its other
/// tasks to a fresh thread first. That costs some microseconds, and is rare: polls are short. A
/// runtime of one thread has nobody to hand over to, and is held.
pub(crate) fn spawn<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> AbortOnDropHandle<T> {
    let runtime = Handle::current();
    let spare = match runtime.runtime_flavor() {
        RuntimeFlavor::CurrentThread => usize::MAX,
        _ => runtime.metrics().num_workers().saturating_sub(1),
    };
    AbortOnDropHandle::new(runtime.spawn(Considerate { future: Box::pin(future), spare }))
}

/// Lets other workers have the task that foreign code has just woken.
///
/// A worker keeps the task that was woken last for itself, to run it next; if the code that woke it
/// then holds the worker, that task waits as long. Waking one more task, an empty one, takes the place
/// of it and makes it free for others.
pub(crate) fn release_woken() {
    if let Ok(runtime) = Handle::try_current()
        && runtime.runtime_flavor() != RuntimeFlavor::CurrentThread
    {
        drop(runtime.spawn(std::future::ready(())));
    }
}

struct Considerate<F> {
    future: Pin<Box<F>>,
    /// Workers that may be held at the same time.
    spare: usize,
}

impl<F: Future> Future for Considerate<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let held = Held::new();
        if held.others < self.spare {
            return self.future.as_mut().poll(context);
        }
        tokio::task::block_in_place(|| self.future.as_mut().poll(context))
    }
}

struct Held {
    others: usize,
}

impl Held {
    fn new() -> Self {
        Self { others: HELD_WORKERS.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD_WORKERS.fetch_sub(1, Ordering::Relaxed);
    }
}
