//! Identifies columns by their headers and their content.

use std::collections::BTreeSet;

use chrono_tz::Tz;

use super::content::by_content;
use super::head::{Head, is_date};
use super::names::{self, Names, is_called};
use crate::bank::names_originator;
use crate::table::{
    AmountReader, Book, MoneyIn, excerpt, formats_of, is_label, names_state, ours, plain,
};
use tieout_config::TableSettings;
use tieout_model::money::{Currency, Minor};

/// Separators of decimals and thousands, in order of how often files use them.
const SEPARATORS: [(char, char); 4] = [('.', ','), (',', '.'), (',', ' '), ('.', '\'')];

/// The settings found in a head.
pub(super) struct Found {
    pub columns: Vec<(&'static str, usize)>,
    pub decimal: char,
    pub thousands: char,
    pub date_format: Option<&'static str>,
    /// Several formats when they read the dates as different days.
    pub formats: Vec<&'static str>,
    pub times_in: Option<Tz>,
    pub doubts: Vec<String>,
}

/// A column with more different texts is not a column of states.
const MAX_STATES: usize = 12;

/// The columns of a head, with their formats. `originators` name the processor on a statement.
pub(super) fn columns_of(head: &Head, book: Book, originators: &[String]) -> Found {
    let names = if book == Book::Bank { names::BANK } else { names::LEDGER };
    let mut columns = by_name(head, names, book);
    let mut doubts = Vec::new();
    if !head.has_header {
        columns.clear();
        let doubt = "columns: the file has no header, and they are recognized by their content";
        doubts.push(doubt.to_owned());
    }
    let needed = if book == Book::Bank { ["date", "description"] } else { ["id", "date"] };
    let has = |columns: &[(&str, usize)], wanted: &str| columns.iter().any(|one| one.0 == wanted);
    let has_all = |columns: &[(&str, usize)]| {
        needed.iter().all(|key| has(columns, key))
            && (has(columns, "amount") || has(columns, "debit"))
    };
    if !has_all(&columns) {
        let told = by_content(head, book, &columns);
        for (key, at) in told.columns {
            if head.has_header {
                let header = excerpt(&head.name(at));
                let why = match key {
                    "description" => "has the longest texts",
                    "date" => "holds dates",
                    "id" => "differs in each row",
                    _ => "holds amounts",
                };
                doubts.push(format!("columns.{key}: no header is known for it; {header} {why}"));
            }
            columns.push((key, at));
        }
        doubts.extend(told.doubts);
    }
    for needed in needed {
        if !has(&columns, needed) {
            doubts.push(format!("columns.{needed}: no header is known for it"));
        }
    }
    if !has(&columns, "amount") && !has(&columns, "debit") {
        doubts.push("columns.amount: no header is known for it".to_owned());
    }
    doubts.extend(take_named(head, originators, &mut columns));
    doubts.extend(repeated(head, book, &columns));
    doubts.extend(reversed(head, book, &columns));
    let at = |wanted: &str| columns.iter().find(|(key, _)| *key == wanted).map(|(_, at)| *at);
    let mut found = Found {
        decimal: '.',
        thousands: ',',
        date_format: None,
        formats: Vec::new(),
        times_in: None,
        doubts,
        columns: columns.clone(),
    };
    found.take_separators(head, &columns);
    if let Some(at) = at("date").filter(|_| !head.rows.is_empty()) {
        found.take_dates(head, at);
    }
    found
}

/// The columns that their headers name: those that exports are known by, then those with a word
/// for the key.
fn by_name(head: &Head, names: Names, book: Book) -> Vec<(&'static str, usize)> {
    let headers: Vec<String> = head.headers.iter().map(|header| plain(header)).collect();
    let stands_once =
        |at: &usize| headers.iter().filter(|header| **header == headers[*at]).count() == 1;
    let mut columns: Vec<(&'static str, usize)> = Vec::new();
    let is_shop = headers.iter().any(|header| header == "lineitem name");
    for (key, known) in names {
        let is_free = |at: &usize| columns.iter().all(|(_, taken)| taken != at) && stands_once(at);
        let is_one = |at: &usize| is_free(at) && fits(head, key, *at, book);
        let find =
            |name: &&str| headers.iter().position(|header| header == name).filter(|at| is_one(at));
        let mut found = known.iter().find_map(&find);
        // A shop's own order number is in its name column.
        if *key == "id" && is_shop {
            found = find(&"name").or(found);
        }
        let by_word =
            || (0..headers.len()).find(|at| is_called(key, &headers[*at], book) && is_one(at));
        columns.extend(found.or_else(by_word).map(|at| (*key, at)));
    }
    // With money in two columns, a third one repeats it or does not exist.
    let has = |wanted: &str| columns.iter().any(|(key, _)| *key == wanted);
    let is_split = has("debit") && has("credit");
    let is_whole = columns.iter().find(|(key, _)| *key == "amount").is_some_and(|(_, at)| {
        head.column(*at).len() * 10 >= head.rows.len() * 6 && !(is_split && book == Book::Ledger)
    });
    let dropped: &[&str] = match (is_split, is_whole) {
        (true, false) => &["amount"],
        _ if has("amount") => &["debit", "credit"],
        _ => &[],
    };
    columns.retain(|(key, _)| !dropped.contains(key));
    columns
}

/// Checks whether the content of a column fits `key`.
fn fits(head: &Head, key: &str, at: usize, book: Book) -> bool {
    let cells = head.column(at);
    let most = |is_one: &dyn Fn(&str) -> bool| {
        let count = cells.iter().filter(|cell| is_one(cell)).count();
        !cells.is_empty() && count * 2 > cells.len()
    };
    if head.rows.is_empty() {
        return true;
    }
    match key {
        // Headings and totals of groups are in the column of dates.
        "date" => {
            let dates = cells.iter().filter(|cell| is_date(cell)).count();
            let has_digit = |cell: &&str| cell.contains(|one: char| one.is_ascii_digit());
            let are_words = || cells.iter().filter(|cell| has_digit(cell)).count() == dates;
            dates > 0 && (dates * 3 >= cells.len() || are_words())
        }
        "amount" | "debit" | "credit" => {
            cells.is_empty() && key != "amount"
                || most(&|cell| cell.contains(|one: char| one.is_ascii_digit()))
        }
        "refund" => most(&|cell| cell.contains(|one: char| one.is_ascii_digit()) && !is_date(cell)),
        "kind" | "status" => {
            let header = &head.headers[at];
            let words: BTreeSet<&str> = cells.iter().copied().collect();
            let known = words.iter().filter(|word| ours(book, key, header, word).is_some()).count();
            (known > 0 && known * 2 >= words.len())
                || (key == "status" && names_state(header) && words.len() <= MAX_STATES)
        }
        // The accounts of others differ from row to row.
        "account" => {
            let accounts: BTreeSet<&str> = cells.iter().copied().collect();
            accounts.len() == 1 || (accounts.len() > 1 && accounts.len() * 2 <= cells.len())
        }
        "last4" => {
            most(&|cell| cell.len() <= 20 && cell.ends_with(|one: char| one.is_ascii_digit()))
        }
        "currency" => most(&|cell| Currency::from_code(&cell.to_ascii_uppercase()).is_some()),
        "id" => most(&|cell| cell.contains(|one: char| one.is_ascii_digit())),
        _ => !cells.is_empty(),
    }
}

/// Takes the column that names the processor as the description; a doubt where none does.
fn take_named(
    head: &Head,
    originators: &[String],
    columns: &mut Vec<(&'static str, usize)>,
) -> Option<String> {
    if originators.is_empty() {
        return None;
    }
    let names =
        |at: usize| head.column(at).into_iter().any(|cell| names_originator(cell, originators));
    let described = columns.iter().position(|(key, _)| *key == "description")?;
    if names(columns[described].1) {
        return None;
    }
    let is_free = |at: &usize| columns.iter().all(|(_, taken)| taken != at);
    match (0..head.headers.len()).filter(is_free).find(|at| names(*at)) {
        Some(at) => columns[described].1 = at,
        None => return Some("originators: no line of the file names one of them".to_owned()),
    }
    None
}

/// A doubt about amounts that are mostly below zero: each is a refund.
fn reversed(head: &Head, book: Book, columns: &[(&'static str, usize)]) -> Option<String> {
    // A column of kinds decides before any sign.
    let has_kind = columns.iter().any(|(key, _)| *key == "kind");
    let (_, at) = columns.iter().find(|(key, _)| *key == "amount")?;
    let cells = head.column(*at);
    let below = cells.iter().filter(|cell| cell.contains(['-', '('])).count();
    (book == Book::Ledger && !has_kind && below * 2 > cells.len()).then(|| {
        "reversed_sign: most amounts are below zero, and are read as refunds; set it to true where \
         a payment is below zero"
            .to_owned()
    })
}

/// A doubt about ids that repeat with an amount: lines of one order, each with its total.
fn repeated(head: &Head, book: Book, columns: &[(&'static str, usize)]) -> Option<String> {
    let at = |wanted: &str| columns.iter().find(|(key, _)| *key == wanted).map(|(_, at)| *at);
    let (id, amount) = (at("id").filter(|_| book == Book::Ledger)?, at("amount")?);
    let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let pair = |row: &Vec<String>| (cell(row, id), cell(row, amount));
    let rows =
        head.rows.iter().map(pair).filter(|(id, amount)| !id.is_empty() && !amount.is_empty());
    let mut seen = BTreeSet::new();
    let (id, amount) = rows.into_iter().find(|row| !seen.insert(row.clone()))?;
    let (id, amount) = (excerpt(&id), excerpt(&amount));
    Some(format!(
        "columns.id: {id} stands twice with {amount}: each row is a record of its own, also a \
         further line of one order"
    ))
}

impl Found {
    /// Finds the separators that read every amount.
    fn take_separators(&mut self, head: &Head, columns: &[(&'static str, usize)]) {
        let keys = ["amount", "debit", "credit", "refund"];
        let of_amounts = columns.iter().filter(|(key, _)| keys.contains(key));
        let cells: Vec<&str> = of_amounts.flat_map(|(_, at)| head.column(*at)).collect();
        let cells: Vec<&str> = cells
            .into_iter()
            .filter(|cell| cell.contains(|one: char| one.is_ascii_digit()))
            .collect();
        let Some(usd) = Currency::from_code("USD") else { return };
        let read = |(decimal, thousands): (char, char)| {
            let settings = TableSettings { decimal, thousands, ..TableSettings::default() };
            let reader = AmountReader::new(&settings, MoneyIn::Credit);
            let figures = |cell: &&str| -> String {
                cell.chars()
                    .filter(|one| one.is_ascii_digit() || ".,' \u{a0}\u{202f}-".contains(*one))
                    .collect()
            };
            let read = |cell: &&str| {
                let amount = reader.read(figures(cell).trim(), crate::table::CellKind::Text, usd);
                amount.ok().flatten()
            };
            cells.iter().map(read).collect::<Option<Vec<Minor>>>()
        };
        let mut fitting = SEPARATORS.into_iter().filter_map(|one| Some((one, read(one)?)));
        let Some(((decimal, thousands), amounts)) = fitting.next() else {
            if let Some(cell) = cells.first() {
                self.doubts.push(format!(
                    "decimal: no separators read all amounts, such as {}",
                    excerpt(cell)
                ));
            }
            return;
        };
        if let Some((other, _)) = fitting.find(|(_, others)| *others != amounts) {
            let doubt = format!(
                "decimal: the amounts can be read with \"{decimal}\" and with \"{}\", and the \
                 file does not show which is meant",
                other.0
            );
            self.doubts.push(doubt);
        }
        (self.decimal, self.thousands) = (decimal, thousands);
    }

    /// Finds the format that reads every date; when several differ, none is chosen and the doubt is
    /// reported.
    fn take_dates(&mut self, head: &Head, at: usize) {
        let cells: Vec<&str> =
            head.column(at).into_iter().filter(|cell| is_date(cell) && !is_label(cell)).collect();
        let formats = formats_of(&cells);
        match formats.as_slice() {
            [] => {
                let example =
                    cells.first().map_or_else(|| "nothing".to_owned(), |cell| excerpt(cell));
                self.doubts
                    .push(format!("date_format: no format reads all dates, such as {example}"));
            }
            [only] => self.date_format = Some(only),
            several => {
                let example = cells.first().map_or("", |cell| cell);
                let doubt = format!(
                    "date_format: {example} can be read in {} ways, and the file does not show \
                     which is meant; take one of the lines above",
                    several.len()
                );
                self.doubts.push(doubt);
                self.formats = formats;
            }
        }
        let header = plain(&head.headers[at]);
        let says_utc = header.split(' ').any(|word| matches!(word, "utc" | "gmt"));
        let names_zone = |format: &str| {
            format.contains("%z") || format.contains("%#z") || format.contains("UTC")
        };
        if says_utc && !self.date_format.is_some_and(names_zone) {
            self.times_in = Some(Tz::UTC);
        }
    }
}
