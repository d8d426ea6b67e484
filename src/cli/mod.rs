//! The command line: arguments as typed, one file per command. Makes no decisions about money; a
//! command resolves its settings and dates and passes them on.

mod arguments;
mod backup;
mod bank;
mod checks;
mod completions;
mod config;
mod context;
#[cfg(feature = "sandbox")]
mod demo;
mod discrepancies;
mod doctor;
mod error;
mod export;
mod fetch;
#[cfg(feature = "sandbox")]
mod grade;
mod init;
mod ledger;
mod man;
mod merge;
mod prune;
mod reconcile;
mod report;
mod run;
#[cfg(feature = "sandbox")]
mod sandbox;
mod schedule;
mod shard;
mod sign_off;
mod signals;
mod stages;
mod status;
mod suggest;
mod verify;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::{CommandFactory, Parser, Subcommand};

use crate::exit::Exit;
use crate::limit;
use crate::telemetry;
use tieout_store::holders;

pub use arguments::{DateArguments, FailOn, GlobalArguments, LogFormatName, TableArguments};
pub use backup::BackupArguments;
pub use bank::{BankCheckArguments, BankCommand};
pub use checks::ChecksArguments;
pub use completions::CompletionsArguments;
pub use config::ConfigArguments;
pub use context::Context;
#[cfg(feature = "sandbox")]
pub use demo::DemoArguments;
pub use discrepancies::{AcceptArguments, DiscrepanciesCommand, ListArguments};
pub use doctor::DoctorArguments;
pub use error::CliError;
pub use export::ExportArguments;
pub use fetch::FetchArguments;
#[cfg(feature = "sandbox")]
pub use grade::{Found, grade};
pub use init::InitArguments;
pub use ledger::{LedgerCheckArguments, LedgerCommand};
pub use man::ManArguments;
pub use merge::MergeArguments;
pub use prune::PruneArguments;
pub use reconcile::ReconcileArguments;
pub use report::ReportArguments;
pub use run::RunArguments;
#[cfg(feature = "sandbox")]
pub use sandbox::{GenerateArguments, SandboxCommand, ServeArguments, WorldArguments};
pub use schedule::ScheduleArguments;
pub use shard::ShardArguments;
pub use sign_off::{CloseArguments, ReopenDateArguments};
pub use status::StatusArguments;
pub use verify::VerifyArguments;

const EXIT_CODES: &str = "\
Exit codes:
  0  done; discrepancies or not, unless --fail-on says otherwise
  1  failed: nothing was reconciled
  2  the command line or the configuration is wrong; nothing was done
  3  done, and there are new or open discrepancies at or above --fail-on
  4  done in part: a date or a check could not be evaluated, or ledger rows were left out
  5  refused by the API, and no date could be reconciled because of it
  6  another run holds the lock";

const START_HERE: &str = "  tieout init           write a commented tieout.toml to begin with
  tieout run            last night, with the settings in tieout.toml
  tieout checks         every check, its meaning and the next step";

fn closing_help() -> String {
    let demo = if cfg!(feature = "sandbox") {
        "  tieout demo           a week of a generated world, without account, network or configuration\n"
    } else {
        ""
    };
    format!("{EXIT_CODES}\n\nStart here:\n{demo}{START_HERE}")
}

/// Settlement reconciliation: from transaction to deposit, every night, to the cent
#[derive(Debug, Parser)]
#[command(name = "tieout", version = env!("VERSION_OF_TIEOUT"), after_help = closing_help())]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArguments,
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    #[cfg(feature = "sandbox")]
    Demo(DemoArguments),
    Init(InitArguments),
    Config(ConfigArguments),
    Run(RunArguments),
    Fetch(FetchArguments),
    Reconcile(ReconcileArguments),
    Report(ReportArguments),
    Merge(MergeArguments),
    Export(ExportArguments),
    Schedule(ScheduleArguments),
    Status(StatusArguments),
    /// Work on discrepancies
    #[command(subcommand)]
    Discrepancies(DiscrepanciesCommand),
    Verify(VerifyArguments),
    Close(CloseArguments),
    Reopen(ReopenDateArguments),
    Prune(PruneArguments),
    Backup(BackupArguments),
    Doctor(DoctorArguments),
    Checks(ChecksArguments),
    /// The merchants' own books
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// The statements of the merchants' bank
    #[command(subcommand)]
    Bank(BankCommand),
    #[cfg(feature = "sandbox")]
    /// The local API server, and worlds for it
    #[command(subcommand)]
    Sandbox(SandboxCommand),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

