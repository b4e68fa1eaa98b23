//! From the validator's error to a fault in words.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::{Map, Value};

use super::{branches, fault::Fault};
use crate::{nearest, text};

/// What an error is about: the validator tells where things are, and here is what is there.
#[derive(Clone, Copy)]
pub(super) struct Against<'a> {
    pub(super) schema: &'a Value,
    pub(super) arguments: &'a Value,
}

impl<'a> Against<'a> {
    /// The object that an error points at.
    fn object(self, error: &ValidationError<'_>) -> Option<&'a Map<String, Value>> {
        self.arguments.pointer(error.instance_path().as_str()).and_then(Value::as_object)
    }
}

/// The faults that an error stands for: several where several properties are unknown, or where the
/// alternative that was meant is clear.
pub(super) fn explain(error: &ValidationError<'_>, against: Against<'_>) -> Vec<Fault> {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let unexpected = unexpected.iter().map(String::as_str);
            unknown_properties(error, unexpected, against)
        }
        // So the validator reports one property of an object that may have none.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            let all = against.object(error).into_iter().flat_map(Map::keys).map(String::as_str);
            unknown_properties(error, all, against)
        }
        Kind::Required { property } => vec![missing_property(error, property, against)],
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            branches::explain(error, context, against)
        }
        Kind::Enum { options } => vec![not_in_enum(error, options)],
        _ => vec![plain(error)],
    }
}

/// A fault with the usual sentence.
pub(super) fn fault(
    error: &ValidationError<'_>,
    expected: String,
    nearest: Option<String>,
) -> Fault {
    let found = text::described(error.instance());
    let message = with_hint(format!("expected {expected}, found {found}"), nearest.as_deref());
    Fault {
        pointer: error.instance_path().as_str().to_owned(),
        keyword: error.kind().keyword().to_owned(),
        expected,
        found,
        nearest,
        message,
    }
}

fn with_hint(message: String, nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("{message}; did you mean {}?", text::quoted(nearest)),
        None => message,
    }
}

fn plain(error: &ValidationError<'_>) -> Fault {
    if let Kind::PropertyNames { error: inner } = error.kind() {
        let name = inner.instance().as_str().unwrap_or_default();
        let expected = format!("property names that are {}", expectation(inner));
        let found = format!("property {}", text::quoted(name));
        let message = format!("expected {expected}, found {found}");
        return Fault { found, message, ..fault(error, expected, None) };
    }
    fault(error, expectation(error), None)
}

fn expectation(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Type { kind } => types(kind).join(" or "),
        Kind::Constant { expected_value } => text::shown(expected_value),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {}", counted(*limit, "character")),
        Kind::MaxLength { limit } => format!("at most {}", counted(*limit, "character")),
        Kind::MinItems { limit } => format!("at least {}", counted(*limit, "item")),
        Kind::MaxItems { limit } => format!("at most {}", counted(*limit, "item")),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "no more items than the schema describes".to_owned(),
        Kind::Pattern { pattern } => format!("text that matches {}", text::quoted(pattern)),
        Kind::UniqueItems => "items that all differ".to_owned(),
        Kind::Contains => "an array with the item that `contains` asks for".to_owned(),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Not { schema } => format!("something other than {}", text::shown(schema)),
        Kind::OneOfMultipleValid { .. } => "exactly one of the alternatives to match".to_owned(),
        Kind::Enum { options } => listed(options),
        _ => format!("what `{}` asks for", text::cut(error.kind().keyword(), 40)),
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The names of the types that an error asks for.
pub(super) fn types(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Single(one) => vec![one.to_string()],
        TypeKind::Multiple(several) => several.iter().map(|one| one.to_string()).collect(),
    }
}

fn listed(options: &Value) -> String {
    let Some(options) = options.as_array() else {
        return text::shown(options);
    };
    let mut out = String::from("one of ");
    for (index, option) in options.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        let left = (2 * text::MAX_SHOWN_CHARS).saturating_sub(out.chars().count());
        if left < 10 {
            out.push_str("… (");
            out.push_str(&options.len().to_string());
            out.push_str(" values)");
            break;
        }
        out.push_str(&text::shown(option));
    }
    out
}

