//! One attempt: from the request to the last delta of its answer.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use reqwest::{Response, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::time::timeout;

use super::{
    Endpoint, WireState,
    refusal::{self, Words},
    retry,
};
use crate::{
    delta::Delta,
    error::LlmError,
    sse::{MAX_EVENT_BYTES, Parser},
};

/// The most bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 * 1024;

/// The longest time that the body of a refusal is waited for.
const REFUSAL_TIME: Duration = Duration::from_secs(10);

/// How long a stream is read on for a late usage report once the answer is whole. Servers exist
/// that never close it.
const TAIL_TIME: Duration = Duration::from_secs(5);

/// The answer to one attempt, while it comes.
pub(super) struct Answer<'a, S> {
    endpoint: &'a Endpoint,
    response: Response,
    parser: Parser,
    state: S,
    ready: VecDeque<Delta>,
    failure: Option<LlmError>,
    ended: bool,
}

impl<'a, S: WireState> Answer<'a, S> {
    /// Sends the request and waits until the answer begins.
    pub(super) async fn open(endpoint: &'a Endpoint, body: Bytes) -> Result<Self, LlmError> {
        let request = endpoint
            .client()?
            .post(endpoint.url().clone())
            .headers(endpoint.headers())
            .body(body)
            .send();
        let idle = endpoint.idle();
        let response = timeout(idle, request)
            .await
            .map_err(|_elapsed| LlmError::Idle { after: idle })?
            .map_err(|error| endpoint.transport_error(error))?;
        if !response.status().is_success() {
            return Err(refused(response).await);
        }
        let kind = content_type(&response);
        let mut answer = Self {
            endpoint,
            response,
            parser: Parser::new(),
            state: S::default(),
            ready: VecDeque::new(),
            failure: None,
            ended: false,
        };
        match kind.as_str() {
            "text/event-stream" => Ok(answer),
            "application/json" => answer.read_whole().await.map(|()| answer),
            other => Err(no_stream(other, &beginning(&mut answer.response).await)),
        }
    }

    /// The next delta. After `Delta::Stopped` there is none: don't ask.
    pub(super) async fn next(&mut self) -> Result<Delta, LlmError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Ok(delta);
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.ended {
                return Err(LlmError::Incomplete);
            }
            match self.chunk().await {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.end(None),
                Err(failure) => self.end(Some(failure)),
            }
        }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, LlmError> {
        let idle = self.endpoint.idle();
        let limit = if self.state.is_finished() { idle.min(TAIL_TIME) } else { idle };
        timeout(limit, self.response.chunk())
            .await
            .map_err(|_elapsed| LlmError::Idle { after: limit })?
            .map_err(|error| self.endpoint.transport_error(error))
    }

    fn take(&mut self, bytes: &[u8]) {
        let taken = self.parser.push(bytes).and_then(|events| {
            for event in &events {
                self.ready.extend(self.state.push(event)?);
            }
            Ok(())
        });
        self.failure = taken.err();
    }

    /// The stream is over, orderly or not. An answer that is whole is believed all the same.
    fn end(&mut self, failure: Option<LlmError>) {
        self.ended = true;
        if let Ok(Some(event)) = std::mem::take(&mut self.parser).finish() {
            match self.state.push(&event) {
                Ok(deltas) => self.ready.extend(deltas),
                // It was cut off, so it is no JSON, and counts as not sent.
                Err(LlmError::Malformed { .. }) => {}
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            }
        }
        match self.state.finish() {
            Ok(deltas) => self.ready.extend(deltas),
            Err(incomplete) => self.failure = Some(failure.unwrap_or(incomplete)),
        }
    }

    async fn read_whole(&mut self) -> Result<(), LlmError> {
        let mut body = Vec::new();
        while let Some(bytes) = self.chunk().await? {
            if body.len() + bytes.len() > MAX_EVENT_BYTES {
                return Err(LlmError::TooLarge { what: "the answer", limit: MAX_EVENT_BYTES });
            }
            body.extend_from_slice(&bytes);
        }
        let kind = "application/json";
        let Ok(value) = serde_json::from_slice::<Value>(&body) else {
            return Err(no_stream(kind, &body));
        };
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(refusal::in_place_of_answer(&value));
        }
        let Ok(deltas) = self.state.whole(value) else {
            return Err(no_stream(kind, &body));
        };
        self.ready.extend(deltas);
        self.end(None);
        match self.failure.take() {
            Some(_) => Err(no_stream(kind, &body)),
            None => Ok(()),
        }
    }
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

async fn refused(mut response: Response) -> LlmError {
    let status = response.status();
    if status.is_redirection() {
        let message = "it redirects, which is not followed, since the key would go along; set the \
                       base URL to where it redirects"
            .to_owned();
        return LlmError::Refused { status: status.as_u16(), message };
    }
    let wait = retry::asked_wait(response.headers(), Timestamp::now());
    let body = beginning(&mut response).await;
    Words::read_bytes(&body).into_error(status.as_u16(), wait)
}

/// What comes in place of an answer with status 200. To ask again would bring the same.
fn no_stream(kind: &str, body: &[u8]) -> LlmError {
    let kind = match kind {
        "" => "without a content type".to_owned(),
        kind => format!("but {}", refusal::tidy(kind, 100)),
    };
    let mut message = format!("what came is no event stream, {kind}; is the base URL right?");
    let said = refusal::tidy(&String::from_utf8_lossy(body), refusal::MESSAGE_CHARS);
    if said.is_empty() {
        message.push_str(" Its body is empty.");
    } else {
        message.push_str(" It begins: ");
        message.push_str(&said);
    }
    LlmError::Refused { status: 200, message }
}

/// The beginning of a body that is no answer, as far as it comes in time.
async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            let room = REFUSAL_BYTES.saturating_sub(body.len());
            body.extend(bytes.into_iter().take(room));
            if room == 0 {
                break;
            }
        }
    };
    // What came in time is enough to tell why.
    let _ = timeout(REFUSAL_TIME, read).await;
    body
}
