//! Programs that only read, and the options with which they still do.

use super::lexer::Word;

/// What a program may be given.
enum Rule {
    /// Anything: nothing makes it write or run something.
    Any,
    /// Anything but these options.
    Except(Refused),
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

/// Options with which a program reads more than it names: it follows links that it meets, or takes
/// names from a file.
struct Refused {
    letters: &'static str,
    long: &'static [&'static str],
}

const GREP: Refused = Refused { letters: "R", long: &["dereference-recursive"] };
const LS: Refused = Refused { letters: "L", long: &["dereference"] };
const DU: Refused = Refused { letters: "L", long: &["dereference", "files0-from"] };
const WC: Refused = Refused { letters: "", long: &["files0-from"] };
const SUMS: Refused = Refused { letters: "c", long: &["check"] };
const JQ: Refused = Refused { letters: "fL", long: &["from-file", "library-path"] };

/// Without the letters that, together with `e`, are read in the manner of BSD, where it asks for
/// environments.
const PS: Options = Options {
    flags: "eAafFljywTHc",
    valued: "opCtgG",
    long: &["sort", "forest", "no-headers", "headers", "pid", "ppid", "format", "cols", "version"],
};

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
    flags: "0123456789qusNwbBiyaEZtTdpce",
    valued: "UCIxW",
    long: &[
        "brief",
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
    flags: "adfipsugDhCnvrtFN",
    valued: "LPI",
    long: &["dirsfirst", "noreport", "gitignore", "prune", "du", "si", "filelimit"],
};

const FILE: Options =
    Options { flags: "bihLkpEN", valued: "", long: &["brief", "mime", "mime-type", "dereference"] };

const RIPGREP: Options = Options {
    flags: "0123456789abchiIlnNopPqsSuUvVwxFH",
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
        "no-messages",
        "unrestricted",
    ],
};

/// Tests and actions of `find` that change nothing.
const FIND: &[&str] = &[
    "-H",
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
        "true" | "false" | ":" | "echo" | "pwd" | "cd" | "cat" | "head" | "cut" | "tr" | "stat"
        | "uname" | "whoami" | "id" | "seq" | "basename" | "dirname" | "realpath" | "readlink"
        | "which" | "type" | "nl" | "tac" | "rev" | "fold" | "expand" | "paste" | "comm"
        | "cmp" | "od" | "groups" | "nproc" | "arch" | "printenv" | "free" | "uptime" => Rule::Any,
        "ls" => Rule::Except(LS),
        "wc" => Rule::Except(WC),
        "du" => Rule::Except(DU),
        "grep" | "egrep" | "fgrep" => Rule::Except(GREP),
        "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" | "cksum" => Rule::Except(SUMS),
        "jq" => Rule::Checked(jq),
        "ps" => Rule::Checked(ps),
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

/// The name of a command's program, and what it is given. A negation before it only turns the exit
/// code.
pub(super) fn named(command: &[Word]) -> Option<(&Word, &[Word])> {
    let mut words = command;
    while let Some((first, rest)) = words.split_first() {
        if rest.is_empty() || first.text != "!" || first.quoted {
            return Some((first, rest));
        }
        words = rest;
    }
    None
}

/// Whether a simple command only reads.
pub(super) fn reads(command: &[Word]) -> bool {
    let Some((name, rest)) = named(command) else {
        return false;
    };
    if name.quoted || name.glob {
        return false;
    }
    match rule(&name.text) {
        None => false,
        Some(Rule::Any) => true,
        Some(Rule::Except(refused)) => refused.admit(rest),
        Some(Rule::Listed(options, operands)) => options.admit(rest, &operands),
        Some(Rule::Checked(check)) => check(rest),
    }
}

impl Refused {
    /// A letter may as well be a part of a value, which only makes us stricter.
    fn admit(&self, words: &[Word]) -> bool {
        words.iter().all(|word| match word.text.strip_prefix('-') {
            None => true,
            Some(option) => match option.strip_prefix('-') {
                None => !option.contains(|letter| self.letters.contains(letter)),
                // Long ones may be abbreviated.
                Some(long) => {
                    let name = long.split_once('=').map_or(long, |(name, _)| name);
                    name.is_empty() || !self.long.iter().any(|refused| refused.starts_with(name))
                }
            },
        })
    }
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

/// Programs that name no others: modules may lie anywhere.
fn jq(words: &[Word]) -> bool {
    let loads = |word: &Word| word.text.contains("import") || word.text.contains("include");
    JQ.admit(words) && !words.iter().any(loads)
}

/// Without `e` in the manner of BSD, which shows the environments of processes.
fn ps(words: &[Word]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let fits = match text.strip_prefix('-') {
            None => !text.contains(['e', 'E']),
            // Where these are no options of Unix, they are read in the manner of BSD.
            Some("aux" | "auxw" | "auxww" | "ax" | "axw" | "axww") => true,
            Some(_) => PS.admits(text, || words.next()),
        };
        if word.glob || !fits {
            return false;
        }
    }
    true
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
