//! The first two of the three steps: look up, validate.

use std::{sync::Arc, time::Duration};

use callgate_registry::{Effects, Fault, Snapshot, Tool};
use serde_json::Value;

use crate::{
    arguments,
    call::Arguments,
    guard::shielded,
    repair::{self, Repair},
    result::ErrorCode,
    words,
};

/// Faults that are told one by one. A model mends a few at a time, and a list of a thousand items of
/// the wrong type is one mistake.
const MAX_FAULTS: usize = 20;

/// A call that may run as far as its name and its arguments go.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) tool: Arc<Tool>,
    pub(crate) arguments: Value,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) subject: Option<String>,
    pub(crate) effects: Effects,
    pub(crate) limit: Duration,
}

/// A call that can't run, and what the model is told.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// The arguments as they came, as far as they may be passed on.
    pub(crate) arguments: Value,
}

/// Looks up and validates; never runs the tool.
pub(crate) fn prepare(
    snapshot: &Snapshot,
    name: &str,
    arguments: Arguments,
) -> Result<Prepared, Refused> {
    let Some(tool) = snapshot.get(name) else {
        let arguments = as_it_came(arguments);
        return Err(Refused {
            code: ErrorCode::UnknownTool,
            message: unknown(snapshot, name),
            arguments,
        });
    };
    let mut arguments = arguments::read(arguments).map_err(|unreadable| Refused {
        code: ErrorCode::InvalidArguments,
        message: invalid(tool.name(), [unreadable.message]),
        arguments: unreadable.arguments,
    })?;
    let repairs = match validate(tool, &mut arguments) {
        Ok(repairs) => repairs,
        Err(message) => {
            return Err(Refused { code: ErrorCode::InvalidArguments, message, arguments });
        }
    };
    repair::settle_numbers(&mut arguments);
    let asked = shielded(|| (tool.timeout(&arguments), tool.subject(&arguments)));
    let effects = effects_of(tool, &arguments);
    let (Some((limit, subject)), Some(effects)) = (asked, effects) else {
        return Err(Refused {
            code: ErrorCode::ExecutionError,
            message: panicked(tool.name()),
            arguments,
        });
    };
    Ok(Prepared { tool: Arc::clone(tool), arguments, repairs, subject, effects, limit })
}

/// What the call touches as things are now; nothing if the tool can't say without a panic.
pub(crate) fn effects_of(tool: &Tool, arguments: &Value) -> Option<Effects> {
    shielded(|| tool.effects(arguments))
}

/// The arguments of a call that was not read.
pub(crate) fn as_it_came(arguments: Arguments) -> Value {
    match arguments {
        Arguments::Text(text) => Value::String(text),
        Arguments::Value(value) => value,
    }
}

fn validate(tool: &Tool, arguments: &mut Value) -> Result<Vec<Repair>, String> {
    let schema = tool.schema();
    if schema.is_valid(arguments) {
        return Ok(Vec::new());
    }
    let faults = schema.faults(arguments);
    repair::mend(schema, arguments, &faults)
        .ok_or_else(|| invalid(tool.name(), faults.iter().map(Fault::to_string)))
}

/// What the model is told of invalid arguments, one line for each fault.
pub(crate) fn invalid(tool: &str, faults: impl IntoIterator<Item = String>) -> String {
    let mut faults = faults.into_iter();
    let mut lines = vec![format!("invalid arguments for {tool}; nothing ran:")];
    lines.extend(faults.by_ref().take(MAX_FAULTS).map(|fault| format!("- {fault}")));
    // The validator stops counting at some point too, so no number would be true.
    if faults.next().is_some() {
        lines.push("- and more".to_owned());
    }
    lines.join("\n")
}

/// What the model is told of a panic: that the arguments are not to blame, and nothing of our inside.
pub(crate) fn panicked(tool: &str) -> String {
    format!("{tool} crashed: a fault of the tool itself. It may have had effects.")
}

fn unknown(snapshot: &Snapshot, name: &str) -> String {
    if name.trim().is_empty() {
        return "the name of the tool is empty; name the tool to call".to_owned();
    }
    let meant = match snapshot.nearest(name).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [many @ .., last] => format!("; did you mean {} or {last}?", many.join(", ")),
    };
    let by_case = snapshot.names().any(|other| other.eq_ignore_ascii_case(name));
    let hint = if by_case { " (Names are case-sensitive.)" } else { "" };
    format!("no tool is named {}{meant}{hint}", words::quoted(name))
}
