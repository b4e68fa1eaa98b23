//! What is wrong with a value, in words for a person.

use figment::{Error, Source, error::Kind};

/// All faults, one after the other: which key, what came, what would be right, and who set it.
pub(super) fn words(error: &Error) -> String {
    let faults: Vec<String> = error.clone().into_iter().map(|fault| one(&fault)).collect();
    faults.join("; ")
}

fn one(fault: &Error) -> String {
    let path: Vec<&str> =
        fault.path.iter().map(String::as_str).filter(|part| *part != "default").collect();
    let key = path.join(".").to_lowercase();
    let what = match &fault.kind {
        Kind::InvalidType(came, expected) | Kind::InvalidValue(came, expected) => {
            format!("`{key}` is {came}, but must be {}", plain(expected))
        }
        Kind::UnknownVariant(came, known) => {
            format!("`{key}` is `{}`, but must be one of {}", came.escape_debug(), known.join(", "))
        }
        Kind::UnknownField(came, known) => {
            let table = key.strip_suffix(came.as_str()).unwrap_or(&key).trim_end_matches('.');
            let place = if table.is_empty() { String::new() } else { format!(" in `{table}`") };
            format!(
                "there is no setting `{}`{place}; there are {}",
                came.escape_debug(),
                known.join(", ")
            )
        }
        // These name the variants of an enum in words that are good enough.
        other if key.is_empty() => other.to_string(),
        other => format!("`{key}`: {other}"),
    };
    format!("{what} (set by {})", source(fault))
}

/// The library's names of types, as a person says them.
fn plain(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i64" => "a whole number".to_owned(),
        "a string" | "string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}

fn source(fault: &Error) -> String {
    match fault.metadata.as_ref() {
        None => "the defaults".to_owned(),
        Some(metadata) => match &metadata.source {
            Some(Source::File(path)) => path.display().to_string(),
            _ => metadata.name.to_string(),
        },
    }
}
