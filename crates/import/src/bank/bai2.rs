//! BAI2, the cash management format of banks in North America: records of comma-separated
//! fields, with control totals and counts on every level, all of which must agree.

use std::collections::HashSet;

use chrono::NaiveDate;

use super::number::{minor, short_date};
use super::records::{Kind, Record, records};
use super::statement::{Broken, Entry, Statement, last4};
use crate::table::excerpt;
use tieout_model::LeftOut;
use tieout_model::money::{Currency, Minor};

/// Reads a whole text, which may contain several files.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut reader = Reader::default();
    let records = records(text)?;
    let mut seen = HashSet::new();
    for file in records.chunk_by(|_, next| next.kind != Kind::FileHeader) {
        // A repeated file adds nothing.
        reader.is_repeated = !seen.insert(file.iter().map(Record::content).collect::<Vec<_>>());
        for record in file {
            reader.take(record)?;
        }
    }
    if reader.file.is_some() || reader.files == 0 {
        let line = text.lines().count() as u64;
        return Err(Broken::at(line, "expected a file trailer (99), found the end of the file"));
    }
    if reader.statement.accounts.is_empty() {
        return Err(Broken::at(1, "it holds no account (03)"));
    }
    Ok(reader.statement)
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    file: Option<File>,
    group: Option<Group>,
    account: Option<Account>,
    files: u64,
    /// Whether the text contains the same file earlier.
    is_repeated: bool,
}

/// The running totals of a level.
#[derive(Clone, Copy, Default)]
struct Totals {
    amount: i64,
    /// Accounts of a group, groups of a file.
    members: u64,
    /// Every physical record, including continuations (88), as the format requires.
    records: u64,
}

impl Totals {
    /// Counts a record with its continuations.
    fn count(&mut self, record: &Record) {
        self.records += record.count;
    }

    fn of(record: &Record) -> Self {
        let mut totals = Self::default();
        totals.count(record);
        totals
    }

    /// Adds the counts of a lower level.
    fn add(&mut self, lower: Self) {
        self.records += lower.records;
    }

    fn without(self, other: Self) -> Self {
        Self { records: self.records - other.records, ..self }
    }
}

struct File {
    created: Option<NaiveDate>,
    totals: Totals,
    /// Records of groups that correct or delete; some banks do not count them in the file.
    amending: Totals,
}

/// The status of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Update,
    Deletion,
    Correction,
    Test,
}

struct Group {
    date: NaiveDate,
    currency: String,
    status: Status,
    /// Whether the day was over when the file was created.
    is_final: bool,
    totals: Totals,
}

struct Account {
    line: u64,
    last4: String,
    currency: Currency,
    totals: Totals,
    stated: Stated,
    /// The number of its credits and of its debits, and their sum with signs.
    credits: u64,
    debits: u64,
    net: i64,
}

/// What the summaries of an account state of its details.
#[derive(Default)]
struct Stated {
    /// The sum of all their amounts, for the control total.
    sum: i64,
    /// Ledger balances (010 and 015).
    opening: Option<Minor>,
    closing: Option<Minor>,
    /// Numbers of items (100 and 400).
    credits: Option<u64>,
    debits: Option<u64>,
}

impl Account {
    /// The difference between what the account states and what its details are.
    fn difference(&self) -> Option<String> {
        for (stated, found, name) in [
            (self.stated.credits, self.credits, "credit"),
            (self.stated.debits, self.debits, "debit"),
        ] {
            if let Some(stated) = stated.filter(|stated| *stated != found) {
                let s = if stated == 1 { "" } else { "s" };
                return Some(format!("the account states {stated} {name}{s}, found {found}"));
            }
        }
        let change = self.stated.closing?.0.checked_sub(self.stated.opening?.0)?;
        let shown = |amount: i64| self.currency.format(Minor(amount));
        let (stated, found, code) = (shown(change), shown(self.net), self.currency);
        (change != self.net).then(|| {
            format!("the ledger balances differ by {stated} {code}, the details by {found}")
        })
    }
}

