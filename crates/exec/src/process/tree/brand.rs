//! By what a process is known to belong to a call.

use rand::Rng;

/// A number that all processes of one call inherit, as the soft limit of CPU time under real-time scheduling
/// (`RLIMIT_RTTIME`, Linux).
///
/// An environment variable would do less: this survives a cleared environment, can be read of a process of another
/// user, and of one that has ended but is not reaped, so that our own orphans can be told from the children of
/// others, whom nobody but their owner may reap. As a limit it is without effect: it starts at 73,000 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::process) struct Brand(pub(in crate::process) u64);

impl Brand {
    pub(in crate::process) fn random() -> Self {
        Self((1 << 61) | (rand::rng().random::<u64>() >> 4))
    }
}
