//! The bound on the output of tools that have none of their own.

use std::sync::Arc;

use callgate_dispatch::OutputBound;
use callgate_exec::SpillStore;
use callgate_registry::{BoxFuture, ToolOutput};

/// Keeps in the spill store what is too long to be returned.
#[derive(Debug)]
pub(crate) struct SpillBound(pub(crate) Arc<SpillStore>);

impl OutputBound for SpillBound {
    fn bound(
        &self,
        call_id: String,
        output: ToolOutput,
        max_bytes: usize,
    ) -> BoxFuture<'_, ToolOutput> {
        let spills = Arc::clone(&self.0);
        Box::pin(async move {
            let lost = output.exit_code;
            tokio::task::spawn_blocking(move || {
                callgate_tools::bound(&spills, &call_id, output, max_bytes)
            })
            .await
            .unwrap_or_else(|_| {
                ToolOutput::text("the output could not be bounded and was dropped")
                    .with_exit_code(lost)
            })
        })
    }
}
