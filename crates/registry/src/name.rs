//! Names of tools, and how a wire format that knows no dots spells them.

/// The most characters that a tool's name may have, as the providers count.
pub(crate) const MAX_NAME_CHARS: usize = 64;

/// What is wrong with a name, and the mend; `None` for a good one.
pub(crate) fn fault(name: &str) -> Option<(String, &'static str)> {
    const MEND: &str = "use 1 to 64 of the characters A-Z a-z 0-9 _ . -, beginning with a letter, \
                        a digit or an underscore";
    let chars = name.chars().count();
    if chars == 0 {
        return Some(("the name is empty".to_owned(), MEND));
    }
    if chars > MAX_NAME_CHARS {
        return Some((format!("the name has {chars} characters"), MEND));
    }
    let bad = name.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '-'));
    if let Some(bad) = bad {
        return Some((format!("the name holds {}", crate::text::quoted_char(bad)), MEND));
    }
    if name.starts_with(['.', '-']) {
        return Some(("the name begins with a dot or a dash".to_owned(), MEND));
    }
    None
}

/// The name where dots are not allowed.
pub(crate) fn wire(name: &str) -> String {
    name.replace('.', "_")
}
