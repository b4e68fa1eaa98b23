//! From the way a call ended to what the model is told.

use std::{sync::Arc, time::Duration};

use callgate_registry::{Content, Stop, Tool, ToolError, ToolOutput};
use tokio::time::timeout;

use crate::{
    gate::OutputBound,
    prepare::{invalid, panicked},
    repair::Repair,
    result::ErrorCode,
    running::{Answer, Ending},
    words, worker,
};

/// How long an output may take to be put away. Local disks take milliseconds.
const BOUND_LIMIT: Duration = Duration::from_secs(30);

/// An outcome in words.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: Option<ErrorCode>,
    pub(crate) output: ToolOutput,
    /// Said after the output, whatever becomes of it.
    notice: Option<String>,
}

/// A call that was cancelled while it waited.
pub(crate) const NEVER_STARTED: &str = "cancelled before it started; nothing ran";

impl Told {
    /// Puts an ending into words. `heard` is the live output, for a handler that never answered.
    pub(crate) fn new(tool: &Tool, limit: Duration, ending: Ending, heard: String) -> Self {
        match ending {
            Ending::Returned(answer) => Self::of_answer(tool, answer),
            Ending::Panicked => Self {
                code: Some(ErrorCode::ExecutionError),
                output: of_text(heard),
                notice: Some(panicked(tool.name())),
            },
            Ending::Stopped(why, answer) => {
                let output = Self::of_answer(tool, answer).output;
                Self::stopped(why, limit, output, "")
            }
            Ending::Dropped(why) => Self::stopped(
                why,
                limit,
                of_text(heard),
                " It did not stop when asked, and was dropped.",
            ),
        }
    }

    fn of_answer(tool: &Tool, answer: Answer) -> Self {
        let (code, output) = match answer {
            Ok(output) => {
                return Self { code: None, output, notice: None };
            }
            Err(ToolError::InvalidArguments { pointer, message }) => {
                let fault = format!("{}: {message}", words::place(&pointer));
                (ErrorCode::InvalidArguments, ToolOutput::text(invalid(tool.name(), [fault])))
            }
            Err(ToolError::Denied(message)) => (ErrorCode::Denied, ToolOutput::text(message)),
            Err(ToolError::Failed { message, mut output }) => {
                if output.content.is_empty() {
                    output.content.push(Content::text(message));
                }
                (ErrorCode::ExecutionError, output)
            }
            Err(other) => (ErrorCode::ExecutionError, ToolOutput::text(other.to_string())),
        };
        Self { code: Some(code), output, notice: None }
    }

    fn stopped(why: Stop, limit: Duration, output: ToolOutput, ending: &str) -> Self {
        let (code, what) = match why {
            Stop::Timeout => (
                ErrorCode::Timeout,
                format!(
                    "timed out: stopped after its limit of {limit:?}; it may have had effects."
                ),
            ),
            _ => (
                ErrorCode::Cancelled,
                "interrupted: cancelled while it ran; it may have had effects.".to_owned(),
            ),
        };
        Self { code: Some(code), output, notice: Some(what + ending) }
    }

    /// Puts away what is too long, then adds what must be said in any case.
    pub(crate) async fn bounded(
        mut self,
        tool: &Tool,
        call_id: &str,
        bound: Option<&Arc<dyn OutputBound>>,
        repairs: &[Repair],
    ) -> Self {
        if let (Some(bound), Some(max)) = (bound, tool.policy().max_output_bytes)
            && text_bytes(&self.output) > max
        {
            self.output = put_away(bound, call_id.to_owned(), self.output, max).await;
        }
        let notes = repairs.iter().map(|repair| {
            format!(
                "note: {} was sent as {} and read as {}",
                words::place(&repair.pointer),
                repair.from,
                repair.to
            )
        });
        let texts = self.notice.take().into_iter().chain(notes);
        self.output.content.extend(texts.map(Content::text));
        self
    }
}

fn of_text(text: String) -> ToolOutput {
    if text.is_empty() { ToolOutput::default() } else { ToolOutput::text(text) }
}

fn text_bytes(output: &ToolOutput) -> usize {
    output
        .content
        .iter()
        .map(|block| if let Content::Text { text } = block { text.len() } else { 0 })
        .sum()
}

/// Lets the bound keep the output. Should it fail, the beginning is all that there is to return.
async fn put_away(
    bound: &Arc<dyn OutputBound>,
    call_id: String,
    output: ToolOutput,
    max_bytes: usize,
) -> ToolOutput {
    let fallback = beginning(&output, max_bytes);
    let bound = Arc::clone(bound);
    let task = worker::spawn(async move { bound.bound(call_id, output, max_bytes).await });
    match timeout(BOUND_LIMIT, task).await {
        Ok(Ok(output)) => output,
        Ok(Err(_)) | Err(_) => fallback,
    }
}

fn beginning(output: &ToolOutput, max_bytes: usize) -> ToolOutput {
    let mut left = max_bytes;
    let mut lost = 0;
    let mut content = Vec::new();
    for block in &output.content {
        match block {
            Content::Text { text } => {
                let end = text.floor_char_boundary(left);
                left -= end;
                lost += text.len() - end;
                content.push(Content::text(text.get(..end).unwrap_or_default()));
            }
            other => content.push(other.clone()),
        }
    }
    content.push(Content::text(format!("[{lost} more bytes could not be kept and are lost]")));
    ToolOutput { content, spill: output.spill.clone(), exit_code: output.exit_code }
}
