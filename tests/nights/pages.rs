//! Every number on the page of a date, and in its workbook, follows from the CSV files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;
use tieout_sandbox::{WorldOptions, plant_codes};

use super::figures;
use super::heads;
use super::shares;
use super::shifting::Shifting;
use crate::harness::reports::{Row, manifest, table};
use crate::harness::{Served, clean, page, workbook};

/// Worlds that a night of tests looks at; more by hand, with `PAGE_SEEDS=100`.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("PAGE_SEEDS").ok().and_then(|count| count.parse().ok());
    50..50 + count.unwrap_or(2)
}

pub fn all_planted(seed: u64) -> WorldOptions {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", 4, 30) }
}

/// An amount in thousandths, independent of its decimals: sums of one currency, which share their
/// decimals, can be compared directly.
pub fn thousandths(text: &str) -> i128 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{decimals:0<3}").parse().unwrap_or_else(|_| panic!("\"{text}\" is no amount"))
}

/// Sums by currency from a column.
pub fn sums<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    column: &str,
    absolute: bool,
) -> BTreeMap<String, i128> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let (amount, currency) = (&row[column], &row["currency"]);
        if !amount.is_empty() && !currency.is_empty() {
            let amount = thousandths(amount);
            *sums.entry(currency.clone()).or_default() +=
                if absolute { amount.abs() } else { amount };
        }
    }
    sums
}

/// Sums by currency as the page shows them: `1,234.00 USD` a line.
pub fn shown(text: &str) -> BTreeMap<String, i128> {
    let line = |line: &str| {
        let (amount, currency) = line.rsplit_once(' ').unwrap_or_else(|| panic!("\"{line}\""));
        (currency.to_owned(), thousandths(amount))
    };
    text.lines().filter(|line| !line.contains("unknown") && *line != "none").map(line).collect()
}

pub fn is_open(row: &Row) -> bool {
    row["status"] != "cleared"
}

/// An amount of a row as the page shows it; `none` where it is empty.
pub fn money(row: &Row, column: &str, none: &str) -> String {
    match row[column].as_str() {
        "" => none.to_owned(),
        known => format!("{known} {}", row["currency"]),
    }
}

#[test]
fn shows_on_the_page_what_the_tables_add_up_to() {
    for seed in seeds() {
        let served = Served::new(&all_planted(seed));
        let site = served.site();
        let options = served.world.options();
        site.run_range(options.from, options.to).expect(0);
        for date in served.dates() {
            let about = format!("seed {seed}, {date}");
            let folder = site.reports().join(date.to_string());
            let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
            let found = table(&site.reports(), date, "discrepancies.csv");
            heads::check_counts(&found, &manifest(&site.reports(), date), &html, &about);
            check_codes(&site.reports(), date, &html, &about);
            check_merchants(&site.reports(), date, &html, &about);
            check_waterfall(&table(&site.reports(), date, "deposits.csv"), &html, &about);
            check_rows(&table(&site.reports(), date, "discrepancies.csv"), &html, &about);
            check_ages(&table(&site.reports(), date, "discrepancies.csv"), &html, &about);
            check_transit(&site.reports(), date, &html, &about);
            check_roll(&site.reports(), date, &html, &about);
            check_data(&site.reports(), date, &html, &about);
            figures::check(&site.reports(), date, &html, &about);
            shares::check(&site.reports(), date, &html, &about);
        }
    }
}

#[test]
fn shows_on_the_page_how_the_books_match() {
    for seed in seeds() {
        let served = Served::new(&all_planted(seed));
        let site = served.site_with_books();
        let options = served.world.options();
        // Plants in the books may leave a day that is not evaluated in full.
        let ended = site.run_range(options.from, options.to);
        assert!([Some(0), Some(4)].contains(&ended.code), "{}", ended.stderr);
        for date in served.dates() {
            let about = format!("seed {seed}, {date}");
            let page = site.reports().join(date.to_string()).join("report.html");
            let html = std::fs::read_to_string(page).unwrap();
            figures::check(&site.reports(), date, &html, &about);
            shares::check(&site.reports(), date, &html, &about);
            shares::check_booked(&site.reports(), date, &html, &about);
            let found = table(&site.reports(), date, "discrepancies.csv");
            heads::check_counts(&found, &manifest(&site.reports(), date), &html, &about);
            check_matching(&site.reports(), date, &html, &about);
            check_rates(&table(&site.reports(), date, "summary.csv"), &html, &about);
            check_merchants(&site.reports(), date, &html, &about);
            check_rows(&table(&site.reports(), date, "discrepancies.csv"), &html, &about);
            check_data(&site.reports(), date, &html, &about);
        }
    }
}

