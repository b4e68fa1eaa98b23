use std::collections::HashSet;

use super::*;

#[test]
fn every_key_of_the_table_is_a_key_and_has_one_meaning_in_its_context() {
    let mut seen = HashSet::new();
    for binding in BINDINGS {
        for text in binding.keys {
            let key = parse_chord(text).unwrap_or_else(|| panic!("{text} is no key"));
            assert!(seen.insert((binding.context, key)), "{text} twice in {:?}", binding.context);
        }
    }
}

#[test]
fn a_capital_letter_is_found_whether_or_not_the_terminal_reports_its_shift() {
    let map = KeyMap::default();
    let capital = parse_chord("G").unwrap();
    let shifted = Key { shift: true, ..capital };
    assert_eq!(map.action(Context::Batch, capital), Some(Action::Bottom));
    assert_eq!(map.action(Context::Batch, shifted), Some(Action::Bottom));
}

#[test]
fn the_context_goes_before_everywhere() {
    let map = KeyMap::default();
    let tab = parse_chord("tab").unwrap();
    assert_eq!(map.action(Context::Approval, tab), Some(Action::NextApproval));
    assert_eq!(map.action(Context::Composer, tab), Some(Action::NextPane));
}
