//! By what a process is known to belong to a call.

use rand::Rng;

/// What all processes of one call inherit.
#[derive(Debug, Clone)]
pub(in crate::process) struct Mark {
    text: String,
    brand: Brand,
}

/// A number that is inherited as the soft limit of CPU time under real-time scheduling (`RLIMIT_RTTIME`, Linux).
///
/// Unlike the variable, it survives a cleared environment, can be read of a process of another user, and of one that
/// has ended but is not reaped: so our own orphans can be told from the children of others, whom nobody but
/// their owner may reap. As a limit it is without effect: it starts at 73,000 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::process) struct Brand(pub(in crate::process) u64);

impl Mark {
    /// The environment variable that carries the mark.
    pub(in crate::process) const VARIABLE: &'static str = "CALLGATE_CALL";

    pub(in crate::process) fn random() -> Self {
        let mut random = rand::rng();
        let brand = Brand((1 << 61) | (random.random::<u64>() >> 4));
        Self { text: format!("{:032x}", random.random::<u128>()), brand }
    }

    pub(in crate::process) fn text(&self) -> &str {
        &self.text
    }

    pub(in crate::process) const fn brand(&self) -> Brand {
        self.brand
    }
}
