//! Masks card numbers in free text before anything is written. Never applied to ids of the
//! processor or of the ledger, to references or to bank traces: one in ten numbers passes the check
//! digit by chance.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// How many digits a card's number has.
const DIGITS: RangeInclusive<usize> = 12..=19;

/// How the digits of a card are grouped where they are written in groups.
const GROUPS: [&[usize]; 4] = [&[4, 4, 4, 4, 3], &[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4]];

/// Most characters between two groups of digits.
const MAX_APART: usize = 2;

/// A run of digits, plain or in full width.
struct Run {
    /// Where it begins and ends in the text.
    start: usize,
    end: usize,
    /// As plain digits.
    digits: String,
}

/// `text` with `*` and the last four digits in place of each number that has a card brand's prefix
/// and length, passes Luhn's check and is not part of a longer number.
pub fn mask_card_numbers(text: &str) -> Cow<'_, str> {
    let Some(mut masked) = masked_once(text) else { return Cow::Borrowed(text) };
    // One that stood beside a number with a blank between is a number of its own now.
    while let Some(further) = masked_once(&masked) {
        masked = further;
    }
    Cow::Owned(masked)
}

/// Masks the card numbers that are not part of a longer number; `None` without any.
fn masked_once(text: &str) -> Option<String> {
    // Text with too few bytes for a card, which is nearly all text, is not looked at by character.
    if text.len() < *DIGITS.start() || text.chars().filter_map(digit).count() < *DIGITS.start() {
        return None;
    }
    let runs = digit_runs(text);
    let mut masked = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < runs.len() {
        let chain = chain_length(text, &runs[at..]);
        for (start, end, digits) in numbers_in(text, &runs[at..at + chain]) {
            masked.push_str(&text[copied..start]);
            masked.push('*');
            masked.push_str(&digits[digits.len() - 4..]);
            copied = end;
        }
        at += chain;
    }
    if copied == 0 {
        return None;
    }
    masked.push_str(&text[copied..]);
    Some(masked)
}

/// Whether a number in it may have been masked: others can have the same form.
pub fn is_masked(text: &str) -> bool {
    let mut parts = text.split('*');
    parts.next();
    parts.any(|rest| rest.len() >= 4 && rest.bytes().take(4).all(|byte| byte.is_ascii_digit()))
}

/// The plain digit of a digit, which may be written in full width.
fn digit(character: char) -> Option<char> {
    match character {
        '0'..='9' => Some(character),
        '\u{ff10}'..='\u{ff19}' => {
            char::from_digit(u32::from(character) - u32::from('\u{ff10}'), 10)
        }
        _ => None,
    }
}

/// The characters that people and programs put between the digits of a number.
fn sets_apart(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '-' | '.' | '/' | '_' | '\u{2010}'
                ..='\u{2015}' | '\u{2212}' | '\u{ff0d}' | '\u{ff0e}' | '\u{ff0f}' | '\u{ff3f}'
        )
}

fn digit_runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, character) in text.char_indices() {
        let Some(digit) = digit(character) else { continue };
        let end = at + character.len_utf8();
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => {
                run.end = end;
                run.digits.push(digit);
            }
            None => runs.push(Run { start: at, end, digits: digit.into() }),
        }
    }
    runs
}

/// The number of runs, from the first, that are separated by at most `MAX_APART` separators.
fn chain_length(text: &str, runs: &[Run]) -> usize {
    let is_joined = |pair: &[Run]| {
        let between = &text[pair[0].end..pair[1].start];
        between.chars().count() <= MAX_APART && between.chars().all(sets_apart)
    };
    1 + runs.windows(2).take_while(|pair| is_joined(pair)).count()
}

/// The card numbers in a chain of runs, with start and end: the chain grouped as a card is, all of
/// it in groups of one length, or each run alone. Groups like a card's do not count when another
/// group of four digits stands beside them, or when the chain continues letters: then they are part
/// of a longer number, such as an IBAN.
fn numbers_in(text: &str, chain: &[Run]) -> Vec<(usize, usize, String)> {
    let lengths: Vec<usize> = chain.iter().map(|run| run.digits.len()).collect();
    let digits_of = |runs: &[Run]| runs.iter().map(|run| run.digits.as_str()).collect::<String>();
    if is_even(&lengths) {
        let digits = digits_of(chain);
        if is_card_number(&digits) {
            return vec![(chain[0].start, chain[chain.len() - 1].end, digits)];
        }
    }
    let goes_on = text[..chain[0].start].ends_with(char::is_alphabetic);
    let in_groups = |at: usize| {
        GROUPS.iter().find_map(|groups| {
            let end = at + groups.len();
            let is_four = |index: Option<usize>| index.and_then(|at| lengths.get(at)) == Some(&4);
            let is_part = is_four(at.checked_sub(1)) || is_four(Some(end));
            let is_whole = (at, end) == (0, chain.len());
            if !lengths[at..].starts_with(groups) || (!is_whole && (goes_on || is_part)) {
                return None;
            }
            let digits = digits_of(&chain[at..end]);
            is_card_number(&digits).then_some((end, digits))
        })
    };
    let (mut numbers, mut at) = (Vec::new(), 0);
    while let Some(run) = chain.get(at) {
        if let Some((end, digits)) = in_groups(at) {
            numbers.push((run.start, chain[end - 1].end, digits));
            at = end;
            continue;
        }
        if is_card_number(&run.digits) {
            numbers.push((run.start, run.end, run.digits.clone()));
        }
        at += 1;
    }
    numbers
}

