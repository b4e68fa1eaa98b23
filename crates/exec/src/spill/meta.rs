//! What is known of a kept output, in a file beside it.

use std::{
    io::{self, Read, Write},
    time::SystemTime,
};

use jiff::Timestamp;
use rustix::{fd::OwnedFd, fs};
use serde::{Deserialize, Serialize};

use super::{id, root::Root, stamp::Stamp};

/// A sidecar that is longer was not written here.
const MAX_BYTES: u64 = 64 * 1024;

/// Characters of a label that are kept.
const LABEL_CHARS: usize = 500;

pub(super) const TEMPORARY: &str = "new-";

/// The content of `ID.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) label: String,
    /// RFC 3339, in UTC.
    created: String,
    /// The store that wrote it.
    pub(super) session: String,
    /// Counts and stamp, once the output has ended.
    pub(super) end: Option<MetaEnd>,
}

/// What is known once the output has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MetaEnd {
    pub(super) lines: u64,
    pub(super) lost_bytes: u64,
    pub(super) stamp: Stamp,
}

impl Meta {
    pub(super) fn new(label: &str, session: &str) -> Self {
        Self {
            label: label.chars().take(LABEL_CHARS).collect(),
            created: Timestamp::now().to_string(),
            session: session.to_owned(),
            end: None,
        }
    }

    pub(super) fn created(&self) -> Option<SystemTime> {
        self.created.parse::<Timestamp>().ok().map(SystemTime::from)
    }

    pub(super) fn name(id: &str) -> String {
        format!("{id}.json")
    }

    /// Reads what is known; nothing if there is nothing that can be understood.
    pub(super) fn read(root: &Root, id: &str) -> Option<Self> {
        let mut text = Vec::new();
        let file = root.read(&Self::name(id)).ok()?;
        file.take(MAX_BYTES).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Writes it so that a reader sees either the old or the new, never a part.
    pub(super) fn write(&self, dir: &OwnedFd, id: &str) -> io::Result<()> {
        let temporary = format!("{TEMPORARY}{}", id::random());
        let mut file = Root::create(dir, &temporary)?;
        let written = serde_json::to_vec(self)
            .map_err(io::Error::from)
            .and_then(|text| file.write_all(&text))
            .and_then(|()| Ok(fs::renameat(dir, &temporary, dir, Self::name(id))?));
        if written.is_err() {
            // Nobody would look at it; a sweep would take it as well.
            let _ = fs::unlinkat(dir, &temporary, fs::AtFlags::empty());
        }
        written
    }
}
