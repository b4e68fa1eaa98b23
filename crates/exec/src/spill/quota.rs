//! How much a store has kept.

use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that all outputs of one store may still take.
#[derive(Debug)]
pub(super) struct SessionQuota {
    left: AtomicU64,
}

impl SessionQuota {
    pub(super) const fn new(bytes: u64) -> Self {
        Self { left: AtomicU64::new(bytes) }
    }

    /// Takes up to so many bytes; tells how many there were.
    pub(super) fn take(&self, wanted: u64) -> u64 {
        let mut granted = 0;
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            granted = left.min(wanted);
            Some(left - granted)
        });
        granted
    }

    /// Gives back what was taken but not used.
    pub(super) fn give_back(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::SessionQuota;

    #[test]
    fn no_more_is_granted_than_is_left() {
        let quota = SessionQuota::new(10);
        assert_eq!((quota.take(6), quota.take(6), quota.take(6)), (6, 4, 0));
        quota.give_back(3);
        assert_eq!(quota.take(u64::MAX), 3);
    }
}
