//! A case: hand-written records, the dates to run, and the expected findings.

#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use chrono::NaiveDate;

use crate::harness::{dates, day};

/// One line of a case: the kind of record, its id, and its fields.
#[derive(Clone, Debug)]
pub struct Record {
    pub kind: String,
    pub id: String,
    fields: BTreeMap<String, String>,
}

impl Record {
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    /// An amount or a count; 0 when the line does not name it.
    pub fn number(&self, field: &str) -> i64 {
        self.text(field).map_or(0, |text| {
            text.parse().unwrap_or_else(|_| panic!("{} {}: {field}={text}", self.kind, self.id))
        })
    }

    pub fn date(&self, field: &str) -> Option<NaiveDate> {
        self.text(field).map(day)
    }

    /// The merchant that it names, else the default merchant of every case.
    pub fn merchant(&self) -> &str {
        self.text("merchant").unwrap_or("M1")
    }
}

/// One heading of a case file and the lines below it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub kind: String,
    pub name: String,
    pub records: Vec<Record>,
    pub run: Vec<NaiveDate>,
    /// The later steps: the world changes, and dates are run again.
    pub then: Vec<Then>,
    /// `<date> <status> <code> <expected> <actual>`, sorted.
    pub expected: Vec<String>,
    /// Words that an explanation has.
    pub said: Vec<String>,
    /// Words of what `discrepancies show` says of a finding of the last date.
    pub shown: Vec<String>,
    pub exit: i32,
    /// Lines of configuration before the merchants.
    settings: String,
    /// `none`, `unnamed`, or empty: the terminal that every case has.
    terminals: String,
    /// Lines of the merchant's own section.
    own_settings: String,
    is_without_merchants: bool,
    /// Whether fetching, reconciling and reporting are commands of their own.
    pub is_staged: bool,
}

/// A later state of the world, and the dates that are run in it.
#[derive(Clone, Debug, Default)]
pub struct Then {
    /// Records that are new or changed.
    records: Vec<Record>,
    /// Kinds and ids of removed records.
    gone: Vec<(String, String)>,
    pub run: Vec<NaiveDate>,
}

/// The cases of a file.
pub fn parse(stem: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (kind, name) = heading.split_once(": ").unwrap_or((heading, ""));
            cases.push(Case {
                kind: kind.to_owned(),
                name: format!("{stem}: {name}"),
                ..Case::default()
            });
        } else if let Some(line) = line.strip_prefix("    ").map(str::trim) {
            cases.last_mut().unwrap().take(line);
        }
    }
    for case in &mut cases {
        assert!(!case.run.is_empty(), "{} runs nothing", case.name);
        case.expected.sort();
    }
    cases
}

