//! `tieout discrepancies`: list, show, accept and reopen.

mod fields;
mod least;
mod list;
mod show;

use chrono::NaiveDate;
use clap::{Args, Subcommand};

use super::{CliError, Context};
use crate::exit::Exit;
use crate::night::{self, Said};
pub use list::ListArguments;
pub use show::ShowArguments;
use tieout_store::{Act, AuditRow};

const ACCEPT_EXAMPLES: &str = "\
Examples:
  tieout discrepancies accept 90c3d1e2f4a5b6c7 --by \"Anna Example\" --note \"fee waived, case 812\"
  tieout discrepancies accept 90c3d1e2f4a5b6c7 --by Anna --note \"until the credit\" --until 2026-12-31";

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum DiscrepanciesCommand {
    List(ListArguments),
    Show(ShowArguments),
    Accept(AcceptArguments),
    Reopen(ReopenArguments),
}

/// Accept an open discrepancy: it leaves the open list and stays in the audit trail
#[derive(Clone, Debug, Args)]
#[command(after_help = ACCEPT_EXAMPLES)]
pub struct AcceptArguments {
    /// Its id, or an unambiguous beginning of it
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
    /// Its id, or an unambiguous beginning of it
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
        DiscrepanciesCommand::List(arguments) => list::execute(arguments, context),
        DiscrepanciesCommand::Show(arguments) => show::execute(arguments, context),
        DiscrepanciesCommand::Accept(arguments) => {
            let settings = context.settings()?;
            let said = Said { by: &arguments.by, note: &arguments.note };
            let row =
                night::accept(&settings, context.clock, &arguments.id, said, arguments.until)?;
            context.print(confirmation(&row).as_bytes())?;
            Ok(Exit::Done)
        }
        DiscrepanciesCommand::Reopen(arguments) => {
            let settings = context.settings()?;
            let said = Said { by: &arguments.by, note: &arguments.note };
            let row = night::reopen(&settings, context.clock, &arguments.id, said)?;
            context.print(confirmation(&row).as_bytes())?;
            Ok(Exit::Done)
        }
    }
}

/// What was done, in one line.
pub(super) fn confirmation(row: &AuditRow) -> String {
    let until = row.until.map(|date| format!(" up to and including {date}")).unwrap_or_default();
    let what = match row.act.as_str() {
        act if act == Act::Accept.as_str() => {
            format!("{} is accepted from business date {}{until}", row.subject, row.business_date)
        }
        act if act == Act::Reopen.as_str() => {
            format!("{} is open again from business date {}", row.subject, row.business_date)
        }
        act if act == Act::Prepare.as_str() => {
            format!("{} is prepared: somebody else closes it", row.subject)
        }
        act if act == Act::Close.as_str() => {
            format!("{} is closed: its files never change again", row.subject)
        }
        _ => format!("{} is open again, and stale: tieout reconcile --stale", row.subject),
    };
    format!("{what} (audit row {})\nhead of the audit trail: {}\n", row.sequence, row.hash)
}
