//! Statements and ledgers that are damaged at random: never a panic, never an entry lost without a
//! message. A failure prints the seed and the text. `DAMAGES=5000` damages each format a hundred
//! thousand times.

use std::path::Path;

use tieout_config::{Settings, Sources};
use tieout_import::bank::{BankError, CheckedStatement, Surroundings, check_file};
use tieout_import::ledger::{LedgerError, read_file};
use tieout_model::money::Currency;

use super::corpus::{cases, folder};
use super::ledgers;

/// Damages of each file; more with `DAMAGES` in the environment.
const DAMAGES: u64 = 40;

/// A generator that needs no crate: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let marks = b"\"\n,/:;<>&-?~{}[]0A \x1a\xff";
    for _ in 0..=random.below(3) {
        let at = random.below(damaged.len());
        let mark = marks[random.below(marks.len())];
        match random.below(6) {
            0 => damaged.insert(at, mark),
            1 if !damaged.is_empty() => drop(damaged.remove(at)),
            2 if !damaged.is_empty() => damaged[at] = mark,
            3 => damaged.truncate(at),
            4 => {
                let lines: Vec<&[u8]> = damaged.split_inclusive(|byte| *byte == b'\n').collect();
                let mut lines = lines.into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
                if !lines.is_empty() {
                    drop(lines.remove(random.below(lines.len())));
                }
                damaged = lines.concat();
            }
            _ => {
                let end = (at + random.below(40)).min(damaged.len());
                let piece = damaged[at.min(end)..end].to_vec();
                damaged.splice(at..at, piece);
            }
        }
    }
    damaged
}

fn read(path: &Path, settings: &Settings) -> Result<CheckedStatement, BankError> {
    let surroundings = Surroundings {
        currency: Currency::from_code("USD"),
        time_zone: Some(settings.time_zone),
        merchant_ids: &[&"1".into()],
    };
    check_file(path, &settings.banks[0], surroundings)
}

/// The entries of a text, in a format that marks each of them.
fn entries(name: &str, bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes).to_uppercase();
    match name.rsplit_once('.')?.1 {
        "bai" => Some(text.lines().filter(|line| line.trim_start().starts_with("16,")).count()),
        "ofx" => Some(text.matches("<STMTTRN>").count() + text.matches("<STMTTRN >").count()),
        "xml" => Some(text.matches("<NTRY>").count()),
        "sta" => Some(text.split(['\n', '\r']).filter(|line| is_line_of_mt940(line)).count()),
        _ => None,
    }
}

