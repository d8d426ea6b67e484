//! Whole files in, records and faults out.
#![expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]

use std::io::Write as _;

use super::tests_support::{merchant, settings};
use std::fs;

use super::*;
use tieout_model::{LedgerKind, LedgerStatus, MerchantId};

struct Scene {
    ledger: LedgerSettings,
    merchants: Vec<Merchant>,
}

impl Scene {
    fn new() -> Self {
        Self { ledger: settings(), merchants: vec![merchant("42", Some("books"), Some("USD"))] }
    }

    fn mapped(mapping: &[(&str, &str)]) -> Self {
        let mut scene = Self::new();
        scene.ledger.table.columns =
            mapping.iter().map(|(ours, theirs)| ((*ours).into(), (*theirs).into())).collect();
        scene
    }

    fn read(&self, bytes: impl AsRef<[u8]>) -> Result<CheckedFile, LedgerError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books.csv");
        fs::write(&path, bytes).unwrap();
        check_file(&path, &self.ledger, &self.merchants)
    }

    /// Each record as a line of text, then each fault.
    fn lines(&self, bytes: impl AsRef<[u8]>) -> Vec<String> {
        let read = self.read(bytes).unwrap();
        let records = read.records.iter().map(|record| {
            format!(
                "{}: {} {} {} {} {} {} order={} reference={} last4={} {}",
                record.line,
                record.merchant_id,
                record.ledger_id,
                record.kind.as_str(),
                record.date,
                record.amount.0,
                record.currency,
                record.order_id.as_deref().unwrap_or("-"),
                record.reference.as_deref().unwrap_or("-"),
                record.last4.as_deref().unwrap_or("-"),
                record.status.as_str(),
            )
        });
        let faults = read.file.quarantined.iter().map(|fault| {
            let shown = fault.to_string();
            shown[shown.find("books.csv").unwrap()..].to_owned()
        });
        records.chain(faults).collect()
    }

    fn error(&self, bytes: impl AsRef<[u8]>) -> String {
        let shown = self.read(bytes).unwrap_err().to_string();
        let (before, after) = shown.split_once("/books.csv").unwrap_or((&shown, ""));
        match before.split_once(" /") {
            Some((start, _)) => format!("{start} books.csv{after}"),
            None => shown.clone(),
        }
    }
}

#[test]
fn reads_a_file_through_its_mapping() {
    let mut scene = Scene::mapped(&[
        ("id", "Invoice"),
        ("kind", "Type"),
        ("date", "Date"),
        ("amount", "Amount"),
        ("currency", "Cur"),
        ("order_id", "Order"),
        ("reference", "Processor ref"),
        ("last4", "Last4"),
        ("status", "Status"),
        ("merchant", "MID"),
    ]);
    scene.merchants.push(merchant("0043", None, Some("CAD")));
    let kinds = [("sale".into(), "payment".into()), ("credit".into(), "refund".into())];
    scene.ledger.table.values.insert("kind".into(), kinds.into());
    scene.ledger.table.values.insert("status".into(), [("settled".into(), "paid".into())].into());
    let text = "\
Invoice,Type,Date,Amount,Cur,Order,Processor ref,Last4,Status,MID,Note
I-1,sale,2026-11-20,\"1,234.50\",USD, O-1 ,P1,1234,settled,42,
I-2,Credit,2026-11-21,-5.00,,,,****9876,,,
I-3,credit,2026-11-21,5.00,,,,4111111111111111,void,0043,
";
    assert_eq!(
        scene.lines(text),
        [
            "2: 42 I-1 payment 2026-11-20 123450 USD order=O-1 reference=P1 last4=1234 paid",
            "3: 42 I-2 refund 2026-11-21 500 USD order=- reference=- last4=9876 paid",
            "4: 0043 I-3 refund 2026-11-21 500 CAD order=- reference=- last4=1111 void",
        ]
    );
}

#[test]
fn takes_a_negative_amount_without_kind_for_a_refund() {
    let rows = "id,date,amount\n1,2026-11-20,12.34\n2,2026-11-20,-12.34\n3,2026-11-20,12.34-\n\
                4,2026-11-20,(12.34)\n";
    let read = Scene::new().read(rows).unwrap();
    let kinds: Vec<_> = read.records.iter().map(|record| (record.kind, record.amount.0)).collect();
    let refund = (LedgerKind::Refund, 1234);
    assert_eq!(kinds, [(LedgerKind::Payment, 1234), refund, refund, refund]);
    assert!(read.records.iter().all(|record| record.status == LedgerStatus::Paid));
}

