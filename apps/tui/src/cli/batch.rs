//! `call` and `batch`: calls that the person wrote, with no model.

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use callgate_agent::{Control, Envelope, Sink};
use callgate_dispatch::{Call, ToolResult};

use super::{
    Exit, args::OutputFormat, batch_input, interrupt::interrupt_on_signal, printer::Printer,
};
use crate::start::{Start, UsageError};

/// The most bytes that a batch may have. Far more than any batch, far less than memory.
const MAX_BATCH_BYTES: u64 = 256 * 1024 * 1024;

/// Dispatches one call.
pub(super) async fn call(
    start: Start,
    name: String,
    arguments: String,
    format: OutputFormat,
) -> anyhow::Result<Exit> {
    dispatch(start, vec![Call::with_text("c1", name, arguments)], format).await
}

/// Dispatches the batch of a file or of standard input.
pub(super) async fn batch(
    start: Start,
    file: Option<PathBuf>,
    format: OutputFormat,
) -> anyhow::Result<Exit> {
    let text = read(file.as_deref())?;
    let calls = batch_input::parse(&text)?;
    drop(text);
    dispatch(start, calls, format).await
}

fn read(file: Option<&Path>) -> Result<String, UsageError> {
    let from = file.filter(|path| *path != Path::new("-"));
    let name = from.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
    let mut bytes = Vec::new();
    let read = match from {
        None => io::stdin().lock().take(MAX_BATCH_BYTES + 1).read_to_end(&mut bytes),
        Some(path) => std::fs::File::open(path)
            .and_then(|file| file.take(MAX_BATCH_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| UsageError::Other(format!("{name} can't be read: {error}")))?;
    if bytes.len() as u64 > MAX_BATCH_BYTES {
        return Err(UsageError::Other(format!("{name} is no batch: over {MAX_BATCH_BYTES} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|error| UsageError::Other(format!("{name} is no batch: {}", error.utf8_error())))
}

async fn dispatch(start: Start, calls: Vec<Call>, format: OutputFormat) -> anyhow::Result<Exit> {
    start.warn();
    let workbench = start.workbench()?;
    let control = Control::new();
    interrupt_on_signal(&control);
    let printer = Printer::default();
    let sinks: Vec<Sink> = match format {
        OutputFormat::StreamJson => {
            let printer = printer.clone();
            vec![Box::new(move |envelope: &Envelope| printer.event(envelope))]
        }
        _ => Vec::new(),
    };
    let results = workbench.run_batch(calls, sinks, &control).await;
    if format != OutputFormat::StreamJson {
        print_results(&results)?;
    }
    printer.finish()?;
    Ok(if control.is_interrupted() { Exit::Interrupted } else { Exit::Done })
}

fn print_results(results: &[ToolResult]) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for result in results {
        serde_json::to_writer(&mut out, result)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
