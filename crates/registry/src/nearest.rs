//! "Did you mean": the candidate that a wrong word was probably meant to be.

/// Likeness below which a suggestion would rather mislead than help.
const THRESHOLD: f64 = 0.6;

/// The likeness of a word that holds the other, as `file_path` does `path`: a near miss that a count
/// of edits does not see.
const HOLDS: f64 = 0.7;

/// Longer words are not compared: edit distance is quadratic and no name is that long.
const MAX_COMPARED_BYTES: usize = 128;

/// The best candidates, best first, at most `most`; equals stay in their order.
///
/// An unknown tool is looked for among thousands, so a candidate whose letters alone rule it out is
/// not compared further.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    if most == 0 || word.is_empty() || word.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let mut wanted = Word::default();
    wanted.set(word);
    let mut other = Word::default();
    let mut best: Vec<(f64, &str)> = Vec::new();
    for candidate in candidates.into_iter().filter(|c| c.len() <= MAX_COMPARED_BYTES) {
        let to_beat = (best.len() == most).then(|| best.last().map(|(score, _)| *score)).flatten();
        let enough = |score: f64| match to_beat {
            Some(worst) => score > worst,
            None => score >= THRESHOLD,
        };
        other.set(candidate);
        let Some(score) = wanted.likeness(&other, enough) else { continue };
        let place = best.partition_point(|(known, _)| *known >= score);
        best.insert(place, (score, candidate));
        best.truncate(most);
    }
    best.into_iter().map(|(_, candidate)| candidate).collect()
}

/// A word without case and separators, because there models miss most often.
#[derive(Default)]
struct Word {
    folded: String,
    chars: usize,
    /// How often each character occurs, by its last five bits: all letters are told apart.
    counts: [u8; 32],
}

impl Word {
    fn set(&mut self, word: &str) {
        self.folded.clear();
        self.chars = 0;
        self.counts = [0; 32];
        for c in word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
            self.folded.push(c);
            self.chars += 1;
            let bucket = usize::try_from(u32::from(c) % 32).unwrap_or_default();
            if let Some(count) = self.counts.get_mut(bucket) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// From 0 to 1, if it is enough.
    fn likeness(&self, other: &Self, enough: impl Fn(f64) -> bool) -> Option<f64> {
        let longest = self.chars.max(other.chars);
        let shortest = self.chars.min(other.chars);
        let by_edits = |edits: usize| 1.0 - ratio(edits, longest);
        let held = shortest >= 3
            && enough(HOLDS)
            && (self.folded.contains(&other.folded) || other.folded.contains(&self.folded));
        let least = if held { HOLDS } else { 0.0 };
        if shortest == 0 || !enough(by_edits(self.fewest_edits(other)).max(least)) {
            return None;
        }
        let score = by_edits(strsim::osa_distance(&self.folded, &other.folded)).max(least);
        enough(score).then_some(score)
    }

    /// Fewer edits can't turn one into the other: each one takes away or brings one character.
    fn fewest_edits(&self, other: &Self) -> usize {
        let (mut less, mut more) = (0_usize, 0_usize);
        for (a, b) in self.counts.iter().zip(&other.counts) {
            less += usize::from(b.saturating_sub(*a));
            more += usize::from(a.saturating_sub(*b));
        }
        less.max(more)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    // Both are at most a few hundred.
    let [part, whole] = [part, whole].map(|n| f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
    part / whole
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
