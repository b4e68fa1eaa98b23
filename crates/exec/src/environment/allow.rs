//! Which variables may come along, and which never by a prefix.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

/// The names that are taken along by default; a `*` at the end stands for any rest.
///
/// Each is needed by ordinary programs and holds no secret: where programs and the person's files
/// are, who the person is, how text and time are written, what the terminal can do. The `XDG_*_HOME`
/// directories belong to this: without them a tool would look for its configuration elsewhere than
/// the person put it.
///
/// Left out on purpose: `XDG_RUNTIME_DIR`, `DBUS_SESSION_BUS_ADDRESS`, `SSH_AUTH_SOCK`, `DISPLAY` and
/// `WAYLAND_DISPLAY`, since each leads to a socket by which a command can act outside of its
/// process tree; `LD_*`, `BASH_ENV`, `ENV`, `GIT_*`, `PYTHON*`, `NODE_OPTIONS` and the like, since they
/// make programs load or run something; everything that carries a key or a token.
pub const DEFAULT_ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TMPDIR",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Parts of names that tell of a secret, in upper case.
const SECRET_PARTS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "COOKIE"];

/// Beginnings of names by which programs are made to load or run something.
const HOOK_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_",
    "ENV",
    "GIT_",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE_",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "IFS",
    "GCONV_PATH",
    "LESSOPEN",
];

/// A name, or the beginning of names.
pub(super) enum Pattern<'a> {
    Name(&'a [u8]),
    Prefix(&'a [u8]),
}

impl<'a> Pattern<'a> {
    pub(super) fn new(pattern: &'a str) -> Self {
        pattern
            .strip_suffix('*')
            .map_or(Self::Name(pattern.as_bytes()), |prefix| Self::Prefix(prefix.as_bytes()))
    }

    pub(super) fn admits(&self, name: &OsStr) -> bool {
        match self {
            Self::Name(wanted) => name.as_bytes() == *wanted,
            Self::Prefix(prefix) => name.as_bytes().starts_with(prefix) && !is_delicate(name),
        }
    }
}

fn is_delicate(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
        || HOOK_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
