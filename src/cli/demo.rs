//! `tieout demo`: the job over a week of a made-up world.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use clap::Args;
use tieout_sandbox::{
    API_KEY, AnswerKey, Kind, ServeOptions, World, WorldOptions, plants_of_a_week, serve,
};

use super::grade::{Found, grade};
use super::{CliError, Context, TableArguments, sandbox, stages};
use crate::exit::Exit;
use crate::night::RunResult;
use crate::night::{self, Run, Stages};
use tieout_config::{Settings, Sources};
use tieout_model::clock::Clock;
use tieout_read::progress;

const EXAMPLES: &str = "\
Examples:
  tieout demo
  tieout demo --seed 7 --keep demo    another world; database and reports stay in ./demo";

/// Run the job over a week of a made-up world: no account, network or configuration needed
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DemoArguments {
    /// The world to make up; the same number gives the same world
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// First day of the week
    // A fixed week: the demonstration shows the same on every day that it is run.
    #[arg(long, value_name = "DATE", default_value = "2026-11-02")]
    pub from: NaiveDate,
    /// Keep the database and the reports in this folder [default: a folder in ./tieout-demo]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Merchants enough for every plant and every kind to have a place within the week.
const MERCHANTS: u32 = 24;

/// Days of the demonstration.
const DAYS: u64 = 7;

/// Days between the last date and the demonstration's clock: the week is over.
const DAYS_LATER: u64 = 14;

/// Runs the demonstration. It reads no configuration.
///
/// # Errors
/// When the world cannot be made or the reports cannot be written.
pub fn execute(arguments: &DemoArguments, context: &Context) -> Result<Exit, CliError> {
    let folder = arguments.keep.clone().unwrap_or_else(|| {
        PathBuf::from("tieout-demo").join(format!("seed-{}-{}", arguments.seed, arguments.from))
    });
    let last = after(arguments.from, DAYS - 1);
    let (world, key) = World::generate(&WorldOptions {
        seed: arguments.seed,
        from: arguments.from,
        to: last,
        merchants: MERCHANTS,
        transactions_per_day: 200,
        kinds: Kind::clean_for(false),
        lateness: None,
        plants: plants_of_a_week().into_iter().map(str::to_owned).collect(),
    })?;
    let dates: Vec<NaiveDate> =
        arguments.from.iter_days().take_while(|date| *date <= last).collect();
    let clock = Clock::at(after(last, DAYS_LATER).and_time(chrono::NaiveTime::MIN).and_utc());
    if context.shows_progress() {
        progress::show();
    }
    let outcome = stages::serving_runtime()?.block_on(async {
        let world = Arc::new(world);
        let sandbox = serve(
            Arc::clone(&world),
            ServeOptions { transactions: false, ..ServeOptions::default() },
        )
        .await?;
        let settings = settings(&world, &sandbox.base_url(), &folder)?;
        let run = Run::new(&settings, clock)?;
        let result = night::execute(&run, &dates, Stages { period: true, ..Stages::ALL }).await?;
        stages::print(context, &run, &result, arguments.table)?;
        stages::period(context, &result, arguments.table)?;
        sandbox.stop().await;
        Ok::<_, CliError>(result)
    })?;
    let exit = outcome.exit(context.global.fail_on.map(Into::into));
    let wrong = compare(&key, &outcome);
    if !arguments.table.json {
        context.print(verdict(&key, &wrong).as_bytes())?;
    }
    if wrong.is_empty() {
        return Ok(exit);
    }
    for line in &wrong {
        tracing::error!("{line}");
    }
    Ok(Exit::Failed)
}

/// The settings from the world's own configuration file, which stays in `folder` beside the
/// merchants' books for inspection.
fn settings(world: &World, base: &str, folder: &Path) -> Result<Settings, CliError> {
    sandbox::write_files(world, base, folder)?;
    let file = folder.join("tieout.toml");
    let environment = [("TIEOUT_API_KEY", API_KEY), ("TIEOUT_API__REQUESTS_PER_SECOND", "0")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let sources =
        Sources { config_file: Some(file), environment: environment.into(), db: None, out: None };
    Ok(Settings::load(&sources, &[])?)
}

fn after(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_add_days(Days::new(days)).unwrap_or(date)
}

fn compare(key: &AnswerKey, result: &RunResult) -> Vec<String> {
    let mut wrong: Vec<String> = result
        .dates
        .iter()
        .filter_map(|date| {
            date.error.as_ref().map(|error| format!("{}: {error}", date.business_date))
        })
        .collect();
    let found: Vec<Found> = result
        .dates
        .iter()
        .filter_map(|date| {
            let outcome = result.outcome(date.business_date).ok()??;
            Some((date.business_date, outcome.discrepancies))
        })
        .collect();
    wrong.extend(grade(key, &found));
    wrong
}

fn verdict(key: &AnswerKey, wrong: &[String]) -> String {
    let planted = key.expected.len();
    if wrong.is_empty() {
        format!(
            "\n{planted} discrepancies were planted in this world, and exactly these were found.\n"
        )
    } else {
        format!(
            "\n{planted} discrepancies were planted; {} differences from the answer key.\n",
            wrong.len()
        )
    }
}