#[test]
fn takes_exactly_one_of_debit_and_credit() {
    let rows = "id,date,debit,credit\n1,2026-11-20,1.00,\n2,2026-11-20,,2.00\n\
                3,2026-11-20,0.00,-3.00\n4,2026-11-20,4.00,4.00\n5,2026-11-20,,\n\
                6,2026-11-20,-6.00,\n";
    assert_eq!(
        Scene::new().lines(rows),
        [
            "2: 42 1 payment 2026-11-20 100 USD order=- reference=- last4=- paid",
            "3: 42 2 refund 2026-11-20 200 USD order=- reference=- last4=- paid",
            "4: 42 3 refund 2026-11-20 300 USD order=- reference=- last4=- paid",
            "7: 42 6 refund 2026-11-20 600 USD order=- reference=- last4=- paid",
            "books.csv:5: column \"debit\": expected exactly one of debit and credit filled, found both",
            "books.csv:6: column \"debit\": expected debit or credit filled, found neither",
        ]
    );
}

#[test]
fn quarantines_bad_rows_and_reads_the_rest() {
    let header = "id,date,amount,kind,currency,last4,status,merchant";
    let cases = [
        (
            "1,2026-13-20,1.00,,,,,",
            "column \"date\": expected a date as %Y-%m-%d, found \"2026-13-20\"",
        ),
        (
            "1,20.11.26,1.00,,,,,",
            "column \"date\": expected a date as %Y-%m-%d, found \"20.11.26\"; it fits date_format = \"%d.%m.%y\"",
        ),
        (
            "1,0026-11-20,1.00,,,,,",
            "column \"date\": expected a date as %Y-%m-%d, found \"0026-11-20\"",
        ),
        ("1,,1.00,,,,,", "column \"date\": expected a date as %Y-%m-%d, found nothing"),
        (",2026-11-20,1.00,,,,,", "column \"id\": expected an id, found nothing"),
        (
            "1,2026-11-20,1.005,,,,,",
            "column \"amount\": expected at most 2 decimals in USD, found \"1.005\"",
        ),
        ("1,2026-11-20,,,,,,", "column \"amount\": expected an amount, found nothing"),
        (
            "1,2026-11-20,-1.00,payment,,,,",
            "column \"amount\": expected a payment's amount not to be negative, found \"-1.00\"",
        ),
        (
            "1,2026-11-20,1.00,chargeback,,,,",
            "column \"kind\": expected payment or refund, found \"chargeback\"; add to values: kind = { \"chargeback\" = \"payment\" or \"refund\" or \"ignore\" }",
        ),
        (
            "1,2026-11-20,1.00,,XXY,,,",
            "column \"currency\": expected an ISO 4217 code such as USD, found \"XXY\"",
        ),
        (
            "1,2026-11-20,1.00,,,12x,,",
            "column \"last4\": expected four digits, or a number that ends in four digits, found 3 other characters",
        ),
        (
            "1,2026-11-20,1.00,,,411111111111111x,,",
            "column \"last4\": expected four digits, or a number that ends in four digits, found 16 other characters",
        ),
        (
            "1,2026-11-20,1.00,,,,open,",
            "column \"status\": expected paid, void, declined or returned, found \"open\"; add to values: status = { \"open\" = \"paid\" or \"void\" or \"declined\" or \"returned\" or \"ignore\" }",
        ),
        (
            "1,2026-11-20,1.00,,,,,43",
            "column \"merchant\": expected a configured merchant, found \"43\"",
        ),
        ("1,2026-11-20,1.00", "expected 8 cells, found 3"),
        ("1,2026-11-20,1.00,,,,,,extra", "expected 8 cells, found 9"),
    ];
    for (row, expected) in cases {
        let good = "9,2026-11-20,9.00,,,,,";
        let lines = Scene::new().lines(format!("{header}\n{row}\n{good}\n"));
        assert_eq!(lines.len(), 2, "{row}: {lines:?}");
        assert!(lines[0].starts_with("3: 42 9 payment"), "{row}");
        assert_eq!(lines[1], format!("books.csv:2: {expected}"), "{row}");
    }
}

