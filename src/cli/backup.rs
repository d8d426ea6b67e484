//! `tieout backup`: whole copies of the store, their number, and whether they can be used.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, Utc};
use clap::Args;
use serde::Serialize;

use super::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::{NightError, in_one_line};
use tieout_model::digest::DigestWriter;
use tieout_report::aligned::counted;
use tieout_report::atomic;
use tieout_store::Store;

const EXAMPLES: &str = "\
Examples:
  tieout backup /backups/tieout-2026-11-20.db
  tieout backup --to /backups --keep 35         named after the moment; the newest 35 stay
  tieout backup --to /backups --check           which copy would serve

To restore: stop every run, move tieout.db, tieout.db-wal and tieout.db-shm aside, copy the
backup to tieout.db, and check it with tieout verify reports.";

/// The name of a copy in a folder, by the moment.
const NAME: &str = "tieout-%Y-%m-%dT%H%M%SZ.db";

/// Copy the store into a file, also during a run
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BackupArguments {
    /// The copy, which must not exist yet; or a folder (it exists, or the path ends in /), in which
    /// the copy is named tieout-YYYY-MM-DDTHHMMSSZ.db
    #[arg(value_name = "FILE", required_unless_present = "to", conflicts_with = "to")]
    pub file: Option<PathBuf>,
    /// The folder of the copies
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Remove all but the newest N copies of that folder, once the new one is whole
    #[arg(long, value_name = "N", requires = "to", value_parser = clap::value_parser!(u16).range(1..))]
    pub keep: Option<u16>,
    /// Copy nothing; check the copies in that folder, the newest first, until one is whole, and name
    /// the damaged ones; ends with 1 unless the newest is whole
    #[arg(long, requires = "to", conflicts_with = "keep")]
    pub check: bool,
    #[command(flatten)]
    pub table: TableArguments,
}

