//! Faults of `anyOf` and `oneOf`: of the alternative that was meant, if that can be told.

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{
    explain::{self, Against, fault},
    fault::Fault,
};

/// The faults of the alternative that was meant; else one fault that names the alternatives.
pub(super) fn explain(
    error: &ValidationError<'_>,
    alternatives: &[Vec<ValidationError<'static>>],
    against: Against<'_>,
) -> Vec<Fault> {
    let base = error.instance_path().as_str();
    // Who sends an object does not mean the alternative that is a string.
    let of_type: Vec<_> = alternatives.iter().filter(|errors| !wrong_type(errors, base)).collect();
    if of_type.is_empty() {
        return vec![fault(error, all_types(alternatives), None)];
    }
    // Nor does one who says `"kind": "b"` mean the alternative of kind a.
    let of_kind: Vec<_> =
        of_type.iter().copied().filter(|errors| !wrong_kind(errors, base)).collect();
    match (of_kind.as_slice(), of_type.as_slice()) {
        ([only], _) | ([], [only]) => {
            only.iter().flat_map(|e| explain::explain(e, against)).collect()
        }
        ([], several) => {
            let kinds: Option<Vec<_>> =
                several.iter().map(|errors| kind_fault(errors, base)).collect();
            kinds
                .and_then(|kinds| one_kind(error, &kinds))
                .map_or_else(|| vec![no_alternative(error, several, against)], |fault| vec![fault])
        }
        (several, _) => vec![no_alternative(error, several, against)],
    }
}

fn wrong_type(errors: &[ValidationError<'_>], base: &str) -> bool {
    errors.iter().any(|error| {
        matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == base
    })
}

/// Whether a property that has one value or a few in this alternative has another in the call.
fn wrong_kind(errors: &[ValidationError<'static>], base: &str) -> bool {
    kind_fault(errors, base).is_some()
}

fn kind_fault<'e>(
    errors: &'e [ValidationError<'static>],
    base: &str,
) -> Option<&'e ValidationError<'static>> {
    errors.iter().find(|error| {
        matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. })
            && error
                .instance_path()
                .as_str()
                .strip_prefix(base)
                // The value itself, or a property of it.
                .is_some_and(|below| below.matches('/').count() <= 1)
    })
}

/// One fault for the value, or the property of it, by which all alternatives are told apart.
fn one_kind(whole: &ValidationError<'_>, errors: &[&ValidationError<'static>]) -> Option<Fault> {
    let (first, rest) = errors.split_first()?;
    if rest.iter().any(|error| error.instance_path() != first.instance_path()) {
        return None;
    }
    let mut values = Vec::new();
    for error in errors {
        match error.kind() {
            Kind::Constant { expected_value } => values.push(Value::clone(expected_value)),
            Kind::Enum { options } => {
                values.extend(options.as_array().into_iter().flatten().cloned());
            }
            _ => return None,
        }
    }
    let fault = explain::not_in_enum(first, &Value::Array(values));
    if first.instance_path() == whole.instance_path() {
        return Some(Fault { keyword: whole.kind().keyword().to_owned(), ..fault });
    }
    Some(fault)
}

fn all_types(alternatives: &[Vec<ValidationError<'static>>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for error in alternatives.iter().flatten() {
        if let Kind::Type { kind } = error.kind() {
            for name in explain::types(kind) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    names.join(" or ")
}

/// The alternatives can't be told apart: the one with the fewest faults is named as the nearest.
fn no_alternative(
    error: &ValidationError<'_>,
    alternatives: &[&Vec<ValidationError<'static>>],
    against: Against<'_>,
) -> Fault {
    let whole = fault(error, "one of the alternatives".to_owned(), None);
    let best = alternatives
        .iter()
        .min_by_key(|errors| errors.len())
        .and_then(|errors| errors.first())
        .and_then(|error| explain::explain(error, against).into_iter().next());
    match best {
        Some(best) => {
            let message = format!(
                "matches none of {} alternatives; the nearest one says: {}",
                alternatives.len(),
                best
            );
            Fault { message, nearest: best.nearest, ..whole }
        }
        None => whole,
    }
}
