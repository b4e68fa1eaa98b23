//! The engine's clock, read from the screen's.

use crate::tui::msg::Millis;

/// How far the two clocks are apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EngineClock {
    /// The screen's clock minus the engine's, in microseconds, on the fastest delivery so far.
    offset: Option<i64>,
}

impl EngineClock {
    /// An event that happened at `at_us` arrived at `now`.
    pub(crate) fn observe(&mut self, at_us: u64, now: Millis) {
        let offset = signed(now.saturating_mul(1_000)).saturating_sub(signed(at_us));
        // A late delivery looks like a large offset; the smallest is the truest.
        self.offset = Some(self.offset.map_or(offset, |known| known.min(offset)));
    }

    /// The engine's time at `now`, in microseconds.
    pub(crate) const fn now(&self, now: Millis) -> u64 {
        match self.offset {
            Some(offset) => {
                let time = signed(now.saturating_mul(1_000)).saturating_sub(offset);
                if time < 0 { 0 } else { time.unsigned_abs() }
            }
            None => 0,
        }
    }
}

const fn signed(value: u64) -> i64 {
    if value > i64::MAX as u64 { i64::MAX } else { value.cast_signed() }
}
