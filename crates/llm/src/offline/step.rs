//! What the planner can do, as calls.

use serde_json::{Map, Value, json};

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Read a file, or lines of it.
    Read { path: String, offset: Option<u64>, limit: Option<u64> },
    /// List a directory.
    List { path: Option<String> },
    /// Find files by name.
    Find { pattern: String, path: Option<String> },
    /// Search text in files.
    Search { pattern: String, path: Option<String> },
    /// Run a command.
    Run { command: String },
    /// Write a file.
    Write { path: String, content: String },
    /// Replace text in a file.
    Edit { path: String, old: String, new: String, all: bool },
    /// Show a long output that is in a file.
    Output { id: String },
    /// Call a tool exactly as the person says.
    Call { name: String, arguments: String },
}

impl Step {
    /// Whether it only looks: nothing is changed by it, whatever was meant.
    pub(super) const fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::Read { .. }
                | Self::List { .. }
                | Self::Find { .. }
                | Self::Search { .. }
                | Self::Output { .. }
        )
    }

    /// The tool and its arguments as text.
    pub(super) fn call(&self) -> (String, String) {
        let (name, arguments) = match self {
            Self::Read { path, offset, limit } => (
                "read_file",
                object([("path", json!(path)), ("offset", json!(offset)), ("limit", json!(limit))]),
            ),
            // `glob` names files alone; who lists a directory wants to see its directories too.
            Self::List { path } => {
                let place = path.as_ref().map(|path| format!(" -- {}", shell_quoted(path)));
                ("bash", json!({"command": format!("ls -Ap{}", place.unwrap_or_default())}))
            }
            Self::Find { pattern, path } => {
                ("glob", object([("pattern", json!(pattern)), ("path", json!(path))]))
            }
            Self::Search { pattern, path } => {
                ("grep", object([("pattern", json!(pattern)), ("path", json!(path))]))
            }
            Self::Run { command } => ("bash", json!({"command": command})),
            Self::Write { path, content } => {
                ("write_file", json!({"path": path, "content": content}))
            }
            Self::Edit { path, old, new, all } => {
                let all = if *all { Value::Bool(true) } else { Value::Null };
                let path = json!(path);
                (
                    "edit_file",
                    object([
                        ("path", path),
                        ("old_text", json!(old)),
                        ("new_text", json!(new)),
                        ("replace_all", all),
                    ]),
                )
            }
            Self::Output { id } => ("read_output", json!({"id": id})),
            Self::Call { name, arguments } => return (name.clone(), arguments.clone()),
        };
        (name.to_owned(), arguments.to_string())
    }

    /// What is about to be done, after "I'll".
    pub(super) fn intent(&self) -> String {
        let place = |path: &Option<String>| {
            path.as_ref().map_or_else(String::new, |path| format!(" in `{path}`"))
        };
        match self {
            Self::Read { path, .. } => format!("read `{path}`"),
            Self::List { path: Some(path) } => format!("list `{path}`"),
            Self::List { path: None } => "list this directory".to_owned(),
            Self::Find { pattern, path } => {
                format!("look for files like `{pattern}`{}", place(path))
            }
            Self::Search { pattern, path } => format!("search for `{pattern}`{}", place(path)),
            Self::Run { command } => format!("run `{}`", first_line(command)),
            Self::Write { path, .. } => format!("write `{path}`"),
            Self::Edit { path, .. } => format!("edit `{path}`"),
            Self::Output { id } => format!("read the output `{id}`"),
            Self::Call { name, .. } => format!("call `{name}`"),
        }
    }
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// The first line of `text`, marked if there are more.
pub(super) fn first_line(text: &str) -> String {
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => text.to_owned(),
    }
}

/// `text` as one word of a shell command.
pub(super) fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '~');
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