/// Whether the groups have one length; the last may be shorter. Dates and the parts of an order id
/// seldom have one length.
fn is_even(lengths: &[usize]) -> bool {
    let (Some((last, others)), Some(first)) = (lengths.split_last(), lengths.first()) else {
        return false;
    };
    last <= first && others.iter().all(|length| length == first)
}

fn is_card_number(digits: &str) -> bool {
    DIGITS.contains(&digits.len()) && has_brand(digits) && passes_luhn(digits)
}

/// Prefix and length of a brand.
fn has_brand(digits: &str) -> bool {
    let length = digits.len();
    let prefix = |count: usize| digits[..count].parse::<u32>().unwrap_or_default();
    match (prefix(1), prefix(2), prefix(3), prefix(4)) {
        // Visa
        (4, ..) => matches!(length, 13 | 16 | 19),
        // American Express
        (_, 34 | 37, ..) => length == 15,
        // Mastercard
        (_, 51..=55, ..) | (.., 2221..=2720) => length == 16,
        // Diners Club
        (_, 36 | 38 | 39, ..) | (_, _, 300..=305, _) => (14..=19).contains(&length),
        // JCB, Discover and UnionPay
        (.., 3528..=3589 | 6011) | (_, _, 644..=649, _) | (_, 62 | 65, ..) => {
            (16..=19).contains(&length)
        }
        // Maestro
        (.., 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763) => true,
        _ => false,
    }
}

fn passes_luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([false, true].into_iter().cycle())
        .map(|(byte, is_doubled)| {
            let digit = u32::from(byte - b'0');
            match (is_doubled, digit) {
                (false, digit) => digit,
                (true, digit @ 0..5) => digit * 2,
                (true, digit) => digit * 2 - 9,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_the_numbers_of_cards_and_nothing_else() {
        for (text, expected) in [
            ("4111111111111111", "*1111"),
            ("INV-4111111111111111 paid", "INV-*1111 paid"),
            ("4111 1111 1111 1111", "*1111"),
            ("3782-822463-10005", "*0005"),
            ("4111 1111 1111 1111 12/26 123", "*1111 12/26 123"),
            ("2 4111-1111-1111-1111 5500005555555559", "2 *1111 *5559"),
            ("a4111-1111-1111-1111 5500005555555559]", "a*1111 *5559]"),
            ("4111 1111 1111 1111 1111", "4111 1111 1111 1111 1111"),
            ("DE89 4111 1111 1111 1111 00", "DE89 4111 1111 1111 1111 00"),
            ("4111111111111112", "4111111111111112"),
            ("94111111111111111", "94111111111111111"),
            ("41111111111111110000", "41111111111111110000"),
            ("2026-1105-4111-1111", "2026-1105-4111-1111"),
            ("1234567890123452", "1234567890123452"),
            ("a 5555555555554444, b 6011111111111117", "a *4444, b *1117"),
            ("Ä4111111111111111Ö", "Ä*1111Ö"),
            ("4111.1111.1111.1111", "*1111"),
            ("4111/1111/1111/1111", "*1111"),
            ("4111_1111_1111_1111 x", "*1111 x"),
            ("4111  1111  1111  1111", "*1111"),
            ("4111 - 1111 - 1111 - 1111", "4111 - 1111 - 1111 - 1111"),
            ("4111\u{2013}1111\u{2014}1111\u{2212}1111", "*1111"),
            ("4111\u{a0}1111\u{2009}1111\u{202f}1111", "*1111"),
            ("card 41-11-11-11-11-11-11-11.", "card *1111."),
            ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "*1111"),
            ("\u{ff14}\u{ff11}11 1111 11\u{ff11}\u{ff11} 1111", "*1111"),
            ("paid 2026-11-05 12:30, 4111.1111.1111.1111", "paid 2026-11-05 12:30, *1111"),
            ("300-2026-1105-4711", "300-2026-1105-4711"),
            ("4111---1111---1111---1111", "4111---1111---1111---1111"),
            ("", ""),
        ] {
            assert_eq!(mask_card_numbers(text), expected, "{text}");
            assert_eq!(mask_card_numbers(expected), expected, "masked twice: {text}");
            assert_eq!(is_masked(expected), text != expected, "{text}");
        }
    }
}
