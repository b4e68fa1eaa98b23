//! The bounded loop: the model is asked, its calls are run, it is told the results, until it is done.

use std::{fmt, path::Path, sync::Arc, time::Instant};

use callgate_dispatch::Dispatcher;
use callgate_llm::{
    Answer, Block, LlmError, Message, Provider, Request, Role, StopReason, ToolFormat,
};
use callgate_registry::{Dialect, Registry, Snapshot};

use crate::{
    answer::{Heard, listen},
    batch,
    control::Control,
    emitter::{Emitter, Sink},
    error::AgentError,
    event::{Event, Outcome, Totals},
    history::History,
    instructions::Instructions,
    permission::Approvals,
    transcript::Transcript,
    workbench::Workbench,
};

/// A session with a model.
pub struct Engine {
    provider: Arc<dyn Provider>,
    registry: Arc<Registry>,
    dispatcher: Dispatcher,
    approvals: Arc<Approvals>,
    instructions: String,
    history: History,
    emitter: Emitter,
    transcript: Option<Transcript>,
    max_turns: u32,
    turns: u32,
    batches: u64,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("session_id", &self.session_id())
            .field("provider", &self.provider.name())
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}

/// How a task ended, with its last words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskReport {
    /// How it ended.
    pub outcome: Outcome,
    /// The final answer, or what went wrong.
    pub text: String,
    /// Sums over the task.
    pub totals: Totals,
}

/// What one turn leads to.
enum Next {
    /// The model wants to go on.
    Continue,
    /// The task is over.
    End(Outcome, String),
}

impl Engine {
    /// Opens a session: joins a model with the tools of a workbench, and sends what happens to the
    /// sinks. With `interactive`, calls that need approval wait for the person.
    ///
    /// # Errors
    /// The transcript could not be created.
    pub fn open(
        workbench: &Workbench,
        provider: Arc<dyn Provider>,
        mut sinks: Vec<Sink>,
        interactive: bool,
    ) -> Result<Self, AgentError> {
        let settings = workbench.settings();
        let session_id = crate::session_id::new();
        let transcript = match &settings.sessions_dir {
            None => None,
            Some(dir) => Some(
                Transcript::create(dir, &session_id)
                    .map_err(|source| AgentError::Transcript { path: dir.clone(), source })?,
            ),
        };
        sinks.extend(transcript.as_ref().map(Transcript::sink));
        let emitter = Emitter::new(session_id, sinks);
        let approvals = Arc::new(workbench.approvals(interactive));
        let instructions = Instructions::load(&settings.cwd);
        let registry = Arc::clone(workbench.registry());
        emitter.emit(Event::SessionStarted {
            provider: provider.name().to_owned(),
            model: provider.model().to_owned(),
            cwd: settings.cwd.clone(),
            permission_mode: settings.permission_mode,
            policy: settings.policy,
            tools: registry.snapshot().names().map(str::to_owned).collect(),
        });
        for message in instructions.notices {
            emitter.emit(Event::Notice { message });
        }
        Ok(Self {
            provider,
            dispatcher: workbench.dispatcher(Arc::clone(&approvals)),
            registry,
            approvals,
            instructions: instructions.text,
            history: History::default(),
            emitter,
            transcript,
            max_turns: settings.max_turns,
            turns: 0,
            batches: 0,
        })
    }

    /// The id of the session.
    pub fn session_id(&self) -> &str {
        self.emitter.session_id()
    }

    /// The file that holds the session, if one is kept.
    pub fn transcript_path(&self) -> Option<&Path> {
        self.transcript.as_ref().map(Transcript::path)
    }

    pub(crate) fn approvals(&self) -> Arc<Approvals> {
        Arc::clone(&self.approvals)
    }

    /// Works on one prompt until the model is done, a limit is reached or the person stops it.
    ///
    /// Never fails: whatever goes wrong is in the report and on the event stream, and the session
    /// can take the next prompt.
    pub async fn task(&mut self, prompt: String, control: &Control) -> TaskReport {
        let started = Instant::now();
        let mut totals = Totals::default();
        self.emitter.emit(Event::Prompt { text: prompt.clone() });
        self.tell(vec![Block::Text { text: prompt }]);
        let (outcome, text) = loop {
            if totals.turns >= self.max_turns {
                let message = format!(
                    "stopped after {} turns, the limit that --max-turns sets",
                    self.max_turns
                );
                self.emitter.emit(Event::Error { message: message.clone() });
                break (Outcome::LimitReached, message);
            }
            match self.turn(&mut totals, control).await {
                Next::Continue => {}
                Next::End(outcome, text) => break (outcome, text),
            }
        };
        totals.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Some(error) = self.transcript.as_ref().and_then(Transcript::failure) {
            let message = format!("the transcript is incomplete: {error}");
            self.emitter.emit(Event::Notice { message });
        }
        self.emitter.emit(Event::SessionFinished { outcome, text: text.clone(), totals });
        TaskReport { outcome, text, totals }
    }

