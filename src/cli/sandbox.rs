//! `tieout sandbox`: the local API server, and worlds for it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use tieout_sandbox::{
    Fault, FaultOptions, Kind, Links, ServeOptions, World, WorldOptions, newer_plants, plant_codes,
    serve_with_faults,
};

use super::{CliError, Context, stages};
use crate::exit::Exit;
use tieout_report::atomic;

/// The key that it accepts where none is named.
const DEFAULT_KEY: &str = "sandbox-key";

const SERVE_EXAMPLES: &str = "\
Examples:
  tieout sandbox serve --seed 7 --plant all
  tieout sandbox serve --world world.json --listen 127.0.0.1:9000 --delay-ms 50
  tieout sandbox serve --state sandbox.db --tls --tls-certificate sandbox.pem
  tieout sandbox serve --fault server-error,cut-body,short-token --fault-percent 20 --seed 9

The sandbox has a clock of its own: payments are made at its time, and as it moves on batches
close, deposits are paid and payments come back.
  curl http://127.0.0.1:8080/_sandbox                               merchants and terminals
  curl http://127.0.0.1:8080/_sandbox/clock -d '{\"days\": 1}'        a day goes by
  curl http://127.0.0.1:8080/_sandbox/returns \\
      -d '{\"paymentId\": \"ID\", \"returnCode\": \"R01\"}'                 a payment comes back
  curl http://127.0.0.1:8080/_sandbox/amounts/ID \\
      -d '{\"netAmount\": 100}'                                       an amount is changed";

const GENERATE_EXAMPLES: &str = "\
Examples:
  tieout sandbox generate --seed 7 --plant all --out world
  tieout sandbox generate --from 2026-11-01 --to 2026-11-30 --merchants 50 \\
      --transactions-per-day 20000 --plant DEPOSIT_NET_MISMATCH,PAYMENT_NOT_SETTLED --out world";

/// The commands for worlds.
#[derive(Clone, Debug, Subcommand)]
pub enum SandboxCommand {
    // Boxed: far larger than the other, and created once.
    Serve(Box<ServeArguments>),
    Generate(GenerateArguments),
}

/// Which world to make up.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "World")]
pub struct WorldArguments {
    /// The same number gives the same world
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// First business date
    #[arg(long, value_name = "DATE", default_value = "2026-11-02")]
    pub from: NaiveDate,
    /// Last business date
    #[arg(long, value_name = "DATE", default_value = "2026-11-08")]
    pub to: NaiveDate,
    /// How many merchants; the first three are in the United States, Canada and Japan
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub merchants: u32,
    /// Card transactions a day, over all merchants
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub transactions_per_day: u32,
    /// Discrepancies to plant, several with commas between: codes of checks, or names of
    /// sandbox/README.md; `all` and `newer` are all of either kind
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub plant: Vec<String>,
    /// Kinds of ordinary life in the world, several with commas between
    #[arg(long = "kind", value_name = "NAMES", value_delimiter = ',', value_parser = kind_names())]
    pub kinds: Vec<Kind>,
}

fn kind_names() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::every().map(Kind::name).collect::<Vec<_>>())
        .try_map(|name| Kind::find(&name).ok_or("a kind without a name"))
}