impl Case {
    fn take(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "then" => self.then.push(Then::default()),
            "run" => {
                let (from, to) = rest.split_once("..").unwrap_or((rest, rest));
                let run = dates(day(from), day(to));
                match self.then.last_mut() {
                    Some(then) => then.run = run,
                    None => self.run = run,
                }
            }
            "gone" => {
                let (kind, id) = rest.split_once(' ').unwrap();
                let then = self.then.last_mut().unwrap();
                then.gone.push((kind.to_owned(), id.to_owned()));
            }
            "expect" if rest == "nothing" => {}
            "expect" => self.expected.push(rest.to_owned()),
            "says" => self.said.push(rest.to_owned()),
            "shows" => self.shown.push(rest.to_owned()),
            "exit" => self.exit = rest.parse().unwrap(),
            "set" => self.settings.extend([rest, "\n"]),
            "terminals" => rest.clone_into(&mut self.terminals),
            "own" => self.own_settings.extend([rest, "\n"]),
            "unconfigured" => self.is_without_merchants = true,
            "staged" => self.is_staged = true,
            _ => {
                let record = record(word, rest, &self.name);
                match self.then.last_mut() {
                    Some(then) => then.records.push(record),
                    None => self.records.push(record),
                }
            }
        }
    }

    /// Puts the world into a later state.
    pub fn change(&mut self, then: &Then) {
        let is_replaced = |record: &Record| {
            let is = |kind: &str, id: &str| record.kind == kind && record.id == id;
            then.records.iter().any(|new| is(&new.kind, &new.id))
                || then.gone.iter().any(|(kind, id)| is(kind, id))
        };
        self.records.retain(|record| !is_replaced(record));
        self.records.extend(then.records.iter().cloned());
    }

    fn all_run(&self) -> impl Iterator<Item = NaiveDate> + '_ {
        self.run.iter().chain(self.then.iter().flat_map(|then| &then.run)).copied()
    }

    pub fn first(&self) -> NaiveDate {
        self.all_run().min().unwrap()
    }

    pub fn last(&self) -> NaiveDate {
        self.all_run().max().unwrap()
    }

    pub fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Record> {
        self.records.iter().filter(move |record| record.kind == kind)
    }

    /// `tieout.toml` for this case, with the service at `base`.
    pub fn configuration(&self, base: &str) -> String {
        let mut text = format!(
            "time_zone = \"America/New_York\"\n{}\n[api]\nbase_url = \"{base}/v1\"\n\
             auth_url = \"{base}\"\n",
            self.settings
        );
        if self.is_without_merchants {
            return text;
        }
        text.push_str("[[merchants]]\nid = \"M1\"\ncurrency = \"USD\"\n");
        match self.terminals.as_str() {
            "unnamed" => {}
            "none" => text.push_str("terminals = []\n"),
            _ => text.push_str("terminals = [\"T1\"]\n"),
        }
        text.push_str(&self.own_settings);
        if self.has_ledger() {
            text.push_str(
                "ledger = \"books\"\n[[ledgers]]\nname = \"books\"\npath = \"books.csv\"\n\
                 columns = { id = \"id\", kind = \"kind\", date = \"date\", amount = \"amount\", \
                 currency = \"currency\", order_id = \"order\", reference = \"reference\", \
                 last4 = \"last4\", status = \"status\" }\n",
            );
        }
        if self.has_bank() {
            // The tables of a merchant end where the next table begins.
            text = text.replacen("id = \"M1\"\n", "id = \"M1\"\nbank = \"account\"\n", 1);
            text.push_str(
                "[[banks]]\nname = \"account\"\npath = \"statement*.csv\"\n\
                 originators = [\"The Processor\"]\ncolumns = { description = \"text\" }\n",
            );
        }
        text
    }

    fn has_bank(&self) -> bool {
        self.of("bank").next().is_some() || self.of("statement").next().is_some()
    }

    /// The statement of the merchant's bank, when the case has any.
    pub fn write_statement(&self, folder: &Path) {
        if !self.has_bank() || self.of("statement").any(|record| record.id == "none") {
            return;
        }
        let mut files: BTreeMap<&str, String> = BTreeMap::new();
        for record in self.of("bank").chain(self.of("statement")) {
            let text = files.entry(record.text("file").unwrap_or("statement")).or_default();
            if record.kind == "statement" {
                for end in ["from", "to"] {
                    let _ = writeln!(text, "{},0.00,interest", record.text(end).unwrap());
                }
                continue;
            }
            let _ = writeln!(
                text,
                "{},{},{} {}",
                record.text("date").unwrap(),
                record.text("amount").unwrap(),
                record.text("by").unwrap_or("THE PROCESSOR PAYOUT"),
                record.id
            );
        }
        for (file, lines) in files {
            let text = format!("date,amount,text\n{lines}");
            std::fs::write(folder.join(format!("{file}.csv")), text).unwrap();
        }
    }

    fn has_ledger(&self) -> bool {
        self.of("book").next().is_some()
    }

    /// The merchant's own books, when the case has any.
    pub fn write_ledger(&self, folder: &Path) {
        if !self.has_ledger() {
            return;
        }
        let columns =
            ["kind", "date", "amount", "currency", "order", "reference", "last4", "status"];
        let mut text = format!("id,{}\n", columns.join(","));
        for record in self.of("book").filter(|record| record.id != "empty") {
            let cells = columns.map(|column| record.text(column).unwrap_or_default());
            let _ = writeln!(text, "{},{}", record.id, cells.join(","));
        }
        std::fs::write(folder.join("books.csv"), text).unwrap();
    }
}

fn record(kind: &str, rest: &str, name: &str) -> Record {
    let mut words = rest.split_whitespace().peekable();
    let id = words.next_if(|word| !word.contains('=')).unwrap_or_default().to_owned();
    let fields = words
        .map(|word| {
            let (field, value) =
                word.split_once('=').unwrap_or_else(|| panic!("{name}: {word} in {kind} {rest}"));
            (field.to_owned(), value.to_owned())
        })
        .collect();
    Record { kind: kind.to_owned(), id, fields }
}
