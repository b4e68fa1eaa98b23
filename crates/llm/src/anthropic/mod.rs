//! Anthropic Messages, and what speaks it on another address.

mod request;
mod stream;

use std::sync::Arc;

use reqwest::header::HeaderName;
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
    default_base: "https://api.anthropic.com",
    path: "/messages",
    path_has_version: false,
};

/// The version of the wire format that is spoken.
const VERSION: &str = "2023-06-01";

/// A provider that speaks Anthropic Messages.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Arc<Endpoint>,
}

impl Anthropic {
    /// A provider; nothing is opened before the first request.
    ///
    /// # Errors
    ///
    /// [`LlmError::Configuration`] if the base URL or the key can't be used.
    pub fn new(options: HttpOptions) -> Result<Self, LlmError> {
        let endpoint = Endpoint::new(options, LOCATION, |key| {
            (HeaderName::from_static("x-api-key"), SecretString::from(key))
        })?;
        let endpoint = Arc::new(endpoint.with_header("anthropic-version", VERSION));
        Ok(Self { endpoint })
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.endpoint.options().model
    }

    fn tool_format(&self) -> ToolFormat {
        ToolFormat::Anthropic
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let model = self.model().to_owned();
        http::stream::<StreamState>(self.endpoint.clone(), request, move |request| {
            build_request(&model, request)
        })
    }
}
