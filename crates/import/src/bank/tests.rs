//! Statements as banks write them, and invalid ones.

use std::path::PathBuf;

use super::statement::{Broken, Statement};
use super::{BankError, Surroundings, bai2, camt, mt940, ofx, read_file};
use tieout_config::{BankSettings, TableSettings};
use tieout_model::BankFile;
use tieout_model::money::Currency;

fn settings() -> BankSettings {
    BankSettings {
        name: "account".to_owned(),
        path: PathBuf::from("*.bai"),
        format: None,
        originators: vec!["Example Payments".to_owned()],
        account: None,
        table: TableSettings::default(),
    }
}

/// Date, signed amount and currency of every line, and the days covered.
fn shown(read: Result<Statement, Broken>) -> Vec<String> {
    let statement = read.unwrap();
    assert_eq!(statement.faults, []);
    let mut lines: Vec<String> = statement
        .entries
        .iter()
        .map(|one| format!("{} {} {} {}", one.account_last4, one.date, one.amount.0, one.currency))
        .collect();
    let spans = statement.spans.iter();
    lines.extend(spans.map(|span| format!("{} {}..{}", span.account_last4, span.first, span.last)));
    lines
}

fn reason(read: Result<Statement, Broken>) -> String {
    let broken = read.unwrap_err();
    format!("{}: {}", broken.line, broken.reason)
}

const BAI2: &str = "\
01,122099999,123456789,261104,0200,1,,,2/
02,123456789,122099999,1,261103,,,2/
03,0975312468,,010,500000,,,190,70000000,4,0/
16,165,1500000,1,DD1620,, DEALER PAYMENTS
88,EXAMPLE PAYMENTS/PAYOUT, INC
16,455,25000,S,1,2,3,BR,CR,RENT/
16,115,10000000,D,2,0,5000000,1,5000000,REF
16,890,,,,,JUST A NOTE
49,82025000,7/
98,82025000,1,9/
99,82025000,1,11/
";

#[test]
fn reads_bai2_with_continuations_and_every_funds_type() {
    assert_eq!(
        shown(bai2::read(BAI2)),
        [
            "2468 2026-11-03 1500000 USD",
            "2468 2026-11-03 -25000 USD",
            "2468 2026-11-03 10000000 USD",
            "2468 2026-11-03..2026-11-03",
        ]
    );
    let text = &bai2::read(BAI2).unwrap().entries[0].text;
    assert!(text.contains("EXAMPLE PAYMENTS/PAYOUT, INC"), "{text}");
    let (broken, wrong) = (BAI2.replace("25000,S", "25001,S"), BAI2.replace("455,25000", "455,2x"));
    assert!(reason(bai2::read(&broken)).starts_with("9: expected the account's control total"));
    assert!(reason(bai2::read(&wrong)).starts_with("6: expected an amount in digits"));
    let cut = BAI2.rsplit_once("99,").unwrap().0;
    assert!(reason(bai2::read(cut)).contains("expected a file trailer (99)"));
    let counted = BAI2.replace("49,82025000,7/", "49,82025000,9/");
    assert_eq!(reason(bai2::read(&counted)), "9: the account states 9 records, found 7");
    let (head, _) = BAI2.split_once("02,").unwrap();
    let (_, tail) = BAI2.split_once(head).unwrap();
    let deleted =
        format!("{BAI2}{head}{}", tail.replace("122099999,1,261103", "122099999,2,261103"));
    let statement = bai2::read(&deleted).unwrap();
    assert_eq!(
        (statement.entries.len(), statement.spans.len(), statement.recalls.len()),
        (0, 0, 1)
    );
    assert_eq!(statement.skipped.len(), 4 + 4, "every line is said");
    // An interim report of a day proves nothing about the rest of it.
    let interim = BAI2.replace("261103,,,2/", "261103,,,3/");
    assert!(!shown(bai2::read(&interim)).iter().any(|line| line.contains("..")));
}

const MT940: &str = "\
{1:F01AAAABB99BSMK3513951576}{2:O9400934081223BBBBAA33XXXX03592332770812230934N}{4:
:20:1234567
:21:9876543210
:25:10020030/1234567
:28C:5/1
:60F:C261103EUR595,
:61:2611041104DR50,NTRFNONREF//8327000090031789
Card transaction
:86:806?20EREF+X?30BANK?321234567?33Example Pay
?34ments
:61:2612301231RC7,5NMSC
:61:2611040104CR100,25N12
:86:one
:62F:C261104EUR637,75
:64:C261104EUR637,75
:86:of the statement
-}
";

