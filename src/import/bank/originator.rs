//! Who caused a line: the processor's name, as banks write it.

/// `text` in capital letters and digits alone: banks cut names in pieces, add blanks and stops,
/// and put subfield marks (`?32`) into the middle of a word.
pub(super) fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '?' {
            let ahead: Vec<char> = characters.clone().take(2).collect();
            if ahead.len() == 2 && ahead.iter().all(char::is_ascii_digit) {
                characters.nth(1);
                continue;
            }
        }
        if character.is_alphanumeric() {
            squeezed.extend(character.to_uppercase());
        }
    }
    squeezed
}

/// Whether one of the squeezed names is in the squeezed text.
pub(super) fn is_from(text: &str, names: &[String]) -> bool {
    names.iter().any(|name| !name.is_empty() && text.contains(name.as_str()))
}

/// The one of `ids` that stands in `text` as a word of its own, when no other one does.
pub(super) fn named<'a>(text: &str, ids: &[&'a str]) -> Option<&'a str> {
    let words: Vec<&str> = text.split(|character: char| !character.is_alphanumeric()).collect();
    let mut found = ids.iter().filter(|id| words.contains(*id));
    match (found.next(), found.next()) {
        (Some(id), None) => Some(id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_name_however_it_is_cut() {
        let names = [squeezed("Example Payments, Inc.")];
        for text in [
            "ACH EXAMPLE PAYMENTS INC DES:PAYOUT",
            "?20SVWZ+payout?32EXAMPLE PAYM?33ENTS INC",
            "Example\nPayments Inc",
        ] {
            assert!(is_from(&squeezed(text), &names), "{text}");
        }
        assert!(!is_from(&squeezed("EXAMPLE PAYROLL INC"), &names));
    }

    #[test]
    fn takes_an_id_for_a_word_of_its_own_only() {
        assert_eq!(named("PAYOUT 4525644354 X", &["4525644354", "77"]), Some("4525644354"));
        assert_eq!(named("PAYOUT 774525644354", &["4525644354", "77"]), None);
        assert_eq!(named("4525644354 77", &["4525644354", "77"]), None);
    }
}
