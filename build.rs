//! Gives the program the commit that it is built from.

use std::path::Path;

fn main() -> Result<(), std::env::VarError> {
    println!("cargo::rustc-env=VERSION_OF_TIEOUT={}", version()?);
    Ok(())
}

/// The version with the commit: `TIEOUT_COMMIT` if set (an image is built without a repository),
/// else the git commit of a release build. Other builds name no commit, as each commit would
/// recompile everything.
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