impl Reader {
    fn take(&mut self, record: &Record) -> Result<(), Broken> {
        let line = record.line;
        if self.file.is_none() && record.kind != Kind::FileHeader {
            return Err(Broken::at(line, "expected a file header (01)"));
        }
        match record.kind {
            Kind::FileHeader => self.begin_file(record),
            Kind::GroupHeader => self.begin_group(record),
            Kind::Account => self.begin_account(record),
            Kind::Detail => self.detail(record),
            Kind::AccountTrailer => self.end_account(record),
            Kind::GroupTrailer => self.end_group(record),
            Kind::FileTrailer => self.end_file(record),
        }
    }

    fn begin_file(&mut self, record: &Record) -> Result<(), Broken> {
        if self.file.is_some() {
            return Err(Broken::at(record.line, "expected a file trailer (99) before a file (01)"));
        }
        let created = record.fields().get(2).and_then(|date| short_date(date));
        let totals = Totals::of(record);
        self.file = Some(File { created, totals, amending: Totals::default() });
        Ok(())
    }

    fn begin_group(&mut self, record: &Record) -> Result<(), Broken> {
        let (line, fields) = (record.line, record.fields());
        let field = |at: usize| fields.get(at).map_or("", String::as_str);
        if self.group.is_some() {
            return Err(Broken::at(line, "expected a group trailer (98) before a group (02)"));
        }
        let status = match field(2) {
            "" | "1" => Status::Update,
            "2" => Status::Deletion,
            "3" => Status::Correction,
            "4" => Status::Test,
            found => {
                return Err(Broken::at(line, format!("expected group status 1, found {found}")));
            }
        };
        let date = short_date(field(3)).ok_or_else(|| {
            let found = excerpt(field(3));
            Broken::at(line, format!("expected an as-of date as YYMMDD, found {found}"))
        })?;
        let currency = if field(5).is_empty() { "USD" } else { field(5) };
        // 2 and 4 are the final reports. Without this field a report is final when it was created
        // after the day or in its last minute.
        let created = self.file.as_ref().and_then(|file| file.created);
        let is_final = match field(6) {
            "2" | "4" => true,
            "1" | "3" => false,
            _ => {
                created.is_some_and(|created| created > date)
                    || matches!(field(4), "2359" | "2400" | "9999")
            }
        };
        let totals = Totals::of(record);
        let currency = currency.to_ascii_uppercase();
        self.group = Some(Group { date, currency, status, is_final, totals });
        Ok(())
    }

