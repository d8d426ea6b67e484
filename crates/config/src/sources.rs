//! Where settings come from.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The file that is read when `--config` names none and the working directory has it.
pub const DEFAULT_FILE: &str = "tieout.toml";

/// The file of the machine, where the working directory has none.
pub const SYSTEM_FILE: &str = "/etc/tieout/tieout.toml";

/// The sources of settings, the weakest first; the built-in defaults are weaker than all of them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// From `--config`; else [`DEFAULT_FILE`] or [`SYSTEM_FILE`], the first that exists.
    pub config_file: Option<PathBuf>,
    /// The whole environment; only names that begin with `TIEOUT_` count.
    pub environment: BTreeMap<String, String>,
    /// From `--db`.
    pub db: Option<PathBuf>,
    /// From `--out`.
    pub out: Option<PathBuf>,
}
