//! "Did you mean": the candidate that a wrong word was probably meant to be.

/// How alike two words are, from 0 to 1. Case and the choice of separators are forgiven first,
/// because that is how models most often miss.
pub(crate) fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (folded(a), folded(b));
    if a == b {
        return 1.0;
    }
    let edits = strsim::normalized_damerau_levenshtein(&a, &b);
    // One word that holds the other ("path" for "file_path") is a near miss that edits don't see.
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if short.chars().count() >= 3 && long.contains(short.as_str()) { edits.max(0.7) } else { edits }
}

/// Likeness below which a suggestion would rather mislead than help.
const THRESHOLD: f64 = 0.6;

/// Longer words are not compared: edit distance is quadratic and no name is that long.
const MAX_COMPARED_BYTES: usize = 128;

fn folded(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The best candidates, best first, at most `most`; equals stay in their order.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    if word.is_empty() || word.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_COMPARED_BYTES)
        .map(|candidate| (likeness(word, candidate), candidate))
        .filter(|(score, _)| *score >= THRESHOLD)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(most).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_separators_are_forgiven_first() {
        assert_eq!(nearest("dbName", ["name", "db_name", "dbs"], 1), ["db_name"]);
        assert_eq!(nearest("file-path", ["file_path"], 1), ["file_path"]);
    }

    #[test]
    fn what_is_far_is_not_suggested() {
        assert!(nearest("unexpected_flag", ["limit", "path"], 3).is_empty());
        assert!(nearest("a", ["b"], 3).is_empty());
    }

    #[test]
    fn equals_stay_in_their_order() {
        assert_eq!(
            nearest("tool_x", ["tool_a", "tool_b", "tool_c", "tool_d"], 3),
            ["tool_a", "tool_b", "tool_c"]
        );
    }
}
