//! Whether files have come, gone or changed, by their names, sizes and times alone.

use std::path::{Path, PathBuf};

use super::{Fingerprint, files_of};

/// The files that match some patterns, as they are at one moment.
#[derive(PartialEq, Eq, Default)]
pub struct Seen(Vec<(PathBuf, Option<Fingerprint>)>);

impl Seen {
    /// The files that match `patterns` now. A folder that cannot be listed has none: a run says why.
    pub fn now<'p>(patterns: impl IntoIterator<Item = &'p Path>) -> Self {
        let found = patterns.into_iter().flat_map(|pattern| files_of(pattern).unwrap_or_default());
        Self(found.map(|path| (path.clone(), Fingerprint::of(&path).ok())).collect())
    }
}
