//! `read_file`: the text of a file, whole or in pages.

use std::{
    io::{BufReader, Read as _, Seek as _},
    sync::Arc,
};

use callgate_exec::capture_reader;
use callgate_registry::{Content, Mode, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Toolbox, arguments,
    blocking::{StopFlag, blocking},
    page::{self, Page, Wanted},
    text::{self, Traits},
    toolbox::{LOOKS_ONLY, spilled},
    workspace::OpenFile,
};

const NAME: &str = "read_file";

const DESCRIPTION: &str = "\
Reads a text file. The text comes exactly as it is in the file, without line numbers, so that it can \
be given to edit_file as old_text; a remark in [brackets] after it says which lines it is, how many \
there are, and what can't be seen. Up to 50 KiB come whole. Of a longer file come its start and its \
end; read the rest in pages with offset and limit, or find the place with grep first. Lines over \
8 KiB are cut in pages. Bytes that are not UTF-8 are shown as \\xNN. A binary file is only described. \
A path may be relative to the working directory; paths outside of it are refused unless the person \
allows them.";

/// The longest file of which a copy is kept when it is too long to be shown. A longer one is paged
/// where it lies: copying it would cost more than it is worth.
const MAX_COPIED_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to read.
    path: String,
    /// The first line wanted, counted from 1.
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines at most.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let (run, keys) = (Arc::clone(toolbox), Arc::clone(toolbox));
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |stop| read(&toolbox, &arguments, stop))
    })
    .effects(move |arguments| keys.workspace().uses(arguments::text(arguments, "path"), Mode::Read))
    .subject("path")
    .max_output_bytes(None)
    .annotations(LOOKS_ONLY)
}

fn read(
    toolbox: &Toolbox,
    arguments: &Arguments,
    stop: &StopFlag,
) -> Result<ToolOutput, ToolError> {
    let mut open = toolbox.workspace().open(NAME, &arguments.path, Mode::Read)?;
    let shown = open.at.shown.clone();
    let failed = |error| ToolError::failed(format!("{shown}: reading it failed: {error}."));
    if let Some(kind) = kind(&mut open).map_err(failed)? {
        let size = text::count(open.len(), "byte", "bytes");
        return Ok(ToolOutput::text(format!("[{shown} is not shown: it is {kind}; {size}]")));
    }
    let max_shown = toolbox.max_shown_bytes().try_into().unwrap_or(u64::MAX);
    let whole = arguments.offset.is_none() && arguments.limit.is_none();
    if whole && open.len() <= max_shown {
        // It may grow while it is read; a page is bounded all the same.
        let mut bytes = Vec::new();
        open.file.by_ref().take(max_shown).read_to_end(&mut bytes).map_err(failed)?;
        return Ok(whole_text(&bytes, &shown));
    }
    if whole && open.len() <= MAX_COPIED_BYTES {
        return preview(toolbox, open);
    }
    let wanted = Wanted {
        first: arguments::line(arguments.offset),
        limit: arguments.limit,
        max_bytes: toolbox.max_shown_bytes(),
    };
    let source = BufReader::with_capacity(64 * 1024, open.file);
    let page = page::read(source, wanted, stop).map_err(failed)?;
    if page.lines == 0 && stop.is_set() {
        return Err(ToolError::failed(format!(
            "Stopped before line {} was reached.",
            wanted.first
        )));
    }
    paged(&page, wanted, &shown)
}

fn kind(open: &mut OpenFile) -> std::io::Result<Option<&'static str>> {
    let mut start = Vec::with_capacity(text::SNIFFED);
    open.file.by_ref().take(text::SNIFFED as u64).read_to_end(&mut start)?;
    open.file.rewind()?;
    Ok(text::binary_kind(&start))
}

fn whole_text(bytes: &[u8], shown: &str) -> ToolOutput {
    if bytes.is_empty() {
        return ToolOutput::text(format!("[{shown} is empty]"));
    }
    let text::Shown { text, traits } = text::show(bytes);
    let remarks: Vec<String> = traits.words().map(str::to_owned).collect();
    with_remark(text, &remarks)
}

/// The start and the end of a file that is too long, with a copy of it that does not change when the
/// file does.
fn preview(toolbox: &Toolbox, open: OpenFile) -> Result<ToolOutput, ToolError> {
    let shown = open.at.shown;
    let captured = capture_reader(open.file.take(MAX_COPIED_BYTES), &toolbox.capture(NAME))
        .map_err(|error| ToolError::failed(format!("{shown}: reading it failed: {error}.")))?;
    let remark = [format!(
        "{shown} has {}; read on in pages with offset and limit, or search it with grep",
        text::count(captured.lines, "line", "lines")
    )];
    Ok(with_remark(captured.text.replace("\r\n", "\n"), &remark)
        .with_spill(spilled(captured.spill)))
}

fn paged(page: &Page, wanted: Wanted, shown: &str) -> Result<ToolOutput, ToolError> {
    let total = text::grouped(page.total);
    if page.lines == 0 && page.total == 0 {
        return Ok(ToolOutput::text(format!("[{shown} is empty]")));
    }
    if page.lines == 0 {
        return Err(ToolError::failed(format!(
            "{shown} has no line {}: it has {}.",
            wanted.first,
            text::count(page.total, "line", "lines")
        )));
    }
    let first = wanted.first.get();
    let last = first + page.lines - 1;
    let more = if page.counted_all { "" } else { "more than " };
    let mut remarks = vec![format!("lines {first}-{last} of {more}{total}")];
    if last < page.total {
        remarks.push(format!("go on with offset {}", last + 1));
    }
    let text::Shown { text, traits } = text::show(&page.bytes);
    // The mark can only be seen at the start of the file.
    let traits = Traits { bom: traits.bom && first == 1, ..traits };
    remarks.extend(traits.words().map(str::to_owned));
    Ok(with_remark(text, &remarks))
}

/// Text, and after it in a block of its own what there is to say about it.
fn with_remark(text: String, remarks: &[String]) -> ToolOutput {
    let mut output = ToolOutput::text(text);
    if !remarks.is_empty() {
        output.content.push(Content::text(format!("[{}]", remarks.join("; "))));
    }
    output
}
