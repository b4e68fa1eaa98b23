//! The door: one process, run to its end.

use std::{io, thread};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Finished, ProcessSpec, Stream, stopper, supervise::supervise};
use crate::{capture::CaptureOptions, error::ExecError};

/// The stack of a supervising thread; it is not deep, but it calls `on_chunk`.
const STACK_BYTES: usize = 1024 * 1024;

/// Runs a process to its end, and ends everything that it started with it.
///
/// When the token is cancelled, or the future dropped, the whole tree is ended: TERM, the [grace](ProcessSpec::grace), KILL.
/// A time-out is the caller's: cancel the token when the time is over. When the process ends by itself, what it left
/// running is ended too and named in [`Finished::ended`]. The output that came until then is in the result in every case.
///
/// `on_chunk` gets what the process writes, while it writes: some 20 times a second, no more than 8 KiB at once, with
/// what was skipped counted. It is called in the thread that moves the output, so as long as it takes, the process waits.
///
/// ```
/// use callgate_exec::{CaptureOptions, Environment, Exit, ProcessSpec, run};
/// use tokio_util::sync::CancellationToken;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let spec = ProcessSpec::shell("echo out; echo err >&2; exit 3").env(Environment::inherit_allowed());
/// let finished = run(spec, CaptureOptions::default(), CancellationToken::new(), |_, _| {}).await?;
/// assert_eq!(finished.exit, Exit::Code(3));
/// assert_eq!(finished.output.lines, 2);
/// # Ok::<(), callgate_exec::ExecError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Only when nothing ran: the program or the directory is not there, the command is too long, the system has no room for another
/// process, or the token was cancelled already. [`ExecError::Supervisor`] if `on_chunk` panicked; then the tree was killed.
pub async fn run<F>(
    spec: ProcessSpec,
    options: CaptureOptions,
    stop: CancellationToken,
    on_chunk: F,
) -> Result<Finished, ExecError>
where
    F: Fn(Stream, &str) + Send + 'static,
{
    if stop.is_cancelled() {
        return Err(ExecError::StoppedBeforeStart);
    }
    let no_thread = |source: io::Error| {
        let program = "the supervising thread".to_owned();
        ExecError::Spawn { program, attempts: 1, source }
    };
    let (stopper, signal) = stopper::pair().map_err(no_thread)?;
    let (done, mut finished) = oneshot::channel();
    thread::Builder::new()
        .name("callgate-exec".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // Nobody waits any more if the future was dropped.
            let _ = done.send(supervise(spec, options, signal, on_chunk));
        })
        .map_err(no_thread)?;
    let outcome = tokio::select! {
        biased;
        outcome = &mut finished => outcome,
        () = stop.cancelled() => {
            drop(stopper);
            finished.await
        }
    };
    outcome.unwrap_or(Err(ExecError::Supervisor))
}
