//! The file's own words, translated by the `values` of its configuration.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::excerpt::excerpt;

/// The word of `values` that leaves a row out deliberately.
pub(crate) const IGNORE: &str = "ignore";

/// The words of each column.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// By column, then by the file's word as written and in lower case.
    words: HashMap<String, HashMap<String, String>>,
}

impl Words {
    pub fn new(values: &BTreeMap<String, BTreeMap<String, String>>) -> Self {
        let of_column = |words: &BTreeMap<String, String>| {
            let ours = |ours: &String| ours.trim().to_owned();
            let folded = words.iter().map(|(word, own)| (word.trim().to_lowercase(), ours(own)));
            let exact = words.iter().map(|(word, own)| (word.trim().to_owned(), ours(own)));
            folded.chain(exact).collect()
        };
        let words = values.iter().map(|(column, words)| (column.clone(), of_column(words)));
        Self { words: words.collect() }
    }

    /// The standard word for `cell` of `column`; the cell itself when it has no translation.
    pub fn of<'a>(&'a self, column: &str, cell: &'a str) -> &'a str {
        self.translation(column, cell).unwrap_or(cell)
    }

    /// The translation of `cell`, when `values` have one.
    pub(crate) fn translation(&self, column: &str, cell: &str) -> Option<&str> {
        let words = self.words.get(column)?;
        let folded = || -> Cow<'_, str> { cell.to_lowercase().into() };
        words.get(cell).or_else(|| words.get(folded().as_ref())).map(String::as_str)
    }

    /// Why a word is not one of `ours`, and the line of `values` that would translate it.
    pub fn refusal(column: &str, cell: &str, ours: &[&str]) -> String {
        let quoted: Vec<String> =
            ours.iter().chain(&[IGNORE]).map(|word| format!("\"{word}\"")).collect();
        format!(
            "expected {}, found {}; add to values: {column} = {{ {} = {} }}",
            listed(ours),
            excerpt(cell),
            excerpt(cell),
            quoted.join(" or ")
        )
    }
}

/// `a, b or c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_in_any_case_and_names_what_to_add() {
        let kinds = BTreeMap::from([("Sale".to_owned(), "payment".to_owned())]);
        let words = Words::new(&BTreeMap::from([("kind".to_owned(), kinds)]));
        assert_eq!(words.of("kind", "SALE"), "payment");
        assert_eq!(words.of("kind", "refund"), "refund");
        assert_eq!(words.of("status", "Sale"), "Sale");
        assert_eq!(
            Words::refusal("kind", "payout", &["payment", "refund"]),
            "expected payment or refund, found \"payout\"; add to values: kind = { \"payout\" = \
             \"payment\" or \"refund\" or \"ignore\" }"
        );
    }
}
