//! Makes text from outside safe to show: characters that are invisible, control a terminal, break a
//! line or reorder letters become escapes such as `\u{202e}`.

use std::borrow::Cow;

/// `text` with escapes in place of control, bidirectional and line-separator characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{fffe}'
                | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_cannot_be_seen() {
        for (text, expected) in [
            ("Pizza Doe", "Pizza Doe"),
            ("Café 👩‍👧 שלום", "Café 👩‍👧 שלום"),
            ("a\u{202e}b\u{202c}", "a\\u{202e}b\\u{202c}"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\nb\tc", "a\\nb\\tc"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
