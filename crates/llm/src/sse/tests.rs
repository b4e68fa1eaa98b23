use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn parse(pieces: &[&[u8]]) -> Vec<Event> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(parser.push(piece).unwrap());
    }
    events.extend(parser.finish().unwrap());
    events
}

fn event(name: &str, data: &str) -> Event {
    Event { name: name.to_owned(), data: data.to_owned() }
}

#[test]
fn one_form_after_the_other() {
    let cases: [(&str, Vec<Event>); 14] = [
        ("data: a\n\n", vec![event("message", "a")]),
        ("data:a\n\n", vec![event("message", "a")]),
        ("data:  a\n\n", vec![event("message", " a")]),
        ("data: a\r\n\r\n", vec![event("message", "a")]),
        ("data: a\r\rdata: b\r\r", vec![event("message", "a"), event("message", "b")]),
        ("data: a\ndata: b\n\n", vec![event("message", "a\nb")]),
        ("data\ndata\n\n", vec![event("message", "\n")]),
        ("event: x\ndata: a\nid: 1\nretry: 5\n\n", vec![event("x", "a")]),
        (": comment\n\ndata: a\n\n", vec![event("message", "a")]),
        ("event: empty\n\ndata: a\n\n", vec![event("message", "a")]),
        ("data:\n\ndata: a\n\n", vec![event("message", "a")]),
        ("\u{FEFF}data: a\n\n", vec![event("message", "a")]),
        ("data: \u{FEFF}a\n\n", vec![event("message", "\u{FEFF}a")]),
        ("\n\n\ndata: 你好\n\nda", vec![event("message", "你好")]),
    ];
    for (text, events) in cases {
        assert_eq!(parse(&[text.as_bytes()]), events, "{text:?}");
    }
}

#[test]
fn an_event_without_its_empty_line_is_given_at_the_end() {
    for text in ["data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\n\ndata: b\r"] {
        assert_eq!(parse(&[text.as_bytes()]), [event("message", "a"), event("message", "b")]);
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(parse(&[b"data: a\xFFb\n\n"]), [event("message", "a\u{FFFD}b")]);
}

#[test]
fn a_line_or_an_event_over_the_bound_is_an_error() {
    let mut parser = Parser::with_limit(64);
    let error = (0..20).find_map(|_| parser.push(b"12345678").err()).unwrap();
    assert!(matches!(error, LlmError::TooLarge { limit: 64, .. }));

    let mut parser = Parser::with_limit(64);
    let error = (0..20).find_map(|_| parser.push(b"data: 12345678\n").err()).unwrap();
    assert!(matches!(error, LlmError::TooLarge { limit: 64, .. }));

    let mut parser = Parser::with_limit(64);
    for _ in 0..1000 {
        assert_eq!(parser.push(b"data: 12345678\n\n").unwrap().len(), 1);
    }
}

#[test]
fn the_bound_counts_what_is_kept_of_an_event() {
    let read = |bytes: &[u8]| Parser::with_limit(64).push(bytes);
    let lines = |line: &[u8], count: usize| [line.repeat(count).as_slice(), b"\n"].concat();
    let broken = |field: &str, count: usize| [field.as_bytes(), &lines(b"\xFF", count)].concat();
    let too_large = |bytes: &[u8]| matches!(read(bytes), Err(LlmError::TooLarge { limit: 64, .. }));

    // A replaced byte takes three, in the data as in the name.
    assert!(too_large(&broken("data: ", 22)));
    assert!(too_large(&broken("event: ", 22)));
    let most = [broken("data: ", 21), b"\n".to_vec()].concat();
    assert_eq!(read(&most).unwrap(), [event("message", &"\u{FFFD}".repeat(21))]);

    // An empty line of data takes the line feed that joins it.
    assert!(too_large(&lines(b"data:\n", 66)));
    assert_eq!(read(&lines(b"data:\n", 65)).unwrap(), [event("message", &"\n".repeat(64))]);

    // Name and data together, whichever came first; of several names only the last is kept.
    let (name, data) =
        (format!("event:{}\n", "n".repeat(40)), format!("data:{}\n", "d".repeat(25)));
    assert!(too_large(format!("{name}{data}").as_bytes()));
    assert!(too_large(format!("{data}{name}").as_bytes()));
    let renamed = format!("{name}event:n\n{data}\n");
    assert_eq!(read(renamed.as_bytes()).unwrap(), [event("n", &"d".repeat(25))]);
}

#[test]
fn every_recorded_stream_parses_alike_at_every_cut_and_byte_by_byte() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sse");
    let mut streams = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        streams += 1;
        let bytes = std::fs::read(&path).unwrap();
        let whole = parse(&[&bytes]);
        assert!(whole.len() >= 3, "{}", path.display());
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(parse(&single), whole, "{}", path.display());
        // Every cut of the small ones; of the large ones, where all work is quadratic, some.
        let step = bytes.len() / 2_000 + 1;
        for cut in (0..bytes.len()).step_by(step) {
            let (left, right) = bytes.split_at(cut);
            assert!(parse(&[left, right]) == whole, "{} cut at {cut}", path.display());
        }
    }
    assert_eq!(streams, 32);
}

#[test]
fn the_work_grows_with_the_bytes_and_not_with_their_square() {
    let once = |bytes: usize| {
        let mut parser = Parser::new();
        let start = Instant::now();
        parser.push(b"data: ").unwrap();
        for _ in 0..bytes / 16 {
            parser.push(b"0123456789abcdef").unwrap();
        }
        assert_eq!(parser.push(b"\n\n").unwrap().len(), 1);
        start.elapsed()
    };
    // The best of several, since other work on the machine only ever adds. Both sizes are far above
    // what an allocator keeps at hand, so that its fresh pages cost both alike.
    let best = |bytes: usize| (0..4).map(|_| once(bytes)).min().unwrap();
    let (small, large) = (best(2_000_000), best(14_000_000));
    // 7 times the bytes; their square would be 49 times the work.
    assert!(large < small * 28, "{small:?} for 2 MB, {large:?} for 14 MB in one line");
}

proptest! {
    #[test]
    fn splits_make_no_difference(
        lines in prop::collection::vec("(data: ?|event: |: |id:|data|)[a-zé你\u{FEFF} :]{0,6}(\n|\r\n|\r)", 0..30),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = lines.concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(parse(&pieces), parse(&[&bytes]));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse(&[&bytes]);
    }
}
