//! What no command can be made to do: not to go when it is killed.
#![cfg(target_os = "linux")]

use std::process::{Child, Command};

use super::*;

fn child_in_its_own_group() -> Child {
    use std::os::unix::process::CommandExt;
    Command::new("sleep").arg("600").process_group(0).spawn().unwrap()
}

#[test]
fn f05_what_does_not_go_is_named_and_not_waited_for() {
    // It bears the brand, so it belongs to the tree of a leader of whose group it is not: only `send` reaches it.
    let brand = Brand::random();
    let mut branded = Command::new("sleep");
    crate::process::child::prepare(&mut branded, brand);
    let mut unkillable = branded.arg("600").spawn().unwrap();
    let mut leader = child_in_its_own_group();
    let mut tree = Tree::new(Pid::from_child(&leader), brand);
    tree.since = 0;
    tree.send = |_, _| {};
    let survivors = tree.end(std::time::Duration::ZERO, |wait| {
        std::thread::sleep(wait);
        true
    });
    let expected =
        ProcessName { pid: unkillable.id().cast_signed(), command: "sleep 600".to_owned() };
    assert_eq!(survivors, [expected]);
    assert!(leader.wait().unwrap().code().is_none(), "the leader was killed with its group");
    unkillable.kill().unwrap();
    unkillable.wait().unwrap();
}

#[test]
fn a_process_without_a_brand_is_nobodys() {
    let mut other = child_in_its_own_group();
    let leader = child_in_its_own_group();
    let mut leader = leader;
    let tree = Tree::new(Pid::from_child(&leader), Brand::random());
    let members: Vec<_> = tree.members().into_iter().map(|row| row.pid).collect();
    assert!(!members.contains(&other.id().cast_signed()));
    for child in [&mut other, &mut leader] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
