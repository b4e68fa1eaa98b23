//! What all built-in tools share.

use std::{sync::Arc, time::Duration};

use callgate_exec::{CaptureOptions, Environment, SpillInfo, SpillStore};
use callgate_registry::{Annotations, Spill, ToolSpec};

use crate::{Workspace, bash, edit_file, glob, grep, read_file, read_output, write_file};

/// How long a command may run that names no limit. Long enough for most builds and tests.
const DEFAULT_BASH_TIMEOUT: Duration = Duration::from_mins(2);

/// The hints of a tool that looks at this machine and changes nothing.
pub(crate) const LOOKS_ONLY: Annotations =
    Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

/// What all built-in tools share: where they work, and what they hand to commands.
#[derive(Debug)]
pub struct Toolbox {
    workspace: Workspace,
    environment: Environment,
    capture: CaptureOptions,
    spills: Arc<SpillStore>,
    bash_timeout: Duration,
}

impl Toolbox {
    /// Tools that work in `workspace`, give commands `environment`, and keep in `spills` what is too
    /// long to be shown.
    pub fn new(workspace: Workspace, environment: Environment, spills: Arc<SpillStore>) -> Self {
        let capture = CaptureOptions::default().spill(Arc::clone(&spills));
        let bash_timeout = DEFAULT_BASH_TIMEOUT;
        Self { workspace, environment, capture, spills, bash_timeout }
    }

    /// Sets how long a command may run that names no limit; two minutes unless said otherwise.
    #[must_use]
    pub const fn with_bash_timeout(mut self, limit: Duration) -> Self {
        self.bash_timeout = limit;
        self
    }

    /// Sets from how many bytes on an output is spilled, and how much of it is shown then. The store
    /// and the label of `options` are ignored.
    #[must_use]
    pub fn with_capture(mut self, options: CaptureOptions) -> Self {
        self.capture = options.spill(Arc::clone(&self.spills));
        self
    }

    /// Where the tools work.
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What commands find in their environment.
    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Where outputs are kept that are too long to be shown.
    pub const fn spills(&self) -> &Arc<SpillStore> {
        &self.spills
    }

    pub(crate) const fn bash_timeout(&self) -> Duration {
        self.bash_timeout
    }

    /// How an output is bounded; `label` says what it is of.
    pub(crate) fn capture(&self, label: impl Into<String>) -> CaptureOptions {
        self.capture.clone().label(label)
    }

    /// Bytes that one answer may take.
    pub(crate) const fn max_shown_bytes(&self) -> usize {
        self.capture.threshold_bytes
    }
}

/// The built-in tools, ready to be registered.
pub fn builtin(toolbox: &Arc<Toolbox>) -> Vec<ToolSpec> {
    [
        bash::spec,
        read_file::spec,
        write_file::spec,
        edit_file::spec,
        glob::spec,
        grep::spec,
        read_output::spec,
    ]
    .into_iter()
    .map(|spec| spec(toolbox))
    .collect()
}

/// The place of a kept output, in the words of the ledger.
pub(crate) fn spilled(spill: Option<SpillInfo>) -> Option<Spill> {
    spill.map(|kept| {
        Spill::new(kept.id, kept.path, kept.bytes, kept.lines).with_lost_bytes(kept.lost_bytes)
    })
}
