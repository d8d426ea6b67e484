//! Checks that the evidence is intact and readable only by its owner: the store file, the signing
//! key, and the signatures themselves.

use std::path::Path;

use super::probe::Probe;
use crate::night::in_one_line;
use tieout_config::Settings;
use tieout_report::aligned::counted;
use tieout_report::{MANIFEST_FILE, signature_of};
use tieout_store::{Store, soundness};

/// The probes of the store file and the signing key, as far as they exist.
pub(super) fn probes(settings: &Settings) -> Vec<Probe> {
    let mut probes = Vec::new();
    if settings.store_path.is_file() {
        probes.extend(pages(&settings.store_path));
        probes.extend(for_owner("store file", &settings.store_path));
    }
    if let Some(key) = &settings.evidence.signing_key_file {
        probes.extend(for_owner("signing key", key));
        probes.extend(signatures(&settings.reports.dir));
    }
    probes
}

/// The pages of the store file. A store that cannot be opened is reported by another probe.
fn pages(path: &Path) -> Option<Probe> {
    const NAME: &str = "store file";
    let store = Store::open_for_reading(path).ok()?;
    let hint = "stop every run and restore the store from its backup; tieout verify names the \
                damage";
    let failed = |found| Probe::failed(NAME, found, Some(hint.to_owned()));
    match soundness::obvious_damage(&store) {
        Ok(damage) => damage.into_iter().next().map(failed),
        Err(error) => Some(failed(in_one_line(&error))),
    }
}

fn for_owner(name: &'static str, path: &Path) -> Option<Probe> {
    let hint = "let its owner alone read it: chmod 600";
    is_open_to_others(path)
        .then(|| Probe::warning(name, format!("{} can be read by others", path.display()), hint))
}

/// A warning when a key is configured but no report is signed.
fn signatures(reports: &Path) -> Option<Probe> {
    let folders = std::fs::read_dir(reports).ok()?.flatten().map(|entry| entry.path());
    let reported: Vec<_> = folders.filter(|folder| folder.join(MANIFEST_FILE).is_file()).collect();
    let is_any = reported.iter().any(|folder| signature_of(folder, MANIFEST_FILE).is_file());
    if is_any || reported.is_empty() {
        return None;
    }
    let found = format!(
        "a signing key is configured, and none of {} in {} is signed",
        counted(reported.len(), "date", "dates"),
        reports.display()
    );
    let hint = "the next run signs its reports; tieout report --date rewrites older dates";
    Some(Probe::warning("signatures", found, hint))
}

#[cfg(unix)]
pub(super) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // The group's permissions are not checked: Kubernetes gives a secret to the pod's group.
    std::fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o007 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_open_to_others(_: &Path) -> bool {
    false
}
