//! Limits of the machine: disk space, write access, open files. Recognizes a limit among the causes
//! of any error and gives the remedy; never decides how a command ends.

use std::error::Error;
use std::io;

use tieout_store::{is_busy, is_of_sqlite, sqlite_remedy};

/// Error numbers of a process, or the whole machine, with too many open files; both are as old as
/// Unix.
const OPEN_FILES: [i32; 2] = [24, 23];

/// The remedy for the limit in `error` or one of its causes.
pub fn remedy(error: &(dyn Error + 'static)) -> Option<&'static str> {
    causes(error).find_map(|cause| {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return of_system(error);
        }
        sqlite_remedy(cause)
    })
}

/// Whether the store's own library is among the causes; such an error names no file.
pub fn is_of_store(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(is_of_sqlite)
}

/// Whether another process holds the store.
pub fn is_of_busy_store(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(is_busy)
}

fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> + 'a {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

fn of_system(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("make room on the disk, then run again")
        }
        io::ErrorKind::ReadOnlyFilesystem => Some(
            "the file system is read-only: mount it for writing, or name another folder with --db \
             for the store and --out for the reports",
        ),
        io::ErrorKind::FileTooLarge => {
            Some("raise the limit of the size of files (ulimit -f), then run again")
        }
        _ if cfg!(unix) && error.raw_os_error().is_some_and(|code| OPEN_FILES.contains(&code)) => {
            Some("raise the limit of open files (ulimit -n), then run again")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tieout_report::ReportError;

    #[test]
    fn recognizes_a_limit_wherever_it_stands() {
        let remedy_of = |source: io::Error| {
            let path = "reports/2026-11-20/summary.csv".into();
            remedy(&ReportError::File { path, source }).unwrap_or_default()
        };
        let is = |kind, expected: &str| {
            assert!(remedy_of(io::Error::from(kind)).contains(expected), "{kind}");
        };
        is(io::ErrorKind::StorageFull, "make room");
        is(io::ErrorKind::QuotaExceeded, "make room");
        is(io::ErrorKind::ReadOnlyFilesystem, "read-only");
        is(io::ErrorKind::FileTooLarge, "ulimit -f");
        assert!(remedy(&io::Error::from(io::ErrorKind::NotFound)).is_none());
        #[cfg(unix)]
        assert!(remedy_of(io::Error::from_raw_os_error(24)).contains("ulimit -n"));
    }
}
