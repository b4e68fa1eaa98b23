//! Names that file tools don't write, wherever they stand in the working directory.
//!
//! Each of them makes some program run something later, with more rights than the call that wrote
//! it had.

use std::{ffi::OsStr, path::Path};

/// The protected place that `path` (relative to the working directory) lies in, if it does.
pub(crate) fn protected(path: &Path) -> Option<&'static str> {
    let names: Vec<String> = path.iter().map(folded).collect();
    if names.iter().any(|name| name == ".callgate") {
        return Some(".callgate");
    }
    let git = names.iter().position(|name| name == ".git")?;
    let inside = names.get(git + 1..).unwrap_or_default();
    let last = inside.last().map(String::as_str);
    match last {
        // A file of this name would say where the repository is.
        None => Some(".git"),
        Some("config" | "config.worktree") => Some(".git/config"),
        Some(_) if inside.iter().any(|name| name == "hooks") => Some(".git/hooks"),
        Some(_) => None,
    }
}

/// A name as file systems compare it that ignore case (and, on macOS, some invisible characters).
fn folded(name: &OsStr) -> String {
    name.to_string_lossy()
        .chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f19_protected_names_are_found_in_any_case_and_at_any_depth() {
        for (path, expected) in [
            (".GIT/config", Some(".git/config")),
            (".git/Config", Some(".git/config")),
            (".g\u{200c}it/config", Some(".git/config")),
            ("vendor/lib/.git/HOOKS/pre-commit", Some(".git/hooks")),
            (".git/hooks", Some(".git/hooks")),
            (".git/modules/a/hooks/post-checkout", Some(".git/hooks")),
            (".git/modules/a/config", Some(".git/config")),
            ("sub/.git", Some(".git")),
            (".Callgate/config.toml", Some(".callgate")),
            ("sub/.callgate/x", Some(".callgate")),
            (".git/info/exclude", None),
            (".gitignore", None),
            ("git/config", None),
            ("hooks/use.ts", None),
            ("src/config", None),
        ] {
            assert_eq!(protected(Path::new(path)), expected, "{path}");
        }
    }
}
