//! The originator of a line: the processor's name as banks write it, and the numbers beside it.

use std::collections::BTreeSet;

use tieout_model::{MerchantId, number_digest};

/// `text` reduced to capital letters and digits: banks split names, and add spaces and full stops.
/// A letter and its accent become one character, however they are written.
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

/// A capital letter followed by a combining accent, as one character.
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

/// Whether a text names one of the originators.
pub(crate) fn names_originator(text: &str, originators: &[String]) -> bool {
    let names: Vec<String> = originators.iter().map(|name| squeezed(name)).collect();
    is_from(&squeezed(text), &names)
}

/// Checks whether one of the squeezed names is in the squeezed text.
pub(super) fn is_from(text: &str, names: &[String]) -> bool {
    names.iter().any(|name| !name.is_empty() && text.contains(name.as_str()))
}

/// The only one of `ids` that is a word of its own in `text`; `None` with several.
pub(super) fn named<'a>(text: &str, ids: &[&'a MerchantId]) -> Option<&'a MerchantId> {
    let words: Vec<&str> = text.split(|character: char| !character.is_alphanumeric()).collect();
    let mut found = ids.iter().filter(|id| words.contains(&id.as_str()));
    match (found.next(), found.next()) {
        (Some(id), None) => Some(id),
        _ => None,
    }
}

/// Shorter numbers are days and counts, not ids.
const MIN_DIGITS: usize = 4;

/// Longer numbers are not ids of the processor.
const MAX_DIGITS: usize = 19;

/// Numbers kept of one line, at most.
const MAX_NUMBERS: usize = 32;

/// The digests of the numbers in a text, each once, ascending. Only digests are kept, since a
/// number may be an account's. A number with adjacent letters is the bank's own reference, whose
/// digits equal a deposit's id only by chance.
pub(super) fn number_digests(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let numbers = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers = numbers.map(|number| number.trim_start_matches('0'));
    let are_ids = numbers.filter(|number| (MIN_DIGITS..=MAX_DIGITS).contains(&number.len()));
    let digests: BTreeSet<String> = are_ids.take(MAX_NUMBERS).map(number_digest).collect();
    digests.into_iter().collect()
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
        let (own, other) = (MerchantId::from("4525644354"), MerchantId::from("77"));
        let ids = [&own, &other];
        assert_eq!(named("PAYOUT 4525644354 X", &ids), Some(&own));
        assert_eq!(named("PAYOUT 774525644354", &ids), None);
        assert_eq!(named("4525644354 77", &ids), None);
    }

    #[test]
    fn takes_a_number_for_a_word_of_its_own_only() {
        let one = vec![number_digest("70400")];
        for text in ["DES:PAYOUT ID:70400", "TRN*1*0070400", "70400/PAYOUT", "#70400."] {
            assert_eq!(number_digests(text), one, "{text}");
        }
        for text in ["BR70400", "70400X", "BR0070400 PAYOUT", "A70400B"] {
            assert!(number_digests(text).is_empty(), "{text}");
        }
    }
}
