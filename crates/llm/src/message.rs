//! The conversation, free of any provider's wire format.

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, and the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Vec<Block>,
}

impl Message {
    /// What a person typed.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: vec![Block::Text { text: text.into() }] }
    }
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// What a model thought before it spoke.
    Thinking {
        /// The thought.
        text: String,
        /// The provider's proof that the thought is its own; must go back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A thought that the provider hides, as an opaque text that must go back unchanged.
    RedactedThinking {
        /// The opaque text.
        data: String,
    },
    /// A model's request to run a tool.
    ToolUse {
        /// The id that pairs it with its result.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments as the text that came over the wire; it may be cut off.
        arguments: String,
    },
    /// The answer to a [`Block::ToolUse`].
    ToolResult {
        /// The id of the request.
        tool_use_id: String,
        /// What the tool answered.
        content: Vec<ResultPart>,
        /// Whether it failed.
        is_error: bool,
    },
    /// An image from the person.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in Base64.
        data: String,
    },
}

/// One part of a tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in Base64.
        data: String,
    },
}

/// What a turn cost, in tokens. Providers report the parts they know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, without those from the cache.
    pub input_tokens: u64,
    /// Tokens written, thoughts included.
    pub output_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
    }
}
