//! Mending of arguments.

use serde::{Deserialize, Serialize};

/// What was mended in the arguments of a call before they were valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// The JSON Pointer of the value that was mended.
    pub pointer: String,
    /// What came, such as `string "3"`.
    pub from: String,
    /// What was run instead, such as `integer 3`.
    pub to: String,
}
