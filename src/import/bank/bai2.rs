//! BAI2, the cash management format of banks in North America: records of comma-separated
//! fields, with control totals on every level, all of which must agree.

use chrono::NaiveDate;

use super::number::{minor, short_date};
use super::statement::{Broken, Entry, Statement, last4};
use crate::money::{Currency, Minor};

/// A record with its continuations.
struct Record<'a> {
    line: u64,
    code: &'a str,
    /// What follows the code, without the slash at its end.
    rest: String,
}

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut reader = Reader::default();
    for record in records(text)? {
        reader.take(&record)?;
    }
    if !reader.is_closed {
        let line = text.lines().count() as u64;
        return Err(Broken::at(line, "expected a file trailer (99), found the end of the file"));
    }
    Ok(reader.statement)
}

fn records(text: &str) -> Result<Vec<Record<'_>>, Broken> {
    let mut records: Vec<Record<'_>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let (code, rest) = line.split_once(',').unwrap_or((line, ""));
        // Texts may end in a slash of their own; one more is the end of the record.
        let rest = rest.strip_suffix('/').unwrap_or(rest).trim_end();
        match (code, records.last_mut()) {
            ("88", Some(last)) => {
                // The summaries of an account go on as fields, a text as text.
                last.rest.push(if last.code == "16" { ' ' } else { ',' });
                last.rest.push_str(rest);
            }
            ("01" | "02" | "03" | "16" | "49" | "98" | "99", _) => {
                records.push(Record { line: number, code, rest: rest.to_owned() });
            }
            _ => return Err(Broken::at(number, "expected a BAI2 record code, found another text")),
        }
    }
    Ok(records)
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    group: Option<Group>,
    account: Option<Account>,
    groups_total: i64,
    is_closed: bool,
}

struct Group {
    date: NaiveDate,
    currency: String,
    /// Whether the day was over when the file was made.
    is_final: bool,
    total: i64,
}

struct Account {
    last4: String,
    currency: Currency,
    total: i64,
}

impl Reader {
    fn take(&mut self, record: &Record<'_>) -> Result<(), Broken> {
        if self.is_closed {
            return Err(Broken::at(record.line, "expected nothing after the file trailer (99)"));
        }
        let fields: Vec<&str> = record.rest.split(',').map(str::trim).collect();
        match record.code {
            "01" => Ok(()),
            "02" => self.begin_group(record.line, &fields),
            "03" => self.begin_account(record.line, &fields),
            "16" => self.detail(record),
            "49" => self.end_account(record.line, &fields),
            "98" => self.end_group(record.line, &fields),
            _ => self.end_file(record.line, &fields),
        }
    }

    fn begin_group(&mut self, line: u64, fields: &[&str]) -> Result<(), Broken> {
        let field = |at: usize| fields.get(at).copied().unwrap_or("");
        // 2 deletes, 3 corrects, 4 is a test: none of them can be added to what is known.
        if !matches!(field(2), "" | "1") {
            let found = field(2);
            return Err(Broken::at(line, format!("expected group status 1, found {found}")));
        }
        let date = short_date(field(3))
            .ok_or_else(|| Broken::at(line, "expected an as-of date as YYMMDD"))?;
        let currency = if field(5).is_empty() { "USD" } else { field(5) };
        let is_final = !matches!(field(6), "1" | "3");
        self.group = Some(Group { date, currency: currency.to_owned(), is_final, total: 0 });
        Ok(())
    }

    fn begin_account(&mut self, line: u64, fields: &[&str]) -> Result<(), Broken> {
        let Some(group) = &self.group else {
            return Err(Broken::at(line, "expected a group (02) before an account (03)"));
        };
        let code = fields.get(1).copied().filter(|code| !code.is_empty());
        let code = code.unwrap_or(&group.currency);
        let currency = Currency::from_code(code)
            .ok_or_else(|| Broken::at(line, "expected a currency of ISO 4217"))?;
        let total = summaries(line, fields.get(2..).unwrap_or_default())?;
        let last4 = last4(fields.first().copied().unwrap_or(""));
        if group.is_final {
            let date = group.date;
            self.statement.covers(&last4, date, date);
        }
        self.account = Some(Account { last4, currency, total });
        Ok(())
    }

