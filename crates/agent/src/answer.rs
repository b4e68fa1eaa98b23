//! One answer of the model: listened to, shown as it comes, and whole at the end.

use callgate_llm::{Accumulator, Answer, Delta, LlmError, Provider, Request};
use futures_util::StreamExt as _;

use crate::{control::Control, emitter::Emitter, event::Event};

/// How listening ended.
pub(crate) enum Heard {
    /// The model said its last word of this answer.
    Whole(Answer),
    /// The person interrupted; this is the text until then.
    Interrupted(String),
}

/// Asks the model and listens until its answer is complete.
pub(crate) async fn listen(
    provider: &dyn Provider,
    request: Request,
    emitter: &Emitter,
    control: &Control,
) -> Result<Heard, LlmError> {
    let mut stream = provider.stream(request);
    let mut accumulator = Accumulator::new();
    let mut text = String::new();
    loop {
        let delta = tokio::select! {
            biased;
            () = control.task().cancelled() => return Ok(Heard::Interrupted(text)),
            delta = stream.next() => delta,
        };
        let Some(delta) = delta else {
            return if accumulator.is_complete() {
                Ok(Heard::Whole(accumulator.finish()))
            } else {
                Err(LlmError::Incomplete)
            };
        };
        let delta = delta?;
        accumulator.push(&delta);
        show(&delta, &mut text, emitter);
    }
}

fn show(delta: &Delta, so_far: &mut String, emitter: &Emitter) {
    match delta {
        Delta::Text { text, .. } if !text.is_empty() => {
            so_far.push_str(text);
            emitter.emit(Event::TextDelta { text: text.clone() });
        }
        Delta::Thinking { text, .. } if !text.is_empty() => {
            emitter.emit(Event::ThinkingDelta { text: text.clone() });
        }
        Delta::Retrying { attempt, wait, reason } => {
            so_far.clear();
            emitter.emit(Event::TurnRetrying {
                attempt: *attempt,
                wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                reason: reason.clone(),
            });
        }
        _ => {}
    }
}
