//! Mending of arguments.
//!
//! Models send a list as the text of a list, or a number in quotes. That is mended, and said, where
//! nothing is guessed: the value is invalid *because it is a string*, the string is exactly one JSON
//! array, object, number or boolean, and with it the arguments are valid. A valid value is never
//! touched, so text that merely looks like a list stays text.

use std::collections::BTreeMap;

use callgate_registry::{Fault, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::{arguments, words};

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

/// Mends the arguments if that makes them valid; else leaves them as they were.
pub(crate) fn mend(
    schema: &Schema,
    arguments: &mut Value,
    faults: &[Fault],
) -> Option<Vec<Repair>> {
    // Every place at fault must be mended by itself, or the whole stays invalid.
    let mut places: BTreeMap<&str, bool> = BTreeMap::new();
    for fault in faults {
        *places.entry(&fault.pointer).or_default() |= fault.keyword == "type";
    }
    let mut repairs = Vec::new();
    let mut originals = Vec::new();
    for (pointer, wrong_type) in places {
        let place = arguments.pointer_mut(pointer).filter(|_| wrong_type);
        let Some((place, value)) = place.and_then(|place| Some((meant(place)?, place))) else {
            break;
        };
        repairs.push(Repair {
            pointer: pointer.to_owned(),
            from: words::brief(value),
            to: words::brief(&place),
        });
        originals.push((pointer, std::mem::replace(value, place)));
    }
    if !repairs.is_empty() && schema.is_valid(arguments) {
        return Some(repairs);
    }
    for (pointer, original) in originals {
        if let Some(place) = arguments.pointer_mut(pointer) {
            *place = original;
        }
    }
    None
}

/// The value that a string spells, if it is one that models put into strings by mistake.
fn meant(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    match arguments::parse(text).ok()? {
        Value::String(_) | Value::Null => None,
        list @ (Value::Array(_) | Value::Object(_)) => Some(list),
        scalar => (text.trim() == text).then_some(scalar),
    }
}

/// Writes whole numbers as integers: `1.0` and `1` are one number in JSON Schema, but not to a handler
/// that reads its arguments into an integer.
pub(crate) fn settle_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = whole(number) {
                *number = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle_numbers),
        Value::Object(map) => map.values_mut().for_each(settle_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Integers up to here are exact as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|float| number.is_f64() && float.abs() <= EXACT)?;
    // The text of a whole floating-point number is that of the integer.
    (float.fract() == 0.0)
        .then(|| format!("{float:.0}").parse::<i64>().ok())
        .flatten()
        .map(Number::from)
}

#[cfg(test)]
mod tests;
