//! Programs that only read, and the options with which they still do.

use super::lexer::Word;

/// What a program may be given.
enum Rule {
    /// Anything: nothing makes it write or run something.
    Any,
    /// These options, and so many operands.
    Listed(Options, Operands),
    /// What this function says.
    Checked(fn(&[Word]) -> bool),
}

/// Options that are allowed. Long ones must be written out: an abbreviation may be that of another.
struct Options {
    /// Letters without a value.
    flags: &'static str,
    /// Letters with a value, attached or in the next word.
    valued: &'static str,
    /// Long ones, with or without `=VALUE`.
    long: &'static [&'static str],
}

enum Operands {
    Any,
    AtMost(usize),
}

const NO_OPTIONS: Options = Options { flags: "", valued: "", long: &[] };

const SORT: Options = Options {
    flags: "bdfghiMnRrVcCmsuz",
    valued: "kt",
    long: &[
        "ignore-leading-blanks",
        "dictionary-order",
        "ignore-case",
        "general-numeric-sort",
        "human-numeric-sort",
        "ignore-nonprinting",
        "month-sort",
        "numeric-sort",
        "reverse",
        "version-sort",
        "check",
        "merge",
        "stable",
        "unique",
        "zero-terminated",
        "key",
        "field-separator",
    ],
};

const UNIQ: Options = Options {
    flags: "cdDiuz",
    valued: "fsw",
    long: &["count", "repeated", "ignore-case", "unique"],
};

const TAIL: Options =
    Options { flags: "0123456789qvz", valued: "nc", long: &["lines", "bytes", "quiet", "verbose"] };

const DIFF: Options = Options {
    flags: "0123456789qrusNwbBiyaEZtTdpce",
    valued: "UCIxW",
    long: &[
        "brief",
        "recursive",
        "unified",
        "side-by-side",
        "new-file",
        "ignore-all-space",
        "ignore-space-change",
        "ignore-blank-lines",
        "ignore-case",
        "text",
        "exclude",
        "color",
        "width",
        "suppress-common-lines",
        "strip-trailing-cr",
    ],
};

const DF: Options = Options {
    flags: "ahHiklmPT",
    valued: "txB",
    long: &["all", "human-readable", "inodes", "local", "portability", "print-type", "total"],
};

const TREE: Options = Options {
    flags: "adfilpsugDhCnvrtFN",
    valued: "LPI",
    long: &["dirsfirst", "noreport", "gitignore", "prune", "du", "si", "filelimit"],
};

const FILE: Options =
    Options { flags: "bihLkpEN", valued: "", long: &["brief", "mime", "mime-type", "dereference"] };

const RIPGREP: Options = Options {
    flags: "0123456789abchiIlLnNopPqsSuUvVwxFH",
    valued: "ABCegtTmMd",
    long: &[
        "after-context",
        "before-context",
        "context",
        "regexp",
        "glob",
        "iglob",
        "type",
        "type-not",
        "max-count",
        "max-depth",
        "max-columns",
        "max-filesize",
        "files",
        "files-with-matches",
        "files-without-match",
        "count",
        "count-matches",
        "ignore-case",
        "smart-case",
        "case-sensitive",
        "invert-match",
        "line-number",
        "no-line-number",
        "no-heading",
        "heading",
        "hidden",
        "no-ignore",
        "no-ignore-vcs",
        "fixed-strings",
        "word-regexp",
        "line-regexp",
        "only-matching",
        "multiline",
        "multiline-dotall",
        "pcre2",
        "color",
        "column",
        "json",
        "quiet",
        "sort",
        "sortr",
        "stats",
        "text",
        "trim",
        "type-list",
        "version",
        "with-filename",
        "no-filename",
        "vimgrep",
        "null",
        "passthru",
        "follow",
        "no-messages",
        "unrestricted",
    ],
};

/// Tests and actions of `find` that change nothing.
const FIND: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-a",
    "-amin",
    "-and",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-ls",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mount",
    "-mtime",
    "-name",
    "-newer",
    "-newermt",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-quit",
    "-readable",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-true",
    "-type",
    "-uid",
    "-user",
    "-wholename",
    "-writable",
    "-xdev",
    "-xtype",
];

