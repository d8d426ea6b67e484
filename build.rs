//! Embeds the SQL files of `sql/checks` and `sql/asof`, so that adding a check is adding a file.

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
    Ok(())
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