    fn detail(&mut self, record: &Record<'_>) -> Result<(), Broken> {
        let line = record.line;
        let (Some(group), Some(account)) = (&self.group, &mut self.account) else {
            return Err(Broken::at(line, "expected an account (03) before a detail (16)"));
        };
        let mut fields = record.rest.split(',');
        let mut next = || fields.next().unwrap_or("").trim();
        let (kind, amount, funds) = (next(), next(), next());
        let type_code: u32 = kind
            .parse()
            .map_err(|_| Broken::at(line, "expected a type code of three digits in a detail"))?;
        // Non-monetary details have no amount.
        let amount = if amount.is_empty() { "0" } else { amount };
        let amount = minor(amount)
            .ok_or_else(|| Broken::at(line, "expected an amount in digits in a detail"))?;
        account.total = added(line, account.total, amount.0)?;
        let skipped = match funds {
            "V" => 2,
            "S" => 3,
            "D" => 2 * next().parse::<usize>().unwrap_or(0),
            _ => 0,
        };
        for _ in 0..skipped {
            next();
        }
        let text = fields.collect::<Vec<_>>().join(",");
        let signed = match type_code {
            100..=399 => amount,
            400..=699 => Minor(-amount.0),
            // Loans and what moves no money.
            _ => return Ok(()),
        };
        self.statement.entries.push(Entry {
            line,
            account_last4: account.last4.clone(),
            date: group.date,
            amount: signed,
            currency: account.currency,
            text,
        });
        Ok(())
    }

    fn end_account(&mut self, line: u64, fields: &[&str]) -> Result<(), Broken> {
        let (Some(group), Some(account)) = (&mut self.group, self.account.take()) else {
            return Err(Broken::at(line, "expected an account (03) before its trailer (49)"));
        };
        agree(line, "account", fields, account.total)?;
        group.total = added(line, group.total, account.total)?;
        Ok(())
    }

    fn end_group(&mut self, line: u64, fields: &[&str]) -> Result<(), Broken> {
        let (Some(group), None) = (self.group.take(), &self.account) else {
            return Err(Broken::at(line, "expected accounts with trailers (49) in a group"));
        };
        agree(line, "group", fields, group.total)?;
        self.groups_total = added(line, self.groups_total, group.total)?;
        Ok(())
    }

    fn end_file(&mut self, line: u64, fields: &[&str]) -> Result<(), Broken> {
        if self.group.is_some() {
            return Err(Broken::at(line, "expected groups with trailers (98) in the file"));
        }
        agree(line, "file", fields, self.groups_total)?;
        self.is_closed = true;
        Ok(())
    }
}

/// The sum of the amounts in the summaries of an account: type, amount, count, funds type.
fn summaries(line: u64, fields: &[&str]) -> Result<i64, Broken> {
    let mut sum = 0;
    let mut rest = fields.iter().copied();
    while rest.next().is_some() {
        let amount = rest.next().unwrap_or("");
        if !amount.is_empty() {
            let amount = minor(amount)
                .ok_or_else(|| Broken::at(line, "expected an amount in digits in an account"))?;
            sum = added(line, sum, amount.0)?;
        }
        rest.next();
        let skipped = match rest.next().unwrap_or("") {
            "V" => 2,
            "S" => 3,
            "D" => 2 * rest.next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0),
            _ => 0,
        };
        for _ in 0..skipped {
            rest.next();
        }
    }
    Ok(sum)
}

fn added(line: u64, sum: i64, amount: i64) -> Result<i64, Broken> {
    sum.checked_add(amount).ok_or_else(|| Broken::at(line, "the sum of the amounts overflows"))
}

fn agree(line: u64, level: &str, fields: &[&str], sum: i64) -> Result<(), Broken> {
    let stated = fields.first().and_then(|text| minor(text));
    if stated == Some(Minor(sum)) {
        return Ok(());
    }
    let stated = stated.map_or_else(|| "none".to_owned(), |stated| stated.0.to_string());
    Err(Broken::at(line, format!("expected the {level}'s control total {sum}, found {stated}")))
}