/// A field 61 with its value date; without one it may be text.
fn is_line_of_mt940(line: &str) -> bool {
    let date = line.trim().strip_prefix(":61:").and_then(|value| value.get(..6));
    date.is_some_and(|date| date.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How often each file is damaged.
fn damages() -> u64 {
    let named = std::env::var("DAMAGES").ok().and_then(|text| text.parse().ok());
    named.unwrap_or(DAMAGES)
}

#[test]
fn survives_every_damage_of_a_ledger_and_loses_no_row() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("books.csv");
    for (number, case) in (1..).zip(ledgers::cases()) {
        let config = scratch.path().join("tieout.toml");
        std::fs::write(&config, case.configuration()).unwrap();
        let sources = Sources { config_file: Some(config), ..Sources::default() };
        let Ok(settings) = Settings::load(&sources, &[]) else { continue };
        let (ledger, merchants) = (&settings.ledgers[0], &settings.merchants);
        let rows_of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let file = read_file(&path, ledger, merchants, |_| Ok::<(), LedgerError>(())).ok()?;
            let rows = file.record_rows + file.quarantined_rows + file.skipped_rows;
            Some((rows, file.quarantined_rows))
        };
        let lines_of = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            text.lines().filter(|line| line.contains(char::is_alphanumeric)).count() as u64
        };
        let original = case.text.as_bytes();
        let Some((rows, _)) = rows_of(original) else { continue };
        // Headings and totals of a report are not rows; a plain table has a header beside its rows.
        let is_table = lines_of(original) <= rows + 1;
        for round in 0..damages() {
            let seed = number * 1_000_003 + round;
            let bytes = damage(original, &mut Random(seed | 1));
            let Some((rows, faults)) = rows_of(&bytes) else { continue };
            // Lines continue within quotes; a row cut in two is one row with a fault.
            let is_plain = is_table && !bytes.iter().any(|byte| b"\"\r\x1a".contains(byte));
            let lines = lines_of(&bytes);
            assert!(
                !is_plain || rows + 1 >= lines || faults > 0,
                "{} seed {seed}: {rows} rows of {lines} lines:\n{}",
                case.name,
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

#[test]
fn survives_every_damage_and_loses_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    for (number, case) in (1..).zip(cases()) {
        let config = scratch.path().join("tieout.toml");
        std::fs::write(&config, case.configuration()).unwrap();
        let sources = Sources { config_file: Some(config), ..Sources::default() };
        let settings = Settings::load(&sources, &[]).unwrap();
        let original = std::fs::read(folder().join(&case.file)).unwrap();
        let path = scratch.path().join(&case.file);
        for round in 0..damages() {
            let seed = number * 1_000_003 + round;
            let bytes = damage(&original, &mut Random(seed | 1));
            std::fs::write(&path, &bytes).unwrap();
            let Ok(statement) = read(&path, &settings) else { continue };
            let found = statement.lines.len() + statement.skipped.len() + statement.faults.len();
            if let Some(entries) = entries(&case.file, &bytes) {
                let shown = String::from_utf8_lossy(&bytes);
                // A comment or a text may hold a mark; a bank's collective entry has parts.
                let is_plain = !shown.contains("<!") && !shown.contains("<?OFX");
                assert!(
                    !is_plain || found >= entries,
                    "{} seed {seed}: {found} of {entries}:\n{shown}",
                    case.file
                );
            }
        }
    }
}

/// A bank's table of rows that each have a date and an amount.
const TABLE: &str = "Date,Amount,Text,Note\n2026-11-10,70.50,\"NORTHWIND, 1\",one\n\
    2026-11-11,-12.00,Rent,two\n2026-11-12,5.00,\"two\nlines\",three\n2026-11-13,6.00,x,four\n";

const TABLE_CONFIGURATION: &str = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n\
    [[banks]]\nname = \"account\"\npath = \"bank/*\"\noriginators = [\"Northwind\"]\n\
    columns = { date = \"Date\", amount = \"Amount\", description = \"Text\" }\n";

#[test]
fn counts_every_row_of_a_table_after_any_one_damage() {
    let scratch = tempfile::tempdir().unwrap();
    let config = scratch.path().join("tieout.toml");
    std::fs::write(&config, TABLE_CONFIGURATION).unwrap();
    let sources = Sources { config_file: Some(config), ..Sources::default() };
    let settings = Settings::load(&sources, &[]).unwrap();
    let path = scratch.path().join("table.csv");
    let header = TABLE.find('\n').unwrap() + 1;
    let mut wrong = Vec::new();
    for at in header..TABLE.len() {
        let mut damaged = Vec::new();
        for mark in ["\"", "\n", ","] {
            damaged.push(format!("{}{mark}{}", &TABLE[..at], &TABLE[at..]));
            if TABLE[at..].starts_with(mark) {
                damaged.push(format!("{}{}", &TABLE[..at], &TABLE[at + 1..]));
            }
        }
        for text in damaged {
            std::fs::write(&path, &text).unwrap();
            let statement = read(&path, &settings).unwrap();
            let (lines, faults) = (statement.lines.len(), statement.faults.len());
            let found = lines + statement.skipped.len() + faults;
            // An incomplete row is a fault, and then no day is covered.
            let is_told = lines == 4 || faults > 0;
            // Two rows joined in one line are one fault, even if the second continues on the next
            // line.
            let is_joined = text.contains("two2026-11-12");
            if found + usize::from(is_joined) < 4 || !is_told {
                wrong.push(format!("{lines} lines, {faults} faults, {found} in all:\n{text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases, the first is {}", wrong.len(), wrong[0]);
}
