//! What a session works with, opened once: tools, spill store, rules.

use std::sync::Arc;

use callgate_dispatch::{Call, Dispatcher, ToolResult};
use callgate_exec::SpillStore;
use callgate_registry::{Registry, Snapshot};

use crate::{
    batch,
    bound::SpillBound,
    control::Control,
    emitter::{Emitter, Sink},
    error::AgentError,
    permission::{Approvals, PermissionMode},
    settings::Settings,
};

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
        check_rules(&settings, &registry.snapshot())?;
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
        let approvals = self.approvals_in(mode).named_by_the_person();
        let dispatcher = self.dispatcher(Arc::new(approvals));
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

/// A rule that can never hold protects nobody, so it is a fault. Tools of servers may come later.
fn check_rules(settings: &Settings, ledger: &Snapshot) -> Result<(), AgentError> {
    for rule in settings.allow.iter().chain(&settings.deny) {
        let tool = rule.tool();
        if tool != "*" && !tool.starts_with("mcp__") && ledger.get(tool).is_none() {
            let mut nearest = ledger.nearest(&tool.to_lowercase());
            if nearest.is_empty() {
                nearest = ledger.names().collect();
            }
            return Err(AgentError::UnknownTool {
                rule: rule.to_string(),
                nearest: nearest.join(" or "),
            });
        }
    }
    Ok(())
}
