//! A descriptor that becomes readable when a process ends.

use std::{io, thread};

use rustix::{
    fd::OwnedFd,
    io::Errno,
    pipe::{PipeFlags, pipe_with},
    process::{Pid, WaitId, WaitIdOptions, waitid},
};

/// Opens one for a child that has not been reaped, and does not reap it.
pub(super) fn open(pid: Pid) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Ok(descriptor) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        return Ok(descriptor);
    }
    by_thread(pid)
}

/// Where the system has no such descriptor, a thread waits and hangs up a pipe.
fn by_thread(pid: Pid) -> io::Result<OwnedFd> {
    let (notice, hold) = pipe_with(PipeFlags::CLOEXEC)?;
    thread::Builder::new().name("callgate-wait".to_owned()).spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(pid), options).is_err_and(|error| error == Errno::INTR) {}
        drop(hold);
    })?;
    Ok(notice)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    #[test]
    fn both_kinds_notice_the_end_and_leave_the_child_to_be_reaped() {
        for open in [open, by_thread] {
            let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
            let notice = open(Pid::from_child(&child)).unwrap();
            let ready = |wait: Option<&rustix::event::Timespec>| {
                poll(&mut [PollFd::new(&notice, PollFlags::IN)], wait).unwrap()
            };
            assert_eq!(ready(Some(&rustix::event::Timespec::default())), 0);
            drop(child.stdin.take());
            assert_eq!(ready(None), 1);
            assert!(child.wait().unwrap().success());
        }
    }
}
