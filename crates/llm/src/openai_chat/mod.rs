//! `OpenAI` Chat Completions, and the many servers that speak it.

mod request;
mod stream;
mod tool_slots;

use std::sync::Arc;

use reqwest::header::AUTHORIZATION;
use secrecy::SecretString;

pub use request::build_request;
pub use stream::StreamState;

use crate::{
    error::LlmError,
    http::{self, Endpoint, Location},
    options::HttpOptions,
    provider::{DeltaStream, Provider, Request, ToolFormat},
};

const LOCATION: Location = Location {
    default_base: "https://api.openai.com/v1",
    path: "/chat/completions",
    path_has_version: true,
};

/// The field that limits the answer.
///
/// `OpenAI`'s own newer models refuse the older name; most other servers know no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// A provider that speaks `OpenAI` Chat Completions.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    endpoint: Arc<Endpoint>,
}

impl OpenAiChat {
    /// A provider; nothing is opened before the first request.
    ///
    /// # Errors
    ///
    /// [`LlmError::Configuration`] if the base URL or the key can't be used.
    pub fn new(options: HttpOptions) -> Result<Self, LlmError> {
        let endpoint = Endpoint::new(options, LOCATION, |key| {
            (AUTHORIZATION, SecretString::from(format!("Bearer {key}")))
        })?;
        Ok(Self { endpoint: Arc::new(endpoint) })
    }

    fn limit_field(&self) -> LimitField {
        let host = self.endpoint.url().host_str().unwrap_or_default();
        if host == "api.openai.com" || host.ends_with(".openai.azure.com") {
            LimitField::MaxCompletionTokens
        } else {
            LimitField::MaxTokens
        }
    }
}

impl Provider for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &str {
        &self.endpoint.options().model
    }

    fn tool_format(&self) -> ToolFormat {
        ToolFormat::OpenAiChat
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let model = self.model().to_owned();
        let limit_field = self.limit_field();
        http::stream::<StreamState>(self.endpoint.clone(), request, move |request| {
            build_request(&model, limit_field, request)
        })
    }
}
