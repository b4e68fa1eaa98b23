//! Where the whole of a long output goes.

use super::{CaptureOptions, SpillInfo};
use crate::spill::SpillWriter;

/// Keeps all of an output, or knows why it can't.
#[derive(Debug)]
pub(super) enum Keep {
    /// In a file.
    File(Box<SpillWriter>),
    /// Nowhere: there is no store, or it could not make a file.
    Nowhere(Option<String>),
}

/// What was kept.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) info: Option<SpillInfo>,
    pub(super) trouble: Option<String>,
}

impl Keep {
    pub(super) fn start(options: &CaptureOptions) -> Self {
        match options.spill.as_ref().map(|store| store.create(&options.label)) {
            Some(Ok(writer)) => Self::File(Box::new(writer)),
            Some(Err(error)) => Self::Nowhere(Some(chain(&error))),
            None => Self::Nowhere(None),
        }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        if let Self::File(writer) = self {
            writer.append(bytes);
        }
    }

    pub(super) fn finish(self) -> Kept {
        match self {
            Self::File(writer) => {
                let (info, trouble) = writer.finish();
                Kept { info, trouble }
            }
            Self::Nowhere(trouble) => Kept { info: None, trouble },
        }
    }
}

/// The error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
