//! Finds unmapped columns that change the meaning of rows. Without them a refund would be read as a
//! payment, a debit as a credit, and a pending row as booked.

use std::collections::{BTreeSet, HashMap};

use super::TableError;
use super::cells::Cells;
use super::columns::Columns;
use super::formats::formats_of;
use super::vocabulary::{
    Book, Says, is_of_another_thing, movement, names_direction, names_given_back, names_kind,
    names_state, standing,
};

/// A column with more different texts is not a column of words.
const MAX_TEXTS: usize = 64;

/// A column with more different texts is not a column of states.
const MAX_STATES: usize = 12;

/// Words that a message lists.
const MAX_WORDS_SHOWN: usize = 8;

/// A column that may be one of these.
struct Candidate {
    at: usize,
    key: &'static str,
    /// The meaning of each of its texts.
    texts: HashMap<String, Option<Says>>,
    last: (String, Option<Says>),
    filled: u64,
    said: u64,
    /// Whether its header names the key, so that one word is enough.
    is_named: bool,
    /// Number of rows whose reading it would change.
    changed: u64,
    maybe_out: u64,
    has_in: bool,
}

/// The meanings in the unmapped columns of a table.
pub(crate) struct Unmapped {
    book: Book,
    headers: Vec<String>,
    candidates: Vec<Candidate>,
    has_negative: bool,
}

impl Unmapped {
    pub(crate) fn of(columns: &Columns, book: Book) -> Self {
        let (way, is_way_open) = match book {
            Book::Bank => ("direction", columns.direction.is_none() && columns.amount.is_some()),
            Book::Ledger => ("kind", columns.kind.is_none()),
        };
        let is_refund_open = book == Book::Ledger && columns.refund.is_none();
        let open = [
            (way, is_way_open),
            ("status", columns.status.is_none()),
            ("refund", is_refund_open && columns.amount.is_some()),
        ];
        let headers = columns.headers.iter().enumerate();
        let candidates = headers
            .filter(|(at, header)| columns.is_free(*at) && !is_of_another_thing(header))
            .flat_map(|(at, _)| open.map(|(key, is_open)| (at, key, is_open)))
            .filter(|(_, _, is_open)| *is_open)
            .filter(|(at, key, _)| *key != "refund" || names_given_back(&columns.headers[*at]))
            .map(|(at, key, _)| Candidate {
                at,
                key,
                is_named: columns.has_header && is_named(key, &columns.headers[at]),
                texts: HashMap::new(),
                last: (String::new(), None),
                filled: 0,
                said: 0,
                changed: 0,
                maybe_out: 0,
                has_in: false,
            })
            .collect();
        let headers = if columns.has_header { columns.headers.clone() } else { Vec::new() };
        Self { book, headers, candidates, has_negative: false }
    }

    /// Notes a row; `is_in` is the direction in which it was read, `None` for a row that was not
    /// read.
    pub(crate) fn look_at(&mut self, cells: &Cells, is_in: Option<bool>) {
        self.has_negative |= is_in == Some(false);
        let (book, headers) = (self.book, &self.headers);
        self.candidates.retain_mut(|candidate| {
            let header = headers.get(candidate.at).map_or("", String::as_str);
            candidate.note(book, header, cells.get(candidate.at), is_in)
        });
    }

