//! Moving bytes between a process and us, and noticing what happens to it: all in one thread, by `poll`.

use std::{
    fs::File,
    io::{self, Read, Write},
    process::Child,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::{AsFd, OwnedFd},
    fs::{OFlags, fcntl_setfl},
    io::Errno,
};

use super::{Stdin, Stream, feed::Feed, stopper::StopSignal};
use crate::capture::{Captured, Collector};

/// How much is read at a time, and the size of the pipe of a process that fills it.
///
/// Larger reads no longer fit into the processor's second cache, and the pipes of one user may hold 64 MiB together.
const READ_BYTES: usize = 256 * 1024;

/// The size that a pipe has by itself.
const USUAL_PIPE_BYTES: usize = 64 * 1024;

/// What happened in one turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Bytes came or a stream ended.
    pub(super) moved: bool,
}

/// The streams of one process and the signs of its end.
pub(super) struct Pump<F> {
    streams: [Option<OutputPipe>; 2],
    input: Option<InputPipe>,
    signs: Signs,
    buffer: Vec<u8>,
    collector: Collector,
    feed: Feed<F>,
    exited: bool,
    stopped: bool,
}

/// What says that it is over.
pub(super) struct Signs {
    /// The process has ended.
    pub(super) exit: OwnedFd,
    /// It is to be stopped.
    pub(super) stop: StopSignal,
}

struct OutputPipe {
    stream: Stream,
    file: File,
    grown: bool,
}

struct InputPipe {
    file: File,
    bytes: Vec<u8>,
    written: usize,
}

/// What a polled descriptor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Output(usize),
    Input,
    Exit,
    Stop,
}

impl<F: Fn(Stream, &str)> Pump<F> {
    pub(super) fn new(
        child: Option<&mut Child>,
        stdin: Stdin,
        signs: Signs,
        collector: Collector,
        on_chunk: F,
    ) -> Self {
        let (stdout, stderr, input) = child.map_or((None, None, None), |child| {
            (child.stdout.take(), child.stderr.take(), child.stdin.take())
        });
        let out = stdout.map(|pipe| OutputPipe::new(Stream::Stdout, pipe));
        let err = stderr.map(|pipe| OutputPipe::new(Stream::Stderr, pipe));
        Self {
            streams: [out, err],
            input: input.and_then(|pipe| InputPipe::new(pipe, stdin)),
            signs,
            buffer: vec![0; READ_BYTES],
            collector,
            feed: Feed::new(on_chunk),
            exited: false,
            stopped: false,
        }
    }

    /// Whether the process has ended.
    pub(super) const fn has_exited(&self) -> bool {
        self.exited
    }

    /// Whether it is to be stopped.
    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether somebody may still write.
    pub(super) fn is_open(&self) -> bool {
        self.streams.iter().any(Option::is_some)
    }

    /// Waits until something happens, at most that long, and does what is to be done.
    pub(super) fn turn(&mut self, wait: Duration) -> Turn {
        let wait = self.feed.due_in(Instant::now()).map_or(wait, |due| wait.min(due));
        let mut turn = Turn::default();
        for source in self.ready(wait) {
            match source {
                Source::Output(index) => turn.moved |= self.read(index),
                Source::Input => self.feed_input(),
                Source::Exit => self.exited = true,
                Source::Stop => self.stopped = true,
            }
        }
        self.feed.tick(Instant::now());
        turn
    }

    /// Ends the capture.
    pub(super) fn finish(mut self) -> Captured {
        self.feed.flush();
        self.collector.finish()
    }

    fn ready(&self, wait: Duration) -> Vec<Source> {
        let mut sources = Vec::with_capacity(5);
        let mut polled = Vec::with_capacity(5);
        for (index, pipe) in self.streams.iter().enumerate() {
            if let Some(pipe) = pipe {
                sources.push(Source::Output(index));
                polled.push(PollFd::new(&pipe.file, PollFlags::IN));
            }
        }
        if let Some(pipe) = &self.input {
            sources.push(Source::Input);
            polled.push(PollFd::new(&pipe.file, PollFlags::OUT));
        }
        // Both stay ready once they are.
        if !self.exited {
            sources.push(Source::Exit);
            polled.push(PollFd::new(&self.signs.exit, PollFlags::IN));
        }
        if !self.stopped {
            sources.push(Source::Stop);
            polled.push(PollFd::new(&self.signs.stop, PollFlags::IN));
        }
        let timeout = Timespec::try_from(wait).ok();
        if poll(&mut polled, timeout.as_ref()).is_err() {
            // Interrupted: the next turn polls again.
            return Vec::new();
        }
        let ready = sources.into_iter().zip(&polled);
        ready.filter(|(_, polled)| !polled.revents().is_empty()).map(|(source, _)| source).collect()
    }

    /// Reads what is there; tells whether bytes came or the stream ended.
    fn read(&mut self, index: usize) -> bool {
        let Some(slot) = self.streams.get_mut(index) else { return false };
        let Some(pipe) = slot else { return false };
        match pipe.file.read(&mut self.buffer) {
            Ok(read @ 1..) => {
                let stream = pipe.stream;
                pipe.grow_if_filled(read);
                let bytes = self.buffer.get(..read).unwrap_or_default();
                let feed = &mut self.feed;
                self.collector.push_and(stream, bytes, |piece| feed.push(stream, piece));
                true
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            // The end, or an error that a pipe can't recover from.
            Ok(0) | Err(_) => {
                *slot = None;
                true
            }
        }
    }

    fn feed_input(&mut self) {
        if self.input.as_mut().is_some_and(|pipe| pipe.write().is_done()) {
            self.input = None;
        }
    }
}

impl OutputPipe {
    fn new(stream: Stream, pipe: impl Into<OwnedFd>) -> Self {
        Self { stream, file: File::from(pipe.into()), grown: false }
    }

    /// A larger pipe lets the writer go on while we write; most processes never need one.
    fn grow_if_filled(&mut self, read: usize) {
        if !self.grown && read >= USUAL_PIPE_BYTES {
            self.grown = true;
            #[cfg(target_os = "linux")]
            {
                // Refused when the user's pipes are too large already; then this one stays as it is.
                let _ = rustix::pipe::fcntl_setpipe_size(&self.file, READ_BYTES);
            }
        }
    }
}

/// Whether there is more to be written.
#[derive(PartialEq, Eq)]
enum Input {
    Pending,
    Done,
}

impl Input {
    fn is_done(&self) -> bool {
        *self == Self::Done
    }
}

impl InputPipe {
    fn new(pipe: impl Into<OwnedFd>, stdin: Stdin) -> Option<Self> {
        let Stdin::Bytes(bytes) = stdin else { return None };
        let pipe = pipe.into();
        // The process has the other end; a write that would block must not hold up its output.
        fcntl_setfl(pipe.as_fd(), OFlags::NONBLOCK).ok()?;
        Some(Self { file: File::from(pipe), bytes, written: 0 })
    }

    fn write(&mut self) -> Input {
        let rest = self.bytes.get(self.written..).unwrap_or_default();
        if rest.is_empty() {
            return Input::Done;
        }
        match self.file.write(rest) {
            Ok(written) => {
                self.written += written;
                if self.written < self.bytes.len() { Input::Pending } else { Input::Done }
            }
            Err(error) if is_passing(&error) => Input::Pending,
            // Nobody reads any more.
            Err(_) => Input::Done,
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::INTR, Errno::AGAIN].iter().any(|errno| code == Some(errno.raw_os_error()))
}
