//! The subjects of a decision, and the program's confirmation.

use std::fmt::Write as _;

use clap::Args;

use crate::cli::{CliError, Context};
use tieout_report::aligned::printable;
use tieout_store::{Act, AuditRow};

/// The discrepancies that a decision applies to. If one is refused, it applies to none.
#[derive(Clone, Debug, Args)]
pub struct Ids {
    /// Their ids, or unambiguous beginnings of them
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

/// Prints one line for each act, `more` below it, and the head of the audit trail.
pub(crate) fn confirm(
    context: &Context,
    rows: &[&AuditRow],
    more: impl Fn(&AuditRow) -> String,
) -> Result<(), CliError> {
    let line = |row: &&AuditRow| {
        format!("{} (audit row {})\n{}", printable(&done(row)), row.sequence, more(row))
    };
    let mut text: String = rows.iter().map(line).collect();
    if let Some(last) = rows.last() {
        let _ = writeln!(text, "head of the audit trail: {}", last.hash);
    }
    context.print(text.as_bytes())
}

/// The act in one line.
fn done(row: &AuditRow) -> String {
    let AuditRow { subject, business_date, .. } = row;
    let until = row.until.map(|date| format!(" up to and including {date}")).unwrap_or_default();
    match row.act.as_str() {
        act if act == Act::Accept.as_str() => {
            format!("{subject} is accepted from business date {business_date}{until}")
        }
        act if act == Act::Reopen.as_str() => {
            format!("{subject} is open again from business date {business_date}")
        }
        act if act == Act::Assign.as_str() => match row.assignment().in_words().as_str() {
            "" => format!("{subject} is unassigned from business date {business_date}"),
            words => format!("{subject} from business date {business_date}: {words}"),
        },
        act if act == Act::Prepare.as_str() => {
            format!("{subject} is prepared: a second person closes it")
        }
        act if act == Act::Close.as_str() => {
            format!("{subject} is closed: its files never change again")
        }
        _ => format!("{subject} is open again, and stale: tieout reconcile --stale"),
    }
}
