//! The sections of a page about money, compared with the CSV files of the date, and of the date
//! before. `tests/figures` checks the chain of the money and the roll-forward.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;

use super::heads;
use super::pages::{is_open, money, shown, sums, thousandths};
use crate::harness::page;
use crate::harness::reports::{Row, table};

/// Every section of a date's page about money.
pub fn check(root: &Path, date: NaiveDate, html: &str, about: &str) {
    check_causes(&table(root, date, "discrepancies.csv"), html, about);
    check_final(root, date, html, about);
    check_bank(&table(root, date, "bank_matches.csv"), html, about);
    check_disputes(&table(root, date, "disputes.csv"), html, about);
    check_ages(&table(root, date, "discrepancies.csv"), html, about);
    check_arrivals(root, date, html, about);
}

/// A row's absolute difference, when it is money.
fn size(row: &Row) -> Option<i128> {
    let is_money = !row["currency"].is_empty() && !row["difference"].is_empty();
    is_money.then(|| thousandths(&row["difference"]).abs())
}

fn ids(row: &Row) -> BTreeSet<(String, String)> {
    const COLUMNS: [&str; 8] = [
        "batch_id",
        "ach_deposit_id",
        "authorization_id",
        "transaction_id",
        "payment_id",
        "refund_id",
        "ledger_id",
        "dispute_id",
    ];
    let of = |column: &str| -> Vec<(String, String)> {
        let ids = row[column].split(';').filter(|id| !id.is_empty());
        ids.map(|id| (column.to_owned(), id.to_owned())).collect()
    };
    COLUMNS.iter().flat_map(|column| of(column)).collect()
}

/// Each finding and its leading finding, as the page shows them.
fn leads(found: &[Row], html: &str) -> BTreeMap<String, String> {
    let mut leads = BTreeMap::new();
    for table in page::tables(html).into_iter().filter(|one| one.heads[0] == "Status") {
        let position = table.heads.iter().position(|head| head == "Explanation").unwrap();
        for (id, row) in table.ids.iter().zip(&table.rows) {
            let rest = row[position].split_once("One cause with ").map(|(_, rest)| rest);
            let lead = rest.and_then(|rest| {
                found.iter().map(|row| &row["discrepancy_id"]).find(|id| rest.contains(id.as_str()))
            });
            leads.insert(id.clone(), lead.unwrap_or(id).clone());
        }
    }
    leads
}

/// Findings under one cause name a common record and state its money, whole or in two parts, or a
/// count; the money in question is that of each cause once.
fn check_causes(found: &[Row], html: &str, about: &str) {
    let by_id: BTreeMap<&str, &Row> =
        found.iter().map(|row| (row["discrepancy_id"].as_str(), row)).collect();
    let mut causes: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for (id, lead) in leads(found, html) {
        let row = by_id[id.as_str()];
        if is_open(row) && row["severity"] != "info" {
            causes.entry(lead).or_default().push(row);
        } else {
            assert_eq!(id, lead, "{about}: only what is open has a cause");
        }
    }
    for (lead, rows) in &causes {
        let lead = by_id[lead.as_str()];
        let others: Vec<&&Row> =
            rows.iter().filter(|row| row["discrepancy_id"] != lead["discrepancy_id"]).collect();
        assert_eq!(others.len() + 1, rows.len(), "{about}: the lead of {rows:?} is among them");
        let codes: BTreeSet<&str> = rows.iter().map(|row| row["code"].as_str()).collect();
        assert_eq!(codes.len(), rows.len(), "{about}: one of each check: {rows:?}");
        for row in &others {
            assert_eq!(row["merchant_id"], lead["merchant_id"], "{about}");
            assert!(!ids(row).is_disjoint(&ids(lead)), "{about}: {row:?} and {lead:?}");
        }
        let parts: Vec<i128> = others.iter().filter_map(|row| size(row)).collect();
        let (whole, less): (Vec<i128>, Vec<i128>) =
            parts.iter().partition(|part| Some(**part) == size(lead));
        assert!(
            less.is_empty() || (less.len() == 2 && Some(less.iter().sum()) == size(lead)),
            "{about}: {whole:?} and {less:?} of {lead:?}"
        );
    }
    heads::check(found, &causes, html, about);
}

