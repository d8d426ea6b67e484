//! One writer: a lock beside the store. The operating system keeps it, so that a killed process
//! leaves none behind; the file only names the owner and the time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use tieout_model::clock::{machine_now, written};
use tieout_store::{command_line, create_private_folder};

/// Bytes of the lock file that are read back at most.
const HOLDER_LIMIT_BYTES: u64 = 200;

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another run holds the lock {}: {holder}", path.display())]
    Held { path: PathBuf, holder: String },
    #[error("the lock {} is a link, which no run has made", path.display())]
    Link { path: PathBuf },
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
            Self::Link { .. } => {
                "remove the link, and see who may write into the folder of the store".to_owned()
            }
            Self::Io { .. } => {
                "check the folder of the store, its owner and the free space".to_owned()
            }
        }
    }
}

/// The lock; released when it is dropped or the process ends, for any reason.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the store at `store`.
    ///
    /// # Errors
    /// When another process has it, or the file cannot be written.
    pub fn acquire(store: &Path) -> Result<Self, LockError> {
        let path = path_of(store);
        let failed = |source| LockError::Io { path: path.clone(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            create_private_folder(folder).map_err(failed)?;
        }
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Otherwise the target of a link would be overwritten.
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|facts| facts.is_symlink());
        if is_link(&path) {
            return Err(LockError::Link { path });
        }
        let mut file = without_links(&mut options).open(&path).map_err(failed)?;
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
            "process {} ({}) since {}\n",
            std::process::id(),
            command_line(std::env::args()),
            written(machine_now())
        );
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(holder.as_bytes()))
            .map_err(failed)?;
        Ok(Self { _file: file })
    }
}

impl Lock {
    /// The process that has the lock of the store at `store` now, if any.
    pub fn holder(store: &Path) -> Option<String> {
        let mut options = File::options();
        let file = without_links(options.read(true)).open(path_of(store)).ok()?;
        let Err(TryLockError::WouldBlock) = file.try_lock_shared() else { return None };
        let mut holder = String::new();
        file.take(HOLDER_LIMIT_BYTES).read_to_string(&mut holder).ok()?;
        Some(holder.trim().to_owned())
    }
}

fn path_of(store: &Path) -> PathBuf {
    // A link to a store is the same store.
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    let mut name = store.into_os_string();
    name.push(".lock");
    PathBuf::from(name)
}

#[cfg(unix)]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags)
}

#[cfg(not(unix))]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options
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

    #[cfg(unix)]
    #[test]
    fn is_never_followed_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (folder.path().join("tieout.db"), folder.path().join("other"));
        File::create(&other).unwrap().set_len(9).unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join("tieout.db.lock")).unwrap();
        assert!(matches!(Lock::acquire(&store), Err(LockError::Link { .. })));
        assert_eq!(other.metadata().unwrap().len(), 9);
    }

    #[test]
    fn says_who_holds_it_and_takes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("tieout.db");
        assert_eq!(Lock::holder(&store), None);
        let first = Lock::acquire(&store).unwrap();
        assert!(Lock::holder(&store).unwrap().contains(&std::process::id().to_string()));
        drop(first);
        assert_eq!(Lock::holder(&store), None);
        Lock::acquire(&store).unwrap();
    }
}
