use proptest::prelude::*;

use super::*;

fn clean(raw: &str) -> String {
    SafeText::clean(raw).as_str().to_owned()
}

fn reveal(raw: &str) -> String {
    SafeText::reveal(raw).as_str().to_owned()
}

#[test]
fn t02_t03_t06_t07_t18_whole_sequences_go_and_the_text_around_them_stays() {
    for sequence in [
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "\u{1b}]0;title\u{7}",
        "\u{1b}[6n\u{1b}[c\u{1b}]11;?\u{7}",
        "\u{1b}P$q q\u{1b}\\",
        "\u{1b}_Gf=100;AAAA\u{1b}\\\u{1b}Pq#0\u{1b}\\",
        "\u{9b}31m",
        "\u{9d}0;title\u{9c}",
        "\u{90}q\u{9c}",
        "\u{1b}(B",
        "\u{1b}c",
    ] {
        assert_eq!(clean(&format!("a{sequence}b")), "ab", "{sequence:?}");
    }
}

#[test]
fn t08_the_end_of_a_paste_is_no_end() {
    assert_eq!(clean("x\u{1b}[201~\nrm -rf x\n"), "x\nrm -rf x\n");
}

#[test]
fn t10_a_carriage_return_is_resolved_in_output_and_shown_in_approvals() {
    assert_eq!(clean("10%\r20%\r\ndone"), "20%\ndone");
    assert_eq!(reveal("echo safe\rrm -rf /"), "echo safe␍rm -rf /");
}

#[test]
fn t11_backspaces_are_resolved_in_output_and_shown_in_approvals() {
    assert_eq!(clean("rm x\u{8}\u{8}\u{8}\u{8}ls  "), "ls  ");
    assert_eq!(reveal("rm x\u{8}\u{8}ls"), "rm x␈␈ls");
}

#[test]
fn t12_t13_t14_what_hides_is_shown_as_code_points_and_counted() {
    assert_eq!(clean("\u{202e}gpj.exe"), "<U+202E>gpj.exe");
    let tags = SafeText::clean("ok\u{e0069}\u{e0067}");
    assert_eq!((tags.as_str(), tags.revealed()), ("ok<U+E0069><U+E0067>", 2));
    assert_eq!(reveal("a\u{200b}b\u{2060}c\u{feff}d"), "a<U+200B>b<U+2060>c<U+FEFF>d");
}

#[test]
fn t17_an_unterminated_sequence_hides_a_bounded_amount_and_not_the_next_line() {
    let osc = format!("\u{1b}]0;{}\nlater", "x".repeat(1_000));
    assert_eq!(clean(&osc), "\nlater");
    let mut cleaner = Cleaner::reading();
    let mut text = SafeText::default();
    cleaner.push("\u{1b}P", &mut text);
    for _ in 0..10 {
        cleaner.push(&"x".repeat(1 << 20), &mut text);
    }
    cleaner.push("later", &mut text);
    assert!(text.as_str().ends_with("later"));
}

#[test]
fn t20_t21_long_runs_of_nothing_are_folded_and_counted() {
    let lines = fold_blanks(&format!("ls{}rm -rf ~", "\n".repeat(200)));
    assert_eq!(lines, "ls\n⟨199 blank lines⟩\nrm -rf ~");
    let blanks = fold_blanks(&format!("ls{}; rm -rf ~", " ".repeat(5_000)));
    assert_eq!(blanks, "ls⟨5000 blanks⟩; rm -rf ~");
    assert_eq!(fold_blanks("a\n    b\n\n    c"), "a\n    b\n\n    c");
}

#[test]
fn t22_bells_are_silent() {
    assert_eq!(clean(&"\u{7}".repeat(1_000_000)), "");
}

#[test]
fn t23_concealed_text_is_seen() {
    assert_eq!(clean("\u{1b}[38;2;0;0;0m\u{1b}[8mhidden\u{1b}[0m"), "hidden");
}

