//! `bash`: runs a command.

use std::{
    error::Error as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use callgate_exec::{DEFAULT_GRACE, ExecError, Exit, Finished, ProcessName, ProcessSpec, Stream};
use callgate_registry::{
    CallContext, Content, Effects, Mode, OutputChunk, OutputStream, ToolError, ToolOutput, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::{Toolbox, arguments, names, reads_only, toolbox::spilled};

const NAME: &str = "bash";

const DESCRIPTION: &str = "\
Runs a command in bash, in the working directory, and returns what it prints (standard output and \
standard error together) and its exit code; a code other than 0 is reported as an error, with \
the whole output. Each call has a shell of its own: variables and cd don't last until the next call. \
There is no terminal and no input, so use options that ask nothing (-y, --no-pager). It is stopped \
after two minutes unless timeout_ms says otherwise; what it printed until then is returned. Processes \
still running when the command ends are ended too, so nothing is left in the background. Long output \
is kept in a file and its start and end are returned; see the rest with read_output. Commands see \
only some variables of the environment, and no keys. To read, find, search, write or edit files use \
the tools for it: they can run side by side and their answers are better bounded.";

/// The longest limit that a call may set, in milliseconds: an hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Time after the request to stop for TERM, KILL and the last output.
const GRACE: Duration = DEFAULT_GRACE.saturating_add(Duration::from_secs(4));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The command line.
    command: String,
    /// The limit in milliseconds, at most an hour. Two minutes if left out.
    #[schemars(range(min = 1, max = MAX_TIMEOUT_MS))]
    #[expect(dead_code, reason = "whoever keeps the limit reads it from the arguments")]
    timeout_ms: Option<u64>,
    /// The directory to run in. The working directory if left out.
    workdir: Option<String>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let run = Arc::clone(toolbox);
    let limit = toolbox.bash_timeout();
    let bounds = Arc::clone(toolbox);
    let settled = reads_only::is_settled(toolbox.environment(), toolbox.workspace().root());
    // The limit is kept by whoever runs the tool: it asks to stop, and the handler obeys.
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        execute(Arc::clone(&run), arguments, context)
    })
    .effects(move |arguments| {
        let asked = arguments.get("workdir").and_then(serde_json::Value::as_str);
        let reads = |directory: PathBuf| {
            let command = arguments::text(arguments, "command");
            reads_only::reads_only(command, bounds.workspace(), &directory)
        };
        if settled && directory(&bounds, asked).is_ok_and(reads) {
            Effects::reads_subtree("/")
        } else {
            Effects::everything()
        }
    })
    .timeout_from(move |arguments| {
        let asked = arguments.get("timeout_ms").and_then(serde_json::Value::as_u64);
        asked.map_or(limit, |asked| Duration::from_millis(asked.min(MAX_TIMEOUT_MS)))
    })
    .grace(GRACE)
    .max_output_bytes(None)
    .subject("command")
}

async fn execute(
    toolbox: Arc<Toolbox>,
    arguments: Arguments,
    context: Box<dyn CallContext>,
) -> Result<ToolOutput, ToolError> {
    let directory = directory(&toolbox, arguments.workdir.as_deref())?;
    let context: Arc<dyn CallContext> = Arc::from(context);
    let spec = ProcessSpec::shell(arguments.command.clone())
        .cwd(directory)
        .env(toolbox.environment().clone());
    let stop = CancellationToken::new();
    // Whoever drops the call drops the command with it.
    let _dropped = stop.clone().drop_guard();
    let live = Arc::clone(&context);
    let options = toolbox.capture(label(&arguments.command));
    let run = callgate_exec::run(spec, options, stop.clone(), move |stream, text| {
        let stream = match stream {
            Stream::Stdout => OutputStream::Stdout,
            Stream::Stderr => OutputStream::Stderr,
        };
        live.progress(OutputChunk { stream, text: text.to_owned() });
    });
    tokio::pin!(run);
    let finished = tokio::select! {
        finished = &mut run => finished,
        _ = context.stopped() => {
            stop.cancel();
            run.await
        }
    };
    answer(finished.map_err(|error| explain(&error))?)
}

