//! The register in the root of the reports, `register.jsonl`: an entry for each report that was written,
//! each with the digest of the entry before, and at its end the signature of them all. With the public
//! key alone it shows a report that was removed and an older one that was put back. It is written where
//! a key is configured.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::atomic;
use super::error::ReportError;
use super::signature::{PublicKey, Signer};
use tieout_model::digest::sha256_hex;

/// The register's name.
pub const REGISTER_FILE: &str = "register.jsonl";

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// A business date, a period as `2026-11-01..2026-11-07`, or `index.html`.
    pub subject: String,
    /// The moment of the run that wrote it, RFC 3339 in UTC.
    pub run: String,
    /// SHA-256 of its manifest; of `index.html` that of the file.
    pub sha256: String,
    /// SHA-256 of the entry before as it stands in the file; empty for the first one.
    pub before: String,
}

/// The last line. In the file itself, as two files cannot be renamed at once.
#[derive(Serialize, Deserialize)]
struct Signed {
    signature: String,
}

/// The register as it was read, its signature and its chain proved.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// The lines that are signed.
    text: String,
    entries: Vec<Entry>,
}

impl Register {
    /// Reads the register of `root`; `None` where there is none.
    ///
    /// # Errors
    /// In words, why it is not what was signed with this key.
    pub fn read(root: &Path, key: &PublicKey) -> Result<Option<Self>, String> {
        let text = match atomic::read(&root.join(REGISTER_FILE)) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{REGISTER_FILE} cannot be read: {error}")),
        };
        let unsigned = || format!("{REGISTER_FILE} is not what was signed with this key");
        let body = text.strip_suffix('\n').ok_or_else(unsigned)?;
        let (text, last) = body.rfind('\n').map_or(("", body), |end| body.split_at(end + 1));
        let Signed { signature } = serde_json::from_str(last).map_err(|_| unsigned())?;
        if !key.has_signed(text.as_bytes(), &signature) {
            return Err(unsigned());
        }
        let (mut entries, mut before) = (Vec::new(), String::new());
        for line in text.lines() {
            let entry: Entry = serde_json::from_str(line)
                .map_err(|error| format!("{REGISTER_FILE} cannot be read: {error}"))?;
            if entry.before != before {
                return Err(format!(
                    "{REGISTER_FILE} has an entry that does not follow the one before"
                ));
            }
            before = sha256_hex(line.as_bytes());
            entries.push(entry);
        }
        Ok(Some(Self { text: text.to_owned(), entries }))
    }

    /// What was written last of each subject.
    pub fn newest(&self) -> BTreeMap<&str, &Entry> {
        self.entries.iter().map(|entry| (entry.subject.as_str(), entry)).collect()
    }

    /// The entry of a subject with this digest, also an older one.
    pub fn find(&self, subject: &str, sha256: &str) -> Option<&Entry> {
        self.entries.iter().rfind(|entry| entry.subject == subject && entry.sha256 == sha256)
    }

    fn add(&mut self, subject: &str, sha256: &str, run: &str) -> io::Result<()> {
        let before = self.text.lines().next_back().map(|line| sha256_hex(line.as_bytes()));
        let entry = Entry {
            subject: subject.to_owned(),
            run: run.to_owned(),
            sha256: sha256.to_owned(),
            before: before.unwrap_or_default(),
        };
        self.text += &serde_json::to_string(&entry)?;
        self.text.push('\n');
        self.entries.push(entry);
        Ok(())
    }
}

impl Signer {
    /// Adds to the register of `root` that a report was written, with the digest of its manifest.
    ///
    /// # Errors
    /// When the register is not what this key has signed, or cannot be written.
    pub fn register(
        &self,
        root: &Path,
        subject: &str,
        sha256: &str,
        run: &str,
    ) -> Result<(), ReportError> {
        let path = root.join(REGISTER_FILE);
        let _turn = take_turns(root);
        let refused = |found| ReportError::Register { path: path.clone(), found };
        let mut register =
            Register::read(root, &self.public()).map_err(refused)?.unwrap_or_default();
        if register.newest().get(subject).is_some_and(|newest| newest.sha256 == sha256) {
            return Ok(());
        }
        let failed = |source| ReportError::File { path: path.clone(), source };
        register.add(subject, sha256, run).map_err(failed)?;
        let signed = Signed { signature: self.signature(register.text.as_bytes()) };
        let last = serde_json::to_string(&signed).map_err(io::Error::from).map_err(failed)?;
        atomic::write_file(&path, format!("{}{last}\n", register.text).as_bytes())?;
        atomic::sync_folder(root)
    }
}

/// Keeps others that add to the register waiting, where the system can: `report` may run beside a
/// night.
fn take_turns(root: &Path) -> Option<fs::File> {
    let folder = fs::File::open(root).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(folder: &Path) -> Signer {
        // The first test vector of RFC 8032, section 7.1.
        let key = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
        let path = folder.join("key.pem");
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n");
        atomic::write_file(&path, pem.as_bytes()).unwrap();
        Signer::read(&path).unwrap()
    }

    #[test]
    fn names_what_was_written_last_and_refuses_every_other_line() {
        let folder = tempfile::tempdir().unwrap();
        let (root, signer) = (folder.path(), signer(folder.path()));
        for (subject, sha256) in [("2026-11-20", "aa"), ("2026-11-20", "bb"), ("2026-11-19", "cc")]
        {
            signer.register(root, subject, sha256, "2026-11-21T05:00:00Z").unwrap();
        }
        // What is there is not added again.
        signer.register(root, "2026-11-20", "bb", "2026-11-22T05:00:00Z").unwrap();
        let register = Register::read(root, &signer.public()).unwrap().unwrap();
        assert_eq!(register.entries.len(), 3);
        assert_eq!(register.newest()["2026-11-20"].sha256, "bb");
        assert!(register.find("2026-11-20", "aa").is_some());
        let path = root.join(REGISTER_FILE);
        let whole = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        for left_out in 0..lines.len() {
            let rest = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
            let rest: Vec<&str> = rest.map(|(_, line)| *line).collect();
            let rest = rest.join("\n") + "\n";
            atomic::write_file(&path, rest.as_bytes()).unwrap();
            Register::read(root, &signer.public()).unwrap_err();
            // Nothing is signed on top of it.
            signer.register(root, "2026-11-21", "dd", "2026-11-22T05:00:00Z").unwrap_err();
        }
    }
}
