//! The transcript: an append-only JSONL file that holds a session.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use callgate_llm::Message;
use serde::Serialize;

use crate::{
    emitter::Sink,
    event::{Envelope, Event},
};

/// A session's file. Each line is an event as `stream-json` prints it, or a message of the
/// conversation as the model is told it; a line is written whole before what it announces happens.
#[derive(Debug, Clone)]
pub(crate) struct Transcript {
    path: PathBuf,
    file: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The first failure. A full disk ends the transcript, not the session, and it is told.
    failure: Option<io::Error>,
}

#[derive(Serialize)]
struct Record<'a> {
    r#type: &'static str,
    message: &'a Message,
}

impl Transcript {
    /// Creates the file of a new session, readable by its owner alone.
    pub(crate) fn create(sessions: &Path, session_id: &str) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(sessions)?;
        let path = sessions.join(format!("{session_id}.jsonl"));
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { path, file: Arc::new(Mutex::new(State { file, failure: None })) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps one message of the conversation.
    pub(crate) fn message(&self, message: &Message) {
        self.append(&Record { r#type: "message", message });
    }

    /// Keeps every event that the messages do not already hold in full.
    pub(crate) fn sink(&self) -> Sink {
        let transcript = self.clone();
        Box::new(move |envelope: &Envelope| {
            if !matches!(
                envelope.event,
                Event::TextDelta { .. } | Event::ThinkingDelta { .. } | Event::ToolOutput { .. }
            ) {
                transcript.append(envelope);
            }
        })
    }

    /// Takes the first failure to write, once.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).failure.take()
    }

    fn append(&self, record: &impl Serialize) {
        let mut state = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = serde_json::to_vec(record).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            state.file.write_all(&line)
        });
        if let Err(error) = written {
            state.failure.get_or_insert(error);
        }
    }
}
