//! Who caused a line: the processor's name, as banks write it.

/// `text` in capital letters and digits alone: banks cut names in pieces, add blanks and stops.
/// A letter and its accent are one character, however they are written.
pub(super) fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for character in text.chars() {
        if let Some(composed) = squeezed.chars().last().and_then(|last| composed(last, character)) {
            squeezed.pop();
            squeezed.push(composed);
        } else if character.is_alphanumeric() {
            squeezed.extend(character.to_uppercase());
        }
    }
    squeezed
}

/// A capital letter with a combining accent behind it, as one character.
fn composed(letter: char, accent: char) -> Option<char> {
    const COMPOSED: [(char, &str, &str); 6] = [
        ('\u{300}', "AEIOU", "ÀÈÌÒÙ"),
        ('\u{301}', "AEIOUY", "ÁÉÍÓÚÝ"),
        ('\u{302}', "AEIOU", "ÂÊÎÔÛ"),
        ('\u{303}', "ANO", "ÃÑÕ"),
        ('\u{308}', "AEIOU", "ÄËÏÖÜ"),
        ('\u{327}', "C", "Ç"),
    ];
    let (_, letters, accented) = COMPOSED.iter().find(|(mark, _, _)| *mark == accent)?;
    let at = letters.chars().position(|one| one == letter)?;
    accented.chars().nth(at)
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
        for text in ["ACH EXAMPLE PAYMENTS INC DES:PAYOUT", "Example\nPayments Inc"] {
            assert!(is_from(&squeezed(text), &names), "{text}");
        }
        assert_eq!(squeezed("Mu\u{308}ller"), squeezed("Müller"));
        assert!(!is_from(&squeezed("EXAMPLE PAYROLL INC"), &names));
    }

    #[test]
    fn takes_an_id_for_a_word_of_its_own_only() {
        assert_eq!(named("PAYOUT 4525644354 X", &["4525644354", "77"]), Some("4525644354"));
        assert_eq!(named("PAYOUT 774525644354", &["4525644354", "77"]), None);
        assert_eq!(named("4525644354 77", &["4525644354", "77"]), None);
    }
}
