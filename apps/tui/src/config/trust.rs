//! Trust: which bytes of which project's configuration the person has read and accepted.

use std::{
    collections::BTreeMap, fmt::Write as _, io::Write as _, os::unix::ffi::OsStrExt as _,
    path::Path,
};

use ring::digest::{SHA256, digest};

use super::{ConfigError, Paths};

/// Directory (bytes in hexadecimal) to digest of its project file.
type Trusted = BTreeMap<String, String>;

/// Whether the person trusts exactly this content in exactly this directory. A change of either
/// ends the trust.
pub(crate) fn is_trusted(paths: &Paths, cwd: &Path, content: &[u8]) -> Result<bool, ConfigError> {
    Ok(load(paths)?.get(&key(cwd)).is_some_and(|known| *known == hex_digest(content)))
}

/// Trusts this content in this directory from now on.
pub(crate) fn trust(paths: &Paths, cwd: &Path, content: &[u8]) -> Result<(), ConfigError> {
    let mut trusted = load(paths)?;
    trusted.insert(key(cwd), hex_digest(content));
    save(paths, &trusted)
}

fn load(paths: &Paths) -> Result<Trusted, ConfigError> {
    let path = paths.trust_file();
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| ConfigError::Trust { path, message: error.to_string() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Trusted::new()),
        Err(source) => Err(ConfigError::Read { path, source }),
    }
}

fn save(paths: &Paths, trusted: &Trusted) -> Result<(), ConfigError> {
    let path = paths.trust_file();
    let written =
        serde_json::to_vec_pretty(trusted).map_err(std::io::Error::from).and_then(|json| {
            crate::private_dir(paths.state())?;
            let mut file = tempfile::NamedTempFile::new_in(paths.state())?;
            file.write_all(&json)?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        });
    written.map_err(|source| ConfigError::Read { path, source })
}

fn key(cwd: &Path) -> String {
    let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    hex(cwd.as_os_str().as_bytes())
}

fn hex_digest(content: &[u8]) -> String {
    hex(digest(&SHA256, content).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