fn rule(name: &str) -> Option<Rule> {
    use Operands::{Any, AtMost};
    Some(match name {
        "true" | "false" | ":" | "echo" | "pwd" | "cd" | "ls" | "cat" | "head" | "wc" | "cut"
        | "tr" | "grep" | "egrep" | "fgrep" | "stat" | "du" | "uname" | "whoami" | "id" | "seq"
        | "basename" | "dirname" | "realpath" | "readlink" | "which" | "type" | "nl" | "tac"
        | "rev" | "fold" | "expand" | "paste" | "comm" | "cmp" | "md5sum" | "sha1sum"
        | "sha256sum" | "sha512sum" | "cksum" | "od" | "groups" | "nproc" | "arch" | "printenv"
        | "ps" | "free" | "uptime" | "jq" => Rule::Any,
        "sort" => Rule::Listed(SORT, Any),
        "uniq" => Rule::Listed(UNIQ, AtMost(1)),
        "tail" => Rule::Listed(TAIL, Any),
        "diff" => Rule::Listed(DIFF, AtMost(2)),
        "df" => Rule::Listed(DF, Any),
        "tree" => Rule::Listed(TREE, Any),
        "file" => Rule::Listed(FILE, Any),
        "rg" => Rule::Listed(RIPGREP, Any),
        "sleep" => Rule::Listed(NO_OPTIONS, Any),
        "env" | "hostname" => Rule::Listed(NO_OPTIONS, AtMost(0)),
        "find" => Rule::Checked(find),
        "sed" => Rule::Checked(sed),
        "date" => Rule::Checked(date),
        "test" | "[" => Rule::Checked(test),
        "printf" => Rule::Checked(printf),
        "command" => Rule::Checked(command),
        _ => return None,
    })
}

/// Whether a simple command only reads.
pub(super) fn reads(command: &[Word]) -> bool {
    let mut words = command;
    while let Some((first, rest)) = words.split_first() {
        // Negation only turns the exit code.
        if !rest.is_empty() && first.text == "!" && !first.quoted {
            words = rest;
            continue;
        }
        if first.quoted || first.glob {
            return false;
        }
        return match rule(&first.text) {
            None => false,
            Some(Rule::Any) => true,
            Some(Rule::Listed(options, operands)) => options.admit(rest, &operands),
            Some(Rule::Checked(check)) => check(rest),
        };
    }
    false
}

impl Options {
    fn admit(&self, words: &[Word], operands: &Operands) -> bool {
        let mut words = words.iter();
        let mut count = 0;
        let mut only_operands = false;
        while let Some(word) = words.next() {
            // Names of files could be options too.
            if word.glob_first && !only_operands {
                return false;
            }
            let text = word.text.as_str();
            if only_operands || !text.starts_with('-') || text == "-" {
                // Names of files could be many.
                count += if word.glob { usize::MAX / 2 } else { 1 };
                count = count.min(usize::MAX / 2);
            } else if text == "--" {
                only_operands = true;
            } else if !self.admits(text, || words.next()) {
                return false;
            }
        }
        match operands {
            Operands::Any => true,
            Operands::AtMost(most) => count <= *most,
        }
    }

    fn admits<'a>(&self, option: &str, next: impl FnOnce() -> Option<&'a Word>) -> bool {
        if let Some(long) = option.strip_prefix("--") {
            // A value in the next word counts as an operand, which only makes us stricter.
            let name = long.split_once('=').map_or(long, |(name, _)| name);
            return self.long.contains(&name);
        }
        let letters = option.get(1..).unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                let attached = at + letter.len_utf8() < letters.len();
                return attached || next().is_some_and(|value| !value.glob);
            }
            if !self.flags.contains(letter) {
                return false;
            }
        }
        true
    }
}

fn find(words: &[Word]) -> bool {
    words.iter().all(|word| {
        !word.glob_first && (!word.text.starts_with('-') || FIND.contains(&word.text.as_str()))
    })
}

/// Only the printing of lines by number: scripts of `sed` can write and run.
fn sed(words: &[Word]) -> bool {
    let [quiet, script, files @ ..] = words else {
        return false;
    };
    let address = |text: &str| {
        text == "$" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let prints = |command: &str| {
        command.trim().strip_suffix('p').is_some_and(|range| match range.split_once(',') {
            Some((from, to)) => address(from) && address(to),
            None => address(range),
        })
    };
    quiet.text == "-n"
        && !script.glob
        && script.text.split(';').all(prints)
        && files.iter().all(|file| !file.glob_first && !file.text.starts_with('-'))
}

/// Only formats: anything else may set the clock.
fn date(words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| (word.text.as_str(), word.glob));
    while let Some((text, glob)) = words.next() {
        let fits = match text {
            "-u" | "--utc" | "-R" | "-I" | "--iso-8601" => true,
            "-d" | "-r" => words.next().is_some_and(|(_, glob)| !glob),
            _ => ["+", "--date=", "-I", "--iso-8601="].iter().any(|start| text.starts_with(start)),
        };
        if glob || !fits {
            return false;
        }
    }
    true
}

/// `-v` and `-R` take the name of a variable, in whose subscript the shell runs commands.
fn test(words: &[Word]) -> bool {
    words.iter().all(|word| {
        !word.glob && !word.text.contains(['$', '`']) && word.text != "-v" && word.text != "-R"
    })
}

/// `-v` and `%n` take the name of a variable, in whose subscript the shell runs commands.
fn printf(words: &[Word]) -> bool {
    words.first().is_some_and(|format| !format.text.starts_with('-'))
        && words.iter().all(|word| !word.glob && !word.text.contains(['$', '`']))
}

/// Only the question where a command is.
fn command(words: &[Word]) -> bool {
    words.first().is_some_and(|option| option.text == "-v" || option.text == "-V")
}
