//! One handler, from its start to its end, whether it wants to end or not.

use std::{sync::Arc, time::Duration};

use callgate_registry::{Invocation, Stop, Tool, ToolError, ToolOutput};
use serde_json::Value;
use tokio::{
    task::JoinError,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    abandoned::{Abandoned, AbandonedList},
    guard::discard,
    live::{Context, Live},
    worker,
};

/// How long a handler that was dropped may take to be gone. Enough for a task that yields at all; one
/// that doesn't is abandoned.
const SETTLE: Duration = Duration::from_millis(20);

/// What a handler answers.
pub(crate) type Answer = Result<ToolOutput, ToolError>;

/// How a handler ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// By itself.
    Returned(Answer),
    /// By a panic.
    Panicked,
    /// It was asked to stop, and returned this in time.
    Stopped(Stop, Answer),
    /// It was asked to stop, did not return in time, and was dropped.
    Dropped(Stop),
}

/// A call that is to be run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: Value,
    pub(crate) limit: Duration,
    pub(crate) live: Arc<Live>,
    pub(crate) call_id: String,
    /// Cancels the batch.
    pub(crate) batch: CancellationToken,
    /// Cancels this call, if anything does.
    pub(crate) cancel: Option<CancellationToken>,
    pub(crate) abandoned: AbandonedList,
}

/// Runs a handler on a task of its own and waits for its end, within its limit and its grace.
pub(crate) async fn run(job: Job) -> Ending {
    let Job { tool, arguments, limit, live, call_id, batch, cancel, abandoned } = job;
    let handler = Arc::clone(tool.handler());
    let invocation = Invocation::new(arguments, Context(Arc::clone(&live)));
    let mut task = worker::spawn(async move { handler.call(invocation).await });

    let why = tokio::select! {
        biased;
        done = &mut task => return answered(done).map_or(Ending::Panicked, Ending::Returned),
        () = batch.cancelled() => Stop::Cancelled,
        () = cancelled(cancel.as_ref()) => Stop::Cancelled,
        () = sleep(limit) => Stop::Timeout,
    };
    live.ask_to_stop(why);
    if let Ok(done) = timeout(tool.policy().grace, &mut task).await {
        return answered(done).map_or(Ending::Panicked, |answer| Ending::Stopped(why, answer));
    }
    task.abort();
    if let Ok(done) = timeout(SETTLE, &mut task).await {
        answered(done);
    } else {
        let entry = Abandoned { tool: tool.name().to_owned(), call_id };
        abandoned.watch(entry, task.detach());
    }
    Ending::Dropped(why)
}

/// What a task answered, unless it panicked or was aborted.
fn answered<T>(done: Result<T, JoinError>) -> Option<T> {
    match done.map_err(JoinError::try_into_panic) {
        Ok(answer) => Some(answer),
        Err(panic) => {
            if let Ok(payload) = panic {
                discard(payload);
            }
            None
        }
    }
}

/// Waits for the token, if there is one; else for ever.
pub(crate) async fn cancelled(token: Option<&CancellationToken>) {
    match token {
        Some(token) => token.cancelled().await,
        None => std::future::pending().await,
    }
}
