//! Verifies a folder of reports with only a public key, without any store: the signatures of the
//! manifests, and that the files are those that the signed manifests name.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;

use super::verified::{Manifest, Verified, date_of, folders};
use crate::night::NightError;
use tieout_model::StoreStamp;
use tieout_model::digest::sha256_hex;
use tieout_report::{
    Entry, INDEX_FILE, MANIFEST_FILE, PERIOD_MANIFEST_FILE, PERIODS_FOLDER, PublicKey,
    REGISTER_FILE, Register, atomic, signature_of,
};

/// The fields of a manifest that verifying without a store needs.
#[derive(serde::Deserialize)]
struct Signed {
    files: BTreeMap<String, String>,
    store: Option<StoreStamp>,
    /// In the manifest of a date.
    business_date: Option<NaiveDate>,
    /// In the manifest of a period.
    #[serde(default)]
    dates: Vec<Dated>,
}

#[derive(serde::Deserialize)]
struct Dated {
    business_date: NaiveDate,
}

impl Signed {
    /// The name of the folder that the manifest was signed for.
    fn folder(&self) -> Option<String> {
        let of_period = || {
            let (first, last) = (self.dates.first()?, self.dates.last()?);
            Some(format!("{}..{}", first.business_date, last.business_date))
        };
        self.business_date.map(|date| date.to_string()).or_else(of_period)
    }
}

/// Verifies the folder of a date or a period, or every such folder in `dir`, against signatures.
/// One of the manifests must state `head`, a hash of the audit trail noted by a person.
///
/// # Errors
/// When there is nothing to verify or a folder cannot be read.
pub fn verify_signed(
    dir: &Path,
    key: &PublicKey,
    head: Option<&str>,
) -> Result<Vec<Verified>, NightError> {
    let (mut verified, mut is_stated) = (Vec::new(), false);
    for folder in folders(dir)? {
        let mut one = Verified::of(&folder);
        if let Some(stamp) = verify_folder(&folder, key, &mut one)? {
            is_stated |= head.is_some_and(|head| head.eq_ignore_ascii_case(&stamp.audit_head));
            one.audit_head = stamp.audit_head;
        }
        verified.push(one);
    }
    if !is_one(dir) {
        verify_register(dir, key, &mut verified, true);
    }
    if let (Some(head), false) = (head, is_stated) {
        for one in &mut verified {
            one.problems.push(format!(
                "no manifest states the head {head}; only the store can show whether the audit \
                 trail holds it"
            ));
        }
    }
    Ok(verified)
}

/// Whether the folder is that of one date or period, or that of the periods alone.
fn is_one(dir: &Path) -> bool {
    let is_periods = dir.file_name().is_some_and(|name| name == PERIODS_FOLDER);
    let has = |manifest: &str| dir.join(manifest).exists();
    is_periods || date_of(dir).is_some() || has(MANIFEST_FILE) || has(PERIOD_MANIFEST_FILE)
}

/// Adds to folders that the store has proved what their signatures and the register of `dir` show: a
/// report from before there was a key has neither.
pub(super) fn add_signatures(dir: &Path, key: &PublicKey, verified: &mut Vec<Verified>) {
    verify_register(dir, key, verified, false);
}

fn manifest_of(one: &Verified) -> &'static str {
    if one.period.is_some() { PERIOD_MANIFEST_FILE } else { MANIFEST_FILE }
}

