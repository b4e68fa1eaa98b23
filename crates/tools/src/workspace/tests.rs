use std::os::unix::fs::symlink;

use super::*;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ws");
    std::fs::create_dir(&root).unwrap();
    let workspace = Workspace::new(&root).unwrap();
    (dir, workspace)
}

#[test]
fn two_names_of_one_file_have_one_key() {
    let (_dir, workspace) = workspace();
    let root = workspace.root().to_owned();
    std::fs::create_dir(root.join("real")).unwrap();
    symlink("real", root.join("link")).unwrap();
    symlink("real/a.txt", root.join("alias")).unwrap();
    let key = root.join("real/a.txt");
    let absolute = root.join("link/a.txt");
    for name in ["real/a.txt", "link/a.txt", "./real/../link//a.txt", "alias"] {
        assert_eq!(workspace.key(name), key, "{name}");
    }
    assert_eq!(workspace.key(absolute.to_str().unwrap()), key);
}

#[test]
fn hidden_places_are_as_if_they_lay_outside() {
    let (_dir, workspace) = workspace();
    let root = workspace.root().to_owned();
    std::fs::create_dir(root.join(".ssh")).unwrap();
    std::fs::write(root.join(".ssh/id"), "key").unwrap();
    let workspace = workspace.hiding([root.join(".ssh")]);
    let refused = workspace.open("read_file", ".ssh/id", Mode::Read).unwrap_err();
    assert!(matches!(refused, ToolError::Denied(_)), "{refused}");
    let path = root.join(".ssh/id");
    let workspace = workspace.with_grants(Grants::by(move |tool, asked, mode| {
        tool == "read_file" && asked == path && mode == Mode::Read
    }));
    assert!(workspace.open("read_file", ".ssh/id", Mode::Read).is_ok());
    assert!(workspace.open("edit_file", ".ssh/id", Mode::Write).is_err());
}

#[test]
fn a_file_is_replaced_only_if_it_is_the_one_that_was_read() {
    let (_dir, workspace) = workspace();
    let path = workspace.root().join("a");
    std::fs::write(&path, "one").unwrap();
    let open = workspace.open("edit_file", "a", Mode::Write).unwrap();
    std::fs::write(&path, "two").unwrap();
    let stale = workspace.replace("edit_file", "a", b"new", Some(Stamp::of(&open.stat))).unwrap();
    assert_eq!(stale, Replaced::Stale);
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    let names: Vec<_> = std::fs::read_dir(workspace.root()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file stays: {names:?}");
}

#[test]
fn a_root_that_was_made_anew_is_worked_in() {
    let (_dir, workspace) = workspace();
    std::fs::remove_dir_all(workspace.root()).unwrap();
    std::fs::create_dir(workspace.root()).unwrap();
    std::fs::write(workspace.root().join("a"), "x").unwrap();
    assert!(workspace.open("read_file", "a", Mode::Read).is_ok());
}

#[test]
fn a_root_that_is_no_directory_is_refused() {
    let (_dir, workspace) = workspace();
    let file = workspace.root().join("a");
    std::fs::write(&file, "x").unwrap();
    assert!(matches!(Workspace::new(&file), Err(WorkspaceError::NotADirectory(_))));
    assert!(matches!(Workspace::new(file.join("b")), Err(WorkspaceError::Root { .. })));
}
