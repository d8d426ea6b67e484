//! Embeds folders of a crate, so that adding a check or a table of the dataset is adding a file. Serves
//! the store (`sql/`) and judge (the checks that are written in Rust).

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A constant for each of these folders that the crate has: its name, the folder, the ending.
const FOLDERS: [(&str, &str, &str); 6] = [
    ("SQL_CHECKS", "sql/checks", "sql"),
    ("ASOF_FILES", "sql/asof", "sql"),
    ("TABLE_FILES", "sql/export", "sql"),
    ("LEDGER_CHECKS", "src/ledger", "check"),
    ("BANK_CHECKS", "src/bank", "check"),
    ("RESTATED_CHECKS", "src/restated", "check"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();
    for (name, folder, ending) in FOLDERS {
        let folder = root.join(folder);
        if folder.is_dir() {
            embed(&mut code, name, &files(&folder, ending)?)?;
        }
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("embedded.rs");
    File::create(out)?.write_all(code.as_bytes())?;
    Ok(())
}

/// A constant with the stem and the text of every file, in order of name.
fn embed(code: &mut String, name: &str, files: &[(String, String)]) -> std::fmt::Result {
    writeln!(code, "/// Stem and text of every file of its folder, in order of name.")?;
    writeln!(code, "pub const {name}: &[(&str, &str)] = &[")?;
    for (stem, path) in files {
        writeln!(code, "    ({stem:?}, include_str!({path:?})),")?;
    }
    writeln!(code, "];")
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
