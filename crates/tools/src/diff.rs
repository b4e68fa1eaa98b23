//! What an edit changed, as a short unified diff.

use std::{ops::Range, time::Duration};

use similar::{ChangeTag, DiffOp, TextDiff};

use crate::text;

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// Lines of the diff, and bytes of one of them, that are shown.
const MAX_LINES: usize = 120;
const MAX_LINE_BYTES: usize = 400;

/// Time for finding a small diff; past it, a correct but larger one does.
const MAX_TIME: Duration = Duration::from_millis(200);

/// The difference, with the numbers of the lines, without names of files.
pub(crate) fn unified(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (text::show(before).text, text::show(after).text);
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    // Edits are few and files can be long: only what lies between the first and the last difference
    // is compared.
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b);
    let keep_end = same_end.count().saturating_sub(CONTEXT);
    let skip = same_start.saturating_sub(CONTEXT);
    render(between(&old, skip, keep_end), between(&new, skip, keep_end), skip)
}

fn between<'a, 'b>(lines: &'a [&'b str], skip: usize, keep_end: usize) -> &'a [&'b str] {
    lines.get(skip..lines.len() - keep_end).unwrap_or_default()
}

/// The hunks of two lists of lines, of which `skip` equal ones were left out before.
fn render(old: &[&str], new: &[&str], skip: usize) -> String {
    let diff = TextDiff::configure().timeout(MAX_TIME).diff_slices(old, new);
    let mut lines = Vec::new();
    for hunk in diff.grouped_ops(CONTEXT) {
        lines.push(header(&hunk, skip));
        for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            lines.push(format!("{sign}{}", shortened(change.value())));
        }
    }
    let left_out = lines.len().saturating_sub(MAX_LINES);
    if left_out > 0 {
        lines.truncate(MAX_LINES);
        let count = text::count(left_out.try_into().unwrap_or(u64::MAX), "line", "lines");
        lines.push(format!("[{count} of the difference left out]"));
    }
    lines.join("\n")
}

fn header(hunk: &[DiffOp], skip: usize) -> String {
    let of = |range: fn(&DiffOp) -> Range<usize>| {
        let start = hunk.first().map_or(0, |op| range(op).start);
        let end = hunk.last().map_or(0, |op| range(op).end);
        // A range without lines is named by the line before it.
        let first = skip + start + usize::from(end > start);
        format!("{first},{}", end - start)
    };
    format!("@@ -{} +{} @@", of(DiffOp::old_range), of(DiffOp::new_range))
}

fn shortened(line: &str) -> String {
    let (line, ending) = match line.strip_suffix('\n') {
        Some(line) => (line, ""),
        None => (line, "\n\\ No newline at end of file"),
    };
    let shown = text::cut(line, MAX_LINE_BYTES);
    let cut = if shown.len() < line.len() { " [...]" } else { "" };
    format!("{shown}{cut}{ending}")
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    fn numbered(start: &str, numbers: RangeInclusive<u32>) -> String {
        let lines: Vec<String> = numbers.map(|n| format!("{start}{n}\n")).collect();
        lines.concat()
    }

    #[test]
    fn a_change_is_shown_with_its_place_and_context() {
        let before = numbered("line ", 1..=1000);
        let after = before.replace("line 500\n", "changed\nadded\n");
        let expected = "@@ -497,7 +497,8 @@\n line 497\n line 498\n line 499\n-line 500\n\
                        +changed\n+added\n line 501\n line 502\n line 503";
        assert_eq!(unified(before.as_bytes(), after.as_bytes()), expected);
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let before = numbered("", 1..=100);
        let after = before.replace("\n20\n", "\n").replace("\n80\n", "\n80\nnew\n");
        let diff = unified(before.as_bytes(), after.as_bytes());
        let headers: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(headers, ["@@ -17,7 +17,6 @@", "@@ -78,6 +77,7 @@"]);
    }

    #[test]
    fn a_missing_last_newline_is_said() {
        assert_eq!(unified(b"a", b"b\n"), "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b");
    }

    #[test]
    fn a_huge_difference_is_bounded() {
        let before = numbered("", 1..=50_000);
        let after = before.replace('\n', "x\n");
        let diff = unified(before.as_bytes(), after.as_bytes());
        assert_eq!(diff.lines().count(), MAX_LINES + 1);
        assert!(diff.ends_with(" lines of the difference left out]"), "{diff}");
    }
}
