//! World files: the options of a world, as JSON. Reading one generates the world again.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{World, WorldError, WorldOptions};

/// Raised when the generator makes another world from the same options.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct WorldFile {
    format: u32,
    options: WorldOptions,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

impl World {
    /// Writes the world file; a reader sees either the old file or the new one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), WorldError> {
        let content = WorldFile { format: FORMAT, options: self.options.clone() };
        let failed = |source| WorldError::Write { path: path.to_owned(), source };
        let mut text = serde_json::to_vec_pretty(&content)
            .map_err(|source| WorldError::Parse { path: path.to_owned(), source })?;
        text.push(b'\n');
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let part = Path::new(&name);
        File::create(part)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(part, path))
            .map_err(failed)
    }

    /// Reads a world file and generates its world.
    ///
    /// # Errors
    /// When the file cannot be read, is not a world file, or comes from another generator.
    pub fn load(path: &Path) -> Result<Self, WorldError> {
        let text =
            fs::read(path).map_err(|source| WorldError::Read { path: path.to_owned(), source })?;
        let parse = |source| WorldError::Parse { path: path.to_owned(), source };
        let found = serde_json::from_slice::<FormatOnly>(&text).map_err(parse)?.format;
        if found != FORMAT {
            return Err(WorldError::Format { path: path.to_owned(), expected: FORMAT, found });
        }
        let content: WorldFile = serde_json::from_slice(&text).map_err(parse)?;
        Ok(Self::generate(&content.options)?.0)
    }
}