fn check_codes(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let found = table(root, date, "discrepancies.csv");
    let codes: BTreeSet<&str> = found.iter().map(|row| row["code"].as_str()).collect();
    if codes.is_empty() {
        assert!(html.contains("no difference is open"), "{about}");
        return;
    }
    let shown_table = page::table_called(html, "A line for each kind of discrepancy");
    assert_eq!(shown_table.rows.len(), codes.len(), "{about}");
    for code in codes {
        let title = code.to_lowercase().replace('_', " ");
        let rows = shown_table.by_name();
        let line = rows.iter().find(|row| row["Finding"].to_lowercase().starts_with(&title));
        let line = line.unwrap_or_else(|| panic!("{about}: {code} has no line"));
        let of_code = || found.iter().filter(|row| row["code"] == code);
        let open = of_code().filter(|row| is_open(row));
        assert_eq!(line["Open"], open.clone().count().to_string(), "{about}: {code}");
        let cleared = of_code().filter(|row| !is_open(row)).count();
        assert_eq!(line["Cleared"], cleared.to_string(), "{about}: {code}");
        let differences = sums(open.clone(), "difference", true);
        assert_eq!(shown(line["Open differences"]), differences, "{about}: {code}");
        let oldest = open.map(|row| row["first_seen"].as_str()).min().unwrap_or_default();
        assert_eq!(line["Oldest since"], oldest, "{about}: {code}");
    }
}

fn check_merchants(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let summary = table(root, date, "summary.csv");
    let lines = page::table_called(html, "A line for each merchant and currency");
    assert_eq!(lines.rows.len(), summary.len(), "{about}");
    for row in &summary {
        let lines = lines.by_name();
        let line = lines
            .iter()
            .find(|line| {
                line["Merchant"].ends_with(&row["merchant_id"])
                    && line["Open differences"].ends_with(&row["currency"])
            })
            .unwrap_or_else(|| panic!("{about}: no line for {row:?}"));
        let money = |amount: &str| money(row, amount, "unknown");
        assert!(line["Verdict"].ends_with(&row["verdict"].replace('_', " ")), "{about}: {line:?}");
        let expected = [
            ("Paid out (net)", money("deposited_net")),
            ("In transit", money("in_transit_amount")),
            ("Opening", row["opening"].clone()),
            ("New", row["new"].clone()),
            ("Cleared", row["cleared"].clone()),
            ("Open", row["closing"].clone()),
            ("Open differences", money("closing_amount")),
        ];
        for (head, value) in expected {
            assert_eq!(line[head], value, "{about}: {head} of {}", row["merchant_id"]);
        }
        if !row["match_rate"].is_empty() {
            let rate = format!("{} % of {}", row["match_rate"], row["ledger_records"]);
            assert_eq!(line["Books matched"], rate, "{about}");
        }
    }
}

/// The steps of each currency are the columns of the deposits, with their signs.
pub fn check_waterfall(deposits: &[Row], html: &str, about: &str) {
    const STEPS: [(&str, &str, i128); 7] = [
        ("Sales", "sales", 1),
        ("Returns", "returns", -1),
        ("Fees", "daily_fees", -1),
        ("Held sales", "held_sales", -1),
        ("Returned bank transfers", "ach_adjustment", -1),
        ("Holdback", "holdback", -1),
        ("Reserve released", "reserve_release", 1),
    ];
    let currencies: BTreeSet<&str> = deposits.iter().map(|row| row["currency"].as_str()).collect();
    for code in currencies.into_iter().filter(|code| !code.is_empty()) {
        let rows: Vec<&Row> = deposits.iter().filter(|row| row["currency"] == code).collect();
        let sum = |column: &str| {
            sums(rows.iter().copied(), column, false).get(code).copied().unwrap_or(0)
        };
        let noun = if rows.len() == 1 { "deposit" } else { "deposits" };
        let caption = format!("{code} from {} {noun}, from sales to net", rows.len());
        let picture = page::table_called(html, &caption);
        let steps: BTreeMap<String, i128> = picture
            .by_name()
            .iter()
            .map(|row| (row["Step"].to_owned(), shown(row["Amount"])[code]))
            .collect();
        for (label, column, sign) in STEPS {
            let step = steps.get(label).copied().unwrap_or(0);
            assert_eq!(step, sign * sum(column), "{about}: {label} {code}");
        }
        assert_eq!(steps["Paid out (net)"], sum("net_amount"), "{about}: net {code}");
        let gap = steps.get("Does not add up").copied().unwrap_or(0);
        assert_eq!(gap, sum("net_amount") - sum("net_expected"), "{about}: gap {code}");
        let of = |prefix: &str| {
            steps.iter().find(|(label, _)| label.starts_with(prefix)).map_or(0, |(_, sum)| *sum)
        };
        let unexplained = of("Of this, more than") + of("Of this, less than");
        assert_eq!(unexplained, sum("unexplained"), "{about}: unexplained {code}");
    }
}

