use std::os::unix::fs::symlink;

use super::*;

/// The classifier in an empty directory.
fn reads_only(line: &str) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path()).unwrap();
    super::reads_only(line, &workspace, workspace.root())
}

/// Command lines that only read.
const READS: &[&str] = &[
    "true",
    "false",
    "!  true",
    "echo hello",
    "echo \"a;b\"",
    "echo 'a > b'",
    "echo a\\;b",
    "echo \"costs 5$\"",
    "printf '%s\\n' a b",
    "sleep 0.3",
    "sleep 1; echo done",
    "pwd",
    "cd sub && ls",
    "ls",
    "ls -la src *.rs",
    "cat a b",
    "cat *",
    "cat < a.txt",
    "head -n 5 a",
    "tail -n 20 a",
    "tail -20 a",
    "wc -l a",
    "sort a",
    "sort -rn -k2,2 -t, a",
    "sort --reverse a | uniq -c | head",
    "uniq a",
    "cut -d/ -f1 a",
    "tr a-z A-Z < a",
    "grep -rn 'foo$' src",
    "grep -rn \"foo|bar$\" src",
    "grep -c x a || true",
    "egrep 'a|b' x",
    "rg -n --glob '*.rs' main",
    "rg -A3 -t rust pattern src",
    "find . -name '*.rs' -not -path './target/*'",
    "find . \\( -name a -o -name b \\) -print0",
    "find src -type f -newer Cargo.toml | sort | head -5",
    "stat -c %s a",
    "du -sh .",
    "df -h",
    "date",
    "date +%s",
    "date -u -d yesterday +%F",
    "uname -a; whoami; id",
    "seq 1 10",
    "test -f a && echo yes",
    "[ -d src ] || echo no",
    "basename /a/b",
    "dirname /a/b; realpath a; readlink -f b",
    "env",
    "env | sort",
    "which cargo",
    "type ls",
    "command -v rg",
    "ls nothing 2>/dev/null",
    "ls nothing 2>&1 | tail -n 1",
    "ls >/dev/null 2>&1",
    "ls > /dev/null",
    "echo oops >&2",
    "sed -n '10,20p' src/lib.rs",
    "sed -n '1p;5,$p' a",
    "diff -u a b",
    "cat a # and nothing more",
    "# a remark\nls\n\nls -l\n",
    "ls |\n  wc -l",
    "ls \\\n  -l",
    "jq .name package.json",
    "tree -L 2",
    "file -b a",
    "sha256sum a",
    "ps aux",
    "ps -ef",
    "ps -eo pid,etime,args",
    "ps -aux",
    "hostname",
    "sleep 1; echo x",
    "cat src/a.rs | head -5",
    "grep -r x .",
    "grep -rn x --include=*.rs src",
    "echo /etc/passwd",
    "tr / _ < a",
    "sort -t/ -k2 a",
    "cat /dev/null",
    "printenv PATH",
];

