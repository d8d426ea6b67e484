//! `tieout discrepancies`: listing them, looking at one, and deciding about it.

use chrono::NaiveDate;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::show;
use super::{CliError, Context, FailOn, TableArguments};
use crate::config::Settings;
use crate::exit::Exit;
use crate::judge::registry_for;
use crate::model::{Discrepancy, DiscrepancyStatus, Figure, MerchantId, Severity};
use crate::money::{Currency, Minor};
use crate::night::Job;
use crate::night::JobError;
use crate::night::Said;
use crate::report::aligned::{AlignedTable, Colour, Side, Styled};
use crate::report::discrepancies_csv;
use crate::store::{Act, AuditRow, Store};

const LIST_EXAMPLES: &str = "\
Examples:
  tieout discrepancies list
  tieout discrepancies list --code BATCH_WITHOUT_DEPOSIT --severity error
  tieout discrepancies list --date 2026-11-20 --status new,cleared --csv
  tieout discrepancies list --merchant 4525644354 --min-amount 100.00 --json";

const ACCEPT_EXAMPLES: &str = "\
Examples:
  tieout discrepancies accept 90c3d1e2f4a5b6c7 --by \"Anna Example\" --note \"fee waived, case 812\"
  tieout discrepancies accept 90c3d1e2f4a5b6c7 --by Anna --note \"until the credit\" --until 2026-12-31";

/// What to do about discrepancies.
#[derive(Clone, Debug, Subcommand)]
pub enum DiscrepanciesCommand {
    List(ListArguments),
    Show(ShowArguments),
    Accept(AcceptArguments),
    Reopen(ReopenArguments),
}

/// The words of `--status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatusName {
    New,
    Open,
    Cleared,
    Accepted,
}

impl StatusName {
    fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Open => "open",
            Self::Cleared => "cleared",
            Self::Accepted => "accepted",
        }
    }
}

