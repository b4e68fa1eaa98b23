//! The configuration: layers of files, variables and flags, each value with its source.
//!
//! The only place that knows figment. Later layers win: defaults, the person's file, the project's
//! file (only what narrows, only if trusted), `CALLGATE_…` variables, flags.

mod error;
mod faults;
mod file;
mod keys;
mod layer;
mod paths;
mod project;
mod show;
#[cfg(test)]
mod tests;
pub(crate) mod trust;

use std::path::{Path, PathBuf};

use callgate_agent::{PermissionMode, Rule, Settings};
use callgate_dispatch::SchedulePolicy;
use callgate_exec::{CaptureOptions, SpillLimits};
use figment::{
    Figment,
    providers::{Env, Serialized},
};
use layer::Layer;
use serde::{Deserialize, Serialize};

pub(crate) use error::ConfigError;
pub(crate) use keys::{Key, VARIABLES as KEY_VARIABLES, variable};
pub(crate) use paths::Paths;
pub(crate) use project::PROJECT_FILE;
pub(crate) use show::show;

/// Everything that can be configured, with the values in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Who answers. Chosen by the keys that are there if it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<ProviderName>,
    /// The model; the provider's default if it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// The server that speaks the provider's wire format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_url: Option<String>,
    /// A file that holds the key and nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// What happens to a call that no rule decides.
    pub(crate) permission_mode: PermissionMode,
    /// Rules that allow.
    pub(crate) allow: Vec<String>,
    /// Rules that deny; they win.
    pub(crate) deny: Vec<String>,
    /// Which calls of a batch may run at the same time.
    pub(crate) policy: SchedulePolicy,
    /// How many calls may run at the same time.
    pub(crate) max_parallel: usize,
    /// How many answers of the model a task may take.
    pub(crate) max_turns: u32,
    /// What a command's environment takes along.
    pub(crate) env: EnvConfig,
    /// How commands run.
    pub(crate) bash: BashConfig,
    /// How much output comes back, and how much is kept.
    pub(crate) output: OutputConfig,
}

/// A wire format, or the model that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProviderName {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions.
    Openai,
    /// `OpenAI` Responses.
    OpenaiResponses,
    /// Gemini.
    Gemini,
    /// The model that is built in.
    Offline,
}

/// The environment of commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvConfig {
    /// Names that are taken along besides the allow-list that is built in; `PREFIX*` is allowed.
    #[serde(default)]
    pub(crate) allow: Vec<String>,
}

/// Commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BashConfig {
    /// Milliseconds that a command may take if the call does not say.
    pub(crate) timeout_ms: u64,
}

/// Outputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutputConfig {
    /// Bytes up to which an output is returned whole.
    pub(crate) threshold_bytes: usize,
    /// Characters of the beginning that a preview has.
    pub(crate) head_chars: usize,
    /// Characters of the end that a preview has.
    pub(crate) tail_chars: usize,
    /// Bytes that one call may keep on disk.
    pub(crate) per_call_bytes: u64,
    /// Bytes that one session may keep on disk.
    pub(crate) per_session_bytes: u64,
    /// Bytes of free disk below which nothing more is kept.
    pub(crate) free_floor_bytes: u64,
    /// Days after which a kept output is swept.
    pub(crate) max_age_days: u64,
    /// Bytes of all kept outputs past which the oldest are swept.
    pub(crate) max_total_bytes: u64,
}

impl Default for Config {
    /// What the crates below do unless told otherwise, so that each number stands once.
    fn default() -> Self {
        let (capture, limits) = (CaptureOptions::default(), SpillLimits::default());
        Self {
            provider: None,
            model: None,
            base_url: None,
            api_key_file: None,
            permission_mode: PermissionMode::default(),
            allow: Vec::new(),
            deny: Vec::new(),
            policy: SchedulePolicy::default(),
            max_parallel: Settings::MAX_PARALLEL,
            max_turns: Settings::MAX_TURNS,
            env: EnvConfig::default(),
            bash: BashConfig {
                timeout_ms: u64::try_from(Settings::BASH_TIMEOUT.as_millis()).unwrap_or(u64::MAX),
            },
            output: OutputConfig {
                threshold_bytes: capture.threshold_bytes,
                head_chars: capture.head_chars,
                tail_chars: capture.tail_chars,
                per_call_bytes: limits.per_call,
                per_session_bytes: limits.per_session,
                free_floor_bytes: limits.free_floor,
                max_age_days: 14,
                max_total_bytes: 64 * 1024 * 1024 * 1024,
            },
        }
    }
}

