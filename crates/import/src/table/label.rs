//! The words that distinguish totals, balances and footers from rows. They count only where a cell
//! contains nothing else, except additions such as a date, a number or a count of rows.

use super::cells::trimmed;
use super::vocabulary::plain;

/// In lower case. Longer phrases precede those that they begin with.
const PHRASES: [&str; 74] = [
    "grand totals",
    "grand total",
    "sub totals",
    "sub total",
    "sub-total",
    "subtotals",
    "subtotal",
    "net total",
    "page total",
    "report total",
    "total amount",
    "total credits",
    "total credit",
    "total debits",
    "total debit",
    "total deposits",
    "total withdrawals",
    "total payments",
    "total refunds",
    "total sales",
    "total records",
    "total rows",
    "total transactions",
    "total number of records",
    "total number of transactions",
    "number of records",
    "number of transactions",
    "number of rows",
    "record count",
    "row count",
    "records",
    "rows",
    "transactions",
    "entries",
    "totals",
    "total",
    "gesamtsumme",
    "gesamtbetrag",
    "gesamt",
    "zwischensumme",
    "endsumme",
    "summe",
    "summen",
    "total général",
    "total general",
    "sous-total",
    "somme",
    "suma",
    "razem",
    "totaal",
    "totale",
    "subtotale",
    "totalt",
    "sum",
    "count",
    "anzahl",
    "buchungen",
    "brought forward",
    "carried forward",
    "vortrag",
    "übertrag",
    "report à nouveau",
    "end of report",
    "end of statement",
    "end of file",
    "end of data",
    "end of list",
    "ende",
    "end",
    "eof",
    "page",
    "seite",
    "página",
    "pagina",
];

/// Words that may follow: parts of a date, a count or a currency.
const FOLLOWERS: [&str; 61] = [
    "as",
    "of",
    "at",
    "on",
    "per",
    "for",
    "the",
    "to",
    "from",
    "date",
    "zum",
    "vom",
    "am",
    "au",
    "al",
    "period",
    "records",
    "record",
    "rows",
    "row",
    "items",
    "transactions",
    "entries",
    "lines",
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "usd",
    "cad",
    "eur",
    "gbp",
    "chf",
    "cr",
    "dr",
    "start",
    "end",
    "beginning",
    "in",
    "last",
    "previous",
    "statement",
    "account",
    "month",
    "day",
    "début",
    "fin",
    "période",
    "periodo",
    "von",
    "de",
    "di",
];

const MONTHS: [&str; 11] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The first two letters of the phrases.
static STARTS: [[bool; 128]; 128] = {
    let mut starts = [[false; 128]; 128];
    let mut at = 0;
    while at < PHRASES.len() {
        if let [first @ 0..=127, second @ 0..=127, ..] = *PHRASES[at].as_bytes() {
            starts[first as usize][second as usize] = true;
        }
        at += 1;
    }
    starts
};

/// Checks whether `cell` is such a word.
pub(crate) fn is_label(cell: &str) -> bool {
    is_phrase(cell) || is_balance_phrase(cell)
}

/// Checks whether `cell` is one of the phrases.
fn is_phrase(cell: &str) -> bool {
    let is_ornament = |one: char| matches!(one, '*' | '=' | '-' | '_' | '#' | ':' | '.' | ' ');
    let text = trimmed(cell).trim_matches(is_ornament);
    // Most cells are excluded by their length or their first character.
    if text.is_empty() || text.len() > 80 || !text.starts_with(char::is_alphabetic) {
        return false;
    }
    // Most cells of a large file are excluded by their first two letters.
    if let [first @ 0..=127, second @ 0..=127, ..] = *text.as_bytes() {
        let start = [first.to_ascii_lowercase(), second.to_ascii_lowercase()];
        if !STARTS[usize::from(start[0])][usize::from(start[1])] {
            return false;
        }
    }
    let text = text.to_lowercase();
    PHRASES.iter().filter_map(|phrase| text.strip_prefix(phrase)).any(is_tail)
}

/// Words for totals, in lower case.
const TOTALS: [&str; 12] = [
    "total",
    "totals",
    "subtotal",
    "sub-total",
    "summe",
    "gesamt",
    "zwischensumme",
    "somme",
    "sous-total",
    "suma",
    "totale",
    "totaal",
];