/// List discrepancies of a business date
#[derive(Clone, Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArguments {
    /// Business date [default: the latest that was reconciled]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub date: Option<String>,
    /// Only of these merchants
    #[arg(long, value_name = "MID", value_delimiter = ',')]
    pub merchant: Vec<String>,
    /// Only with these codes
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub code: Vec<String>,
    /// Only with these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', default_value = "new,open")]
    pub status: Vec<StatusName>,
    /// Only of this severity or a graver one
    #[arg(long, value_name = "LEVEL")]
    pub severity: Option<FailOn>,
    /// Only with a difference of at least this much, in major units of its currency
    #[arg(long, value_name = "AMOUNT")]
    pub min_amount: Option<String>,
    /// Print CSV, with the columns of discrepancies.csv
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Show one with its evidence: both sides, the records behind it, the pages they came from,
/// what decided, what was done about it, and the API's own JSON
#[derive(Clone, Debug, Args)]
pub struct ShowArguments {
    /// Its id, or as much of the beginning as tells it from the others
    pub id: String,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Accept an open discrepancy: it leaves the open list and stays in the audit trail
#[derive(Clone, Debug, Args)]
#[command(after_help = ACCEPT_EXAMPLES)]
pub struct AcceptArguments {
    /// Its id, or as much of the beginning as tells it from the others
    pub id: String,
    /// Who accepts it
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: String,
    /// The last business date that it is accepted for; after it, it is open again
    #[arg(long, value_name = "DATE")]
    pub until: Option<NaiveDate>,
}

/// Take an acceptance back
#[derive(Clone, Debug, Args)]
pub struct ReopenArguments {
    /// Its id, or as much of the beginning as tells it from the others
    pub id: String,
    /// Who takes it back
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no store, no such discrepancy, or the decision is refused.
pub fn execute(command: &DiscrepanciesCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        DiscrepanciesCommand::List(arguments) => list(arguments, context),
        DiscrepanciesCommand::Show(arguments) => show::execute(arguments, context),
        DiscrepanciesCommand::Accept(arguments) => {
            let settings = context.settings()?;
            let job = Job::new(&settings, context.clock)?;
            let said = Said { by: &arguments.by, note: &arguments.note };
            let row = job.accept(&arguments.id, said, arguments.until)?;
            context.print(confirmation(&row).as_bytes())?;
            Ok(Exit::Done)
        }
        DiscrepanciesCommand::Reopen(arguments) => {
            let settings = context.settings()?;
            let job = Job::new(&settings, context.clock)?;
            let said = Said { by: &arguments.by, note: &arguments.note };
            let row = job.reopen(&arguments.id, said)?;
            context.print(confirmation(&row).as_bytes())?;
            Ok(Exit::Done)
        }
    }
}

/// What was done, in a line.
pub(super) fn confirmation(row: &AuditRow) -> String {
    let until = row.until.map(|date| format!(" up to and including {date}")).unwrap_or_default();
    let what = match row.act.as_str() {
        act if act == Act::Accept.as_str() => {
            format!("{} is accepted from business date {}{until}", row.subject, row.business_date)
        }
        act if act == Act::Reopen.as_str() => {
            format!("{} is open again from business date {}", row.subject, row.business_date)
        }
        act if act == Act::Close.as_str() => {
            format!("{} is closed: its files never change again", row.subject)
        }
        _ => format!("{} is open again, and stale: tieout reconcile --stale", row.subject),
    };
    format!("{what} (audit row {})\n", row.sequence)
}

/// A discrepancy with the status that a person sees.
struct Listed {
    status: StatusName,
    stored: Discrepancy,
}

fn list(arguments: &ListArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let store = Store::open_for_reading(&settings.store_path).map_err(JobError::Store)?;
    let date = match &arguments.date {
        Some(text) => Some(context.date("--date", text, &settings)?),
        None => store.latest_reconciled().map_err(JobError::Store)?,
    };
    let least = arguments.min_amount.as_deref().map(Least::parse).transpose()?;
    let mut rows = match date {
        Some(date) => rows(&store, date, arguments.date.is_none()).map_err(JobError::Store)?,
        None => Vec::new(),
    };
    if let Some(date) = date {
        // A date without rows and a date that nobody looked at read alike.
        let day = store.day(date).map_err(JobError::Store)?;
        if !day.is_some_and(|day| day.is_reconciled) {
            return Err(JobError::NeverReconciled { business_date: date }.into());
        }
    }
    are_known(arguments, &settings, &rows)?;
    rows.retain(|listed| is_wanted(listed, arguments, least));
    print_list(context, date, &rows, arguments)?;
    Ok(Exit::Done)
}

/// Refuses a code and a merchant that nobody knows: a slip of the pen would find nothing, and
/// look as if nothing were wrong.
fn are_known(
    arguments: &ListArguments,
    settings: &Settings,
    rows: &[Listed],
) -> Result<(), CliError> {
    for text in arguments.code.iter().map(|code| code.trim()) {
        let is_listed = rows.iter().any(|listed| listed.stored.code.eq_ignore_ascii_case(text));
        let registry = registry_for(settings).map_err(JobError::from)?;
        if !is_listed && registry.find(&text.to_ascii_uppercase()).is_none() {
            return Err(CliError::UnknownCode { text: text.to_owned() });
        }
    }
    for text in arguments.merchant.iter().map(|merchant| merchant.trim()) {
        let is_listed = rows.iter().any(|listed| listed.stored.merchant_id == text);
        let is_configured =
            settings.merchants.is_empty() || settings.merchant(&MerchantId::from(text)).is_some();
        if !is_listed && !is_configured {
            return Err(CliError::UnknownMerchant { text: text.to_owned() });
        }
    }
    Ok(())
}

/// The rows of a date. Of the latest one with what was said since it was reported.
fn rows(
    store: &Store,
    date: NaiveDate,
    is_latest: bool,
) -> Result<Vec<Listed>, crate::store::StoreError> {
    let mut listed: Vec<Listed> = store
        .discrepancies(date)?
        .into_iter()
        .map(|stored| Listed {
            status: match stored.status {
                DiscrepancyStatus::New => StatusName::New,
                DiscrepancyStatus::Open => StatusName::Open,
                DiscrepancyStatus::Cleared => StatusName::Cleared,
            },
            stored,
        })
        .collect();
    listed.extend(
        store
            .accepted(date)?
            .into_iter()
            .map(|stored| Listed { status: StatusName::Accepted, stored }),
    );
    if let Some(next) = date.succ_opt().filter(|_| is_latest) {
        for one in &mut listed {
            let is_there = one.status != StatusName::Cleared && one.stored.is_carried;
            if is_there && store.is_accepted(&one.stored.discrepancy_id, next)? {
                one.status = StatusName::Accepted;
            } else if one.status == StatusName::Accepted {
                one.status = StatusName::Open;
            }
        }
    }
    listed.sort_by(|one, other| {
        let key = |listed: &Listed| {
            let row = &listed.stored;
            (
                std::cmp::Reverse(row.severity),
                row.code.clone(),
                row.merchant_id.clone(),
                row.discrepancy_id.clone(),
            )
        };
        key(one).cmp(&key(other))
    });
    Ok(listed)
}

fn is_wanted(listed: &Listed, arguments: &ListArguments, least: Option<Least>) -> bool {
    let row = &listed.stored;
    let has = |wanted: &[String], found: &str| {
        wanted.is_empty() || wanted.iter().any(|one| one.trim().eq_ignore_ascii_case(found))
    };
    let is_large = least.is_none_or(|least| match (row.figure, row.difference, row.currency) {
        (Figure::Amount, Some(difference), Some(currency)) => {
            least.is_reached_by(difference, currency)
        }
        // A number of records is no amount, and one in an unknown currency is of no size.
        _ => false,
    });
    is_large
        && arguments.status.contains(&listed.status)
        && has(&arguments.merchant, &row.merchant_id)
        && has(&arguments.code, &row.code)
        && arguments.severity.is_none_or(|level| row.severity >= Severity::from(level))
}

/// An amount in major units of any currency, exactly as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Least {
    /// All digits, without the point.
    digits: i64,
    decimals: u32,
}

