//! The commands, one file each.

pub(crate) mod args;
mod batch;
mod batch_input;
mod config_show;
mod doctor;
mod interrupt;
mod output;
mod printer;
mod run;
mod screen;
mod tools;
mod trust;

use std::process::ExitCode;

use args::{Cli, Command, ConfigCommand};

use crate::{config::ConfigError, start::Start};

/// How a command ended; the numbers are the outside contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    Usage,
    Provider,
    Limit,
    Interrupted,
    /// A signal ended the app; 128 and its number.
    Signal(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Provider => 3,
            Exit::Limit => 4,
            Exit::Interrupted => 130,
            Exit::Signal(code) => code,
        })
    }
}

impl From<callgate_agent::Outcome> for Exit {
    fn from(outcome: callgate_agent::Outcome) -> Self {
        use callgate_agent::Outcome;
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::ProviderFailed => Self::Provider,
            Outcome::LimitReached => Self::Limit,
            Outcome::Interrupted => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

/// Runs what the command line asks for.
pub(crate) async fn run(cli: Cli) -> anyhow::Result<Exit> {
    let start = Start::prepare(&cli.common)?;
    let format = cli.common.output_format;
    match cli.command {
        None => screen::run(start).await,
        Some(Command::Run { prompt }) => run::run(start, prompt, format).await,
        Some(Command::Call { name, arguments }) => {
            batch::call(start, name, arguments, format).await
        }
        Some(Command::Batch { file }) => batch::batch(start, file, format).await,
        Some(Command::Tools(tools)) => tools::run(&start, &tools),
        Some(Command::Output(output)) => output::run(&start, &output),
        Some(Command::Config(ConfigCommand::Show)) => config_show::run(&start),
        Some(Command::Trust) => trust::run(&start),
        Some(Command::Doctor { json }) => doctor::run(&start, json),
    }
}

/// The exit code of an error that ended a command before its work began.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    let usage = error.is::<ConfigError>()
        || error.is::<batch_input::BatchInputError>()
        || error.is::<crate::start::UsageError>()
        || error.is::<callgate_agent::AgentError>();
    if usage { Exit::Usage } else { Exit::Failed }
}
