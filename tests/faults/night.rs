//! One seed: an undisturbed run, the disturbed one with its kills, what must hold, and a run
//! after everything is well again.

use std::process::Command;
use std::sync::Arc;

use tieout::sandbox::{
    FaultOptions, Outcome, RunningSandbox, ServeOptions, World, serve_with_faults,
};
use tokio::runtime::Runtime;

use crate::canary::Canary;
use crate::harness::{Ended, Site, dates, reports};
use crate::scenario::Scenario;
use crate::{child, judge};

/// Plays the seed through; panics with what does not hold.
pub fn run(scenario: &Scenario) {
    let canary = Canary::new();
    let key = format!("the-key-of-seed-{}", scenario.seed);
    let world = Arc::new(World::generate(&scenario.world).unwrap().0);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let well = start(&runtime, &world, &key, None, scenario.has_links);
    let ill = start(
        &runtime,
        &world,
        &key,
        Some(FaultOptions {
            faults: scenario.faults.clone(),
            seed: scenario.seed,
            percent: scenario.percent,
            canary: canary.base.clone(),
            wait_seconds: 0,
        }),
        scenario.has_links,
    );
    let undisturbed = site(scenario, &world, &well.base_url());
    let whole = all_nights(&undisturbed, scenario, &key, &well, &[]);
    let whole = whole.expect(0);
    assert!(whole.stderr.lines().all(|line| !line.contains("WARN")), "{}", whole.stderr);
    let requests = well.requests();

    let disturbed = site(scenario, &world, &ill.base_url());
    let kills: Vec<u64> = scenario.kills.iter().map(|kill| requests * kill / 100).collect();
    let ended = all_nights(&disturbed, scenario, &key, &ill, &kills);
    let days = dates(scenario.world.from, scenario.world.to);
    assert_no_secret(&disturbed, &ended, &key);
    let is_harmless = !scenario.has(Outcome::Spoils);
    let wrong = judge::faults(
        &judge::Nights { whole: &undisturbed.reports(), other: &disturbed.reports(), days: &days },
        scenario,
        &ended,
    );
    if !wrong.is_empty() && std::env::var_os("KEEP").is_some() {
        println!("kept: {} {}", undisturbed.path().display(), disturbed.path().display());
        std::mem::forget((undisturbed, disturbed));
        panic!("{}", wrong.join("\n"));
    }
    assert!(
        wrong.is_empty(),
        "{}\n{}\n{}",
        wrong.join("\n"),
        child::tail(&ended.stderr),
        ended.stdout
    );
    assert!(
        !is_harmless || ended.code == Some(0),
        "nothing was spoilt, and it ended with {:?}:\n{}",
        ended.code,
        child::tail(&ended.stderr)
    );

    // Everything is well again: the same dates come to what they are.
    all_nights(&disturbed, scenario, &key, &well, &[]).expect(0);
    reports::assert_same(
        &judge::tables(&undisturbed.reports()),
        &judge::tables(&disturbed.reports()),
        "run again when all is well",
    );
    // What is stored is what was received, also where a run was disturbed.
    for site in [&undisturbed, &disturbed] {
        child::run_to_end(site, site.command(&["verify", "reports"])).expect(0);
    }
    assert!(canary.heard().is_empty(), "the canary was asked: {:?}", canary.heard());
}

/// A folder for the world, with the merchants' books when they take part.
fn site(scenario: &Scenario, world: &World, base: &str) -> Site {
    let site = Site::new(&world.configuration(base), scenario.world.to);
    for file in world.files(base).iter().filter(|_| scenario.has_books) {
        let path = site.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.content).unwrap();
    }
    site
}

fn start(
    runtime: &Runtime,
    world: &Arc<World>,
    key: &str,
    faults: Option<FaultOptions>,
    has_links: bool,
) -> RunningSandbox {
    let options = ServeOptions {
        api_key: key.to_owned(),
        transactions: has_links,
        ..ServeOptions::default()
    };
    runtime.block_on(serve_with_faults(Arc::clone(world), options, faults)).unwrap()
}

/// The dates of each run.
fn nights(scenario: &Scenario) -> Vec<String> {
    let (from, to) = (scenario.world.from, scenario.world.to);
    if scenario.is_nightly {
        dates(from, to).iter().map(ToString::to_string).collect()
    } else {
        vec![format!("{from}..{to}")]
    }
}

/// Runs all of them against `service`. Each of `kills` is a number of requests after which a run is
/// killed and begun again.
fn all_nights(
    site: &Site,
    scenario: &Scenario,
    key: &str,
    service: &RunningSandbox,
    kills: &[u64],
) -> Ended {
    let mut all = Ended { code: Some(0), stdout: String::new(), stderr: String::new() };
    let mut kills = kills.iter();
    let mut wanted = kills.next();
    let mut since = service.requests();
    for dates in nights(scenario) {
        let ended = loop {
            let mut night = command(site, scenario, key, &dates);
            night.env("TIEOUT_API__BASE_URL", format!("{}/v1", service.base_url()));
            night.env("TIEOUT_API__AUTH_URL", service.base_url());
            let is_time = || wanted.is_some_and(|wanted| service.requests() >= since + wanted);
            match child::run(site, night, is_time) {
                // A run that ended before it was killed is begun again all the same; not so one of
                // several nights, of which the later ones would have told it more.
                Some(ended) if wanted.is_none() || scenario.is_nightly => break ended,
                _ => {
                    wanted = kills.next();
                    since = service.requests();
                }
            }
        };
        all.code = all.code.zip(ended.code).map(|(one, other)| one.max(other));
        all.stdout += &ended.stdout;
        all.stderr += &ended.stderr;
    }
    all
}

fn command(site: &Site, scenario: &Scenario, key: &str, dates: &str) -> Command {
    let mut command = site.command(&["run", "--date", dates]);
    command
        .env("TIEOUT_API_KEY", key)
        // Without them it is not even asked: a fault that answers would be taken for the service.
        .env("TIEOUT_API__TRANSACTIONS", if scenario.has_links { "auto" } else { "off" })
        .env("TIEOUT_API__PAGE_SIZE", scenario.page_size.to_string())
        .env("TIEOUT_API__MAX_IN_FLIGHT", scenario.in_flight.to_string());
    command
}

/// Neither the key nor a token stands in anything that was said or written.
fn assert_no_secret(site: &Site, ended: &Ended, key: &str) {
    let holds = |bytes: &[u8]| {
        // Every token of the sandbox begins like this.
        [key.as_bytes(), b"sandbox.1.", b"sandbox.2.", b"Bearer "]
            .iter()
            .any(|secret| bytes.windows(secret.len()).any(|window| window == *secret))
    };
    assert!(!holds(ended.stdout.as_bytes()) && !holds(ended.stderr.as_bytes()), "a secret is said");
    for (name, content) in reports::files(site.path()) {
        assert!(!holds(&content), "{name} holds a secret");
    }
}
