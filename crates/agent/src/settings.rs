//! Everything that can be set about a session.

use std::{path::PathBuf, time::Duration};

use callgate_dispatch::SchedulePolicy;
use callgate_exec::{CaptureOptions, Environment, SpillLimits};

use crate::permission::{PermissionMode, Rule};

/// Everything that can be set about a session. Start from [`Settings::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The working directory.
    pub cwd: PathBuf,
    /// Where spilled outputs are kept.
    pub outputs_dir: PathBuf,
    /// Where transcripts are kept; none are, if this is `None`.
    pub sessions_dir: Option<PathBuf>,
    /// What happens to a call that no rule decides.
    pub permission_mode: PermissionMode,
    /// Rules that allow.
    pub allow: Vec<Rule>,
    /// Rules that deny; they win.
    pub deny: Vec<Rule>,
    /// Which calls of a batch may run at the same time.
    pub policy: SchedulePolicy,
    /// How many calls may run at the same time.
    pub max_parallel: usize,
    /// How many answers of the model a task may take.
    pub max_turns: u32,
    /// What commands take along.
    pub environment: Environment,
    /// How long a command may take if its call does not say.
    pub bash_timeout: Duration,
    /// How much output is returned.
    pub capture: CaptureOptions,
    /// How much output is kept.
    pub spill_limits: SpillLimits,
}

impl Settings {
    /// Calls that run at the same time, unless set: enough to keep a machine's disks and cores busy.
    pub const MAX_PARALLEL: usize = 16;
    /// Answers of the model that a task may take, unless set: far more than a task that gets anywhere.
    pub const MAX_TURNS: u32 = 100;
    /// How long a command may take, unless its call or the person says: most builds and tests.
    pub const BASH_TIMEOUT: Duration = Duration::from_mins(2);

    /// The defaults of the design for a working directory, with outputs kept in `outputs_dir` and no
    /// transcript.
    pub fn new(cwd: impl Into<PathBuf>, outputs_dir: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            outputs_dir: outputs_dir.into(),
            sessions_dir: None,
            permission_mode: PermissionMode::default(),
            allow: Vec::new(),
            deny: Vec::new(),
            policy: SchedulePolicy::default(),
            max_parallel: Self::MAX_PARALLEL,
            max_turns: Self::MAX_TURNS,
            environment: Environment::inherit_allowed(),
            bash_timeout: Self::BASH_TIMEOUT,
            capture: CaptureOptions::default(),
            spill_limits: SpillLimits::default(),
        }
    }
}