/// Serve a world as the payments API does, on this machine
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArguments {
    /// World to serve, as `sandbox generate` wrote it, in place of making one up
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["from", "to", "merchants", "transactions_per_day", "plant", "kinds"]
    )]
    pub world: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The API key that it accepts
    #[arg(long, value_name = "KEY", default_value = DEFAULT_KEY)]
    pub api_key: String,
    /// How long a token is good for
    #[arg(long, value_name = "SECONDS", default_value_t = 3_600)]
    pub token_seconds: u64,
    /// How long every response takes at least
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0)]
    pub delay_ms: u64,
    /// Answer 404 to /transactions, as for a key without that operation
    #[arg(long)]
    pub no_transactions: bool,
    /// Answer 404 to /disputes, as for a key without that operation
    #[arg(long)]
    pub no_disputes: bool,
    /// Answer 404 to the terminals of a processing account, as for a key without that operation
    #[arg(long)]
    pub no_terminals: bool,
    /// Where the sandbox's clock starts [default: the morning after the last business date]
    #[arg(long, value_name = "MOMENT")]
    pub now: Option<DateTime<Utc>>,
    /// Keep the state in this database file, so that it survives a restart
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Let links lead to the live service, as its own test service does, in place of here
    #[arg(long)]
    pub live_links: bool,
    /// Serve HTTPS with a self-signed certificate, made anew at every start
    #[arg(long)]
    pub tls: bool,
    /// Write that certificate to this file, for clients to trust
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub tls_certificate: Option<PathBuf>,
    #[command(flatten)]
    pub faults: FaultArguments,
    // Last, as the heading of its options applies to all that follow.
    #[command(flatten)]
    pub generation: WorldArguments,
}

/// The faults to inject.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Faults")]
pub struct FaultArguments {
    /// Faults, several with commas between; --seed decides where they strike
    #[arg(long = "fault", value_name = "NAMES", value_delimiter = ',', value_parser = fault_names())]
    pub names: Vec<Fault>,
    /// How many of a hundred requests each fault strikes
    #[arg(long = "fault-percent", value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub percent: u32,
    /// How long a 429 asks to wait
    #[arg(long = "fault-wait", value_name = "SECONDS", default_value_t = 1)]
    pub wait_seconds: u32,
    /// Where foreign links and redirects lead
    #[arg(long = "fault-canary", value_name = "URL", default_value = "http://127.0.0.1:9")]
    pub canary: String,
}

fn fault_names() -> impl TypedValueParser<Value = Fault> {
    let values = Fault::ALL.map(|fault| PossibleValue::new(fault.name()).help(fault.description()));
    PossibleValuesParser::new(values)
        .try_map(|name| Fault::find(&name).ok_or("a fault without a name"))
}

/// Make up a world, with its configuration and the discrepancies that are planted in it
///
/// Writes world.json, tieout.toml, expected.json, the merchants' own books (ledger/) and bank
/// statements (bank/) into the
/// folder that --out names, or into the working directory.
#[derive(Clone, Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArguments {
    #[command(flatten)]
    pub generation: WorldArguments,
}

/// Serves or makes up a world.
///
/// # Errors
/// When the world cannot be made up, read, written or served.
pub fn execute(command: &SandboxCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        SandboxCommand::Serve(arguments) => serve_world(arguments, context),
        SandboxCommand::Generate(arguments) => generate(arguments, context),
    }
}

fn options(arguments: &WorldArguments) -> WorldOptions {
    let plants = arguments.plant.iter().flat_map(|name| match name.as_str() {
        "all" => plant_codes(),
        "newer" => newer_plants(),
        name => vec![name],
    });
    WorldOptions {
        seed: arguments.seed,
        from: arguments.from,
        to: arguments.to,
        merchants: arguments.merchants,
        transactions_per_day: arguments.transactions_per_day,
        plants: plants.map(str::to_owned).collect(),
        kinds: arguments.kinds.clone(),
        lateness: None,
    }
}

