//! Files that are neither statement nor ledger, named for what they are.

/// What a file is instead, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    pub name: &'static str,
    pub remedy: &'static str,
}

const fn foreign(name: &'static str, remedy: &'static str) -> Foreign {
    Foreign { name, remedy }
}

const EXPORT: &str = "export it as BAI2, camt.053, MT940, OFX, CSV or XLSX";
const UNPACK: &str = "unpack the archive";

/// Kinds of files by their first bytes.
const BY_BYTES: [(&[u8], Foreign); 11] = [
    (b"%PDF", foreign("a PDF document", EXPORT)),
    (b"\xd0\xcf\x11\xe0", foreign("an old workbook (XLS)", "save it as XLSX or CSV UTF-8")),
    (b"7z\xbc\xaf\x27\x1c", foreign("a 7z archive", UNPACK)),
    (b"Rar!", foreign("a RAR archive", UNPACK)),
    (b"BZh", foreign("a bzip2 archive", "unpack it, or pack it with gzip")),
    (b"\xfd7zXZ", foreign("an xz archive", "unpack it, or pack it with gzip")),
    (b"\x28\xb5\x2f\xfd", foreign("a Zstandard archive", "unpack it, or pack it with gzip")),
    (b"\x89PNG", foreign("a picture (PNG)", EXPORT)),
    (b"\xff\xd8\xff", foreign("a picture (JPEG)", EXPORT)),
    (b"SQLite format 3", foreign("an SQLite database", EXPORT)),
    (b"-----BEGIN PGP", foreign("an encrypted file (PGP)", "decrypt it first")),
];

/// The kind of file that begins with `head`, when it is one that no reader takes.
pub fn foreign_bytes(head: &[u8]) -> Option<Foreign> {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    BY_BYTES.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, foreign)| *foreign)
}

/// The kind of text that `text` is, when it is one that no reader takes.
pub fn foreign_text(text: &str) -> Option<Foreign> {
    let start = text.trim_start_matches(|one: char| one.is_whitespace() || one == '\u{feff}');
    let head: String = start.chars().take(64).flat_map(char::to_lowercase).collect();
    let is_qif = ["!type:", "!account", "!option:", "!clear:"].iter();
    if is_qif.clone().any(|mark| head.starts_with(mark)) {
        Some(foreign("QIF, the format of Quicken", EXPORT))
    } else if head.starts_with("<!doctype html") || head.starts_with("<html") {
        Some(foreign("an HTML page", "the download may have ended at a log-in page"))
    } else if head.starts_with("{\\rtf") {
        Some(foreign("an RTF document", EXPORT))
    } else if head.starts_with("{\"") || head.starts_with("[{") || head.starts_with("{\n") {
        Some(foreign("JSON", EXPORT))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_a_file_is_instead() {
        assert_eq!(foreign_bytes(b"%PDF-1.7").map(|one| one.name), Some("a PDF document"));
        assert_eq!(foreign_bytes(b"01,0210,"), None);
        let qif = foreign_text("\u{feff}!Type:Bank\nD1");
        assert_eq!(qif.map(|one| one.name), Some("QIF, the format of Quicken"));
        assert!(foreign_text("<!DOCTYPE html><html>").is_some());
        assert_eq!(foreign_text("{1:F01BANK}{4:\n:20:1"), None);
        assert_eq!(foreign_text("Date,Amount"), None);
    }
}
