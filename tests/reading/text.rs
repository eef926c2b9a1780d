//! Texts with a piece of them at a chosen place.

/// How many bytes the reader looks at together.
pub const BLOCK: usize = 64;

/// How many bytes it goes over before it reads their tokens.
pub const STRIDE: usize = 32 * BLOCK;

/// `before` and `rest`, with so much white space before both that `rest` starts at `place` of a block.
pub fn laid(place: usize, before: &str, rest: &str) -> String {
    let gap = (place + BLOCK - before.len() % BLOCK) % BLOCK;
    format!("{:gap$}{before}{rest}", "")
}

/// `length` ASCII characters that mean something to JSON, though not inside a string.
pub fn filler(length: usize) -> String {
    "a{,]:b [}1tu\u{7f}".chars().cycle().take(length).collect()
}

/// A transcript of one message with one string, in which `inside` starts at `place` of a block, more than a block after the
/// string's start if `deep`.
pub fn in_string(place: usize, deep: bool, inside: &str) -> String {
    let before = format!(r#"[{{"s":"{}"#, filler(if deep { 70 } else { 0 }));
    laid(place, &before, &format!(r#"{inside}"}}]"#))
}
