//! How `tieout bank check` shows a statement: as tables, or as JSON.

use std::path::Path;

use serde::Serialize;

use tieout_config::BankSettings;
use tieout_import::bank::{CheckedAccount, CheckedLine, CheckedStatement};
use tieout_model::LeftOut;
use tieout_model::money::grouped;
use tieout_report::aligned::{AlignedTable, Colour, Side, Styled, printable};

/// The result of reading a statement.
#[derive(Serialize)]
pub(super) struct Checked {
    file: String,
    bank: String,
    format: Option<&'static str>,
    accounts: Vec<AccountLine>,
    lines: Vec<StatementLine>,
    skipped: Vec<OtherLine>,
    faults: Vec<OtherLine>,
    notes: Vec<String>,
    pub refused: Option<String>,
}

/// An account with the days that the file covers in full.
#[derive(Serialize)]
struct AccountLine {
    account: String,
    currency: Option<&'static str>,
    covers: Vec<Days>,
}

#[derive(Serialize)]
struct Days {
    from: String,
    to: String,
}

/// A booked line.
#[derive(Serialize)]
struct StatementLine {
    line: u64,
    account: String,
    date: String,
    amount: String,
    currency: &'static str,
    of_processor: bool,
}

/// A line that is not booked, or that has a fault.
#[derive(Serialize)]
struct OtherLine {
    line: u64,
    reason: String,
}

impl Checked {
    /// The output for a statement that was read.
    pub(super) fn read(file: &Path, bank: &BankSettings, statement: CheckedStatement) -> Self {
        Self {
            file: file.display().to_string(),
            bank: bank.name.clone(),
            format: Some(statement.format.as_str()),
            accounts: statement.accounts.into_iter().map(account_line).collect(),
            lines: statement.lines.into_iter().map(statement_line).collect(),
            skipped: statement.skipped.into_iter().map(other_line).collect(),
            faults: statement.faults.into_iter().map(other_line).collect(),
            notes: statement.notes,
            refused: None,
        }
    }

    /// The output for a file that cannot be read as a whole.
    pub(super) fn refused(file: &Path, bank: &BankSettings, reason: String) -> Self {
        Self {
            file: file.display().to_string(),
            bank: bank.name.clone(),
            format: None,
            accounts: Vec::new(),
            lines: Vec::new(),
            skipped: Vec::new(),
            faults: Vec::new(),
            notes: Vec::new(),
            refused: Some(reason),
        }
    }

    /// Whether all of its lines were read.
    pub(super) fn is_sound(&self) -> bool {
        self.refused.is_none() && self.faults.is_empty()
    }
}

fn account_line(account: CheckedAccount) -> AccountLine {
    let days = account.covers.into_iter();
    AccountLine {
        account: account.account_last4,
        currency: account.currency,
        covers: days
            .map(|span| Days { from: span.first.to_string(), to: span.last.to_string() })
            .collect(),
    }
}

fn statement_line(checked: CheckedLine) -> StatementLine {
    let line = checked.line;
    StatementLine {
        line: line.line,
        account: line.account_last4,
        date: line.date.to_string(),
        amount: line.currency.format(line.amount),
        currency: line.currency.code(),
        of_processor: checked.is_of_processor,
    }
}

fn other_line(row: LeftOut) -> OtherLine {
    OtherLine { line: row.line, reason: row.reason }
}

/// The tables.
pub(super) fn render(checked: &Checked, is_coloured: bool) -> String {
    let (file, bank) = (printable(&checked.file), printable(&checked.bank));
    let of_processor = checked.lines.iter().filter(|line| line.of_processor).count();
    let mut text = vec![format!(
        "{file} as bank \"{bank}\": {}, lines {}, of the processor {of_processor}, skipped {}, \
         faults {}\n",
        checked.format.unwrap_or_default(),
        checked.lines.len(),
        checked.skipped.len(),
        checked.faults.len()
    )];
    if !checked.accounts.is_empty() {
        text.push(format!("\n{}", accounts_table(checked).render("", is_coloured)));
    }
    if !checked.lines.is_empty() {
        text.push(format!("\n{}", lines_table(checked).render("", is_coloured)));
    }
    for (title, rows) in [("skipped", &checked.skipped), ("faults", &checked.faults)] {
        if !rows.is_empty() {
            text.push(format!("\n{title}:\n"));
        }
        for row in rows {
            let place = Styled::new(format!("{file}:{}:", row.line), Colour::Red);
            let reason = printable(&row.reason);
            text.push(format!("{} {reason}\n", place.painted(is_coloured && title == "faults")));
        }
    }
    if !checked.notes.is_empty() {
        text.push("\nnot mapped:\n".to_owned());
    }
    text.extend(checked.notes.iter().map(|note| format!("{}\n", printable(note))));
    text.concat()
}

fn accounts_table(checked: &Checked) -> AlignedTable {
    use Side::{Below, Left};
    let mut table = AlignedTable::new(&[("account", Left), ("currency", Left), ("covers", Below)]);
    for account in &checked.accounts {
        let days: Vec<String> =
            account.covers.iter().map(|days| format!("{}..{}", days.from, days.to)).collect();
        let days = if days.is_empty() { "no whole day".to_owned() } else { days.join(", ") };
        table.push(vec![
            account.account.as_str().into(),
            account.currency.unwrap_or_default().into(),
            days.into(),
        ]);
    }
    table
}

fn lines_table(checked: &Checked) -> AlignedTable {
    use Side::{Left, Right};
    let mut table = AlignedTable::new(&[
        ("line", Right),
        ("account", Left),
        ("date", Left),
        ("amount", Right),
        ("currency", Left),
        ("processor", Left),
    ]);
    for line in &checked.lines {
        table.push(vec![
            line.line.to_string().into(),
            line.account.as_str().into(),
            line.date.as_str().into(),
            grouped(&line.amount).into(),
            line.currency.into(),
            if line.of_processor { "yes".into() } else { "".into() },
        ]);
    }
    table
}
