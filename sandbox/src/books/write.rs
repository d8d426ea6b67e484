//! Writes entries in a layout, down to the bytes of the file.

use std::collections::BTreeMap;
use std::io::Write as _;

use chrono::NaiveDate;

use super::entry::Entry;
use super::layout::Layout;
use crate::files::WorldFile;
use crate::money::major_units;
use crate::world::records::Records;

/// The files of the ledger `name`.
///
/// With overlaps it is written in two files that share some rows.
pub fn files(
    layout: Layout,
    name: &str,
    records: &Records,
    entries: &[Entry],
    overlaps: bool,
) -> Vec<WorldFile> {
    if layout != Layout::Daily && overlaps {
        let (end, start) = (entries.len() * 3 / 5, entries.len() * 2 / 5);
        let parts = [("1", &entries[..end]), ("2", &entries[start..])];
        return parts
            .into_iter()
            .map(|(part, entries)| WorldFile {
                path: format!("ledger/{name}-{part}.csv"),
                content: encode(
                    layout,
                    &text(layout, records, &entries.iter().collect::<Vec<_>>()),
                ),
            })
            .collect();
    }
    if layout != Layout::Daily {
        let all: Vec<&Entry> = entries.iter().collect();
        let content = encode(layout, &text(layout, records, &all));
        return vec![WorldFile { path: format!("ledger/{name}.csv"), content }];
    }
    let mut days: BTreeMap<NaiveDate, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        days.entry(entry.date).or_default().push(entry);
    }
    if days.is_empty() {
        // A ledger without a file could not be read.
        days.insert(NaiveDate::default(), Vec::new());
    }
    days.into_iter()
        .map(|(day, entries)| WorldFile {
            path: format!("ledger/{name}/{day}.csv.gz"),
            content: encode(layout, &text(layout, records, &entries)),
        })
        .collect()
}

fn text(layout: Layout, records: &Records, entries: &[&Entry]) -> String {
    let delimiter = match layout {
        Layout::German | Layout::French => ";",
        Layout::Split => "\t",
        Layout::Daily => "|",
        Layout::Plain | Layout::American | Layout::Swiss | Layout::Shared => ",",
    };
    let mut lines: Vec<String> = match layout {
        Layout::German => {
            vec!["Kassenbuch".to_owned(), "Größe: alle Belege".to_owned(), String::new()]
        }
        Layout::Swiss => vec!["Export \"Buchhaltung, heute\"".to_owned()],
        _ => Vec::new(),
    };
    let line = |cells: &[String]| {
        cells.iter().map(|cell| quoted(cell, delimiter)).collect::<Vec<_>>().join(delimiter)
    };
    let headers: Vec<String> = layout.headers().iter().map(|name| (*name).to_owned()).collect();
    lines.push(line(&headers));
    lines.extend(entries.iter().map(|entry| line(&cells(layout, records, entry))));
    match layout {
        Layout::German => {
            lines.push(format!(";Anzahl;;{};;;;;", entries.len()));
            lines.push(";Ende;;;;;;;".to_owned());
        }
        // A remark below the table has fewer cells than the table.
        Layout::American => lines.push("\"\",\"Total rows: many\"".to_owned()),
        _ => {}
    }
    let end = if matches!(layout, Layout::American | Layout::German) { "\r\n" } else { "\n" };
    let mut text = lines.join(end);
    // Some programs write no line end after the last line.
    if layout != Layout::French {
        text.push_str(end);
    }
    text
}

fn cells(layout: Layout, records: &Records, entry: &Entry) -> Vec<String> {
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    let (order, reference) = (some(&entry.order_id), some(&entry.reference));
    let (amount, currency) = (amount(layout, entry), entry.currency.to_owned());
    let (id, date, kind) = (entry.id.clone(), date(layout, entry.date), kind(layout, entry));
    let (last4, status) = (last4(layout, entry), status(layout, entry));
    match layout {
        Layout::Plain => {
            // The merchant's own currency is left out.
            let is_own = records.merchants[entry.merchant].currency == entry.currency;
            let currency = if is_own { String::new() } else { currency };
            vec![id, kind, date, amount, currency, order, reference, last4, status]
        }
        Layout::German | Layout::French => {
            vec![id, kind, date, amount, currency, order, reference, last4, status]
        }
        Layout::American => vec![
            id,
            "Doe, \"Jo\"".to_owned(),
            date,
            amount,
            currency,
            order,
            reference,
            last4,
            status,
        ],
        Layout::Split => {
            let (debit, credit) =
                if entry.is_refund { (String::new(), amount) } else { (amount, String::new()) };
            vec![id, date, debit, credit, currency, order, reference, last4, status]
        }
        Layout::Daily => vec![reference, last4, date, id, kind, amount, order, status, currency],
        Layout::Swiss => vec![
            id,
            kind,
            date,
            amount,
            currency,
            order,
            reference,
            last4,
            status,
            "eine Zeile\nund noch eine".to_owned(),
        ],
        Layout::Shared => {
            let merchant = records.merchants[entry.merchant].id.clone();
            vec![merchant, id, kind, date, amount, currency, order, reference, last4, status]
        }
    }
}

