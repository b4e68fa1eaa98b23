//! Any command line: whether it is taken to only read is decided without a panic, and no line that
//! also removes a file is.
#![no_main]

use std::{cell::LazyCell, sync::Arc};

use callgate_exec::{Environment, SpillLimits, SpillStore};
use callgate_registry::{Effects, Registry, Tool};
use callgate_tools::{Toolbox, Workspace, builtin};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::json;
use tempfile::TempDir;

struct Bash {
    tool: Arc<Tool>,
    _directory: TempDir,
}

thread_local! {
    static BASH: LazyCell<Bash> = LazyCell::new(Bash::new);
}

impl Bash {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let limits = SpillLimits { free_floor: 0, ..SpillLimits::default() };
        let spills = SpillStore::open(directory.path().join("outputs"), limits).unwrap();
        let workspace = Workspace::new(directory.path().to_owned()).unwrap();
        let environment = Environment::empty();
        let toolbox = Arc::new(Toolbox::new(workspace, environment, Arc::new(spills)));
        let snapshot = Registry::new().register_all(builtin(&toolbox)).unwrap();
        let tool = Arc::clone(snapshot.get("bash").unwrap());
        let bash = Self { tool, _directory: directory };
        assert!(bash.reads_only("ls"), "the table is in use");
        bash
    }

    fn reads_only(&self, command: &str) -> bool {
        self.tool.effects(&json!({"command": command})) != Effects::Everything
    }
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(line) = std::str::from_utf8(data) else { return Corpus::Reject };
    BASH.with(|bash| {
        // The first newline may be taken up by a backslash.
        assert!(!bash.reads_only(&format!("{line}\n\nrm x")), "then rm");
        assert!(!bash.reads_only(&format!("rm x\n{line}")), "rm before");
        if bash.reads_only(line) {
            assert!(bash.reads_only(&format!("{line}\n\n{line}")), "twice");
            assert!(!line.contains('\0'), "a line that no shell reads to its end");
        }
    });
    Corpus::Keep
});
