//! `tieout discrepancies`: list, show, accept, assign and reopen.

mod assign;
mod fields;
mod least;
mod list;
mod said;
mod show;

use chrono::NaiveDate;
use clap::{Args, Subcommand};

use super::{CliError, Context};
use crate::exit::Exit;
use crate::night::{self, Accepted, Said};
pub use assign::AssignArguments;
pub use list::ListArguments;
use said::Ids;
pub(super) use said::confirm;
pub use show::ShowArguments;
use tieout_report::aligned::printable;
use tieout_store::AuditRow;

const ACCEPT_EXAMPLES: &str = "\
Examples:
  tieout discrepancies accept 90c3d1e2f4a5b6c7 --by \"Anna Example\" --note \"fee waived, case 812\"
  tieout discrepancies accept 90c3d1e2 5b1f0a77 --by Anna --note \"until the credit\" --until 2026-12-31

Accepting an accepted discrepancy replaces the earlier acceptance.";

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum DiscrepanciesCommand {
    List(ListArguments),
    Show(ShowArguments),
    Assign(AssignArguments),
    Accept(AcceptArguments),
    Reopen(ReopenArguments),
}

/// Accept open discrepancies: they leave the open list and stay in the audit trail
#[derive(Clone, Debug, Args)]
#[command(after_help = ACCEPT_EXAMPLES)]
pub struct AcceptArguments {
    #[command(flatten)]
    pub about: Ids,
    /// Who accepts them
    #[arg(long, value_name = "WHO")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: String,
    /// The last business date that they are accepted for; after it, they are open again
    #[arg(long, value_name = "DATE")]
    pub until: Option<NaiveDate>,
}

/// Take acceptances back
#[derive(Clone, Debug, Args)]
pub struct ReopenArguments {
    #[command(flatten)]
    pub about: Ids,
    /// Who takes them back
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
        DiscrepanciesCommand::List(arguments) => return list::execute(arguments, context),
        DiscrepanciesCommand::Show(arguments) => return show::execute(arguments, context),
        DiscrepanciesCommand::Assign(arguments) => assign::execute(arguments, context)?,
        DiscrepanciesCommand::Accept(arguments) => accept(arguments, context)?,
        DiscrepanciesCommand::Reopen(arguments) => {
            let settings = context.settings()?;
            let said = Said { by: &arguments.by, note: Some(&arguments.note) };
            let rows = night::reopen(&settings, context.clock, &arguments.about.ids, said)?;
            confirm(context, &rows.iter().collect::<Vec<_>>(), |_| String::new())?;
        }
    }
    Ok(Exit::Done)
}

fn accept(arguments: &AcceptArguments, context: &Context) -> Result<(), CliError> {
    let settings = context.settings()?;
    let said = Said { by: &arguments.by, note: Some(&arguments.note) };
    let ids = &arguments.about.ids;
    let accepted = night::accept(&settings, context.clock, ids, said, arguments.until)?;
    let rows: Vec<&AuditRow> = accepted.iter().map(|one| &one.row).collect();
    let already = |row: &AuditRow| {
        let one = accepted.iter().find(|one| one.row.sequence == row.sequence);
        one.and_then(|one: &Accepted| one.before.as_ref()).map(accepted_before).unwrap_or_default()
    };
    confirm(context, &rows, already)
}

/// The acceptance that another one replaces.
fn accepted_before(row: &AuditRow) -> String {
    let until = row.until.map_or_else(|| "for good".to_owned(), |date| format!("until {date}"));
    let (who, note) = (printable(&row.who), printable(&row.note));
    format!("  it was accepted already, by {who} from {} {until}: {note}\n", row.business_date)
}