/// Command lines that write, run something that is not known, or aren't understood.
const MAY_DO_MORE: &[&str] = &[
    "",
    "   ",
    "# only a remark",
    "rm a",
    "touch a",
    "echo x > a",
    "echo x >> a",
    "echo x >| a",
    "echo x &> a",
    "echo x >&a",
    "ls 2> errors",
    "ls > /dev/nullx",
    "ls >/dev/null > a",
    "cat <> a",
    "cat < /dev/tcp/127.0.0.1/80",
    "cat < *",
    "cat <<END\nx\nEND",
    "cat <<< x",
    "cat <(rm a)",
    "sort >(cat)",
    "ls; rm x",
    "ls\nrm x",
    "ls && rm x",
    "ls || rm x",
    "ls | tee a",
    "ls | xargs rm",
    "ls & rm x",
    "ls &",
    "ls |& cat",
    "ls |",
    "ls &&",
    "&& ls",
    "; ls",
    "ls ;; ls",
    "echo $(rm x)",
    "echo `rm x`",
    "echo \"$(rm x)\"",
    "echo \"`rm x`\"",
    "echo ${x:=y}",
    "echo $HOME",
    "echo \"$HOME\"",
    "echo $[ x='a[$(touch FLAG)]', x ]",
    "echo $((x=1))",
    "echo $'a\\nb'",
    "$x",
    "$(which rm) a",
    "l?",
    "'ls'",
    "\"rm\" a",
    "\\rm a",
    "./ls",
    "/bin/ls",
    "X=1 ls",
    "X=1",
    "PATH=.:$PATH ls",
    "(ls)",
    "{ ls; }",
    "if true; then rm x; fi",
    "for f in a; do rm f; done",
    "while true; do ls; done",
    "[[ -f a ]]",
    "ls() { rm x; }",
    "echo {a,b}",
    "sort -o a a",
    "sort -oa a",
    "sort -ro a a",
    "sort --output=a a",
    "sort --outp=a a",
    "sort --compress-program=x a",
    "sort *",
    "uniq a b",
    "uniq a*",
    "tail -f a",
    "tail -n1 -F a",
    "tail --follow a",
    "find . -exec rm {} +",
    "find . -exec rm x \\;",
    "find . -delete",
    "find . -ok rm \\;",
    "find . -fprint a",
    "find . -fprintf a %p",
    "find . -fls a",
    "find *",
    "rg --pre ./x main",
    "rg --pre=./x main",
    "rg --hostname-bin=x main",
    "rg -z main",
    "date -s tomorrow",
    "date -us tomorrow",
    "date --set=tomorrow",
    "date 01010000",
    "hostname evil",
    "env ls",
    "env X=1 ls",
    "env git status",
    "command rm a",
    "test -v 'a[$(rm x)]'",
    "test -v a",
    "[ -v 'a[0]' ]",
    "[ 'a[$(rm x)]' -eq 1 ]",
    "printf -v a x",
    "printf '%n' 'a[$(rm x)]'",
    "sed -n '1e touch x' f",
    "sed -n '1,5w out' f",
    "sed -n '1wp' f",
    "sed -i s/a/b/ f",
    "sed -n 5p -i f",
    "sed s/a/b/ f",
    "awk '{print}' a",
    "git status",
    "git status\nrm x",
    "git -c core.fsmonitor='touch x' status",
    "git status 'unbalanced",
    "ls 'unbalanced",
    "ls \"unbalanced",
    "ls \\",
    "git$IFS$9status;rm x",
    "sudo ls",
    "nohup ls",
    "timeout 5 ls",
    "xargs ls",
    "exec ls",
    "eval ls",
    "source a",
    ". a",
    "bash -c ls",
    "bash -c 'echo x >> .callgate/config.toml'",
    "python3 -c 'print(1)'",
    "cargo test",
    "make -n",
    "tree -o a",
    "file -C -m x",
    "ls \u{202e}x",
    "ls\u{a0}-l",
    "ls \rrm",
    "tee a",
    "echo x | tee a",
    "cd sub; make",
    "export A=1",
    "set -x",
    "trap 'rm x' EXIT",
    "alias ls=rm",
    "time ls",
    "read x",
    "umask 0",
    "kill 1",
    "ps e",
    "ps axeww",
    "ps auxe",
    "ps -auxe",
    "ps -axe",
    "cat /etc/shadow",
    "head ~/.bashrc",
    "echo ~/*",
    "cat a=~/x",
    "grep -aoh KEY /proc/*/environ",
    "cat /proc/self/environ",
    "ls /sys",
    "head -c 9 /dev/zero",
    "cat ../x",
    "cat sub/../../x",
    "ls ..",
    "ls .*",
    "cat .?/x",
    "echo /etc/*",
    "cat < /etc/shadow",
    "cat < ../x",
    "< a",
    "ls; < a",
    "grep -f/etc/shadow x a",
    "grep -f../x x a",
    "grep --file=/etc/shadow x a",
    "cd",
    "cd -",
    "cd ..",
    "cd /; ls",
    "cd ..; cat x",
    "cd sub; cd ..; ls",
    "cd sub; cat ../../x",
    "cd sub; cat ../x; cd ..; cd ..; ls",
    "cd missing/..; cat ../x",
    "grep -R x .",
    "grep -rnR x .",
    "grep --dereference-rec x .",
    "ls -L a",
    "ls -lRL",
    "ls --deref",
    "find -L .",
    "find . -follow",
    "du -L .",
    "du --files0-from=a",
    "wc --files0=a",
    "tree -l",
    "rg -L x",
    "rg --follow x",
    "diff -r a b",
    "sha256sum -c a",
    "md5sum --che a",
    "jq -f a b",
    "jq 'import \"x\" as x; x::y' a",
    "test -e /etc/x",
    "stat /etc/shadow",
    "! cat /etc/shadow",
];

#[test]
fn command_lines_that_only_read_are_known() {
    for line in READS {
        assert!(reads_only(line), "{line:?} only reads");
    }
}