    fn begin_account(&mut self, record: &Record) -> Result<(), Broken> {
        let (line, fields) = (record.line, record.fields());
        let Some(group) = &self.group else {
            return Err(Broken::at(line, "expected a group (02) before an account (03)"));
        };
        if self.account.is_some() {
            return Err(Broken::at(
                line,
                "expected an account trailer (49) before an account (03)",
            ));
        }
        let code = fields.get(1).filter(|code| !code.is_empty());
        let code = code.map_or_else(|| group.currency.clone(), |code| code.to_ascii_uppercase());
        let currency = Currency::from_code(&code)
            .ok_or_else(|| Broken::at(line, "expected a currency of ISO 4217"))?;
        let stated = summaries(line, fields.get(2..).unwrap_or_default())?;
        let last4 = last4(fields.first().map_or("", String::as_str));
        self.statement.has_account(&last4, Some(currency));
        let (date, status, is_final) = (group.date, group.status, group.is_final);
        let recalled = match status {
            _ if self.is_repeated => None,
            Status::Deletion => Some("deleted by a later group of the file"),
            Status::Correction => Some("corrected by a later group of the file"),
            Status::Update | Status::Test => None,
        };
        if let Some(reason) = recalled {
            self.statement.recall(&last4, date, reason);
        }
        if is_final && !self.is_repeated && matches!(status, Status::Update | Status::Correction) {
            // A final report repeats the lines of an interim one.
            let is_replaced =
                |one: &Entry| one.is_interim && one.account_last4 == last4 && one.date == date;
            let entries = std::mem::take(&mut self.statement.entries);
            let (gone, kept): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_replaced);
            self.statement.entries = kept;
            for entry in gone {
                self.statement.skip(entry.line, "of an interim report; a final one follows");
            }
            self.statement.covers(&last4, date, date);
        }
        let totals = Totals { amount: stated.sum, ..Totals::of(record) };
        let (credits, debits, net) = (0, 0, 0);
        self.account =
            Some(Account { line, last4, currency, totals, stated, credits, debits, net });
        Ok(())
    }

    fn detail(&mut self, record: &Record) -> Result<(), Broken> {
        let line = record.line;
        let (Some(group), Some(account)) = (&self.group, &mut self.account) else {
            return Err(Broken::at(line, "expected an account (03) before a detail (16)"));
        };
        let detail = Detail::of(record)?;
        account.totals.amount =
            added(line, account.totals.amount, detail.amount.unwrap_or(Minor(0)).0)?;
        account.totals.count(record);
        if let (Some(sign), Some(amount)) = (detail.direction(), detail.amount) {
            let side = if sign > 0 { &mut account.credits } else { &mut account.debits };
            *side += 1;
            account.net = added(line, account.net, sign * amount.0)?;
        }
        let skipped = match (group.status, detail.direction(), detail.amount) {
            _ if self.is_repeated => Some("of a file that the text holds twice".to_owned()),
            (Status::Deletion, _, _) => Some("of a group that deletes".to_owned()),
            (Status::Test, _, _) => Some("of a test group".to_owned()),
            (_, None, _) => Some(format!("type {} moves no money on the account", detail.code)),
            (_, _, None | Some(Minor(0))) => {
                Some(format!("type {} without an amount", detail.code))
            }
            _ => None,
        };
        if let Some(reason) = skipped {
            self.statement.skip(line, reason);
            return Ok(());
        }
        let (Some(sign), Some(amount)) = (detail.direction(), detail.amount) else { return Ok(()) };
        let is_covered = self.statement.spans.iter().any(|span| {
            span.account_last4 == account.last4 && (span.first..=span.last).contains(&group.date)
        });
        if !group.is_final && is_covered {
            self.statement.skip(line, "of an interim report; the file has a final one");
            return Ok(());
        }
        self.statement.entries.push(Entry {
            account_last4: account.last4.clone(),
            text: detail.text,
            is_interim: !group.is_final,
            ..Entry::new(line, group.date, Minor(sign * amount.0), account.currency)
        });
        Ok(())
    }

    fn end_account(&mut self, record: &Record) -> Result<(), Broken> {
        let (Some(group), Some(account)) = (&mut self.group, self.account.take()) else {
            return Err(Broken::at(
                record.line,
                "expected an account (03) before its trailer (49)",
            ));
        };
        let mut totals = account.totals;
        totals.count(record);
        agree(record, "account", totals, None)?;
        let is_claimed = group.is_final && !matches!(group.status, Status::Deletion | Status::Test);
        if let Some(reason) = account.difference().filter(|_| is_claimed && !self.is_repeated) {
            let fault = LeftOut { line: account.line, reason };
            self.statement.account_faults.push((account.last4, fault));
        }
        group.totals.amount = added(record.line, group.totals.amount, totals.amount)?;
        group.totals.members += 1;
        group.totals.add(totals);
        Ok(())
    }

    fn end_group(&mut self, record: &Record) -> Result<(), Broken> {
        let line = record.line;
        let (Some(group), None, Some(file)) = (self.group.take(), &self.account, &mut self.file)
        else {
            return Err(Broken::at(line, "expected accounts with trailers (49) in a group"));
        };
        let mut totals = group.totals;
        totals.count(record);
        agree(record, "group", totals, Some("accounts"))?;
        file.totals.amount = added(line, file.totals.amount, totals.amount)?;
        file.totals.members += 1;
        file.totals.add(totals);
        if matches!(group.status, Status::Correction | Status::Deletion) {
            file.amending.add(totals);
        }
        Ok(())
    }

    fn end_file(&mut self, record: &Record) -> Result<(), Broken> {
        let (Some(file), None) = (self.file.take(), &self.group) else {
            return Err(Broken::at(record.line, "expected groups with trailers (98) in the file"));
        };
        let mut totals = file.totals;
        totals.count(record);
        let without = totals.without(file.amending);
        agree(record, "file", without, Some("groups"))
            .or_else(|_| agree(record, "file", totals, Some("groups")))?;
        self.files += 1;
        Ok(())
    }
}

/// The parts of a detail record that are used: code, amount and text.
struct Detail {
    code: u32,
    amount: Option<Minor>,
    text: String,
}

