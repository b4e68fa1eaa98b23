//! What every command starts from: the directory, the configuration, the workbench, the model.

use std::{path::PathBuf, sync::Arc, time::Duration};

use callgate_agent::{Settings, Workbench};
use callgate_exec::{Environment, SpillLimits};
use callgate_llm::{Anthropic, HttpOptions, Offline, OpenAiChat, Provider};
use thiserror::Error;

use crate::{
    cli::args::Common,
    config::{self, ConfigError, Key, Loaded, Paths, ProviderName, variable},
};

/// The command line asks for what can't be.
#[derive(Debug, Error)]
pub(crate) enum UsageError {
    #[error("the directory {path} can't be used", path = path.display())]
    Cwd { path: PathBuf, source: std::io::Error },
    #[error(
        "--sandbox {0} is not there yet: commands run without a sandbox; say --sandbox full, or leave it out"
    )]
    Sandbox(String),
    #[error("{0}")]
    Other(String),
}

/// The base URLs of the providers themselves.
const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const OPENAI_URL: &str = "https://api.openai.com/v1";

/// Models that are asked if none is named.
const ANTHROPIC_MODEL: &str = "claude-sonnet-4-5";
const OPENAI_MODEL: &str = "gpt-5.1";

/// The common start.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) cwd: PathBuf,
    pub(crate) paths: Paths,
    pub(crate) loaded: Loaded,
}

/// A model, and what the person should know about the choice.
pub(crate) struct Chosen {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) notice: Option<String>,
}

impl Start {
    /// Reads the configuration. Opens nothing and asks nobody.
    pub(crate) fn prepare(common: &Common) -> anyhow::Result<Self> {
        let cwd = match &common.cwd {
            Some(path) => path.clone(),
            None => std::env::current_dir()
                .map_err(|source| UsageError::Cwd { path: PathBuf::from("."), source })?,
        };
        let cwd = cwd.canonicalize().map_err(|source| UsageError::Cwd { path: cwd, source })?;
        match common.sandbox.as_deref() {
            None | Some("full") => {}
            Some(profile @ ("read-only" | "workspace-write")) => {
                return Err(UsageError::Sandbox(profile.to_owned()).into());
            }
            Some(other) => {
                return Err(UsageError::Other(format!(
                    "there is no sandbox profile `{}`; say read-only, workspace-write or full",
                    other.escape_debug()
                ))
                .into());
            }
        }
        let paths = Paths::find()?;
        let loaded = config::load(&paths, &cwd, &common.overrides())?;
        Ok(Self { cwd, paths, loaded })
    }

    /// Warnings about the configuration, on standard error.
    pub(crate) fn warn(&self) {
        for warning in &self.loaded.warnings {
            crate::say(&format!("warning: {warning}"));
        }
    }

    /// Opens the tools.
    pub(crate) fn workbench(&self) -> anyhow::Result<Workbench> {
        crate::private_dir(self.paths.state())
            .map_err(|source| UsageError::Cwd { path: self.paths.state().to_owned(), source })?;
        Ok(Workbench::open(self.settings())?)
    }

    /// What commands take along.
    pub(crate) fn environment(&self) -> Environment {
        let inherited = Environment::from_vars(std::env::vars_os());
        let more = &self.loaded.config.env.allow;
        more.iter().fold(inherited, |environment, name| environment.allow(name))
    }

    fn settings(&self) -> Settings {
        let config = &self.loaded.config;
        let output = &config.output;
        let mut settings = Settings::new(self.cwd.clone(), self.paths.outputs());
        settings.sessions_dir = Some(self.paths.sessions());
        settings.permission_mode = config.permission_mode;
        settings.allow.clone_from(&self.loaded.allow);
        settings.deny.clone_from(&self.loaded.deny);
        settings.policy = config.policy;
        settings.max_parallel = config.max_parallel;
        settings.max_turns = config.max_turns;
        settings.environment = self.environment();
        settings.bash_timeout = Duration::from_millis(config.bash.timeout_ms);
        settings.capture.threshold_bytes = output.threshold_bytes;
        settings.capture.head_chars = output.head_chars;
        settings.capture.tail_chars = output.tail_chars;
        settings.spill_limits = SpillLimits {
            per_call: output.per_call_bytes,
            per_session: output.per_session_bytes,
            free_floor: output.free_floor_bytes,
        };
        settings
    }

    /// Chooses who answers: who is named, else whose key or server is there, else the offline model.
    pub(crate) fn provider(&self) -> anyhow::Result<Chosen> {
        let config = &self.loaded.config;
        let name = config.provider.unwrap_or_else(|| self.provider_by_what_is_there());
        match name {
            ProviderName::Offline => Ok(Chosen {
                provider: Arc::new(Offline::new()),
                notice: config.provider.is_none().then(|| OFFLINE_NOTICE.to_owned()),
            }),
            ProviderName::Anthropic => {
                let url = self.base_url("ANTHROPIC_BASE_URL", ANTHROPIC_URL);
                let options = self.http(name, "ANTHROPIC_API_KEY", url, ANTHROPIC_MODEL)?;
                let provider = Anthropic::new(options).map_err(ConfigError::Unusable)?;
                Ok(Chosen { provider: Arc::new(provider), notice: None })
            }
            ProviderName::Openai => {
                let url = self.base_url("OPENAI_BASE_URL", OPENAI_URL);
                let options = self.http(name, "OPENAI_API_KEY", url, OPENAI_MODEL)?;
                let provider = OpenAiChat::new(options).map_err(ConfigError::Unusable)?;
                Ok(Chosen { provider: Arc::new(provider), notice: None })
            }
            ProviderName::OpenaiResponses | ProviderName::Gemini => Err(ConfigError::Provider(
                "this version speaks anthropic, openai and offline; choose one with --provider"
                    .to_owned(),
            )
            .into()),
        }
    }

    fn provider_by_what_is_there(&self) -> ProviderName {
        let there = |names: &[&str]| names.iter().any(|name| variable(name).is_some());
        if there(&["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]) {
            ProviderName::Anthropic
        } else if self.loaded.config.base_url.is_some()
            || self.loaded.config.api_key_file.is_some()
            || there(&["OPENAI_API_KEY", "OPENAI_BASE_URL", "CALLGATE_API_KEY"])
        {
            // Whatever serves models on another URL speaks this format.
            ProviderName::Openai
        } else {
            ProviderName::Offline
        }
    }

    fn base_url(&self, name: &str, default: &str) -> String {
        let named = self.loaded.config.base_url.clone().or_else(|| variable(name));
        named.unwrap_or_else(|| default.to_owned())
    }

    fn http(
        &self,
        provider: ProviderName,
        key_variable: &str,
        url: String,
        model: &str,
    ) -> Result<HttpOptions, ConfigError> {
        let key = Key::find(provider, &self.loaded.config)?;
        let own_server = url != ANTHROPIC_URL && url != OPENAI_URL;
        if key.is_none() && !own_server {
            return Err(ConfigError::Provider(format!(
                "there is no key for {url}; set {key_variable}, or name a server with --base-url, \
                 or work without a key with --provider offline"
            )));
        }
        let model = self.loaded.config.model.clone().unwrap_or_else(|| model.to_owned());
        let (key, key_source) = match key {
            Some(key) => (Some(key.secret), key.source.to_string()),
            None => (None, String::new()),
        };
        Ok(HttpOptions { base_url: url, key, key_source, model, ..HttpOptions::default() })
    }
}

/// What the app says when nobody else answers.
pub(crate) const OFFLINE_NOTICE: &str = "no key and no server: the offline model answers. Set \
    ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server with --base-url";
