//! `tieout discrepancies list`: the discrepancies of a business date, filtered, as a table, CSV
//! or JSON.

use chrono::NaiveDate;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::fields::json_of;
use super::least::Least;
use crate::cli::{CliError, Context, FailOn, TableArguments};
use crate::exit::Exit;
use crate::night::NightError;
use tieout_config::Settings;
use tieout_judge::registry_for;
use tieout_model::{Discrepancy, DiscrepancyStatus, Figure, MerchantId, Severity};
use tieout_report::discrepancies_csv;
use tieout_report::terminal::{DiscrepancyLine, findings};
use tieout_store::{Store, days, decisions, discrepancies};

const LIST_EXAMPLES: &str = "\
Examples:
  tieout discrepancies list
  tieout discrepancies list --code BATCH_WITHOUT_DEPOSIT --severity error
  tieout discrepancies list --date 2026-11-20 --status new,cleared --csv
  tieout discrepancies list --merchant 4525644354 --min-amount 100.00 --json";

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
    /// Only these merchants
    #[arg(long, value_name = "MID", value_delimiter = ',')]
    pub merchant: Vec<String>,
    /// Only these codes
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub code: Vec<String>,
    /// Only these statuses
    #[arg(long, value_name = "STATUS", value_delimiter = ',', default_value = "new,open")]
    pub status: Vec<StatusName>,
    /// Only of this severity or a more severe one
    #[arg(long, value_name = "LEVEL")]
    pub severity: Option<FailOn>,
    /// Only differences of at least this much, in major units of its currency
    #[arg(long, value_name = "AMOUNT")]
    pub min_amount: Option<String>,
    /// Print CSV, with the columns of discrepancies.csv
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    #[command(flatten)]
    pub table: TableArguments,
}

/// A discrepancy with the status that a person sees.
struct Listed {
    status: StatusName,
    stored: Discrepancy,
}

/// Prints the discrepancies that the arguments ask for.
///
/// # Errors
/// When there is no store, the date was never reconciled, or a filter names nothing known.
pub fn execute(arguments: &ListArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let store = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    let date = match &arguments.date {
        Some(text) => Some(context.date("--date", text, &settings)?),
        None => days::latest_reconciled(&store).map_err(NightError::Store)?,
    };
    let least = arguments.min_amount.as_deref().map(Least::parse).transpose()?;
    let mut rows = match date {
        Some(date) => rows(&store, date, arguments.date.is_none()).map_err(NightError::Store)?,
        None => Vec::new(),
    };
    if let Some(date) = date {
        // An empty list must not suggest that the date was reconciled.
        let day = days::of_date(&store, date).map_err(NightError::Store)?;
        if !day.is_some_and(|day| day.is_reconciled) {
            return Err(NightError::NeverReconciled { business_date: date }.into());
        }
    }
    are_known(arguments, &settings, &rows)?;
    rows.retain(|listed| is_wanted(listed, arguments, least));
    print_list(context, date, &rows, arguments)?;
    Ok(Exit::Done)
}

/// Refuses an unknown code or merchant: an empty list after a typing error would look like a clean
/// date.
fn are_known(
    arguments: &ListArguments,
    settings: &Settings,
    rows: &[Listed],
) -> Result<(), CliError> {
    for text in arguments.code.iter().map(|code| code.trim()) {
        let is_listed = rows.iter().any(|listed| listed.stored.code.eq_ignore_ascii_case(text));
        let registry = registry_for(settings).map_err(NightError::from)?;
        if !is_listed && registry.find(&text.to_ascii_uppercase()).is_none() {
            return Err(CliError::UnknownCode { text: text.to_owned() });
        }
    }
    for text in arguments.merchant.iter().map(|merchant| merchant.trim()) {
        let id = MerchantId::from(text);
        let is_listed = rows.iter().any(|listed| listed.stored.merchant_id == id);
        let is_configured = settings.merchants.is_empty() || settings.merchant(&id).is_some();
        if !is_listed && !is_configured {
            return Err(CliError::UnknownMerchant { text: text.to_owned() });
        }
    }
    Ok(())
}

/// The rows of a date; for the latest one with the decisions made since its report.
fn rows(
    store: &Store,
    date: NaiveDate,
    is_latest: bool,
) -> Result<Vec<Listed>, tieout_store::StoreError> {
    let mut listed: Vec<Listed> = discrepancies::of_date(store, date)?
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
        discrepancies::accepted(store, date)?
            .into_iter()
            .map(|stored| Listed { status: StatusName::Accepted, stored }),
    );
    if let Some(next) = date.succ_opt().filter(|_| is_latest) {
        let mut assigned = decisions::assignments(store, next)?;
        for one in &mut listed {
            one.stored.assigned = assigned.remove(&one.stored.discrepancy_id).unwrap_or_default();
            let is_there = one.status != StatusName::Cleared && one.stored.is_carried;
            if is_there && decisions::is_accepted(store, &one.stored.discrepancy_id, next)? {
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
        // Neither a count nor an amount of unknown currency can be compared with an amount.
        _ => false,
    });
    is_large
        && arguments.status.contains(&listed.status)
        && has(&arguments.merchant, row.merchant_id.as_str())
        && has(&arguments.code, &row.code)
        && arguments.severity.is_none_or(|level| row.severity >= Severity::from(level))
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
    let lines = kept.iter();
    let lines = lines.map(|listed| DiscrepancyLine::of(&listed.stored, listed.status.as_str()));
    let table = findings(&lines.collect::<Vec<_>>());
    let mut text = table.render("", context.is_coloured());
    let of = date.map_or_else(
        || "nothing has been reconciled yet".to_owned(),
        |date| format!("{} on {date}", kept.len()),
    );
    text.push_str(&of);
    text.push('\n');
    context.print(text.as_bytes())
}

fn json_row(listed: &Listed) -> Value {
    let mut value = json_of(&listed.stored);
    value["status"] = json!(listed.status.as_str());
    value
}
