//! The text of an MT940 line: its lines break in the middle of a word, and its sub-fields begin
//! with marks that differ between countries (`?20`, `~20`, `<20`, `^20`).

/// Characters that can begin the mark of a sub-field.
const MARKS: [char; 7] = ['?', '~', '<', '>', '^', '|', '\u{a7}'];

/// The text of a field twice: in one piece, and with a space at the end of every line or sub-field.
/// The first serves to find a name, the second to find an id that is alone on its line.
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

/// The character that begins the sub-fields: the text starts with a code of up to three digits,
/// followed by a mark with two digits. A character other than the usual ones is a mark only when
/// the first field after a complete code is the one for the posting text (00).
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

/// `text` without the marks of sub-fields at any position: other formats contain MT940 texts
/// unchanged. `None` when it has no marks.
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

/// The text after each mark.
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
