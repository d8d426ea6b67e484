//! Finds files by a path whose segments may contain `*` and `?`.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::FileError;

/// More files than a lifetime of daily exports.
const MAX_FILES: usize = 100_000;

/// The files that match `pattern` now, in order of their paths; having none is not an error.
/// Unreadable matches (a dangling link, a pipe, a file in a closed folder) are included: reading
/// them reports the reason.
///
/// # Errors
/// When a folder cannot be listed, or too many files match.
pub fn files_of(pattern: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        found = match component {
            Component::Normal(segment) if has_wildcard(&segment.to_string_lossy()) => {
                expand(&found, &segment.to_string_lossy(), pattern)?
            }
            other => found.into_iter().map(|folder| folder.join(other)).collect(),
        };
    }
    found.retain(|path| is_named(path));
    found.sort_unstable();
    Ok(found)
}

/// Checks that `path` exists and is not a folder; when the check fails, assumes so.
fn is_named(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) if is_absence(&error) => fs::symlink_metadata(path).is_ok(),
        Err(_) => true,
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn has_wildcard(segment: &str) -> bool {
    segment.contains(['*', '?'])
}

/// Every entry of `folders` whose name matches `segment`.
fn expand(folders: &[PathBuf], segment: &str, pattern: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut matching = Vec::new();
    for folder in folders {
        let listed: &Path = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let failed = |source| FileError::Io { path: listed.to_path_buf(), source };
        match fs::metadata(listed) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => continue,
            Err(error) if is_absence(&error) && fs::symlink_metadata(listed).is_err() => continue,
            Err(error) => return Err(failed(error)),
        }
        for entry in fs::read_dir(listed).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let text = name.to_string_lossy();
            // As in a shell, a hidden file (an editor's or a transfer's) must be named explicitly.
            let is_hidden = text.starts_with('.') && !segment.starts_with('.');
            if !is_hidden && matches(segment, &text) {
                matching.push(folder.join(&name));
            }
            if matching.len() > MAX_FILES {
                return Err(FileError::TooMany {
                    pattern: pattern.to_path_buf(),
                    limit: MAX_FILES,
                });
            }
        }
    }
    Ok(matching)
}

/// Checks whether `name` matches `pattern`: `*` is any run of characters, `?` is one.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at_pattern, mut at_name) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at_name < name.len() {
        if pattern.get(at_pattern) == Some(&'*') {
            last_star = Some((at_pattern, at_name));
            at_pattern += 1;
        } else if pattern.get(at_pattern).is_some_and(|&c| c == '?' || c == name[at_name]) {
            at_pattern += 1;
            at_name += 1;
        } else if let Some((star, from)) = last_star {
            // Let the last star match one more character and try again from there.
            last_star = Some((star, from + 1));
            at_pattern = star + 1;
            at_name = from + 1;
        } else {
            return false;
        }
    }
    pattern[at_pattern..].iter().all(|&c| c == '*')
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]
mod tests {
    use super::*;

    #[test]
    fn matches_stars_and_question_marks() {
        let cases = [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("*.csv*", "a.csv.gz", true),
            ("2026-??.csv", "2026-11.csv", true),
            ("2026-??.csv", "2026-1.csv", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "xxaxxbx", false),
            ("*", "", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn finds_files_in_sorted_order_and_in_any_segment() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/2.csv", "a/1.csv", "a/.hidden.csv", "a/x.txt", "b/1.csv"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::create_dir_all(folder.path().join("a/folder.csv")).unwrap();
        let found: Vec<PathBuf> = files_of(&folder.path().join("*/*.csv")).unwrap();
        let names: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a/1.csv", "b/1.csv", "b/2.csv"]);
        #[cfg(unix)]
        {
            let dangling = folder.path().join("a/dangling.csv");
            std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
            assert_eq!(files_of(&folder.path().join("a/*.csv")).unwrap()[1], dangling);
        }
        assert!(files_of(&folder.path().join("nowhere/*.csv")).unwrap().is_empty());
        assert_eq!(files_of(&folder.path().join("a/1.csv")).unwrap().len(), 1);
    }
}
