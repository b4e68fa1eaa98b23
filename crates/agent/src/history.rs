//! The conversation as the model is told it, valid at every moment.

use std::collections::HashSet;

use callgate_llm::{Block, Message, Role};

/// The messages of a session. After each change every tool request of the past has its answer, ids
/// are unique, and the roles take turns, so that any provider accepts it.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Message>,
    ids: HashSet<String>,
}

impl History {
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds what the person or the tools say; two in a row become one message.
    pub(crate) fn push_user(&mut self, content: Vec<Block>) {
        match self.messages.last_mut() {
            Some(last) if last.role == Role::User => last.content.extend(content),
            _ => self.messages.push(Message { role: Role::User, content }),
        }
    }

    /// Adds what the model said. An answer without content is dropped: providers refuse it in a
    /// later request.
    pub(crate) fn push_assistant(&mut self, message: Message) {
        if !message.content.is_empty() {
            self.messages.push(message);
        }
    }

    /// Gives each tool request an id that no other of the session has. Providers repeat ids, and a
    /// history with one id twice is refused for good.
    pub(crate) fn make_ids_unique(&mut self, message: &mut Message) {
        for block in &mut message.content {
            if let Block::ToolUse { id, .. } = block {
                let wanted = if id.is_empty() { "call".to_owned() } else { std::mem::take(id) };
                let mut unique = wanted.clone();
                let mut number = 2_u64;
                while !self.ids.insert(unique.clone()) {
                    unique = format!("{wanted}_{number}");
                    number += 1;
                }
                *id = unique;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool_use(id: &str) -> Block {
        Block::ToolUse { id: id.to_owned(), name: "x".to_owned(), arguments: String::new() }
    }

    fn ids(message: &Message) -> Vec<&str> {
        message
            .content
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse { id, .. } => Some(id.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_repeated_id_becomes_unique_within_a_message_and_over_turns() {
        let mut history = History::default();
        let mut first = Message {
            role: Role::Assistant,
            content: vec![tool_use("call_1"), tool_use("call_1"), tool_use(""), tool_use("")],
        };
        history.make_ids_unique(&mut first);
        assert_eq!(ids(&first), ["call_1", "call_1_2", "call", "call_2"]);

        let mut second = Message { role: Role::Assistant, content: vec![tool_use("call_1")] };
        history.make_ids_unique(&mut second);
        assert_eq!(ids(&second), ["call_1_3"]);
    }

    #[test]
    fn two_things_said_by_the_person_in_a_row_become_one_message() {
        let mut history = History::default();
        history.push_user(vec![Block::Text { text: "a".to_owned() }]);
        history.push_assistant(Message { role: Role::Assistant, content: Vec::new() });
        history.push_user(vec![Block::Text { text: "b".to_owned() }]);
        assert_eq!(history.messages().len(), 1);
        assert_eq!(history.messages()[0].content.len(), 2);
    }
}
