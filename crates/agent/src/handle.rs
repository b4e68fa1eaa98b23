//! The two ends of a running engine.

use tokio::sync::mpsc;

use crate::{command::Command, event::Envelope};

/// The person's end of a running engine. Dropping it ends the session.
#[derive(Debug)]
pub struct Handle {
    /// Orders to the engine.
    pub commands: mpsc::Sender<Command>,
    /// What happens. Bounded: an engine whose events nobody takes waits, and its calls go on.
    pub events: mpsc::Receiver<Envelope>,
}
