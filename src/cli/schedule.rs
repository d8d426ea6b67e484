//! `tieout schedule`: stays up and runs the nightly job.

use std::net::SocketAddr;

use clap::Args;

use super::{CliError, Context, signals, stages};
use crate::exit::Exit;
use crate::night::schedule::{Scheduler, serve_health};
use tieout_read::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  tieout schedule
  tieout schedule --health 127.0.0.1:9464     /live, /ready, /status and /metrics there

The section [schedule] of the configuration sets the times and the dates of its runs. Dates missed
while it was down are run at the start. SIGTERM ends it after the pages in flight.";

/// Stay up and run the job by the cron expression in the configuration
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ScheduleArguments {
    /// Answer /live, /ready, /status and /metrics on this address
    #[arg(long, value_name = "IP:PORT")]
    pub health: Option<SocketAddr>,
}

/// Runs until it is asked to stop.
///
/// # Errors
/// When the settings are wrong, or store or address cannot be used at the start.
pub fn execute(arguments: &ScheduleArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let stop = Stop::default();
    let fail_on = context.global.fail_on.map(Into::into);
    let scheduler = Scheduler::new(&settings, context.clock, fail_on, stop.clone())?;
    stages::serving_runtime()?.block_on(async {
        signals::watch(stop);
        if let Some(address) = arguments.health {
            let refused = |source| CliError::Health { address, source };
            let (bound, serving) =
                serve_health(address, scheduler.health.clone()).await.map_err(refused)?;
            tracing::info!(stage = "schedule", "health is answered on http://{bound}");
            tokio::spawn(serving);
        }
        scheduler.run().await?;
        Ok(Exit::Done)
    })
}
