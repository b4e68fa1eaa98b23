//! The loop: take everything that is there, then draw at most one frame.

use std::{collections::VecDeque, env, io, path::PathBuf, time::Duration};

use anyhow::Context as _;
use callgate_agent::{Command, Envelope, Handle};
use rustix::process::{Signal, getpid, getsid, kill_current_process_group};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{
    msg::{Effect, Millis, Msg},
    render::Renderer,
    state::{Body, State},
    terminal::{Burst, Caught, Input, Screen, Signals, Writer},
    text::SafeText,
    theme::Theme,
    update::update,
    view::{Cache, draw},
};
use crate::start::UsageError;

/// Events that are taken in before the next frame.
const MAX_DRAINED: usize = 256;
/// The least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(16);

/// What the app is started with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Start {
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// Who answers, in a few words; the engine's own word replaces it.
    pub(crate) provider: String,
    /// What the person should know from the start.
    pub(crate) notices: Vec<String>,
    /// What to ask at once.
    pub(crate) prompt: Option<String>,
}

/// Why the app ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The person left.
    Quit,
    /// A signal came; its number.
    Signal(i32),
    /// The terminal is gone.
    TerminalLost,
}

impl Ended {
    /// What the process should answer its parent.
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => 128_u8.saturating_add(number.unsigned_abs().to_le_bytes()[0]),
            Self::TerminalLost => 129,
        }
    }
}

/// Runs the app until the person leaves. The terminal is restored before this returns, whichever way
/// it ends; dropping the handle then ends the session.
///
/// # Errors
///
/// If the terminal cannot move its cursor, or cannot be taken or written to.
pub(crate) async fn run(handle: Handle, start: Start) -> anyhow::Result<Ended> {
    check_terminal(env::var("TERM").ok().as_deref())?;
    let mut signals = Signals::listen().context("cannot listen for signals")?;
    let mut screen = Screen::take().context("cannot take the terminal")?;
    let mut app = App::new(handle, start)?;
    let ended = app.run(&mut screen, &mut signals).await;
    app.writer.settle().await;
    screen.leave();
    ended
}

/// What the loop waits for.
enum Happened {
    Caught(Caught),
    /// Nothing, if there will never be more.
    Typed(Option<Input>),
    Written(io::Result<()>),
    /// Nothing, if the engine is gone.
    Reported(Option<Envelope>),
    /// An order went out, or nobody takes orders any more.
    Sent(bool),
    Woke,
}

/// All that the loop holds.
struct App {
    state: State,
    cache: Cache,
    renderer: Renderer,
    writer: Writer,
    theme: Theme,
    events: mpsc::Receiver<Envelope>,
    events_open: bool,
    commands: mpsc::Sender<Command>,
    /// Orders that the engine has not room for yet.
    unsent: VecDeque<Command>,
    epoch: Instant,
    burst: Burst,
    drawn: Option<(u64, Instant)>,
    /// A key or a new size wants to be seen at once.
    urgent: bool,
    ended: Option<Ended>,
}

impl App {
    fn new(handle: Handle, start: Start) -> anyhow::Result<Self> {
        let size = Screen::size().context("cannot read the size of the terminal")?;
        let mut state = State { size, ..State::default() };
        state.session.cwd = SafeText::reveal(&start.cwd.display().to_string());
        state.session.provider = SafeText::reveal(&start.provider);
        for notice in &start.notices {
            state.conversation.push(Body::Notice(SafeText::reveal(notice)));
        }
        let mut unsent = VecDeque::new();
        if let Some(prompt) = start.prompt {
            state.task.sent = true;
            unsent.push_back(Command::Submit(prompt));
        }
        Ok(Self {
            state,
            cache: Cache::default(),
            renderer: Renderer::new(size),
            writer: Writer::start().context("cannot start the writer")?,
            theme: theme(),
            events: handle.events,
            events_open: true,
            commands: handle.commands,
            unsent,
            epoch: Instant::now(),
            burst: Burst::default(),
            drawn: None,
            urgent: true,
            ended: None,
        })
    }

