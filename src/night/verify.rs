//! Verifies a report folder offline: the files against their manifest, the manifest against the
//! audit trail, and its statements against the store, down to the pages. Changes nothing.

mod anchors;
mod cells;
mod error;
mod period;
mod signed;
mod verified;
mod workbook;

use anchors::Trail;
pub use error::VerifyError;
pub use signed::verify_signed;
pub use verified::Verified;
use verified::{Manifest, folders, period_of, tell_later};
use workbook::{Subject, explain};

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::night::{NightError, Run, in_one_line};
use tieout_judge::listings::NOT_READ;
use tieout_model::digest::sha256_hex;
use tieout_model::{ListingRecord, RunRecord};
use tieout_read::api::Api;
use tieout_report::{MANIFEST_FILE, PERIODS_FOLDER, PublicKey, Signer, atomic};
use tieout_store::{
    Proof, Prover, Store, StoreError, days, listings, results, retention, seal, sign_off,
    soundness, trail,
};

/// What a run leaves that was killed between the store and the files.
const UNFINISHED: &str = "the run that was to report it did not end, and its files are not those of \
                          its results yet; the next run writes them";

/// How often a folder is looked at again which a run may be writing, and after how long.
const LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// The problem of a date whose `close` was killed after writing the audit trail and before writing
/// all files.
const INTERRUPTED: &str = "its sign-off was interrupted: the audit trail has it, and not all files \
                           show it yet; the next run writes them, or closing the date again";

/// Verifies the folder of a business date or a period, or every such folder in `dir`: dates first,
/// oldest first. The audit trail must contain `head`, a hash noted by a person. Every reported date
/// must be in `home`, where reports are written; a copy elsewhere must contain the dates between
/// its first and its last. With a `run`, the changed cells of an altered workbook are named.
///
/// # Errors
/// When there is nothing to verify, or the store cannot be read at all.
pub fn verify(
    store: &Store,
    dir: &Path,
    home: &Path,
    head: Option<&str>,
    run: Option<&Run<'_>>,
) -> Result<Vec<Verified>, NightError> {
    let mut verified = verify_once(store, dir, home, head, run)?;
    for one in verified.iter_mut().filter(|one| one.is_being_written) {
        look_again(store, run, one)?;
    }
    let key = run.and_then(|run| run.settings.evidence.signing_key_file.as_deref());
    // A person who may not read the private key has the public one.
    match key.and_then(|key| Signer::read(key).ok()) {
        Some(key) if is_same_folder(dir, home) => {
            with_signatures(store, dir, &key.public(), &verified)
        }
        _ => Ok(verified),
    }
}

/// The same with what the signatures show. While a run writes, a manifest has its signature, and the
/// register its entry, a moment later.
fn with_signatures(
    store: &Store,
    dir: &Path,
    key: &PublicKey,
    verified: &[Verified],
) -> Result<Vec<Verified>, NightError> {
    let mut looks = 0;
    loop {
        let mut held = verified.to_vec();
        signed::add_signatures(dir, key, &mut held);
        let known = |at: usize| verified.get(at).map_or(0, |one| one.problems.len());
        let is_new = |(at, one): (usize, &Verified)| one.problems.len() > known(at);
        let trail = Trail::of(store)?;
        looks += 1;
        if !held.iter().enumerate().any(is_new) {
            return Ok(held);
        }
        if trail.holder.is_some() && looks < LOOKS {
            std::thread::sleep(PAUSE);
            continue;
        }
        for (at, one) in held.iter_mut().enumerate() {
            let is_of_run = one.period.is_none()
                && one
                    .business_date
                    .map_or(!trail.unfinished.is_empty(), |date| trail.was_interrupted(date));
            if is_of_run && known(at) == 0 && !one.problems.is_empty() {
                one.problems = vec![UNFINISHED.to_owned()];
                one.is_interrupted = true;
            }
        }
        return Ok(held);
    }
}

/// Looks again at a folder that a run is writing, until it is whole.
fn look_again(store: &Store, run: Option<&Run<'_>>, one: &mut Verified) -> Result<(), NightError> {
    for _ in 0..LOOKS {
        std::thread::sleep(PAUSE);
        let _view = store.view()?;
        let read = |listing: &_, number, json: &[u8]| Api::read_evidence(listing, number, json);
        let (trail, mut prover) = (Trail::of(store)?, Prover::new(store, &read)?);
        *one = verify_one(store, run, &trail, &mut prover, &one.folder)?;
        if !one.is_being_written || trail.holder.is_none() {
            break;
        }
    }
    Ok(())
}

