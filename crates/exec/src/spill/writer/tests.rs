//! A disk that fails in every way, at every byte.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use rustix::io::Errno;
use tempfile::TempDir;

use super::*;
use crate::spill::{SpillLimits, SpillStore, stamp::Stamp};

/// What happens on one write.
type Fault = Box<dyn FnMut(usize) -> io::Result<usize> + Send>;

/// A real file behind a disk that does as a test says.
struct FaultySink {
    file: File,
    fault: Fault,
    free: Arc<AtomicU64>,
}

impl std::fmt::Debug for FaultySink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FaultySink")
    }
}

impl Sink for FaultySink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = (self.fault)(bytes.len())?;
        io::Write::write_all(&mut self.file, &bytes[..len])?;
        let left = self.free.load(Ordering::Relaxed).saturating_sub(len as u64);
        self.free.store(left, Ordering::Relaxed);
        Ok(len)
    }

    fn free_bytes(&self) -> io::Result<u64> {
        Ok(self.free.load(Ordering::Relaxed))
    }

    fn stamp(&self) -> io::Result<Stamp> {
        Stamp::of(&self.file)
    }

    fn copy_to(&mut self, other: &mut File) -> io::Result<u64> {
        Sink::copy_to(&mut self.file, other)
    }
}

struct Bench {
    _directory: TempDir,
    store: SpillStore,
}

impl Bench {
    fn new(limits: SpillLimits) -> Self {
        let directory = TempDir::new().unwrap();
        let store = SpillStore::open(directory.path().join("outputs"), limits).unwrap();
        Self { _directory: directory, store }
    }

    fn writer(
        &self,
        free: u64,
        fault: impl FnMut(usize) -> io::Result<usize> + Send + 'static,
    ) -> SpillWriter {
        let mut writer = self.store.create("a faulty disk").unwrap();
        let file = File::options().read(true).write(true).open(writer.path()).unwrap();
        let free = Arc::new(AtomicU64::new(free));
        writer.sink = Box::new(FaultySink { file, fault: Box::new(fault), free });
        writer
    }
}

fn unlimited() -> SpillLimits {
    SpillLimits { per_call: u64::MAX, per_session: u64::MAX, free_floor: 0 }
}

