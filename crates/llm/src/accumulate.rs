//! Deltas, put together to an answer.

use std::collections::BTreeMap;

use crate::{
    delta::{Delta, StopReason},
    message::{Block, Message, Role, Usage},
    wire,
};

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What was said, in the order of the blocks.
    pub message: Message,
    /// Why the model stopped; `Other("incomplete")` if it never said.
    pub stop: StopReason,
    /// What the turn cost.
    pub usage: Usage,
}

impl Answer {
    /// All its text, blocks joined by empty lines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .message
            .content
            .iter()
            .filter_map(|block| match block {
                Block::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n\n")
    }
}

#[derive(Debug, Clone)]
struct Partial {
    block: Block,
    ended: bool,
}

/// Puts the deltas of one answer together.
///
/// After [`Delta::Retrying`] it is empty again. It believes nothing by halves: see
/// [`Accumulator::finish`] and [`Accumulator::block`].
#[derive(Debug, Clone, Default)]
pub struct Accumulator {
    blocks: BTreeMap<usize, Partial>,
    usage: Usage,
    stop: Option<StopReason>,
}

impl Accumulator {
    /// An accumulator that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next delta.
    pub fn push(&mut self, delta: &Delta) {
        match delta {
            Delta::Started { .. } => {}
            Delta::Text { index, text } => {
                let block = self.open(*index, || Block::Text { text: String::new() });
                if let Block::Text { text: whole } = block {
                    whole.push_str(text);
                }
            }
            Delta::Thinking { index, text } => {
                if let Block::Thinking { text: whole, .. } = self.open(*index, empty_thought) {
                    whole.push_str(text);
                }
            }
            Delta::Signature { index, signature } => {
                if let Block::Thinking { signature: slot, .. } = self.open(*index, empty_thought) {
                    *slot = Some(signature.clone());
                }
            }
            Delta::RedactedThinking { index, data } => {
                self.open(*index, || Block::RedactedThinking { data: data.clone() });
            }
            Delta::ToolUse { index, id, name } => {
                self.open(*index, || Block::ToolUse {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: String::new(),
                });
            }
            Delta::Arguments { index, text } => {
                if let Some(Partial { block: Block::ToolUse { arguments, .. }, .. }) =
                    self.blocks.get_mut(index)
                {
                    arguments.push_str(text);
                }
            }
            Delta::BlockEnd { index } => {
                if let Some(partial) = self.blocks.get_mut(index) {
                    partial.ended = true;
                }
            }
            Delta::Usage(usage) => self.usage = *usage,
            Delta::Stopped(stop) => self.stop = Some(stop.clone()),
            Delta::Retrying { .. } => *self = Self::default(),
        }
    }

    fn open(&mut self, index: usize, start: impl FnOnce() -> Block) -> &mut Block {
        let fresh = || Partial { block: start(), ended: false };
        &mut self.blocks.entry(index).or_insert_with(fresh).block
    }

    /// Block `index`, if it is complete.
    pub fn block(&self, index: usize) -> Option<&Block> {
        self.blocks.get(&index).filter(|partial| partial.ended).map(|partial| &partial.block)
    }

    /// Whether the model has said why it stopped.
    pub fn is_complete(&self) -> bool {
        self.stop.is_some()
    }

    /// The answer. Empty blocks are left out.
    ///
    /// Of an answer that never stopped, only text and whole thoughts are kept: a request to run a
    /// tool counts only in a whole answer. In an answer that reached its limit of tokens the last
    /// request may be cut off; its arguments are then no JSON, also where nothing of them came.
    pub fn finish(self) -> Answer {
        let complete = self.stop.is_some();
        let content = self
            .blocks
            .into_values()
            .filter_map(|partial| keep(partial.block, partial.ended, complete))
            .collect();
        Answer {
            message: Message { role: Role::Assistant, content },
            stop: self.stop.unwrap_or_else(|| StopReason::Other("incomplete".to_owned())),
            usage: self.usage,
        }
    }
}

fn empty_thought() -> Block {
    Block::Thinking { text: String::new(), signature: None }
}

fn keep(block: Block, ended: bool, complete: bool) -> Option<Block> {
    match block {
        Block::Text { text } => (!text.is_empty()).then_some(Block::Text { text }),
        Block::Thinking { text, signature } => {
            let whole = complete || ended;
            let empty = text.is_empty() && signature.is_none();
            (whole && !empty).then_some(Block::Thinking { text, signature })
        }
        Block::ToolUse { id, name, mut arguments } => {
            // Blank arguments of a whole block mean none; those of a block that was cut off before
            // they began must not be taken for that.
            if !ended && wire::is_blank(&arguments) {
                arguments.push('{');
            }
            complete.then_some(Block::ToolUse { id, name, arguments })
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
