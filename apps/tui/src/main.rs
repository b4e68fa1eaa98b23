//! `callgate`: the full-screen app and the headless commands.

mod cli;
mod config;
mod start;
mod tui;

use std::{
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::Path,
    process::ExitCode,
};

use clap::Parser as _;

fn main() -> ExitCode {
    // Clap exits with 2 on wrong usage and 0 on help, as the outside contract has it.
    let cli = cli::args::Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("callgate: the runtime can't start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let exit = runtime.block_on(cli::run(cli)).unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return cli::Exit::Done;
        }
        say(&format!("callgate: {error:#}"));
        cli::exit_of(&error)
    });
    // A tool that never yields must not keep a finished command from ending.
    runtime.shutdown_background();
    exit.into()
}

/// Whether nobody reads on, as behind `| head -1`: that is how a reader says that it has enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json =
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// A line on standard error. A standard error that is gone is nobody's fault.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Text of a tool, a model or a file, without anything that could drive a terminal.
pub(crate) fn plain(text: &str) -> String {
    tui::SafeText::clean(text).as_str().to_owned()
}

/// Makes a directory that only its owner can enter, or takes one that nobody else can write to.
pub(crate) fn private_dir(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if path.metadata()?.permissions().mode() & 0o022 != 0 {
        let advice = format!("others can write to it; run: chmod 700 {}", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, advice));
    }
    Ok(())
}