/// More decimals than any currency has need no room.
const MAX_DECIMALS: usize = 6;

impl Least {
    fn parse(text: &str) -> Result<Self, CliError> {
        let refused = || CliError::Amount { text: text.to_owned() };
        let trimmed = text.trim();
        let (whole, decimals) = match trimmed.split_once('.') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (trimmed, None),
        };
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let are_numbers = is_number(whole) && decimals.is_none_or(is_number);
        let decimals = decimals.unwrap_or_default();
        if !are_numbers || decimals.len() > MAX_DECIMALS {
            return Err(refused());
        }
        Ok(Self {
            digits: format!("{whole}{decimals}").parse().map_err(|_| refused())?,
            decimals: u32::try_from(decimals.len()).map_err(|_| refused())?,
        })
    }

    /// Whether the size of a difference is this much at least; nothing is rounded.
    fn is_reached_by(self, difference: i64, currency: Currency) -> bool {
        // At most 19 digits and as many zeros as the other side has decimals: it fits.
        let size = i128::from(difference).abs() * 10_i128.pow(self.decimals);
        size >= i128::from(self.digits) * 10_i128.pow(currency.exponent())
    }
}

fn print_list(
    context: &Context,
    date: Option<NaiveDate>,
    kept: &[Listed],
    arguments: &ListArguments,
) -> Result<(), CliError> {
    if arguments.table.json {
        let rows: Vec<Value> = kept.iter().map(json_row).collect();
        return context.print_json(&rows);
    }
    if arguments.csv {
        let rows = kept.iter().map(|listed| (&listed.stored, listed.status.as_str()));
        let text = discrepancies_csv(rows).map_err(CliError::Output)?;
        return context.print(&text);
    }
    let mut table = AlignedTable::new(&[
        ("id", Side::Left),
        ("severity", Side::Left),
        ("code", Side::Left),
        ("status", Side::Left),
        ("merchant", Side::Left),
        ("difference", Side::Right),
        ("age", Side::Right),
        ("what", Side::Left),
    ]);
    for listed in kept {
        let row = &listed.stored;
        let colour = match row.severity {
            Severity::Error => Colour::Red,
            Severity::Warning => Colour::Yellow,
            Severity::Info => Colour::Plain,
        };
        table.push(vec![
            Styled::from(&row.discrepancy_id),
            Styled::new(row.severity.as_str(), colour),
            Styled::from(&row.code),
            Styled::from(listed.status.as_str()),
            Styled::from(&row.merchant_id),
            Styled::from(figure(&listed.stored, row.difference)),
            Styled::from(row.age_days.to_string()),
            Styled::from(&row.explanation),
        ]);
    }
    let mut text = table.render("", context.is_coloured());
    let of = date.map_or_else(
        || "nothing was reconciled yet".to_owned(),
        |date| format!("{} on {date}", kept.len()),
    );
    text.push_str(&of);
    text.push('\n');
    context.print(text.as_bytes())
}

