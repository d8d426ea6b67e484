//! Which other processes hold a store, as the system knows it. Asks for no lock itself.

use std::path::Path;

/// Characters of a command line that are shown.
const SHOWN: usize = 80;

/// The processes other than this one that hold a lock on the store at `path`, those that write first;
/// none where the system does not say.
#[cfg(target_os = "linux")]
pub fn holders(path: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        std::fs::metadata(name).ok().map(|facts| facts.ino())
    };
    let inodes: Vec<u64> = ["", "-shm"].into_iter().filter_map(beside).collect();
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let mut found: Vec<(bool, u32)> =
        locks.lines().filter_map(|line| lock(line, &inodes)).collect();
    found.retain(|(_, process)| *process != std::process::id());
    found.sort_unstable();
    let mut processes: Vec<u32> = Vec::new();
    for (_, process) in found {
        if !processes.contains(&process) {
            processes.push(process);
        }
    }
    processes.into_iter().map(described).collect()
}

#[cfg(not(target_os = "linux"))]
pub fn holders(_: &Path) -> Vec<String> {
    Vec::new()
}

/// Of a line of `/proc/locks` about one of the inodes: whether the lock only reads, and the process.
#[cfg(target_os = "linux")]
fn lock(line: &str, inodes: &[u64]) -> Option<(bool, u32)> {
    let mut fields = line.split_whitespace();
    let is_read = fields.find_map(|field| match field {
        // It waits for the lock.
        "->" => Some(None),
        "READ" => Some(Some(true)),
        "WRITE" => Some(Some(false)),
        _ => None,
    })??;
    let process = fields.next()?.parse().ok()?;
    let inode = fields.next()?.rsplit(':').next()?.parse().ok()?;
    inodes.contains(&inode).then_some((is_read, process))
}

#[cfg(target_os = "linux")]
fn described(process: u32) -> String {
    let arguments = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
    match command_line(arguments.split_terminator('\0')) {
        command if command.is_empty() => format!("process {process}"),
        command => format!("process {process} ({command})"),
    }
}

/// A command line as a person typed it, without the folder of the program, and not all of a long one.
pub fn command_line(arguments: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let arguments = arguments.into_iter().enumerate().map(|(at, argument)| {
        let argument = argument.as_ref();
        let name = argument.rsplit('/').next().filter(|_| at == 0);
        name.unwrap_or(argument).replace(char::is_control, " ")
    });
    let text = arguments.collect::<Vec<_>>().join(" ");
    if text.chars().count() <= SHOWN {
        return text;
    }
    text.chars().take(SHOWN).chain(['…']).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn reads_the_locks_of_the_system() {
        for (line, expected) in [
            ("1: POSIX  ADVISORY  WRITE 41 fe:00:77 120 120", Some((false, 41))),
            ("2: POSIX  ADVISORY  READ 42 00:2a:77 1073741826 1073742335", Some((true, 42))),
            ("2: -> POSIX  ADVISORY  WRITE 43 fe:00:77 120 120", None),
            ("3: FLOCK  ADVISORY  WRITE 44 fe:00:78 0 EOF", None),
            ("", None),
        ] {
            assert_eq!(lock(line, &[77]), expected, "{line}");
        }
        let path = Path::new("/proc/not-there/tieout.db");
        assert_eq!(holders(path), Vec::<String>::new());
        assert_eq!(
            command_line(["/usr/bin/tieout", "run", "--date", "a\nb"]),
            "tieout run --date a b"
        );
        assert_eq!(command_line(["x".repeat(99)]).chars().count(), SHOWN + 1);
    }
}
