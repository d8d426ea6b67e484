//! The roll-forward, added up again from the rows of `discrepancies.csv`: each date opens with the
//! closing of the date before it, for each merchant and currency, in number and in money, in the
//! summary and on the page; a period goes from the opening of its first date to the closing of its
//! last.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chrono::NaiveDate;

use crate::harness::page;
use crate::harness::reports::{self, Row};

/// The columns of a roll-forward in money, with the headings of the page.
const STEPS: [(&str, &str); 6] = [
    ("opening_amount", "Opening"),
    ("new_amount", "+ new"),
    ("cleared_amount", "− cleared"),
    ("accepted_amount", "− accepted"),
    ("changed_amount", "± changed"),
    ("closing_amount", "= closing"),
];

const CAPTION: &str = "Open differences in money, without their signs";

type Key = (String, String);

fn key(row: &Row) -> Key {
    (row["merchant_id"].clone(), row["currency"].clone())
}

fn count(row: &Row, column: &str) -> i64 {
    row[column].parse().unwrap()
}

/// An amount of a row with a currency.
fn minor(row: &Row, column: &str) -> i64 {
    let digits = row[column].replace('.', "");
    digits.parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The faults of the roll-forward on `date`; `before` is the reconciled date before it.
pub fn faults(root: &Path, before: Option<NaiveDate>, date: NaiveDate) -> Vec<String> {
    let summary = reports::table(root, date, "summary.csv");
    let mut wrong: Vec<String> =
        summary.iter().filter_map(unbalanced).map(|what| format!("{date}: {what}")).collect();
    let earlier = before.map(|before| reports::table(root, before, "summary.csv"));
    wrong.extend(opening_faults(&earlier.unwrap_or_default(), &summary));
    wrong.extend(amount_faults(root, before, date, &summary));
    let html = std::fs::read_to_string(root.join(date.to_string()).join("report.html")).unwrap();
    wrong.extend(page_faults(&html, &summary));
    wrong.into_iter().map(|what| format!("{date}: {what}")).collect()
}

/// The imbalance within a row of a date or a period.
fn unbalanced(row: &Row) -> Option<String> {
    let of = |name: &str| count(row, name);
    let left = of("cleared") + of("accepted");
    let is_number = of("opening") + of("new") - left == of("closing");
    let is_money = if row["currency"].is_empty() {
        STEPS.iter().all(|(column, _)| row[*column].is_empty())
    } else {
        let of = |name: &str| minor(row, name);
        let left = of("cleared_amount") + of("accepted_amount");
        let came = of("opening_amount") + of("new_amount") + of("changed_amount");
        came - left == of("closing_amount")
    };
    (!is_number || !is_money).then(|| format!("does not add up: {row:?}"))
}

/// Each row opens with the closing of its row of the earlier date.
fn opening_faults(earlier: &[Row], summary: &[Row]) -> Vec<String> {
    let by_key = |rows: &[Row]| -> BTreeMap<Key, Row> {
        rows.iter().map(|row| (key(row), row.clone())).collect()
    };
    let (earlier, now) = (by_key(earlier), by_key(summary));
    let keys: BTreeSet<&Key> = earlier.keys().chain(now.keys()).collect();
    let number = |row: Option<&Row>, column| row.map_or(0, |row| count(row, column));
    let money = |row: Option<&Row>, column| {
        row.filter(|row| !row["currency"].is_empty()).map_or(0, |row| minor(row, column))
    };
    let is_off = |one: &&&Key| {
        let (then, now) = (earlier.get(**one), now.get(**one));
        number(then, "closing") != number(now, "opening")
            || money(then, "closing_amount") != money(now, "opening_amount")
    };
    keys.iter()
        .filter(is_off)
        .map(|one| {
            format!("{one:?} closed with {:?} and opens {:?}", earlier.get(*one), now.get(*one))
        })
        .collect()
}

/// The discrepancies that count in the roll-forward, by id.
fn carried(root: &Path, date: NaiveDate) -> BTreeMap<String, Row> {
    let rows = reports::table(root, date, "discrepancies.csv");
    let rows = rows.into_iter().filter(reports::is_carried);
    rows.map(|row| (row["discrepancy_id"].clone(), row)).collect()
}

fn size(row: &Row) -> i64 {
    if row["currency"].is_empty() || row["difference"].is_empty() {
        return 0;
    }
    minor(row, "difference").abs()
}

/// The amounts of each row are those of the discrepancies of its currency.
fn amount_faults(
    root: &Path,
    before: Option<NaiveDate>,
    date: NaiveDate,
    summary: &[Row],
) -> Vec<String> {
    let mut then = before.map(|before| carried(root, before)).unwrap_or_default();
    then.retain(|_, row| row["status"] != "cleared");
    let now = carried(root, date);
    let mut sums: BTreeMap<(Key, &str), i64> = BTreeMap::new();
    let mut add = |row: &Row, column: &'static str, amount: i64| {
        *sums.entry((key(row), column)).or_default() += amount;
    };
    for (id, row) in &now {
        let old = then.get(id);
        let moved = old.filter(|old| key(old) != key(row) && row["status"] == "open");
        match row["status"].as_str() {
            "cleared" => add(row, "cleared_amount", size(row)),
            "new" => add(row, "new_amount", size(row)),
            _ if moved.is_some() => {
                add(moved.unwrap(), "cleared_amount", size(moved.unwrap()));
                add(row, "new_amount", size(row));
            }
            _ => add(row, "changed_amount", size(row) - size(&then[id])),
        }
        if row["status"] != "cleared" {
            add(row, "closing_amount", size(row));
        }
    }
    for (id, row) in &then {
        add(row, "opening_amount", size(row));
        if !now.contains_key(id) {
            add(row, "accepted_amount", size(row));
        }
    }
    let mut wrong = Vec::new();
    for row in summary.iter().filter(|row| !row["currency"].is_empty()) {
        for (column, _) in STEPS {
            let expected = sums.get(&(key(row), column)).copied().unwrap_or(0);
            if minor(row, column) != expected {
                wrong.push(format!("{column} is not {expected} minor units: {row:?}"));
            }
        }
    }
    wrong
}

