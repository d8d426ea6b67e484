//! Embeds the SQL files of `sql/checks` and `sql/asof`, so that adding a check is adding a file,
//! and tells the program of which commit it is.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();
    embed(&mut code, "CHECK_FILES", &root.join("sql/checks"))?;
    embed(&mut code, "ASOF_FILES", &root.join("sql/asof"))?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("sql_files.rs");
    File::create(out)?.write_all(code.as_bytes())?;
    println!("cargo::rustc-env=TIEOUT_VERSION={}", version()?);
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

/// A constant with the stem and the text of every SQL file of a folder, in order of name.
fn embed(code: &mut String, name: &str, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    writeln!(code, "pub(crate) const {name}: [(&str, &str); {}] = [", files.len())?;
    for path in files {
        let stem =
            path.file_stem().and_then(|stem| stem.to_str()).ok_or("a file without a name")?;
        writeln!(code, "    ({stem:?}, include_str!({:?})),", path.display().to_string())?;
    }
    writeln!(code, "];")?;
    Ok(())
}
