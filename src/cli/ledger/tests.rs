//! The output and exit code of `tieout ledger check`.

use std::collections::BTreeMap;

use super::*;

const BOOKS: &str = "\
Invoice,MID,Amount,Day
A-1,7,12.50,2026-11-20
A-2,7,-3.00,2026-11-20
A-3,8,1.00,2026-11-20
A-4,7,1.005,2026-11-20
Total,,10.50,
";

const SETTINGS: &str = r#"
[[merchants]]
id = "7"
currency = "USD"
ledger = "books"
[[ledgers]]
name = "books"
path = "ledger/*.csv"
columns = { id = "Invoice", merchant = "MID", date = "Day" }
"#;

fn run(extra: &[&str], books: &str, configuration: &str) -> (Exit, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("books.csv"), folder.path().join("tieout.toml"));
    std::fs::write(&file, books).unwrap();
    std::fs::write(&config, configuration).unwrap();
    let mut arguments = vec!["tieout", "ledger", "check", file.to_str().unwrap()];
    arguments.extend(["--config", config.to_str().unwrap()]);
    arguments.extend(extra);
    let cli = <crate::cli::Cli as clap::Parser>::try_parse_from(arguments).unwrap();
    let context = Context::new(cli.global, BTreeMap::new()).unwrap();
    let crate::cli::Command::Ledger(command) = cli.command else { panic!("another command") };
    match execute(&command, &context) {
        Ok(exit) => (exit, None),
        Err(error) => (error.exit(), Some(error.to_string())),
    }
}

#[test]
fn ends_as_the_rows_and_the_file_are() {
    assert_eq!(run(&[], BOOKS, SETTINGS), (Exit::Partial, None));
    let good = "Invoice,MID,Amount,Day\nA-1,7,12.50,2026-11-20\n";
    assert_eq!(run(&["--ledger", "books", "--json"], good, SETTINGS), (Exit::Done, None));
    assert_eq!(run(&[], "", SETTINGS), (Exit::Partial, None));
    assert_eq!(run(&["--json"], "", SETTINGS), (Exit::Partial, None));
    let plain = "id,date,amount,currency\n1,2026-11-20,1.00,USD\n";
    assert_eq!(run(&[], plain, ""), (Exit::Done, None));
}

#[test]
fn asks_for_a_ledger_that_is_configured() {
    let (exit, error) = run(&["--ledger", "book"], BOOKS, SETTINGS);
    assert_eq!(
        (exit, error.unwrap().as_str()),
        (Exit::Usage, "--ledger: expected the name of a configured ledger, found \"book\"")
    );
    let two = format!("{SETTINGS}\n[[ledgers]]\nname = \"other\"\npath = \"other.csv\"\n");
    assert_eq!(run(&[], BOOKS, &two).0, Exit::Usage);
}

#[test]
fn shows_what_was_understood_and_what_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("books.csv"), folder.path().join("tieout.toml"));
    std::fs::write(&file, BOOKS).unwrap();
    std::fs::write(&config, SETTINGS).unwrap();
    let sources = tieout_config::Sources { config_file: Some(config), ..Default::default() };
    let settings = Settings::load(&sources, &[]).unwrap();
    let ledger = settings.ledgers[0].clone();
    let mut rows = Vec::new();
    let mut sums = Sums::new();
    let read = read_file(&file, &ledger, &settings.merchants, |record: LedgerRecord| {
        let key = (record.kind.as_str(), record.status.as_str(), record.currency.code());
        sums.insert(key, (1, i128::from(record.amount.0)));
        rows.push(RowLine::from(record));
        Ok::<(), LedgerError>(())
    });
    let shown = render(&Checked::read(read.unwrap(), &ledger, sums, rows), false);
    insta::assert_snapshot!(shown.replace(file.to_str().unwrap(), "books.csv"));
}
