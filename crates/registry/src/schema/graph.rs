//! A schema as the graph that its references make of it.
//!
//! The compiler follows references too, but it accepts what can't work (a reference that leads back
//! to itself accepts everything) and what works too well (references that double at each step).

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    draft,
    fault::SchemaFault,
    keywords::{self, Shape, Target},
    reference,
};
use crate::{pointer, text};

/// A subschema. Edges are indices into the list of all.
#[derive(Debug)]
pub(super) struct Node<'s> {
    pub(super) value: &'s Value,
    place: Place<'s>,
    /// Applied to the same value.
    pub(super) same: Vec<usize>,
    /// Applied to the member of that name.
    pub(super) named: Vec<(&'s str, usize)>,
    /// Applied to members.
    pub(super) below: Vec<usize>,
}

/// Where a subschema stands. Pointers are built only to be shown: with long names, a pointer for
/// each node would take memory in the square of the schema.
#[derive(Debug, Clone, Copy)]
enum Place<'s> {
    Root,
    Under {
        parent: usize,
        keyword: &'s str,
        step: Step<'s>,
    },
    /// Reached by a reference alone.
    Referred(&'s str),
}

#[derive(Debug, Clone, Copy)]
enum Step<'s> {
    None,
    Index(usize),
    Name(&'s str),
}

/// All subschemas of a schema; the root is the first.
#[derive(Debug)]
pub(super) struct Graph<'s> {
    pub(super) nodes: Vec<Node<'s>>,
    /// Whether anything refers to anything: without that, the graph is a tree.
    pub(super) has_references: bool,
}

impl<'s> Graph<'s> {
    /// Walks the schema and all that it refers to.
    pub(super) fn of(root: &'s Value, faults: &mut Vec<SchemaFault>) -> Self {
        let mut builder = Builder {
            root,
            root_id: root.get("$id").or_else(|| root.get("id")).and_then(Value::as_str),
            root_draft: root.get("$schema"),
            graph: Self { nodes: Vec::new(), has_references: false },
            known: HashMap::new(),
            anchors: HashMap::new(),
            references: Vec::new(),
            visited: 0,
            faults,
        };
        builder.add(root, Place::Root);
        builder.run();
        builder.graph
    }

    /// The JSON Pointer of a subschema.
    pub(super) fn pointer(&self, index: usize) -> String {
        match self.nodes.get(index).map(|node| node.place) {
            None | Some(Place::Root) => String::new(),
            Some(Place::Referred(pointer)) => pointer.to_owned(),
            Some(Place::Under { parent, keyword, step }) => {
                let mut at = pointer::join(&self.pointer(parent), keyword);
                match step {
                    Step::None => {}
                    Step::Index(index) => pointer::push(&mut at, &index.to_string()),
                    Step::Name(name) => pointer::push(&mut at, name),
                }
                at
            }
        }
    }
}

struct Builder<'s, 'f> {
    root: &'s Value,
    root_id: Option<&'s str>,
    root_draft: Option<&'s Value>,
    graph: Graph<'s>,
    known: HashMap<*const Value, usize>,
    anchors: HashMap<&'s str, usize>,
    references: Vec<(usize, &'s str, &'s str)>,
    visited: usize,
    faults: &'f mut Vec<SchemaFault>,
}

