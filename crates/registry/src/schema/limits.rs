//! The budget of one schema. Schemas come from servers that nobody here wrote, and each one is
//! compiled, sent to a provider, and run on every call.

use serde_json::Value;

use super::fault::SchemaFault;

/// Bytes of compact JSON. The largest schemas of public servers have some 50 KB.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// Values of any kind, enum members included.
pub(super) const MAX_NODES: usize = 10_000;
/// Levels of nesting; deeper than any schema that a model could read.
pub(super) const MAX_DEPTH: usize = 64;
/// Subschemas after each `$ref` is replaced by what it points to, recursion counted once.
pub(super) const MAX_EXPANDED: u64 = 100_000;
/// Steps from subschema to subschema, through references too. Compiling goes as deep.
pub(super) const MAX_CHAIN: u32 = 128;
/// Of these, steps in a row that stay at one value. Validating goes as deep at each of the (at most
/// 127) levels of the arguments.
pub(super) const MAX_CHAIN_AT_ONE_VALUE: u32 = 24;
/// Different regular expressions.
pub(super) const MAX_PATTERNS: usize = 64;
/// Bytes of one regular expression, compiled.
pub(super) const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// The first limit that the schema exceeds, found without recursion.
pub(super) fn exceeded(schema: &Value) -> Option<SchemaFault> {
    let mut nodes = 0_usize;
    let mut left = vec![(schema, 1_usize)];
    while let Some((value, depth)) = left.pop() {
        nodes += 1;
        if depth > MAX_DEPTH {
            return Some(too_big(format!(
                "the schema is nested more than {MAX_DEPTH} levels deep"
            )));
        }
        if nodes > MAX_NODES {
            return Some(too_big(format!("the schema has more than {MAX_NODES} values")));
        }
        match value {
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => left.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    let mut bytes = Counter(0);
    // Counting can't fail, and a value without floats from outside JSON always serialises.
    let _ = serde_json::to_writer(&mut bytes, schema);
    (bytes.0 > MAX_BYTES)
        .then(|| too_big(format!("the schema has {} bytes; {MAX_BYTES} is the limit", bytes.0)))
}

fn too_big(problem: String) -> SchemaFault {
    SchemaFault::new("", problem, "make the schema smaller, or split the tool")
}

struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