    async fn run(&mut self, screen: &mut Screen, signals: &mut Signals) -> anyhow::Result<Ended> {
        loop {
            self.tick();
            if let Some(ended) = self.ended {
                self.say_goodbye();
                return Ok(ended);
            }
            self.draw_if_due()?;
            match self.next(screen, signals).await {
                Happened::Caught(caught) => self.caught(caught, screen).await?,
                Happened::Typed(input) => self.typed(input, screen).await?,
                Happened::Written(Err(_)) => self.ended = Some(Ended::TerminalLost),
                Happened::Reported(envelope) => self.reported(envelope),
                Happened::Sent(false) => self.unsent.clear(),
                Happened::Written(Ok(())) | Happened::Sent(true) | Happened::Woke => {}
            }
        }
    }

    /// Waits for the first thing to happen; what the person does comes before what the engine does.
    async fn next(&mut self, screen: &mut Screen, signals: &mut Signals) -> Happened {
        let wake = self.wake();
        tokio::select! {
            biased;
            caught = signals.next() => Happened::Caught(caught),
            input = screen.next() => Happened::Typed(input),
            written = self.writer.written(), if self.writer.is_busy() => Happened::Written(written),
            permit = self.commands.reserve(), if !self.unsent.is_empty() => {
                match (permit, self.unsent.pop_front()) {
                    (Ok(permit), Some(command)) => {
                        permit.send(command);
                        Happened::Sent(true)
                    }
                    _ => Happened::Sent(false),
                }
            }
            envelope = self.events.recv(), if self.events_open => Happened::Reported(envelope),
            () = sleep_until(wake.unwrap_or(self.epoch)), if wake.is_some() => Happened::Woke,
        }
    }

