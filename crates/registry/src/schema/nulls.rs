//! Nulls that stand for "left out".

use serde_json::Value;

use super::Schema;
use crate::text;

impl Schema {
    /// The arguments without the nulls that can only mean "left out": of properties that may be
    /// left out and may not be null.
    ///
    /// Models send such nulls in strict mode, where every property must be given, and some do it
    /// always. Everything else stays as it is, wrong or not.
    #[must_use]
    pub fn without_null_optionals(&self, mut arguments: Value) -> Value {
        // Each round takes one null away or is the last; without a bound on the rounds, many nulls
        // would cost the square of their number.
        for _ in 0..super::MAX_FAULTS {
            let nulls = self.faulty_nulls(&arguments);
            let mut without = arguments.clone();
            for null in &nulls {
                null.remove_from(&mut without);
            }
            let after = self.faults(&without);
            let optional = nulls.iter().filter(|null| {
                let expected = format!("property {}", text::quoted(&null.name));
                !after
                    .iter()
                    .any(|fault| fault.pointer == null.parent && fault.expected == expected)
            });
            let mut changed = false;
            for null in optional {
                changed |= null.remove_from(&mut arguments);
            }
            if !changed {
                break;
            }
        }
        arguments
    }

    fn faulty_nulls(&self, arguments: &Value) -> Vec<Member> {
        let faults = self.faults(arguments);
        let nulls = faults
            .iter()
            .filter(|fault| arguments.pointer(&fault.pointer).is_some_and(Value::is_null));
        nulls.filter_map(|fault| Member::at(&fault.pointer)).collect()
    }
}

/// A member of an object.
struct Member {
    parent: String,
    name: String,
}

impl Member {
    fn at(pointer: &str) -> Option<Self> {
        let (parent, name) = pointer.rsplit_once('/')?;
        let name = name.replace("~1", "/").replace("~0", "~");
        Some(Self { parent: parent.to_owned(), name })
    }

    /// False if there was none, or its parent is no object.
    fn remove_from(&self, arguments: &mut Value) -> bool {
        match arguments.pointer_mut(&self.parent) {
            Some(Value::Object(members)) => members.shift_remove(&self.name).is_some(),
            _ => false,
        }
    }
}
