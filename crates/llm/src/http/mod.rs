//! One request over HTTP, with its retries, whatever the wire format.
//!
//! A wire format is two pure things, the body of a request and the state of its answer; what can go
//! wrong on the way is dealt with here, once for all of them.

mod answer;
mod endpoint;
mod refusal;
mod retry;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

pub(crate) use endpoint::{Endpoint, Location};
pub(crate) use refusal::in_stream as refusal_in_stream;

use self::{
    answer::Answer,
    retry::{Decision, Retry},
};
use crate::{
    delta::Delta,
    error::LlmError,
    provider::{DeltaStream, Request},
    sse::Event,
};

/// What an answer of one wire format has told so far.
pub(crate) trait WireState: Default + Send + 'static {
    /// Takes the next event.
    fn push(&mut self, event: &Event) -> Result<Vec<Delta>, LlmError>;

    /// Takes a whole answer at once, from a server that does not stream.
    fn whole(&mut self, answer: Value) -> Result<Vec<Delta>, LlmError>;

    /// Whether the answer is whole, though the stream may go on.
    fn is_finished(&self) -> bool;

    /// Ends the stream: the last deltas, or an error if the answer is not whole.
    fn finish(&mut self) -> Result<Vec<Delta>, LlmError>;
}

/// Sends `body` until it is answered, and gives the answer as it comes.
pub(crate) fn stream<S: WireState>(
    endpoint: Arc<Endpoint>,
    request: Request,
    body: impl FnOnce(&Request) -> Value + Send + 'static,
) -> DeltaStream {
    Box::pin(async_stream::stream! {
        let body = Bytes::from(body(&request).to_string());
        drop(request);
        let retry = Retry::new(endpoint.options());
        let mut attempt = 1;
        loop {
            let failure = match Answer::<S>::open(&endpoint, body.clone()).await {
                Ok(mut answer) => loop {
                    match answer.next().await {
                        Ok(delta) => {
                            let last = matches!(delta, Delta::Stopped(_));
                            yield Ok(delta);
                            if last {
                                return;
                            }
                        }
                        Err(failure) => break failure,
                    }
                },
                Err(failure) => failure,
            };
            let failure = endpoint.tidy(failure);
            match retry.decide(attempt, failure, rand::random()) {
                Decision::Again { wait, reason } => {
                    yield Ok(Delta::Retrying { attempt, wait, reason });
                    tokio::time::sleep(wait).await;
                    attempt += 1;
                }
                Decision::GiveUp(error) => {
                    yield Err(error);
                    return;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests;