/// Ends and beginnings of words for a balance.
const BALANCES: [&str; 4] = ["balance", "saldo", "solde", "kontostand"];

/// Words of other labels for a balance, in lower case.
const CARRIED: [&str; 4] = ["forward", "vortrag", "übertrag", "report à nouveau"];

/// Words that say which balance it is, without accents.
const WHICH: &str = "\
    opening|closing|beginning|ending|starting|previous|prior|last|new|old|current|available|\
    ledger|running|final|initial|book|statement|account|brought|carried|forward|daily|b|f|c|d|\
    ancien|nouveau|precedent|crediteur|debiteur|comptable|disponible|reporte|compte|\
    anterior|previo|inicial|actual|contable|cuenta|iniziale|finale|contabile|disponibile|\
    precedente|conto|alter|neuer|aktueller|verfugbarer|nieuw|oud|beschikbaar|huidig";

/// Checks whether `cell` is the word for a total with the name of its group, or a mark for one. It
/// is a total only where the row names no record, or the amount beside it is the sum above.
pub(crate) fn is_total_of(cell: &str) -> bool {
    let text = trimmed(cell);
    // `Eindtotaal` and `Gesamtsumme` are compounds.
    let is_total = |word: &str| {
        let end = |total: &str| word.len().checked_sub(total.len()).and_then(|at| word.get(at..));
        TOTALS.iter().any(|total| end(total).is_some_and(|end| end.eq_ignore_ascii_case(total)))
    };
    let ends = |word: Option<&str>| word.is_some_and(is_total);
    if text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let is_mark = text.bytes().all(|byte| byte == b'*');
    is_mark || ends(text.split(' ').next()) || ends(text.rsplit(' ').next())
}

/// Checks whether `cell` is a label for a balance: its word with others that say which one, or of
/// which day.
pub(crate) fn is_balance(cell: &str) -> bool {
    is_balance_phrase(cell)
        || (is_phrase(cell) && {
            let text = cell.to_lowercase();
            CARRIED.iter().any(|word| text.contains(word))
        })
}

fn is_balance_phrase(cell: &str) -> bool {
    let text = trimmed(cell);
    let holds = |word: &&str| {
        text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    let is_text =
        text.len() <= 80 && text.starts_with(|one: char| one.is_alphabetic() || one == '*');
    if !is_text || !BALANCES.iter().any(holds) {
        return false;
    }
    let text = plain(text);
    let is_balance =
        |word: &str| BALANCES.iter().any(|end| word.starts_with(end) || word.ends_with(end));
    let is_addition = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            || WHICH.split('|').any(|known| known == word)
            || FOLLOWERS.contains(&word)
            || MONTHS.contains(&word)
    };
    text.split(' ').any(is_balance)
        && text.split(' ').all(|word| is_balance(word) || is_addition(word))
}

/// Checks that only permitted additions follow the word.
fn is_tail(tail: &str) -> bool {
    if tail.is_empty() {
        return true;
    }
    // `Total-7` is an invoice, and `Totalis` a customer.
    if !tail.starts_with([':', ' ', '(', '\t', ',']) {
        return false;
    }
    let mut words = tail.split(|one: char| !one.is_alphabetic()).filter(|word| !word.is_empty());
    words.all(|word| FOLLOWERS.contains(&word) || MONTHS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_totals_and_no_customer_by_them() {
        let labels = [
            "Total",
            "TOTAL:",
            "Grand Total",
            "Summe: 1",
            "Total (12 records)",
            "*** End ***",
            "Beginning balance as of 11/02/2026",
            "Closing balance 1,234.50 USD",
            "Saldo",
            "Total: 3 Nov 2026",
            "End of statement",
            "Page 1 of 3",
            "SOLDE PRECEDENT",
            "Saldo contabile finale",
            "Previous statement balance",
            "New balance on 30 Nov",
            "Eröffnungssaldo",
            "Saldovortrag",
            "Seite 2 von 3",
        ];
        for label in labels {
            assert!(is_label(label), "{label}");
        }
        let others = [
            "Total-7",
            "Total Wine & More",
            "Totalis",
            "INV Total",
            "",
            "12.50",
            "Balance Gym",
            "New Balance Shoes",
            "Account transfer",
            "Endurance",
            "Page Plumbing",
            "Summers, J",
        ];
        for other in others {
            assert!(!is_label(other), "{other}");
        }
    }
}
