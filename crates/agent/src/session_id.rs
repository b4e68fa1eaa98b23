//! Names of sessions: sorted by time, unguessable, and fit for a file name.

use rand::Rng as _;

/// A new id, such as `20261201T101500-3f9a1c`; the time is in UTC.
pub(crate) fn new() -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S");
    let random = rand::rng().random_range(0..0x100_0000);
    format!("{now}-{random:06x}")
}