/// Every discrepancy is on the page with its figures.
pub fn check_rows(found: &[Row], html: &str, about: &str) {
    let mut by_id = BTreeMap::new();
    for table in page::tables(html).into_iter().filter(|one| one.heads[0] == "Status") {
        for (id, row) in table.ids.iter().zip(table.rows.clone()) {
            let named: BTreeMap<String, String> = table.heads.iter().cloned().zip(row).collect();
            assert!(by_id.insert(id.clone(), named).is_none(), "{about}: {id} stands there twice");
        }
    }
    assert_eq!(by_id.len(), found.len(), "{about}");
    for row in found {
        let line = &by_id[&row["discrepancy_id"]];
        for (head, column) in
            [("Expected", "expected"), ("Actual", "actual"), ("Difference", "difference")]
        {
            let figure = match (row[column].as_str(), row["currency"].as_str()) {
                ("", _) => String::new(),
                (count, "") => count.to_owned(),
                (amount, currency) => format!("{amount} {currency}"),
            };
            if (row["code"].as_str(), column) == ("CURRENCY_MISMATCH", "expected") {
                // The books name another currency than the processor.
                assert!(!line[head].ends_with(&row["currency"]), "{about}: {row:?}");
                let said = row["explanation"].replace(',', "");
                assert!(said.contains(&format!("ledger has {}", line[head])), "{about}: {row:?}");
                continue;
            }
            assert_eq!(line[head], figure, "{about}: {head} of {row:?}");
        }
        assert_eq!(line["Age"], row["age_days"], "{about}");
        assert_eq!(line["First reported"], row["first_seen"], "{about}");
        assert!(line["Status"].ends_with(&row["status"]), "{about}");
        assert!(line["Explanation"].starts_with(&row["explanation"]), "{about}: {line:?}");
    }
}

fn check_ages(found: &[Row], html: &str, about: &str) {
    const LAST: [u64; 6] = [0, 1, 5, 10, 20, u64::MAX];
    let lines = page::table_called(html, "Open discrepancies by age in banking days");
    let mut first = 0;
    for (line, last) in lines.by_name().iter().zip(LAST) {
        let rows = || {
            found.iter().filter(|row| {
                is_open(row) && (first..=last).contains(&row["age_days"].parse().unwrap())
            })
        };
        assert_eq!(line["Open"], rows().count().to_string(), "{about}: up to {last}");
        assert_eq!(shown(line["Differences"]), sums(rows(), "difference", true), "{about}");
        first = last.saturating_add(1);
    }
}

fn check_transit(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let rows = table(root, date, "in_transit.csv");
    if rows.is_empty() {
        assert!(html.contains("Nothing is on its way"), "{about}");
        return;
    }
    let lines = page::table_called(html, "Money in transit by due date");
    let count: usize =
        lines.by_name().iter().map(|line| line["Number"].parse::<usize>().unwrap()).sum();
    assert_eq!(count, rows.len(), "{about}");
    for line in lines.by_name() {
        let kinds = ["batch", "payment", "refund", "hold"];
        let kind = kinds.into_iter().find(|kind| line["What"].contains(kind));
        let kind = kind.map(|kind| if kind == "hold" { "held" } else { kind });
        let amounts = shown(line["Amount"]);
        // Money under review or on hold has no due date.
        let due = if line["Due"] == "not known" { "" } else { line["Due"] };
        let of_line = rows.iter().filter(|row| {
            row["due_date"] == due
                && Some(row["type"].as_str()) == kind
                && amounts.contains_key(&row["currency"])
        });
        assert_eq!(amounts, sums(of_line, "amount", false), "{about}: {line:?}");
    }
}

