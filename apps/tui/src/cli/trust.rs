//! `trust`: the person accepts the project's configuration as it is now.

use std::io::{self, Write as _};

use super::Exit;
use crate::{
    config::{PROJECT_FILE, trust},
    start::{Start, UsageError},
};

/// Trusts the bytes that the project's file has now, and shows them.
pub(super) fn run(start: &Start) -> anyhow::Result<Exit> {
    let path = start.cwd.join(PROJECT_FILE);
    let content = std::fs::read(&path).map_err(|error| {
        UsageError::Other(format!("{} can't be read: {error}", shown(&path.display().to_string())))
    })?;
    trust::trust(&start.paths, &start.cwd, &content)?;
    let mut out = io::stdout().lock();
    writeln!(out, "trusted, until it changes: {}\n", shown(&path.display().to_string()))?;
    writeln!(out, "{}", crate::plain(&String::from_utf8_lossy(&content)))?;
    writeln!(out, "It can only narrow: deny, permission_mode, policy, max_parallel, max_turns.")?;
    Ok(Exit::Done)
}

/// A path whose name may be made to deceive, with every odd character escaped.
fn shown(path: &str) -> String {
    path.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn g15_a_directory_name_is_shown_escaped() {
        assert_eq!(super::shown("/a\n\u{1b}[2Jb\u{202e}"), "/a\\n\\u{1b}[2Jb\\u{202e}");
    }
}
