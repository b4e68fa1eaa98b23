//! Properties of the cutter: nothing depends on how the output was split, and the counts add up.

use proptest::prelude::*;

use super::*;

fn small() -> CaptureOptions {
    CaptureOptions {
        threshold_bytes: 20,
        head_chars: 7,
        tail_chars: 9,
        ..CaptureOptions::default()
    }
}

fn pushed(chunks: &[&[u8]], options: &CaptureOptions) -> Captured {
    let mut collector = Collector::new(options.clone());
    for chunk in chunks {
        collector.push(Stream::Stdout, chunk);
    }
    collector.finish()
}

/// Head and tail, without the line between.
fn ends(captured: &Captured) -> (String, String) {
    let (head, rest) = captured.text.split_once("[... ").unwrap();
    let (_, tail) = rest.split_once(" ...]\n").unwrap();
    (head.to_owned(), tail.to_owned())
}

/// Bytes that are mostly text, with characters of every length, clusters, NULs and bytes that are none.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-z\n]{1,6}".prop_map(String::into_bytes),
        2 => "[é字🦀]{1,4}".prop_map(String::into_bytes),
        1 => Just("👩‍👩‍👧‍👦e\u{301}🇩🇪".as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 1..6),
        1 => Just(vec![0]),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn f09_f10_any_split_gives_the_same_result(bytes in output(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut from = 0;
        let chunks: Vec<&[u8]> = cuts.iter().map(|&to| { let chunk = &bytes[from..to]; from = to; chunk }).collect();
        let whole = pushed(&[&bytes], &small());
        prop_assert_eq!(&pushed(&chunks, &small()), &whole);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&pushed(&single, &small()), &whole);
    }

    #[test]
    fn x10_f10_head_and_omitted_and_tail_are_the_total(bytes in output()) {
        let captured = pushed(&[&bytes], &small());
        let all = shown(&bytes);
        prop_assert_eq!(captured.bytes, bytes.len() as u64);
        prop_assert_eq!(captured.chars, all.chars().count() as u64);
        prop_assert_eq!(captured.lines, all.lines().count() as u64);
        if captured.is_whole() {
            prop_assert!(captured.bytes <= 20 || captured.chars <= 16);
            prop_assert_eq!(captured.text, all);
            return Ok(());
        }
        let (mut head, tail) = ends(&captured);
        prop_assert!(all.ends_with(&tail));
        let tail_chars = tail.chars().count() as u64;
        let head_chars = captured.chars - captured.omitted_chars - tail_chars;
        prop_assert!(head_chars <= 7 && tail_chars <= 9);
        // The notice starts a line of its own.
        if head.chars().count() as u64 > head_chars {
            prop_assert_eq!(head.pop(), Some('\n'));
        }
        prop_assert_eq!(head.chars().count() as u64, head_chars);
        prop_assert!(all.starts_with(&head));
        let shown_lines = (head.matches('\n').count() + tail.matches('\n').count()) as u64;
        prop_assert_eq!(shown_lines + captured.omitted_lines, all.matches('\n').count() as u64);
    }
}

#[test]
fn f28_pains28_a_megabyte_of_cjk_and_emoji_byte_by_byte_stays_text() {
    let text = "漢字🦀 👩‍👩‍👧‍👦 ".repeat(20_000);
    assert!(text.len() > 1_000_000 / 2);
    let mut collector = Collector::new(CaptureOptions::default());
    for byte in text.as_bytes() {
        collector.push(Stream::Stdout, &[*byte]);
    }
    let captured = collector.finish();
    assert!(!captured.text.contains('\u{fffd}') && !captured.text.contains("\\x"));
    assert_eq!(captured.chars, text.chars().count() as u64);
}

#[test]
fn an_output_of_fifty_kibibytes_is_whole_and_one_byte_more_is_not() {
    let options = CaptureOptions::default();
    let whole = capture_bytes(&vec![b'x'; 50 * 1024], &options);
    assert!(whole.is_whole());
    assert_eq!(whole.text.len(), 50 * 1024);
    let cut = capture_bytes(&vec![b'x'; 50 * 1024 + 1], &options);
    assert_eq!(cut.omitted_chars, 50 * 1024 + 1 - 30_000);
    let (head, tail) = ends(&cut);
    assert_eq!((head.len(), tail.len()), (6_001, 24_000), "and the line end before the notice");
}

#[test]
fn an_output_no_longer_than_its_preview_is_whole_whatever_its_bytes() {
    let options = CaptureOptions::default();
    let text = "字".repeat(30_000);
    assert!(text.len() > options.threshold_bytes);
    assert_eq!(capture_bytes(text.as_bytes(), &options).text, text);
    let longer = "字".repeat(30_001);
    assert_eq!(capture_bytes(longer.as_bytes(), &options).omitted_chars, 1);
}

#[test]
fn pains26_long_lines_do_not_hide_the_end() {
    let mut bytes = Vec::new();
    for _ in 0..5 {
        bytes.extend(std::iter::repeat_n(b'z', 1_000_000));
        bytes.push(b'\n');
    }
    bytes.extend(b"error: X\n");
    let captured = capture_bytes(&bytes, &CaptureOptions::default());
    assert!(captured.text.ends_with("\nerror: X\n"));
    assert!(captured.text.contains(&format!("{} bytes omitted", captured.omitted_bytes)));
    assert_eq!(captured.omitted_bytes, 5_000_014 - 30_000);
    assert!(captured.text.contains("dropped, since no store is in use"));
}

#[test]
fn clusters_are_not_cut_at_either_end() {
    let options = CaptureOptions { threshold_bytes: 0, head_chars: 3, tail_chars: 3, ..small() };
    let captured = capture_bytes("abe\u{301}-----e\u{301}\u{302}yz".as_bytes(), &options);
    assert_eq!(ends(&captured), ("ab\n".to_owned(), "yz".to_owned()));
    assert_eq!(captured.omitted_chars, captured.chars - 4);
}

#[test]
fn a_character_is_whole_though_the_other_stream_came_between() {
    let mut collector = Collector::new(CaptureOptions::default());
    let crab = "🦀".as_bytes();
    collector.push(Stream::Stdout, &crab[..2]);
    collector.push(Stream::Stderr, "字".as_bytes());
    collector.push(Stream::Stdout, &crab[2..]);
    collector.push(Stream::Stdout, &crab[..3]);
    collector.push(Stream::Stderr, &[0x80]);
    assert_eq!(collector.finish().text, "字🦀\\x80\\xf0\\x9f\\xa6");
}

#[test]
fn a_reader_that_fails_is_an_error_and_one_that_is_interrupted_is_not() {
    struct Flaky(Vec<io::Result<&'static [u8]>>);
    impl Read for Flaky {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.remove(0)?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }
    let good = Flaky(vec![Ok(b"a"), Err(io::ErrorKind::Interrupted.into()), Ok(b"b"), Ok(b"")]);
    assert_eq!(capture_reader(good, &CaptureOptions::default()).unwrap().text, "ab");
    let bad = Flaky(vec![Ok(b"a"), Err(io::ErrorKind::PermissionDenied.into())]);
    let error = capture_reader(bad, &CaptureOptions::default()).unwrap_err();
    assert!(matches!(error, ExecError::Read { .. }));
}