#[test]
fn a_sum_without_a_word_for_it_is_a_fault() {
    let text = "id,date,amount\n1,2026-11-20,1.00\n2,2026-11-20,2.00\n,,3.00\n,,2\n,,\n,\n,,7.00\n";
    let read = Scene::new().read(text).unwrap();
    let file = &read.file;
    assert_eq!((read.records.len(), file.skipped_rows, file.quarantined_rows), (2, 0, 3));
    let lines: Vec<u64> = file.quarantined.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [4, 5, 8]);
    let total = "id,date,amount\n1,2026-11-20,1.00\n2,2026-11-20,2.00\nTotal,,3.00\n";
    let file = Scene::new().read(total).unwrap().file;
    assert_eq!((file.skipped_rows, file.quarantined_rows), (1, 0));
    let undated = Scene::new().lines("id,date,amount\nINV-1,,1.00\n");
    assert!(undated[0].contains("expected a date"), "{undated:?}");
}

#[test]
fn keeps_two_equal_rows_as_two_records() {
    let read = Scene::new().read("id,date,amount\n1,2026-11-20,1.00\n1,2026-11-20,1.00\n");
    let read = read.unwrap();
    assert_eq!(read.records.iter().map(|record| record.line).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn reads_every_encoding_that_spreadsheets_write() {
    let text = "id,date,amount\r\nCafé €,2026-11-20,1.00\r\n";
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect()
    };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let cases: [(&str, Vec<u8>); 6] = [
        ("UTF-8", text.into()),
        ("UTF-8 with a mark", format!("\u{feff}{text}").into()),
        ("UTF-16 LE", utf16(u16::to_le_bytes)),
        ("UTF-16 BE", utf16(u16::to_be_bytes)),
        ("gzip", packed.finish().unwrap()),
        (
            "Windows-1252",
            text.chars()
                .map(|character| match character {
                    'é' => 0xe9,
                    '€' => 0x80,
                    other => u8::try_from(other).unwrap(),
                })
                .collect(),
        ),
    ];
    for (name, bytes) in cases {
        let read = Scene::new().read(&bytes).unwrap();
        assert_eq!(read.records.len(), 1, "{name}");
        assert_eq!(read.records[0].ledger_id, "Café €", "{name}");
        assert_eq!(read.records[0].line, 2, "{name}");
    }
}

#[test]
fn counts_lines_as_an_editor_does() {
    let mut scene = Scene::new();
    scene.ledger.table.skip_lines = 2;
    let preamble = "Export of \"today\r\nby me\r\n";
    let rows = "id,date,amount\r\n\r\n1,2026-11-20,1.00\r\n\"a\r\nb\",2026-11-20,1.00\r\n\r\n\
                3,2026-11-20,1.00";
    for line_end in ["\r\n", "\n", "\r"] {
        let text = format!("{preamble}{rows}").replace("\r\n", line_end);
        let lines: Vec<u64> =
            scene.read(text).unwrap().records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [5, 6, 9], "{line_end:?}");
    }
}

#[test]
fn hashes_the_bytes_of_the_file() {
    let read = Scene::new().read("id,date,amount\n").unwrap();
    assert_eq!(read.records.len(), 0);
    assert_eq!(
        read.file.sha256,
        "5a9dd749cf2b13a73ec843013322649ba0f8217d1ff9c9adfefdded9ca3a82be"
    );
}

