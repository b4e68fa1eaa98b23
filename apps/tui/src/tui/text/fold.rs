//! Long runs of nothing, folded and counted.

/// Blanks in a row that are shown as they are; deeper indentation than this is rare.
const MAX_BLANKS: usize = 40;
/// Line ends in a row that are shown as they are.
const MAX_NEWLINES: usize = 3;

/// Folds long runs of blanks and of empty lines, so that they cannot push a command out of sight.
pub(crate) fn fold_blanks(raw: &str) -> String {
    let mut folded = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(start) = rest.find(char::is_whitespace) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_whitespace()).unwrap_or(from.len());
        let (run, after) = from.split_at(end);
        folded.push_str(before);
        fold_run(run, &mut folded);
        rest = after;
    }
    folded.push_str(rest);
    folded
}

fn fold_run(run: &str, folded: &mut String) {
    let newlines = run.matches('\n').count();
    let indent = run.rsplit('\n').next().unwrap_or(run);
    if newlines > MAX_NEWLINES {
        folded.extend(["\n⟨", &(newlines - 1).to_string(), " blank lines⟩\n"]);
    } else if newlines > 0 && run.chars().count() <= MAX_BLANKS {
        folded.push_str(run);
        return;
    } else if newlines > 0 {
        folded.extend(std::iter::repeat_n('\n', newlines));
    }
    let blanks = indent.chars().count();
    if blanks > MAX_BLANKS {
        folded.extend(["⟨", &blanks.to_string(), " blanks⟩"]);
    } else {
        folded.push_str(indent);
    }
}
