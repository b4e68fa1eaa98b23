//! `doctor`: what this machine and this version guarantee, said as it is.

use std::{
    io::{self, IsTerminal as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use serde::Serialize;

use super::Exit;
use crate::{
    config::{KEY_VARIABLES, Key, ProviderName, variable},
    start::Start,
};

/// How far a guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It holds.
    Kept,
    /// It holds in part; the detail says which.
    Weaker,
    /// It does not hold.
    Absent,
    /// No guarantee, only something to know.
    Info,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Weaker => "weaker",
            Self::Absent => "absent",
            Self::Info => "info",
        }
    }
}

/// One line of the report.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    detail: String,
}

const fn check(name: &'static str, state: State, detail: String) -> Check {
    Check { name, state, detail }
}

/// Prints the report.
pub(super) fn run(start: &Start, json: bool) -> anyhow::Result<Exit> {
    let checks = [
        environment(start),
        secrets(),
        sandbox(),
        processes(),
        outputs(start),
        keys(start),
        provider(start),
        terminal(),
        configuration(start),
    ];
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &serde_json::json!({ "checks": checks }))?;
        writeln!(out)?;
    } else {
        for check in &checks {
            writeln!(out, "{:<7} {:<14} {}", check.state.word(), check.name, check.detail)?;
        }
    }
    Ok(Exit::Done)
}

fn environment(start: &Start) -> Check {
    let environment = start.environment();
    let names: Vec<_> =
        environment.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    check("environment", State::Kept, format!("commands get these alone: {}", names.join(" ")))
}

/// Looks for a key the way a command could: in the memory that the kernel shows of us.
fn secrets() -> Check {
    let there: Vec<_> =
        KEY_VARIABLES.iter().copied().filter(|name| variable(name).is_some()).collect();
    if there.is_empty() {
        return check("secrets", State::Kept, "no key is in our environment".to_owned());
    }
    let spied = Command::new("cat")
        .arg(format!("/proc/{}/environ", std::process::id()))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let seen = spied.is_ok_and(|output| {
        output
            .stdout
            .split(|&byte| byte == 0)
            .any(|entry| there.iter().any(|name| entry.starts_with(format!("{name}=").as_bytes())))
    });
    if seen {
        let detail = format!(
            "{} is in no command's environment, but a command can read it from /proc/{}/environ, \
             or from the shell that started us; only a sandbox closes that",
            there.join(", "),
            std::process::id()
        );
        check("secrets", State::Weaker, detail)
    } else {
        let detail = format!("{}: in no command's environment, nor in /proc", there.join(", "));
        check("secrets", State::Kept, detail)
    }
}

fn sandbox() -> Check {
    let detail = "this version runs commands without a sandbox: they may read, write and connect \
                  as you may; file tools stay in the working directory";
    check("sandbox", State::Absent, detail.to_owned())
}

fn processes() -> Check {
    if cfg!(target_os = "linux") {
        let detail = "a command's whole tree ends with its call, also what left its session; if \
                      callgate itself is killed by SIGKILL, the shell ends with it, and what the \
                      shell had started stays";
        check("processes", State::Weaker, detail.to_owned())
    } else {
        let detail = "a command's process group ends with its call; what left the group stays";
        check("processes", State::Weaker, detail.to_owned())
    }
}

fn outputs(start: &Start) -> Check {
    let path = start.paths.outputs();
    let existing = path.ancestors().find(|path| path.exists()).unwrap_or_else(|| Path::new("/"));
    let free = rustix::fs::statvfs(existing)
        .map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
        .unwrap_or_default();
    let floor = start.loaded.config.output.free_floor_bytes;
    let private =
        path.metadata().map_or(true, |meta| meta.permissions().mode().trailing_zeros() >= 6);
    let mib = free / (1024 * 1024);
    let place = format!("{}, {mib} MiB free", path.display());
    if rustix::fs::access(existing, rustix::fs::Access::WRITE_OK).is_err() {
        check("outputs", State::Absent, format!("{place}; it can't be written to"))
    } else if !private {
        check("outputs", State::Weaker, format!("{place}; others can read it: chmod 700 it"))
    } else if free < floor {
        let detail = format!("{place}; under the floor of {floor} bytes, so nothing is kept");
        check("outputs", State::Weaker, detail)
    } else {
        check("outputs", State::Kept, format!("every byte is kept, in private: {place}"))
    }
}

fn keys(start: &Start) -> Check {
    let mut found: Vec<String> = KEY_VARIABLES
        .iter()
        .filter(|name| variable(name).is_some())
        .map(|&name| name.to_owned())
        .collect();
    match Key::find(ProviderName::Openai, &start.loaded.config) {
        Ok(Some(key)) if start.loaded.config.api_key_file.is_some() => {
            found.push(key.source.to_string());
        }
        Err(error) => found.push(error.to_string()),
        _ => {}
    }
    let detail = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    check("keys", State::Info, detail)
}

fn provider(start: &Start) -> Check {
    let detail = match start.provider() {
        Ok(chosen) => format!("{} {}", chosen.provider.name(), chosen.provider.model()),
        Err(error) => format!("{error:#}"),
    };
    check("provider", State::Info, detail)
}

fn terminal() -> Check {
    let tty = io::stdin().is_terminal() && io::stdout().is_terminal();
    let term = std::env::var("TERM").unwrap_or_else(|_| "not set".to_owned());
    let color = if std::env::var_os("NO_COLOR").is_some() { "no colour" } else { "colour" };
    let detail =
        format!("{}, TERM {term}, {color}", if tty { "a terminal" } else { "not a terminal" });
    check("terminal", State::Info, crate::plain(&detail))
}

fn configuration(start: &Start) -> Check {
    let warnings = &start.loaded.warnings;
    let detail =
        if warnings.is_empty() { "nothing to warn of".to_owned() } else { warnings.join("; ") };
    check("configuration", State::Info, detail)
}
