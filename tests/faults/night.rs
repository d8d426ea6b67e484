//! One seed: an undisturbed run, the disturbed one with its kills, the comparison, and a run after
//! all faults have ended.

use std::process::Command;
use std::sync::Arc;

use chrono::NaiveDate;
use tieout_sandbox::{
    FaultOptions, Outcome, RunningSandbox, ServeOptions, World, serve_with_faults,
};
use tokio::runtime::Runtime;

use crate::canary::Canary;
use crate::harness::{Ended, Site, dates, reports};
use crate::scenario::{Nights, Scenario};
use crate::{child, judge};

/// Plays the seed; panics with the violations.
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
    let whole = all_nights(&undisturbed, scenario, &key, &[&well], &[]).ended.expect(0);
    assert!(whole.stderr.lines().all(|line| !line.contains("WARN")), "{}", whole.stderr);
    let requests = well.requests();

    let disturbed = site(scenario, &world, &ill.base_url());
    let kills: Vec<u64> = scenario.kills.iter().map(|kill| requests * kill / 100).collect();
    let services: &[&RunningSandbox] =
        if matches!(scenario.nights, Nights::Each { is_alternating: true, .. }) {
            &[&ill, &well]
        } else {
            &[&ill]
        };
    let Played { ended, bad, good } = all_nights(&disturbed, scenario, &key, services, &kills);
    let days = dates(scenario.world.from, scenario.world.to);
    assert_no_secret(&disturbed, &ended, &key);
    let is_harmless = !scenario.has(Outcome::Spoils);
    let (whole, other) = (undisturbed.reports(), disturbed.reports());
    let mut wrong = judge::faults(
        &judge::Nights { whole: &whole, other: &other, days: &days },
        scenario,
        &ended,
    );
    wrong.extend(good.into_iter().flat_map(|day| judge::unsaid(&whole, &other, day)));
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

    // Without faults the same dates give the undisturbed reports; also when a person runs only the
    // failed dates again and updates the others from the store.
    if matches!(scenario.nights, Nights::Each { is_mended: true, .. }) {
        for dates in bad {
            let night = command(&disturbed, scenario, &key, &well, &["run", "--date", &dates]);
            child::run_to_end(&disturbed, night);
        }
        let stale = command(&disturbed, scenario, &key, &well, &["reconcile", "--stale"]);
        child::run_to_end(&disturbed, stale).expect(0);
    } else {
        all_nights(&disturbed, scenario, &key, &[&well], &[]).ended.expect(0);
    }
    reports::assert_same(
        &reports::tables(&undisturbed.reports()),
        &reports::tables(&disturbed.reports()),
        "run again when all is well",
    );
    // The stored pages are the received pages, also after a disturbed run.
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
    match scenario.nights {
        Nights::Range => vec![format!("{from}..{to}")],
        Nights::Each { .. } => dates(from, to).iter().map(ToString::to_string).collect(),
    }
}

/// The result of all nights.
struct Played {
    ended: Ended,
    /// The dates of the runs that did not end with 0.
    bad: Vec<String>,
    /// The dates that were run against a sound service after disturbed ones, none of them missing.
    good: Vec<NaiveDate>,
}

/// Runs all of them, each against the next of `services`, over and over. Each of `kills` is a number
/// of requests to the first one after which a run is killed and begun again.
fn all_nights(
    site: &Site,
    scenario: &Scenario,
    key: &str,
    services: &[&RunningSandbox],
    kills: &[u64],
) -> Played {
    let (mut bad, mut good) = (Vec::new(), Vec::new());
    let mut is_any_missing = false;
    let mut all = Ended { code: Some(0), stdout: String::new(), stderr: String::new() };
    let mut kills = kills.iter();
    let mut wanted = kills.next();
    let ill = services[0];
    let mut since = ill.requests();
    for (place, dates) in nights(scenario).into_iter().enumerate() {
        let service = services[place % services.len()];
        let ended = loop {
            let night = command(site, scenario, key, service, &["run", "--date", &dates]);
            let is_time = || wanted.is_some_and(|wanted| ill.requests() >= since + wanted);
            match child::run(site, night, is_time) {
                // A run that ended before it was killed is started again all the same; except one
                // of several nights, where the later dates would give it more information.
                Some(ended) if wanted.is_none() || scenario.nights != Nights::Range => break ended,
                _ => {
                    wanted = kills.next();
                    since = ill.requests();
                }
            }
        };
        let is_well = place % services.len() > 0;
        assert!(
            !is_well || ended.code == Some(0) || is_any_missing,
            "{dates}: nothing is wrong any more, and it ended with {:?}:\n{}",
            ended.code,
            child::tail(&ended.stderr)
        );
        // After a date that was never reconciled the next ones know less.
        is_any_missing |= !site.reports().join(&dates).exists();
        if ended.code != Some(0) {
            bad.push(dates);
        } else if is_well && !is_any_missing {
            good.extend(dates.parse::<NaiveDate>());
        }
        all.code = all.code.zip(ended.code).map(|(one, other)| one.max(other));
        all.stdout += &ended.stdout;
        all.stderr += &ended.stderr;
    }
    Played { ended: all, bad, good }
}

fn command(
    site: &Site,
    scenario: &Scenario,
    key: &str,
    service: &RunningSandbox,
    arguments: &[&str],
) -> Command {
    let mut command = site.command(arguments);
    command
        .env("TIEOUT_API__BASE_URL", format!("{}/v1", service.base_url()))
        .env("TIEOUT_API__AUTH_URL", service.base_url())
        .env("TIEOUT_API_KEY", key)
        // Without them it is not requested at all: an answer from the fault would be taken for the
        // service.
        .env("TIEOUT_API__TRANSACTIONS", if scenario.has_links { "auto" } else { "off" })
        .env("TIEOUT_API__PAGE_SIZE", scenario.page_size.to_string())
        .env("TIEOUT_API__MAX_IN_FLIGHT", scenario.in_flight.to_string());
    command
}

/// Neither the key nor a token is in any output or file.
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