#[test]
fn reads_mt940_with_reversals_and_booking_dates_of_another_year() {
    let text = MT940.replace(":61:2611040104CR", ":61:2612310102CR");
    assert_eq!(
        shown(mt940::read(&text)),
        [
            "4567 2026-11-04 -5000 EUR",
            "4567 2026-12-31 -750 EUR",
            "4567 2027-01-02 10025 EUR",
            "4567 2026-11-04..2026-11-04",
        ]
    );
    let wrong = MT940.replace("637,75\n:64", "637,76\n:64");
    assert!(
        reason(mt940::read(&wrong))
            .contains("expected a closing balance of 637.75 EUR, found 637.76 EUR")
    );
    let cut = MT940.split_once(":62F:").unwrap().0;
    assert!(reason(mt940::read(cut)).contains("expected a closing balance (62), found none"));
}

const CAMT: &str = r#"<?xml version="1.0"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">10.00</Amt>
 <CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-11-03</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">85.5</Amt>
 <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-05</Dt></Dt></Bal>
<Ntry><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
 <BookgDt><Dt>2026-11-04</Dt></BookgDt><ValDt><Dt>2026-11-09</Dt></ValDt>
 <NtryDtls><Btch><NbOfTxs>1</NbOfTxs></Btch><TxDtls><Amt Ccy="EUR">60.00</Amt>
 <RltdPties><Dbtr><Pty><Nm>EXAMPLE PAYMENTS</Nm></Pty></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">4.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd><Sts><Cd>BOOK</Cd></Sts>
 <BookgDt><DtTm>2026-11-05T11:00:00Z</DtTm></BookgDt></Ntry>
<Ntry><Amt Ccy="EUR">999.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts></Ntry>
</Stmt></BkToCstmrStmt></Document>
"#;

#[test]
fn reads_camt_by_its_entries_whatever_payments_are_behind_them() {
    assert_eq!(
        shown(camt::read(CAMT, None)),
        ["3000 2026-11-04 10000 EUR", "3000 2026-11-05 -450 EUR", "3000 2026-11-04..2026-11-05",]
    );
    let entry = &camt::read(CAMT, None).unwrap().entries[0];
    assert!(entry.text.contains("EXAMPLE PAYMENTS"), "{}", entry.text);
    assert_eq!(entry.line, 8);
    let wrong = CAMT.replace("85.5<", "85.51<");
    assert!(
        reason(camt::read(&wrong, None))
            .contains("expected entries of 95.51 EUR between the balances, found 95.50 EUR")
    );
    let cut = CAMT.split_once("<Ntry><Amt Ccy=\"EUR\">4").unwrap().0;
    assert!(reason(camt::read(cut, None)).contains("expected the end of the document"));
    let outside = CAMT.replace("Stmt>", "Stm>");
    assert!(
        reason(camt::read(&outside, None)).contains("in a statement (Stmt), found one outside")
    );
    let fault = CAMT.replace("100.00</Amt><CdtDbtInd>CRDT", "100.005</Amt><CdtDbtInd>CRDT");
    let statement = camt::read(&fault, None).unwrap();
    assert_eq!((statement.faults.len(), statement.faults[0].line), (1, 8));
    let period = "<FrToDt><FrDtTm>2026-11-04T00:00:00</FrDtTm><ToDtTm>2026-11-06T00:00:00</ToDtTm></FrToDt><Bal>";
    let with_period = CAMT.replacen("<Bal>", period, 1);
    assert_eq!(shown(camt::read(&with_period, None))[2], "3000 2026-11-04..2026-11-05");
}

const OFX: &str = "\
OFXHEADER:100
<OFX><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>00-1122-3344</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261101<DTEND>20261105083000
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261104120000[-5:EST]<TRNAMT>+200.00<FITID>7<NAME>EXAMPLE
<MEMO>PAYMENTS &amp; CO</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261104<TRNAMT>-1.5<FITID>8<NAME>X</STMTTRN>
</BANKTRANLIST></STMTRS></OFX>
";

#[test]
fn reads_ofx_of_either_spelling_and_no_day_that_is_not_over() {
    let expected =
        ["3344 2026-11-04 20000 USD", "3344 2026-11-04 -150 USD", "3344 2026-11-01..2026-11-04"];
    assert_eq!(shown(ofx::read(OFX, None)), expected);
    let xml = OFX
        .replace("<CURDEF>USD", "<CURDEF>USD</CURDEF>")
        .replace("<TRNAMT>-1.5", "<TRNAMT>-1.5</TRNAMT>");
    assert_eq!(shown(ofx::read(&xml, None)), expected);
    let cut = OFX.split_once("</BANKTRANLIST>").unwrap().0;
    assert!(reason(ofx::read(cut, None)).contains("expected the end tag </OFX>"));
    assert_eq!(ofx::read(&OFX.replace("-1.5", "-1.555"), None).unwrap().faults.len(), 1);
}

