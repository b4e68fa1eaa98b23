//! What could not be read on a search, with the reasons.

use std::io;

use crate::text;

/// How many are named.
const MAX_NAMED: usize = 5;

/// Counts what could not be read, and names the first few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    count: u64,
    named: Vec<String>,
}

impl Unread {
    pub(crate) fn add(&mut self, shown: &str, reason: &str) {
        self.count += 1;
        if self.named.len() < MAX_NAMED {
            self.named.push(format!("{} ({reason})", text::echo(shown)));
        }
    }

    /// `2 files could not be searched: a (permission denied), b (...)`, if there are any.
    pub(crate) fn remark(&self, one: &str, many: &str, what: &str) -> Option<String> {
        (self.count > 0).then(|| {
            let more = if self.named.len() as u64 == self.count { "" } else { ", ..." };
            let count = text::count(self.count, one, many);
            format!("{count} could not be {what}: {}{more}", self.named.join(", "))
        })
    }
}

/// The reason in few words.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => text::echo(&error.to_string()).into_owned(),
    }
}
