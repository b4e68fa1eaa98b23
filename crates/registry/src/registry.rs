//! The ledger, and how it is changed.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use crate::{
    error::RegisterError, error::RegisterFault, snapshot::Snapshot, spec::ToolSpec, tool::Tool,
};

/// The ledger: the one place where a tool is entered, for the model and for the machine alike.
///
/// Readers take a [`Snapshot`], without a lock. Writers make a [`Draft`] and commit it as a whole;
/// one writer waits for the other, readers wait for nobody.
#[derive(Debug, Default)]
pub struct Registry {
    current: ArcSwap<Snapshot>,
    /// Held while a draft is applied, so that of two drafts neither undoes the other.
    committing: Mutex<()>,
}

impl Registry {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// The ledger as it is now. Takes no lock.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Enters one tool.
    ///
    /// # Errors
    /// A [`RegisterError`] names every fault of the tool; the ledger is as it was.
    pub fn register(&self, spec: ToolSpec) -> Result<Arc<Snapshot>, RegisterError> {
        self.register_all([spec])
    }

    /// Enters several tools, or none of them.
    ///
    /// # Errors
    /// A [`RegisterError`] names every fault of every tool; the ledger is as it was.
    pub fn register_all(
        &self,
        specs: impl IntoIterator<Item = ToolSpec>,
    ) -> Result<Arc<Snapshot>, RegisterError> {
        let mut draft = self.edit();
        for spec in specs {
            draft.add(spec);
        }
        draft.commit()
    }

    /// Begins a change that is made as a whole or not at all.
    pub fn edit(&self) -> Draft<'_> {
        Draft { registry: self, steps: Vec::new() }
    }
}

#[derive(Debug)]
enum Step {
    Add(Arc<Tool>),
    Refuse(Vec<RegisterFault>),
    Remove(String),
}

/// A change of the ledger that is being prepared.
///
/// Steps are applied in their order, to the ledger as it is at [`commit`](Self::commit).
#[derive(Debug)]
#[must_use = "a draft changes nothing until it is committed"]
pub struct Draft<'a> {
    registry: &'a Registry,
    steps: Vec<Step>,
}

impl Draft<'_> {
    /// Adds a tool. If it is refused, so will be the whole draft, and its faults are told then.
    pub fn add(&mut self, spec: ToolSpec) {
        match Tool::accept(spec) {
            Ok(tool) => self.steps.push(Step::Add(Arc::new(tool))),
            Err(faults) => self.steps.push(Step::Refuse(faults)),
        }
    }

    /// Adds a tool if it is good, and else leaves the draft as it was: one bad tool of a server
    /// need not cost its siblings.
    ///
    /// # Errors
    /// Every fault that the tool has by itself. That its name is taken shows at the commit.
    pub fn try_add(&mut self, spec: ToolSpec) -> Result<(), RegisterError> {
        let tool = Tool::accept(spec).map_err(RegisterError::new)?;
        self.steps.push(Step::Add(Arc::new(tool)));
        Ok(())
    }

    /// Removes the tool of this name; one that is not there is no fault.
    pub fn remove(&mut self, name: impl Into<String>) {
        self.steps.push(Step::Remove(name.into()));
    }

    /// Makes the change, all of it at one moment.
    ///
    /// # Errors
    /// A [`RegisterError`] names every fault of every tool; the ledger is as it was.
    pub fn commit(self) -> Result<Arc<Snapshot>, RegisterError> {
        let Self { registry, steps } = self;
        let mut faults = Vec::new();
        // Nothing is left half done by a panic under this lock, so a poisoned one is as good.
        let _turn = registry.committing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tools = registry.current.load().tools().clone();
        for step in steps {
            match step {
                Step::Refuse(of_tool) => faults.extend(of_tool),
                Step::Remove(name) => {
                    tools.shift_remove(name.as_str());
                }
                Step::Add(tool) if tools.contains_key(tool.name()) => {
                    faults.push(RegisterFault::new(
                        tool.name(),
                        "/name",
                        "a tool of this name is on the ledger already",
                        "give each tool its own name",
                    ));
                }
                Step::Add(tool) => {
                    tools.insert(tool.name().into(), tool);
                }
            }
        }
        match Snapshot::of(tools) {
            Ok(snapshot) if faults.is_empty() => {
                let snapshot = Arc::new(snapshot);
                registry.current.store(Arc::clone(&snapshot));
                Ok(snapshot)
            }
            Ok(_) => Err(RegisterError::new(faults)),
            Err(clashes) => {
                faults.extend(clashes);
                Err(RegisterError::new(faults))
            }
        }
    }
}
