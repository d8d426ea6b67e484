//! Compares order ids by content: two ids are equal if their runs of letters, without case, and of
//! digits, without leading zeros, are the same sequence.

use std::collections::HashMap;

use tieout_model::{ShortText, is_masked};

#[derive(PartialEq)]
enum Run {
    Gap,
    Letters,
    Zeros,
    Digits,
}

/// The runs of letters and digits of an order id as one text. An id with a masked number has no
/// other spelling.
pub(super) fn spelling(order: &str) -> ShortText {
    if is_masked(order) {
        return order.into();
    }
    let mut text = ShortText::default();
    let mut run = Run::Gap;
    for character in order.chars() {
        let kind = match character {
            '0' if run != Run::Digits => Run::Zeros,
            '0'..='9' => Run::Digits,
            _ if character.is_alphabetic() => Run::Letters,
            _ => Run::Gap,
        };
        let is_number = matches!(run, Run::Zeros | Run::Digits);
        let goes_on = kind == run || (kind == Run::Digits && is_number);
        if run == Run::Zeros && !matches!(kind, Run::Zeros | Run::Digits) {
            text.push('0');
        }
        if !goes_on && kind != Run::Gap {
            text.push(' ');
        }
        match kind {
            Run::Letters => text.extend(character.to_lowercase()),
            Run::Digits => text.push(character),
            Run::Gap | Run::Zeros => {}
        }
        run = kind;
    }
    if run == Run::Zeros {
        text.push('0');
    }
    // An id without letters and digits is compared as it is.
    if text.is_empty() { order.into() } else { text }
}

/// A number for each spelling; 0 stands for no order id.
#[derive(Default)]
pub(super) struct OrderNumbers {
    numbers: HashMap<ShortText, u32>,
}

impl OrderNumbers {
    pub(super) fn of(&mut self, order: Option<&str>, is_wanted: bool) -> u32 {
        let Some(order) = order.filter(|_| is_wanted) else { return 0 };
        let next = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        *self.numbers.entry(spelling(order)).or_insert(next)
    }
}

/// Whether two order id numbers are compatible: they are unless both are known and differ.
pub(super) fn orders_agree(one: u32, other: u32) -> bool {
    one == 0 || other == 0 || one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_order_ids_by_their_runs_of_letters_and_digits() {
        let same = [
            ("EVENT-00005", "EVENT-0005"),
            ("PIZZA-1002", "pizza-1002"),
            ("ORD 1003", "ORD1003"),
            ("0001004", "1004"),
            ("#SO-1005", "SO-1005"),
            ("ABC-1006 ", "ABC-1006"),
            ("A-0", "a000"),
        ];
        for (one, other) in same {
            assert_eq!(spelling(one), spelling(other), "{one} {other}");
        }
        let different =
            [("A1-2", "A12"), ("A-1", "B-1"), ("10", "100"), ("--", "#"), ("A0B", "AB")];
        for (one, other) in different {
            assert_ne!(spelling(one), spelling(other), "{one} {other}");
        }
    }
}