fn output() -> Vec<u8> {
    (0..5_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn p11_short_writes_and_interrupts_on_every_write_keep_every_byte() {
    let bench = Bench::new(unlimited());
    let mut turn = 0;
    let mut writer = bench.writer(u64::MAX, move |len| {
        turn += 1;
        if turn % 2 == 0 { Err(Errno::INTR.into()) } else { Ok(len.min(1 + turn % 7)) }
    });
    for chunk in output().chunks(777) {
        writer.append(chunk);
    }
    let (info, trouble) = writer.finish();
    let info = info.unwrap();
    assert_eq!((info.bytes, info.lines, info.lost_bytes), (output().len() as u64, 5_000, 0));
    assert_eq!(trouble, None);
    assert_eq!(std::fs::read(&info.path).unwrap(), output());
}

#[test]
fn p10_f14_a_disk_that_fills_at_any_byte_keeps_a_prefix_and_counts_the_rest() {
    for errno in [Errno::NOSPC, Errno::FBIG, Errno::IO, Errno::DQUOT, Errno::ROFS] {
        for full_at in [0, 1, 776, 777, 778, 10_000, output().len() - 1] {
            let bench = Bench::new(unlimited());
            let mut left = full_at;
            let mut writer = bench.writer(u64::MAX, move |len| {
                let fits = len.min(left);
                left -= fits;
                if fits == 0 { Err(errno.into()) } else { Ok(fits) }
            });
            for chunk in output().chunks(777) {
                writer.append(chunk);
            }
            let (info, trouble) = writer.finish();
            let info = info.unwrap();
            let all = output().len();
            assert_eq!((info.bytes, info.lost_bytes), (full_at as u64, (all - full_at) as u64));
            let kept = std::fs::read(&info.path).unwrap();
            assert_eq!(kept, output()[..full_at]);
            assert_eq!(info.lines, String::from_utf8(kept).unwrap().lines().count() as u64);
            let trouble = trouble.unwrap();
            assert!(
                trouble.contains(&format!("{} bytes were not kept", all - full_at)),
                "{trouble}"
            );
        }
    }
}

#[test]
fn a_write_of_nothing_is_no_endless_loop() {
    let bench = Bench::new(unlimited());
    let mut writer = bench.writer(u64::MAX, |_| Ok(0));
    writer.append(b"abc");
    assert_eq!(writer.finish().0.unwrap().lost_bytes, 3);
}

#[test]
fn f19_pains27_the_quota_of_a_call_is_kept_to_the_byte() {
    let bench = Bench::new(SpillLimits { per_call: 10_000, ..unlimited() });
    let mut writer = bench.store.create("quota").unwrap();
    for chunk in output().chunks(777) {
        writer.append(chunk);
    }
    let (info, trouble) = writer.finish();
    let info = info.unwrap();
    assert_eq!((info.bytes, info.lost_bytes), (10_000, output().len() as u64 - 10_000));
    assert_eq!(std::fs::read(&info.path).unwrap(), output()[..10_000]);
    assert!(trouble.unwrap().contains("quota of 10000 bytes a call"));
}

#[test]
fn f19_the_quota_of_a_session_counts_all_calls() {
    let bench = Bench::new(SpillLimits { per_session: 1_000, ..unlimited() });
    let mut first = bench.store.create("first").unwrap();
    first.append(&[b'x'; 600]);
    assert_eq!(first.finish().0.unwrap().lost_bytes, 0);
    let mut second = bench.store.create("second").unwrap();
    second.append(&[b'x'; 600]);
    let (info, trouble) = second.finish();
    let info = info.unwrap();
    assert_eq!((info.bytes, info.lost_bytes), (400, 200));
    assert!(trouble.unwrap().contains("a session"));
}

#[test]
fn f19_the_floor_of_the_disk_is_kept() {
    let bench = Bench::new(SpillLimits { free_floor: 1_000, ..unlimited() });
    let mut none = bench.writer(1_000, Ok);
    none.append(b"abc");
    let (info, trouble) = none.finish();
    assert_eq!(info.unwrap().lost_bytes, 3);
    assert!(trouble.unwrap().contains("must stay free"));

    let mebibyte = 1024 * 1024;
    let mut some = bench.writer(20 * mebibyte, Ok);
    let chunk = vec![b'x'; usize::try_from(mebibyte).unwrap()];
    for _ in 0..30 {
        some.append(&chunk);
    }
    let info = some.finish().0.unwrap();
    assert_eq!(info.bytes + info.lost_bytes, 30 * mebibyte);
    assert_eq!(info.bytes, 20 * mebibyte - 1_000);
}

#[test]
fn f15_an_output_whose_file_is_removed_while_it_is_written_is_written_again() {
    for whole_directory in [false, true] {
        let bench = Bench::new(unlimited());
        let mut writer = bench.store.create("removed").unwrap();
        writer.append(b"first\n");
        if whole_directory {
            std::fs::remove_dir_all(bench.store.root()).unwrap();
        } else {
            std::fs::remove_file(writer.path()).unwrap();
        }
        writer.append(b"second\n");
        let (info, trouble) = writer.finish();
        let info = info.unwrap();
        assert_eq!(std::fs::read(&info.path).unwrap(), b"first\nsecond\n");
        assert!(trouble.unwrap().contains("removed or replaced"));
        assert_eq!(bench.store.find(&info.id).unwrap().state, crate::SpillState::Complete);
    }
}

#[test]
fn f16_a_link_that_takes_the_place_of_a_file_gets_nothing() {
    let bench = Bench::new(unlimited());
    let target = bench.store.root().join("target");
    let mut writer = bench.store.create("replaced").unwrap();
    std::fs::remove_file(writer.path()).unwrap();
    std::os::unix::fs::symlink(&target, writer.path()).unwrap();
    writer.append(b"secret\n");
    let info = writer.finish().0.unwrap();
    assert!(!target.exists());
    assert_eq!(std::fs::read(&info.path).unwrap(), b"secret\n");
}

#[test]
fn p04_f17_a_taken_name_is_left_alone_and_another_is_chosen() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("outputs");
    let names = Mutex::new(vec!["b".repeat(16), "a".repeat(16), "a".repeat(16), "a".repeat(16)]);
    let next = Box::new(move || names.lock().unwrap().pop().unwrap());
    let store = SpillStore::open_with_ids(root, unlimited(), next).unwrap();
    let mut first = store.create("first").unwrap();
    first.append(b"first");
    let first = first.finish().0.unwrap();
    let mut second = store.create("second").unwrap();
    second.append(b"second");
    let second = second.finish().0.unwrap();
    assert_eq!((first.id, second.id), ("a".repeat(16), "b".repeat(16)));
    assert_eq!(std::fs::read(first.path).unwrap(), b"first");
}
