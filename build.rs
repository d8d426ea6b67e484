//! Embeds the SQL files of `sql/checks`, `sql/asof` and `sql/export`, so that adding a check or a
//! table of the dataset is adding a file,
//! and tells the program of which commit it is.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();
    embed_checks(&mut code, &root)?;
    embed(&mut code, "ASOF_FILES", &root.join("sql/asof"))?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("sql_files.rs");
    File::create(out)?.write_all(code.as_bytes())?;
    let mut tables = String::new();
    embed(&mut tables, "TABLE_FILES", &root.join("sql/export"))?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("export_files.rs");
    File::create(out)?.write_all(tables.as_bytes())?;
    println!("cargo::rustc-env=VERSION_OF_TIEOUT={}", version()?);
    Ok(())
}

/// The version with the commit: the one that `TIEOUT_COMMIT` names (an image is built without a
/// repository), else what git says of a release. Other builds follow no commit, as each one would
/// compile everything again.
fn version() -> Result<String, std::env::VarError> {
    println!("cargo::rerun-if-env-changed=TIEOUT_COMMIT");
    let version = std::env::var("CARGO_PKG_VERSION")?;
    let named = std::env::var("TIEOUT_COMMIT").ok().filter(|commit| !commit.is_empty());
    let is_release = std::env::var("PROFILE")? == "release";
    let commit = named.or_else(|| if is_release { git_commit() } else { None });
    Ok(match commit {
        Some(commit) => {
            let short: String = commit.chars().take(12).collect();
            format!("{version} ({short})")
        }
        None => format!("{version} (no commit)"),
    })
}

fn git_commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    // Written with every commit and checkout; a path that is not there would mean every build.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"])
}

/// Where the files of the checks are, how they end, and who finds what each describes.
const CHECKS: [(&str, &str, &str); 4] = [
    ("Sql", "sql/checks", "sql"),
    ("Ledger", "src/judge/ledger", "check"),
    ("Bank", "src/judge/bank", "check"),
    ("Restated", "src/judge/restated", "check"),
];

/// A constant with the finder, the stem and the text of every check, in order of name.
fn embed_checks(code: &mut String, root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut checks = Vec::new();
    for (finder, folder, ending) in CHECKS {
        for (stem, path) in files(&root.join(folder), ending)? {
            checks.push((stem, finder, path));
        }
    }
    checks.sort();
    writeln!(code, "pub(crate) const CHECK_FILES: [(Finder, &str, &str); {}] = [", checks.len())?;
    for (stem, finder, path) in checks {
        writeln!(code, "    (Finder::{finder}, {stem:?}, include_str!({path:?})),")?;
    }
    writeln!(code, "];")?;
    Ok(())
}

/// A constant with the stem and the text of every SQL file of a folder, in order of name.
fn embed(code: &mut String, name: &str, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let files = files(folder, "sql")?;
    writeln!(code, "pub(crate) const {name}: [(&str, &str); {}] = [", files.len())?;
    for (stem, path) in files {
        writeln!(code, "    ({stem:?}, include_str!({path:?})),")?;
    }
    writeln!(code, "];")?;
    Ok(())
}

/// The stem and the path of every file of a folder with that ending, in order of name.
fn files(folder: &Path, ending: &str) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == ending) {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let stem = stem.ok_or("a file without a name")?.to_owned();
            files.push((stem, path.display().to_string()));
        }
    }
    files.sort();
    Ok(files)
}