    async fn turn(&mut self, totals: &mut Totals, control: &Control) -> Next {
        self.turns += 1;
        totals.turns += 1;
        self.emitter.emit(Event::TurnStarted { turn: self.turns });
        let snapshot = self.registry.snapshot();
        let heard = {
            let request = self.request(&snapshot);
            listen(self.provider.as_ref(), request, &self.emitter, control).await
        };
        match heard {
            Err(error) => self.refused(&error),
            Ok(Heard::Interrupted(text)) => {
                self.keep_partial(text);
                Next::End(Outcome::Interrupted, INTERRUPTED.to_owned())
            }
            Ok(Heard::Whole(answer)) => self.act(answer, snapshot, totals, control).await,
        }
    }

    /// Runs what a whole answer asks for.
    async fn act(
        &mut self,
        mut answer: Answer,
        snapshot: Arc<Snapshot>,
        totals: &mut Totals,
        control: &Control,
    ) -> Next {
        totals.usage += answer.usage;
        self.history.make_ids_unique(&mut answer.message);
        let calls = batch::calls(&answer.message);
        let text = answer.text();
        // The transcript names each call before any of them runs.
        self.keep(&answer.message);
        self.history.push_assistant(answer.message);
        let asked = !calls.is_empty();
        if asked {
            self.batches += 1;
            let runner =
                batch::Runner { dispatcher: &self.dispatcher, emitter: &self.emitter, control };
            let results = runner.run(snapshot, calls, self.batches).await;
            totals.calls += results.len() as u64;
            totals.failed_calls += results.iter().filter(|result| result.is_error()).count() as u64;
            self.tell(results.iter().map(batch::result_block).collect());
        }
        self.emitter.emit(Event::TurnFinished {
            turn: self.turns,
            usage: answer.usage,
            stop_reason: answer.stop.clone(),
        });
        if control.task().is_cancelled() {
            return Next::End(Outcome::Interrupted, INTERRUPTED.to_owned());
        }
        match answer.stop {
            _ if asked => Next::Continue,
            StopReason::Pause => Next::Continue,
            StopReason::MaxTokens => {
                let message = "the answer reached the model's limit of tokens and is cut off";
                self.emitter.emit(Event::Notice { message: message.to_owned() });
                Next::End(Outcome::Done, text)
            }
            StopReason::Refusal if text.is_empty() => self.fail("the model refused to answer"),
            _ if text.is_empty() && totals.calls == 0 => self.fail("the model answered nothing"),
            _ => Next::End(Outcome::Done, text),
        }
    }

    fn request(&self, snapshot: &Snapshot) -> Request {
        let dialect = match self.provider.tool_format() {
            ToolFormat::OpenAiChat => Dialect::OpenAi,
            _ => Dialect::Anthropic,
        };
        Request {
            system: self.instructions.clone(),
            messages: self.history.messages().to_vec(),
            tools: snapshot.project(dialect).tools,
            max_tokens: None,
        }
    }

    fn refused(&self, error: &LlmError) -> Next {
        let message = crate::error::chain(error);
        self.emitter.emit(Event::Error { message: message.clone() });
        Next::End(Outcome::ProviderFailed, message)
    }

    fn fail(&self, message: &str) -> Next {
        self.emitter.emit(Event::Error { message: message.to_owned() });
        Next::End(Outcome::Failed, message.to_owned())
    }

    /// Text that the person saw stays part of the conversation; half a tool request does not.
    fn keep_partial(&mut self, text: String) {
        if !text.is_empty() {
            let message = Message { role: Role::Assistant, content: vec![Block::Text { text }] };
            self.keep(&message);
            self.history.push_assistant(message);
        }
    }

    fn tell(&mut self, content: Vec<Block>) {
        self.keep(&Message { role: Role::User, content: content.clone() });
        self.history.push_user(content);
    }

    fn keep(&self, message: &Message) {
        if let Some(transcript) = &self.transcript {
            transcript.message(message);
        }
    }
}

const INTERRUPTED: &str = "interrupted by the person";
