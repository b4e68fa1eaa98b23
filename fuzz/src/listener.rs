//! A streamed answer, heard as whoever runs tools hears it.

use std::collections::{BTreeMap, HashSet};

use callgate_llm::{
    Accumulator, Block, Delta, LlmError, StopReason,
    sse::{Event, Parser},
};

use crate::pieces;

/// A block that asks for a tool.
#[derive(Default)]
struct Tool {
    id: String,
    ended: bool,
}

/// What was heard. `Err` ends the listening; only `Delta::Stopped` makes an answer whole.
#[derive(Default)]
struct Listener {
    answer: Accumulator,
    tools: BTreeMap<usize, Tool>,
    ids: HashSet<String>,
    ended: HashSet<usize>,
    stop: Option<StopReason>,
}

/// Reads `data` as a stream of one provider, whose state `tell` is: it takes each event, and nothing
/// at the end of the stream. Checks that the deltas are in order, and that requests to run a tool
/// come out of whole answers only.
pub fn listen(
    data: &[u8],
    mut tell: impl FnMut(Option<&Event>) -> Result<Vec<Delta>, LlmError>,
) -> Option<StopReason> {
    let mut listener = Listener::default();
    // A failure makes all that was heard void, which `check` sees to: nothing stopped.
    let _ = listener.hear(data, &mut tell);
    listener.check();
    listener.stop
}

impl Listener {
    fn hear(
        &mut self,
        data: &[u8],
        tell: &mut dyn FnMut(Option<&Event>) -> Result<Vec<Delta>, LlmError>,
    ) -> Result<(), LlmError> {
        let mut parser = Parser::new();
        for piece in pieces(data) {
            for event in parser.push(piece)? {
                self.take(tell(Some(&event))?);
            }
        }
        if let Some(event) = parser.finish()? {
            match tell(Some(&event)) {
                // The last event was cut off.
                Err(LlmError::Malformed { .. }) => {}
                told => self.take(told?),
            }
        }
        self.take(tell(None)?);
        Ok(())
    }

    fn take(&mut self, deltas: Vec<Delta>) {
        // Whoever listens stops here.
        if self.stop.is_some() {
            return;
        }
        for delta in deltas {
            assert_eq!(self.stop, None, "{delta:?} after the end of the answer");
            match &delta {
                Delta::ToolUse { index, id, .. } => {
                    assert!(!id.is_empty() && self.ids.insert(id.clone()), "an id names one call");
                    let tool = Tool { id: id.clone(), ended: false };
                    assert!(self.tools.insert(*index, tool).is_none(), "a block begins once");
                }
                Delta::Arguments { index, .. } => {
                    let tool = self.tools.get(index).expect("arguments of a tool that was told");
                    assert!(!tool.ended, "arguments after the end of their block");
                }
                Delta::Text { index, .. } | Delta::Thinking { index, .. } => {
                    assert!(!self.tools.contains_key(index), "prose in a block of a tool");
                    assert!(!self.ended.contains(index), "prose after the end of its block");
                }
                Delta::BlockEnd { index } => {
                    assert!(self.ended.insert(*index), "a block ends once");
                    self.tools.entry(*index).and_modify(|tool| tool.ended = true);
                }
                Delta::Stopped(stop) => self.stop = Some(stop.clone()),
                _ => {}
            }
            self.answer.push(&delta);
        }
    }

    fn check(&self) {
        for (index, tool) in &self.tools {
            assert_eq!(self.answer.block(*index).is_some(), tool.ended, "whole once it ended");
        }
        let content = self.answer.clone().finish().message.content;
        let calls: Vec<(&str, &str)> = content
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse { id, arguments, .. } => Some((id.as_str(), arguments.as_str())),
                _ => None,
            })
            .collect();
        let Some(stop) = &self.stop else {
            assert_eq!(calls, [], "a call from an answer that is not whole");
            return;
        };
        let told: Vec<&str> = self.tools.values().map(|tool| tool.id.as_str()).collect();
        assert_eq!(calls.iter().map(|(id, _)| *id).collect::<Vec<_>>(), told);
        for ((_, arguments), tool) in calls.iter().zip(self.tools.values()) {
            if !tool.ended {
                assert_eq!(*stop, StopReason::MaxTokens, "only a limit cuts a call off");
                // No text at all would be taken for no arguments.
                let blank = arguments.trim_start_matches('\u{feff}').trim_ascii().is_empty();
                assert!(!blank, "a call that was cut off looks whole");
            }
        }
    }
}
