//! Who may do what: modes, rules, and the questions put to a person.

mod approvals;
mod mode;
mod rule;

pub(crate) use approvals::Approvals;
pub use mode::PermissionMode;
pub use rule::{Rule, RuleError};

#[cfg(test)]
mod tests;
