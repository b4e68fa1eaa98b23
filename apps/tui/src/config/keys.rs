//! Keys: where one is looked for, and which was found.

use std::{fmt, os::unix::fs::PermissionsExt as _, path::Path};

use secrecy::SecretString;

use super::{Config, ConfigError, ProviderName};

/// Where a key came from. Never the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// An environment variable.
    Variable(&'static str),
    /// The file that `api_key_file` names.
    File(String),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => write!(f, "the file {path}"),
        }
    }
}

/// A key with its source.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) secret: SecretString,
    pub(crate) source: KeySource,
}

/// Every variable that may hold a key.
pub(crate) const VARIABLES: &[&str] =
    &["CALLGATE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

const fn variables_of(provider: ProviderName) -> &'static [&'static str] {
    match provider {
        ProviderName::Anthropic => &["CALLGATE_API_KEY", "ANTHROPIC_API_KEY"],
        ProviderName::Openai | ProviderName::OpenaiResponses => {
            &["CALLGATE_API_KEY", "OPENAI_API_KEY"]
        }
        ProviderName::Gemini => &["CALLGATE_API_KEY", "GEMINI_API_KEY"],
        ProviderName::Offline => &[],
    }
}

impl Key {
    /// The key for a provider, if there is one: from the file that is named, else from a variable.
    pub(crate) fn find(
        provider: ProviderName,
        config: &Config,
    ) -> Result<Option<Self>, ConfigError> {
        if let Some(path) = &config.api_key_file {
            return Self::from_file(path).map(Some);
        }
        Ok(variables_of(provider).iter().find_map(|&name| {
            let value = variable(name)?;
            Some(Self { secret: value.into(), source: KeySource::Variable(name) })
        }))
    }

    fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let failed = |source| ConfigError::KeyFile { path: path.to_owned(), source };
        let mode = path.metadata().map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(ConfigError::KeyFileOpen(path.to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Ok(Self {
            secret: text.trim().to_owned().into(),
            source: KeySource::File(path.display().to_string()),
        })
    }
}

/// A variable that is set and not blank.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}
