//! The meaning of cells and headers: kinds, states and directions in words, of which the
//! lexicon holds the lists.

use super::lexicon::{
    BOOKED, CREDIT, DEBIT, DECLINED, DIRECTIONS, GIVEN_BACK, KINDS, MAYBE_OUT, MONEY_IN, MONEY_OUT,
    NEGATIONS, NO, OTHER_KINDS, OTHER_THINGS, PAID, PAYMENTS, PENDING, REFUNDED, REFUNDS, RETURNED,
    STATES, THINGS, VOID, WAITING, Words, YES,
};

/// The owner of a table: debit and credit have opposite meanings in a merchant's books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Book {
    Bank,
    Ledger,
}

/// The meaning of a word for its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Money received.
    In,
    /// Money given back or paid out.
    Out,
    /// A word for both directions: it means outgoing money where other words of the column mean
    /// incoming.
    MaybeOut,
    /// Neither a payment nor a refund.
    Elsewhere,
    /// Paid, or booked.
    Done,
    /// Not paid, or not booked; with the standard word for it in a ledger.
    NotDone(&'static str),
}

fn has(words: Words, text: &str) -> bool {
    !text.is_empty() && words.split('|').any(|word| word == text)
}

/// A text with more words is a sentence.
const MAX_WORDS: usize = 4;

/// `text` in lower case without accents, with one space for each run of other characters.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.trim().chars().flat_map(char::to_lowercase) {
        match base(letter) {
            Some(letter) => plain.push(letter),
            None if letter == 'ß' => plain.push_str("ss"),
            None if plain.is_empty() || plain.ends_with(' ') => {}
            None => plain.push(' '),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// The letter without its accent.
fn base(letter: char) -> Option<char> {
    const ACCENTED: [(&str, char); 12] = [
        ("àáâäãåą", 'a'),
        ("çćč", 'c'),
        ("èéêëęě", 'e'),
        ("ìíîï", 'i'),
        ("ł", 'l'),
        ("ñń", 'n'),
        ("òóôöõø", 'o'),
        ("śš", 's'),
        ("ùúûüů", 'u'),
        ("ýÿ", 'y'),
        ("źżž", 'z'),
        ("ř", 'r'),
    ];
    if letter.is_alphanumeric() && letter != 'ß' {
        let known = ACCENTED.iter().find(|(accented, _)| accented.contains(letter));
        return Some(known.map_or(letter, |(_, base)| *base));
    }
    None
}

/// The meaning of a cell for the money: its direction, or its kind in a ledger.
pub(crate) fn movement(book: Book, header: &str, cell: &str) -> Option<Says> {
    let sign = match cell.trim() {
        "+" => Some(Says::In),
        "-" | "\u{2212}" => Some(Says::Out),
        _ => None,
    };
    if sign.is_some() {
        return sign.filter(|_| is_direction(header));
    }
    let word = plain(cell);
    let is_letter = word.len() == 1;
    if word.is_empty() || (is_letter && book == Book::Ledger && !is_direction(header)) {
        return None;
    }
    // `A` and `D`: avere and dare.
    if word == "a" && is_direction(header) {
        return Some(if book == Book::Bank { Says::In } else { Says::Out });
    }
    let said = yes_or_no(&word).filter(|_| book == Book::Ledger && !is_direction(header));
    if let Some(is_so) = said {
        let header = plain(header);
        let names_refund = says(&header, REFUNDS) && state_of(book, &header).is_none();
        return names_refund.then_some(if is_so { Says::Out } else { Says::In });
    }
    let says = |words| says(&word, words);
    if book == Book::Ledger {
        for (words, said) in
            [(REFUNDS, Says::Out), (OTHER_KINDS, Says::Elsewhere), (PAYMENTS, Says::In)]
        {
            if says(words) {
                return Some(said);
            }
        }
    }
    // Credit and debit can also be kinds of cards.
    let is_of_card = ["card", "karte", "carte", "tarjeta"].iter().any(|card| word.contains(card));
    let is_way = !is_of_card && !plain(header).ends_with("payment type");
    let (owed, owing) = match book {
        Book::Bank => (CREDIT, DEBIT),
        Book::Ledger => (DEBIT, CREDIT),
    };
    match (says(owed) || says(MONEY_IN), says(owing) || says(MONEY_OUT)) {
        (true, false) if is_way => Some(Says::In),
        (false, true) if is_way => Some(Says::Out),
        (false, false) if book == Book::Bank && says(MAYBE_OUT) => Some(Says::MaybeOut),
        _ => None,
    }
}

/// The meaning of a cell for the state of its row: a word, or yes or no under a header that names
/// a state (`Voided`, `Posted`).
pub(crate) fn standing(book: Book, header: &str, cell: &str) -> Option<Says> {
    let word = plain(cell);
    let Some(is_so) = yes_or_no(&word) else { return state_of(book, &word) };
    let state = state_of(book, &plain(header))?;
    Some(match (state == Says::Done, is_so) {
        (true, true) | (false, false) => Says::Done,
        (true, false) => waiting(book),
        (false, true) => state,
    })
}

fn yes_or_no(word: &str) -> Option<bool> {
    if has(YES, word) { Some(true) } else { has(NO, word).then_some(false) }
}

/// The meaning of a state that has not been reached.
fn waiting(book: Book) -> Says {
    Says::NotDone(if book == Book::Bank { "pending" } else { "ignore" })
}

/// The state that a text names, as a whole or with one of its words.
fn state_of(book: Book, text: &str) -> Option<Says> {
    exact_state(book, text).or_else(|| {
        let (done, others) = states(book).split_first()?;
        let is_negated = text.split(' ').next().is_some_and(|first| has(NEGATIONS, first));
        if is_negated && says(text, done.0) {
            return Some(waiting(book));
        }
        // `Payment failed` has a word for done and one for failed: the failure counts.
        let found = others.iter().chain([done]).find(|(words, _)| says(text, words));
        found.map(|(_, said)| *said)
    })
}

fn exact_state(book: Book, word: &str) -> Option<Says> {
    states(book).iter().find(|(words, _)| has(words, word)).map(|(_, said)| *said)
}

/// The states of a row, the one that counts first.
fn states(book: Book) -> &'static [(Words, Says)] {
    match book {
        Book::Bank => &[
            (BOOKED, Says::Done),
            (PENDING, Says::NotDone("pending")),
            (VOID, Says::NotDone("ignore")),
            (DECLINED, Says::NotDone("ignore")),
        ],
        Book::Ledger => &[
            (PAID, Says::Done),
            (VOID, Says::NotDone("void")),
            (DECLINED, Says::NotDone("declined")),
            (RETURNED, Says::NotDone("returned")),
            (REFUNDED, Says::NotDone("ignore")),
            (WAITING, Says::NotDone("ignore")),
        ],
    }
}

