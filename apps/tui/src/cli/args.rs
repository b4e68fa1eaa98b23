//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::{Overrides, ProviderName};

/// A tool layer for an AI agent, in your terminal: what a model asks for is found, checked, run and
/// answered correctly.
#[derive(Debug, Parser)]
#[command(name = "callgate", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do; without one, the full-screen app.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Work on one task without a screen.
    Run {
        /// The task; `-` reads it from standard input.
        prompt: Option<String>,
    },
    /// Dispatch one call, with no model.
    Call {
        /// The tool.
        name: String,
        /// Its arguments as JSON.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Dispatch a batch of calls, with no model.
    Batch {
        /// A file with the calls as JSON; standard input if it is `-` or not given.
        file: Option<PathBuf>,
    },
    /// The ledger of tools.
    #[command(subcommand)]
    Tools(Tools),
    /// Outputs that were too long to be returned whole.
    #[command(subcommand)]
    Output(Output),
    /// The configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Trust the project's configuration as it is now.
    Trust,
    /// What this machine guarantees.
    Doctor {
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
}

/// The ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Lists the tools.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
        /// As a wire format sees them.
        #[arg(long, value_name = "anthropic|openai|openai-strict|gemini|mcp")]
        dialect: Option<String>,
    },
}

/// Spilled outputs.
#[derive(Debug, Subcommand)]
pub(crate) enum Output {
    /// Lists them, newest first.
    List {
        /// As one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Prints lines of one.
    Show {
        /// Its id.
        id: String,
        /// The first line, from 1.
        #[arg(long, default_value_t = 1)]
        offset: u64,
        /// How many lines; all if not given.
        #[arg(long)]
        limit: Option<u64>,
    },
    /// Prints the lines of one that match.
    Grep {
        /// Its id.
        id: String,
        /// A regular expression.
        pattern: String,
        /// Whether letter case is ignored.
        #[arg(short, long)]
        ignore_case: bool,
    },
    /// Removes old ones.
    Sweep {
        /// Those older than this many days; the configured age if not given.
        #[arg(long)]
        max_age_days: Option<u64>,
        /// The oldest, until all that is left has at most this many bytes.
        #[arg(long)]
        max_total_bytes: Option<u64>,
    },
}

/// The configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// The values in force, each with what set it.
    Show,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people: the final answer.
    #[default]
    Text,
    /// One object: the last event.
    Json,
    /// Every event, one object a line.
    StreamJson,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Who answers.
    #[arg(long, global = true, value_enum)]
    provider: Option<ProviderName>,
    /// The model.
    #[arg(long, global = true)]
    model: Option<String>,
    /// The server that speaks the provider's wire format.
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
    /// The directory to work in.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// What happens to a call that no rule decides.
    #[arg(long, global = true, value_name = "ask|auto-edit|full-auto|read-only")]
    permission_mode: Option<String>,
    /// Allow what the rule names, such as 'bash(cargo test *)'; may be repeated.
    #[arg(long, global = true, value_name = "RULE")]
    allow: Vec<String>,
    /// Deny what the rule names; wins over all that allows; may be repeated.
    #[arg(long, global = true, value_name = "RULE")]
    deny: Vec<String>,
    /// What commands may touch. Only `full` (no sandbox) is there yet.
    #[arg(long, global = true, value_name = "read-only|workspace-write|full")]
    pub(crate) sandbox: Option<String>,
    /// Which calls of a batch may run at the same time.
    #[arg(long, global = true, value_name = "sequential|all-or-nothing|conflicts")]
    policy: Option<String>,
    /// How many calls may run at the same time.
    #[arg(long, global = true, value_name = "N")]
    max_parallel: Option<u32>,
    /// How many answers of the model the task may take.
    #[arg(long, global = true, value_name = "N")]
    max_turns: Option<u32>,
    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(crate) output_format: OutputFormat,
    /// A configuration file to read in place of yours.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set one value of the configuration; may be repeated.
    #[arg(short = 'c', global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Common {
    /// What the flags say about the configuration.
    pub(crate) fn overrides(&self) -> Overrides {
        let mut flags = Vec::new();
        let mut text = |key: &'static str, value: Option<String>| {
            flags.extend(value.map(|value| (key, toml::Value::String(value))));
        };
        text(
            "provider",
            self.provider.and_then(|p| Some(p.to_possible_value()?.get_name().to_owned())),
        );
        text("model", self.model.clone());
        text("base_url", self.base_url.clone());
        text("permission_mode", self.permission_mode.clone());
        text("policy", self.policy.clone());
        for (key, number) in [("max_parallel", self.max_parallel), ("max_turns", self.max_turns)] {
            flags.extend(number.map(|number| (key, toml::Value::Integer(number.into()))));
        }
        for (key, rules) in [("allow", &self.allow), ("deny", &self.deny)] {
            if !rules.is_empty() {
                let rules = rules.iter().cloned().map(toml::Value::String).collect();
                flags.push((key, toml::Value::Array(rules)));
            }
        }
        Overrides { file: self.config.clone(), pairs: self.set.clone(), flags }
    }
}
