//! Recognises files that are neither statement nor ledger, and names their kind.

/// The kind of a file, and the remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    pub name: &'static str,
    pub remedy: &'static str,
}

const fn foreign(name: &'static str, remedy: &'static str) -> Foreign {
    Foreign { name, remedy }
}

const EXPORT: &str =
    "export it as CSV or XLSX; a bank statement also as BAI2, camt.053, MT940 or OFX";
const UNPACK: &str = "unpack the archive";

/// Kinds of files by their first bytes.
const BY_BYTES: [(&[u8], Foreign); 11] = [
    (b"%PDF", foreign("a PDF document", EXPORT)),
    (
        b"\xd0\xcf\x11\xe0",
        foreign(
            "an old workbook (XLS), or one with a password",
            "save it as XLSX or CSV UTF-8, without a password",
        ),
    ),
    (b"7z\xbc\xaf\x27\x1c", foreign("a 7z archive", UNPACK)),
    (b"Rar!", foreign("a RAR archive", UNPACK)),
    (b"BZh", foreign("a bzip2 archive", "unpack it, or pack it with gzip")),
    (b"\xfd7zXZ", foreign("an xz archive", "unpack it, or pack it with gzip")),
    (b"\x28\xb5\x2f\xfd", foreign("a Zstandard archive", "unpack it, or pack it with gzip")),
    (b"\x89PNG", foreign("a picture (PNG)", EXPORT)),
    (b"\xff\xd8\xff", foreign("a picture (JPEG)", EXPORT)),
    (b"SQLite format 3", foreign("an SQLite database", EXPORT)),
    (b"-----BEGIN", foreign("an encrypted or signed file", "decrypt it first")),
];

/// The kind of a file that begins with `head`, when no reader takes it.
pub fn foreign_bytes(head: &[u8]) -> Option<Foreign> {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    BY_BYTES.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, foreign)| *foreign)
}

/// Kinds of texts by their first characters, in lower case.
const BY_TEXT: [(&[&str], Foreign); 7] = [
    (&["!type:", "!account", "!option:", "!clear:"], foreign("QIF, the format of Quicken", EXPORT)),
    (&["!trns\t", "!hdr\t", "!accnt\t"], foreign("IIF, the format of QuickBooks", EXPORT)),
    (
        &["<!doctype html", "<html"],
        foreign("an HTML page", "the download may have ended at a log-in page"),
    ),
    (&["{\\rtf"], foreign("an RTF document", EXPORT)),
    (&["%pdf"], foreign("a PDF document", EXPORT)),
    (&["isa*", "isa|", "isa~"], foreign("an EDI interchange (X12)", EXPORT)),
    (&["una:", "unb+"], foreign("an EDI interchange (EDIFACT)", EXPORT)),
];

/// Statements by their first characters, where a table is expected.
const STATEMENTS: [(&[&str], &str); 4] = [
    (&["ofxheader", "<ofx", "<?ofx"], "a bank statement in OFX"),
    (&["01,"], "a bank statement in BAI2"),
    (&[":20:", ":25:", "{1:f01"], "a SWIFT message such as MT940"),
    (&["<?xml", "<document"], "an XML document"),
];

/// The characters in a line of each record format.
const ACH_LINE: usize = 94;
const CODA_LINE: usize = 128;
const CFONB_LINE: usize = 120;
const NORMA_43_LINE: usize = 80;
const CNAB_240_LINE: usize = 240;

/// The kind of `text`, when no reader takes it.
pub fn foreign_text(text: &str) -> Option<Foreign> {
    let head = head_of(text);
    let kind = BY_TEXT.iter().find(|(marks, _)| marks.iter().any(|mark| head.starts_with(mark)));
    let kind = kind.map(|(_, foreign)| *foreign);
    let json = || is_json(&head).then(|| foreign("JSON", EXPORT));
    kind.or_else(json).or_else(|| by_records(text))
}

/// Checks whether a text begins with an object or a list of objects.
fn is_json(head: &str) -> bool {
    let rest = head.strip_prefix(['{', '[']).map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with(['"', '{', '[']))
}

/// The kind of file by the record in its first line.
fn by_records(text: &str) -> Option<Foreign> {
    let line = text.lines().next().unwrap_or("").trim_end_matches('\r');
    let (start, length) = (line.get(..10).unwrap_or(""), line.len());
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Some programs cut off the spaces at the end of a line.
    let is_record = !line.contains([',', ';', '\t']);
    let has_length = |whole: usize| is_record && (whole - 4..=whole).contains(&length);
    if start.starts_with("101 ") && has_length(ACH_LINE) {
        Some(foreign("an ACH file (NACHA), an order of payments", EXPORT))
    } else if start.starts_with("0000") && are_digits(start) && has_length(CODA_LINE) {
        Some(foreign("CODA, the statement of Belgian banks", EXPORT))
    } else if start.starts_with("01")
        && start.get(2..7).is_some_and(are_digits)
        && has_length(CFONB_LINE)
    {
        Some(foreign("CFONB 120, the statement of French banks", EXPORT))
    } else if (start.starts_with("01REMESSA") || start.starts_with("02RETORNO"))
        || (are_digits(start.get(..8).unwrap_or("x"))
            && start.get(3..8) == Some("00000")
            && has_length(CNAB_240_LINE))
    {
        Some(foreign("CNAB, the file of Brazilian banks", EXPORT))
    } else if start.starts_with("11") && are_digits(start) && has_length(NORMA_43_LINE) {
        Some(foreign("Norma 43, the statement of Spanish banks", EXPORT))
    } else {
        None
    }
}

/// As `foreign_text`, for the first lines of an expected table, where a statement is foreign as
/// well.
pub fn foreign_table(lines: &[String]) -> Option<Foreign> {
    let text = lines.join("\n");
    let head = head_of(&text);
    let kind = STATEMENTS.iter().find(|(marks, _)| marks.iter().any(|mark| head.starts_with(mark)));
    let remedy = "a statement belongs under [[banks]]; export a ledger as CSV or XLSX";
    foreign_text(&text).or_else(|| kind.map(|(_, name)| foreign(name, remedy)))
}

fn head_of(text: &str) -> String {
    let start = text.trim_start_matches(|one: char| one.is_whitespace() || one == '\u{feff}');
    start.chars().take(64).flat_map(char::to_lowercase).collect()
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
        for json in ["{\"a\":1}", "[\n  {\"a\":1}]", "{\r\n\"a\":1}", "[[1]]"] {
            assert_eq!(foreign_text(json).map(|one| one.name), Some("JSON"), "{json}");
        }
        let coda = foreign_text(&format!("{:128}\r\n", "0000005112672505        00099449"));
        assert_eq!(coda.map(|one| one.name), Some("CODA, the statement of Belgian banks"));
        assert!(foreign_text(&format!("{:120}", "0130002    00541EUR2")).is_some());
        assert!(foreign_text(&format!("{:80}", "110021000000001234")).is_some());
        assert!(foreign_text(&format!("{:240}", "00100000         2123")).is_some());
        assert!(foreign_text(&format!("{:400}", "02RETORNO01COBRANCA")).is_some());
        assert_eq!(foreign_text(&format!("01,021000021,{:107}", "")), None);
        assert_eq!(foreign_text("Date,Amount"), None);
        assert!(foreign_text(&format!("101 {:90}", "0210000210")).is_some());
        assert_eq!(foreign_table(&["101 ways".to_owned()]), None);
        let ofx = foreign_table(&["OFXHEADER:100".to_owned()]);
        assert_eq!(ofx.map(|one| one.name), Some("a bank statement in OFX"));
    }
}
