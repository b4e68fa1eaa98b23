//! One run of the binary without a terminal.

use std::{
    io::{BufRead as _, BufReader, Read, Write as _},
    os::unix::process::ExitStatusExt as _,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Instant,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{LIMIT, eventually};

/// A run that is over.
#[derive(Debug, Clone)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output, byte by byte.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// The exit code.
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by signal: {:?}", self.status.signal()))
    }

    /// Fails, showing both outputs, unless the exit code is `code`.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.status.code(),
            Some(code),
            "exit code\n-- stdout\n{}\n-- stderr\n{}",
            self.text(),
            self.stderr
        );
        self
    }

    /// The standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The standard output as JSON, one value a line.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in line: {line}"))
        };
        self.text().lines().map(parse).collect()
    }

    /// Both outputs, to be searched for what must not be there.
    pub fn everything(&self) -> String {
        format!("{}{}", self.text(), self.stderr)
    }
}

/// A run that goes on. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    lines: Receiver<Vec<u8>>,
    seen: Vec<u8>,
    stderr: Receiver<String>,
}

impl Running {
    pub(crate) fn start(mut command: Command, stdin: &[u8]) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("callgate starts");
        let mut input = child.stdin.take().expect("standard input is piped");
        let stdin = stdin.to_vec();
        // A child that reads nothing must not hold the test up, and may close its end.
        thread::spawn(move || input.write_all(&stdin));
        let (sender, lines) = channel();
        let mut output = BufReader::new(child.stdout.take().expect("standard output is piped"));
        thread::spawn(move || {
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let (sender, stderr) = channel();
        let mut errors = child.stderr.take().expect("standard error is piped");
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = errors.read_to_end(&mut bytes);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        Self { child, lines, seen: Vec::new(), stderr }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid =
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("it can be signalled");
    }

    /// Waits for the first line of standard output from here on that is as wanted.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.next_line(deadline) {
                Ok(line) => match serde_json::from_slice(&line) {
                    Ok(value) if wanted(&value) => return value,
                    _ => {}
                },
                Err(error) => panic!(
                    "{what} never came ({error}); standard output:\n{}",
                    String::from_utf8_lossy(&self.seen)
                ),
            }
        }
    }

    fn next_line(&mut self, deadline: Instant) -> Result<Vec<u8>, RecvTimeoutError> {
        let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))?;
        self.seen.extend(&line);
        Ok(line)
    }

    /// Waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Ran {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.next_line(deadline) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("hung; standard output:\n{}", String::from_utf8_lossy(&self.seen))
                }
            }
        }
        let stderr = self.stderr.recv_timeout(LIMIT).expect("standard error ends");
        let mut status = None;
        eventually("callgate ends after its outputs", || {
            status = self.child.try_wait().expect("it can be waited for");
            status.is_some()
        });
        Ran { status: status.expect("it ended"), stdout: std::mem::take(&mut self.seen), stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail harmlessly where it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