/// A figure of a discrepancy in major units, with its currency; a plain number for a count.
pub(super) fn figure(stored: &Discrepancy, value: Option<i64>) -> String {
    let row = stored;
    match (value, row.figure, row.currency) {
        (None, ..) => String::new(),
        (Some(value), crate::model::Figure::Count, _) => value.to_string(),
        (Some(value), _, Some(currency)) => {
            format!("{} {}", currency.format(Minor(value)), currency.code())
        }
        (Some(value), _, None) => format!("{value} minor units"),
    }
}

fn json_row(listed: &Listed) -> Value {
    let mut value = json_of(&listed.stored);
    value["status"] = json!(listed.status.as_str());
    value
}

/// The columns of `discrepancies.csv` as a JSON object; unknown is null.
pub(super) fn json_of(stored: &Discrepancy) -> Value {
    let row = stored;
    let amount = |value: Option<i64>| match (row.figure, row.currency) {
        (crate::model::Figure::Count, _) => json!(value),
        (_, Some(currency)) => json!(value.map(|value| currency.format(Minor(value)))),
        (_, None) => Value::Null,
    };
    let text = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    json!({
        "discrepancy_id": row.discrepancy_id,
        "code": row.code,
        "severity": row.severity.as_str(),
        "status": row.status.as_str(),
        "business_date": row.business_date,
        "first_seen": row.first_seen,
        "age_days": row.age_days,
        "merchant_id": row.merchant_id,
        "merchant_name": text(&row.merchant_name),
        // A number of records is in no currency.
        "currency": row.currency.filter(|_| row.figure == Figure::Amount).map(Currency::code),
        "expected": amount(row.expected),
        "actual": amount(row.actual),
        "difference": amount(row.difference),
        "batch_date": row.batch_date,
        "batch_id": text(&row.ids.batch_id),
        "ach_deposit_id": text(&row.ids.ach_deposit_id),
        "authorization_id": text(&row.ids.authorization_id),
        "transaction_id": text(&row.ids.transaction_id),
        "payment_id": text(&row.ids.payment_id),
        "refund_id": text(&row.ids.refund_id),
        "order_id": text(&row.ids.order_id),
        "ledger_id": text(&row.ids.ledger_id),
        "explanation": row.explanation,
        "action": row.action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_amounts_in_major_units_without_rounding() {
        for (text, code, difference, is_reached) in [
            ("12.5", "USD", 1_250, true),
            ("12.5", "USD", -1_250, true),
            ("12.5", "USD", 1_249, false),
            ("12.505", "USD", 1_250, false),
            ("12.505", "USD", 1_251, true),
            ("12.5", "JPY", 12, false),
            ("12.5", "JPY", 13, true),
            ("1.500", "KWD", 1_500, true),
            ("1.5001", "KWD", 1_500, false),
            ("0", "USD", 0, true),
            ("9223372036854775807", "USD", i64::MAX, false),
            ("0.01", "USD", i64::MIN, true),
        ] {
            let currency = Currency::from_code(code).unwrap();
            let least = Least::parse(text).unwrap();
            let found = least.is_reached_by(difference, currency);
            assert_eq!(found, is_reached, "{text} {code}, {difference}");
        }
    }

    #[test]
    fn refuses_what_is_no_amount() {
        for text in [
            "",
            " ",
            "-1",
            "ten",
            "1,000.00",
            "1.",
            ".5",
            "1.2.3",
            "1e3",
            "1.1234567",
            "99999999999999999999",
        ] {
            assert!(Least::parse(text).is_err(), "{text}");
        }
    }
}
