//! `tieout close` and `tieout reopen`: sign a business date off, and withdraw the sign-off.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use clap::Args;

use super::discrepancies::confirm;
use super::{CliError, Context};
use crate::exit::Exit;
use crate::night::{self, Run, Said, Signed, SignedDates};
use tieout_report::aligned::{AlignedTable, Colour, Side, Styled, counted, printable, wrapped};
use tieout_report::{OpenErrors, open_errors};
use tieout_store::AuditRow;

const CLOSE_EXAMPLES: &str = "\
Examples:
  tieout close 2026-11-20 --by \"Anna Example\"
  tieout close 2026-11-20 2026-11-21 --by Anna --note \"the bank owes 12,690.43 USD, ticket FIN-812\"
  tieout close 2026-11-01..2026-11-07 --by Anna --note \"seen with the bank\"
  tieout close 2026-11 --by Anna --note \"month end, see the minutes\"
  tieout close 2026-11-20 --by Anna --force --note \"terminal 1234001 was replaced that day\"";

/// Sign off business dates: their files show it, and never change again
///
/// All of them or, where one is refused, none; those that are closed already stay as they are.
/// Refused while a date is stale or not evaluated in full, unless forced with a note, and without a
/// note while errors are open. A later finding in a closed date is reported on the next open date,
/// with "prior period" in the explanation. With `[sign_off] people = 2` the first person prepares
/// the date, and a second one closes it.
#[derive(Clone, Debug, Args)]
#[command(after_help = CLOSE_EXAMPLES)]
pub struct CloseArguments {
    /// The business dates
    #[arg(value_name = "DATE", required = true)]
    pub dates: Vec<String>,
    /// Who signs them off
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// A note; required with --force, and while errors are open
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Sign them off although they are stale or not evaluated in full
    #[arg(long, requires = "note")]
    pub force: bool,
}

/// Withdraw the sign-off of a business date
#[derive(Clone, Debug, Args)]
pub struct ReopenDateArguments {
    /// The business date
    #[arg(value_name = "DATE")]
    pub date: String,
    /// Who takes it back
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: String,
}

/// Signs the dates off.
///
/// # Errors
/// When one cannot be signed off, or the person or the reason is missing.
pub fn close(arguments: &CloseArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let dates = arguments.dates.iter().map(|text| context.dates(text, &settings));
    let dates: BTreeSet<NaiveDate> =
        dates.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let dates: Vec<NaiveDate> = dates.into_iter().collect();
    let said = Said { by: &arguments.by, note: arguments.note.as_deref() };
    let run = Run::new(&settings, context.clock)?;
    let SignedDates { signed, closed_before } = night::close(&run, &dates, said, arguments.force)?;
    let before = closed_before.iter().map(|date| format!("{date} was closed before\n"));
    context.print(before.collect::<String>().as_bytes())?;
    let rows: Vec<&AuditRow> = signed.iter().map(|one| &one.row).collect();
    confirm(context, &rows, |row| {
        let one = signed.iter().find(|one| one.row.sequence == row.sequence);
        one.map(|one| open(one, context.is_coloured())).unwrap_or_default()
    })?;
    Ok(Exit::Done)
}

/// The note, and the errors that are open on the date: the number of each code, and their absolute
/// differences.
fn open(signed: &Signed, is_coloured: bool) -> String {
    let note = match signed.row.note.as_str() {
        "" => String::new(),
        note => wrapped(&format!("note: {}", printable(note)), "  "),
    };
    if signed.errors.is_empty() {
        return note;
    }
    let mut table =
        AlignedTable::new(&[("open", Side::Right), ("code", Side::Left), ("", Side::Left)]);
    for OpenErrors { code, count, differences } in open_errors(&signed.errors) {
        let code = Styled::new(code, Colour::Red);
        table.push(vec![count.to_string().into(), code, differences.into()]);
    }
    let count = signed.errors.len() as u64;
    let are = if count == 1 { "is" } else { "are" };
    let said = format!("  {} {are} open:\n", counted(count, "error", "errors"));
    note + &said + &table.render_rows("    ", is_coloured)
}

/// Withdraws the sign-off.
///
/// # Errors
/// When the date is not signed off, or the person or the reason is missing.
pub fn reopen(arguments: &ReopenDateArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let date = context.date("DATE", &arguments.date, &settings)?;
    let said = Said { by: &arguments.by, note: Some(&arguments.note) };
    let run = Run::new(&settings, context.clock)?;
    let row = night::reopen_date(&run, date, said)?;
    confirm(context, &[&row], |_| String::new())?;
    Ok(Exit::Done)
}