/// The directory to run in. A call that names one means that one: in any other, the command could do
/// harm, so it does not run at all.
fn directory(toolbox: &Toolbox, asked: Option<&str>) -> Result<PathBuf, ToolError> {
    let workspace = toolbox.workspace();
    let root = workspace.root();
    let Some(asked) = asked else {
        if root.is_dir() {
            return Ok(root.to_owned());
        }
        return Err(ToolError::failed(format!(
            "The working directory {} is no longer there: it was removed or renamed. Nothing ran. \
             Ask the person to restore it.",
            names::shown(root)
        )));
    };
    let at = workspace.locate(asked).map_err(|error| match error {
        ToolError::InvalidArguments { message, .. } => ToolError::invalid("/workdir", message),
        other => other,
    })?;
    // No advice on rules: what stands in a rule for this tool is a command.
    workspace.admit(NAME, &at, Mode::Read).map_err(|_denied| {
        ToolError::Denied(format!(
            "workdir {} lies outside of the working directory {} or is closed to tools. Nothing \
             ran. Name a directory inside, or leave workdir out.",
            at.shown,
            names::shown(root)
        ))
    })?;
    if at.path.is_dir() {
        return Ok(at.path);
    }
    if at.path.exists() {
        return Err(ToolError::failed(format!(
            "workdir {} is no directory. Nothing ran.",
            at.shown
        )));
    }
    let near: Vec<String> = workspace.near(&at, Path::is_dir);
    Err(ToolError::failed(match near.as_slice() {
        [] => format!("workdir {} does not exist. Nothing ran.", at.shown),
        near => format!(
            "workdir {} does not exist; did you mean {}? Nothing ran.",
            at.shown,
            near.join(" or ")
        ),
    }))
}

/// The first line of a command, to be recognised by in a list.
fn label(command: &str) -> String {
    const MAX_CHARS: usize = 80;
    command.lines().next().unwrap_or_default().chars().take(MAX_CHARS).collect()
}

fn answer(finished: Finished) -> Result<ToolOutput, ToolError> {
    let Finished { exit, stopped, output, ended, survivors, .. } = finished;
    let mut notes = Vec::new();
    if !ended.is_empty() {
        notes.push(format!(
            "[{} still ran when the command ended, and was ended: {}]",
            processes(ended.len()),
            names(&ended)
        ));
    }
    if !survivors.is_empty() {
        notes.push(format!(
            "[{} could not be ended and may still run: {}]",
            processes(survivors.len()),
            names(&survivors)
        ));
    }
    let failure = (!stopped && !exit.success()).then(|| exit_line(exit));
    notes.extend(failure.clone());
    let mut text = output.text;
    if text.is_empty() && failure.is_none() {
        "[no output]".clone_into(&mut text);
    } else if !notes.is_empty() && text.ends_with('\n') {
        text.pop();
    }
    let output_block = (!text.is_empty()).then_some(text);
    let texts = output_block.into_iter().chain(notes);
    let output =
        ToolOutput { content: texts.map(Content::text).collect(), ..ToolOutput::default() }
            .with_spill(spilled(output.spill))
            .with_exit_code(if stopped { None } else { exit.code() });
    match failure {
        None => Ok(output),
        Some(message) => Err(ToolError::Failed { message, output }),
    }
}

fn exit_line(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}; exit code {}", 128 + signal),
        Exit::Alive => "the command could not be ended".to_owned(),
    }
}

fn processes(count: usize) -> String {
    if count == 1 { "1 process".to_owned() } else { format!("{count} processes") }
}

fn names(processes: &[ProcessName]) -> String {
    const MAX_NAMED: usize = 8;
    let mut names: Vec<String> = processes
        .iter()
        .take(MAX_NAMED)
        .map(|process| format!("{} ({})", process.pid, process.command))
        .collect();
    if processes.len() > MAX_NAMED {
        names.push("...".to_owned());
    }
    names.join(", ")
}

fn explain(error: &ExecError) -> ToolError {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message = format!("{message}: {cause}");
        source = cause.source();
    }
    match error {
        ExecError::NulByte { .. } => ToolError::invalid("/command", message),
        ExecError::CommandTooLong { .. } => ToolError::invalid(
            "/command",
            "The command is longer than the system takes. Write the data to a file with \
             write_file, and let a short command read it.",
        ),
        _ => ToolError::failed(message),
    }
}
