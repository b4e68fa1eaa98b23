//! Which draft of JSON Schema a schema is written in.

use jsonschema::{Draft, ValidationError};
use serde_json::Value;

use super::fault::SchemaFault;

/// The draft that `$schema` names; 2020-12 where it names none.
pub(super) fn of(schema: &Value) -> Result<Draft, SchemaFault> {
    let Some(Value::String(uri)) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    known(uri).ok_or_else(|| {
        SchemaFault::new(
            "/$schema",
            format!(
                "the meta-schema {} is not known, and nothing is fetched",
                crate::text::quoted(uri)
            ),
            "leave `$schema` out for draft 2020-12, or name draft 4, 6, 7, 2019-09 or 2020-12",
        )
    })
}

/// Both schemes are taken, with and without the empty fragment: all of these are seen in the wild.
pub(super) fn known(uri: &str) -> Option<Draft> {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
    match path.strip_prefix("json-schema.org/")? {
        "draft-04/schema" => Some(Draft::Draft4),
        "draft-06/schema" => Some(Draft::Draft6),
        "draft-07/schema" => Some(Draft::Draft7),
        "draft/2019-09/schema" => Some(Draft::Draft201909),
        "draft/2020-12/schema" => Some(Draft::Draft202012),
        _ => None,
    }
}

/// Where the schema breaks the rules of its own draft.
pub(super) fn meta_errors(draft: Draft, schema: &Value) -> Vec<ValidationError<'_>> {
    match draft {
        Draft::Draft4 => collect(&jsonschema::draft4::meta::validator(), schema),
        Draft::Draft6 => collect(&jsonschema::draft6::meta::validator(), schema),
        Draft::Draft7 => collect(&jsonschema::draft7::meta::validator(), schema),
        Draft::Draft201909 => collect(&jsonschema::draft201909::meta::validator(), schema),
        _ => collect(&jsonschema::draft202012::meta::validator(), schema),
    }
}

fn collect<'a>(
    validator: &jsonschema::meta::MetaValidator<'_>,
    schema: &'a Value,
) -> Vec<ValidationError<'a>> {
    if validator.is_valid(schema) {
        return Vec::new();
    }
    validator.iter_errors(schema).map(ValidationError::to_owned).collect()
}
