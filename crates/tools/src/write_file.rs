//! `write_file`: gives a file its whole content.

use std::sync::Arc;

use callgate_registry::{Annotations, Mode, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Toolbox, arguments, blocking::blocking, text, workspace::Replaced};

const NAME: &str = "write_file";

const DESCRIPTION: &str = "\
Creates a file, or replaces the whole content of one that exists, all at once: a reader sees the old \
content or the new, never a part. Directories that are missing are made. Use it for new files and \
full rewrites; to change a part of a file use edit_file, which needs less text and can't lose the \
rest. The content is written exactly as given, in UTF-8; end it with a newline. The mode of an \
existing file stays. A path may be relative to the working directory; paths outside of it are \
refused, and so are .callgate, .git/hooks and .git/config.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file to write. `~` is not expanded.
    path: String,
    /// The whole new content.
    content: String,
}

pub(crate) fn spec(toolbox: &Arc<Toolbox>) -> ToolSpec {
    let (run, keys) = (Arc::clone(toolbox), Arc::clone(toolbox));
    ToolSpec::typed(NAME, DESCRIPTION, move |arguments: Arguments, context| {
        let toolbox = Arc::clone(&run);
        blocking(context, move |_| write(&toolbox, &arguments))
    })
    .effects(move |arguments| {
        keys.workspace().uses(arguments::text(arguments, "path"), Mode::Write)
    })
    .subject("path")
    .annotations(Annotations {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: false,
    })
}

fn write(toolbox: &Toolbox, arguments: &Arguments) -> Result<ToolOutput, ToolError> {
    let Arguments { path, content } = arguments;
    let workspace = toolbox.workspace();
    let replaced =
        workspace.exclusively(path, || workspace.replace(NAME, path, content.as_bytes(), None))?;
    let size = text::count(content.len().try_into().unwrap_or(u64::MAX), "byte", "bytes");
    let through = if workspace.is_link(path) {
        format!(", which the link {} leads to", text::echo(path))
    } else {
        String::new()
    };
    Ok(ToolOutput::text(match replaced {
        Replaced::Created(at) => format!("Created {} ({size}){through}.", at.shown),
        Replaced::Overwritten(at) => format!("Overwrote {} ({size}){through}.", at.shown),
        Replaced::InPlace(at, names) => {
            format!("Overwrote {} ({size}){through}. {}", at.shown, in_place(names))
        }
        Replaced::Stale => {
            return Err(ToolError::failed("The file changed while it was written."));
        }
    }))
}

/// Says how a file with several names was written.
pub(crate) fn in_place(names: u64) -> String {
    format!(
        "It has {names} names (hard links) and was written in place: all of them have the new content."
    )
}
