//! The Model Context Protocol: a tool of `tools/list`. It takes every schema whole.

use serde_json::{Value, json};

use crate::tool::Tool;

pub(super) fn define(tool: &Tool) -> Value {
    json!({
        "name": tool.name(),
        "description": tool.description(),
        "inputSchema": tool.schema().as_value(),
        "annotations": tool.annotations(),
    })
}
