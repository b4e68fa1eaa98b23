//! How much may be kept.

const GIB: u64 = 1024 * 1024 * 1024;

/// How much of the disk the kept outputs may take. What is past a limit is counted, not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillLimits {
    /// Bytes of one output.
    pub per_call: u64,
    /// Bytes of all outputs of one store since it was opened.
    pub per_session: u64,
    /// Bytes of the disk that stay free.
    pub free_floor: u64,
}

impl Default for SpillLimits {
    /// 4 GiB a call and 16 GiB a session, and 2 GiB stay free.
    fn default() -> Self {
        Self { per_call: 4 * GIB, per_session: 16 * GIB, free_floor: 2 * GIB }
    }
}