#[test]
fn command_lines_that_may_do_more_are_not_taken_for_readers() {
    for line in MAY_DO_MORE {
        assert!(!reads_only(line), "{line:?} may do more");
    }
}

#[test]
fn links_that_lead_out_are_not_read_through() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ws");
    std::fs::create_dir_all(root.join("sub/deep")).unwrap();
    std::fs::create_dir_all(root.join("fine/deep")).unwrap();
    std::fs::create_dir(dir.path().join("out")).unwrap();
    std::fs::write(dir.path().join("out/key"), "key").unwrap();
    std::fs::write(root.join("fine/a"), "a").unwrap();
    symlink("fine/a", root.join("in")).unwrap();
    symlink("../out/key", root.join("leak")).unwrap();
    symlink("../../out", root.join("sub/dir")).unwrap();
    symlink("fine/deep", root.join("jump")).unwrap();
    let workspace = Workspace::new(&root).unwrap();
    let reads = |line: &str| super::reads_only(line, &workspace, workspace.root());
    let absolute = format!("cat {}/fine/a", workspace.root().display());
    for line in [
        "cat in",
        "cat fine/*",
        "cat fine/* in",
        "ls -l",
        "grep -r x .",
        "find . -name x",
        "cd fine && cat a",
        "cd jump; cat x",
        absolute.as_str(),
        "diff in fine/a",
    ] {
        assert!(reads(line), "{line:?} stays inside");
    }
    for line in [
        "cat leak",
        "cat < leak",
        "cat *",
        "cat l*",
        "cat ./l*",
        "cat sub/*/key",
        "ls sub/dir",
        "cat */dir/key",
        "cd sub; cat dir/key",
        "cd sub/dir; ls",
        "cd sub; cat ../leak",
        "cd jump; cat ../a",
        "cd jump; cat ../../leak",
        "cd jump; cat ../../../out/key",
        "cd jump; cd ..; cat leak",
        "grep -fleak x in",
        "grep --file=leak x in",
        "cat -- leak",
        "diff fine sub",
        "diff fine in",
        "[ -f leak ]",
    ] {
        assert!(!reads(line), "{line:?} may lead out");
    }
    let outside = dir.path().canonicalize().unwrap();
    assert!(!super::reads_only("ls", &workspace, &outside));
    std::fs::write(root.join("fine/-R"), "").unwrap();
    let fine = workspace.root().join("fine");
    assert!(!super::reads_only("grep x *", &workspace, &fine), "a name taken for an option");
    assert!(super::reads_only("grep x ./*", &workspace, &fine));
}

#[test]
fn every_part_of_a_line_must_only_read() {
    for reader in READS {
        // A remark would swallow what follows it, and rightly so.
        let reader = reader.trim_end_matches('\n');
        for joint in ["\n", "\n\n"] {
            assert!(!reads_only(&format!("{reader}{joint}rm x")), "{reader:?} then rm");
            assert!(!reads_only(&format!("rm x{joint}{reader}")), "rm then {reader:?}");
        }
    }
}

#[test]
fn programs_that_the_workspace_could_replace_are_not_trusted() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("bin")).unwrap();
    let inside = format!("{}:/usr/bin", root.join("bin").display());
    let settled = |name: &str, value: &str| {
        is_settled(&Environment::empty().set("PATH", "/usr/bin:/bin").set(name, value), &root)
    };
    assert!(settled("LANG", "C"));
    assert!(!settled("PATH", &inside));
    assert!(!settled("BASH_ENV", "x"));
    assert!(!settled("BASH_FUNC_ls%%", "() { rm x; }"));
    assert!(!settled("RIPGREP_CONFIG_PATH", "x"));
}

/// What the classifier says is held against bash itself: a line that only reads must leave a
/// directory as it was, whatever stands in it.
#[test]
fn lines_that_only_read_leave_no_trace_in_bash() {
    let dir = tempfile::tempdir().unwrap();
    let sub = dir.path().join("work");
    std::fs::create_dir_all(sub.join("sub")).unwrap();
    for name in ["a", "b", "-o", "--output=planted", "x;touch planted"] {
        std::fs::write(sub.join(name), "text\n").unwrap();
    }
    let listing = || {
        let mut names: Vec<_> =
            std::fs::read_dir(&sub).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = listing();
    for line in READS.iter().filter(|line| !line.contains("sleep")) {
        let _ = std::process::Command::new("timeout")
            .args(["5", "bash", "-c", line])
            .current_dir(&sub)
            .stdin(std::process::Stdio::null())
            .output();
        assert_eq!(listing(), before, "after {line:?}");
    }
}
