//! Anthropic Messages: `name`, `description`, `input_schema`.
//!
//! The schema is JSON Schema 2020-12 and goes out as it is, but for alternatives at the top, which
//! the service refuses.

use serde_json::{Value, json};

use super::{Notes, members, top_level};
use crate::tool::Tool;

pub(super) fn define(tool: &Tool, notes: &mut Notes<'_>) -> Value {
    let mut schema = members(tool);
    top_level::flatten(&mut schema, &["anyOf", "oneOf", "allOf"], notes);
    json!({
        "name": notes.wire_name(),
        "description": tool.description(),
        "input_schema": schema,
    })
}
