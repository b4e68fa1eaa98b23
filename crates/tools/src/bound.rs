//! The bound on output for tools that have none of their own.

use std::sync::Arc;

use callgate_exec::{CaptureOptions, SpillStore, capture_bytes};
use callgate_registry::{Content, ToolOutput};

use crate::toolbox::spilled;

/// Bounds an output to about `max_bytes` of text: what is longer goes to `spills` whole, and its
/// start and end are returned. Content that is no text stays.
///
/// `label` says what the output is of, such as the tool's name. Writes a file, so it may block.
pub fn bound(
    spills: &Arc<SpillStore>,
    label: &str,
    output: ToolOutput,
    max_bytes: usize,
) -> ToolOutput {
    let ToolOutput { content, spill, exit_code } = output;
    let (texts, mut rest): (Vec<Content>, Vec<Content>) =
        content.into_iter().partition(|block| matches!(block, Content::Text { .. }));
    let texts: Vec<String> = texts
        .into_iter()
        .filter_map(|block| match block {
            Content::Text { text } => Some(text),
            _ => None,
        })
        .collect();
    let captured = capture_bytes(texts.join("\n").as_bytes(), &options(spills, label, max_bytes));
    let mut content = if captured.is_whole() {
        texts.into_iter().map(Content::text).collect()
    } else {
        vec![Content::text(captured.text)]
    };
    let kept = match (spilled(captured.spill), spill) {
        (Some(kept), Some(earlier)) => {
            content.push(Content::text(format!("[an earlier part is kept as {}]", earlier.id)));
            Some(kept)
        }
        (kept, earlier) => kept.or(earlier),
    };
    content.append(&mut rest);
    ToolOutput { content, spill: kept, exit_code }
}

/// The usual bound, smaller in proportion where less is allowed.
fn options(spills: &Arc<SpillStore>, label: &str, max_bytes: usize) -> CaptureOptions {
    let usual = CaptureOptions::default();
    CaptureOptions {
        threshold_bytes: max_bytes,
        head_chars: usual.head_chars.min(max_bytes / 5),
        tail_chars: usual.tail_chars.min(max_bytes / 5 * 4),
        ..usual
    }
    .spill(Arc::clone(spills))
    .label(label)
}