#[test]
fn an_entity_in_markdown_is_no_way_round() {
    let rows = render_markdown(&SafeText::clean("a&#27;[2Jb &#x202e;c"), 40);
    let text: String = rows.iter().flat_map(|row| &row.pieces).map(|p| p.text.as_str()).collect();
    assert_eq!(text, "a␛[2Jb <U+202E>c");
}

#[test]
fn what_a_backspace_or_a_carriage_return_takes_back_excuses_nothing() {
    // The joiner would be hidden between two Latin letters.
    assert_eq!(clean("a\u{e9}\u{8}\u{200d}b"), "a<U+200D>b");
    assert_eq!(clean("\u{e9}\r\u{200d}b"), "<U+200D>b");
    // Marks count on, so that no tower grows.
    let marks = "\u{301}".repeat(6);
    assert_eq!(clean(&format!("e{marks}x\u{8}{marks}")), format!("e{marks}"));
}

#[test]
fn joiners_stay_in_words_and_emoji_but_not_between_latin_letters() {
    assert_eq!(clean("👩\u{200d}🚀"), "👩\u{200d}🚀");
    assert_eq!(clean("a\u{200d}b"), "a<U+200D>b");
}

#[test]
fn words_wrap_at_blanks_and_wide_characters_anywhere() {
    let rows = |text: &str, width| -> Vec<String> {
        wrap_text(&SafeText::clean(text), Role::Text, width).iter().map(text_of).collect()
    };
    assert_eq!(rows("one two three", 7), ["one two", "three"]);
    assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(rows("日本語", 4), ["日本", "語"]);
    assert_eq!(rows("日", 1), ["?"]);
    assert_eq!(rows("", 4), [""]);
}

fn text_of(row: &Row) -> String {
    row.pieces.iter().map(|piece| piece.text.as_str()).collect()
}

#[test]
fn markdown_is_laid_out_simply() {
    let source = "# Title\n\nSome *fine* **bold** `code`\n\n1. one\n2. two\n   - deep\n\n> quoted\n\n```rust\nlet a = 1;\n```\n[here](https://example.org)";
    let rows: Vec<String> =
        render_markdown(&SafeText::clean(source), 30).iter().map(text_of).collect();
    insta::assert_snapshot!(rows.join("\n"));
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-z ]{0,12}",
        Just("\u{1b}[31m".to_owned()),
        Just("\u{1b}]".to_owned()),
        Just("\u{9b}".to_owned()),
        Just("👩\u{200d}🚀".to_owned()),
        Just("日本語".to_owned()),
        Just("e\u{301}\u{301}\u{301}".to_owned()),
        Just("\r".to_owned()),
        Just("\u{8}".to_owned()),
        Just("\n".to_owned()),
        Just("&#27;".to_owned()),
        Just("```".to_owned()),
        Just("\n> - ".to_owned()),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn safe_text_holds_no_control_character(raw in any_text()) {
        for text in [clean(&raw), reveal(&raw), reveal(&fold_blanks(&raw))] {
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
    }

    #[test]
    fn text_is_cleaned_alike_however_it_is_cut(raw in any_text(), cut in any::<prop::sample::Index>()) {
        let cuts: Vec<usize> = raw.char_indices().map(|(at, _)| at).chain([raw.len()]).collect();
        let (before, after) = raw.split_at(cuts[cut.index(cuts.len())]);
        let mut cleaner = Cleaner::reading();
        let mut text = SafeText::default();
        cleaner.push(before, &mut text);
        cleaner.push(after, &mut text);
        prop_assert_eq!(text, SafeText::clean(&raw));
    }

    #[test]
    fn no_row_is_wider_than_the_width(raw in any_text(), width in 1_usize..30) {
        let text = SafeText::clean(&raw);
        for row in wrap_text(&text, Role::Text, width).iter().chain(&render_markdown(&text, width)) {
            prop_assert!(row.width() <= width, "{row:?}");
        }
    }

    #[test]
    fn an_ellipsis_keeps_within_the_width(raw in any_text(), width in 0_usize..30) {
        prop_assert!(width_of(ellipsize(&SafeText::clean(&raw), width).as_str()) <= width);
    }
}