    fn now(&self) -> Millis {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn tick(&mut self) {
        let now = self.now();
        update(&mut self.state, Msg::Now(now));
    }

    fn is_dirty(&self) -> bool {
        self.drawn.is_none_or(|(revision, _)| revision != self.state.revision)
    }

    /// When the next frame may be drawn.
    fn frame_at(&self) -> Instant {
        match self.drawn {
            Some((_, at)) if !self.urgent => at + FRAME,
            _ => self.epoch,
        }
    }

    /// When there is something to do though nothing comes; never, while nothing moves.
    fn wake(&self) -> Option<Instant> {
        let frame = (self.is_dirty() && !self.writer.is_busy()).then(|| self.frame_at());
        let moved = self.state.deadline().map(|at| self.epoch + Duration::from_millis(at));
        frame.into_iter().chain(moved).min()
    }

    fn draw_if_due(&mut self) -> anyhow::Result<()> {
        if !self.is_dirty() || self.writer.is_busy() || Instant::now() < self.frame_at() {
            return Ok(());
        }
        let canvas = self.renderer.canvas(self.state.size);
        let frame = draw(&self.state, &mut self.cache, self.theme, canvas);
        let bytes = self.renderer.bytes(frame.cursor).context("cannot draw")?;
        self.writer.write(bytes);
        self.drawn = Some((self.state.revision, Instant::now()));
        self.urgent = false;
        update(&mut self.state, Msg::Drawn(frame.metrics));
        Ok(())
    }

    async fn typed(&mut self, input: Option<Input>, screen: &mut Screen) -> anyhow::Result<()> {
        let mut input = input;
        if input.is_none() {
            self.ended = Some(Ended::TerminalLost);
        }
        self.urgent = true;
        let mut taken = 0;
        while let Some(typed) = input {
            self.tick();
            let msg = match typed {
                Input::Key(key) if self.burst.joins(key, Instant::now()) => Msg::InText(key),
                Input::Key(key) => Msg::Key(key),
                Input::Paste(text) => Msg::Paste(text),
            };
            let effects = update(&mut self.state, msg);
            self.perform(effects, screen).await?;
            taken += 1;
            if taken >= MAX_DRAINED || self.ended.is_some() {
                return Ok(());
            }
            input = screen.ready().await;
        }
        self.burst.end();
        Ok(())
    }

    fn reported(&mut self, envelope: Option<Envelope>) {
        let Some(envelope) = envelope else {
            self.events_open = false;
            update(&mut self.state, Msg::EngineGone);
            return;
        };
        self.tick();
        let mut next = Some(envelope);
        let mut taken = 0;
        while let Some(envelope) = next {
            for effect in update(&mut self.state, Msg::Engine(Box::new(envelope))) {
                match effect {
                    Effect::Bell => self.renderer.ring(),
                    Effect::Send(command) => self.unsent.push_back(command),
                    // Only keys ask for the rest.
                    Effect::Repaint | Effect::Suspend | Effect::Quit => {}
                }
            }
            taken += 1;
            next = if taken < MAX_DRAINED { self.events.try_recv().ok() } else { None };
        }
    }

    async fn perform(&mut self, effects: Vec<Effect>, screen: &mut Screen) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Send(command) => self.unsent.push_back(command),
                Effect::Repaint => self.renderer.lose(),
                Effect::Bell => self.renderer.ring(),
                Effect::Suspend => self.suspend(screen).await?,
                Effect::Quit => self.ended = Some(Ended::Quit),
            }
        }
        Ok(())
    }

    /// The engine hears of the end if it has room; else the dropped handle tells it.
    fn say_goodbye(&mut self) {
        while let Some(command) = self.unsent.pop_front() {
            if self.commands.try_send(command).is_err() {
                return;
            }
        }
    }

    async fn caught(&mut self, caught: Caught, screen: &mut Screen) -> anyhow::Result<()> {
        match caught {
            Caught::Leave(number) => self.ended = Some(Ended::Signal(number)),
            Caught::Suspend => self.suspend(screen).await?,
            Caught::Continued => self.reclaim(screen)?,
            Caught::Resized => {
                let size = Screen::size().context("cannot read the size of the terminal")?;
                update(&mut self.state, Msg::Resize(size));
                self.urgent = true;
            }
        }
        Ok(())
    }

    /// Stops the whole process group, as a shell expects of a job. Where no shell could continue it,
    /// there is nothing to stop for.
    async fn suspend(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        if getsid(None).is_ok_and(|session| session == getpid()) {
            return Ok(());
        }
        self.writer.settle().await;
        screen.leave();
        let _ = kill_current_process_group(Signal::STOP);
        self.reclaim(screen)
    }

    fn reclaim(&mut self, screen: &mut Screen) -> anyhow::Result<()> {
        screen.leave();
        screen.enter().context("cannot take the terminal back")?;
        let size = Screen::size().context("cannot read the size of the terminal")?;
        update(&mut self.state, Msg::Resize(size));
        self.renderer.lose();
        self.urgent = true;
        Ok(())
    }
}

/// Refuses a terminal that says it can do nothing but print lines.
fn check_terminal(term: Option<&str>) -> Result<(), UsageError> {
    let name = match term {
        Some(term) if !matches!(term, "" | "dumb" | "unknown") => return Ok(()),
        Some(term) if !term.is_empty() => format!("TERM={term}"),
        _ => "no TERM".to_owned(),
    };
    Err(UsageError::Other(format!(
        "the full-screen app needs a terminal that can move its cursor, and this one says {name}; \
         here write callgate run 'WHAT TO DO' (see callgate run --help)"
    )))
}

/// What the environment says of colours and characters.
fn theme() -> Theme {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let unicode = locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    Theme::new(set("NO_COLOR").is_none(), unicode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_only_prints_lines_is_refused_with_the_way_to_go_on() {
        for term in [None, Some(""), Some("dumb")] {
            let refusal = check_terminal(term).unwrap_err().to_string();
            assert!(refusal.contains("callgate run") && !refusal.contains('\n'), "{refusal}");
        }
        for term in ["xterm-256color", "linux", "vt100"] {
            assert!(check_terminal(Some(term)).is_ok(), "{term}");
        }
    }
}