/// Holds the folders of `dir` against its register: every report must be there, as it was written last.
/// Where this is not `alone`, the store proves them too, and an unsigned report may be an older one.
fn verify_register(dir: &Path, key: &PublicKey, verified: &mut Vec<Verified>, alone: bool) {
    let mut root = Verified::of(dir);
    let is_signed = |one: &Verified| signature_of(&one.folder, manifest_of(one)).exists();
    let register = match Register::read(dir, key) {
        Ok(Some(register)) => register,
        Ok(None) if !alone && !verified.iter().any(is_signed) => return,
        Ok(None) => {
            root.problems.push(format!(
                "{REGISTER_FILE} is gone, or was never written: whether a date was removed, it alone \
                 shows"
            ));
            verified.push(root);
            return;
        }
        Err(problem) => {
            root.problems.push(problem);
            verified.push(root);
            return;
        }
    };
    root.files = 1;
    let newest = register.newest();
    for one in verified.iter_mut() {
        let (subject, name) = (subject_of(&one.folder), manifest_of(one));
        let content = atomic::read(&one.folder.join(name)).ok();
        let Some(entry) = newest.get(subject.as_str()) else {
            let problem = alone.then(|| format!("{REGISTER_FILE} does not name it"));
            one.problems.extend(problem);
            continue;
        };
        let found = content.as_deref().map(sha256_hex);
        if Some(&entry.sha256) != found.as_ref() {
            one.problems.push(other_than(&register, entry, name, found));
        }
        if let (false, Some(content)) = (alone, content) {
            one.problems.extend(key.problem(&one.folder, name, &content));
        }
    }
    for (subject, entry) in newest {
        if subject == INDEX_FILE {
            root.files += 1;
            let found = digest_of(&dir.join(INDEX_FILE));
            if found.as_ref() != Some(&entry.sha256) {
                root.problems.push(other_than(&register, entry, INDEX_FILE, found));
            }
        } else if verified.iter().all(|one| subject_of(&one.folder) != subject) {
            let of_period = subject.contains("..").then_some(PERIODS_FOLDER);
            let mut gone = Verified::of(&dir.join(of_period.unwrap_or_default()).join(subject));
            let run = &entry.run;
            gone.problems.push(format!("its folder is gone: it was written by the run of {run}"));
            verified.push(gone);
        }
    }
    verified.push(root);
}

fn subject_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn digest_of(file: &Path) -> Option<String> {
    atomic::read(file).ok().map(|content| sha256_hex(&content))
}

/// Says of a file that it is not the one which the register names last.
fn other_than(register: &Register, entry: &Entry, name: &str, found: Option<String>) -> String {
    let (run, digest) = (&entry.run, &entry.sha256);
    let Some(found) = found else {
        return format!("{name} is gone: it was written by the run of {run}");
    };
    match register.find(&entry.subject, &found) {
        Some(older) => {
            format!(
                "{name} is that of the run of {}, and the run of {run} wrote another",
                older.run
            )
        }
        None => format!(
            "{name} is not the one that the run of {run} wrote: its digest should be {digest}, found \
             {found}"
        ),
    }
}

/// Verifies one folder; returns the stamp of the store in its signed manifest.
fn verify_folder(
    folder: &Path,
    key: &PublicKey,
    verified: &mut Verified,
) -> Result<Option<StoreStamp>, NightError> {
    let (is_period, name) = (verified.period.is_some(), manifest_of(verified));
    let content = match atomic::read(&folder.join(name)) {
        Ok(content) => content,
        Err(error) => {
            verified.problems.push(format!("{name} cannot be read: {error}"));
            return Ok(None);
        }
    };
    if let Some(problem) = key.problem(folder, name, &content) {
        verified.problems.push(problem);
        return Ok(None);
    }
    let signed: Signed = match serde_json::from_slice(&content) {
        Ok(signed) => signed,
        Err(error) => {
            verified.problems.push(format!("{name} is not a manifest: {error}"));
            return Ok(None);
        }
    };
    // A copy under another date has a valid signature as well.
    let named = folder.canonicalize().ok();
    let named = named.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let is_named = verified.business_date.is_some() || is_period;
    if let (true, Some(of), Some(named)) = (is_named, signed.folder(), named)
        && of != named
    {
        let problem = format!(
            "the folder is named {named}, but the signed manifest is that of \
                               {of}"
        );
        verified.problems.push(problem);
    }
    let manifest = Manifest { name, subject: "" };
    // Comparing the cells of a workbook needs the store.
    let explain = |_: &str| Ok(None);
    verified.files = manifest.files(folder, &signed.files, explain, &mut verified.problems)?;
    Ok(signed.store)
}
