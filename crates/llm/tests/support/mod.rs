//! What the tests over a real socket share.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod dialect;
pub(crate) mod raw_server;

use callgate_llm::{Accumulator, Answer, Delta, LlmError, Message, Provider, Request};
use futures_util::StreamExt;

/// All that one request brought: its deltas, and how it ended.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) deltas: Vec<Delta>,
    pub(crate) error: Option<LlmError>,
}

impl Heard {
    /// The answer, if the request ended well.
    pub(crate) fn answer(&self) -> Answer {
        assert!(self.error.is_none(), "{:?}", self.error);
        let mut answer = Accumulator::new();
        self.deltas.iter().for_each(|delta| answer.push(delta));
        assert!(answer.is_complete());
        answer.finish()
    }

    pub(crate) fn error(&self) -> &LlmError {
        self.error.as_ref().expect("it ended well")
    }

    pub(crate) fn retries(&self) -> usize {
        self.deltas.iter().filter(|delta| matches!(delta, Delta::Retrying { .. })).count()
    }
}

pub(crate) fn hello() -> Request {
    Request { messages: vec![Message::user("hello")], ..Request::default() }
}

pub(crate) async fn ask(provider: &dyn Provider) -> Heard {
    let mut heard = Heard { deltas: Vec::new(), error: None };
    let mut stream = provider.stream(hello());
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(delta) => heard.deltas.push(delta),
            Err(error) => heard.error = Some(error),
        }
    }
    heard
}
