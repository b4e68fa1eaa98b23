//! Alternatives at the top of a schema, which some formats refuse there.

use serde_json::{Map, Value};

use super::Notes;

/// Takes the given keywords away from the top, with a note for each. The properties that only they
/// described stay visible to the model, as optional ones.
pub(super) fn flatten(schema: &mut Map<String, Value>, keywords: &[&str], notes: &mut Notes<'_>) {
    let whole = Value::Object(schema.clone());
    for keyword in keywords {
        let Some(removed) = schema.shift_remove(*keyword) else { continue };
        let mut hoisted = Vec::new();
        if *keyword != "not" {
            let branches = match &removed {
                Value::Array(list) => list.iter().collect(),
                one => vec![one],
            };
            for branch in branches {
                hoist(schema, &whole, branch, &mut hoisted);
            }
        }
        let mut message = format!("the format refuses `{keyword}` at the top; left out");
        if !hoisted.is_empty() {
            message.push_str(", its properties shown as optional: ");
            message.push_str(&hoisted.join(", "));
        }
        notes.schema(&format!("/{keyword}"), message);
    }
}

fn hoist(
    schema: &mut Map<String, Value>,
    whole: &Value,
    branch: &Value,
    hoisted: &mut Vec<String>,
) {
    let referred = branch
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|pointer| whole.pointer(pointer));
    for source in [Some(branch), referred].into_iter().flatten() {
        let Some(Value::Object(described)) = source.get("properties") else { continue };
        let known = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(known) = known else { continue };
        for (name, property) in described {
            if !known.contains_key(name) {
                known.insert(name.clone(), property.clone());
                hoisted.push(crate::text::quoted(name));
            }
        }
    }
}
