//! `config show`: each value with where it is from.

use std::fmt::Write as _;

use figment::{
    Provider as _,
    value::{Dict, Value},
};

use super::Loaded;

/// The values in force, a line each: `key = value  # source`.
pub(crate) fn show(loaded: &Loaded) -> String {
    let mut text = String::new();
    for profile in loaded.figment.data().unwrap_or_default().into_values() {
        write_table(&mut text, "", &profile, loaded);
    }
    text
}

fn write_table(text: &mut String, prefix: &str, table: &Dict, loaded: &Loaded) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if let Value::Dict(_, inner) = value {
            write_table(text, &key, inner, loaded);
        } else {
            let shown = toml::Value::try_from(value)
                .map_or_else(|_| String::from("?"), |value| value.to_string());
            let shown = without_password(&shown);
            // Writing to a String does not fail.
            let _ = writeln!(text, "{key} = {shown}  # {}", source(&key, loaded));
        }
    }
}

/// A URL may hold a name and a password, which are nobody's to see.
fn without_password(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else {
        return value.to_owned();
    };
    let host = rest.find('/').unwrap_or(rest.len());
    match rest.get(..host).and_then(|host| host.rfind('@')).and_then(|at| rest.get(at..)) {
        Some(after) => format!("{scheme}://***{after}"),
        None => value.to_owned(),
    }
}

fn source(key: &str, loaded: &Loaded) -> String {
    let Some(metadata) = loaded.figment.find_metadata(key) else {
        return "default".to_owned();
    };
    match &metadata.source {
        Some(figment::Source::File(path)) => path.display().to_string(),
        Some(figment::Source::Code(_)) => "default".to_owned(),
        _ => metadata.name.to_string(),
    }
}