#[expect(clippy::disallowed_methods, reason = "a test's scratch files need no atomic write")]
fn read(bytes: &[u8], bank: &BankSettings) -> Result<BankFile, BankError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("statement");
    std::fs::write(&path, bytes).unwrap();
    let surroundings = Surroundings {
        currency: Currency::from_code("USD"),
        time_zone: None,
        merchant_ids: &[&"4525644354".into(), &"99".into()],
    };
    read_file(&path, bank, surroundings)
}

#[test]
fn keeps_what_the_processor_caused_and_nothing_of_its_text() {
    let file = read(BAI2.as_bytes(), &settings()).unwrap();
    assert_eq!((file.lines.len(), file.other_lines), (1, 2), "{file:?}");
    let kept = format!("{file:?}");
    assert!(!kept.contains("DEALER") && !kept.contains("97531"), "{kept}");
    let text = BAI2.replace("PAYOUT, INC", "PAYOUT 4525644354");
    let named = read(text.as_bytes(), &settings()).unwrap();
    assert_eq!(named.lines[0].merchant_id, Some("4525644354".into()));
    assert_ne!(named.lines[0].key, file.lines[0].key);
    let elsewhere = BankSettings { account: Some("9999".to_owned()), ..settings() };
    let none = read(BAI2.as_bytes(), &elsewhere).unwrap();
    assert_eq!((none.lines.len(), none.spans.len()), (0, 0));
}

#[test]
fn reads_every_format_in_any_packing_by_its_content() {
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(OFX.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (bytes, lines) in [
        (BAI2.as_bytes().to_vec(), 1),
        (MT940.as_bytes().to_vec(), 1),
        (CAMT.as_bytes().to_vec(), 1),
        (OFX.as_bytes().to_vec(), 1),
        (utf16, 1),
    ] {
        assert_eq!(read(&bytes, &settings()).unwrap().lines.len(), lines);
    }
}

#[test]
fn reads_csv_from_the_banks_side() {
    let columns = [("description", "What"), ("debit", "Out"), ("credit", "In")];
    let bank = BankSettings {
        table: TableSettings {
            columns: columns.map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned())).into(),
            ..TableSettings::default()
        },
        ..settings()
    };
    let text = "date,What,Out,In\n2026-11-04,EXAMPLE PAYMENTS,,\"1,200.00\"\n\
                2026-11-05,EXAMPLE PAYMENTS,12.00,\n,Total,12.00,1200.00\n";
    let file = read(text.as_bytes(), &bank).unwrap();
    let amounts: Vec<i64> = file.lines.iter().map(|line| line.amount.0).collect();
    assert_eq!(amounts, [120_000, -1_200]);
    assert_eq!(file.spans.len(), 1);
    let bad = text.replace("2026-11-05", "05/11/2026");
    let file = read(bad.as_bytes(), &bank).unwrap();
    // A line that was left out may be of any day.
    assert_eq!((file.quarantined_lines, file.quarantined[0].line, file.spans.len()), (1, 3, 0));
    let error = read(b"date,What\n", &bank).unwrap_err().to_string();
    assert!(error.contains("column debit, expected a header \"Out\""), "{error}");
    let error = read(b"a,b,c\n1,2,3\n", &settings()).unwrap_err().to_string();
    assert!(error.contains("may be a CSV, without configured columns"), "{error}");
}

#[test]
fn tells_equal_lines_of_one_file_apart_and_knows_them_again_in_another() {
    let bank = BankSettings { format: Some(tieout_config::BankFormat::Csv), ..settings() };
    let text = "date,amount,description\n2026-11-04,5.00,EXAMPLE PAYMENTS\n\
                2026-11-04,5.00,EXAMPLE PAYMENTS\n";
    let keys = |text: &str| -> Vec<String> {
        read(text.as_bytes(), &bank).unwrap().lines.into_iter().map(|line| line.key).collect()
    };
    let (once, longer) = (keys(text), keys(&format!("{text}2026-11-05,5.00,EXAMPLE PAYMENTS\n")));
    assert_ne!(once[0], once[1]);
    assert_eq!(once, longer[..2]);
}
