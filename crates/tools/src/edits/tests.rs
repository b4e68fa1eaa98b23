use super::*;

fn passage(old: &str, new: &str) -> Passage {
    Passage::new(old.to_owned(), new.to_owned(), false)
}

fn everywhere(old: &str, new: &str) -> Passage {
    Passage::new(old.to_owned(), new.to_owned(), true)
}

fn applied(content: &str, passages: &[Passage]) -> Result<String, String> {
    apply(content.as_bytes(), passages)
        .map(|after| String::from_utf8(after).unwrap())
        .map_err(|fault| fault.explain("f").to_string())
}

#[test]
fn passages_are_replaced() {
    for (content, old, new, expected) in [
        ("a b c", "b", "x", "a x c"),
        ("a b c", "b ", "", "a c"),
        ("a\nb\nc\n", "b\n", "b\nb2\n", "a\nb\nb2\nc\n"),
        ("äöü", "ö", "o", "äoü"),
        // Line ends of the file stay.
        ("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "\nb", "\nx", "a\r\nx\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"),
        // In a file with both, those of the place.
        ("a\r\nb\nc\nd\n", "a\nb", "x\ny", "x\r\ny\nc\nd\n"),
        ("a\r\nb\nc\nd\n", "c\nd", "x\ny\nz", "a\r\nb\nx\ny\nz\n"),
        ("a\r\nb\nc\nd\n", "c", "x\ny", "a\r\nb\nx\ny\nd\n"),
        // A CR that is written is meant.
        ("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"),
        ("a\nb\n", "a\n", "a\r\n", "a\r\nb\n"),
        // The byte-order mark is no part of the text.
        ("\u{feff}a\nb", "a", "x", "\u{feff}x\nb"),
        ("\u{feff}a\r\nb", "a\nb", "x\ny", "\u{feff}x\r\ny"),
    ] {
        assert_eq!(
            applied(content, &[passage(old, new)]).as_deref(),
            Ok(expected),
            "{content:?} {old:?}"
        );
    }
}

#[test]
fn bytes_that_are_no_text_stay_as_they_are() {
    let after = apply(b"a\xff\r\nb\xfe", &[passage("b", "x\ny")]).unwrap();
    assert_eq!(after, b"a\xff\r\nx\r\ny\xfe");
}

#[test]
fn edits_are_made_in_order_each_to_the_result_of_the_one_before() {
    let edits = [passage("one", "two"), passage("two", "three")];
    assert_eq!(applied("one", &edits).as_deref(), Ok("three"));
}

#[test]
fn all_edits_are_made_or_none() {
    let edits = [passage("a", "x"), passage("missing", "y")];
    let told = applied("a\n", &edits).unwrap_err();
    assert!(
        told.starts_with("Edit 2 of 2: old_text is not in f after the edits before it."),
        "{told}"
    );
    assert!(told.ends_with("Nothing was changed."), "{told}");
}

#[test]
fn f16_an_ambiguous_passage_is_refused_with_its_places() {
    let told = applied("x\ny\nx\n\nx\n", &[passage("x", "z")]).unwrap_err();
    assert_eq!(
        told,
        "old_text is in f at 3 places, starting in lines 1, 3, 5. Add lines around the place that \
         is meant, or set replace_all to change all of them. Nothing was changed."
    );
}

#[test]
fn a_passage_that_laps_over_itself_is_ambiguous() {
    let told = applied("aaa", &[passage("aa", "b")]).unwrap_err();
    assert!(told.starts_with("old_text is in f at 2 places, starting in lines 1, 1."), "{told}");
    assert_eq!(applied("aaa", &[everywhere("aa", "b")]).as_deref(), Ok("ba"));
}

#[test]
fn replace_all_changes_every_place_with_its_own_line_ends() {
    assert_eq!(applied("a b a", &[everywhere("a", "aa")]).as_deref(), Ok("aa b aa"));
    assert_eq!(applied("x\n1\r\nx\n", &[everywhere("x\n", "y\n")]).as_deref(), Ok("y\n1\r\ny\n"));
}

#[test]
fn a_passage_that_differs_in_white_space_only_is_shown_as_it_is() {
    let told = applied("fn a() {\n\tlet x = 1;\n}\n", &[passage("fn a() {\n    let x = 1;\n", "")]);
    assert_eq!(
        told.unwrap_err(),
        "old_text is not in f. Line 1 on is the same but for white space; the file has:\nfn a() {\n\
         \tlet x = 1;\n Nothing was changed."
    );
}

#[test]
fn the_most_similar_lines_are_named() {
    let content = "fn alpha(x: u32) {}\nfn beta(y: u32) {}\nunrelated\n";
    let told = applied(content, &[passage("fn alpha(x: u64) {}", "y")]).unwrap_err();
    assert!(told.contains("The most similar lines are:\n1: fn alpha(x: u32) {}\n"), "{told}");
    assert!(!told.contains("unrelated"), "{told}");
}

#[test]
fn looking_for_similar_lines_is_bounded() {
    let content = "some line of some length that is alike\n".repeat(200_000);
    let begun = std::time::Instant::now();
    let told = applied(&content, &[passage(&"another line of length\n".repeat(1_000), "y")]);
    assert!(told.is_err());
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

#[test]
fn edits_that_undo_each_other_are_refused() {
    let told = applied("a", &[passage("a", "b"), passage("b", "a")]).unwrap_err();
    assert_eq!(told, "Edit 2 of 2: the edits together leave f as it is. Nothing was changed.");
}

#[test]
fn f15_an_empty_passage_is_no_argument() {
    let told = passage("", "x").check("/edits/3").unwrap_err();
    let ToolError::InvalidArguments { pointer, message } = told else { panic!("{told}") };
    assert_eq!(pointer, "/edits/3/old_text");
    assert!(message.contains("use write_file"), "{message}");
}

proptest::proptest! {
    #[test]
    fn an_edit_of_a_crlf_file_is_that_of_the_lf_file_with_crlf(
        lines in proptest::collection::vec("[ab]{0,3}", 1..12),
        from in 0_usize..12,
        count in 1_usize..4,
        new in "[cd\n]{0,6}",
    ) {
        let content = lines.join("\n");
        let from = from.min(lines.len() - 1);
        let old = lines[from..(from + count).min(lines.len())].join("\n");
        proptest::prop_assume!(!old.is_empty());
        let lf = applied(&content, &[passage(&old, &new)]);
        let crlf = applied(&content.replace('\n', "\r\n"), &[passage(&old, &new)]);
        // A file of one line has no line ends to keep.
        proptest::prop_assume!(content.contains('\n'));
        proptest::prop_assert_eq!(lf.map(|after| after.replace('\n', "\r\n")), crlf);
    }
}
