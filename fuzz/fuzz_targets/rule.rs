//! Any text as a rule: it is read or refused, and one that was read is written as it came.
#![no_main]

use callgate_agent::Rule;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    match text.parse::<Rule>() {
        Ok(rule) => {
            let written = rule.to_string();
            assert_eq!(written, text.trim());
            let again: Rule = written.parse().expect("what a rule wrote is one");
            assert_eq!(format!("{rule:?}"), format!("{again:?}"));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});
