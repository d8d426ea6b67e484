//! Files that are small on disk and huge when they are read: refused with the reason, in a bounded
//! amount of memory.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

const CONFIGURATION: &str = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n\
    ledger = \"books\"\n[[ledgers]]\nname = \"books\"\npath = \"books/*\"\n\
    [[banks]]\nname = \"account\"\npath = \"bank/*\"\noriginators = [\"Northwind\"]\n\
    columns = { date = \"Date\", amount = \"Amount\", description = \"Text\" }\n";

/// Address space of a check, in KiB. Memory that is asked for beyond it ends the program.
const MEMORY_KIB: u64 = 2 * 1024 * 1024;

const MEBIBYTE: usize = 1024 * 1024;

/// The output of `tieout bank check` or `ledger check` for a file with limited memory.
fn check(kind: &str, path: &Path) -> String {
    let settings = path.with_extension("toml");
    std::fs::write(&settings, CONFIGURATION).unwrap();
    let program = env!("CARGO_BIN_EXE_tieout");
    let command =
        format!("ulimit -v {MEMORY_KIB}; exec \"$0\" --config \"$1\" {kind} check --json \"$2\"");
    let output = Command::new("sh")
        .env_clear()
        .args(["-c", &command, program])
        .args([settings.as_path(), path])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{text}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str::<serde_json::Value>(&text).unwrap()["refused"]
        .as_str()
        .unwrap_or_else(|| panic!("it is read: {text:.300}"))
        .to_owned()
}

/// `begin`, `count` mebibytes of `unit` over and over, `end`, packed.
fn packed(path: &Path, begin: &str, unit: &str, count: usize, end: &str) {
    let mut writer = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
    writer.write_all(begin.as_bytes()).unwrap();
    let piece = unit.repeat(MEBIBYTE / unit.len());
    for _ in 0..count {
        writer.write_all(piece.as_bytes()).unwrap();
    }
    writer.write_all(end.as_bytes()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn refuses_an_endless_line_and_endless_nesting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.gz");
    packed(&path, "id,date,amount\n", "x", 3, "\n");
    assert!(check("ledger", &path).contains("a line of more than 1048576 bytes"));
    packed(&path, "<Document><BkToCstmrStmt><Stmt>", "<x>", 2, "");
    assert!(check("bank", &path).contains("expected at most 64 levels of XML"));
    packed(&path, "<OFX><STMTRS><CURDEF>USD", "<STMTTRN>", 18, "");
    assert!(check("bank", &path).contains("expected at most 2000000 entries"));
    packed(&path, "01,a,b,261105,0600,1,,,2/\n", "16,1\n", 10, "");
    assert!(check("bank", &path).contains("expected at most 2000000 records"));
}

/// A workbook with a part `name`: `begin` and so many mebibytes of `unit`.
fn workbook(path: &Path, name: &str, begin: &str, unit: &str, count: usize) {
    let mut writer = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    // Without it the archive is not a workbook.
    writer.start_file("xl/workbook.xml", zip::write::SimpleFileOptions::default()).unwrap();
    writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(begin.as_bytes()).unwrap();
    let piece = unit.repeat(MEBIBYTE / unit.len());
    for _ in 0..count {
        writer.write_all(piece.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn refuses_a_workbook_that_unpacks_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.xlsx");
    workbook(&path, "xl/sharedStrings.xml", "<sst>", "<si><t>a</t></si>", 260);
    let reason = check("ledger", &path);
    assert!(
        reason.contains("more than 268435456 bytes in its part xl/sharedStrings.xml"),
        "{reason}"
    );
    workbook(&path, "xl/worksheets/sheet1.xml", "<sheetData>", "x", 3);
    let reason = check("bank", &path);
    assert!(reason.contains("a text of more than 1048576 bytes"), "{reason}");
}
