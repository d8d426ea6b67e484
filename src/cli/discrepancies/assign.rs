//! `tieout discrepancies assign`: owner, ticket, due date and note of discrepancies.

use chrono::NaiveDate;
use clap::{ArgGroup, Args, ValueEnum};

use super::said::{Ids, confirm};
use crate::cli::{CliError, Context};
use crate::night::{self, Assigning, Cleared};

const EXAMPLES: &str = "\
Examples:
  tieout discrepancies assign 90c3d1e2 --to \"Anna Example\" --ticket FIN-812 --due 2026-12-01
  tieout discrepancies assign 90c3d1e2 5b1f0a77 --to Anna --note \"the bank was asked\"
  tieout discrepancies assign 90c3d1e2 --clear=ticket,due
  tieout discrepancies assign 90c3d1e2 --clear

Values that are not given stay as they are.";

/// Assign open discrepancies: owner, ticket, due date and note
///
/// The assignment is kept in the audit trail, and is in every report from the next business date on.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("said").required(true).multiple(true))]
pub struct AssignArguments {
    #[command(flatten)]
    pub about: Ids,
    /// Who works on them
    #[arg(long, value_name = "WHO", group = "said")]
    pub to: Option<String>,
    /// The ticket under which they are worked on
    #[arg(long, value_name = "TICKET", group = "said")]
    pub ticket: Option<String>,
    /// When they are to be settled
    #[arg(long, value_name = "DATE", group = "said")]
    pub due: Option<NaiveDate>,
    /// A note for other readers
    #[arg(long, value_name = "TEXT", group = "said")]
    pub note: Option<String>,
    /// Remove these values; all of them when none is named
    #[arg(
        long,
        value_name = "WHAT",
        group = "said",
        value_delimiter = ',',
        num_args = 0..,
        require_equals = true,
        default_missing_value = "owner,ticket,due,note"
    )]
    pub clear: Vec<Part>,
    /// Who assigns them [default: the owner]
    #[arg(long, value_name = "WHO")]
    pub by: Option<String>,
}

/// The words of `--clear`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    Owner,
    Ticket,
    Due,
    Note,
}

impl From<Part> for Cleared {
    fn from(part: Part) -> Self {
        match part {
            Part::Owner => Self::Owner,
            Part::Ticket => Self::Ticket,
            Part::Due => Self::Due,
            Part::Note => Self::Note,
        }
    }
}

/// Assigns the discrepancies.
///
/// # Errors
/// When one of them is not open, or a value is refused.
pub(super) fn execute(arguments: &AssignArguments, context: &Context) -> Result<(), CliError> {
    let settings = context.settings()?;
    let said = Assigning {
        by: arguments.by.as_deref(),
        owner: arguments.to.as_deref(),
        ticket: arguments.ticket.as_deref(),
        due_date: arguments.due,
        note: arguments.note.as_deref(),
        cleared: arguments.clear.iter().copied().map(Cleared::from).collect(),
    };
    let rows = night::assign(&settings, context.clock, &arguments.about.ids, &said)?;
    confirm(context, &rows.iter().collect::<Vec<_>>(), |_| String::new())
}