/// The keys that a `CALLGATE_…` variable may set. A list, so that another variable of that prefix
/// (`CALLGATE_HOME`, `CALLGATE_API_KEY`, somebody else's) is no configuration.
const VARIABLES: &[&str] = &[
    "provider",
    "model",
    "base_url",
    "api_key_file",
    "permission_mode",
    "allow",
    "deny",
    "policy",
    "max_parallel",
    "max_turns",
    "env.allow",
    "bash.timeout_ms",
    "output.threshold_bytes",
    "output.head_chars",
    "output.tail_chars",
    "output.per_call_bytes",
    "output.per_session_bytes",
    "output.free_floor_bytes",
    "output.max_age_days",
    "output.max_total_bytes",
];

/// What the command line says about the configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overrides {
    /// `--config FILE`: read in place of the person's file.
    pub(crate) file: Option<PathBuf>,
    /// `-c KEY=VALUE`.
    pub(crate) pairs: Vec<String>,
    /// Values of named flags, by key, as TOML values. Lists add to what the layers below have.
    pub(crate) flags: Vec<(&'static str, toml::Value)>,
}

/// A configuration with what is to be said about it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values in force.
    pub(crate) config: Config,
    /// The layers, for telling where a value is from.
    pub(crate) figment: Figment,
    /// Rules that allow, read.
    pub(crate) allow: Vec<Rule>,
    /// Rules that deny, read.
    pub(crate) deny: Vec<Rule>,
    /// What the person should know.
    pub(crate) warnings: Vec<String>,
}

/// Reads all layers.
pub(crate) fn load(
    paths: &Paths,
    cwd: &Path,
    overrides: &Overrides,
) -> Result<Loaded, ConfigError> {
    let mut figment = Figment::from(Serialized::defaults(Config::default()));
    let user_file = match &overrides.file {
        Some(file) if !file.is_file() => return Err(ConfigError::Missing(file.clone())),
        Some(file) => file.clone(),
        None => paths.config_file(),
    };
    if let Some(text) = file::read(&user_file, None)? {
        parse(&user_file, &text)?;
        figment = figment.merge(Layer::file("the person's file", &user_file, text));
    }
    // Checked before the project may narrow, so that a fault is blamed on the right file.
    extract(&figment)?;
    let mut warnings = Vec::new();
    if let Some(project) = project::read(cwd, &figment, paths, &mut warnings)? {
        figment = figment.admerge(project);
    }
    figment = figment.merge(variables());
    for pair in &overrides.pairs {
        figment = figment.merge(pair_layer(pair)?);
    }
    for (key, value) in &overrides.flags {
        let layer =
            Layer::named(format!("--{}", key.replace('_', "-")), format!("{key} = {value}"));
        // Lists grow, single values are replaced.
        figment = figment.admerge(layer);
    }
    let config = extract(&figment)?;
    let allow = rules(&config.allow)?;
    let deny = rules(&config.deny)?;
    check(&config)?;
    Ok(Loaded { config, figment, allow, deny, warnings })
}

fn variables() -> Env {
    Env::prefixed("CALLGATE_").map(|key| key.as_str().replace("__", ".").into()).only(VARIABLES)
}

fn parse(path: &Path, text: &str) -> Result<toml::Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = error
            .span()
            .map(|span| text.bytes().take(span.start).filter(|&b| b == b'\n').count() + 1);
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        ConfigError::Toml {
            path: path.to_owned(),
            message: format!("{place}{}", error.message().trim()),
        }
    })
}

fn pair_layer(pair: &str) -> Result<Layer, ConfigError> {
    let malformed = || ConfigError::Pair(pair.to_owned());
    let (key, value) = pair.split_once('=').ok_or_else(malformed)?;
    let key = key.trim();
    let bare = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    if !key.split('.').all(bare) {
        return Err(malformed());
    }
    // A value that is no TOML is a text: `-c model=m` needs no quotes.
    let document = format!("{key} = {value}");
    let layer = match document.parse::<toml::Table>() {
        Ok(_) => document,
        Err(_) => format!("{key} = {}", toml::Value::String(value.trim().to_owned())),
    };
    Ok(Layer::named("-c", layer))
}

fn extract(figment: &Figment) -> Result<Config, ConfigError> {
    figment.extract().map_err(|error| ConfigError::Value(Box::new(error)))
}

fn rules(texts: &[String]) -> Result<Vec<Rule>, ConfigError> {
    texts.iter().map(|text| text.parse().map_err(ConfigError::Rule)).collect()
}

fn check(config: &Config) -> Result<(), ConfigError> {
    let positive = |key: &'static str, value: u64| match value {
        0 => Err(ConfigError::Zero(key)),
        _ => Ok(()),
    };
    positive("max_parallel", config.max_parallel as u64)?;
    positive("max_turns", u64::from(config.max_turns))?;
    positive("bash.timeout_ms", config.bash.timeout_ms)?;
    match &config.base_url {
        Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => {
            Err(ConfigError::BaseUrl(url.clone()))
        }
        _ => Ok(()),
    }
}