pub(super) fn not_in_enum(error: &ValidationError<'_>, options: &Value) -> Fault {
    let near = options.as_array().and_then(|options| nearest_option(error.instance(), options));
    fault(error, listed(options), near)
}

fn nearest_option(found: &Value, options: &[Value]) -> Option<String> {
    let as_text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let found = as_text(found)?;
    let options: Vec<String> = options.iter().take(1000).filter_map(as_text).collect();
    let best = nearest::nearest(&found, options.iter().map(String::as_str), 1);
    best.first().map(|text| (*text).to_owned())
}

/// The schema in which the keyword stands.
fn parent<'s>(error: &ValidationError<'_>, against: Against<'s>) -> Option<&'s Value> {
    let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
    against.schema.pointer(parent)
}

/// The names that the schema beside a keyword describes, and those that it requires.
fn beside<'s>(error: &ValidationError<'_>, against: Against<'s>) -> (Vec<&'s str>, Vec<&'s str>) {
    let Some(parent) = parent(error, against) else { return (Vec::new(), Vec::new()) };
    let known = parent.get("properties").and_then(Value::as_object);
    let required = parent.get("required").and_then(Value::as_array);
    (
        known.into_iter().flat_map(|known| known.keys().map(String::as_str)).collect(),
        required.into_iter().flatten().filter_map(Value::as_str).collect(),
    )
}

fn unknown_properties<'n>(
    error: &ValidationError<'_>,
    names: impl Iterator<Item = &'n str>,
    against: Against<'_>,
) -> Vec<Fault> {
    names.take(super::MAX_FAULTS).map(|name| unknown_property(error, name, against)).collect()
}

fn unknown_property(error: &ValidationError<'_>, name: &str, against: Against<'_>) -> Fault {
    let (known, required) = beside(error, against);
    let given = against.object(error);
    let absent = |candidate: &&str| !given.is_some_and(|members| members.contains_key(*candidate));
    let missing = required.into_iter().filter(absent);
    let best = nearest::nearest(name, missing, 1).first().copied().or_else(|| {
        nearest::nearest(name, known.iter().copied().filter(absent), 1).first().copied()
    });
    let expected = match known.len() {
        0 => "no other properties".to_owned(),
        _ => format!("only the properties {}", names(known.iter().copied())),
    };
    let found = format!("property {}", text::quoted(name));
    let message = with_hint(format!("unknown {found}"), best);
    let message = if best.is_some() { message } else { format!("{message}; expected {expected}") };
    let nearest = best.map(str::to_owned);
    let keyword = match error.kind() {
        Kind::FalseSchema => "additionalProperties".to_owned(),
        kind => kind.keyword().to_owned(),
    };
    Fault { keyword, found, message, ..fault(error, expected, nearest) }
}

fn missing_property(error: &ValidationError<'_>, property: &Value, against: Against<'_>) -> Fault {
    let name = property.as_str().unwrap_or_default();
    let (known, _) = beside(error, against);
    let given = against.object(error).into_iter().flat_map(Map::keys);
    let keys: Vec<&str> = given.map(String::as_str).take(100).collect();
    let unknown = keys.iter().copied().filter(|key| !known.contains(key));
    let near = nearest::nearest(name, unknown, 1).first().map(|near| (*near).to_owned());
    let found = if keys.is_empty() {
        "no properties".to_owned()
    } else {
        format!("properties {}", names(keys.iter().copied()))
    };
    let expected = format!("property {}", text::quoted(name));
    let message = match &near {
        Some(near) => {
            format!("missing {expected}; {} is no known property, rename it", text::quoted(near))
        }
        None => format!("missing {expected}"),
    };
    // The path ends with the keyword itself, which for `dependentRequired` is not `required`.
    let keyword = error.schema_path().as_str().rsplit('/').next().unwrap_or("required").to_owned();
    Fault { keyword, found, message, ..fault(error, expected, near) }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for name in names {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if out.chars().count() > text::MAX_SHOWN_CHARS {
            out.push('…');
            break;
        }
        out.push_str(&text::quoted(name));
    }
    out
}