impl Command {
    /// Whether the command is a demonstration: only warnings of its log are shown.
    fn is_for_show(&self) -> bool {
        #[cfg(feature = "sandbox")]
        return matches!(self, Self::Demo(_));
        #[cfg(not(feature = "sandbox"))]
        false
    }
}

/// Runs the program. Errors are printed here, once.
pub fn main(
    arguments: impl IntoIterator<Item = OsString>,
    environment: BTreeMap<String, String>,
) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are not errors; ignore a closed pipe.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    let verbosity = i16::from(cli.global.verbose) - i16::from(cli.global.quiet);
    let verbosity = verbosity - i16::from(cli.command.is_for_show());
    telemetry::start(cli.global.log_format.into(), verbosity);
    signals::outlive_the_limit_of_files();
    let context = match Context::new(cli.global, environment) {
        Ok(context) => context,
        Err(error) => return end(&error, None),
    };
    execute(&cli.command, &context).unwrap_or_else(|error| {
        let settings = context.settings().ok().filter(|_| limit::is_of_store(&error));
        end(&error, settings.map(|settings| settings.store_path).as_deref())
    })
}

/// Prints why the program ends; `store` is the file of a store that the error does not name.
fn end(error: &CliError, store: Option<&Path>) -> Exit {
    // When standard error is closed as well, only the exit code is left.
    let _ = std::io::stderr().write_all(describe(error, store).as_bytes());
    error.exit()
}

fn execute(command: &Command, context: &Context) -> Result<Exit, CliError> {
    match command {
        #[cfg(feature = "sandbox")]
        Command::Demo(arguments) => demo::execute(arguments, context),
        Command::Init(arguments) => init::execute(arguments, context),
        Command::Config(arguments) => config::execute(*arguments, context),
        Command::Run(arguments) => run::execute(arguments, context),
        Command::Fetch(arguments) => fetch::execute(arguments, context),
        Command::Reconcile(arguments) => reconcile::execute(arguments, context),
        Command::Report(arguments) => report::execute(arguments, context),
        Command::Merge(arguments) => merge::execute(arguments, context),
        Command::Export(arguments) => export::execute(arguments, context),
        Command::Schedule(arguments) => schedule::execute(arguments, context),
        Command::Doctor(arguments) => doctor::execute(arguments, context),
        Command::Status(arguments) => status::execute(arguments, context),
        Command::Discrepancies(command) => discrepancies::execute(command, context),
        Command::Verify(arguments) => verify::execute(arguments, context),
        Command::Close(arguments) => sign_off::close(arguments, context),
        Command::Prune(arguments) => prune::execute(arguments, context),
        Command::Backup(arguments) => backup::execute(arguments, context),
        Command::Reopen(arguments) => sign_off::reopen(arguments, context),
        Command::Checks(arguments) => checks::execute(*arguments, context),
        Command::Ledger(command) => ledger::execute(command, context),
        Command::Bank(command) => bank::execute(command, context),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::execute(command, context),
        Command::Completions(arguments) => {
            completions::execute(*arguments, Cli::command(), context)
        }
        Command::Man(arguments) => man::execute(arguments, Cli::command(), context),
    }
}

/// The error, its causes and the remedy, a line each.
fn describe(error: &CliError, store: Option<&Path>) -> String {
    if let CliError::Config(fault) = error {
        return fault.each().iter().map(|one| described(one, None, one.hint())).collect();
    }
    described(error, store, error.hint())
}

fn described(
    error: &(dyn std::error::Error + 'static),
    store: Option<&Path>,
    hint: Option<String>,
) -> String {
    let mut lines = vec![format!("error: {error}\n")];
    let mut cause = error.source();
    while let Some(error) = cause {
        lines.push(format!("error: caused by: {error}\n"));
        cause = error.source();
    }
    let named = |path: &&Path| !lines.concat().contains(&*path.to_string_lossy());
    if let Some(path) = store.filter(named) {
        lines.push(format!("error: the store is {}\n", path.display()));
    }
    let held = store.filter(|_| limit::is_of_busy_store(error)).map(holders).unwrap_or_default();
    if !held.is_empty() {
        lines.push(format!("error: it is held by {}\n", held.join(", ")));
    }
    lines.extend(hint.map(|hint| format!("hint: {hint}\n")));
    lines.concat()
}

#[cfg(test)]
mod tests;
