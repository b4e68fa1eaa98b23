//! A tool on the ledger.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use crate::{
    effects::Effects,
    error::RegisterFault,
    handler::Handler,
    name, pointer,
    schema::Schema,
    spec::{Annotations, Concurrency, Policy, Timeout, ToolSpec},
    text,
};

/// A tool on the ledger: its record, accepted and frozen.
#[derive(Debug)]
pub struct Tool {
    spec: ToolSpec,
    schema: Schema,
    warnings: Vec<String>,
}

impl Tool {
    /// Checks a record by itself; what only shows next to other tools is checked by the ledger.
    pub(crate) fn accept(mut spec: ToolSpec) -> Result<Self, Vec<RegisterFault>> {
        let mut faults = Vec::new();
        if let Some((problem, mend)) = name::fault(&spec.name) {
            faults.push(RegisterFault::new(&spec.name, "/name", problem, mend));
        }
        if !spec.description.chars().any(|c| !c.is_whitespace() && !text::is_hidden(c)) {
            faults.push(RegisterFault::new(
                &spec.name,
                "/description",
                "the description is blank",
                "say what the tool does and when to use it; the model chooses by it",
            ));
        }
        match Schema::compile(std::mem::take(&mut spec.input_schema)) {
            Ok(schema) if faults.is_empty() => {
                let warnings = warnings(&spec.description, &schema);
                Ok(Self { spec, schema, warnings })
            }
            Ok(_) => Err(faults),
            Err(of_schema) => {
                faults.extend(
                    of_schema.into_iter().map(|fault| RegisterFault::of_schema(&spec.name, fault)),
                );
                Err(faults)
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// What the model is told of it, as its author wrote it. To show it to a person, pass it through
    /// [`escape_hidden`](crate::escape_hidden).
    pub fn description(&self) -> &str {
        &self.spec.description
    }

    /// The schema of its arguments.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What runs.
    pub fn handler(&self) -> &Arc<dyn Handler> {
        &self.spec.handler
    }

    /// How its calls are run.
    pub fn policy(&self) -> &Policy {
        &self.spec.policy
    }

    /// Hints about its nature.
    pub fn annotations(&self) -> Annotations {
        self.spec.annotations
    }

    /// What a person should know before trusting it: characters in its texts that can't be seen.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What a call with these (valid) arguments touches.
    pub fn effects(&self, arguments: &Value) -> Effects {
        match &self.spec.policy.concurrency {
            Concurrency::Exclusive => Effects::everything(),
            Concurrency::Declared(of) => of(arguments),
        }
    }

    /// The time limit of a call with these (valid) arguments.
    pub fn timeout(&self, arguments: &Value) -> Duration {
        match &self.spec.policy.timeout {
            Timeout::Fixed(limit) => *limit,
            Timeout::FromArguments(of) => of(arguments),
        }
    }

    /// What permission rules are matched against: the argument that [`Policy::subject`] names, a
    /// string as it is and anything else as compact JSON.
    pub fn subject(&self, arguments: &Value) -> Option<String> {
        let property = self.spec.policy.subject.as_deref()?;
        match arguments.get(property)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}

fn warnings(description: &str, schema: &Schema) -> Vec<String> {
    let mut warnings = Vec::new();
    warn_of_hidden("/description", description, &mut warnings);
    walk_texts(schema.as_value(), &mut "/input_schema".to_owned(), &mut warnings);
    warnings
}

/// Every text of a schema reaches the model, names of properties included. `at` is the pointer of
/// the value; it is the same again on return.
fn walk_texts(value: &Value, at: &mut String, warnings: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::String(text) => warn_of_hidden(at, text, warnings),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer::push(at, &index.to_string());
                walk_texts(item, at, warnings);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                pointer::push(at, key);
                warn_of_hidden(at, key, warnings);
                walk_texts(member, at, warnings);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

fn warn_of_hidden(at: &str, text: &str, warnings: &mut Vec<String>) {
    let mut hidden: Vec<char> =
        text.chars().filter(|c| text::is_hidden(*c) && !matches!(c, '\n' | '\t' | '\r')).collect();
    if hidden.is_empty() {
        return;
    }
    let count = hidden.len();
    hidden.sort_unstable();
    hidden.dedup();
    let names: Vec<String> =
        hidden.iter().take(5).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if hidden.len() > 5 { ", …" } else { "" };
    warnings.push(format!(
        "{} holds {count} invisible character{} ({}{more})",
        text::cut(at, text::MAX_SHOWN_CHARS),
        if count == 1 { "" } else { "s" },
        names.join(", "),
    ));
}
