//! The part of a cell that may be shown: short, printable, and without an account number.

/// No more of a cell is printed; it is enough to recognise a value.
const MAX_SHOWN_CHARACTERS: usize = 40;

/// A cell with this many digits may be a card or account number.
const MIN_ACCOUNT_DIGITS: usize = 12;

/// `cell` in quotes, cut after 40 characters; a long number is reduced to its last four digits.
pub fn excerpt(cell: &str) -> String {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let mut hidden = if digits >= MIN_ACCOUNT_DIGITS { digits - 4 } else { 0 };
    let mut shown = String::from("\"");
    for (position, character) in cell.chars().enumerate() {
        if position == MAX_SHOWN_CHARACTERS {
            shown.push('…');
            break;
        }
        if character.is_ascii_digit() && hidden > 0 {
            hidden -= 1;
            shown.push('*');
        } else if character.is_control() {
            shown.push(' ');
        } else {
            shown.push(character);
        }
    }
    shown.push('"');
    shown
}

/// As `excerpt`, for an expected date: one with a time of day has as many digits as an account
/// number and is shown.
pub(super) fn excerpt_of_date(cell: &str) -> String {
    let has_time = cell.contains(':') && cell.len() <= MAX_SHOWN_CHARACTERS;
    let is_moment = cell.chars().all(|one| one.is_ascii_digit() || "-/.: TZ+,APMapm".contains(one));
    let date = cell.split(['T', ' ']).next().unwrap_or("");
    if has_time && is_moment && (8..=10).contains(&date.len()) {
        format!("\"{cell}\"")
    } else {
        excerpt(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_little_and_no_account_number() {
        let cases = [
            ("12,3", "\"12,3\""),
            ("a\tb", "\"a b\""),
            ("4111 1111 1111 1234", "\"**** **** **** 1234\""),
            ("20261120", "\"20261120\""),
        ];
        for (cell, expected) in cases {
            assert_eq!(excerpt(cell), expected);
        }
        assert_eq!(excerpt_of_date("2026-11-04T13:05:00Z"), "\"2026-11-04T13:05:00Z\"");
        assert_eq!(excerpt_of_date("4111-1111-1111-1234"), "\"****-****-****-1234\"");
        assert_eq!(excerpt(&"x".repeat(500)).chars().count(), 43);
    }
}