/// The standard word for a cell in a column of `key`, as in `values`; `None` for an unknown word.
pub(crate) fn ours(book: Book, key: &str, header: &str, cell: &str) -> Option<&'static str> {
    Some(match (key, book) {
        ("status", _) => match (standing(book, header, cell)?, book) {
            (Says::Done, Book::Bank) => "booked",
            (Says::Done, Book::Ledger) => "paid",
            (Says::NotDone(word), _) => word,
            _ => return None,
        },
        (_, Book::Bank) => match movement(book, header, cell)? {
            Says::In => "credit",
            Says::Out | Says::MaybeOut => "debit",
            _ => return None,
        },
        (_, Book::Ledger) => match movement(book, header, cell) {
            Some(Says::In) => "payment",
            Some(Says::Out) => "refund",
            Some(Says::Elsewhere) => "ignore",
            // Authorizations and voids among the kinds.
            None if matches!(exact_state(book, &plain(cell)), Some(Says::NotDone(_))) => "ignore",
            _ => return None,
        },
    })
}

/// The state of a row on a bank's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Booking {
    Booked,
    /// Not booked yet: the day is not over.
    Pending,
    /// Reversed or declined: it will never be booked.
    Dropped,
}

/// The meaning of a cell in a column of states on a bank's table.
pub(crate) fn booking(header: &str, cell: &str) -> Option<Booking> {
    Some(match standing(Book::Bank, header, cell)? {
        Says::NotDone("pending") => Booking::Pending,
        Says::NotDone(_) => Booking::Dropped,
        _ => Booking::Booked,
    })
}

/// Whether a cell of any column is a bank's word for a row that is not booked.
pub(crate) fn is_not_booked(cell: &str) -> bool {
    cell.starts_with(char::is_alphabetic)
        && matches!(exact_state(Book::Bank, &plain(cell)), Some(Says::NotDone(_)))
}

/// Whether a header names an amount given back.
pub(crate) fn names_given_back(header: &str) -> bool {
    plain(header).split(' ').any(|word| GIVEN_BACK.iter().any(|stem| word.starts_with(stem)))
}

/// Whether a header names the state of a row.
pub(crate) fn names_state(header: &str) -> bool {
    names(header, |word| word.ends_with("status") || has(STATES, word))
}

/// Whether a header names the kind of a row.
pub(crate) fn names_kind(header: &str) -> bool {
    names(header, |word| has(KINDS, word))
}

/// Whether a header is such a word, alone or beside the thing that it is said of.
fn names(header: &str, is_name: impl Fn(&str) -> bool) -> bool {
    let header = plain(header);
    header.split(' ').any(&is_name)
        && header.split(' ').all(|word| is_name(word) || has(THINGS, word))
}

