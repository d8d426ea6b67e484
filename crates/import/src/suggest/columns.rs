//! Identifies columns by their headers and their content.

use std::collections::BTreeSet;

use chrono_tz::Tz;

use super::head::{Head, is_date};
use super::names::{self, Names};
use crate::table::{AmountReader, Book, MoneyIn, excerpt, formats_of, is_label, ours, plain};
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

/// The columns of a head, with the formats of their cells.
pub(super) fn columns_of(head: &Head, book: Book) -> Found {
    let names = if book == Book::Bank { names::BANK } else { names::LEDGER };
    let mut columns = by_name(head, names, book);
    let mut doubts = Vec::new();
    if !head.has_header {
        columns = by_content(head, book, &[]);
        let doubt = "columns: the file has no header, and they are told by what stands in them";
        doubts.push(doubt.to_owned());
    } else if book == Book::Bank {
        for (key, at) in by_content(head, book, &columns) {
            let header = excerpt(&head.name(at));
            let why = match key {
                "description" => "has the longest texts",
                "date" => "holds dates",
                _ => "holds amounts",
            };
            doubts.push(format!("columns.{key}: no header is known for it; {header} {why}"));
            columns.push((key, at));
        }
    }
    for needed in if book == Book::Bank { ["date", "description"] } else { ["id", "date"] } {
        if !columns.iter().any(|(key, _)| *key == needed) {
            doubts.push(format!("columns.{needed}: no header is known for it"));
        }
    }
    if !columns.iter().any(|(key, _)| matches!(*key, "amount" | "debit")) {
        doubts.push("columns.amount: no header is known for it".to_owned());
    }
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
    if let Some(at) = at("date") {
        found.take_dates(head, at);
    }
    found
}

fn by_name(head: &Head, names: Names, book: Book) -> Vec<(&'static str, usize)> {
    let headers: Vec<String> = head.headers.iter().map(|header| plain(header)).collect();
    let mut columns: Vec<(&'static str, usize)> = Vec::new();
    let is_shop = headers.iter().any(|header| header == "lineitem name");
    for (key, known) in names {
        let is_free = |at: &usize| columns.iter().all(|(_, taken)| taken != at);
        let find = |name: &&str| {
            let at = headers.iter().position(|header| header == name)?;
            Some(at).filter(is_free).filter(|at| fits(head, key, *at, book))
        };
        let mut found = known.iter().find_map(&find);
        // A shop's own order number is in its name column.
        if *key == "id" && is_shop {
            found = find(&"name").or(found);
        }
        columns.extend(found.map(|at| (*key, at)));
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
    match key {
        // Headings and totals of groups are in the column of dates.
        "date" => cells.iter().filter(|cell| is_date(cell)).count() * 3 >= cells.len().max(1),
        "amount" | "debit" | "credit" => {
            cells.is_empty() && key != "amount"
                || most(&|cell| cell.contains(|one: char| one.is_ascii_digit()))
        }
        "refund" => most(&|cell| cell.contains(|one: char| one.is_ascii_digit())),
        "kind" | "status" => {
            let header = &head.headers[at];
            let words: BTreeSet<&str> = cells.iter().copied().collect();
            let known = words.iter().filter(|word| ours(book, key, header, word).is_some()).count();
            known > 0 && known * 2 >= words.len()
        }
        "last4" => {
            most(&|cell| cell.len() <= 20 && cell.ends_with(|one: char| one.is_ascii_digit()))
        }
        "currency" => most(&|cell| Currency::from_code(&cell.to_ascii_uppercase()).is_some()),
        "id" => most(&|cell| cell.contains(|one: char| one.is_ascii_digit())),
        _ => !cells.is_empty(),
    }
}

/// Columns that no header identifies, beside the `known` ones: the first dates, the first amounts
/// and the longest texts.
fn by_content(
    head: &Head,
    book: Book,
    known: &[(&'static str, usize)],
) -> Vec<(&'static str, usize)> {
    let is_free = |at: &usize| known.iter().all(|(_, taken)| taken != at);
    let is_open = |keys: &[&str]| known.iter().all(|(key, _)| !keys.contains(key));
    let all = |at: usize, is_one: &dyn Fn(&str) -> bool| {
        let cells = head.column(at);
        !cells.is_empty() && cells.iter().all(|cell| is_one(cell))
    };
    let is_amount = |cell: &str| {
        let is_figure = |one: char| one.is_ascii_digit() || "+-.,()$€£ ".contains(one);
        cell.contains(['.', ',']) && cell.chars().all(is_figure) && !is_date(cell)
    };
    let width = head.headers.len();
    let free = || (0..width).filter(is_free);
    let date = free().find(|at| all(*at, &is_date));
    let amounts: Vec<usize> = free().filter(|at| all(*at, &is_amount)).collect();
    // Where each row fills one of two columns, banks write the debit first.
    let fills_one = |pair: &&[usize]| {
        let fills = |row: &Vec<String>| pair.iter().filter(|at| !row[**at].is_empty()).count();
        head.rows.iter().filter(|row| row.len() == width).all(|row| fills(row) == 1)
    };
    let split = amounts.windows(2).find(fills_one);
    let amount = amounts.first().copied().filter(|_| split.is_none());
    let length = |at: &usize| head.column(*at).iter().map(|cell| cell.len()).sum::<usize>();
    let others = free().filter(|at| Some(*at) != date && !amounts.contains(at));
    let text = match book {
        Book::Bank => others.max_by_key(length),
        Book::Ledger => others.into_iter().find(|at| {
            let cells = head.column(*at);
            cells.iter().collect::<BTreeSet<_>>().len() == head.rows.len()
        }),
    };
    let key = if book == Book::Bank { "description" } else { "id" };
    let (debit, credit) = (split.map(|pair| pair[0]), split.map(|pair| pair[1]));
    let found =
        [("date", date), ("amount", amount), ("debit", debit), ("credit", credit), (key, text)];
    let is_wanted = |key: &&'static str| match *key {
        "amount" | "debit" | "credit" => is_open(&["amount", "debit", "credit"]),
        key => is_open(&[key]),
    };
    let found = found.into_iter().filter(|(key, _)| is_wanted(key));
    found.filter_map(|(key, at)| Some((key, at?))).collect()
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
                "decimal: the amounts can be read with \"{decimal}\" and with \"{}\", and nothing in the \
                 file tells",
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
                    "date_format: {example} can be read in {} ways, and nothing in the file tells which \
                     is meant; take one of the lines above",
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