impl<'s> Builder<'s, '_> {
    fn run(&mut self) {
        loop {
            while self.visited < self.graph.nodes.len() {
                self.visit(self.visited);
                self.visited += 1;
            }
            let Some((from, keyword, target)) = self.references.pop() else {
                break;
            };
            self.follow(from, keyword, target);
        }
    }

    fn add(&mut self, value: &'s Value, place: Place<'s>) -> usize {
        *self.known.entry(std::ptr::from_ref(value)).or_insert_with(|| {
            self.graph.nodes.push(Node {
                value,
                place,
                same: Vec::new(),
                named: Vec::new(),
                below: Vec::new(),
            });
            self.graph.nodes.len() - 1
        })
    }

    fn visit(&mut self, index: usize) {
        let Some(Value::Object(members)) = self.graph.nodes.get(index).map(|node| node.value)
        else {
            return;
        };
        if index != 0 {
            self.refuse_other_document(index, members);
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(anchor)) = members.get(keyword) {
                self.anchors.insert(anchor, index);
            }
        }
        for (keyword, value) in members {
            if keywords::is_reference(keyword) {
                if let Value::String(target) = value {
                    self.references.push((index, keyword, target));
                }
            } else if let Some((shape, target)) = keywords::applicator(keyword) {
                self.enter(index, keyword, value, shape, target);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one keyword of one node, taken apart")]
    fn enter(
        &mut self,
        parent: usize,
        keyword: &'s str,
        value: &'s Value,
        shape: Shape,
        target: Target,
    ) {
        match (shape, value) {
            (Shape::Map, Value::Object(members)) => {
                for (name, schema) in members {
                    let step = Step::Name(name);
                    self.link(schema, Place::Under { parent, keyword, step }, target);
                }
            }
            (Shape::SchemaOrList, Value::Array(list)) => {
                for (index, schema) in list.iter().enumerate() {
                    let step = Step::Index(index);
                    self.link(schema, Place::Under { parent, keyword, step }, target);
                }
            }
            (Shape::SchemaOrList, schema) => {
                self.link(schema, Place::Under { parent, keyword, step: Step::None }, target);
            }
            (Shape::Map, _) => {}
        }
    }

    fn link(&mut self, schema: &'s Value, place: Place<'s>, target: Target) {
        // The names that draft 7 allows in `dependencies` are no schemas, nor is anything else.
        if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
            return;
        }
        let child = self.add(schema, place);
        let Place::Under { parent, step, .. } = place else {
            return;
        };
        let Some(node) = self.graph.nodes.get_mut(parent) else {
            return;
        };
        match (target, step) {
            (Target::Same, _) => node.same.push(child),
            (Target::Named, Step::Name(name)) => node.named.push((name, child)),
            (Target::Named | Target::Below, _) => node.below.push(child),
            (Target::Nothing, _) => {}
        }
    }

    /// A subschema with an `$id` of its own is another document, to which `#` and every relative
    /// reference below it would belong.
    fn refuse_other_document(&mut self, index: usize, members: &'s Map<String, Value>) {
        for keyword in ["$id", "id"] {
            match members.get(keyword) {
                Some(Value::String(id)) if id.starts_with('#') => {
                    self.anchors.insert(id.trim_start_matches('#'), index);
                }
                Some(Value::String(_)) => {
                    let at = pointer::join(&self.graph.pointer(index), keyword);
                    self.faults.push(SchemaFault::new(
                        at,
                        "a subschema has an id of its own",
                        "put it under `$defs` and refer to it as `#/$defs/NAME`",
                    ));
                }
                _ => {}
            }
        }
        let own_draft = members.get("$schema");
        let same = match (own_draft, self.root_draft) {
            (None, _) => true,
            (Some(Value::String(own)), Some(Value::String(root))) => {
                draft::known(own).is_some() && draft::known(own) == draft::known(root)
            }
            (Some(Value::String(own)), None) => {
                draft::known(own) == Some(jsonschema::Draft::Draft202012)
            }
            _ => false,
        };
        if !same {
            let at = pointer::join(&self.graph.pointer(index), "$schema");
            self.faults.push(SchemaFault::new(
                at,
                "a subschema names another meta-schema than the whole",
                "name the meta-schema once, at the top",
            ));
        }
    }

    fn follow(&mut self, from: usize, keyword: &'s str, target: &'s str) {
        let resolved = reference::resolve(self.root, self.root_id, &self.anchors, target);
        let child = match resolved {
            Ok(reference::Found::Value(value, fragment)) => {
                self.add(value, Place::Referred(fragment))
            }
            Ok(reference::Found::Node(index)) => index,
            Err(problem) => {
                let at = pointer::join(&self.graph.pointer(from), keyword);
                self.faults.push(SchemaFault::new(
                    at,
                    format!("the reference {} {problem}", text::quoted(target)),
                    "refer to a place in this schema, such as `#/$defs/NAME`",
                ));
                return;
            }
        };
        self.graph.has_references = true;
        if let Some(node) = self.graph.nodes.get_mut(from) {
            node.same.push(child);
        }
    }
}