fn amount(layout: Layout, entry: &Entry) -> String {
    let (thousands, decimal) = match layout {
        Layout::German => (".", ","),
        Layout::French => ("\u{a0}", ","),
        Layout::American => (",", "."),
        Layout::Swiss => ("'", "."),
        Layout::Plain | Layout::Split | Layout::Daily | Layout::Shared => ("", "."),
    };
    let plain = major_units(entry.amount, entry.currency);
    let (whole, decimals) = match plain.split_once('.') {
        Some((whole, decimals)) => (whole, format!("{decimal}{decimals}")),
        None => (plain.as_str(), String::new()),
    };
    let number = format!("{}{decimals}", grouped(whole, thousands));
    match layout {
        Layout::American if entry.is_refund => format!("({number})"),
        Layout::Daily if entry.is_refund => format!("{number}-"),
        Layout::German if entry.is_refund => format!("-{number}"),
        _ => number,
    }
}

/// `digits` with `separator` between groups of three.
fn grouped(digits: &str, separator: &str) -> String {
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

fn date(layout: Layout, date: NaiveDate) -> String {
    let format = match layout {
        Layout::German => "%d.%m.%Y",
        Layout::American => "%m/%d/%Y",
        Layout::French => "%Y%m%d",
        Layout::Swiss => "%d-%b-%Y",
        Layout::Plain | Layout::Split | Layout::Daily | Layout::Shared => "%Y-%m-%d",
    };
    date.format(format).to_string()
}

fn kind(layout: Layout, entry: &Entry) -> String {
    let (payment, refund) = match layout {
        Layout::German => ("Zahlung", "Gutschrift"),
        Layout::Daily => ("S", "R"),
        _ => ("payment", "refund"),
    };
    if entry.is_refund { refund.to_owned() } else { payment.to_owned() }
}

fn status(layout: Layout, entry: &Entry) -> String {
    let words = match layout {
        Layout::German => ["bezahlt", "storniert", "abgelehnt", "zurück"],
        Layout::Daily => ["ok", "x", "no", "back"],
        // Paid is the default and left out.
        Layout::Plain | Layout::Split => ["", "void", "declined", "returned"],
        _ => ["paid", "void", "declined", "returned"],
    };
    let place =
        ["paid", "void", "declined", "returned"].iter().position(|one| *one == entry.status);
    words[place.unwrap_or(0)].to_owned()
}

/// The last four digits as the program shows them: bare, or at the end of a masked number.
fn last4(layout: Layout, entry: &Entry) -> String {
    match (&entry.last4, layout) {
        (None, _) => String::new(),
        (Some(digits), Layout::American) => format!("XXXX-XXXX-XXXX-{digits}"),
        (Some(digits), Layout::Swiss) => format!("**** {digits}"),
        (Some(digits), _) => digits.clone(),
    }
}

fn quoted(cell: &str, delimiter: &str) -> String {
    if cell.contains(['"', '\n', '\r']) || cell.contains(delimiter) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

fn encode(layout: Layout, text: &str) -> Vec<u8> {
    match layout {
        Layout::Plain | Layout::Swiss | Layout::Shared => text.as_bytes().to_vec(),
        Layout::American => ["\u{feff}", text].concat().into_bytes(),
        // All characters written here are among the first 256.
        Layout::German => {
            text.chars().map(|one| u8::try_from(u32::from(one)).unwrap_or(b'?')).collect()
        }
        Layout::Split => utf16(text, u16::to_le_bytes),
        Layout::French => utf16(text, u16::to_be_bytes),
        Layout::Daily => compressed(text.as_bytes()),
    }
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
