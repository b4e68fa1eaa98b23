//! The environment that a child gets: what was allowed by name, and nothing else.

mod allow;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    os::unix::ffi::{OsStrExt, OsStringExt},
    sync::Arc,
};

pub use allow::DEFAULT_ALLOWED;
use allow::Pattern;

/// The variables of a child process.
///
/// Nothing is inherited by itself. An environment starts from the names in [`DEFAULT_ALLOWED`], or
/// from nothing, and grows by [`allow`](Self::allow) and [`set`](Self::set). Entries of `PATH` that
/// are not absolute are dropped: an empty one, `.` or `bin` would let the directory that a command
/// runs in choose the programs.
///
/// The values are never part of the `Debug` output.
///
/// ```
/// use callgate_exec::Environment;
///
/// let environment = Environment::from_vars([
///     ("PATH", "/usr/bin::."),
///     ("PROVIDER_API_KEY", "secret"),
///     ("MAKEFLAGS", "-j2"),
/// ])
/// .allow("MAKEFLAGS")
/// .set("CI", "1");
///
/// let names: Vec<_> = environment.iter().map(|(name, _)| name.to_owned()).collect();
/// assert_eq!(names, ["CI", "MAKEFLAGS", "PATH"]);
/// assert_eq!(environment.get("PATH").unwrap(), "/usr/bin");
/// ```
#[derive(Clone, Default)]
pub struct Environment {
    /// What may be taken along, if its name is allowed later.
    offered: Arc<BTreeMap<OsString, OsString>>,
    taken: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// The allowed variables of this process.
    ///
    /// The variables are read once, now; later changes have no effect.
    pub fn inherit_allowed() -> Self {
        Self::from_vars(std::env::vars_os())
    }

    /// No variables.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The allowed ones among the given variables.
    pub fn from_vars<K, V>(vars: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let offered = vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let start = Self { offered: Arc::new(offered), taken: BTreeMap::new() };
        DEFAULT_ALLOWED.iter().fold(start, |environment, pattern| environment.allow(pattern))
    }

    /// Takes along the variables of that name, or, with a `*` at the end, of that prefix.
    ///
    /// A prefix never takes along what looks like a secret (`*_KEY`, `*TOKEN*`, …) or what makes a
    /// program load or run something (`LD_*`, `BASH_ENV`, `GIT_*`, …): these only come by their full name.
    #[must_use]
    pub fn allow(mut self, pattern: &str) -> Self {
        let pattern = Pattern::new(pattern);
        for (name, value) in self.offered.iter().filter(|(name, _)| pattern.admits(name)) {
            insert(&mut self.taken, name.clone(), value.clone());
        }
        self
    }

    /// Sets a variable, allowed or not.
    #[must_use]
    pub fn set(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        insert(&mut self.taken, name.into(), value.into());
        self
    }

    /// The value that a child would see.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.taken.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// All variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.taken.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment ")?;
        f.debug_set().entries(self.taken.keys()).finish()
    }
}

fn insert(variables: &mut BTreeMap<OsString, OsString>, name: OsString, value: OsString) {
    let value = if name == "PATH" { absolute_entries(&value) } else { value };
    variables.insert(name, value);
}

fn absolute_entries(path: &OsStr) -> OsString {
    let entries: Vec<&[u8]> = path
        .as_bytes()
        .split(|&byte| byte == b':')
        .filter(|entry| entry.first() == Some(&b'/'))
        .collect();
    OsString::from_vec(entries.join(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(environment: &Environment) -> Vec<&str> {
        environment.iter().filter_map(|(name, _)| name.to_str()).collect()
    }

    fn everything() -> Environment {
        let names = [
            "AWS_REGION",
            "AWS_SECRET_ACCESS_KEY",
            "BASH_ENV",
            "ENV",
            "GIT_DIR",
            "HOME",
            "LC_ALL",
            "LD_PRELOAD",
            "PATH",
            "PROVIDER_API_KEY",
            "SSH_AUTH_SOCK",
            "XDG_RUNTIME_DIR",
        ];
        Environment::from_vars(names.map(|name| (name, "/value")))
    }

    #[test]
    fn pains34_only_what_is_allowed_by_name_comes_along() {
        assert_eq!(names(&everything()), ["HOME", "LC_ALL", "PATH"]);
    }

    #[test]
    fn a_prefix_brings_no_secret_and_no_hook_but_a_full_name_does() {
        assert_eq!(
            names(&everything().allow("*")),
            ["AWS_REGION", "HOME", "LC_ALL", "PATH", "XDG_RUNTIME_DIR"]
        );
        let asked = everything().allow("AWS_*").allow("PROVIDER_API_KEY");
        assert_eq!(names(&asked), ["AWS_REGION", "HOME", "LC_ALL", "PATH", "PROVIDER_API_KEY"]);
    }

    #[test]
    fn values_are_never_in_the_debug_text() {
        let text = format!("{:?}", Environment::empty().set("PROVIDER_API_KEY", "canary"));
        assert!(text.contains("PROVIDER_API_KEY") && !text.contains("canary"));
    }

    #[test]
    fn entries_of_the_path_that_are_not_absolute_are_dropped() {
        let environment = Environment::empty().set("PATH", ":/bin:.:bin::/usr/bin:./x:");
        assert_eq!(environment.get("PATH").unwrap(), "/bin:/usr/bin");
    }
}