fn verify_once(
    store: &Store,
    dir: &Path,
    home: &Path,
    head: Option<&str>,
    run: Option<&Run<'_>>,
) -> Result<Vec<Verified>, NightError> {
    // A concurrent run is seen either before or after its changes, never in between.
    let _view = store.view()?;
    let mut unsound = unsound(store)?;
    match prove(store, dir, home, head, run) {
        Ok(mut verified) => {
            accuse_all(&mut verified, &unsound);
            Ok(verified)
        }
        Err(NightError::Store(error)) if error.is_of_content() || !unsound.is_empty() => {
            unsound.push(format!("nothing more is proved: {}", in_one_line(&error)));
            let mut verified: Vec<Verified> =
                folders(dir)?.iter().map(|folder| Verified::of(folder)).collect();
            for one in &mut verified {
                one.problems.clone_from(&unsound);
            }
            Ok(verified)
        }
        Err(error) => Err(error),
    }
}

/// Adds what is wrong with the whole store to each folder, which no run will mend.
fn accuse_all(verified: &mut [Verified], problems: &[String]) {
    for one in verified.iter_mut().filter(|_| !problems.is_empty()) {
        one.problems.splice(0..0, problems.iter().cloned());
        one.is_being_written = false;
    }
}

/// Faults in the schema and the pages of the file, which affect every other proof.
fn unsound(store: &Store) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for part in [soundness::strange_schema(store), soundness::damage(store)] {
        match part {
            Ok(part) => found.extend(part),
            Err(error) if error.is_of_content() => found.push(in_one_line(&error)),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn prove(
    store: &Store,
    dir: &Path,
    home: &Path,
    head: Option<&str>,
    run: Option<&Run<'_>>,
) -> Result<Vec<Verified>, NightError> {
    let mut chain: Vec<String> =
        trail::broken_chain(store)?.iter().map(ToString::to_string).collect();
    chain.extend(retention::unaccounted(store)?);
    chain.extend(seal::broken(store)?);
    let trail = Trail::of(store)?;
    chain.extend(head.and_then(|head| trail.misses(head)));
    chain.extend(trail.changed_outside_of_runs());
    let mut verified = Vec::new();
    let folders = folders(dir)?;
    // The dates are not in the folder of the periods.
    let is_periods = dir.file_name().is_some_and(|name| name == PERIODS_FOLDER);
    if !is_periods && folders.iter().all(|folder| folder != dir) {
        verified.extend(trail.gone(dir, is_same_folder(dir, home)));
    }
    let read = |listing: &_, number, json: &[u8]| Api::read_evidence(listing, number, json);
    let mut prover = Prover::new(store, &read)?;
    chain.extend(prover.disputes()?.problems);
    for folder in folders {
        verified.push(verify_one(store, run, &trail, &mut prover, &folder)?);
    }
    accuse_all(&mut verified, &chain);
    Ok(verified)
}

/// Verifies the folder of a date or of a period.
fn verify_one(
    store: &Store,
    run: Option<&Run<'_>>,
    trail: &Trail,
    prover: &mut Prover<'_>,
    folder: &Path,
) -> Result<Verified, NightError> {
    let mut one = match period_of(folder) {
        Some(name) => period::verify_folder(store, run, trail, folder, &name)?,
        None => verify_folder(store, run, trail, prover, folder)?,
    };
    one.audit_head.clone_from(&trail.stamp.audit_head);
    let is_run = !trail.unfinished.is_empty() && !one.problems.is_empty();
    // Without a holder the run was killed, or has ended since the store was looked at.
    one.is_being_written = is_run;
    if let Some(holder) = trail.holder.as_ref().filter(|_| is_run) {
        one.problems.push(format!(
            "a run is going on ({holder}) and may be writing these files: verify them again once it \
             has ended"
        ));
    }
    Ok(one)
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

fn verify_folder(
    store: &Store,
    run: Option<&Run<'_>>,
    trail: &Trail,
    prover: &mut Prover<'_>,
    folder: &Path,
) -> Result<Verified, NightError> {
    let mut verified = Verified::of(folder);
    let problems = &mut verified.problems;
    let path = folder.join(MANIFEST_FILE);
    let bytes = match atomic::read(&path) {
        Ok(bytes) => bytes,
        Err(_) if verified.business_date.is_some_and(|date| trail.was_interrupted(date)) => {
            problems.push(UNFINISHED.to_owned());
            verified.is_interrupted = true;
            return Ok(verified);
        }
        Err(error) => {
            problems.push(format!("{MANIFEST_FILE} cannot be read: {error}"));
            return Ok(verified);
        }
    };
    let manifest: RunRecord = match serde_json::from_slice(&bytes) {
        Ok(manifest) => manifest,
        Err(error) => {
            problems.push(format!("{MANIFEST_FILE} is not a manifest: {error}"));
            return Ok(verified);
        }
    };
    let date = manifest.business_date;
    let named = *verified.business_date.get_or_insert(date);
    if named != date {
        problems.push(format!("the folder is named {named}, and its files are those of {date}"));
    }
    problems.extend(manifest.store.as_ref().and_then(|stamp| trail.problem_of(stamp)));
    let at_first = problems.len();
    let written = Manifest { name: MANIFEST_FILE, subject: &date.to_string() };
    let later = written.is_a_written_one(store, &sha256_hex(&bytes), problems)?;
    let explain = |digest: &str| match run {
        Some(run) => explain(run, store, Subject::Date(&manifest), folder, digest),
        None => Ok(None),
    };
    verified.files = written.files(folder, &manifest.files, explain, problems)?;
    if sign_off::interrupted(store)?.contains(&date) {
        problems.truncate(at_first);
        problems.push(INTERRUPTED.to_owned());
        verified.is_interrupted = true;
    }
    let before = problems.len();
    results(store, &manifest, problems)?;
    tell_later(problems, before, later);
    let is_behind = problems.len() > at_first && trail.was_interrupted(date);
    if is_behind && seal::refuse_altered(store, date).is_ok() {
        problems.truncate(at_first);
        problems.push(UNFINISHED.to_owned());
        verified.is_interrupted = true;
    }
    let proof = evidence(store, prover, &manifest)?;
    problems.extend(proof.problems);
    verified.pruned_pages = proof.pruned.len();
    verified.records_proved = proof.proved;
    Ok(verified)
}

/// The date's results in the store must equal those in the manifest.
fn results(
    store: &Store,
    manifest: &RunRecord,
    problems: &mut Vec<String>,
) -> Result<(), NightError> {
    let date = manifest.business_date;
    let kept = match results::of_day(store, date) {
        Ok(Some(outcome)) => outcome,
        Ok(None) => {
            problems.push(format!("the store holds no results of {date}"));
            return Ok(());
        }
        Err(StoreError::RunRecord { source, .. }) => {
            problems.push(format!("the run record of {date} in the store: {source}"));
            return Ok(());
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            problems.push(format!(
                "the results of {date} in the store cannot be read: {}",
                cause.unwrap_or_default()
            ));
            return Ok(());
        }
    };
    let sealed = seal::of_results(store, date)?;
    if sealed != manifest.results_digest || kept.results_digest != manifest.results_digest {
        problems.push(format!(
            "the results of {date} in the store were altered: their digest should be {}, found \
             {sealed}",
            manifest.results_digest
        ));
    }
    let stable = &kept.run_record;
    let stated = RunRecord {
        started: stable.started,
        ended: stable.ended,
        clock_substitute: stable.clock_substitute,
        stages: stable.stages.clone(),
        results_digest: stable.results_digest.clone(),
        standing: stable.standing.clone(),
        files: stable.files.clone(),
        store: stable.store.clone(),
        sign_off: stable.sign_off.clone(),
        ..manifest.clone()
    };
    if stated != *stable {
        problems
            .push(format!("the run record of {date} in the store differs from {MANIFEST_FILE}"));
    }
    if let Some(day) = days::of_date(store, date)? {
        if !day.is_reconciled || day.is_complete != kept.not_evaluated.is_empty() {
            problems.push(format!("the state of {date} in the store does not fit its results"));
        }
    } else {
        problems.push(format!("the store does not know {date}"));
    }
    Ok(())
}

/// Verifies the listings that the date rests on, their pages, and the records in these.
fn evidence(
    store: &Store,
    prover: &mut Prover<'_>,
    manifest: &RunRecord,
) -> Result<Proof, NightError> {
    let mut problems = BTreeSet::new();
    // A listing that was never read has nothing to compare with.
    for stated in manifest.listings.iter().filter(|stated| stated.verdict != NOT_READ) {
        match reading_of(store, stated)? {
            Some(reading) => prover.reading(reading)?,
            None => {
                problems.insert(format!(
                    "the store holds no reading of {} by {} {} {} as {MANIFEST_FILE} states it",
                    stated.resource,
                    stated.selector,
                    stated.scope,
                    stated.date.map(|date| date.to_string()).unwrap_or_default()
                ));
            }
        }
    }
    prover.records_of(manifest.business_date)?;
    let mut proof = prover.finish()?;
    proof.problems.extend(problems);
    Ok(proof)
}

/// The newest reading of the listing that agrees with the manifest.
fn reading_of(store: &Store, stated: &ListingRecord) -> Result<Option<i64>, NightError> {
    let date = stated.date.map(|date| date.to_string()).unwrap_or_default();
    let key =
        (stated.resource.as_str(), stated.selector.as_str(), date.as_str(), stated.scope.as_str());
    let readings = listings::readings(store, key)?;
    Ok(readings
        .into_iter()
        .find(|(_, state)| state.clone().into_record() == *stated)
        .map(|(reading, _)| reading))
}
