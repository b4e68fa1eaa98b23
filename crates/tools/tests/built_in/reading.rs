//! `read_file`.

use std::io::Write as _;

use serde_json::json;

use crate::support::{Bench, Context, text};

#[tokio::test]
async fn a_short_file_comes_exactly_as_it_is() {
    let bench = Bench::new();
    bench.write("a", "one\n\ttwo  \nthree");
    assert_eq!(bench.text("read_file", json!({"path": "a"})).await, "one\n\ttwo  \nthree");
    let output = bench.call("read_file", json!({"path": "a"})).await.unwrap();
    assert_eq!((output.content.len(), output.spill), (1, None));
}

#[tokio::test]
async fn what_cannot_be_seen_is_said_after_the_text() {
    let bench = Bench::new();
    bench.write("dos", "\u{feff}one\r\ntwo\r\n");
    assert_eq!(
        bench.text("read_file", json!({"path": "dos"})).await,
        "one\ntwo\n\n[its lines end in CRLF, which edit_file keeps; it starts with a byte-order mark, \
         which edit_file keeps]"
    );
    bench.write("latin", b"caf\xe9\n");
    assert_eq!(
        bench.text("read_file", json!({"path": "latin"})).await,
        "caf\\xe9\n\n[bytes that are not UTF-8 are shown as \\xNN]"
    );
    bench.write("empty", "");
    assert_eq!(bench.text("read_file", json!({"path": "empty"})).await, "[empty is empty]");
}

#[tokio::test]
async fn f08_a_file_is_what_it_holds_not_what_its_name_says() {
    let bench = Bench::new();
    bench.write("fake.png", "<html>hello</html>");
    assert_eq!(bench.text("read_file", json!({"path": "fake.png"})).await, "<html>hello</html>");
    bench.write("real.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert_eq!(
        bench.text("read_file", json!({"path": "real.txt"})).await,
        "[real.txt is not shown: it is a PNG image; 16 bytes]"
    );
}

#[tokio::test]
async fn pages_say_which_lines_they_are_and_where_to_go_on() {
    let bench = Bench::new();
    let lines: String = (1..=100).map(|n| format!("{n}\n")).collect();
    bench.write("a", lines);
    assert_eq!(
        bench.text("read_file", json!({"path": "a", "offset": 9, "limit": 2})).await,
        "9\n10\n\n[lines 9-10 of 100; go on with offset 11]"
    );
    assert_eq!(
        bench.text("read_file", json!({"path": "a", "offset": 99})).await,
        "99\n100\n\n[lines 99-100 of 100]"
    );
    let (code, told) = bench.refusal("read_file", json!({"path": "a", "offset": 101})).await;
    assert_eq!((code, told.as_str()), ("execution_error", "a has no line 101: it has 100 lines."));
}

#[tokio::test]
async fn paging_by_the_given_offsets_brings_every_line_once() {
    let bench = Bench::new();
    let lines: Vec<String> = (1..=30_000).map(|n| format!("line {n} é")).collect();
    bench.write("a", lines.join("\n"));
    let (mut seen, mut offset) = (Vec::new(), 1);
    loop {
        let output = bench.call("read_file", json!({"path": "a", "offset": offset})).await.unwrap();
        let all = text(&output);
        assert!(all.len() < 51 * 1024 + 200);
        let (page, remark) = all.rsplit_once("\n[").unwrap();
        seen.extend(page.lines().map(str::to_owned));
        match remark.split_once("go on with offset ") {
            Some((_, next)) => offset = next.trim_end_matches(']').parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, lines);
}

#[tokio::test]
async fn a_long_file_comes_as_its_start_and_its_end_with_a_copy_of_the_whole() {
    let bench = Bench::new();
    let content: String = (1..=80_000).map(|n| format!("{n}\n")).collect();
    bench.write("a", &content);
    let output = bench.call("read_file", json!({"path": "a"})).await.unwrap();
    let told = text(&output);
    assert!(told.starts_with("1\n2\n3\n"), "{}", &told[..100]);
    assert!(told.contains("79999\n80000\n"));
    assert!(
        told.ends_with(
            "[a has 80,000 lines; read on in pages with offset and limit, or search it with grep]"
        ),
        "{}",
        &told[told.len() - 200..]
    );
    assert!(told.len() < 32_000, "{}", told.len());
    let spill = output.spill.unwrap();
    assert_eq!((spill.bytes, spill.lines), (content.len() as u64, 80_000));
    assert_eq!(std::fs::read(&spill.path).unwrap(), content.as_bytes());
}

#[tokio::test]
async fn a_huge_file_is_paged_in_bounded_memory_and_not_copied() {
    let bench = Bench::new();
    // One line, 300 MB, without a byte on the disk; then a last one.
    let mut file = std::fs::File::create(bench.path("huge")).unwrap();
    file.write_all(b"first\n").unwrap();
    let line = "x".repeat(1 << 20);
    for _ in 0..300 {
        file.write_all(line.as_bytes()).unwrap();
    }
    file.write_all(b"\nlast\n").unwrap();
    drop(file);
    let before = peak_memory();
    let output = bench.call("read_file", json!({"path": "huge"})).await.unwrap();
    let told = text(&output);
    assert_eq!(output.spill, None);
    assert!(told.starts_with("first\nxxx"), "{}", &told[..50]);
    assert!(
        told.contains(" [... 314,564,608 bytes of this line left out]\nlast\n"),
        "{}",
        &told[8_000..]
    );
    assert!(told.ends_with("\n[lines 1-3 of 3]"), "{}", &told[told.len() - 100..]);
    let grown = peak_memory() - before;
    assert!(grown < 64 * 1024, "grown by {grown} KiB");
}

/// The most memory that this process has held, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_read_stops_when_asked() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("sparse")).unwrap();
    // Too long to be read in the time of a test; holes read as NUL, so text comes first.
    (&file).write_all("text\n".repeat(4_000).as_bytes()).unwrap();
    file.set_len(1 << 43).unwrap();
    let context = Context::default();
    let stop = context.stop.clone();
    let read = bench.call_with("read_file", json!({"path": "sparse", "offset": 999_999}), context);
    let (outcome, ()) = tokio::join!(read, async move { stop.cancel() });
    assert_eq!(outcome.unwrap_err().to_string(), "Stopped before line 999999 was reached.");
}
