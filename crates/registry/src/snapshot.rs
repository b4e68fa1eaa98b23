//! The ledger as it was at one moment.

use std::{collections::HashMap, sync::Arc};

use indexmap::IndexMap;

use crate::{
    dialect::{Dialect, Projection},
    error::RegisterFault,
    name, nearest,
    tool::Tool,
};

/// The ledger as it was at one moment: it stays the same for as long as it is held.
///
/// Tools are in the order in which they were registered, so that what a model is shown, and with it
/// the provider's prompt cache, changes only where the ledger did.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: IndexMap<Box<str>, Arc<Tool>>,
    /// The tools whose name has dots, by the name that they have where dots are not allowed.
    wire_names: HashMap<Box<str>, usize>,
}

impl Snapshot {
    /// Takes the tools if no two would be called by the same name.
    pub(crate) fn of(tools: IndexMap<Box<str>, Arc<Tool>>) -> Result<Self, Vec<RegisterFault>> {
        let mut faults = Vec::new();
        let mut wire_names: HashMap<Box<str>, usize> = HashMap::new();
        for (index, name) in tools.keys().enumerate().filter(|(_, name)| name.contains('.')) {
            let wire = name::wire(name).into_boxed_str();
            let other = tools.get_index_of(&wire).or_else(|| wire_names.get(&wire).copied());
            match other.and_then(|other| tools.get_index(other)) {
                Some((other, _)) => faults.push(RegisterFault::new(
                    name,
                    "/name",
                    format!("where a wire format has no dots, it has the same name as \"{other}\""),
                    "rename one of the two",
                )),
                None => {
                    wire_names.insert(wire, index);
                }
            }
        }
        if faults.is_empty() { Ok(Self { tools, wire_names }) } else { Err(faults) }
    }

    pub(crate) fn tools(&self) -> &IndexMap<Box<str>, Arc<Tool>> {
        &self.tools
    }

    /// The tool of this name, or of this name on a wire format that has no dots.
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name).or_else(|| {
            let index = self.wire_names.get(name)?;
            self.tools.get_index(*index).map(|(_, tool)| tool)
        })
    }

    /// The tools, in the order in which they were registered.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// Their names, in the same order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tools.keys().map(AsRef::as_ref)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The names that this one was probably meant to be: at most three, best first.
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        nearest::nearest(name, self.names(), 3)
    }

    /// The definitions of all tools as a wire format spells them, and what it could not express.
    pub fn project(&self, dialect: Dialect) -> Projection {
        let mut projection = Projection::default();
        for tool in self.iter() {
            let (definition, notes) = dialect.project(tool);
            projection.tools.push(definition);
            projection.notes.extend(notes);
        }
        projection
    }
}
