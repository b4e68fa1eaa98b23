//! Telling the supervising thread to stop.

use std::io;

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    io::write,
    pipe::{PipeFlags, pipe_with},
};

/// Tells the other end to stop when it is dropped: also when the future that held it is dropped.
#[derive(Debug)]
pub(super) struct Stopper(OwnedFd);

/// Becomes readable when its [`Stopper`] is dropped, and stays so.
#[derive(Debug)]
pub(super) struct StopSignal(OwnedFd);

pub(super) fn pair() -> io::Result<(Stopper, StopSignal)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    Ok((Stopper(writer), StopSignal(reader)))
}

impl Drop for Stopper {
    fn drop(&mut self) {
        // Hanging up alone could be noticed late: a child between fork and exec still holds a copy.
        let _ = write(&self.0, &[1]);
    }
}

impl AsFd for StopSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
