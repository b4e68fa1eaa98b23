//! Where a schema holds subschemas, in all drafts that are read.

/// What a keyword's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A schema, or a list of schemas.
    SchemaOrList,
    /// Schemas by name.
    Map,
}

/// What its subschemas are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The same value again.
    Same,
    /// The member of the name under which the subschema stands.
    Named,
    /// Some of the members, or a member's name.
    Below,
    /// Nothing, unless something refers to them.
    Nothing,
}

/// The shape and the target of a keyword that holds subschemas.
pub(super) fn applicator(keyword: &str) -> Option<(Shape, Target)> {
    Some(match keyword {
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => {
            (Shape::SchemaOrList, Target::Same)
        }
        "dependentSchemas" | "dependencies" => (Shape::Map, Target::Same),
        "properties" => (Shape::Map, Target::Named),
        "patternProperties" => (Shape::Map, Target::Below),
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames" => (Shape::SchemaOrList, Target::Below),
        "$defs" | "definitions" => (Shape::Map, Target::Nothing),
        "contentSchema" => (Shape::SchemaOrList, Target::Nothing),
        _ => return None,
    })
}

/// Whether a keyword refers to another schema.
pub(super) fn is_reference(keyword: &str) -> bool {
    matches!(keyword, "$ref" | "$dynamicRef" | "$recursiveRef")
}