    /// Notes on columns that change nothing.
    ///
    /// # Errors
    /// When a column would change how rows are read.
    pub(crate) fn check(self) -> Result<Vec<String>, TableError> {
        let mut notes = Vec::new();
        for found in &self.candidates {
            let is_unknown = found.is_unknown(self.has_negative);
            let is_word = found.said * 2 > found.filled || (found.is_named && found.changed > 0);
            if !is_word && !is_unknown {
                continue;
            }
            let words: BTreeSet<&str> = found
                .texts
                .iter()
                .filter_map(|(text, said)| (is_unknown || said.is_some()).then_some(text.as_str()))
                .collect();
            // A dash beside amounts with their own signs means nothing.
            if self.has_negative && words.iter().all(|word| is_dash(word)) {
                continue;
            }
            let words: Vec<&str> = words.into_iter().take(MAX_WORDS_SHOWN).collect();
            let number = || (found.at + 1).to_string();
            let header = self.headers.get(found.at).cloned().unwrap_or_else(number);
            let (words, key) = (words.join(", "), found.key);
            if key == "refund" && found.changed == 0 {
                continue;
            }
            let is_all_out = found.maybe_out > 0 && found.has_in && !self.has_negative;
            if found.changed > 0 || is_all_out || is_unknown {
                return Err(TableError::ColumnNotMapped { header, words, key });
            }
            if found.maybe_out == found.said {
                continue;
            }
            notes.push(format!(
                "column \"{header}\" holds {words}, which changes nothing and is not mapped"
            ));
        }
        Ok(notes)
    }
}

impl Candidate {
    /// Notes a cell; returns whether the column may still be one of these.
    fn note(&mut self, book: Book, header: &str, cell: &str, is_in: Option<bool>) -> bool {
        if cell.is_empty() {
            return true;
        }
        if self.last.0 != cell {
            let said = match self.texts.get(cell) {
                Some(said) => *said,
                None => self.learn(book, header, cell),
            };
            cell.clone_into(&mut self.last.0);
            self.last.1 = said;
        }
        self.filled += 1;
        let Some(said) = self.last.1 else { return self.texts.len() <= MAX_TEXTS };
        self.said += 1;
        self.has_in |= said == Says::In;
        match (said, is_in) {
            (_, None) | (Says::Done, Some(_)) => {}
            (Says::In, Some(is_in)) => self.changed += u64::from(!is_in),
            (Says::Out, Some(is_in)) => self.changed += u64::from(is_in),
            (Says::MaybeOut, Some(is_in)) => self.maybe_out += u64::from(is_in),
            (Says::Elsewhere | Says::NotDone(_), Some(_)) => self.changed += 1,
        }
        true
    }

    /// Whether its header names a state or a direction and some of its words are unknown: the
    /// column may change rows. The signs of amounts take precedence over an unknown direction.
    fn is_unknown(&self, has_negative: bool) -> bool {
        let is_code = |text: &String| text.chars().count() <= 3;
        let is_open = match self.key {
            "direction" => !has_negative,
            "status" => !self.texts.keys().all(is_code),
            _ => false,
        };
        let unknown = self.texts.values().filter(|said| said.is_none()).count();
        self.is_named && is_open && unknown > 0 && (2..=MAX_STATES).contains(&self.texts.len())
    }

    fn learn(&mut self, book: Book, header: &str, cell: &str) -> Option<Says> {
        let said = match self.key {
            "refund" => refunded(cell),
            "status" => standing(book, header, cell),
            _ => movement(book, header, cell),
        };
        if self.texts.len() <= MAX_TEXTS {
            self.texts.insert(cell.to_owned(), said);
        }
        said
    }
}

fn is_dash(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|one| matches!(one, '-' | '\u{2013}' | '\u{2212}'))
}

/// Whether a header names the meaning of a column of `key`.
fn is_named(key: &str, header: &str) -> bool {
    match key {
        "direction" => names_direction(header),
        "kind" => names_direction(header) || names_kind(header),
        "status" => names_state(header),
        _ => false,
    }
}

/// The meaning of a cell in a column of refunds: zero or a refunded amount.
fn refunded(cell: &str) -> Option<Says> {
    let is_amount = cell.contains(|one: char| one.is_ascii_digit())
        && !cell.contains(|one: char| one.is_alphabetic() || matches!(one, '/' | ':'))
        && formats_of(&[cell]).is_empty();
    let is_zero = !cell.contains(|one: char| matches!(one, '1'..='9'));
    is_amount.then_some(if is_zero { Says::Done } else { Says::NotDone("refund") })
}
