//! Why a configuration can't be used.

use std::{io, path::PathBuf};

use callgate_agent::RuleError;
use thiserror::Error;

/// Why a configuration can't be used. Each message names the place and the mend.
#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("there is no file {0}, which --config names")]
    Missing(PathBuf),
    #[error("{path} can't be read", path = path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is no TOML; mend it or move it away", path = path.display())]
    NotUtf8 { path: PathBuf, source: std::str::Utf8Error },
    #[error("{path} is no TOML: {message}", path = path.display())]
    Toml { path: PathBuf, message: String },
    #[error("{path} is no file of this directory; a project's configuration must be", path = .0.display())]
    Elsewhere(PathBuf),
    #[error("{path} is no regular file; a configuration must be one", path = .0.display())]
    NoFile(PathBuf),
    #[error("{path} has more than {limit} bytes; a configuration has a few hundred", path = path.display())]
    TooLong { path: PathBuf, limit: u64 },
    #[error("{}", super::faults::words(.0))]
    Value(Box<figment::Error>),
    #[error("`{0}` is no base URL; it starts with http:// or https://")]
    BaseUrl(String),
    #[error("`-c {0}` is no setting; write -c KEY=VALUE, such as -c output.head_chars=4000")]
    Pair(String),
    #[error("{0}")]
    Rule(RuleError),
    #[error("`{0}` must be at least 1")]
    Zero(&'static str),
    #[error("neither HOME nor CALLGATE_HOME is set, so there is no place for state; set one")]
    NoHome(#[source] etcetera::HomeDirError),
    #[error("the key file {path} can't be read", path = path.display())]
    KeyFile { path: PathBuf, source: io::Error },
    #[error("the key file {path} can be read by others; run: chmod 600 {path}", path = .0.display())]
    KeyFileOpen(PathBuf),
    #[error("{0}")]
    Provider(String),
    #[error("the provider can't be used")]
    Unusable(#[source] callgate_llm::LlmError),
    #[error("the trust file {path} is damaged: {message}; mend it or remove it", path = path.display())]
    Trust { path: PathBuf, message: String },
}