/// The page agrees with the rows.
fn page_faults(html: &str, rows: &[Row]) -> Vec<String> {
    let is_any = |row: &&Row| ["opening", "new", "closing"].iter().any(|one| row[*one] != "0");
    let rows: Vec<&Row> = rows.iter().filter(is_any).collect();
    if rows.is_empty() {
        return if html.contains(CAPTION) { vec!["rolls nothing".to_owned()] } else { Vec::new() };
    }
    let table = page::table_called(html, CAPTION);
    let mut wrong = Vec::new();
    for (line, row) in table.by_name().iter().zip(&rows) {
        for (column, head) in STEPS {
            let expected = match row[column].as_str() {
                "" => "unknown".to_owned(),
                amount => format!("{amount} {}", row["currency"]),
            };
            if line[head] != expected {
                wrong.push(format!("the page says {} {}, not {expected}", head, line[head]));
            }
        }
    }
    if table.rows.len() != rows.len().min(200) {
        wrong.push(format!("the page rolls {} of {} rows", table.rows.len(), rows.len()));
    }
    wrong
}

/// The imbalances in the files of a period whose reconciled dates are `dates`.
pub fn period_faults(root: &Path, folder: &Path, dates: &[NaiveDate]) -> Vec<String> {
    let mut sums: BTreeMap<(Key, &str), i64> = BTreeMap::new();
    let mut openings: BTreeMap<Key, (i64, i64)> = BTreeMap::new();
    let mut closings: BTreeMap<Key, (i64, i64)> = BTreeMap::new();
    for date in dates {
        for row in reports::table(root, *date, "summary.csv") {
            let money = |column: &str| match row["currency"].as_str() {
                "" => 0,
                _ => minor(&row, column),
            };
            let edge = |number: &str, amount: &str| (count(&row, number), money(amount));
            openings.entry(key(&row)).or_insert_with(|| edge("opening", "opening_amount"));
            closings.insert(key(&row), edge("closing", "closing_amount"));
            for column in ["new", "cleared", "accepted"] {
                *sums.entry((key(&row), column)).or_default() += count(&row, column);
            }
            for (column, _) in &STEPS[1..5] {
                *sums.entry((key(&row), column)).or_default() += money(column);
            }
        }
    }
    let rows = |file: &str| -> Vec<Row> {
        let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    };
    let merchants = rows("merchants.csv");
    let mut wrong: Vec<String> = merchants.iter().filter_map(unbalanced).collect();
    for row in &merchants {
        let money = |column: &str| match row["currency"].as_str() {
            "" => 0,
            _ => minor(row, column),
        };
        let edges = [
            ((count(row, "opening"), money("opening_amount")), openings[&key(row)]),
            ((count(row, "closing"), money("closing_amount")), closings[&key(row)]),
        ];
        let is_edge = edges.iter().all(|(found, expected)| found == expected);
        let numbers = ["new", "cleared", "accepted"];
        let is_sum = numbers.iter().all(|one| count(row, one) == sums[&(key(row), *one)])
            && STEPS[1..5].iter().all(|(one, _)| money(one) == sums[&(key(row), *one)]);
        if !is_edge || !is_sum {
            wrong.push(format!("the period does not add up its dates: {row:?}"));
        }
    }
    wrong.extend(rows("day_amounts.csv").iter().filter_map(|row| {
        let of = |name: &str| minor(row, name);
        let is_known = !row["currency"].is_empty();
        let rolled = || of("opening_amount") + of("new_amount") + of("changed_amount");
        let left = || of("cleared_amount") + of("accepted_amount");
        (is_known && rolled() - left() != of("closing_amount")).then(|| format!("{row:?}"))
    }));
    let html = std::fs::read_to_string(folder.join("report.html")).unwrap();
    wrong.extend(page_faults(&html, &merchants));
    wrong
}
