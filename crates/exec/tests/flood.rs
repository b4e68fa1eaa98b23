//! Outputs that are too large for everything but the disk.
//!
//! The memory of the whole process is measured, so each measurement takes its turn.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

mod common;

use std::{fs, sync::LazyLock, time::Duration};

use callgate_exec::{CaptureOptions, Exit, Finished, SpillLimits, run};
use common::{shell, stop_after, store, store_with};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

static ALONE: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);

const MEBIBYTE: u64 = 1024 * 1024;

/// By how much the most memory that this process ever held grew, in bytes.
async fn growth(call: impl Future<Output = Finished>) -> (Finished, u64) {
    let before = peak();
    let finished = call.await;
    (finished, peak() - before)
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

async fn kept(command: &str, options: CaptureOptions) -> Finished {
    run(shell(command), options, CancellationToken::new(), |_, _| {}).await.unwrap()
}

async fn yes_in_bounded_memory(bytes: u64) {
    let _alone = ALONE.lock().await;
    let (_directory, store) = store();
    let options = CaptureOptions::default().spill(store);
    let (finished, grown) = growth(kept(&format!("yes | head -c {bytes}"), options)).await;
    let spill = finished.output.spill.unwrap();
    assert_eq!((spill.bytes, spill.lost_bytes, spill.lines), (bytes, 0, bytes / 2));
    assert_eq!(fs::metadata(&spill.path).unwrap().len(), bytes);
    assert_eq!(finished.output.omitted_chars, bytes - 30_000);
    assert!(grown < 40 * MEBIBYTE, "grew by {} MiB", grown / MEBIBYTE);
}

#[tokio::test]
async fn f07_three_hundred_megabytes_pass_in_bounded_memory() {
    yes_in_bounded_memory(300_000_000).await;
}

#[tokio::test]
#[ignore = "takes more than five seconds in a debug build; run it in a release build"]
async fn f07_two_gigabytes_pass_in_bounded_memory() {
    yes_in_bounded_memory(2_000_000_000).await;
}

#[tokio::test]
async fn x07_one_line_of_three_hundred_megabytes_is_kept_and_paged_in_bounded_memory() {
    let _alone = ALONE.lock().await;
    let (_directory, store) = store();
    let options = CaptureOptions::default().spill(store.clone());
    let command = "head -c 300000000 /dev/zero | tr '\\0' x; printf '\\nend'";
    let before = peak();
    let finished = kept(command, options).await;
    let spill = finished.output.spill.unwrap();
    assert_eq!((spill.bytes, spill.lines), (300_000_004, 2));
    assert!(finished.output.text.starts_with("xxx") && finished.output.text.ends_with("x\nend"));
    let page = store.read_lines(&spill.id, 1, 10).unwrap();
    assert_eq!(page.lines[0].text.len() as u64 + page.lines[0].cut_bytes, 300_000_000);
    assert_eq!((page.lines[1].number, page.lines[1].text.as_str()), (2, "end"));
    let grown = peak() - before;
    assert!(grown < 40 * MEBIBYTE, "grew by {} MiB", grown / MEBIBYTE);
}

#[tokio::test]
async fn f08_eighty_thousand_lines_are_kept_byte_for_byte() {
    let _alone = ALONE.lock().await;
    let (_directory, store) = store();
    let finished = kept("seq 1 80000", CaptureOptions::default().spill(store)).await;
    let expected: String = (1..=80_000).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    let output = finished.output;
    let spill = output.spill.unwrap();
    assert_eq!(fs::read_to_string(&spill.path).unwrap(), expected);
    assert_eq!((output.bytes, output.lines, output.chars), (468_894, 80_000, 468_894));
    assert_eq!((spill.bytes, spill.lines), (468_894, 80_000));
    assert_eq!(output.omitted_chars, 468_894 - 30_000);
    assert!(output.text.starts_with(&expected[..6_000]));
    assert!(output.text.ends_with(&expected[expected.len() - 24_000..]));
    let notice = format!("{} characters, {} lines", output.omitted_chars, output.omitted_lines);
    assert!(output.text.contains(&notice));
}

#[tokio::test]
async fn f11_floods_of_both_streams_are_counted_to_the_byte() {
    let _alone = ALONE.lock().await;
    let (_directory, store) = store();
    let command = "(yes o | head -c 20000000) & (yes e | head -c 20000000 >&2) & wait";
    let finished = kept(command, CaptureOptions::default().spill(store)).await;
    let spill = finished.output.spill.unwrap();
    assert_eq!(spill.bytes, 40_000_000);
    let bytes = fs::read(&spill.path).unwrap();
    let count = |letter| memchr::memchr_iter(letter, &bytes).count();
    assert_eq!((count(b'o'), count(b'e')), (10_000_000, 10_000_000));
}

#[tokio::test]
async fn x06_pains27_an_endless_writer_stops_at_its_quota_and_every_byte_is_counted() {
    let _alone = ALONE.lock().await;
    let limits = SpillLimits { per_call: 20 * MEBIBYTE, free_floor: 0, ..SpillLimits::default() };
    let (_directory, store) = store_with(limits);
    let options = CaptureOptions::default().spill(store);
    let stop = stop_after(Duration::from_millis(1500));
    let call = async { run(shell("yes"), options, stop, |_, _| {}).await.unwrap() };
    let (finished, grown) = growth(call).await;
    assert!(finished.stopped);
    assert_eq!(finished.exit, Exit::Signal(15));
    let output = finished.output;
    let spill = output.spill.unwrap();
    assert_eq!(spill.bytes, 20 * MEBIBYTE);
    assert_eq!(fs::metadata(&spill.path).unwrap().len(), 20 * MEBIBYTE);
    assert_eq!(spill.bytes + spill.lost_bytes, output.bytes);
    assert!(spill.lost_bytes > 0 && output.text.contains(&spill.lost_bytes.to_string()));
    assert!(grown < 40 * MEBIBYTE, "grew by {} MiB", grown / MEBIBYTE);
}
