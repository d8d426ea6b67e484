//! Checks the texts that people enter with a decision, since they appear in the audit trail and in
//! every report: never empty, short enough for a cell, without invisible characters and without a
//! card number.

use super::decision_error::DecisionError;
use tieout_model::mask_card_numbers;
use tieout_report::visible;

/// The person who decides, and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Said<'text> {
    pub by: &'text str,
    pub note: Option<&'text str>,
}

impl Said<'_> {
    /// The person and the reason, both required.
    pub(super) fn whole(&self) -> Result<(String, String), DecisionError> {
        let who = required("--by", &NAME, self.by)?;
        Ok((who, required("--note", &REASON, self.note.unwrap_or_default())?))
    }
}

/// The kind of a text, with its maximum number of characters.
pub(super) struct Kind {
    called: &'static str,
    most: usize,
}

pub(super) const NAME: Kind = Kind { called: "the name of the person who decides", most: 100 };
pub(super) const OWNER: Kind = Kind { called: "the name of the person who works on it", most: 100 };
pub(super) const TICKET: Kind = Kind { called: "the ticket", most: 100 };
/// A workbook's cell has at most 32,767 characters; a note is for people to read.
pub(super) const REASON: Kind = Kind { called: "the reason", most: 1_000 };
pub(super) const NOTE: Kind = Kind { called: "a note", most: 1_000 };

/// The text of `option`, which is required.
pub(super) fn required(
    option: &'static str,
    kind: &Kind,
    text: &str,
) -> Result<String, DecisionError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DecisionError::Unsaid { option, expected: kind.called });
    }
    let shown = visible(text);
    if shown != text {
        return Err(DecisionError::Hidden { option, shown: shown.chars().take(60).collect() });
    }
    let found = text.chars().count();
    if found > kind.most {
        return Err(DecisionError::TooLong { option, found, most: kind.most });
    }
    Ok(mask_card_numbers(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_a_person_can_read_and_no_card() {
        let long = "x".repeat(101);
        for (text, kept) in [
            (" Anna Example ", Ok("Anna Example")),
            ("card 4111 1111 1111 1111", Ok("card *1111")),
            ("=1+1", Ok("=1+1")),
            ("", Err("--by: expected the name of the person who decides, found nothing")),
            (" \t", Err("--by: expected the name of the person who decides, found nothing")),
            (
                "A\u{1b}[2Jnna",
                Err("--by: \"A\\u{1b}[2Jnna\" holds a character that cannot be shown"),
            ),
            ("a\u{202e}b", Err("--by: \"a\\u{202e}b\" holds a character that cannot be shown")),
            ("a\nb", Err("--by: \"a\\nb\" holds a character that cannot be shown")),
            (&long, Err("--by: expected at most 100 characters, found 101")),
        ] {
            let found = required("--by", &NAME, text).map_err(|error| error.to_string());
            assert_eq!(found, kept.map(str::to_owned).map_err(str::to_owned), "{text:?}");
        }
    }
}
