//! One writer: a lock beside the store. The operating system holds it, so that a killed
//! process leaves none behind; the file only says who and since when.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use tieout_model::clock::machine_now;
use tieout_store::create_private_folder;

/// Bytes of the lock file that are read back at the most.
const HOLDER_LIMIT_BYTES: u64 = 200;

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another run holds the lock {}: {holder}", path.display())]
    Held { path: PathBuf, holder: String },
    #[error("cannot take the lock {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl LockError {
    /// The remedy.
    pub fn hint(&self) -> String {
        match self {
            Self::Held { .. } => "wait until it has ended; a killed run leaves no lock".to_owned(),
            Self::Io { .. } => {
                "check the folder of the store, its owner and the free space".to_owned()
            }
        }
    }
}

/// The lock; released when it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the store at `store`.
    ///
    /// # Errors
    /// When another process holds it, or the file cannot be written.
    pub fn acquire(store: &Path) -> Result<Self, LockError> {
        // Whatever leads to the store: a link to it is no other store.
        let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
        let mut name = store.into_os_string();
        name.push(".lock");
        let path = PathBuf::from(name);
        let failed = |source| LockError::Io { path: path.clone(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            create_private_folder(folder).map_err(failed)?;
        }
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.take(HOLDER_LIMIT_BYTES).read_to_string(&mut holder);
                return Err(LockError::Held { path, holder: holder.trim().to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let holder = format!(
            "process {} since {}\n",
            std::process::id(),
            machine_now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
        );
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(holder.as_bytes()))
            .map_err(failed)?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_second_run_and_says_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("tieout.db");
        let first = Lock::acquire(&store).unwrap();
        let refused = Lock::acquire(&store).unwrap_err();
        assert!(refused.to_string().contains(&format!("process {}", std::process::id())));
        drop(first);
        Lock::acquire(&store).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn is_that_of_the_store_whatever_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let (store, link) = (folder.path().join("tieout.db"), folder.path().join("link.db"));
        File::create(&store).unwrap();
        std::os::unix::fs::symlink(&store, &link).unwrap();
        let first = Lock::acquire(&link).unwrap();
        assert!(matches!(Lock::acquire(&store), Err(LockError::Held { .. })));
        drop(first);
        Lock::acquire(&store).unwrap();
    }
}
