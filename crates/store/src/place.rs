//! Where a store lies: on a disk of this machine, or on a file system that other machines mount
//! too. There each machine would have its own copy of the memory that `SQLite` shares between
//! processes (the index of the write-ahead log), and two writers would destroy the store. So the
//! process that opens a store there locks it for itself and keeps the index in its own memory; its
//! threads share it.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::file::BUSY;

/// The file access of `SQLite` that keeps every other process out while one has the file open.
const ONE_PROCESS: &std::ffi::CStr = c"unix-excl";

/// File systems that several machines can mount, by the number that Linux gives them in `statfs`.
#[cfg(target_os = "linux")]
const SHARED: [(u32, &str); 19] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x00c3_6400, "CephFS"),
    (0x0bd0_0bd0, "Lustre"),
    (0x7375_7245, "Coda"),
    (0x4750_4653, "GPFS"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x1983_0326, "BeeGFS"),
    (0xaad7_aaea, "PanFS"),
    (0x2003_0528, "OrangeFS"),
    (0x786f_4256, "a folder of the host of this virtual machine"),
    (0xbacb_acbc, "a folder of the host of this virtual machine"),
    (FUSE, "FUSE"),
];

#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

/// The name of the shared file system that `path` lies on, or will lie on; `None` for a disk of
/// this machine, and for an unknown file system.
#[cfg(target_os = "linux")]
pub fn shared_file_system(path: &Path) -> Option<&'static str> {
    let existing = as_file(path);
    let existing = existing.ancestors().find(|path| path.exists())?;
    // The type is a signed number on some machines; only the lower 32 bits matter.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bits count")]
    let found = rustix::fs::statfs(existing).ok()?.f_type as u32;
    let (_, name) = SHARED.into_iter().find(|(number, _)| *number == found)?;
    if found == FUSE && is_fuse_of_a_disk(existing) {
        return None;
    }
    Some(name)
}

#[cfg(not(target_os = "linux"))]
pub fn shared_file_system(_: &Path) -> Option<&'static str> {
    None
}

/// Whether a program reads a local disk for the kernel (`fuseblk`, as NTFS has it). Anything else
/// under FUSE may be a network: sshfs, s3fs, `GlusterFS`, a folder of the host.
#[cfg(target_os = "linux")]
fn is_fuse_of_a_disk(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(device) = std::fs::metadata(path).map(|facts| facts.dev()) else { return false };
    let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mountinfo") else { return false };
    mounts.lines().any(|line| is_mount_of(line, &device, "fuseblk"))
}

/// Whether a line of `mountinfo` is a mount of `device` by the file system `kind`.
#[cfg(target_os = "linux")]
fn is_mount_of(line: &str, device: &str, kind: &str) -> bool {
    let Some((mount, source)) = line.split_once(" - ") else { return false };
    let found = source.split(' ').next().unwrap_or_default();
    mount.split(' ').nth(2) == Some(device)
        && (found == kind || found.strip_prefix(kind).is_some_and(|rest| rest.starts_with('.')))
}

/// The file of that name, even if `SQLite` would interpret the name otherwise.
pub(super) fn as_file(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

/// Connects to the store at `path`; where `is_shared`, for this process alone.
pub(super) fn connect(
    path: &Path,
    flags: OpenFlags,
    is_shared: bool,
) -> rusqlite::Result<Connection> {
    if is_shared {
        Connection::open_with_flags_and_vfs(as_file(path), flags, ONE_PROCESS)
    } else {
        Connection::open_with_flags(as_file(path), flags)
    }
}

/// Keeps other processes out of a store that this one only reads: a connection for reading alone
/// cannot, so another one stays open beside it, which writes nothing either.
pub(super) fn keep_others_out(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let guard = connect(path, flags, true)?;
    guard.busy_timeout(BUSY)?;
    guard.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    guard.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
    Ok(guard)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lines_of_mountinfo() {
        let line = "36 35 0:98 / /mnt/disk rw,noatime shared:1 - fuseblk /dev/sdb1 rw,user_id=0";
        for (device, kind, expected) in
            [("0:98", "fuseblk", true), ("0:99", "fuseblk", false), ("0:98", "fuse", false)]
        {
            assert_eq!(is_mount_of(line, device, kind), expected, "{device} {kind}");
        }
        assert!(is_mount_of(&line.replace("fuseblk", "fuseblk.ntfs-3g"), "0:98", "fuseblk"));
        assert!(!is_mount_of("", "0:98", "fuseblk"));
    }

    #[test]
    fn a_disk_of_this_machine_is_not_shared() {
        // A path that does not exist yet lies where its folder lies.
        assert_eq!(shared_file_system(Path::new("/proc/not-there/tieout.db")), None);
    }
}
