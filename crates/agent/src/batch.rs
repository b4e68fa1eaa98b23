//! One batch: the calls of one answer, from the model's blocks to the results it is told.

use std::sync::Arc;

use callgate_dispatch::{Call, CallEvent, CallIndex, Dispatcher, ToolResult};
use callgate_llm::{Block, Message, ResultPart};
use callgate_registry::{Content, Snapshot};

use crate::{control::Control, emitter::Emitter, event::Event};

/// The tool requests of an answer.
pub(crate) fn calls(message: &Message) -> Vec<Call> {
    message
        .content
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse { id, name, arguments } => {
                Some(Call::with_text(id.clone(), name.clone(), arguments.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Runs batches and reports everything that happens to their calls.
pub(crate) struct Runner<'a> {
    pub(crate) dispatcher: &'a Dispatcher,
    pub(crate) emitter: &'a Emitter,
    pub(crate) control: &'a Control,
}

impl Runner<'_> {
    /// Runs one batch, the `number`th of its session.
    pub(crate) async fn run(
        &self,
        snapshot: Arc<Snapshot>,
        calls: Vec<Call>,
        number: u64,
    ) -> Vec<ToolResult> {
        let reporter = Reporter {
            emitter: self.emitter.clone(),
            batch: number,
            ids: calls.iter().map(|call| call.id.clone()).collect(),
            names: calls.iter().map(|call| call.name.clone()).collect(),
        };
        let cancels = self.control.register(calls.iter().map(|call| call.id.as_str()));
        self.dispatcher
            .batch(calls)
            .snapshot(snapshot)
            .cancel(self.control.task().clone())
            .call_cancels(cancels)
            .events(Arc::new(move |index: CallIndex, event: CallEvent| {
                if let Some(event) = reporter.translate(index, event) {
                    reporter.emitter.emit(event);
                }
            }))
            .run()
            .await
    }
}

/// Names calls by their ids, where dispatch names them by their places.
struct Reporter {
    emitter: Emitter,
    batch: u64,
    ids: Vec<String>,
    names: Vec<String>,
}

impl Reporter {
    fn translate(&self, index: CallIndex, event: CallEvent) -> Option<Event> {
        let tool_use_id = self.ids.get(index)?.clone();
        Some(match event {
            CallEvent::Queued { arguments, subject, read_only } => Event::ToolQueued {
                tool_use_id,
                batch: self.batch,
                index,
                of: self.ids.len(),
                name: self.names.get(index)?.clone(),
                arguments,
                subject,
                read_only,
            },
            CallEvent::Waiting { on } => Event::ToolWaiting {
                tool_use_id,
                on: on.iter().filter_map(|&index| self.ids.get(index).cloned()).collect(),
            },
            CallEvent::AwaitingApproval { reason } => {
                Event::ToolAwaitingApproval { tool_use_id, reason }
            }
            CallEvent::Decided { allowed, reason } => {
                Event::ToolDecided { tool_use_id, allowed, reason }
            }
            CallEvent::Started => Event::ToolStarted { tool_use_id },
            CallEvent::Output(chunk) => {
                Event::ToolOutput { tool_use_id, stream: chunk.stream, text: chunk.text }
            }
            CallEvent::Spilled(spill) => Event::ToolSpilled { tool_use_id, spill },
            CallEvent::Stopping => Event::ToolStopping { tool_use_id },
            CallEvent::Finished(result) => Event::ToolFinished { result },
            _ => return None,
        })
    }
}

/// The block that tells the model what came of a call.
pub(crate) fn result_block(result: &ToolResult) -> Block {
    let content = result
        .content
        .iter()
        .map(|content| match content {
            Content::Text { text } => ResultPart::Text { text: text.clone() },
            Content::Image { media_type, data } => {
                ResultPart::Image { media_type: media_type.clone(), data: data.clone() }
            }
            _ => ResultPart::Text { text: "[content of an unknown kind]".to_owned() },
        })
        .collect();
    Block::ToolResult {
        tool_use_id: result.tool_use_id.clone(),
        content,
        is_error: result.is_error(),
    }
}