/// The totals of items and ledger records are those of the manifest, and its parts add up.
fn check_matching(root: &Path, date: NaiveDate, html: &str, about: &str) {
    const LINES: [(&str, &str, &str); 11] = [
        ("The processor's items", "items", "total"),
        ("of them paired", "items", "matched"),
        ("not paired", "items", "unmatched"),
        ("ambiguous", "items", "ambiguous"),
        ("Ledger records", "ledger", "total"),
        ("of them paired", "ledger", "matched"),
        ("not paired", "ledger", "unmatched"),
        ("ambiguous", "ledger", "ambiguous"),
        ("not expected at the processor", "ledger", "excluded"),
        ("out of scope", "ledger", "out_of_scope"),
        ("Ledger rows that could not be read", "ledger", "quarantined"),
    ];
    let run = manifest(root, date);
    let picture = page::table_called(html, "Items and ledger records up to this date");
    let lines = picture.by_name();
    assert_eq!(lines.len(), LINES.len(), "{about}");
    let mut shown_totals = BTreeMap::new();
    for (line, (name, of, part)) in lines.iter().zip(LINES) {
        let total = &run[of][part];
        assert_eq!(line["What"], name, "{about}");
        assert_eq!(line["Number"], total["count"].to_string(), "{about}: {of} {part}");
        let amounts = total["amounts"].as_object().unwrap().iter();
        let stated: BTreeMap<String, i128> = amounts
            .map(|(code, amount)| (code.clone(), thousandths(amount.as_str().unwrap())))
            .collect();
        assert_eq!(shown(line["Amount"]), stated, "{about}: {of} {part}");
        shown_totals.insert((of, part), (line["Number"].parse::<i128>().unwrap(), stated));
    }
    for (of, parts) in [
        ("items", ["matched", "unmatched", "ambiguous"].as_slice()),
        ("ledger", &["matched", "unmatched", "ambiguous", "excluded", "out_of_scope"]),
    ] {
        let count: i128 = parts.iter().map(|part| shown_totals[&(of, *part)].0).sum();
        assert_eq!(count, shown_totals[&(of, "total")].0, "{about}: parts of {of}");
        let mut amounts: BTreeMap<String, i128> = BTreeMap::new();
        for part in parts {
            for (code, amount) in &shown_totals[&(of, *part)].1 {
                *amounts.entry(code.clone()).or_default() += amount;
            }
        }
        amounts.retain(|_, amount| *amount != 0);
        let mut total = shown_totals[&(of, "total")].1.clone();
        total.retain(|_, amount| *amount != 0);
        assert_eq!(amounts, total, "{about}: amounts of the parts of {of}");
    }
}

/// The share of each merchant's records that are paired.
fn check_rates(summary: &[Row], html: &str, about: &str) {
    const CAPTION: &str = "Ledger records of this date that are paired";
    let with_records: Vec<&Row> =
        summary.iter().filter(|row| !["", "0"].contains(&row["ledger_records"].as_str())).collect();
    if with_records.is_empty() {
        assert!(!html.contains(CAPTION), "{about}");
        return;
    }
    let picture = page::table_called(html, CAPTION);
    let lines = picture.by_name();
    assert_eq!(lines.len(), with_records.len(), "{about}");
    for row in with_records {
        let rate = format!("{} % of {}", row["match_rate"], row["ledger_records"]);
        let is_line = |line: &&BTreeMap<&str, &str>| {
            line["Merchant"].ends_with(&row["merchant_id"]) && line["Matched"] == rate
        };
        assert!(lines.iter().any(|line| is_line(&line)), "{about}: {rate} of {row:?}");
    }
}

