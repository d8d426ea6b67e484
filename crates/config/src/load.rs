//! Reads the configuration: file, then environment, then flags; a later source takes precedence.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::environment::{self, api_key};
use super::error::{ConfigError, Faults, Place};
use super::keys::ROOT;
use super::resolve::{self, Surroundings};
use super::sources::{DEFAULT_FILE, SYSTEM_FILE, Sources};
use super::tree::{ANY_CHECK, Converter, Lines, Origin, Table};
use super::{CustomChecks, EffectiveValue, Settings, effective};

/// A configuration with ten thousand merchants is smaller than this.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

impl Settings {
    /// The folder of the user's own checks, whose codes `[checks]` may name as well.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn custom_checks(sources: &Sources) -> Result<CustomChecks, ConfigError> {
        Ok(Self::load(sources, &[ANY_CHECK])?.custom_checks)
    }

    /// Every key with its value and where it comes from.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn effective(
        sources: &Sources,
        known_checks: &[&str],
    ) -> Result<Vec<EffectiveValue>, ConfigError> {
        let mut faults = Faults::default();
        let (root, file) = tree(sources, known_checks, &mut faults)?;
        let values = effective::values(&root, sources);
        if !faults.is_empty() {
            resolve::settings(root, &surroundings(file, &sources.environment), faults)?;
        }
        Ok(values)
    }

    /// Resolves the settings. `known_checks` are the codes that `[checks]` may name.
    ///
    /// # Errors
    /// With every fault and its place: nothing is guessed or ignored.
    pub fn load(sources: &Sources, known_checks: &[&str]) -> Result<Self, ConfigError> {
        let mut faults = Faults::default();
        let (root, file) = tree(sources, known_checks, &mut faults)?;
        let surroundings = surroundings(file, &sources.environment);
        let mut settings = resolve::settings(root, &surroundings, faults)?;
        if let Some(db) = &sources.db {
            settings.store_path.clone_from(db);
        }
        if let Some(out) = &sources.out {
            settings.reports.dir.clone_from(out);
        }
        Ok(settings)
    }
}

/// The settings of the environment alone, overridden by `set` (by the names of the variables): for
/// a command that writes the file.
///
/// # Errors
/// As [`Settings::load`].
pub fn without_file(
    environment: &BTreeMap<String, String>,
    set: &[(&str, Option<&str>)],
) -> Result<Settings, ConfigError> {
    let mut environment = environment.clone();
    let set = set.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
    environment.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let (mut root, mut faults) = (Table::default(), Faults::default());
    environment::overlay(&mut root, &environment, &[ANY_CHECK], &mut faults);
    resolve::settings(root, &surroundings(None, &environment), faults)
}

fn surroundings<'a>(
    file: Option<&'a Path>,
    environment: &'a BTreeMap<String, String>,
) -> Surroundings<'a> {
    Surroundings {
        folder: file.and_then(Path::parent).unwrap_or(Path::new("")),
        api_key: api_key(environment),
    }
}

/// The valid values of file and environment, and the path of the file; invalid values are faults.
///
/// # Errors
/// When the file cannot be read or is not TOML.
fn tree<'a>(
    sources: &'a Sources,
    known_checks: &[&str],
    faults: &mut Faults,
) -> Result<(Table, Option<&'a Path>), ConfigError> {
    let file = match &sources.config_file {
        Some(path) => Some(path.as_path()),
        None => [DEFAULT_FILE, SYSTEM_FILE].map(Path::new).into_iter().find(|path| path.exists()),
    };
    let mut root = match file {
        Some(path) => read_file(path, known_checks, faults)?,
        None => Table::default(),
    };
    environment::overlay(&mut root, &sources.environment, known_checks, faults);
    Ok((root, file))
}

fn read_file(
    path: &Path,
    known_checks: &[&str],
    faults: &mut Faults,
) -> Result<Table, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > MAX_FILE_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let converter = Converter {
        origin: Origin::File { path, lines: Lines::new(text) },
        known_checks,
        faults: RefCell::default(),
    };
    let parsed = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        place: error.span().map_or_else(
            || Place::File { path: path.to_owned(), line: 1 },
            |span| converter.place(span.start),
        ),
        // Only the message: the parser's excerpt could show a secret.
        message: error.message().replace('\n', ", "),
    })?;
    let root = converter.table(parsed.get_ref(), ROOT, "");
    *faults = converter.faults.into_inner();
    Ok(root)
}
