//! The built-in tools, set up for one session.

use std::sync::Arc;

use callgate_exec::SpillStore;
use callgate_registry::ToolSpec;
use callgate_tools::{Grants, Toolbox, Workspace, WorkspaceError};

use crate::settings::Settings;

/// The tools that `settings` describe.
pub(crate) fn tools(
    settings: &Settings,
    spills: &Arc<SpillStore>,
) -> Result<Vec<ToolSpec>, WorkspaceError> {
    let allow = settings.allow.clone();
    let grants = Grants::by(move |tool, path, _| allow.iter().any(|rule| rule.grants(tool, path)));
    let (deny, cwd) = (settings.deny.clone(), settings.cwd.clone());
    let workspace = Workspace::new(&settings.cwd)?
        .with_grants(grants)
        .denying(move |tool, path| deny.iter().any(|rule| rule.denies_path(tool, path, &cwd)));
    let toolbox = Toolbox::new(workspace, settings.environment.clone(), Arc::clone(spills))
        .with_bash_timeout(settings.bash_timeout)
        .with_capture(settings.capture.clone());
    Ok(callgate_tools::builtin(&Arc::new(toolbox)))
}
