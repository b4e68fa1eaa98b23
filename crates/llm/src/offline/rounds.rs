//! What has happened since the person asked.

use crate::message::{Block, Message, ResultPart, Role};

/// One call that was made, and how it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) name: String,
    pub(super) arguments: String,
    /// The text of the result.
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Done {
    /// One of its arguments.
    pub(super) fn argument(&self, name: &str) -> Option<String> {
        let arguments: serde_json::Value = serde_json::from_str(&self.arguments).ok()?;
        arguments.get(name)?.as_str().map(str::to_owned)
    }
}

/// What the person asked last, and the calls since, turn by turn.
pub(super) fn since_asked(messages: &[Message]) -> (String, Vec<Vec<Done>>) {
    let asked = messages
        .iter()
        .rposition(|message| message.role == Role::User && !text_of(message).trim().is_empty());
    let Some((task, rest)) = asked.and_then(|at| messages.get(at..)?.split_first()) else {
        return (String::new(), Vec::new());
    };
    let results: Vec<&Block> = rest.iter().flat_map(|message| &message.content).collect();
    let rounds = rest
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .map(|message| message.content.iter().filter_map(|block| done(block, &results)).collect())
        .filter(|round: &Vec<Done>| !round.is_empty())
        .collect();
    (text_of(task), rounds)
}

fn done(block: &Block, results: &[&Block]) -> Option<Done> {
    let Block::ToolUse { id, name, arguments } = block else {
        return None;
    };
    let answer = results.iter().find_map(|block| match block {
        Block::ToolResult { tool_use_id, content, is_error } if tool_use_id == id => {
            Some((result_text(content), *is_error))
        }
        _ => None,
    });
    let (text, is_error) = answer.unwrap_or_else(|| ("no result came".to_owned(), true));
    Some(Done { name: name.clone(), arguments: arguments.clone(), text, is_error })
}

fn result_text(content: &[ResultPart]) -> String {
    let text = |part: &ResultPart| match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Image { media_type, .. } => format!("[{media_type}]"),
    };
    content.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn text_of(message: &Message) -> String {
    let text = |block: &Block| match block {
        Block::Text { text } => Some(text.clone()),
        _ => None,
    };
    message.content.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}
