//! The line that the outside contract gives a result.

use std::borrow::Cow;

use callgate_registry::{Content, Spill};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    repair::Repair,
    result::{ErrorCode, Timing, ToolResult},
};

/// A result as one JSON object, fields in the contract's order.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    tool_use_id: Cow<'a, str>,
    name: Cow<'a, str>,
    is_error: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error_code: Option<ErrorCode>,
    content: Cow<'a, str>,
    spill: Option<Spill>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Repair>,
    timing: Timing,
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Line {
            tool_use_id: Cow::Borrowed(&self.tool_use_id),
            name: Cow::Borrowed(&self.name),
            is_error: self.is_error(),
            error_code: self.error_code,
            content: Cow::Owned(self.described()),
            spill: self.spill.clone(),
            exit_code: self.exit_code,
            repairs: self.repairs.clone(),
            timing: self.timing,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = Line::deserialize(deserializer)?;
        let text = line.content.into_owned();
        Ok(Self {
            tool_use_id: line.tool_use_id.into_owned(),
            name: line.name.into_owned(),
            error_code: line.error_code,
            content: if text.is_empty() { Vec::new() } else { vec![Content::text(text)] },
            spill: line.spill,
            exit_code: line.exit_code,
            repairs: line.repairs,
            timing: line.timing,
        })
    }
}

#[cfg(test)]
mod tests;
