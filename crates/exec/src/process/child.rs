//! What a child does between its fork and its program: the only unsafe code of the crate.
//!
//! After a fork in a program with threads, the child may do nothing but plain system calls: another thread may
//! have held any lock at that moment, the allocator's among them. Every function that is called here
//! is such a call on values that were made before the fork.
#![expect(
    unsafe_code,
    reason = "the hook between fork and exec, and three C calls without a safe form"
)]

use std::{io, os::unix::process::CommandExt, process::Command, sync::Once};

use rustix::process::{Pid, getpid, setsid};

use super::tree::Brand;

/// Makes the child the leader of its own session and process group, without inherited descriptors, marked, and bound
/// to the life of the thread that starts it.
pub(super) fn prepare(command: &mut Command, brand: Brand) {
    let parent = getpid();
    let hook = move || {
        setsid()?;
        set_file_size_signal(libc::SIG_DFL);
        die_with(parent)?;
        set_brand(brand);
        close_descriptors_on_exec();
        Ok(())
    };
    // SAFETY: the hook only makes system calls (see the module); it neither allocates nor locks nor panics.
    unsafe { command.pre_exec(hook) };
}

/// Has a write beyond the limit of a file's size fail instead of ending this process.
///
/// A handler that the program has already set for the signal stays.
pub(crate) fn ignore_file_size_signal() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = set_file_size_signal(libc::SIG_IGN);
        if before != libc::SIG_DFL && before != libc::SIG_ERR {
            set_file_size_signal(before);
        }
    });
}

fn set_file_size_signal(action: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: the action is a constant of the system, or a handler that was installed before.
    unsafe { libc::signal(libc::SIGXFSZ, action) }
}

/// The kernel kills the child when the thread that started it ends, so also when this process is killed.
#[cfg(target_os = "linux")]
fn die_with(parent: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // The parent may have died before the request.
    if rustix::process::getppid() == Some(parent) {
        Ok(())
    } else {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: Pid) -> io::Result<()> {
    Ok(())
}

/// See [`Brand`]. A child that can't be branded can still be found by its session and its parents.
#[cfg(target_os = "linux")]
fn set_brand(brand: Brand) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a valid pointer to a limit of this function's own.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_RTTIME, &raw mut limit) == 0 && brand.0 <= limit.rlim_max {
            limit.rlim_cur = brand.0;
            libc::setrlimit(libc::RLIMIT_RTTIME, &raw const limit);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn set_brand(_: Brand) {}

/// What a library has opened without care must not reach a program that a model chose.
fn close_descriptors_on_exec() {
    /// Where the kernel lacks the call; descriptors above are rare enough.
    const LAST_BY_HAND: i32 = 1024;
    #[cfg(target_os = "linux")]
    {
        let cloexec = libc::CLOSE_RANGE_CLOEXEC;
        // SAFETY: the call takes numbers only, and only sets a flag of descriptors.
        if unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, cloexec) } == 0 {
            return;
        }
    }
    for descriptor in 3..=LAST_BY_HAND {
        // SAFETY: setting the flag of a descriptor, or failing to for want of one, harms nothing.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
