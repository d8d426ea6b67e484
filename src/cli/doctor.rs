//! `tieout doctor`: checks whether this machine is ready for the night.

use clap::Args;

use super::{CliError, Context, TableArguments, stages};
use crate::exit::Exit;
use crate::night::doctor::{Probe, State, examine, exit};
use tieout_report::aligned::{AlignedTable, Colour, Side, Styled};

const EXAMPLES: &str = "\
Examples:
  tieout doctor
  tieout doctor --json
  tieout doctor --notify        also send a test to the webhook and the heartbeat

It does each part of a night once and reports each step: it asks for a token, reads the first page
of every listing of yesterday and of each terminal, compares the merchants with the deposits and
batches of the last days and these with the lines of each bank, and reads every ledger and statement.
It stores nothing, and sends no further request after the first host that cannot be reached. It
ends with 0 when a run would be whole, warnings or not, else with the code that a run would end with.";

/// Check whether this machine is ready for the night: configuration, key, API, store, disk, files
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArguments {
    #[command(flatten)]
    pub table: TableArguments,

    /// Send a test to the webhook and the heartbeat
    #[arg(long)]
    pub notify: bool,
}

/// Prints the findings of every probe.
///
/// # Errors
/// When the settings are wrong, which is the first probe.
pub fn execute(arguments: &DoctorArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let probes = stages::runtime()?.block_on(examine(&settings, context.clock, arguments.notify));
    if arguments.table.json {
        context.print_json(&probes)?;
    } else {
        context.print(render(&probes, context.is_coloured()).as_bytes())?;
    }
    Ok(exit(&probes))
}

fn render(probes: &[Probe], is_coloured: bool) -> String {
    let mut table =
        AlignedTable::new(&[("what", Side::Left), ("state", Side::Left), ("", Side::Below)]);
    for probe in probes {
        let state = match probe.state {
            State::Ok => Styled::new("ok", Colour::Green),
            State::Warning => Styled::new("warning", Colour::Yellow),
            State::Failed => Styled::new("failed", Colour::Red),
        };
        table.push(vec![Styled::from(probe.name), state, Styled::from(&probe.found)]);
    }
    let mut text = table.render("", is_coloured);
    let hints = probes.iter().filter_map(|probe| Some((probe.name, probe.hint.as_ref()?)));
    text.extend(hints.map(|(name, hint)| format!("hint: {name}: {hint}\n")));
    text
}
