//! From a path as it was written to the one absolute path without links.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt as _,
    path::{Component, Path, PathBuf},
};

use rustix::{fs::readlink, io::Errno};

/// Trees in which the kernel makes files up: reading one may tell secrets of any process, or never
/// end.
pub(super) const KERNEL_TREES: [&str; 3] = ["/proc", "/sys", "/dev"];

/// As many links as Linux itself follows.
const MAX_LINKS: usize = 40;

/// A path without links, as far as it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Absolute; links followed up to the first component that does not exist.
    pub(crate) path: PathBuf,
    /// The tree of the kernel that it leads into, if it does. No link in there is followed, since
    /// those of `/proc` are no real links.
    pub(crate) kernel: Option<&'static str>,
}

/// Follows every link of an absolute path. `home` is exempt from the rule on the kernel's trees: it
/// may well lie in `/dev/shm`.
pub(crate) fn resolve(path: &Path, home: &Path) -> Result<Resolved, Errno> {
    let mut current = PathBuf::from("/");
    let mut pending = reversed(path);
    let mut links = 0;
    let mut missing = false;
    while let Some(component) = pending.pop() {
        if component == ".." {
            current.pop();
            continue;
        }
        current.push(component);
        if let Some(kernel) = kernel_tree(&current, home) {
            return Ok(Resolved { path: lexically(current, pending), kernel: Some(kernel) });
        }
        if missing {
            continue;
        }
        match readlink(&current, Vec::new()) {
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP);
                }
                current.pop();
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    current = PathBuf::from("/");
                }
                pending.extend(reversed(&target));
            }
            // No link.
            Err(Errno::INVAL) => {}
            // Whatever else is wrong, opening will say so better.
            Err(_) => missing = true,
        }
    }
    Ok(Resolved { path: current, kernel: None })
}

fn kernel_tree(path: &Path, home: &Path) -> Option<&'static str> {
    KERNEL_TREES.into_iter().find(|tree| path.starts_with(tree) && !home.starts_with(tree))
}

fn lexically(mut path: PathBuf, mut pending: Vec<OsString>) -> PathBuf {
    while let Some(component) = pending.pop() {
        if component == ".." {
            path.pop();
        } else {
            path.push(component);
        }
    }
    path
}

fn reversed(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter(|component| matches!(component, Component::Normal(_) | Component::ParentDir))
        .map(|component| component.as_os_str().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn resolved(path: &Path) -> Resolved {
        resolve(path, Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn links_are_followed_up_to_what_does_not_exist() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir(dir.join("real")).unwrap();
        symlink("real", dir.join("link")).unwrap();
        let path = resolved(&dir.join("link/../link/new/deep.txt")).path;
        assert_eq!(path, dir.join("real/new/deep.txt"));
    }

    #[test]
    fn the_parent_of_a_link_is_that_of_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        symlink("a/b", dir.join("link")).unwrap();
        assert_eq!(resolved(&dir.join("link/../x")).path, dir.join("a/x"));
    }

    #[test]
    fn a_loop_of_links_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        symlink("b", dir.path().join("a")).unwrap();
        symlink("a", dir.path().join("b")).unwrap();
        assert_eq!(resolve(&dir.path().join("a"), Path::new("/nowhere")), Err(Errno::LOOP));
    }

    #[test]
    fn f05_links_of_the_kernel_are_not_followed() {
        let resolved = resolved(Path::new("/proc/thread-self/../self/fd/3"));
        let expected = Resolved { path: "/proc/self/fd/3".into(), kernel: Some("/proc") };
        assert_eq!(resolved, expected);
    }

    #[test]
    fn a_working_directory_in_shared_memory_is_no_device() {
        let home = Path::new("/dev/shm/ws");
        assert_eq!(resolve(&home.join("a"), home).unwrap().kernel, None);
        assert_eq!(resolve(Path::new("/proc/1/environ"), home).unwrap().kernel, Some("/proc"));
    }
}
