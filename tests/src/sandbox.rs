//! A place of its own for each test: directories, and an environment that is empty but for it.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{ModelServer, Ran, Running, Wire, callgate};

/// A working directory, a state directory and a home, removed at the end.
#[derive(Debug)]
pub struct Sandbox {
    _root: TempDir,
    root: PathBuf,
    vars: Vec<(String, String)>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// An empty place.
    pub fn new() -> Self {
        let temp = tempfile::tempdir().expect("a temporary directory");
        let root = temp.path().canonicalize().expect("its real path");
        for directory in ["work", "state", "home"] {
            fs::create_dir(root.join(directory)).expect("a directory");
        }
        let path = std::env::var("PATH").expect("PATH is set");
        let home = root.join("home").display().to_string();
        let state = root.join("state").display().to_string();
        let vars = [
            ("PATH", path.as_str()),
            ("HOME", &home),
            ("CALLGATE_HOME", &state),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { _root: temp, root, vars: vars.to_vec() }
    }

    /// The same place with one more variable in the environment.
    #[must_use]
    pub fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same place with a model server and a key for it.
    #[must_use]
    pub fn with_model(self, server: &ModelServer, key: &str) -> Self {
        match server.wire() {
            Wire::Anthropic => {
                self.var("ANTHROPIC_BASE_URL", server.url()).var("ANTHROPIC_API_KEY", key)
            }
            Wire::OpenAi => self.var("OPENAI_BASE_URL", server.url()).var("OPENAI_API_KEY", key),
        }
    }

    /// What contains all of it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// `CALLGATE_HOME`.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// Writes a file below the working directory.
    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Reads a file below the working directory.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.work().join(path)).expect("a file of the working directory")
    }

    /// The permission bits of a path.
    #[track_caller]
    pub fn mode(path: &Path) -> u32 {
        path.metadata().expect("it exists").permissions().mode() & 0o7777
    }

    /// The files below a directory of the state, none if it does not exist.
    pub fn state_files(&self, directory: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut directories = vec![self.state().join(directory)];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() { directories.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    pub(crate) fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The binary with nothing but this place around it.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(callgate());
        command.args(args).env_clear().envs(self.vars()).current_dir(self.work());
        command
    }

    /// Starts a run with `stdin` as its standard input.
    pub fn start(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Running {
        Running::start(self.command(args), stdin.as_ref())
    }

    /// Runs with nothing on standard input.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.start(args, "").finish()
    }

    /// Runs with `stdin` as its standard input.
    #[track_caller]
    pub fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        self.start(args, stdin).finish()
    }

    /// Dispatches a batch, which must be answered in full and in order; returns the results.
    #[track_caller]
    pub fn batch(&self, calls: &Value) -> Vec<Value> {
        self.batch_with(&[], calls)
    }

    /// The same with more arguments.
    #[track_caller]
    pub fn batch_with(&self, args: &[&str], calls: &Value) -> Vec<Value> {
        let args = [&["batch"], args].concat();
        let results = self.run_with(&args, calls.to_string()).exits(0).lines();
        let asked: Vec<_> = calls.as_array().expect("an array").iter().map(|c| &c["id"]).collect();
        let answered: Vec<_> = results.iter().map(|result| &result["tool_use_id"]).collect();
        assert_eq!(answered, asked, "every call has one result, in order");
        results
    }

    /// Dispatches one call and returns its result.
    #[track_caller]
    pub fn call(&self, name: &str, arguments: &Value) -> Value {
        self.call_with(&[], name, arguments)
    }

    /// The same with more arguments.
    #[track_caller]
    pub fn call_with(&self, args: &[&str], name: &str, arguments: &Value) -> Value {
        let arguments = arguments.to_string();
        let args = [&["call", name, &arguments], args].concat();
        self.run(&args).exits(0).lines().remove(0)
    }

    /// Dispatches one call whose arguments are too long for a command line.
    #[track_caller]
    pub fn call_by_batch(&self, name: &str, arguments: &Value) -> Value {
        let calls = serde_json::json!([{"id": "c1", "name": name, "arguments": arguments}]);
        self.batch(&calls).remove(0)
    }
}
