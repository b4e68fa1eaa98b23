//! Handles of kept outputs.

use rand::Rng;

/// Letters that can't be taken for each other.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// 16 letters of 5 bits: 80 bits, too many to guess or to meet twice.
const LENGTH: usize = 16;

/// A random handle: it has nothing to do with the id that a model gave its call.
pub(super) fn random() -> String {
    let mut random = rand::rng();
    (0..LENGTH)
        .filter_map(|_| ALPHABET.get(random.random_range(0..ALPHABET.len())))
        .map(|&letter| char::from(letter))
        .collect()
}

/// Whether a text can be a handle, and so may be part of a file's name.
pub(super) fn is_valid(id: &str) -> bool {
    id.len() == LENGTH && id.bytes().all(|byte| ALPHABET.contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_valid_and_differ() {
        let (one, other) = (random(), random());
        assert!(is_valid(&one) && is_valid(&other));
        assert_ne!(one, other);
    }

    #[test]
    fn nothing_else_is_a_handle() {
        for id in ["", "..", "../../etc/passwd", "abc", "aaaaaaaaaaaaaaa/", "aaaaaaaaaaaaaaa\0"] {
            assert!(!is_valid(id), "{id:?}");
        }
    }
}
