//! `tieout verify`: checks report folders against their manifests and the store.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::NightError;
use crate::night::{Run, Verified, verify, verify_signed};
use tieout_report::PublicKey;
use tieout_store::Store;

const EXAMPLES: &str = "\
Examples:
  tieout verify reports/2026-11-20
  tieout verify reports --json          every date and period in the folder
  tieout verify reports --head HASH     also that the audit trail holds a head that was noted

Ends with 1 when anything was altered, and names it.";

/// Check a report folder against its manifest and the store
///
/// Offline: the files against the manifest, the manifest against the audit trail, the results
/// and the records against the pages that were received. Changes nothing.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArguments {
    /// The folder of a business date or a period, or one that holds several
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// A head of the audit trail that was noted before: the trail must still hold it
    #[arg(long, value_name = "HASH")]
    pub head: Option<String>,
    /// The public half of the key that signs manifests, in PEM: proves them without a store
    #[arg(long, value_name = "FILE")]
    pub public_key: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Verifies the folder.
///
/// # Errors
/// When there is no store, or nothing to verify.
pub fn execute(arguments: &VerifyArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let head = arguments.head.as_deref();
    let verified = if let Some(path) = &arguments.public_key {
        let key = PublicKey::read(path).map_err(NightError::Key)?;
        verify_signed(&arguments.dir, &key, head)?
    } else {
        let store = Store::open_to_prove(&settings.store_path).map_err(NightError::Store)?;
        // If the checks that the configuration names cannot be loaded, everything else is still
        // verified.
        let run = Run::new(&settings, context.clock).ok();
        verify(&store, &arguments.dir, &settings.reports.dir, head, run.as_ref())?
    };
    if arguments.table.json {
        context.print_json(&verified)?;
    } else {
        context.print(render(&verified).as_bytes())?;
    }
    let is_proved = verified.iter().all(|one| one.problems.is_empty());
    Ok(if is_proved { Exit::Done } else { Exit::Failed })
}

fn render(verified: &[Verified]) -> String {
    let mut text = String::new();
    for one in verified {
        let date = one.business_date.map(|date| date.to_string());
        // What is of no date is of the whole folder, and of the index in it.
        let date = date.or_else(|| one.period.clone()).unwrap_or_else(|| "the folder".to_owned());
        let verdict = match one.problems.len() {
            0 => "agrees",
            1 if one.is_interrupted => "interrupted",
            _ => "does not agree",
        };
        let pruned = match one.pruned_pages {
            0 => String::new(),
            pages => format!(", {pages} pages removed by retention"),
        };
        let proved = match one.business_date {
            None => String::new(),
            Some(_) => format!(", {} records proved by their pages{pruned}", one.records_proved),
        };
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{date}  {verdict}: {} files{proved}", one.files);
        for problem in &one.problems {
            let _ = writeln!(text, "  {problem}");
        }
    }
    if let Some(head) = verified.iter().rev().map(|one| &one.audit_head).find(|one| !one.is_empty())
    {
        let _ = writeln!(text, "head of the audit trail: {head}");
    }
    text
}
