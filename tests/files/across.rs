//! Statements that refer to each other: interim reports, corrections and deletions of days and of
//! single lines, in the order of their names. The store states which lines count.

use std::path::Path;

use rusqlite::Connection;
use tieout_config::{Settings, Sources};
use tieout_import::bank::{Surroundings, read_file};
use tieout_model::money::Currency;
use tieout_store::{Store, banks};

const CONFIGURATION: &str = "[[merchants]]\nid = \"1\"\ncurrency = \"USD\"\nbank = \"account\"\n\
    [[banks]]\nname = \"account\"\npath = \"bank/*\"\noriginators = [\"Northwind\"]\n";

/// The lines that count and the days that are covered, after the files have been read.
fn read(folder: &Path, files: &[(&str, String)]) -> (Vec<String>, Vec<String>) {
    let config_file = folder.join("tieout.toml");
    std::fs::write(&config_file, CONFIGURATION).unwrap();
    let sources = Sources { config_file: Some(config_file), ..Sources::default() };
    let settings = Settings::load(&sources, &[]).unwrap();
    let store_path = folder.join("tieout.db");
    let mut store = Store::open(&store_path).unwrap();
    let currency = Currency::from_code("USD");
    let surroundings = Surroundings { currency, time_zone: None, merchant_ids: &[] };
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let file = read_file(&path, &settings.banks[0], surroundings).unwrap();
        banks::save_file(&mut store, "account", name, &file, "same").unwrap();
    }
    drop(store);
    let connection = Connection::open(&store_path).unwrap();
    connection
        .execute_batch(
            "create temp table asof (business_date text); insert into asof values ('2026-11-30')",
        )
        .unwrap();
    let lines = rows(&connection, include_str!("../../crates/store/sql/banks/lines.sql"), 2..4);
    let spans = rows(&connection, include_str!("../../crates/store/sql/banks/spans.sql"), 1..3);
    (lines, spans)
}

/// Some columns of each row.
fn rows(connection: &Connection, sql: &str, columns: std::ops::Range<usize>) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    if let Ok(Some(at)) = statement.parameter_index(":first_date") {
        statement.raw_bind_parameter(at, "2026-11-01").unwrap();
    }
    let at = statement.parameter_index(":bank").unwrap().unwrap();
    statement.raw_bind_parameter(at, "account").unwrap();
    let (mut rows, mut found) = (statement.raw_query(), Vec::new());
    while let Some(row) = rows.next().unwrap() {
        let cell = |column: usize| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            other => other.as_str().unwrap().to_owned(),
        };
        found.push(columns.clone().map(cell).collect::<Vec<_>>().join(" "));
    }
    found
}

/// A report of 12 November: the group's status and as-of modifier, and an amount.
fn bai2(status: u8, modifier: u8, amount: u32) -> String {
    format!(
        "01,091000019,SHOP,261112,1200,1,,,2/\n02,SHOP,091000019,{status},261112,1200,USD,{modifier}/\n\
         03,4477001188,USD,,,,/\n16,142,{amount},Z,,,NORTHWIND/\n49,{amount},3/\n98,{amount},1,5/\n\
         99,{amount},1,7/\n"
    )
}

fn ofx(days: (u32, u32), transactions: &[(&str, &str, &str)]) -> String {
    let line = |(id, amount, more): &(&str, &str, &str)| {
        format!(
            "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261104<TRNAMT>{amount}<FITID>{id}\
             <NAME>NORTHWIND{more}</STMTTRN>\n"
        )
    };
    let lines = transactions.iter().map(line).collect::<Vec<_>>().concat();
    format!(
        "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD\n<BANKACCTFROM><BANKID>1\
         <ACCTID>4477001188<ACCTTYPE>CHECKING</BANKACCTFROM>\n<BANKTRANLIST><DTSTART>202611{:02}\
         <DTEND>202611{:02}\n{lines}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n",
        days.0, days.1
    )
}

#[test]
fn counts_an_interim_line_until_a_statement_covers_its_day() {
    let folder = tempfile::tempdir().unwrap();
    let interim = ("a.bai", bai2(1, 3, 7050));
    let (lines, spans) = read(folder.path(), std::slice::from_ref(&interim));
    assert_eq!((lines, spans), (vec!["2026-11-12 7050".to_owned()], vec![]));
    let (lines, spans) = read(folder.path(), &[interim, ("b.bai", bai2(1, 2, 7051))]);
    assert_eq!(lines, ["2026-11-12 7051"]);
    assert_eq!(spans, ["2026-11-12 2026-11-12"]);
}

#[test]
fn takes_back_what_a_later_file_corrects_or_deletes() {
    let first = || ("a.bai", bai2(1, 2, 7050));
    let corrected =
        read(tempfile::tempdir().unwrap().path(), &[first(), ("b.bai", bai2(3, 2, 75))]);
    assert_eq!(corrected.0, ["2026-11-12 75"]);
    assert_eq!(corrected.1, ["2026-11-12 2026-11-12"]);
    let deleted =
        read(tempfile::tempdir().unwrap().path(), &[first(), ("b.bai", bai2(2, 2, 7050))]);
    assert_eq!(deleted, (Vec::<String>::new(), Vec::new()));
    // The order of the names is the order of the files.
    let earlier = read(tempfile::tempdir().unwrap().path(), &[("0.bai", bai2(2, 2, 1)), first()]);
    assert_eq!(earlier.0, ["2026-11-12 7050"]);
}

#[test]
fn takes_back_the_line_that_another_file_replaces_or_deletes() {
    let first = || ("a.ofx", ofx((1, 6), &[("F1", "70.50", ""), ("F2", "5.00", "")]));
    let replacing = "<CORRECTFITID>F1<CORRECTACTION>REPLACE";
    let deleting = "<CORRECTFITID>F2<CORRECTACTION>DELETE";
    let later = ("b.ofx", ofx((5, 9), &[("F3", "70.00", replacing), ("F4", "0.00", deleting)]));
    let (lines, spans) = read(tempfile::tempdir().unwrap().path(), &[first(), later]);
    assert_eq!(lines, ["2026-11-04 7000"]);
    assert_eq!(spans, ["2026-11-01 2026-11-06", "2026-11-05 2026-11-09"]);
    let alone = read(tempfile::tempdir().unwrap().path(), &[first()]);
    assert_eq!(alone.0, ["2026-11-04 500", "2026-11-04 7050"]);
}

#[test]
fn counts_a_line_once_that_a_later_download_completes() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("a.ofx", ofx((1, 4), &[("F77", "70.50", ""), ("0", "5.00", " A"), ("0", "5.00", " B")])),
        ("b.ofx", ofx((3, 6), &[("F77", "70.50", " TRACE 2792508"), ("0", "5.00", " A")])),
    ];
    let (lines, _) = read(folder.path(), &files);
    // An id that is blank, or repeated on several lines, is ignored.
    assert_eq!(lines, ["2026-11-04 500", "2026-11-04 500", "2026-11-04 7050"]);
}