fn serve_world(arguments: &ServeArguments, context: &Context) -> Result<Exit, CliError> {
    let world = match &arguments.world {
        Some(path) => World::load(path)?,
        None => World::generate(&options(&arguments.generation))?.0,
    };
    let serve_options = ServeOptions {
        address: arguments.listen,
        api_key: arguments.api_key.clone(),
        token_seconds: arguments.token_seconds,
        delay_ms: arguments.delay_ms,
        transactions: !arguments.no_transactions,
        disputes: !arguments.no_disputes,
        terminals: !arguments.no_terminals,
        now: arguments.now,
        state: arguments.state.clone(),
        links: if arguments.live_links { Links::Live } else { Links::Here },
        tls: arguments.tls,
    };
    let faults = (!arguments.faults.names.is_empty()).then(|| FaultOptions {
        faults: arguments.faults.names.clone(),
        seed: arguments.generation.seed,
        percent: arguments.faults.percent,
        canary: arguments.faults.canary.trim_end_matches('/').to_owned(),
        wait_seconds: arguments.faults.wait_seconds,
    });
    if let Some(warning) = warning(arguments.listen, &arguments.api_key) {
        tracing::warn!("{warning}");
    }
    stages::serving_runtime()?.block_on(async {
        let sandbox = serve_with_faults(Arc::new(world), serve_options, faults).await?;
        if let (Some(path), Some(pem)) = (&arguments.tls_certificate, sandbox.certificate()) {
            atomic::write_file(path, pem.as_bytes())?;
        }
        let greeting = format!(
            "serving on {base}\n  api.base_url = \"{base}/v1\"\n  api.auth_url = \"{base}\"\n  \
             API key: {key}\n  clock: {now}\nCtrl-C ends it.\n",
            base = sandbox.base_url(),
            key = arguments.api_key,
            now = sandbox.now().to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
        );
        context.print(greeting.as_bytes())?;
        // After the signal, or if it cannot be waited for, nothing is left to do.
        let _ = tokio::signal::ctrl_c().await;
        sandbox.stop().await;
        Ok(Exit::Done)
    })
}

/// What to say of an address that other machines reach, with the key that everybody knows.
fn warning(listen: SocketAddr, key: &str) -> Option<String> {
    let is_open = !listen.ip().to_canonical().is_loopback() && key == DEFAULT_KEY;
    is_open.then(|| {
        format!(
            "the sandbox listens on {listen}, which other machines may reach, with its default key, \
             which is no secret: name another with --api-key"
        )
    })
}

/// Writes the files of a world served at `base`: its configuration and the merchants' books.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write_files(world: &World, base: &str, folder: &Path) -> Result<(), CliError> {
    for file in world.files(base) {
        let path = folder.join(&file.path);
        atomic::create_folder(path.parent().unwrap_or(folder))?;
        atomic::write_file(&path, &file.content)?;
    }
    Ok(())
}

fn generate(arguments: &GenerateArguments, context: &Context) -> Result<Exit, CliError> {
    let folder = context.global.out.clone().unwrap_or_else(|| PathBuf::from("."));
    let (world, key) = World::generate(&options(&arguments.generation))?;
    atomic::create_folder(&folder)?;
    world.save(&folder.join("world.json"))?;
    write_files(&world, "http://127.0.0.1:8080", &folder)?;
    let mut expected = serde_json::to_vec_pretty(&key)
        .map_err(|error| CliError::Output(std::io::Error::other(error)))?;
    expected.push(b'\n');
    atomic::write_file(&folder.join("expected.json"), &expected)?;
    let text = format!(
        "{} planted discrepancies; wrote world.json, tieout.toml, expected.json, ledger/ and bank/ into {}\n",
        key.expected.len(),
        folder.display()
    );
    context.print(text.as_bytes())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_of_its_default_key_beyond_this_machine() {
        for (listen, key, is_said) in [
            ("127.0.0.1:8080", DEFAULT_KEY, false),
            ("[::1]:8080", DEFAULT_KEY, false),
            ("[::ffff:127.0.0.1]:8080", DEFAULT_KEY, false),
            ("0.0.0.0:8080", DEFAULT_KEY, true),
            ("[::]:8080", DEFAULT_KEY, true),
            ("192.0.2.7:8080", DEFAULT_KEY, true),
            ("0.0.0.0:8080", "another", false),
        ] {
            let said = warning(listen.parse().unwrap(), key);
            assert_eq!(said.is_some(), is_said, "{listen} {key}");
        }
    }
}