#[derive(Serialize)]
struct Copied {
    file: PathBuf,
    bytes: u64,
    removed: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Checked {
    /// The newest whole one.
    serves: Option<PathBuf>,
    damaged: Vec<Damaged>,
    /// Those that this user may not read, which says nothing about their content.
    unreadable: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Damaged {
    file: PathBuf,
    problem: String,
}

/// Copies the store, or checks the copies.
///
/// # Errors
/// When there is no store, the file exists already, or it cannot be written.
pub fn execute(arguments: &BackupArguments, context: &Context) -> Result<Exit, CliError> {
    if let (true, Some(folder)) = (arguments.check, &arguments.to) {
        return check(folder, arguments.table, context);
    }
    let settings = context.settings()?;
    let now = context.clock.now();
    let file = match (&arguments.to, &arguments.file) {
        (Some(folder), _) => folder.join(now.format(NAME).to_string()),
        (None, Some(file)) => copy_name(file, now),
        (None, None) => return Ok(Exit::Usage),
    };
    if file.exists() {
        return Err(CliError::BackupExists { file });
    }
    let store = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    tieout_store::backup::write(&store, &file).map_err(NightError::Store)?;
    let mut removed = Vec::new();
    if let Some(folder) = &arguments.to {
        let digest = digest_of(&file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        atomic::write_file(&beside(&file), format!("{digest}  {name}\n").as_bytes())?;
        let keep = arguments.keep.map_or(usize::MAX, usize::from);
        for old in copies(folder)?.into_iter().skip(keep) {
            let failed = |cause| CliError::OldCopy { path: old.clone(), cause };
            std::fs::remove_file(&old).map_err(failed)?;
            // A copy from elsewhere has no digest file.
            drop(std::fs::remove_file(beside(&old)));
            removed.push(old);
        }
    }
    if arguments.table.json {
        let bytes = std::fs::metadata(&file).map_or(0, |facts| facts.len());
        context.print_json(&Copied { file, bytes, removed })?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{} is a whole copy of the store\n", file.display());
    if !removed.is_empty() {
        let removed = counted(removed.len(), "older copy", "older copies");
        let _ = writeln!(text, "removed {removed}");
    }
    context.print(text.as_bytes())?;
    Ok(Exit::Done)
}

fn check(folder: &Path, table: TableArguments, context: &Context) -> Result<Exit, CliError> {
    let mut checked = Checked { serves: None, damaged: Vec::new(), unreadable: Vec::new() };
    let copies = copies(folder)?;
    for file in &copies {
        if is_denied(file) {
            checked.unreadable.push(file.clone());
            continue;
        }
        let Some(problem) = problem_of(file) else {
            checked.serves = Some(file.clone());
            break;
        };
        checked.damaged.push(Damaged { file: file.clone(), problem });
    }
    let is_newest = checked.serves.is_some() && checked.serves.as_ref() == copies.first();
    if table.json {
        context.print_json(&checked)?;
    } else {
        context.print(said(&checked, folder).as_bytes())?;
    }
    Ok(if is_newest { Exit::Done } else { Exit::Failed })
}

/// The result of a check; copies that could not be read count neither as whole nor as damaged.
fn said(checked: &Checked, folder: &Path) -> String {
    let mut text = String::new();
    for Damaged { file, problem } in &checked.damaged {
        let _ = writeln!(text, "{} is damaged: {problem}", file.display());
    }
    for file in &checked.unreadable {
        let file = file.display();
        let _ = writeln!(text, "{file} cannot be read by this user: permission denied");
    }
    if !checked.unreadable.is_empty() {
        text += "hint: check as the user that runs tieout, and give the copies to that user\n";
    }
    let folder = folder.display();
    let _ = match (&checked.serves, checked.damaged.len(), checked.unreadable.len()) {
        (Some(file), ..) => writeln!(text, "{} is whole: restore this one", file.display()),
        (None, 0, 0) => writeln!(text, "{folder} holds no copy"),
        (None, _, 0) => writeln!(text, "no copy in {folder} is whole"),
        (None, _, unread) => {
            let unread = counted(unread, "copy", "copies");
            writeln!(text, "no whole copy found in {folder}: {unread} could not be read")
        }
    };
    text
}

/// Whether this user may not read the file.
fn is_denied(file: &Path) -> bool {
    let opened = std::fs::File::open(file);
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}

/// The reason why a copy cannot be used: its bytes differ from its digest, or it is not a whole
/// store.
fn problem_of(file: &Path) -> Option<String> {
    let stated = std::fs::read_to_string(beside(file)).ok();
    if let Some(stated) = stated.as_deref().and_then(|text| text.split_whitespace().next()) {
        match digest_of(file) {
            Err(error) => return Some(in_one_line(&error)),
            Ok(found) if found != stated => {
                let name = beside(file);
                return Some(format!("its digest is not the one in {}", name.display()));
            }
            Ok(_) => {}
        }
    }
    tieout_store::backup::prove(file).err().map(|error| in_one_line(&error))
}

/// The file beside a copy that holds its digest, in the format of `sha256sum`.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sha256");
    PathBuf::from(name)
}

fn digest_of(path: &Path) -> Result<String, CliError> {
    let failed = |cause| CliError::Copies { path: path.to_owned(), cause };
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut digester = DigestWriter::new(std::io::sink());
    std::io::copy(&mut file, &mut digester).map_err(failed)?;
    Ok(digester.finish().1)
}

/// The copies that were named after their moment, the newest first.
fn copies(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |cause| CliError::Copies { path: folder.to_owned(), cause };
    let mut copies = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if NaiveDateTime::parse_from_str(&name, NAME).is_ok() {
            copies.push(folder.join(name));
        }
    }
    copies.sort();
    copies.reverse();
    Ok(copies)
}

/// The file to write: in a folder, one named after the moment.
fn copy_name(file: &Path, now: DateTime<Utc>) -> PathBuf {
    let is_folder = file.to_string_lossy().ends_with(std::path::is_separator) || file.is_dir();
    if is_folder { file.join(now.format(NAME).to_string()) } else { file.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_copy_in_a_folder_after_the_moment() {
        let now = "2026-11-21T05:06:07Z".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let name = "tieout-2026-11-21T050607Z.db";
        assert_eq!(copy_name(folder.path(), now), folder.path().join(name));
        assert_eq!(copy_name(Path::new("new/"), now), Path::new("new").join(name));
        assert_eq!(copy_name(Path::new("copy.db"), now), Path::new("copy.db"));
    }

    #[test]
    fn concludes_nothing_from_a_copy_that_it_may_not_read() {
        let cases = [
            (false, 0, 0, "copies holds no copy"),
            (false, 1, 0, "no copy in copies is whole"),
            (false, 0, 1, "no whole copy found in copies: 1 copy could not be read"),
            (false, 1, 2, "no whole copy found in copies: 2 copies could not be read"),
            (true, 1, 1, "a.db is whole: restore this one"),
        ];
        for (serves, damaged, unreadable, last) in cases {
            let one = |_| Damaged { file: "b.db".into(), problem: "it is empty".to_owned() };
            let checked = Checked {
                serves: serves.then(|| "a.db".into()),
                damaged: (0..damaged).map(one).collect(),
                unreadable: vec!["c.db".into(); unreadable],
            };
            let text = said(&checked, Path::new("copies"));
            assert_eq!(text.lines().last(), Some(last), "{text}");
            let denied = text.matches("cannot be read by this user: permission denied").count();
            assert_eq!(denied, checked.unreadable.len(), "{text}");
            assert_eq!(text.contains("hint: "), denied > 0, "{text}");
        }
    }
}
