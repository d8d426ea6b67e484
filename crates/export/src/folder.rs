//! The folder of a dataset: its lock, the check for foreign data, and partitions that appear whole
//! or not at all.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::ExportError;
use super::manifest::{DATASET_VERSION, Manifest, TableRecord, shard_name};
use super::part::{PartFacts, write_part};
use super::table::Table;
use tieout_model::Shard;
use tieout_report::atomic::{self, StagedFile};
use tieout_store::Store;

/// The table of manifests, beside the others.
const MANIFESTS: &str = "manifests";
const MANIFEST_FILE: &str = "manifest.json";
const PART_FILE: &str = "part.parquet";

/// A dataset that one store writes to.
pub(super) struct Folder {
    dir: PathBuf,
    shard: Option<Shard>,
    /// Held until the export ends in any way.
    _lock: File,
}

impl Folder {
    /// Opens or creates the dataset for the shard, and locks the shard's part of it: shards export
    /// side by side.
    ///
    /// # Errors
    /// When another export of the shard is running, or the folder cannot be written.
    pub(super) fn open(dir: &Path, shard: Option<Shard>) -> Result<Self, ExportError> {
        atomic::create_folder(dir)?;
        let path = dir.join(format!(".lock-{}", shard_name(shard)));
        let failed = |source| ExportError::Read { path: path.clone(), source };
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { dir: dir.to_owned(), shard, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(ExportError::Held { path }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    pub(super) fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// The newest reading that the dataset includes; `None` while it was never complete.
    ///
    /// # Errors
    /// When the note exists and cannot be read.
    pub(super) fn read_up_to(&self) -> Result<Option<i64>, ExportError> {
        let path = self.note();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ExportError::Read { path, source }),
        }
    }

    /// Notes the newest reading that the dataset includes.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub(super) fn note_read_up_to(&self, reading_id: i64) -> Result<(), ExportError> {
        Ok(atomic::write_file(&self.note(), format!("{reading_id}\n").as_bytes())?)
    }

    fn note(&self) -> PathBuf {
        self.dir.join(format!(".read-{}", shard_name(self.shard)))
    }

    /// Begins the partition of a date.
    ///
    /// # Errors
    /// When the date exists in another version of the dataset or for another number of shards.
    pub(super) fn begin(&self, date: NaiveDate) -> Result<Partition<'_>, ExportError> {
        let manifests = self.dir.join(MANIFESTS).join(format!("business_date={date}"));
        let entries = match fs::read_dir(&manifests) {
            Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let read = |source| ExportError::Read { path: manifests.clone(), source };
        for entry in entries.map_err(read)? {
            let path = entry.path().join(MANIFEST_FILE);
            match fs::read(&path) {
                Ok(content) => self.fits(&path, &content, date)?,
                // A partition that is being written, or was never complete.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(ExportError::Read { path, source }),
            }
        }
        let own = self.partition_of(MANIFESTS, date).join(MANIFEST_FILE);
        let before = fs::read(own).ok().and_then(|content| serde_json::from_slice(&content).ok());
        Ok(Partition { folder: self, date, before, staged: Vec::new() })
    }

    fn fits(&self, path: &Path, content: &[u8], date: NaiveDate) -> Result<(), ExportError> {
        let wrong = |reason: String| ExportError::Manifest { path: path.to_owned(), reason };
        let value: serde_json::Value =
            serde_json::from_slice(content).map_err(|error| wrong(error.to_string()))?;
        let version = &value["dataset_version"];
        if version.as_u64() != Some(u64::from(DATASET_VERSION)) {
            let (path, found) = (path.to_owned(), version.to_string());
            return Err(ExportError::OtherVersion { path, found });
        }
        let shards = self.shard.map_or(1, Shard::count);
        if value["shards"].as_u64() != Some(u64::from(shards)) {
            return Err(ExportError::OtherShards {
                path: path.to_owned(),
                business_date: date.to_string(),
                found: value["shard"].as_str().unwrap_or("unknown").to_owned(),
                wanted: shard_name(self.shard),
            });
        }
        Ok(())
    }

    fn partition_of(&self, table: &str, date: NaiveDate) -> PathBuf {
        let shard = format!("shard={}", shard_name(self.shard));
        self.dir.join(table).join(format!("business_date={date}")).join(shard)
    }
}