/// Whether a header names the direction of money.
pub(crate) fn names_direction(header: &str) -> bool {
    is_direction(header) && !matches!(plain(header).as_str(), "" | "type" | "typ")
}

/// Checks whether a column with that header is about another thing.
pub(crate) fn is_of_another_thing(header: &str) -> bool {
    plain(header).split(' ').any(|word| has(OTHER_THINGS, word))
}

fn is_direction(header: &str) -> bool {
    let header = plain(header);
    header.is_empty()
        || header.split(' ').any(|word| has(DIRECTIONS, word))
        || matches!(header.as_str(), "s h" | "h s" | "d c" | "c d" | "type" | "typ")
}

/// Checks whether a short text is one of `words`, or contains one of more than two letters.
fn says(text: &str, words: Words) -> bool {
    if has(words, text) {
        return true;
    }
    let spaced = format!(" {text} ");
    text.contains(' ')
        && text.matches(' ').count() < MAX_WORDS
        && words.split('|').any(|word| word.len() > 2 && spaced.contains(&format!(" {word} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_words_in_every_language_that_is_read() {
        let bank = [
            ("Débit", Some(Says::Out)),
            ("ACH_CREDIT", Some(Says::In)),
            ("Money in", Some(Says::In)),
            ("Lastschrift", Some(Says::Out)),
            ("Abono", Some(Says::In)),
            ("Cargo", Some(Says::Out)),
            ("Soll", Some(Says::Out)),
            ("Payment", Some(Says::MaybeOut)),
            ("Credit card", None),
            ("Rent", None),
        ];
        for (cell, expected) in bank {
            assert_eq!(movement(Book::Bank, "Type", cell), expected, "{cell}");
        }
        let ledger = [
            ("Remboursement", Some(Says::Out)),
            ("Payment Refund", Some(Says::Out)),
            ("Rückerstattung", Some(Says::Out)),
            ("charge", Some(Says::In)),
            ("Payout", Some(Says::Elsewhere)),
            ("Haben", Some(Says::Out)),
            ("Mug", None),
        ];
        for (cell, expected) in ledger {
            assert_eq!(movement(Book::Ledger, "Type", cell), expected, "{cell}");
        }
        assert_eq!(movement(Book::Ledger, "Class", "S"), None);
        let kinds = [("Inkomend", Says::In), ("Uitgaand", Says::Out), ("Entrate", Says::In)];
        for (cell, expected) in kinds {
            assert_eq!(movement(Book::Bank, "Tipo", cell), Some(expected), "{cell}");
        }
        assert_eq!(movement(Book::Bank, "Segno", "A"), Some(Says::In));
        assert_eq!(movement(Book::Ledger, "Is refund", "true"), Some(Says::Out));
        assert!(is_of_another_thing("Card Type") && !is_of_another_thing("Type"));
    }

    #[test]
    fn knows_states_within_a_few_words_and_by_yes_and_no() {
        let ledger = [
            ("Status", "Annulé", Some(Says::NotDone("void"))),
            ("Status", "bezahlt", Some(Says::Done)),
            ("Status", "wc-cancelled", Some(Says::NotDone("void"))),
            ("Status", "wc-completed", Some(Says::Done)),
            ("Status", "Partially refunded", Some(Says::Done)),
            ("Status", "Payment failed", Some(Says::NotDone("declined"))),
            ("Status", "Not paid", Some(Says::NotDone("ignore"))),
            ("Voided", "Yes", Some(Says::NotDone("void"))),
            ("Voided", "No", Some(Says::Done)),
            ("Captured", "false", Some(Says::NotDone("ignore"))),
            ("Gift", "yes", None),
            ("Status", "Mug", None),
        ];
        for (header, cell, expected) in ledger {
            assert_eq!(standing(Book::Ledger, header, cell), expected, "{header} {cell}");
        }
        let bank = [
            ("Info", "Umsatz vorgemerkt", Some(Booking::Pending)),
            ("Info", "Umsatz gebucht", Some(Booking::Booked)),
            ("Statut", "En attente de comptabilisation", Some(Booking::Pending)),
            ("Status", "Not posted", Some(Booking::Pending)),
            ("Stato", "Non contabilizzato", Some(Booking::Pending)),
            ("Posted", "N", Some(Booking::Pending)),
            ("State", "REVERTED", Some(Booking::Dropped)),
        ];
        for (header, cell, expected) in bank {
            assert_eq!(booking(header, cell), expected, "{header} {cell}");
        }
        let states = ["Status", "Bestellstatus", "Order state", "Estado del pedido"];
        assert!(states.into_iter().all(names_state));
        assert!(!names_state("Billing State") && !names_state("Tax status"));
        assert!(names_given_back("Erstattungsbetrag") && names_given_back("Montant remboursé"));
    }
}
