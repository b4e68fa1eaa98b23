//! Work on files, off the threads that answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use callgate_registry::{CallContext, ToolError, ToolOutput};

/// Tells work on another thread to stop. Set, too, when nobody waits for the work any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether the work should return what it has.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct SetOnDrop(StopFlag);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Runs `work` where it may block, and passes a request to stop on to it.
pub(crate) async fn blocking(
    context: Box<dyn CallContext>,
    work: impl FnOnce(&StopFlag) -> Result<ToolOutput, ToolError> + Send + 'static,
) -> Result<ToolOutput, ToolError> {
    let flag = StopFlag::default();
    let _abandoned = SetOnDrop(flag.clone());
    let seen = flag.clone();
    let mut work = tokio::task::spawn_blocking(move || work(&seen));
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        _ = context.stopped() => {
            flag.set();
            work.await
        }
    };
    match outcome {
        Ok(outcome) => outcome,
        // Whoever runs tools knows how to report a panic.
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(ToolError::failed("The work was dropped because the program is ending.")),
    }
}
