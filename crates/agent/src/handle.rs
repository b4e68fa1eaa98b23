//! An engine that runs by itself, and the person's end of it.

use std::{collections::VecDeque, sync::Arc};

use callgate_llm::Provider;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    command::Command, control::Control, engine::Engine, error::AgentError, event::Envelope, feed,
    workbench::Workbench,
};

/// Orders that may wait for the engine. A person gives a few a second.
const COMMANDS: usize = 64;

/// The person's end of a running engine. Dropping it ends the session.
#[derive(Debug)]
pub struct Handle {
    /// Orders to the engine.
    pub commands: mpsc::Sender<Command>,
    /// What happens. Bounded: while nobody takes events, live output is dropped; the rest waits, and
    /// calls go on.
    pub events: mpsc::Receiver<Envelope>,
}

/// Opens a session and lets it run beside the caller, who drives it by the handle. The task that comes
/// with it ends when the session has ended and every process of its calls is gone: wait for it before
/// the program ends.
///
/// # Errors
/// As [`Engine::open`].
pub fn spawn(
    workbench: &Workbench,
    provider: Arc<dyn Provider>,
) -> Result<(Handle, JoinHandle<()>), AgentError> {
    let (sink, events) = feed::open();
    let engine = Engine::open(workbench, provider, vec![sink], true)?;
    let (commands, orders) = mpsc::channel(COMMANDS);
    let ended = tokio::spawn(drive(engine, orders));
    Ok((Handle { commands, events }, ended))
}

/// What the person wants of the session while tasks come and go.
struct Desk {
    queue: VecDeque<String>,
    closing: bool,
}

async fn drive(mut engine: Engine, mut orders: mpsc::Receiver<Command>) {
    let mut desk = Desk { queue: VecDeque::new(), closing: false };
    let approvals = engine.approvals();
    loop {
        let Some(prompt) = desk.queue.pop_front() else {
            match orders.recv().await {
                None | Some(Command::Shutdown) => return,
                Some(Command::Submit(prompt)) => desk.queue.push_back(prompt),
                // Nothing runs that could be stopped or answered.
                Some(_) => {}
            }
            continue;
        };
        let control = Control::new();
        let mut task = std::pin::pin!(engine.task(prompt, &control));
        loop {
            tokio::select! {
                _ = &mut task => break,
                order = orders.recv(), if !desk.closing => match order {
                    Some(Command::Submit(prompt)) => desk.queue.push_back(prompt),
                    Some(Command::Interrupt) => control.interrupt(),
                    Some(Command::CancelCall { tool_use_id }) => control.cancel_call(&tool_use_id),
                    Some(Command::Answer { tool_use_id, decision }) => {
                        approvals.answer(&tool_use_id, decision);
                    }
                    Some(Command::Shutdown) | None => {
                        desk.closing = true;
                        control.interrupt();
                    }
                },
            }
        }
        if desk.closing {
            return;
        }
    }
}