impl Detail {
    fn of(record: &Record) -> Result<Self, Broken> {
        let line = record.line;
        let rest = record.joined();
        let mut fields = rest.split(',');
        let mut next = || fields.next().unwrap_or("").trim();
        let (kind, amount, funds) = (next(), next(), next());
        let code: u32 = kind
            .parse()
            .map_err(|_| Broken::at(line, "expected a type code of three digits in a detail"))?;
        let amount = if amount.is_empty() {
            None
        } else {
            let wrong = || {
                let found = excerpt(amount);
                Broken::at(line, format!("expected an amount in digits in a detail, found {found}"))
            };
            Some(minor(amount).ok_or_else(wrong)?)
        };
        for _ in 0..funds_fields(funds, &mut next) {
            next();
        }
        Ok(Self { code, amount, text: fields.collect::<Vec<_>>().join(",") })
    }

    /// The sign of the money, for credits and debits, for the bank's own codes, and for the
    /// payments of a loan account.
    fn direction(&self) -> Option<i64> {
        match self.code {
            100..=399 | 920..=959 | 720..=729 => Some(1),
            400..=699 | 960..=999 | 760 => Some(-1),
            _ => None,
        }
    }
}

/// Number of fields that state when the funds are available.
fn funds_fields<'a>(funds: &str, next: &mut impl FnMut() -> &'a str) -> usize {
    match funds.to_ascii_uppercase().as_str() {
        "V" => 2,
        "S" => 3,
        "D" => 2 * next().parse::<usize>().unwrap_or(0),
        _ => 0,
    }
}

/// Reads the summaries of an account: type, amount, count, funds type. An empty field in place of
/// a type is one comma too many before the end of a record.
fn summaries(line: u64, fields: &[String]) -> Result<Stated, Broken> {
    let mut stated = Stated::default();
    let mut rest = fields.iter().map(String::as_str);
    while let Some(kind) = rest.next() {
        if kind.is_empty() {
            continue;
        }
        let written = rest.next().unwrap_or("");
        let amount = minor(written);
        if !written.is_empty() {
            let amount = amount.ok_or_else(|| {
                let found = excerpt(written);
                let reason = "expected an amount in digits in an account, found";
                Broken::at(line, format!("{reason} {found}"))
            })?;
            stated.sum = added(line, stated.sum, amount.0)?;
        }
        let count = rest.next().and_then(|count| count.trim().parse().ok());
        match kind {
            "010" => stated.opening = amount,
            "015" => stated.closing = amount,
            "100" => stated.credits = count,
            "400" => stated.debits = count,
            _ => {}
        }
        let funds = rest.next().unwrap_or("");
        let skipped = funds_fields(funds, &mut || rest.next().unwrap_or(""));
        for _ in 0..skipped {
            rest.next();
        }
    }
    Ok(stated)
}

fn added(line: u64, sum: i64, amount: i64) -> Result<i64, Broken> {
    sum.checked_add(amount).ok_or_else(|| Broken::at(line, "the sum of the amounts overflows"))
}

/// Compares a trailer with the records above it: the total, the number of members when the level
/// has any, and the number of records. An empty count is not compared.
fn agree(
    record: &Record,
    level: &str,
    totals: Totals,
    members: Option<&str>,
) -> Result<(), Broken> {
    let (line, fields) = (record.line, record.fields());
    let field = |at: usize| fields.get(at).map_or("", String::as_str);
    let stated = minor(field(0));
    // An empty total is not compared either.
    if stated != Some(Minor(totals.amount)) && !field(0).is_empty() {
        let stated = stated.map_or_else(|| "none".to_owned(), |stated| stated.0.to_string());
        let sum = totals.amount;
        let reason = format!("expected the {level}'s control total {sum}, found {stated}");
        return Err(Broken::at(line, reason));
    }
    let members = members.map(|name| (name, totals.members));
    let counts = members.into_iter().chain([("records", totals.records)]);
    for (at, (name, count)) in (1..).zip(counts) {
        let stated = field(at);
        if !stated.is_empty() && stated.parse() != Ok(count) {
            let reason = format!("the {level} states {stated} {name}, found {count}");
            return Err(Broken::at(line, reason));
        }
    }
    Ok(())
}
