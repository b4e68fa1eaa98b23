//! Who touches what: finds the earlier calls that a call conflicts with, without looking at each.
//!
//! Reads and writes stand apart, so that whatever a look-up meets is a conflict (or was one). A write
//! covers the accesses to all that it contains: a later call that conflicts with one of these
//! conflicts with the write as well, and the write waits for them. So they are forgotten, and a
//! thousand writers of one file are a chain, not a thousand squared pairs.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    path::{Component, Path},
};

use callgate_registry::{Access, Mode, Resource};

/// Components of a path that are told apart; what lies deeper counts as one subtree. A path has at
/// most 4,096 bytes on the systems we run on, and real ones have a dozen components.
const MAX_COMPONENTS: usize = 256;

/// A call, by its place in the batch.
pub(super) type Id = usize;

/// The accesses of the calls planned so far.
#[derive(Debug, Default)]
pub(super) struct Index {
    reads: Accesses,
    writes: Accesses,
}

#[derive(Debug, Default)]
struct Accesses {
    root: Node,
    named: HashMap<String, Vec<Id>>,
}

/// A place in the tree of paths.
#[derive(Debug, Default)]
struct Node {
    children: HashMap<OsString, Self>,
    /// Who touches this very path.
    paths: Vec<Id>,
    /// Who touches it and all below.
    trees: Vec<Id>,
}

impl Index {
    /// Whether the index can tell what the accesses touch.
    pub(super) fn understands(accesses: &[Access]) -> bool {
        accesses.iter().all(|access| {
            matches!(access.resource, Resource::Path(_) | Resource::Subtree(_) | Resource::Named(_))
        })
    }

    /// Enters one access of `id`. `met` is told of the earlier calls that conflict with it, and says
    /// whether they still count.
    pub(super) fn enter(&mut self, id: Id, access: &Access, met: &mut impl FnMut(Id) -> bool) {
        let (path, tree) = match &access.resource {
            Resource::Path(path) => (path, is_too_deep(path)),
            Resource::Subtree(path) => (path, true),
            Resource::Named(name) => return self.enter_named(id, access.mode, name, met),
            _ => return,
        };
        match access.mode {
            Mode::Read => {
                self.writes.root.visit(path, tree, Forget::Nothing, met);
                self.reads.root.add(path, tree, id);
            }
            Mode::Write => {
                self.reads.root.visit(path, tree, Forget::Covered, met);
                self.writes.root.visit(path, tree, Forget::Covered, met);
                self.writes.root.add(path, tree, id);
            }
        }
    }

    fn enter_named(&mut self, id: Id, mode: Mode, name: &str, met: &mut impl FnMut(Id) -> bool) {
        let writers = self.writes.named.entry(name.to_owned()).or_default();
        writers.retain(|writer| met(*writer));
        match mode {
            Mode::Read => self.reads.named.entry(name.to_owned()).or_default().push(id),
            Mode::Write => {
                *writers = vec![id];
                for reader in self.reads.named.remove(name).unwrap_or_default() {
                    met(reader);
                }
            }
        }
    }
}

/// Whether what was met is covered by who met it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forget {
    Covered,
    Nothing,
}

impl Node {
    fn add(&mut self, path: &Path, tree: bool, id: Id) {
        let mut node = self;
        for part in parts(path) {
            if !node.children.contains_key(part) {
                node.children.insert(part.to_owned(), Self::default());
            }
            let Some(child) = node.children.get_mut(part) else {
                return;
            };
            node = child;
        }
        if tree {
            node.trees.push(id);
        } else {
            node.paths.push(id);
        }
    }

    /// Tells `met` of everyone whose access overlaps the path, or the tree below it, and drops whom it
    /// lets go.
    fn visit(&mut self, path: &Path, tree: bool, forget: Forget, met: &mut impl FnMut(Id) -> bool) {
        let mut node = self;
        for part in parts(path) {
            node.trees.retain(|id| met(*id));
            let Some(child) = node.children.get_mut(part) else {
                return;
            };
            node = child;
        }
        node.trees.retain(|id| met(*id));
        node.paths.retain(|id| met(*id));
        if forget == Forget::Covered {
            node.paths.clear();
        }
        if tree {
            node.visit_below(met);
            if forget == Forget::Covered {
                node.trees.clear();
                node.children.clear();
            }
        }
    }

    fn visit_below(&mut self, met: &mut impl FnMut(Id) -> bool) {
        let mut nodes = vec![self];
        while let Some(node) = nodes.pop() {
            // What was emptied by an earlier visit goes now, so that it is visited only once more.
            node.children.retain(|_, child| !child.is_empty());
            for child in node.children.values_mut() {
                child.paths.retain(|id| met(*id));
                child.trees.retain(|id| met(*id));
                nodes.push(child);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.children.is_empty() && self.paths.is_empty() && self.trees.is_empty()
    }
}

fn parts(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().take(MAX_COMPONENTS).map(Component::as_os_str)
}

fn is_too_deep(path: &Path) -> bool {
    path.components().nth(MAX_COMPONENTS).is_some()
}
