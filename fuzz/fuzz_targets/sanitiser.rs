//! Any text on its way to the screen: whatever it holds and however it is cut, no control character
//! is left, nothing hides, and no character carries a tower of marks.
#![no_main]
#![allow(dead_code, unused_imports, unused_macros, reason = "the app uses more of these files")]

#[path = "../../apps/tui/src/tui/text/clean.rs"]
mod clean;
#[path = "../../apps/tui/src/tui/text/safe.rs"]
mod safe;

use clean::Cleaner;
use libfuzzer_sys::{Corpus, fuzz_target};
use safe::SafeText;
use unicode_width::UnicodeWidthChar as _;

/// What the cleaner promises.
const MAX_MARKS: usize = 6;

fn check(safe: &SafeText) {
    let mut last = '\n';
    let mut marks = 0;
    for c in safe.as_str().chars() {
        assert!(c == '\n' || !c.is_control(), "{c:?} is left");
        assert!(!('\u{202a}'..='\u{202e}').contains(&c), "{c:?} turns the text around");
        assert!(c != '\u{200b}' && c != '\u{feff}' && c != '\u{2060}', "{c:?} hides");
        assert!(c != '\u{200d}' || !last.is_ascii(), "a joiner after {last:?}");
        marks = if c != '\n' && c.width() == Some(0) { marks + 1 } else { 0 };
        assert!(marks <= MAX_MARKS, "{marks} marks on one character");
        last = c;
    }
}

fn in_pieces(mut cleaner: Cleaner, text: &str) -> SafeText {
    let mut safe = SafeText::default();
    text.chars().for_each(|c| cleaner.push(c.encode_utf8(&mut [0; 4]), &mut safe));
    safe
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let read = SafeText::clean(text);
    check(&read);
    assert_eq!(read, in_pieces(Cleaner::reading(), text));
    let revealed = SafeText::reveal(text);
    check(&revealed);
    assert_eq!(revealed, in_pieces(Cleaner::revealing(), text));
    assert!(!SafeText::first_line(text).as_str().contains('\n'));

    let keep = usize::from(data.last().copied().unwrap_or_default());
    let mut rest = read.clone();
    rest.forget_front(keep);
    assert!(rest.as_str().len() <= keep && read.as_str().ends_with(rest.as_str()));
    Corpus::Keep
});