/// The files of a date under temporary names, which no engine reads.
pub(super) struct Partition<'folder> {
    folder: &'folder Folder,
    date: NaiveDate,
    /// The manifest of the existing partition, if that is complete.
    before: Option<Manifest>,
    staged: Vec<(PathBuf, StagedFile)>,
}

impl Partition<'_> {
    /// Keeps the file of a table, if it exists with the size in the manifest.
    pub(super) fn keep(&self, table: &Table) -> Option<TableRecord> {
        let record = self.before.as_ref()?.tables.iter().find(|one| one.name == table.name)?;
        let path = self.folder.partition_of(table.name, self.date).join(PART_FILE);
        let is_there = fs::metadata(path).is_ok_and(|file| file.len() == record.bytes);
        is_there.then(|| record.clone())
    }

    /// Writes the file of a table.
    ///
    /// # Errors
    /// When the store refuses, a value does not fit, or the file cannot be written.
    pub(super) fn write(
        &mut self,
        store: &Store,
        table: &Table,
    ) -> Result<TableRecord, ExportError> {
        let target = self.folder.partition_of(table.name, self.date);
        atomic::create_folder(&target)?;
        let mut written: Result<PartFacts, ExportError> = Ok(PartFacts::default());
        let (mut bytes, mut is_refused) = (0, false);
        let staged = StagedFile::write(&target, PART_FILE, |out| {
            let mut counted = Counted { out, bytes: 0, failed: None };
            written = write_part(store, table, self.date, &mut counted);
            bytes = counted.bytes;
            is_refused = counted.failed.is_some();
            match (&written, counted.failed) {
                // The disk's error is the cause, and has a remedy.
                (_, Some(error)) => Err(error),
                (Err(_), None) => Err(io::Error::other("its rows cannot be written")),
                (Ok(_), None) => Ok(()),
            }
        });
        let staged = match (staged, written) {
            (Ok(staged), Ok(facts)) => (staged, facts),
            (Err(error), Ok(_)) => return Err(error.into()),
            (Err(error), Err(_)) if is_refused => return Err(error.into()),
            (_, Err(error)) => return Err(error),
        };
        let (staged, facts) = staged;
        let record = TableRecord {
            name: table.name.to_owned(),
            rows: facts.rows,
            bytes,
            sha256: staged.sha256().to_owned(),
            sums: facts.sums,
        };
        self.staged.push((target, staged));
        Ok(record)
    }

    /// Gives every file its name, and then the manifest. Between the first and the last of them the
    /// date has no manifest and is no part of the dataset.
    ///
    /// # Errors
    /// When a file cannot be renamed.
    pub(super) fn publish(self, manifest: &Manifest) -> Result<(), ExportError> {
        let place = self.folder.partition_of(MANIFESTS, self.date);
        atomic::create_folder(&place)?;
        let mut content = serde_json::to_vec(manifest).map_err(|error| ExportError::Manifest {
            path: place.join(MANIFEST_FILE),
            reason: error.to_string(),
        })?;
        content.push(b'\n');
        let staged = StagedFile::write(&place, MANIFEST_FILE, |out| out.write_all(&content))?;
        atomic::remove_files(&place, &[MANIFEST_FILE])?;
        atomic::sync_folder(&place)?;
        for (folder, file) in self.staged {
            file.publish()?;
            atomic::sync_folder(&folder)?;
        }
        staged.publish()?;
        atomic::sync_folder(&place)?;
        Ok(())
    }
}

/// Counts the bytes that pass through, and keeps the disk's error.
struct Counted<'out> {
    out: &'out mut (dyn io::Write + Send),
    bytes: u64,
    failed: Option<io::Error>,
}

impl io::Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.out.write(bytes) {
            Ok(written) => {
                self.bytes += written as u64;
                Ok(written)
            }
            Err(error) => Err(self.note(error)),
        }
    }

    /// A full disk often shows only here, because writes are buffered.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| self.note(error))
    }
}

impl Counted<'_> {
    /// Keeps the disk's error and returns one of the same kind.
    fn note(&mut self, error: io::Error) -> io::Error {
        let kind = error.kind();
        self.failed = Some(error);
        kind.into()
    }
}
