//! Files that are whole or absent: written under a temporary name in the same folder, flushed to
//! the disk, renamed. Only their owner may read them, because they concern money.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::ReportError;
use tieout_model::digest::DigestWriter;

/// A complete file under its temporary name. It is removed if dropped unpublished.
#[derive(Debug)]
pub struct StagedFile {
    facts: FileFacts,
    temporary: PathBuf,
    target: PathBuf,
    is_published: bool,
}

/// The facts of a written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    pub name: String,
    /// Of the whole content, in hexadecimal.
    pub sha256: String,
}

impl StagedFile {
    /// Writes the content that `fill` produces under a temporary name in `folder`.
    ///
    /// # Errors
    /// When the file cannot be created, written or flushed.
    pub fn write(
        folder: &Path,
        name: &str,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<Self, ReportError> {
        let target = folder.join(name);
        let temporary = folder.join(format!(".{name}.new"));
        let mut staged = Self {
            facts: FileFacts { name: name.to_owned(), sha256: String::new() },
            temporary,
            target,
            is_published: false,
        };
        staged.facts.sha256 = fill_file(&staged.temporary, fill)
            .map_err(|source| ReportError::File { path: staged.target.clone(), source })?;
        Ok(staged)
    }

    /// Its final name.
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    /// SHA-256 of its content, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.facts.sha256
    }

    /// Gives the file its final name, replacing an earlier one.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn publish(mut self) -> Result<FileFacts, ReportError> {
        fs::rename(&self.temporary, &self.target)
            .map_err(|source| ReportError::File { path: self.target.clone(), source })?;
        self.is_published = true;
        Ok(self.facts.clone())
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.is_published {
            // If it cannot be removed, the next run overwrites it.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes one whole file with the same guarantees.
///
/// # Errors
/// When it cannot be written.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    StagedFile::write(folder, &name, |out| out.write_all(content))?.publish()?;
    Ok(())
}

/// Writes one whole file that other users may read, such as a collector of metrics.
///
/// # Errors
/// When it cannot be written.
pub fn write_shared_file(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = StagedFile::write(folder, &name, |out| out.write_all(content))?;
    #[cfg(unix)]
    fs::set_permissions(&staged.temporary, std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .map_err(|source| ReportError::File { path: path.to_owned(), source })?;
    staged.publish()?;
    Ok(())
}

fn fill_file(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<String> {
    let mut out = DigestWriter::new(BufWriter::new(create(path)?));
    fill(&mut out)?;
    let (buffered, sha256) = out.finish();
    let written = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    written.sync_all()?;
    Ok(sha256)
}

/// Creates the temporary file anew: one left by a crash may have other permissions.
fn create(path: &Path) -> io::Result<File> {
    remove_if_there(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the files that exist.
///
/// # Errors
/// When one cannot be removed.
pub fn remove_files(folder: &Path, names: &[&str]) -> Result<(), ReportError> {
    for name in names {
        let path = folder.join(name);
        remove_if_there(&path).map_err(|source| ReportError::File { path, source })?;
    }
    Ok(())
}

/// Creates the folder and those above it; folders that exist keep their permissions.
///
/// # Errors
/// When one cannot be created.
pub fn create_folder(path: &Path) -> Result<(), ReportError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| ReportError::Folder { path: path.to_owned(), source })
}

/// The content of a file that was written so. Reading a pipe or a device in its place would wait, or
/// never end.
///
/// # Errors
/// When it is no regular file, or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    fs::read(path)
}

/// Makes the renames in a folder durable, if the system can.
///
/// # Errors
/// When the folder cannot be flushed.
pub fn sync_folder(path: &Path) -> Result<(), ReportError> {
    #[cfg(unix)]
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|source| ReportError::Folder { path: path.to_owned(), source })?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
