//! The store as its users see it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a helper of a test fails the test"
)]

mod common;

use std::{
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    time::Duration,
};

use callgate_exec::{
    CaptureOptions, ExecError, SpillInfo, SpillLimits, SpillState, SpillStore, capture_bytes,
};
use common::store;

fn keep(store: &SpillStore, label: &str, bytes: &[u8]) -> SpillInfo {
    let mut writer = store.create(label).unwrap();
    writer.append(bytes);
    writer.finish().0.unwrap()
}

#[test]
fn directory_and_files_are_for_their_user_alone() {
    let (directory, store) = store();
    let open = directory.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    SpillStore::open(&open, SpillLimits::default()).unwrap();
    let info = keep(&store, "private", b"x");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.root()), 0o700);
    assert_eq!(mode(&info.path), 0o600);
    assert_eq!(mode(&info.path.with_extension("json")), 0o600);
    assert_eq!(mode(&open), 0o700, "one that was too open is closed");
}

#[test]
fn f16_a_root_that_is_a_link_or_a_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("target");
    let link = directory.path().join("link");
    let file = directory.path().join("file");
    fs::create_dir(&target).unwrap();
    symlink(&target, &link).unwrap();
    fs::write(&file, b"").unwrap();
    for root in [link, file] {
        let error = SpillStore::open(&root, SpillLimits::default()).unwrap_err();
        assert!(matches!(error, ExecError::UntrustedRoot { .. }), "{error:?}");
    }
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn a_root_of_another_user_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("outputs");
    fs::create_dir(&root).unwrap();
    if std::os::unix::fs::chown(&root, Some(12_345), None).is_err() {
        // Only root can give a directory away; for everybody else `/` is another's.
        let error = SpillStore::open("/", SpillLimits::default()).unwrap_err();
        assert!(matches!(error, ExecError::UntrustedRoot { .. }), "{error:?}");
        return;
    }
    let error = SpillStore::open(&root, SpillLimits::default()).unwrap_err();
    assert!(matches!(error, ExecError::UntrustedRoot { .. }), "{error:?}");
}

#[test]
fn f18_only_a_handle_finds_anything() {
    let (_directory, store) = store();
    keep(&store, "one", b"x");
    for id in ["", "..", "../../etc/passwd", "/etc/passwd", "a\0b", &"x".repeat(1_000_000)] {
        assert_eq!(store.find(id), None);
        let error = store.read_lines(id, 1, 1).unwrap_err();
        assert!(matches!(error, ExecError::UnknownOutput { .. }), "{error:?}");
    }
}

#[test]
fn p06_an_edited_or_deleted_output_is_noticed_though_its_sidecar_was_edited_too() {
    let (_directory, store) = store();
    let edited = keep(&store, "edited", b"one\ntwo\n");
    assert_eq!(store.find(&edited.id).unwrap().state, SpillState::Complete);
    fs::OpenOptions::new().append(true).open(&edited.path).unwrap().write_all(b"three\n").unwrap();
    assert_eq!(store.find(&edited.id).unwrap().state, SpillState::Changed);
    assert_eq!(store.read_lines(&edited.id, 1, 10).unwrap().entry.state, SpillState::Changed);

    let replaced = keep(&store, "replaced", b"true\n");
    fs::remove_file(&replaced.path).unwrap();
    fs::write(&replaced.path, b"fake\n").unwrap();
    fs::remove_file(replaced.path.with_extension("json")).unwrap();
    assert_eq!(store.find(&replaced.id).unwrap().state, SpillState::Changed);

    let deleted = keep(&store, "deleted", b"x");
    fs::remove_file(&deleted.path).unwrap();
    fs::remove_file(deleted.path.with_extension("json")).unwrap();
    assert_eq!(store.find(&deleted.id).unwrap().state, SpillState::Missing);
    assert!(store.read_lines(&deleted.id, 1, 1).is_err());

    let linked = keep(&store, "linked", b"x");
    fs::remove_file(&linked.path).unwrap();
    symlink("/etc/passwd", &linked.path).unwrap();
    assert_eq!(store.find(&linked.id).unwrap().state, SpillState::Missing);
    assert!(store.read_text(&linked.id, 0, 10).is_err());
}

#[test]
fn an_edit_is_noticed_by_a_later_session_too() {
    let (_directory, store) = store();
    let info = keep(&store, "earlier", b"one\n");
    let root = store.root().to_owned();
    drop(store);
    let later = SpillStore::open(&root, SpillLimits::default()).unwrap();
    let entry = later.find(&info.id).unwrap();
    assert_eq!(
        (entry.state, entry.lines, entry.label.as_str()),
        (SpillState::Complete, Some(1), "earlier")
    );
    fs::write(&info.path, b"two\n").unwrap();
    assert_eq!(later.find(&info.id).unwrap().state, SpillState::Changed);
}

