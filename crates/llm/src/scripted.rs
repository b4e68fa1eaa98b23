//! A provider that plays what a test wrote.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{StreamExt, stream};

use crate::{
    delta::{Delta, StopReason},
    error::LlmError,
    provider::{DeltaStream, Provider, Request, ToolFormat},
};

/// What the provider does when it is asked once.
#[derive(Debug, Default)]
pub struct Turn {
    pieces: Vec<Result<Delta, LlmError>>,
    blocks: usize,
    hangs: bool,
    asks_for_tools: bool,
}

impl Turn {
    /// A turn without content. Add to it with the other methods; the end comes by itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// A turn of exactly these pieces, to which nothing is added.
    pub fn raw(pieces: Vec<Result<Delta, LlmError>>) -> Self {
        Self { pieces, ..Self::default() }
    }

    /// Says something.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        let index = self.next_block();
        self.pieces.push(Ok(Delta::Text { index, text: text.into() }));
        self.pieces.push(Ok(Delta::BlockEnd { index }));
        self
    }

    /// Asks for a tool. `arguments` is the text that the model writes, right or wrong.
    #[must_use]
    pub fn call(
        mut self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let index = self.next_block();
        self.asks_for_tools = true;
        self.pieces.push(Ok(Delta::ToolUse { index, id: id.into(), name: name.into() }));
        self.pieces.push(Ok(Delta::Arguments { index, text: arguments.into() }));
        self.pieces.push(Ok(Delta::BlockEnd { index }));
        self
    }

    /// Adds one piece as it is.
    #[must_use]
    pub fn delta(mut self, delta: Delta) -> Self {
        self.pieces.push(Ok(delta));
        self
    }

    /// Ends with this error.
    #[must_use]
    pub fn fail(mut self, error: LlmError) -> Self {
        self.pieces.push(Err(error));
        self
    }

    /// Never ends: after its pieces nothing comes any more.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.hangs = true;
        self
    }

    fn next_block(&mut self) -> usize {
        if self.pieces.is_empty() {
            self.pieces.push(Ok(Delta::Started { model: "scripted".to_owned() }));
        }
        self.blocks += 1;
        self.blocks - 1
    }

    fn play(mut self) -> DeltaStream {
        let ended = matches!(self.pieces.last(), Some(Ok(Delta::Stopped(_)) | Err(_)));
        if self.hangs {
            return Box::pin(stream::iter(self.pieces).chain(stream::pending()));
        }
        if !ended && self.blocks > 0 {
            let stop = if self.asks_for_tools { StopReason::ToolUse } else { StopReason::EndTurn };
            self.pieces.push(Ok(Delta::Stopped(stop)));
        }
        Box::pin(stream::iter(self.pieces))
    }
}

#[derive(Debug, Default)]
struct Script {
    turns: VecDeque<Turn>,
    requests: Vec<Request>,
}

/// A provider that plays a list of turns, one for each request, and keeps the requests.
///
/// ```
/// use callgate_llm::{Accumulator, Message, Provider, Request, Scripted, Turn};
/// use futures_util::StreamExt;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// let model = Scripted::new([Turn::new().text("One moment.").call("c1", "glob", "{}")]);
/// let request = Request { messages: vec![Message::user("look")], ..Request::default() };
///
/// let mut answer = Accumulator::new();
/// let mut stream = model.stream(request);
/// while let Some(delta) = stream.next().await {
///     answer.push(&delta?);
/// }
/// assert_eq!(answer.finish().text(), "One moment.");
/// assert_eq!(model.requests().len(), 1);
/// # Ok::<(), callgate_llm::LlmError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scripted {
    script: Arc<Mutex<Script>>,
}

impl Scripted {
    /// A provider that plays `turns` in order.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let script = Script { turns: turns.into_iter().collect(), requests: Vec::new() };
        Self { script: Arc::new(Mutex::new(script)) }
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    /// How many turns have not been played.
    pub fn remaining(&self) -> usize {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).turns.len()
    }
}

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn model(&self) -> &'static str {
        "scripted"
    }

    fn tool_format(&self) -> ToolFormat {
        ToolFormat::Anthropic
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        script.requests.push(request);
        let at_end = || {
            let message = "the script has no further turn".to_owned();
            Turn::new().fail(LlmError::Configuration { message })
        };
        script.turns.pop_front().unwrap_or_else(at_end).play()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Block, Message};

    async fn play(model: &Scripted) -> Vec<Result<Delta, LlmError>> {
        let messages = vec![Message::user("go")];
        model.stream(Request { messages, ..Request::default() }).collect().await
    }

    #[tokio::test]
    async fn turns_are_played_in_order_and_then_the_script_says_that_it_is_over() {
        let model = Scripted::new([
            Turn::new().text("a").call("c1", "glob", "{\"pattern\": "),
            Turn::raw(vec![Err(LlmError::Incomplete)]),
        ]);
        let mut answer = crate::Accumulator::new();
        play(&model).await.iter().flatten().for_each(|delta| answer.push(delta));
        let answer = answer.finish();
        assert_eq!(answer.stop, StopReason::ToolUse);
        let call = Block::ToolUse {
            id: "c1".to_owned(),
            name: "glob".to_owned(),
            arguments: "{\"pattern\": ".to_owned(),
        };
        assert_eq!(answer.message.content, [Block::Text { text: "a".to_owned() }, call]);

        assert!(matches!(play(&model).await.as_slice(), [Err(LlmError::Incomplete)]));
        assert_eq!(model.remaining(), 0);
        assert!(matches!(play(&model).await.as_slice(), [Err(LlmError::Configuration { .. })]));
        assert_eq!(model.requests().len(), 3);
    }
}