/// The page's listings of the date agree with the manifest.
fn check_data(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let run = manifest(root, date);
    let mut counts: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for listing in run["listings"].as_array().unwrap() {
        if listing["date"] != date.to_string() {
            continue;
        }
        let name = |key: &str| listing[key].as_str().unwrap().to_owned();
        let count = counts.entry((name("resource"), name("selector"))).or_default();
        if listing["verdict"] == "complete" {
            count.0 += 1;
        } else {
            count.1 += 1;
        }
    }
    let picture = page::table_called(html, "Listings of this date from the processor");
    let lines = picture.by_name();
    assert_eq!(lines.len(), counts.len(), "{about}");
    for (line, ((resource, selector), (complete, not_complete))) in lines.iter().zip(counts) {
        let name = line["What"].to_lowercase().replace(' ', "-");
        assert!(name.starts_with(&resource), "{about}: {name} for {resource}");
        assert!(selector == "date" || name.ends_with(&selector), "{about}: {name}, {selector}");
        assert_eq!(line["Complete"], complete.to_string(), "{about}: {resource} {selector}");
        assert_eq!(line["Not complete"], not_complete.to_string(), "{about}: {resource}");
    }
}

fn check_roll(root: &Path, date: NaiveDate, html: &str, about: &str) {
    let run = manifest(root, date);
    if html.contains(heads::BRIDGE) {
        let bridge = page::table_called(html, heads::BRIDGE);
        let closing = &bridge.by_name()[0];
        let count = run["discrepancies"]["closing"]["count"].to_string();
        assert_eq!(closing["Findings"], count, "{about}");
        let mut sums = sums(&table(root, date, "summary.csv"), "closing_amount", false);
        sums.retain(|_, sum| *sum != 0);
        let mut money =
            if closing["Money"] == "–" { BTreeMap::new() } else { shown(closing["Money"]) };
        money.retain(|_, sum| *sum != 0);
        assert_eq!(money, sums, "{about}");
    }
    let lines = page::table_called(html, "Roll-forward of discrepancies");
    let keys = ["opening", "new", "reopened", "cleared", "accepted", "closing"];
    for (line, key) in lines.by_name().iter().zip(keys) {
        let expected = run["discrepancies"][key]["count"].to_string();
        assert_eq!(line["Discrepancies"], expected, "{about}: {key}");
    }
}

#[test]
fn writes_into_the_workbook_what_the_tables_hold() {
    for seed in seeds() {
        let served = Served::new(&all_planted(seed));
        let site = served.site();
        let options = served.world.options();
        site.run_range(options.from, options.to).expect(0);
        for date in served.dates() {
            let folder = site.reports().join(date.to_string());
            let wrong = workbook::differences(&folder);
            assert!(wrong.is_empty(), "seed {seed}, {date}:\n{}", wrong.join("\n"));
        }
        let folder = site.reports().join(options.to.to_string());
        for (sheet, column, kind) in [
            ("summary", "merchant_id", "text"),
            ("summary", "in_transit_amount", "number"),
            ("discrepancies", "first_seen", "date"),
            ("discrepancies", "expected", "number"),
            ("batches", "batch_id", "text"),
            ("batches", "transaction_count", "number"),
            ("in_transit", "due_date", "date"),
        ] {
            assert_eq!(workbook::kinds(&folder, sheet, column), [kind], "{sheet} {column}");
        }
    }
}

/// A batch that the processor leaves out shows in its deposit's sales, in their count and among the
/// unmatched items: the page counts its money once.
#[test]
fn puts_what_one_missing_batch_shows_in_under_one_cause() {
    let served = Served::new(&clean(75, "2026-11-02", "2026-11-06", 8, 60));
    let site = served.site();
    let (from, to) = (served.world.options().from, served.world.options().to);
    site.run_range(from, to).expect(0);
    let store = rusqlite::Connection::open(site.store()).unwrap();
    // One of several of its day, so that its deposit still pays for others.
    let sql = "select batch_id from batch as one where one.day <= '2026-11-03' \
               and one.sale_amount_minor > 0 and exists (select 1 from batch as other \
                   where other.merchant_id = one.merchant_id and other.day = one.day \
                     and other.batch_id <> one.batch_id and other.sale_amount_minor > 0) \
               order by one.batch_id limit 1";
    let batch: i64 = store.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(store);
    let shifting = Shifting::new(&served);
    shifting.shift.lock().unwrap().gone.insert(("batches".to_owned(), batch.to_string()));
    let site = shifting.site(&served);
    site.run_range(from, to).expect(0);
    let mut together = 0;
    for date in served.dates() {
        let about = format!("without batch {batch}, {date}");
        let html = site.reports().join(date.to_string()).join("report.html");
        let html = std::fs::read_to_string(html).unwrap();
        figures::check(&site.reports(), date, &html, &about);
        together += html.matches("One cause with ").count();
    }
    assert!(together > 0, "its findings stand under one cause");
}
