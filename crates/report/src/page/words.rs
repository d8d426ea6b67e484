//! Words for people: dates, verdicts, counts of things, codes.

use chrono::{Datelike, NaiveDate};

use tieout_model::money::grouped;
use tieout_model::{DiscrepancyStatus, Severity, Verdict};

/// `Friday, 20 November 2026`.
pub(super) fn long_date(date: NaiveDate) -> String {
    date.format("%A, %-d %B %Y").to_string()
}

/// `1 to 7 November 2026`, as short as possible without ambiguity.
pub(super) fn span(first: NaiveDate, last: NaiveDate) -> String {
    let end = last.format("%-d %B %Y");
    if first.year() != last.year() {
        format!("{} to {end}", first.format("%-d %B %Y"))
    } else if first.month() != last.month() {
        format!("{} to {end}", first.format("%-d %B"))
    } else if first == last {
        end.to_string()
    } else {
        format!("{} to {end}", first.day())
    }
}

/// `1 error`, `2 errors`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    let number = grouped(&count.to_string());
    format!("{number} {}", if count == 1 { one } else { many })
}

/// `DEPOSIT_NET_MISMATCH` as `Deposit net mismatch`.
pub(super) fn title_of(code: &str) -> String {
    let words = code.to_lowercase().replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A class for the colour, a sign and a word; never the colour alone, as not everyone sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub class: &'static str,
    pub sign: &'static str,
    pub word: &'static str,
}

pub(super) fn verdict(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::NotEvaluated => Mark { class: "untold", sign: "?", word: "not evaluated" },
        Verdict::Discrepancy => Mark { class: "bad", sign: "✕", word: "discrepancy" },
        Verdict::InTransit => Mark { class: "wait", sign: "→", word: "in transit" },
        Verdict::Tied => Mark { class: "good", sign: "✓", word: "tied" },
    }
}

/// The mark of a missed date between others.
pub(super) const NOT_RUN: Mark = Mark { class: "bad", sign: "–", word: "not run" };

pub(super) fn severity(severity: Severity) -> Mark {
    match severity {
        Severity::Error => Mark { class: "bad", sign: "✕", word: "error" },
        Severity::Warning => Mark { class: "warn", sign: "!", word: "warning" },
        Severity::Info => Mark { class: "wait", sign: "i", word: "info" },
    }
}

pub(super) fn status(status: DiscrepancyStatus) -> Mark {
    let class = match status {
        DiscrepancyStatus::New => "bad",
        DiscrepancyStatus::Open => "warn",
        DiscrepancyStatus::Cleared => "good",
    };
    let sign = match status {
        DiscrepancyStatus::New => "+",
        DiscrepancyStatus::Open => "•",
        DiscrepancyStatus::Cleared => "✓",
    };
    Mark { class, sign, word: status.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_spans_as_short_as_they_stay_clear() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let cases = [
            ("2026-11-01", "2026-11-07", "1 to 7 November 2026"),
            ("2026-10-28", "2026-11-03", "28 October to 3 November 2026"),
            ("2025-12-30", "2026-01-02", "30 December 2025 to 2 January 2026"),
            ("2026-11-01", "2026-11-01", "1 November 2026"),
        ];
        for (first, last, shown) in cases {
            assert_eq!(span(date(first), date(last)), shown);
        }
    }

    #[test]
    fn counts_one_and_many() {
        assert_eq!(counted(1, "error", "errors"), "1 error");
        assert_eq!(counted(1_200, "error", "errors"), "1,200 errors");
        assert_eq!(title_of("FUNDS_HELD"), "Funds held");
        assert_eq!(list(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
    }
}
