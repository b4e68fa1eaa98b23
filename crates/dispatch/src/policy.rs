//! How the calls of a batch are ordered: a value, so that policies can be chosen and compared.

use serde::{Deserialize, Serialize};

/// Which calls of a batch may run at the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulePolicy {
    /// One after another, in the model's order.
    Sequential,
    /// All at once if no two calls of the batch conflict; else one after another.
    AllOrNothing,
    /// Each call waits only for the earlier calls that it conflicts with.
    #[default]
    Conflicts,
}
