//! Tests of what only the inside can see.

use super::*;

#[test]
fn a_store_that_is_dropped_takes_its_mark_away() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("outputs");
    let store = SpillStore::open(&root, SpillLimits::default()).unwrap();
    let session = store.inner.session_id();
    assert!(Session::is_running(&store.inner.root, &session));
    drop(store);
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
}
