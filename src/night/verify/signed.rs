//! Verifies a folder of reports with only a public key, without any store: the signatures of the
//! manifests, and that the files are those that the signed manifests name.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::NaiveDate;

use super::folders;
use super::verified::{Manifest, Verified};
use crate::night::NightError;
use tieout_model::StoreStamp;
use tieout_report::{MANIFEST_FILE, PERIOD_MANIFEST_FILE, PublicKey};

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
    if let (Some(head), false) = (head, is_stated) {
        for one in &mut verified {
            one.problems.push(format!(
                "no manifest states the head {head}; whether the audit trail holds it, the store \
                 says"
            ));
        }
    }
    Ok(verified)
}

/// Verifies one folder; returns the stamp of the store in its signed manifest.
fn verify_folder(
    folder: &Path,
    key: &PublicKey,
    verified: &mut Verified,
) -> Result<Option<StoreStamp>, NightError> {
    let is_period = verified.period.is_some();
    let name = if is_period { PERIOD_MANIFEST_FILE } else { MANIFEST_FILE };
    let content = match std::fs::read(folder.join(name)) {
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
            verified.problems.push(format!("{name} is no manifest: {error}"));
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
        let problem = format!("the folder is named {named}, and what was signed is that of {of}");
        verified.problems.push(problem);
    }
    let manifest = Manifest { name, subject: "" };
    // Comparing the cells of a workbook needs the store.
    let explain = |_: &str| Ok(None);
    verified.files = manifest.files(folder, &signed.files, explain, &mut verified.problems)?;
    Ok(signed.store)
}
