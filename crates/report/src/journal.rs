//! `journal.csv` and the same for hledger: for the entries of a date, a balanced entry for each
//! merchant and currency, over the configured accounts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::NaiveDate;

use super::column::{ColumnOf, Row, amount, code, date, text};
use super::totals::major;
use tieout_model::money::{Currency, Minor};
use tieout_model::{Accounts, JournalEntry, MerchantId};

/// The journal in the format of hledger.
pub(super) const PLAIN_FILE: &str = "journal.hledger";

/// A line of `journal.csv`.
pub(super) struct JournalLine {
    entry_id: String,
    date: NaiveDate,
    merchant_id: MerchantId,
    account: String,
    /// A debit is positive, a credit negative.
    sum: i64,
    currency: Currency,
    memo: String,
    source: String,
}

impl Row for JournalLine {
    const FILE: &'static str = "journal.csv";

    fn currency(&self) -> Option<Currency> {
        Some(self.currency)
    }

    fn columns() -> Vec<ColumnOf<Self>> {
        vec![
            text("entry_id", |row| &row.entry_id),
            date("date", |row| Some(row.date)),
            text("merchant_id", |row| row.merchant_id.as_str()),
            text("account", |row| &row.account),
            amount("debit", |row| above_zero(Some(row.sum))),
            amount("credit", |row| above_zero(row.sum.checked_neg())),
            text("currency", |row| code(Some(row.currency))),
            text("memo", |row| &row.memo),
            text("source", |row| &row.source),
        ]
    }
}

/// One side of a line: empty where the amount stands on the other.
fn above_zero(amount: Option<i64>) -> Option<Minor> {
    amount.filter(|amount| *amount > 0).map(Minor)
}

/// The lines of the entries of `date`, by merchant and currency. An account without an amount has
/// no line; an entry whose sums overflow is left out.
pub(super) fn lines(
    date: NaiveDate,
    entries: &[JournalEntry],
    accounts: &Accounts<String>,
) -> Vec<JournalLine> {
    let mut groups: BTreeMap<(&MerchantId, &str), Vec<&JournalEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry((&entry.merchant_id, entry.currency.code())).or_default().push(entry);
    }
    let mut lines = Vec::new();
    for ((merchant_id, code), entries) in groups {
        let Some(sums) = sums(&entries) else { continue };
        let (first, deposits) = (entries[0], ids(&entries));
        let noun = if entries.len() == 1 { "deposit" } else { "deposits" };
        let line = |(account, name, sum): (&String, &str, i64)| JournalLine {
            entry_id: format!("{date}/{merchant_id}/{code}"),
            date,
            merchant_id: merchant_id.clone(),
            account: account.clone(),
            sum,
            currency: first.currency,
            memo: format!("{}: {name} of {noun} {}", first.merchant_name, deposits.join(", ")),
            source: deposits.join(";"),
        };
        let names = Accounts::NAMES.each();
        let parts = accounts.as_ref().each().into_iter().zip(names).zip(sums);
        let parts = parts.map(|((account, name), sum)| (account, name, sum));
        lines.extend(parts.filter(|part| part.2 != 0).map(line));
    }
    lines
}

fn ids(entries: &[&JournalEntry]) -> Vec<String> {
    entries.iter().map(|entry| entry.ach_deposit_id.to_string()).collect()
}

/// The sum of each account.
fn sums(entries: &[&JournalEntry]) -> Option<[i64; 6]> {
    entries.iter().try_fold([0; 6], |mut sums: [i64; 6], entry| {
        for (sum, amount) in sums.iter_mut().zip(entry.amounts.each()) {
            *sum = sum.checked_add(amount.0)?;
        }
        Some(sums)
    })
}

/// The lines as a journal for hledger, with its declarations.
pub(super) fn plain(lines: &[JournalLine]) -> String {
    let mut text = String::from("decimal-mark .\n");
    let mut accounts: Vec<String> = lines.iter().map(|line| plain_name(&line.account)).collect();
    accounts.sort();
    accounts.dedup();
    let mut currencies: Vec<Currency> = lines.iter().map(|line| line.currency).collect();
    currencies.sort_by_key(|currency| currency.code());
    currencies.dedup();
    // Writing into a String cannot fail.
    for account in accounts {
        let _ = writeln!(text, "account {account}");
    }
    for currency in currencies {
        let scale = 10_i128.pow(currency.exponent());
        let one = major(1_000 * scale, currency);
        let mark = if currency.exponent() == 0 { "." } else { "" };
        let _ = writeln!(text, "commodity {one}{mark} {}", currency.code());
    }
    for entry in lines.chunk_by(|one, other| one.entry_id == other.entry_id) {
        let first = &entry[0];
        let (date, source) = (first.date, first.source.replace(';', ", "));
        let (code, merchant) =
            (plain_name(&first.entry_id), plain_name(first.merchant_id.as_str()));
        let _ = writeln!(text, "\n{date} ({code}) {merchant} | deposits {source}");
        for line in entry {
            let sum = major(line.sum.into(), line.currency);
            let account = plain_name(&line.account);
            let _ = writeln!(text, "    {account:<32}  {sum:>16} {}", line.currency.code());
        }
    }
    text
}

/// A name without the characters that end one in hledger: two spaces, a comment, a line break.
fn plain_name(name: &str) -> String {
    let is_kept = |c: &char| !c.is_control() && !matches!(c, ';' | '(' | ')' | '|');
    let kept: String = name.chars().filter(is_kept).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_model::DepositId;

    fn accounts() -> Accounts<String> {
        let of = |account: &str| account.to_owned();
        Accounts {
            cash: of("1010"),
            fees: of("6100"),
            reserve: of("1210"),
            chargebacks: of("6200"),
            returns: of("1220"),
            clearing: of("Assets:Clearing  of;cards"),
        }
    }

    fn entry(id: i64, code: &str, cash: i64, fees: i64) -> JournalEntry {
        JournalEntry {
            ach_deposit_id: DepositId(id),
            merchant_id: "4525644354".into(),
            merchant_name: "Pizza Doe".to_owned(),
            currency: Currency::from_code(code).unwrap(),
            amounts: Accounts {
                cash: Minor(cash),
                fees: Minor(fees),
                clearing: Minor(-cash - fees),
                ..Accounts::default()
            },
        }
    }

    #[test]
    fn writes_a_balanced_entry_for_each_merchant_and_currency() {
        let date = "2026-11-20".parse().unwrap();
        let entries = [
            entry(7, "USD", 9_500, 500),
            entry(8, "USD", -1_000, 0),
            entry(9, "JPY", 1_200, 0),
            entry(10, "KWD", 12_345, 0),
        ];
        let lines = lines(date, &entries, &accounts());
        insta::assert_snapshot!(plain(&lines));
        let usd: Vec<&JournalLine> = lines.iter().filter(|line| line.source == "7;8").collect();
        assert_eq!(usd.iter().map(|line| line.sum).sum::<i64>(), 0);
        assert_eq!(usd[0].memo, "Pizza Doe: cash of deposits 7, 8");
        let columns = JournalLine::columns();
        let cells: Vec<String> =
            columns.iter().map(|column| column.cell(usd[2]).to_csv().into()).collect();
        assert_eq!(cells[4..7], ["", "90.00", "USD"]);
    }
}
