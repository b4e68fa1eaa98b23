//! How a provider is reached over HTTP.

use std::time::Duration;

use secrecy::SecretString;

/// How a provider is reached over HTTP.
///
/// The default reaches the provider's public address, without a key. There is deliberately no
/// option that weakens TLS, and none for a total time: a long answer is not a broken one.
///
/// ```
/// use callgate_llm::HttpOptions;
///
/// let options = HttpOptions {
///     base_url: "http://127.0.0.1:8080".to_owned(),
///     model: "local".to_owned(),
///     ..HttpOptions::default()
/// };
/// assert_eq!(options.max_attempts, 6);
/// ```
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where the provider is, with or without its version (`/v1`); its public address if empty.
    pub base_url: String,
    /// The key. Without one, no header is sent: local servers need none.
    pub key: Option<SecretString>,
    /// Where the key came from, for messages: `ANTHROPIC_API_KEY`, a file, a command.
    pub key_source: String,
    /// The model, in the provider's words.
    pub model: String,
    /// How long a connection may take to open. 10 seconds unless set.
    pub connect_timeout: Duration,
    /// How long nothing may come: before the answer begins, and between any two pieces of it.
    /// 300 seconds unless set, since a reasoning model, or a large prompt on a small machine, is
    /// silent for minutes before its first token.
    pub idle_timeout: Duration,
    /// How often a request is sent at most, the first time included; at least once. 6 unless set:
    /// with the back-off that is some 12 seconds.
    pub max_attempts: u32,
    /// The longest wait between two attempts. A provider that asks for more ends the request with
    /// [`LlmError::WaitTooLong`](crate::LlmError::WaitTooLong). 60 seconds unless set, since rates
    /// are limited by the minute.
    pub max_wait: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            key: None,
            key_source: String::new(),
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(5),
            max_attempts: 6,
            max_wait: Duration::from_mins(1),
        }
    }
}
