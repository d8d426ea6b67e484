//! The text about a line of MT940: lines that break in the middle of a word, and sub-fields behind
//! marks that the banks of each country choose (`?20`, `~20`, `<20`, `^20`).

/// Characters that begin the mark of a sub-field.
const MARKS: [char; 7] = ['?', '~', '<', '>', '^', '|', '\u{a7}'];

/// The text of a field twice: in one piece, and with a blank wherever a line or a sub-field ends.
/// A name is found in the first, and an id that stands alone on its line in the second.
pub(super) fn decoded(value: &str) -> String {
    let lines: Vec<&str> = value.lines().map(|line| line.trim_end_matches('\r')).collect();
    let joined = lines.concat();
    match mark_of(&joined) {
        Some(mark) => {
            let fields = fields(&joined, mark);
            format!("{} {}", fields.concat(), fields.join(" "))
        }
        None if lines.len() < 2 => joined,
        None => format!("{joined} {}", lines.join(" ")),
    }
}

/// The character that begins the sub-fields: the text has a code of up to three digits, and then
/// a mark with two digits. Any other sign than the usual ones is a mark where the first field
/// behind a whole code is the one for the kind of posting (00).
fn mark_of(text: &str) -> Option<char> {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|one: char| one.is_ascii_digit());
    let mark = rest.chars().next()?;
    let after = &rest[mark.len_utf8()..];
    let is_sign = !mark.is_alphanumeric() && !mark.is_whitespace();
    let has_code = text.len() - rest.len() == 3;
    let is_unusual = is_sign && has_code && after.starts_with("00");
    ((MARKS.contains(&mark) || is_unusual) && starts_with_digits(after)).then_some(mark)
}

/// `text` without the marks of sub-fields, wherever they stand: other formats carry texts of MT940
/// as they are. `None` when it holds none.
pub(super) fn unmarked(text: &str) -> Option<String> {
    let mut unmarked = String::with_capacity(text.len());
    let (mut rest, mut has_marks) = (text, false);
    while let Some(at) = rest.find(MARKS) {
        let mark = rest[at..].chars().next().map_or(1, char::len_utf8);
        let after = &rest[at + mark..];
        unmarked.push_str(&rest[..at]);
        if starts_with_digits(after) {
            has_marks = true;
            rest = &after[2..];
        } else {
            unmarked.push_str(&rest[at..at + mark]);
            rest = after;
        }
    }
    unmarked.push_str(rest);
    has_marks.then_some(unmarked)
}

fn starts_with_digits(text: &str) -> bool {
    matches!(text.as_bytes(), [first, second, ..] if first.is_ascii_digit() && second.is_ascii_digit())
}

/// What stands behind each mark.
fn fields(text: &str, mark: char) -> Vec<&str> {
    let (mut fields, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = text[at..].find(mark).map(|length| at + length) {
        let after = found + mark.len_utf8();
        if starts_with_digits(&text[after..]) {
            fields.push(&text[start..found]);
            start = after + 2;
            at = start;
        } else {
            at = after;
        }
    }
    fields.push(&text[start..]);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_marks_and_line_breaks_out_of_words() {
        let cases = [
            ("166?20payout?32EXAMPLE PAYM?\n33ENTS INC", "EXAMPLE PAYMENTS INC"),
            ("020~00DU~20payout 11~32EXAMPLE PAYM~33ENTS", "EXAMPLE PAYMENTS"),
            ("020<00Przelew<27EXAMPLE PAYM<28ENTS", "EXAMPLE PAYMENTS"),
            ("020+00Przelew+27EXAMPLE PAYM+28ENTS", "EXAMPLE PAYMENTS"),
            ("2026-11-04 payout", "2026-11-04 payout"),
            ("/TRTP/SEPA/NAME/EXAMPLE PAY\nMENTS/REMI/7", "EXAMPLE PAYMENTS"),
            ("PAYOUT\n4525644354\nEXAMPLE", " 4525644354 "),
            ("is it due? 20 of them", "is it due? 20 of them"),
        ];
        for (value, expected) in cases {
            let text = decoded(value);
            assert!(text.contains(expected), "{value}: {text}");
        }
        let of_camt = unmarked("SVWZ?32EXAMPLE PAYM?33ENTS? yes");
        assert_eq!(of_camt.as_deref(), Some("SVWZEXAMPLE PAYMENTS? yes"));
        assert_eq!(unmarked("what? <b>"), None);
    }
}
