//! The project's layer: what a repository may say about how an agent works in it.
//!
//! A repository is somebody else's text. It may narrow, and only once the person trusts the very
//! bytes; it never names a server, a key, a command or a wider permission.

use std::path::Path;

use callgate_agent::PermissionMode;
use figment::Figment;
use toml::{Table, Value};

use super::{ConfigError, Paths, layer::Layer, trust};

/// Where a project keeps its configuration, below the working directory.
pub(crate) const PROJECT_FILE: &str = ".callgate/config.toml";

/// Reads the project's file, and returns what of it may come into force.
pub(super) fn read(
    cwd: &Path,
    below: &Figment,
    paths: &Paths,
    warnings: &mut Vec<String>,
) -> Result<Option<Layer>, ConfigError> {
    let path = cwd.join(PROJECT_FILE);
    let Some(text) = super::file::read(&path, Some(cwd))? else {
        return Ok(None);
    };
    let table = super::parse(&path, &text)?;
    if !trust::is_trusted(paths, cwd, text.as_bytes())? {
        warnings.push(format!(
            "{PROJECT_FILE} is not trusted and was not applied; read it, then run: callgate trust"
        ));
        return Ok(None);
    }
    let mut kept = Table::new();
    for (key, value) in table {
        match narrowed(&key, &value, below) {
            Some(value) => {
                kept.insert(key, value);
            }
            None => warnings.push(format!(
                "{PROJECT_FILE} may not set `{}`; it was ignored. A project can only narrow: \
                 deny, permission_mode, policy, max_parallel, max_turns",
                key.escape_debug()
            )),
        }
    }
    Ok(Some(Layer::file("the project's file", &path, kept.to_string())))
}

/// The value that comes into force, if the project may set the key and does not widen.
fn narrowed(key: &str, value: &Value, below: &Figment) -> Option<Value> {
    match key {
        "policy" => Some(value.clone()),
        // A list adds to the layers below.
        "deny" => value.is_array().then(|| value.clone()),
        "permission_mode" => {
            let wanted: PermissionMode = value.clone().try_into().ok()?;
            let current: PermissionMode = below.extract_inner(key).ok()?;
            (width(wanted) <= width(current)).then(|| value.clone())
        }
        "max_parallel" | "max_turns" => {
            let current: i64 = below.extract_inner(key).ok()?;
            value.as_integer().filter(|&wanted| wanted <= current).map(Value::Integer)
        }
        _ => None,
    }
}

const fn width(mode: PermissionMode) -> u8 {
    match mode {
        PermissionMode::ReadOnly => 0,
        PermissionMode::Ask => 1,
        PermissionMode::AutoEdit => 2,
        PermissionMode::FullAuto => 3,
    }
}