#[test]
fn refuses_a_file_that_is_wrong_as_a_whole() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "expected a header row, found nothing"),
        (b"\xef\xbb\xbf \n\n", "expected a header row, found nothing"),
        (b"id;date;amount\n1;2026-11-20;1\n", "hint: set delimiter = \";\""),
        (b"a,b\n1,2\n", "column id, expected a header \"id\", found \"a\", \"b\""),
        (b"PK\x03\x04whatever", "found a zip archive of another kind"),
        (b"id\0,\0\0x", "found zero bytes"),
    ];
    for (bytes, expected) in cases {
        let shown = Scene::new().error(bytes);
        assert!(shown.contains("file books.csv: "), "{shown}");
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn needs_a_merchant_column_unless_one_merchant_names_the_ledger() {
    let mut scene = Scene::new();
    scene.merchants.push(merchant("43", Some("books"), Some("USD")));
    let shown = scene.error("id,date,amount\n1,2026-11-20,1.00\n");
    assert!(shown.contains("found none and 2 merchants that name ledger \"books\""), "{shown}");
    let lines = scene.lines("id,date,amount,merchant\n1,2026-11-20,1.00,43\n2,2026-11-20,1.00,\n");
    assert!(lines[0].starts_with("2: 43 1"), "{lines:?}");
    assert_eq!(lines[1], "books.csv:3: column \"merchant\": expected a merchant, found nothing");
}

#[test]
fn refuses_a_file_without_a_mapped_column() {
    let scene = Scene::mapped(&[("status", "State"), ("id", "id")]);
    let shown = scene.error("id,date,amount\n1,2026-11-20,1.00\n");
    assert!(shown.contains("column status, expected a header \"State\""), "{shown}");
}

#[test]
fn refuses_a_file_that_changes_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books.csv");
    fs::write(&path, "id,date,amount\n1,2026-11-20,1.00\n").unwrap();
    let scene = Scene::new();
    let result = read_file(&path, &scene.ledger, &scene.merchants, |_| {
        fs::write(&path, "id,date,amount\n1,2026-11-20,1.00\n2,2026-11-20,1.00\n").unwrap();
        Ok::<(), LedgerError>(())
    });
    assert!(matches!(result, Err(LedgerError::File(FileError::Changed { .. }))), "{result:?}");
}

#[test]
fn takes_no_row_for_a_footer_that_names_a_movement() {
    let named = [",,1.00,O-1,,", ",,1.00,,P-1,", ",,1.00,,,4242", "Total,,1.00,O-1,,"];
    for row in named {
        let text = format!("id,date,amount,order_id,reference,last4\n{row}\n");
        let file = Scene::new().read(text).unwrap().file;
        assert_eq!((file.skipped_rows, file.quarantined_rows), (0, 1), "{row}");
    }
}

#[test]
fn passes_over_totals_and_nothing_else_without_a_date() {
    let text = "id,date,amount\n1,2026-11-20,1.00\nTotal,,1.00\nSumme: 1,,1.00\n,,1.00\n2,,1.00\n\
                Total-7,2026-11-20,1.00\n";
    let read = Scene::new().read(text).unwrap();
    let file = &read.file;
    assert_eq!((file.record_rows, file.skipped_rows, file.quarantined_rows), (2, 2, 2));
    // An amount without the word for a total is not a total, even when it equals the sum above.
    let lines: Vec<u64> = file.quarantined.iter().map(|row| row.line).collect();
    assert_eq!(lines, [5, 6]);
}

#[test]
fn loses_no_row_to_a_stray_quote() {
    let rows: String = "A,2026-11-20,1.00\n".repeat(400);
    let text = format!("id,date,amount\n\"1,2026-11-20,1.00\n{rows}");
    let read = Scene::new().read(text).unwrap();
    assert_eq!((read.records.len(), read.file.quarantined_rows), (400, 1));
    assert_eq!(read.file.quarantined[0].line, 2);
}

#[test]
fn leaves_out_what_the_values_ignore_and_says_so() {
    let mut scene = Scene::mapped(&[("kind", "Type")]);
    let kinds = [("charge".into(), "payment".into()), ("payout".into(), "ignore".into())];
    scene.ledger.table.values.insert("kind".into(), kinds.into());
    let read =
        scene.read("id,date,amount,Type\n1,2026-11-20,1.00,charge\n2,2026-11-20,-1.00,Payout\n");
    let file = read.unwrap().file;
    assert_eq!((file.record_rows, file.skipped_rows, file.quarantined_rows), (1, 1, 0));
    assert_eq!(file.skipped[0].reason, "kind \"Payout\" is ignored by values");
}

#[test]
fn keeps_what_it_could_read_of_a_row_that_is_left_out() {
    let read = Scene::mapped(&[("reference", "Ref")])
        .read("id,date,amount,Ref\n,2026-11-20,1.00,P-7\n")
        .unwrap();
    let fault = &read.file.quarantined[0];
    assert_eq!(fault.merchant_id.as_ref().map(MerchantId::as_str), Some("42"));
    assert_eq!(fault.amount.map(|amount| amount.0), Some(100));
    assert_eq!(fault.date.map(|date| date.to_string()).as_deref(), Some("2026-11-20"));
    assert_eq!(fault.reference.as_deref(), Some("P-7"));
}
