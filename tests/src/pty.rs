//! The app in a real pseudo-terminal, with a parser that knows what a person would see.

use std::{
    fmt, io,
    io::{Read as _, Write as _},
    num::NonZeroU16,
    os::fd::AsFd as _,
    process::{Child, ExitStatus},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use pty_process::{
    Size,
    blocking::{self, Pts},
};
use rustix::{
    process::{Pid, Signal, kill_process},
    termios::{InputModes, LocalModes, OutputModes, tcgetattr},
};

use crate::{LIMIT, Sandbox, callgate, eventually};

/// How the line discipline treats input and output: what raw mode changes.
type Modes = (InputModes, OutputModes, LocalModes);

/// The app with its terminal. Dropping it kills it.
pub struct Pty {
    terminal: Arc<blocking::Pty>,
    /// Kept open, so that the terminal outlives the app and can be looked at.
    side: Option<Pts>,
    child: Child,
    seen: Arc<Shared>,
    reader: Option<JoinHandle<()>>,
    before: Modes,
}

struct Shared {
    seen: Mutex<Seen>,
    changed: Condvar,
}

struct Seen {
    parser: vt100::Parser,
    log: Vec<u8>,
}

impl fmt::Debug for Pty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pty").field("child", &self.child).finish_non_exhaustive()
    }
}

fn nonzero(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal has cells")
}

impl Pty {
    /// Starts `callgate ARGS` in a terminal of `columns` times `rows`.
    pub fn start(sandbox: &Sandbox, args: &[&str], size: (u16, u16)) -> Self {
        let callgate = callgate().to_str().expect("its path is text");
        Self::program(sandbox, callgate, args, size)
    }

    /// Starts another program, such as a shell that starts the app.
    pub fn program(
        sandbox: &Sandbox,
        program: &str,
        args: &[&str],
        (columns, rows): (u16, u16),
    ) -> Self {
        let (terminal, side) = blocking::open().expect("a pseudo-terminal");
        terminal.resize(Size::new(rows, columns)).expect("a size");
        let before = modes(&terminal);
        let child = blocking::Command::new(program)
            .args(args)
            .env_clear()
            .envs(sandbox.vars())
            .current_dir(sandbox.work())
            .spawn_borrowed(&side)
            .expect("it starts");
        let terminal = Arc::new(terminal);
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        let seen = Arc::new(Shared {
            seen: Mutex::new(Seen { parser, log: Vec::new() }),
            changed: Condvar::new(),
        });
        let reader = thread::spawn({
            let (terminal, seen) = (Arc::clone(&terminal), Arc::clone(&seen));
            move || read(&terminal, &seen)
        });
        Self { terminal, side: Some(side), child, seen, reader: Some(reader), before }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.seen.lock().expect("no holder panicked")
    }

    /// Every byte that was written to the terminal so far.
    pub fn log(&self) -> Vec<u8> {
        self.seen().log.clone()
    }

    /// The text on the screen, a line for each row.
    pub fn text(&self) -> String {
        self.seen().parser.screen().contents()
    }

    /// A copy of the screen.
    pub fn screen(&self) -> vt100::Screen {
        self.seen().parser.screen().clone()
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + LIMIT;
        loop {
            // Asked before looking, so that the last frame of an app that ended still counts.
            let ended = self.child.try_wait().expect("it can be waited for");
            if ended.is_some() {
                // What it wrote last may still be on its way.
                self.settle(Duration::from_millis(300));
            }
            let seen = self.seen();
            if wanted(seen.parser.screen()) {
                return;
            }
            // The end of the app is no change of the screen, so it is looked for now and then.
            let pause = Duration::from_millis(100);
            drop(self.seen.changed.wait_timeout(seen, pause).expect("no holder panicked"));
            let (shown, late) = (self.text(), Instant::now() > deadline);
            assert!(ended.is_none(), "the app ended ({ended:?}) before {what}; screen:\n{shown}");
            assert!(!late, "never saw {what}; screen:\n{shown}");
        }
    }

    /// Waits until the screen has a text.
    #[track_caller]
    pub fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the screen has lost a text.
    #[track_caller]
    pub fn wait_for_no_text(&mut self, text: &str) {
        self.wait_for(&format!("the end of {text}"), |screen| !screen.contents().contains(text));
    }

    /// Waits until nothing was written for `window`.
    #[track_caller]
    pub fn settle(&self, window: Duration) {
        let deadline = Instant::now() + LIMIT;
        while self.writes_within(window) > 0 {
            assert!(Instant::now() < deadline, "the app never stops writing");
        }
    }

    /// How many bytes are written until `window` has passed.
    pub fn writes_within(&self, window: Duration) -> usize {
        let seen = self.seen();
        let before = seen.log.len();
        let end = Instant::now() + window;
        let mut seen = seen;
        while let Some(rest) = end.checked_duration_since(Instant::now()) {
            seen = self.seen.changed.wait_timeout(seen, rest).expect("no holder panicked").0;
        }
        seen.log.len() - before
    }

    /// Types.
    pub fn send(&self, keys: &str) {
        (&*self.terminal).write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Types text and Enter.
    pub fn submit(&mut self, text: &str) {
        self.send(text);
        self.wait_for_text(text);
        self.send("\r");
    }

    /// Changes the size.
    pub fn resize(&self, (columns, rows): (u16, u16)) {
        let mut seen = self.seen();
        seen.parser.screen_mut().set_size(nonzero(rows), nonzero(columns));
        self.terminal.resize(Size::new(rows, columns)).expect("a size");
    }

    /// Sends a signal to the app.
    pub fn signal(&self, signal: Signal) {
        let pid =
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("it can be signalled");
    }

    /// Waits for the end of the app, and checks that it gave the terminal back as it was.
    #[track_caller]
    pub fn finish(mut self) -> (ExitStatus, Vec<u8>) {
        let mut status = None;
        let child = &mut self.child;
        eventually("the app ends", || {
            status = child.try_wait().expect("it can be waited for");
            status.is_some()
        });
        assert_eq!(modes(&self.terminal), self.before, "the modes of the line discipline");
        // With the last user gone the reader comes to the end.
        self.side = None;
        self.reader.take().expect("not joined yet").join().expect("the reader ends");
        let seen = self.seen();
        let screen = seen.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "bracketed paste is off");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let log = seen.log.clone();
        drop(seen);
        (status.expect("it ended"), log)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // Both fail harmlessly where it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn modes(terminal: &blocking::Pty) -> Modes {
    let found = tcgetattr(terminal.as_fd()).expect("it is a terminal");
    (found.input_modes, found.output_modes, found.local_modes)
}

fn read(terminal: &blocking::Pty, shared: &Shared) {
    let mut buffer = [0; 16 * 1024];
    loop {
        match (&*terminal).read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let mut seen = shared.seen.lock().expect("no holder panicked");
                seen.parser.process(&buffer[..count]);
                seen.log.extend(&buffer[..count]);
                drop(seen);
                shared.changed.notify_all();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What Linux says when the last user is gone.
            Err(_) => return,
        }
    }
}