/// The date up to which each merchant is final, and the cause that keeps it open.
fn check_final(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let summary = table(root, date, "summary.csv");
    let lines = page::table_called(html, "Where the money of each merchant is");
    assert_eq!(lines.rows.len(), summary.len(), "{about}");
    for (line, row) in lines.by_name().iter().zip(&summary) {
        let verdict = row["verdict"].replace('_', " ");
        assert!(line["Merchant"].ends_with(&verdict), "{about}, {}: {line:?}", row["merchant_id"]);
    }
    let waiting =
        page::table_called(html, "Date up to which each merchant is final, and what it waits for");
    let mut merchants: Vec<&Row> = summary.iter().collect();
    merchants.dedup_by_key(|row| &row["merchant_id"]);
    assert_eq!(waiting.rows.len(), merchants.len(), "{about}");
    for (waits, row) in waiting.by_name().iter().zip(merchants) {
        let about = format!("{about}, {}", row["merchant_id"]);
        let until = if row["final"].is_empty() { "no date yet" } else { &row["final"] };
        assert_eq!(waits["Final up to"], until, "{about}");
        check_waits(root, date, row, waits["Waits for"], &about);
    }
}

fn check_waits(root: &Path, date: NaiveDate, row: &Row, waits: &str, about: &str) {
    let is_own = |one: &&Row| one["merchant_id"] == row["merchant_id"];
    let transit = table(root, date, "in_transit.csv");
    let of = |kinds: &[&str]| {
        transit.iter().filter(is_own).filter(|one| kinds.contains(&one["type"].as_str())).count()
    };
    let bank = table(root, date, "bank_matches.csv");
    let found = table(root, date, "discrepancies.csv");
    let is_grave = |one: &&Row| is_open(one) && one["severity"] != "info";
    for (count, word) in [
        (of(&["batch"]), "batch"),
        (of(&["payment", "refund"]), "bank transfer"),
        (of(&["held"]), "transaction"),
        (bank.iter().filter(is_own).filter(|one| one["verdict"] == "due").count(), "deposit"),
        (found.iter().filter(is_own).filter(is_grave).count(), "difference"),
    ] {
        // As a whole number: 17 differences are not 7.
        let is_said = format!(" {waits}").contains(&format!(" {count} {word}"));
        assert!(
            is_said || (count == 0 && !waits.contains(word)),
            "{about}: {count} {word}: {waits}"
        );
    }
}

