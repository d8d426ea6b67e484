//! Every built-in and custom check, found by its code.

use super::check::{Check, Finder, Waiting, parse};
use super::{JudgeError, check_files};
use tieout_model::digest::Digester;

/// Every check, in order of code.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    checks: Vec<Check>,
}

impl Registry {
    /// The checks that come with the program.
    ///
    /// # Errors
    /// When a header lacks a key; a test rules that out.
    pub fn built_in() -> Result<Self, JudgeError> {
        Self::of(check_files())
    }

    /// The checks of these files, each with its finder, stem and text.
    ///
    /// # Errors
    /// When a header lacks a key, or has another code than its file name.
    pub fn of<'text>(
        files: impl IntoIterator<Item = (Finder, &'text str, &'text str)>,
    ) -> Result<Self, JudgeError> {
        let checks = files
            .into_iter()
            .map(|(finder, stem, text)| {
                let check = parse(finder, stem, text)?;
                let expected = stem.to_uppercase();
                if check.code == expected {
                    return Ok(check);
                }
                let problem = format!("the header has {}, expected {expected}", check.code);
                Err(JudgeError::File { stem: stem.to_owned(), problem })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::default().with(checks))
    }

    /// The same with more checks.
    #[must_use]
    pub fn with(mut self, checks: Vec<Check>) -> Self {
        self.checks.extend(checks);
        self.checks.sort_by(|one, other| one.code.cmp(&other.code));
        self
    }

    /// Every check, in order of code.
    pub fn iter(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter()
    }

    /// A digest of the settings together with the user's own checks, which decide the findings as
    /// the settings do.
    pub fn digest_with(&self, settings: &str) -> String {
        let mut digester = Digester::default();
        let mut own = self.checks.iter().filter(|check| check.custom.is_some()).peekable();
        if own.peek().is_none() {
            return settings.to_owned();
        }
        digester.add(settings.as_bytes());
        for check in own {
            digester.add(check.stem.as_bytes());
            digester.add(check.sql.as_bytes());
        }
        digester.finish()
    }

    /// The check with this code.
    pub fn find(&self, code: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.code == code)
    }

    /// Whether a check with this code exists and satisfies `says`.
    pub fn says(&self, code: &str, says: impl Fn(&Check) -> bool) -> bool {
        self.find(code).is_some_and(says)
    }

    /// The check that money of this kind in transit waits for.
    pub fn waiting(&self, what: Waiting) -> Option<&Check> {
        self.checks.iter().find(|check| check.transit == Some(what))
    }

    /// The check that cannot evaluate a record of this kind that names no merchant.
    pub fn nameless(&self, kind: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.nameless.as_deref() == Some(kind))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use tieout_model::Severity;

    #[test]
    fn reads_every_check_file() {
        let registry = Registry::built_in().unwrap();
        assert_eq!(registry.iter().count(), check_files().len());
        assert_eq!(registry.find("FUNDS_HELD").unwrap().severity, Severity::Info);
        assert!(!registry.find("FUNDS_HELD").unwrap().is_carried);
        assert!(registry.find("DEPOSIT_SALES_MISMATCH").unwrap().names_batch);
        let foreign = registry.find("CURRENCY_MISMATCH").unwrap();
        assert!(foreign.is_for_ledger && !foreign.has_difference);
        let ledger_codes = registry.iter().filter(|check| check.is_for_ledger).count();
        assert_eq!(ledger_codes, tieout_matching::LedgerCode::ALL.len());
    }

    #[test]
    fn has_a_plant_for_every_check() {
        let mut plants = tieout_sandbox::plant_codes();
        plants.extend(tieout_sandbox::newer_plants());
        // The records of a sandbox world never change, so nothing is restated there.
        let is_planted = |check: &&Check| !check.code.ends_with("_AFTER_RECONCILED");
        for check in Registry::built_in().unwrap().iter().filter(is_planted) {
            assert!(plants.contains(&check.code.as_str()), "{} has no plant", check.code);
        }
    }

    /// The files of the finders other than SQL; each contains the codes of its own checks.
    const FINDERS: [&str; 3] = [
        "crates/judge/src/restated.rs",
        "crates/judge/src/bank/code.rs",
        "crates/matching/src/findings/mod.rs",
    ];

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                sources(&path, found);
            } else if name != "tests.rs"
                && path.extension().is_some_and(|kind| kind == "rs" || kind == "sql")
            {
                found.push(path);
            }
        }
    }

    /// A check's behaviour follows from its header, never from the spelling of its code.
    #[test]
    fn no_code_is_spelled_outside_the_file_of_its_check() {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let mut files = Vec::new();
        sources(&root.join("src"), &mut files);
        sources(&root.join("crates"), &mut files);
        let registry = Registry::built_in().unwrap();
        let mut spelled = Vec::new();
        for path in files {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if FINDERS.contains(&name.as_str()) {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for check in registry.iter() {
                let is_own = name == format!("crates/store/sql/checks/{}.sql", check.stem);
                let quoted = [format!("\"{}\"", check.code), format!("'{}'", check.code)];
                if !is_own && quoted.iter().any(|quoted| code.contains(quoted)) {
                    spelled.push(format!("{name}: {}", check.code));
                }
            }
        }
        assert_eq!(spelled, Vec::<String>::new());
    }
}
