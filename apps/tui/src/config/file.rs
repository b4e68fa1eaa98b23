//! Reading a file that somebody else may have made.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use super::ConfigError;

/// The most bytes that a configuration may have; a hand-written one has a few hundred.
const MAX_BYTES: u64 = 1024 * 1024;

/// The text of a file; `None` where there is none. A pipe, a device or an endless file is refused, and
/// with `inside` a link that leads out of that directory.
pub(super) fn read(path: &Path, inside: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_owned(), source };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(source)),
    };
    if let Some(directory) = inside {
        let target = path.canonicalize().map_err(failed)?;
        if !target.starts_with(directory.canonicalize().map_err(failed)?) {
            return Err(ConfigError::Elsewhere(path.to_owned()));
        }
    }
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(ConfigError::NoFile(path.to_owned()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ConfigError::TooLong { path: path.to_owned(), limit: MAX_BYTES });
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| ConfigError::NotUtf8 { path: path.to_owned(), source: error.utf8_error() })
}

/// Without waiting: opening a pipe would wait for its writer.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}