fn check_bank(rows: &[Row], html: &str, about: &str) {
    const WORDS: [(&str, &str); 9] = [
        ("missing", "Missing: due, and not on the statement"),
        ("amount_differs", "On the statement with another amount"),
        ("unknown_credit", "Lines of the processor that no deposit explains"),
        ("ambiguous", "Ambiguous: several pairings fit"),
        ("not_evaluated", "Not evaluated: a statement was not read"),
        ("late", "Found late"),
        ("awaiting_statement", "Awaiting the statement"),
        ("due", "Not due at the bank yet"),
        ("found", "Found"),
    ];
    const CAPTION: &str = "Deposits paid, due at the bank or awaited there on this date";
    if rows.is_empty() {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let lines = page::table_called(html, CAPTION);
    let mut counted = 0;
    for line in lines.by_name() {
        let (verdict, _) = WORDS.iter().find(|(_, words)| *words == line["At the bank"]).unwrap();
        let own = || rows.iter().filter(|row| row["verdict"] == *verdict);
        assert_eq!(line["Number"], own().count().to_string(), "{about}: {verdict}");
        assert_eq!(shown(line["Stated"]), sums(own(), "net_amount", false), "{about}: {verdict}");
        let on_it = sums(own(), "bank_amount", false);
        assert_eq!(shown(line["On the statement"]), on_it, "{about}: {verdict}");
        counted += own().count();
    }
    assert_eq!(counted, rows.len(), "{about}");
}

fn check_disputes(rows: &[Row], html: &str, about: &str) {
    const CAPTION: &str = "Disputes submitted, changed or open on this date";
    if rows.is_empty() {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let lines = page::table_called(html, CAPTION);
    let mut counted = 0;
    for line in lines.by_name() {
        let verdict = if line["Disputes"].starts_with("wait") { "waits" } else { line["Disputes"] };
        let own = || rows.iter().filter(|row| row["verdict"] == verdict);
        assert_eq!(line["Number"], own().count().to_string(), "{about}: {verdict}");
        assert_eq!(shown(line["Amount"]), sums(own(), "dispute_amount", false), "{about}");
        assert_eq!(shown(line["Fees"]), sums(own(), "fee_amount", false), "{about}: {verdict}");
        let due = own().map(|row| row["due_date"].as_str()).filter(|due| !due.is_empty()).min();
        assert_eq!(line["Answer by"], due.unwrap_or_default(), "{about}: {verdict}");
        counted += own().count();
    }
    assert_eq!(counted, rows.len(), "{about}");
}

/// The open differences of each merchant and currency, by age.
fn check_ages(found: &[Row], html: &str, about: &str) {
    const CAPTION: &str = "Open differences of each merchant by age in banking days";
    const AGES: [(&str, u64); 6] = [
        ("First day", 0),
        ("1 banking day", 1),
        ("2 to 5", 5),
        ("6 to 10", 10),
        ("11 to 20", 20),
        ("More than 20", u64::MAX),
    ];
    let open: Vec<&Row> = found.iter().filter(|row| is_open(row) && size(row).is_some()).collect();
    let keys: BTreeSet<(&str, &str)> =
        open.iter().map(|row| (row["merchant_id"].as_str(), row["currency"].as_str())).collect();
    if keys.is_empty() {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let lines = page::table_called(html, CAPTION);
    assert_eq!(lines.rows.len(), keys.len(), "{about}");
    for (line, (merchant, currency)) in lines.by_name().iter().zip(keys) {
        assert!(line["Merchant"].ends_with(merchant), "{about}: {line:?}");
        let of = |ages: std::ops::RangeInclusive<u64>| {
            let own = open.iter().filter(|row| {
                row["merchant_id"] == merchant
                    && row["currency"] == currency
                    && ages.contains(&row["age_days"].parse().unwrap())
            });
            own.map(|row| size(row).unwrap()).sum::<i128>()
        };
        let said = |head: &str| match line[head] {
            "–" => 0,
            amount => shown(amount)[currency],
        };
        let mut first = 0;
        for (head, last) in AGES {
            assert_eq!(said(head), of(first..=last), "{about}: {head} of {line:?}");
            first = last.saturating_add(1);
        }
        assert_eq!(said("All"), of(0..=u64::MAX), "{about}: {line:?}");
    }
}

/// Money in transit on the date before has arrived, is still in transit, is overdue, or is the
/// named difference.
fn check_arrivals(root: &Path, date: NaiveDate, html: &str, about: &str) {
    const CAPTION: &str = "Expected on the date before, and arrived";
    let before = date.pred_opt().unwrap();
    if !root.join(before.to_string()).exists() {
        assert!(html.contains("The date before was not reconciled"), "{about}");
        return;
    }
    if html.contains("Nothing was due, and nothing arrived.") {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let expected = table(root, before, "in_transit.csv");
    let batches = || expected.iter().filter(|row| row["type"] == "batch");
    let lines = page::table_called(html, CAPTION);
    let mut arrived: BTreeMap<String, i128> = BTreeMap::new();
    for line in lines.by_name() {
        let (currency, sum) = shown(line["Expected"]).pop_first().unwrap();
        let of = |head: &str| shown(line[head])[&currency];
        let due = if line["Was due"] == "not expected" { "" } else { line["Was due"] };
        let own = || batches().filter(|row| row["due_date"] == due && row["currency"] == currency);
        let stated = sums(own(), "amount", false).get(&currency).copied().unwrap_or(0);
        assert_eq!(sum, stated, "{about}: {line:?}");
        let still = table(root, date, "in_transit.csv");
        let still = still
            .iter()
            .filter(|row| row["type"] == "batch" && own().any(|one| one["id"] == row["id"]));
        let still = sums(still, "amount", false).get(&currency).copied().unwrap_or(0);
        assert_eq!(of("Still in transit"), still, "{about}: {line:?}");
        let found = table(root, date, "discrepancies.csv");
        let late = own().filter(|row| {
            let names = |one: &Row| one["batch_id"] == row["id"] && is_open(one);
            found.iter().any(|one| names(one) && one["code"] == "BATCH_WITHOUT_DEPOSIT")
        });
        let late = sums(late, "amount", false).get(&currency).copied().unwrap_or(0);
        assert_eq!(of("Overdue"), late, "{about}: {line:?}");
        let parts = of("Arrived") + of("Still in transit") + of("Overdue");
        assert_eq!(parts - sum, of("Over or short"), "{about}: {line:?}");
        *arrived.entry(currency.clone()).or_default() += of("Arrived");
    }
    let deposits = table(root, date, "deposits.csv");
    let (sales, returns) = (sums(&deposits, "sales", false), sums(&deposits, "returns", false));
    for (currency, sum) in sales {
        let came = sum - returns.get(&currency).copied().unwrap_or(0);
        let said = arrived.get(&currency).copied().unwrap_or(0);
        assert_eq!(said, came, "{about}: everything that came in {currency}");
    }
}

/// The fees of each merchant and month are those of the deposits, and the rate is their share.
pub fn check_fees(folder: &Path, html: &str, about: &str) {
    let rows = |name: &str| super::periods::read(folder, name);
    let (rates, deposits) = (rows("fee_rates.csv"), rows("deposits.csv"));
    let lines = page::table_called(html, "Fees that deposits deducted, of the sales that they pay");
    assert_eq!(lines.rows.len(), rates.len(), "{about}");
    for (line, row) in lines.by_name().iter().zip(&rates) {
        let own: Vec<&Row> = deposits
            .iter()
            .filter(|one| one["payment_date"].starts_with(&row["month"]))
            .filter(|one| {
                one["merchant_id"] == row["merchant_id"] && one["currency"] == row["currency"]
            })
            .collect();
        assert_eq!(row["deposits"], own.len().to_string(), "{about}: {row:?}");
        for (column, of) in [("fees", "daily_fees"), ("sales", "sales")] {
            let sum = sums(own.iter().copied(), of, false).get(&row["currency"]).copied();
            assert_eq!(Some(thousandths(&row[column])), sum, "{about}: {column} of {row:?}");
        }
        assert!(line["Merchant"].ends_with(&row["merchant_id"]), "{about}: {line:?}");
        assert_eq!(line["Month"], row["month"], "{about}");
        assert_eq!(line["Fees"], money(row, "fees", "unknown"), "{about}");
        assert_eq!(line["Sales"], money(row, "sales", "unknown"), "{about}");
        assert_eq!(line["Rate in percent"].replace('–', ""), row["rate"], "{about}");
        if !row["rate"].is_empty() {
            // Within half of the last digit: rate * sales = fees * 100.
            let (fees, sales) = (thousandths(&row["fees"]), thousandths(&row["sales"]));
            let off = thousandths(&row["rate"]) * sales - fees * 100_000;
            assert!(off.abs() * 2 <= 10 * sales, "{about}: {row:?}");
        }
    }
}
