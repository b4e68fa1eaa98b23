//! `edit_file`: replaces passages of a file.

use std::{io::Read as _, sync::Arc};

use callgate_registry::{Annotations, Mode, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Toolbox, arguments,
    blocking::{StopFlag, blocking},
    diff, edits,
    edits::Passage,
    text,
    workspace::{Located, Replaced, Stamp},
    write_file,
};

const NAME: &str = "edit_file";

const DESCRIPTION: &str = "\
Replaces passages of a text file and leaves the rest as it is. old_text must be exactly what the file \
has, white space included, and must occur once: give enough lines around the place to make it \
unique, or set replace_all to change every occurrence. Give one change as old_text and new_text, or \
several as edits, which are made in order, each to the result of the one before; if one of them can't \
be made, none is. Answers with the difference. Line ends (LF or CRLF), byte-order mark and mode of \
the file stay; write old_text and new_text with LF. To insert, repeat a line in old_text and in \
new_text; to delete, make new_text empty. For a new file use write_file.";

/// The largest file that is edited, since it is held in memory a few times over.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How often an edit is made anew because the file changed under it.
const ATTEMPTS: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to edit.
    path: String,
    /// The passage to replace, exactly as it is in the file.
    old_text: Option<String>,
    /// What takes its place; may be empty.
    new_text: Option<String>,
    /// Replaces every occurrence of `old_text`, where otherwise more than one is refused.
    replace_all: Option<bool>,
    /// Several changes, instead of `old_text` and `new_text`.
    edits: Option<Vec<Edit>>,
}

/// One change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The passage to replace, exactly as it is in the file.
    old_text: String,
    /// What takes its place; may be empty.
    new_text: String,
    /// Replaces every occurrence of `old_text`, where otherwise more than one is refused.
    replace_all: Option<bool>,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let (run, keys) = (Arc::clone(toolbox), Arc::clone(toolbox));
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |stop| edit(&toolbox, arguments, stop))
    })
    .effects(move |arguments| {
        keys.workspace().uses(arguments::text(arguments, "path"), Mode::Write)
    })
    .subject("path")
    .annotations(Annotations {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
    })
}

fn edit(toolbox: &Toolbox, arguments: Arguments, stop: &StopFlag) -> Result<ToolOutput, ToolError> {
    let path = arguments.path.clone();
    let passages = passages(arguments)?;
    toolbox.workspace().exclusively(&path, || {
        for _ in 0..ATTEMPTS {
            if stop.is_set() {
                return Err(ToolError::failed("Stopped. The file is as it was before."));
            }
            if let Some(answer) = attempt(toolbox, &path, &passages)? {
                return Ok(answer);
            }
        }
        Err(ToolError::failed(format!(
            "{} is being changed by another program again and again. Nothing was changed by this \
             call. Read it once it has settled.",
            text::echo(path.as_str())
        )))
    })
}

/// Makes the edits to the file as it is now; `None` if it changed meanwhile.
fn attempt(
    toolbox: &Toolbox,
    path: &str,
    passages: &[Passage],
) -> Result<Option<ToolOutput>, ToolError> {
    let mut open = toolbox.workspace().open(NAME, path, Mode::Write)?;
    let shown = open.at.shown.clone();
    if open.len() > MAX_BYTES {
        return Err(ToolError::failed(format!(
            "{shown} has {}, too much to edit this way. Use sed in bash.",
            text::count(open.len(), "byte", "bytes")
        )));
    }
    let stamp = Stamp::of(&open.stat);
    let mut before = Vec::new();
    open.file
        .by_ref()
        .take(MAX_BYTES)
        .read_to_end(&mut before)
        .map_err(|error| ToolError::failed(format!("{shown}: reading it failed: {error}.")))?;
    let start = before.get(..text::SNIFFED).unwrap_or(&before);
    if let Some(kind) = text::binary_kind(start) {
        return Err(ToolError::failed(format!("{shown} can't be edited as text: it is {kind}.")));
    }
    let after = edits::apply(&before, passages).map_err(|fault| fault.explain(&shown))?;
    match toolbox.workspace().replace(NAME, path, &after, Some(stamp))? {
        Replaced::Stale => Ok(None),
        Replaced::Created(at) | Replaced::Overwritten(at) => {
            Ok(Some(edited(&at, "", passages.len(), &diff::unified(&before, &after))))
        }
        Replaced::InPlace(at, names) => {
            let remark = format!(" {}", write_file::in_place(names));
            Ok(Some(edited(&at, &remark, passages.len(), &diff::unified(&before, &after))))
        }
    }
}

fn edited(at: &Located, remark: &str, edits: usize, diff: &str) -> ToolOutput {
    ToolOutput::text(format!("Edited {}{}.{remark}\n{diff}", at.shown, after_words(edits)))
}

fn after_words(edits: usize) -> String {
    if edits == 1 { String::new() } else { format!(" ({edits} edits)") }
}

/// The changes of either form, checked for what no file is needed for.
fn passages(arguments: Arguments) -> Result<Vec<Passage>, ToolError> {
    let Arguments { path: _, old_text, new_text, replace_all, edits } = arguments;
    match (old_text, new_text, edits) {
        (Some(old), Some(new), None) => {
            let passage = Passage::new(old, new, replace_all.unwrap_or(false));
            passage.check("")?;
            Ok(vec![passage])
        }
        (None, None, Some(edits)) if replace_all.is_none() => several(edits),
        (None, None, Some(_)) => Err(ToolError::invalid(
            "/replace_all",
            "Say replace_all in each of the edits that it is meant for.",
        )),
        (None, None, None) => Err(ToolError::invalid(
            "",
            "Say what to change: old_text and new_text, or edits, a list of them.",
        )),
        (Some(_), None, None) => Err(ToolError::invalid(
            "",
            "new_text is missing; to delete the passage, make it an empty text.",
        )),
        (None, Some(_), None) => Err(ToolError::invalid(
            "",
            "old_text is missing: the passage that new_text takes the place of. To write a whole \
             file, use write_file.",
        )),
        (_, _, Some(_)) => Err(ToolError::invalid(
            "/edits",
            "Give either old_text and new_text, or edits, not both.",
        )),
    }
}

fn several(edits: Vec<Edit>) -> Result<Vec<Passage>, ToolError> {
    if edits.is_empty() {
        return Err(ToolError::invalid("/edits", "The list of edits is empty."));
    }
    let mut passages = Vec::with_capacity(edits.len());
    for (index, Edit { old_text, new_text, replace_all }) in edits.into_iter().enumerate() {
        let passage = Passage::new(old_text, new_text, replace_all.unwrap_or(false));
        passage.check(&format!("/edits/{index}"))?;
        passages.push(passage);
    }
    Ok(passages)
}
