//! Panics while the screen is ours.
//!
//! A tool that panics is answered as a failed call while the app goes on, so its message must not be
//! printed over the screen. One on the thread of the screen ends the app: the terminal is restored
//! first, and then the message is printed.

use std::{
    io::{self, Write},
    panic,
    sync::{Mutex, Once, PoisonError},
    thread::{self, ThreadId},
};

use super::screen;

/// Messages that wait for the screen to be given back.
static UNTOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// The thread that draws.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);
/// Messages that are kept; a loop of panics must not fill the memory.
const MAX_UNTOLD: usize = 20;

/// Puts the hook before the one that was there.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    *OWNER.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
            if owner == Some(thread::current().id()) {
                screen::restore();
            }
            if screen::is_taken() {
                let mut untold = UNTOLD.lock().unwrap_or_else(PoisonError::into_inner);
                if untold.len() < MAX_UNTOLD {
                    untold.push(panicked.to_string());
                }
            } else {
                before(panicked);
            }
        }));
    });
}

/// Prints what could not be printed.
pub(super) fn tell() {
    let untold = std::mem::take(&mut *UNTOLD.lock().unwrap_or_else(PoisonError::into_inner));
    for message in untold {
        // Standard error may be closed; there is no other place.
        let _ = writeln!(io::stderr(), "{message}");
    }
}
