//! What a session works with, opened once: tools, spill store, rules.

use std::{path::PathBuf, sync::Arc, time::Duration};

use callgate_dispatch::{Call, Dispatcher, SchedulePolicy, ToolResult};
use callgate_exec::{CaptureOptions, Environment, SpillLimits, SpillStore};
use callgate_registry::Registry;

use crate::{
    batch,
    bound::SpillBound,
    control::Control,
    emitter::{Emitter, Sink},
    error::AgentError,
    permission::{Approvals, PermissionMode, Rule},
};

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
            max_parallel: 16,
            max_turns: 100,
            environment: Environment::inherit_allowed(),
            bash_timeout: Duration::from_mins(2),
            capture: CaptureOptions::default(),
            spill_limits: SpillLimits::default(),
        }
    }
}

/// Tools, spill store and rules, ready for sessions.
#[derive(Debug)]
pub struct Workbench {
    settings: Settings,
    registry: Arc<Registry>,
    spills: Arc<SpillStore>,
}

impl Workbench {
    /// Opens the spill store and puts the built-in tools on the ledger.
    ///
    /// # Errors
    /// The working directory or the spill directory can't be used.
    pub fn open(mut settings: Settings) -> Result<Self, AgentError> {
        settings.cwd = settings
            .cwd
            .canonicalize()
            .map_err(|source| AgentError::Cwd { path: settings.cwd.clone(), source })?;
        let spills = SpillStore::open(settings.outputs_dir.clone(), settings.spill_limits)
            .map(Arc::new)
            .map_err(AgentError::Spills)?;
        let registry = Arc::new(Registry::new());
        registry.register_all(crate::builtin::tools(&settings, &spills)?)?;
        Ok(Self { settings, registry, spills })
    }

    /// What it was opened with.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The ledger; tools may be added while sessions run.
    pub const fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The spilled outputs.
    pub const fn spills(&self) -> &Arc<SpillStore> {
        &self.spills
    }

    /// Dispatches calls that the person wrote. Writing them was the approval, so only rules that
    /// deny, and the mode `read-only`, keep one from running.
    pub async fn run_batch(
        &self,
        calls: Vec<Call>,
        sinks: Vec<Sink>,
        control: &Control,
    ) -> Vec<ToolResult> {
        let mode = match self.settings.permission_mode {
            PermissionMode::ReadOnly => PermissionMode::ReadOnly,
            _ => PermissionMode::FullAuto,
        };
        let dispatcher = self.dispatcher(Arc::new(self.approvals_in(mode)));
        let emitter = Emitter::new(crate::session_id::new(), sinks);
        let runner = batch::Runner { dispatcher: &dispatcher, emitter: &emitter, control };
        runner.run(self.registry.snapshot(), calls, 1).await
    }

    pub(crate) fn approvals(&self, interactive: bool) -> Approvals {
        self.approvals_in(self.settings.permission_mode).interactive(interactive)
    }

    fn approvals_in(&self, mode: PermissionMode) -> Approvals {
        let Settings { cwd, allow, deny, .. } = &self.settings;
        Approvals::new(cwd.clone(), mode, allow.clone(), deny.clone())
    }

    pub(crate) fn dispatcher(&self, gate: Arc<Approvals>) -> Dispatcher {
        Dispatcher::new(Arc::clone(&self.registry))
            .with_gate(gate)
            .with_output_bound(Arc::new(SpillBound(Arc::clone(&self.spills))))
            .with_policy(self.settings.policy)
            .with_max_parallel(self.settings.max_parallel)
    }
}