#[test]
fn what_is_being_written_is_live_and_what_a_dead_writer_left_is_interrupted() {
    let (_directory, store) = store();
    let mut writer = store.create("half").unwrap();
    writer.append(b"one\ntw");
    let id = writer.id().to_owned();
    assert_eq!(store.find(&id).unwrap().state, SpillState::Live);
    assert_eq!(store.read_lines(&id, 1, 10).unwrap().lines[1].text, "tw");
    drop(writer);
    let entry = store.find(&id).unwrap();
    assert_eq!((entry.state, entry.bytes, entry.lines), (SpillState::Interrupted, 6, None));
}

#[test]
fn lines_are_paged_and_a_last_one_without_an_end_counts() {
    let (_directory, store) = store();
    let text: String =
        (1..=100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat() + "end";
    let info = keep(&store, "pages", text.as_bytes());
    assert_eq!(info.lines, 101);
    let page = store.read_lines(&info.id, 99, 2).unwrap();
    let texts: Vec<_> = page.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
    assert_eq!(texts, [(99, "line 99"), (100, "line 100")]);
    assert_eq!(page.next_line, Some(101));
    let page = store.read_lines(&info.id, 101, 2).unwrap();
    assert_eq!((page.lines[0].text.as_str(), page.next_line), ("end", None));
    let page = store.read_lines(&info.id, 102, 2).unwrap();
    assert_eq!((page.lines.len(), page.next_line), (0, None));
    assert_eq!(store.lines(&info.id, 100).unwrap().count(), 101);
}

#[test]
fn text_is_paged_by_bytes_without_cutting_a_character() {
    let (_directory, store) = store();
    let text = "字🦀é".repeat(100);
    let info = keep(&store, "text", text.as_bytes());
    let (mut read, mut from) = (String::new(), Some(0));
    while let Some(first) = from {
        let page = store.read_text(&info.id, first, 10).unwrap();
        read.push_str(&page.text);
        from = page.next_byte;
    }
    assert_eq!(read, text);
}

#[test]
fn a_sweep_takes_what_is_old_or_too_much_but_nothing_in_use() {
    let (_directory, store) = store();
    let root = store.root().to_owned();
    let old: Vec<_> = (0..3).map(|_| keep(&store, "old", &[b'x'; 100])).collect();
    let running = SpillStore::open(&root, SpillLimits::default()).unwrap();
    let current = keep(&running, "current", &[b'x'; 100]);
    let mut live = running.create("live").unwrap();
    live.append(b"x");

    let nothing = running.sweep(Duration::ZERO, 0).unwrap();
    assert_eq!((nothing.removed, nothing.kept), (0, 5), "both stores are in use");
    drop(store);
    let young = running.sweep(Duration::from_hours(1), 1_000).unwrap();
    assert_eq!((young.removed, young.kept), (0, 5));
    let much = running.sweep(Duration::from_hours(1), 301).unwrap();
    assert_eq!((much.removed, much.removed_bytes, much.kept_bytes), (1, 100, 301));
    let all = running.sweep(Duration::ZERO, u64::MAX).unwrap();
    assert_eq!((all.removed, all.kept, all.failed), (2, 2, 0));
    assert!(old.iter().all(|info| !info.path.exists()));
    let left: Vec<_> = running.list().unwrap().into_iter().map(|entry| entry.id).collect();
    assert_eq!(left.len(), 2);
    assert!(left.contains(&current.id) && left.iter().any(|id| id == live.id()));
}

#[test]
fn f15_a_directory_that_was_removed_is_made_again() {
    let (_directory, store) = store();
    fs::remove_dir_all(store.root()).unwrap();
    let info = keep(&store, "after", b"x");
    assert_eq!(fs::read(info.path).unwrap(), b"x");
}

#[test]
fn f15_f16_an_output_is_answered_though_it_can_not_be_kept() {
    let (directory, store) = store();
    fs::remove_dir_all(store.root()).unwrap();
    symlink(directory.path(), store.root()).unwrap();
    let options = CaptureOptions::default().spill(store);
    let captured = capture_bytes(&vec![b'x'; 100_000], &options);
    assert_eq!((captured.spill, captured.omitted_chars), (None, 70_000));
    assert!(captured.text.contains("could not be kept"), "{}", captured.text);
    assert!(captured.trouble.unwrap().contains("a link"));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn x08_f08_binary_is_raw_in_the_file_and_escaped_in_the_text() {
    let (_directory, store) = store();
    let bytes: Vec<u8> =
        (0..100_000u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    let captured = capture_bytes(&bytes, &CaptureOptions::default().spill(store));
    let spill = captured.spill.unwrap();
    assert_eq!(fs::read(&spill.path).unwrap(), bytes);
    assert!(captured.text.contains("\\xff") && !captured.text.contains('\0'));
    assert!(
        captured.text.contains(&spill.id) && captured.text.contains(spill.path.to_str().unwrap())
    );
}
