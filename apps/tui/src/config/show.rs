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
            // Writing to a String does not fail.
            let _ = writeln!(text, "{key} = {shown}  # {}", source(&key, loaded));
        }
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
