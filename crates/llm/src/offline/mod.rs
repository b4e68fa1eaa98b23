//! The offline model.

use futures_util::stream;

use crate::{
    delta::{Delta, StopReason},
    provider::{DeltaStream, Provider, Request, ToolFormat},
};

/// The offline model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Offline {
    /// The offline model.
    pub const fn new() -> Self {
        Self
    }
}

impl Provider for Offline {
    fn name(&self) -> &'static str {
        "offline"
    }

    fn model(&self) -> &'static str {
        "offline"
    }

    fn tool_format(&self) -> ToolFormat {
        ToolFormat::Anthropic
    }

    fn stream(&self, _request: Request) -> DeltaStream {
        let text = "This is the offline model.".to_owned();
        Box::pin(stream::iter([
            Ok(Delta::Text { index: 0, text }),
            Ok(Delta::BlockEnd { index: 0 }),
            Ok(Delta::Stopped(StopReason::EndTurn)),
        ]))
    }
}
