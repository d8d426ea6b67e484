//! The merchants' own books through the whole job, where the books of a generated world do not lead:
//! without references, in parts, late, unreadable, changed. That clean books match completely and that
//! each planted difference is found, and nothing else, is proved in `nights/worlds.rs`.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{Days, NaiveDate};
use rusqlite::Connection;
use tieout::exit::Exit;
use tieout::night::{Run, RunResult, Stages, execute};
use tieout_config::{Settings, Sources};
use tieout_model::MatchRow;
use tieout_model::RunRecord;
use tieout_model::clock::Clock;
use tieout_sandbox::{API_KEY, RunningSandbox, ServeOptions, World, WorldOptions, serve};
use tieout_store::{Store, results, seal};

const FROM: &str = "2026-11-02";
const TO: &str = "2026-11-06";
const ALL: Stages = Stages { fetch: true, reconcile: true, report: true, ..Stages::NONE };
const RECONCILE: Stages = Stages { reconcile: true, report: true, ..Stages::NONE };

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn week() -> Vec<NaiveDate> {
    date(FROM).iter_days().take_while(|day| *day <= date(TO)).collect()
}

/// A row of the ledger, as the merchant's books have it.
#[derive(Clone, Debug)]
struct Entry {
    id: String,
    merchant: String,
    kind: &'static str,
    date: NaiveDate,
    amount: String,
    currency: String,
    order: String,
    reference: String,
    last4: String,
    status: &'static str,
}

/// A served world, and a folder with its files.
struct Night {
    folder: tempfile::TempDir,
    sandbox: RunningSandbox,
    world: Arc<World>,
}

impl Night {
    async fn begin(seed: u64) -> Self {
        let (world, _) = World::generate(&WorldOptions {
            seed,
            from: date(FROM),
            to: date(TO),
            merchants: 3,
            transactions_per_day: 60,
            plants: Vec::new(),
            kinds: Vec::new(),
            lateness: None,
        })
        .unwrap();
        let world = Arc::new(world);
        let options = ServeOptions { transactions: false, ..ServeOptions::default() };
        let sandbox = serve(Arc::clone(&world), options).await.unwrap();
        Self { folder: tempfile::tempdir().unwrap(), sandbox, world }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Settings with a store and reports of that name; every merchant names the ledger.
    fn settings(&self, name: &str) -> Settings {
        let plain = self.world.configuration(&self.sandbox.base_url());
        let mut text = String::new();
        for line in plain.lines() {
            text.push_str(line);
            text.push('\n');
            if line.trim() == "[[merchants]]" {
                text.push_str("ledger = \"books\"\n");
            }
        }
        text.push_str("[[ledgers]]\nname = \"books\"\npath = \"ledger/*.csv\"\n");
        let file = self.path("tieout.toml");
        write(&file, &text);
        let environment = [("TIEOUT_API_KEY", API_KEY), ("TIEOUT_API__REQUESTS_PER_SECOND", "0")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let sources = Sources {
            config_file: Some(file),
            environment: environment.into(),
            db: Some(self.path(&format!("{name}.db"))),
            out: Some(self.path(name)),
        };
        Settings::load(&sources, &[]).unwrap()
    }

    async fn run(&self, name: &str, dates: &[NaiveDate], stages: Stages) -> RunResult {
        let settings = self.settings(name);
        let clock = Clock::at("2026-12-01T12:00:00Z".parse().unwrap());
        execute(&Run::new(&settings, clock).unwrap(), dates, stages).await.unwrap()
    }

    /// The rows of `matches.csv` of a date, as the store keeps them.
    fn matches(&self, name: &str, date: NaiveDate) -> Vec<MatchRow> {
        let store = Store::open(&self.settings(name).store_path).unwrap();
        let mut rows = Vec::new();
        let keep = |row: &MatchRow| {
            rows.push(row.clone());
            Ok::<(), ()>(())
        };
        results::each_match(&store, date, keep).unwrap().unwrap();
        rows
    }

    fn write_ledger(&self, entries: &[Entry]) {
        write(&self.path("ledger/books.csv"), &csv(entries));
    }

    /// Books that agree with all items of the week, read from a store.
    async fn clean_books(&self) -> Vec<Entry> {
        self.write_ledger(&[]);
        let result = self.run("items", &week(), ALL).await;
        assert!(result.dates.iter().all(|date| date.error.is_none()), "{result:?}");
        let store = Connection::open(self.path("items.db")).unwrap();
        let mut entries = cards(&store);
        entries.extend(transfers(&store, &self.world));
        entries
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own files need no atomic write")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn csv(entries: &[Entry]) -> String {
    let mut text =
        "id,merchant,kind,date,amount,currency,order_id,reference,last4,status\n".to_owned();
    for entry in entries {
        writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{}",
            entry.id,
            entry.merchant,
            entry.kind,
            entry.date,
            entry.amount,
            entry.currency,
            entry.order,
            entry.reference,
            entry.last4,
            entry.status
        )
        .unwrap();
    }
    text
}

fn major(amount: i64, currency: &str) -> String {
    let currency = tieout_model::money::Currency::from_code(currency).unwrap();
    currency.format(tieout_model::money::Minor(amount))
}

fn cards(store: &Connection) -> Vec<Entry> {
    let mut statement = store
        .prepare(
            "select authorization_id, merchant_id, day, transaction_id, transaction_type, \
             abs(amount_minor), currency, coalesce(card_last4, '') from authorization \
             where day between ?1 and ?2 and transaction_type in ('capture', 'return') \
             order by authorization_id",
        )
        .unwrap();
    let rows = statement.query_map((FROM, TO), |row| {
        let currency: String = row.get(6)?;
        Ok(Entry {
            id: format!("C-{}", row.get::<_, i64>(0)?),
            merchant: row.get(1)?,
            kind: if row.get::<_, String>(4)? == "return" { "refund" } else { "payment" },
            date: date(&row.get::<_, String>(2)?),
            amount: major(row.get(5)?, &currency),
            currency,
            order: String::new(),
            reference: row.get::<_, i64>(3)?.to_string(),
            last4: row.get(7)?,
            status: "paid",
        })
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn transfers(store: &Connection, world: &World) -> Vec<Entry> {
    let owners = owners(world);
    let mut statement = store
        .prepare(
            "select transfer.kind, transfer.transfer_id, transfer.terminal_id, \
             min(listing.business_date), transfer.amount_minor, transfer.currency, \
             coalesce(transfer.order_id, ''), coalesce(transfer.account_last4, ''), \
             transfer.status, exists (select 1 from transfer_return as returned \
                 where returned.payment_id = transfer.transfer_id) \
             from listed_transfer as listed \
             inner join listing on listing.listing_id = listed.listing_id \
             inner join bank_transfer as transfer on transfer.kind = listed.kind \
                 and transfer.transfer_id = listed.transfer_id \
             where listing.selector = 'settled' and listing.business_date between ?1 and ?2 \
               and transfer.transfer_type <> 'accountVerification' \
               and transfer.transfer_id not in (select return_id from transfer_return) \
             group by transfer.kind, transfer.transfer_id \
             order by transfer.kind, transfer.transfer_id",
        )
        .unwrap();
    let rows = statement.query_map((FROM, TO), |row| {
        let currency: String = row.get(5)?;
        let kind: String = row.get(0)?;
        Ok(Entry {
            id: format!("B-{}", row.get::<_, String>(1)?),
            merchant: owners[&row.get::<_, String>(2)?].clone(),
            kind: if kind == "refund" { "refund" } else { "payment" },
            date: date(&row.get::<_, String>(3)?),
            amount: major(row.get(4)?, &currency),
            currency,
            order: row.get(6)?,
            reference: row.get(1)?,
            last4: row.get(7)?,
            // A returned transfer is returned in the books as well.
            status: if row.get(9)? { "returned" } else { "paid" },
        })
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// Terminal to merchant, out of the world's own configuration.
fn owners(world: &World) -> BTreeMap<String, String> {
    let configuration: toml::Value =
        toml::from_str(&world.configuration("http://127.0.0.1:1")).unwrap();
    let mut owners = BTreeMap::new();
    for merchant in configuration["merchants"].as_array().unwrap() {
        for terminal in merchant["terminals"].as_array().unwrap() {
            let id = merchant["id"].as_str().unwrap().to_owned();
            owners.insert(terminal.as_str().unwrap().to_owned(), id);
        }
    }
    owners
}

/// Code, status and ledger id of every discrepancy of a ledger check on a date.
fn found(result: &RunResult, day: &str) -> Vec<(String, String, String)> {
    let outcome = result.outcome(date(day)).unwrap().expect("the date was reconciled");
    let mut rows: Vec<(String, String, String)> = outcome
        .discrepancies
        .iter()
        .map(|stored| {
            let row = stored;
            (row.code.clone(), row.status.as_str().to_owned(), row.ids.ledger_id.clone())
        })
        .collect();
    rows.sort();
    rows
}

fn record(result: &RunResult, day: &str) -> RunRecord {
    result.outcome(date(day)).unwrap().unwrap().run_record
}

fn row(code: &str, status: &str, ledger_id: &str) -> (String, String, String) {
    (code.to_owned(), status.to_owned(), ledger_id.to_owned())
}

#[tokio::test]
async fn matches_books_without_references_by_day_amount_and_last_four() {
    let night = Night::begin(3).await;
    let mut entries = night.clean_books().await;
    for entry in &mut entries {
        entry.reference.clear();
    }
    // A reference damaged by a spreadsheet names no record, and contradicts none.
    let damaged = first_day_sales(&entries)[0];
    entries[damaged].reference = "6.13E+06".to_owned();
    night.write_ledger(&entries);
    let result = night.run("unnamed", &week(), ALL).await;
    assert_eq!(found(&result, TO), []);
    let record = record(&result, TO);
    assert_eq!(record.items.matched, record.items.total);
    let first = result.dates[0].business_date;
    let outcome = result.outcome(first).unwrap().unwrap();
    let matches = night.matches("unnamed", date(FROM));
    assert!(!matches.is_empty());
    assert!(matches.iter().all(|row| row.pass != "reference"));
    for row in &matches {
        let is_damaged = row.ledger_id == entries[damaged].id.as_str();
        assert_eq!(row.note.contains("6.13E+06 has lost digits"), is_damaged, "{row:?}");
        assert!(is_damaged || row.note.is_empty(), "{row:?}");
    }
    let summary = outcome.summary.iter().map(|row| (row.ledger_records, row.matched));
    for (records, matched) in summary {
        assert_eq!(records, matched);
    }
    night.sandbox.stop().await;
}

/// Positions of card payments of the first day in the currency with two decimals.
fn first_day_sales(entries: &[Entry]) -> Vec<usize> {
    (0..entries.len())
        .filter(|&at| {
            let entry = &entries[at];
            entry.date == date(FROM)
                && entry.id.starts_with("C-")
                && entry.kind == "payment"
                && entry.currency == "USD"
        })
        .collect()
}

#[tokio::test]
async fn pairs_an_order_in_parts_with_the_payment_that_settled_it() {
    let night = Night::begin(10).await;
    let mut entries = night.clean_books().await;
    let at = (0..entries.len())
        .find(|&at| {
            let one = &entries[at];
            one.id.starts_with("B-")
                && one.kind == "payment"
                && one.currency == "USD"
                && one.status == "paid"
                && entries.iter().filter(|other| other.order == one.order).count() == 1
        })
        .unwrap();
    let whole = entries.remove(at);
    let (units, _) = whole.amount.split_once('.').unwrap();
    let part = |id: &str, amount: String| Entry {
        id: id.to_owned(),
        amount,
        reference: String::new(),
        last4: String::new(),
        ..whole.clone()
    };
    let rest = whole.amount.replacen(units, "0", 1);
    entries.extend([part("P-1", format!("{units}.00")), part("P-2", rest)]);
    night.write_ledger(&entries);
    let result = night.run("parts", &week(), ALL).await;
    assert_eq!(found(&result, TO), []);
    let day = result.dates.iter().find(|one| one.business_date == whole.date).unwrap();
    let rows = night.matches("parts", day.business_date);
    let rows: Vec<_> = rows.into_iter().filter(|row| row.item_id == whole.reference).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().all(|row| row.pass == "order" && row.order_id == whole.order));
    let sum = |amounts: [Option<tieout_model::money::Minor>; 2]| -> i64 {
        amounts.into_iter().flatten().map(|amount| amount.0).sum()
    };
    // The columns add up: the shared amount is written on one row.
    let items = sum([rows[0].item_amount, rows[1].item_amount]);
    assert_eq!(items, sum([rows[0].ledger_amount, rows[1].ledger_amount]));
    assert_eq!(rows[0].difference.map(|difference| difference.0), Some(0));
    assert_eq!(rows[1].difference, None);
    night.sandbox.stop().await;
}

#[tokio::test]
async fn accuses_nobody_and_clears_nothing_when_a_day_behind_it_is_not_complete_any_more() {
    let night = Night::begin(11).await;
    let mut entries = night.clean_books().await;
    let at = entries
        .iter()
        .position(|one| one.date == date("2026-11-03") && one.id.starts_with("C-"))
        .unwrap();
    entries.remove(at);
    // Postings lag: items settled on the second day are posted on the third.
    for entry in &mut entries {
        entry.date = entry.date.checked_add_days(Days::new(1)).unwrap();
    }
    night.write_ledger(&entries);
    let result = night.run("hole", &week(), ALL).await;
    assert_eq!(found(&result, TO), [row("MISSING_IN_LEDGER", "open", "")]);
    assert_eq!(record(&result, TO).ledger.out_of_scope.count, 0);
    Connection::open(night.path("hole.db"))
        .unwrap()
        .execute(
            "update reading set verdict = 'incomplete' where reading_id = ( \
             select reading_id from listing where resource = 'authorizations' \
             and selector = 'date' and business_date = '2026-11-03')",
            [],
        )
        .unwrap();
    let result = night.run("hole", &week()[4..], RECONCILE).await;
    assert_eq!(found(&result, TO), [row("MISSING_IN_LEDGER", "open", "")]);
    assert_eq!(result.exit(None), Exit::Partial);
    let first = result.dates[0].business_date;
    let outcome = result.outcome(first).unwrap().unwrap();
    let untold: Vec<_> =
        outcome.not_evaluated.iter().filter(|one| one.code == "MISSING_IN_LEDGER").collect();
    assert_eq!(untold.len(), 1, "{untold:?}");
    let hole = record(&result, TO);
    assert!(hole.ledger.out_of_scope.count > 10);
    assert!(hole.warnings.iter().any(|one| one.contains("out of scope")), "{:?}", hole.warnings);
    night.sandbox.stop().await;
}

#[tokio::test]
async fn says_that_a_ledgers_file_did_not_come() {
    let night = Night::begin(9).await;
    let mut entries = night.clean_books().await;
    entries.retain(|entry| entry.date.to_string().as_str() <= "2026-11-03");
    night.write_ledger(&entries);
    let result = night.run("late", &week(), ALL).await;
    let said = "no new file since 2026-11-03";
    let warnings = |day: &str| record(&result, day).warnings.clone();
    assert!(warnings(TO).contains(&format!("ledger \"books\": {said}")), "{:?}", warnings(TO));
    // On the day itself and the next one no file was due.
    assert!(!warnings("2026-11-03").iter().any(|one| one.contains("no new file")));
    let page = std::fs::read_to_string(night.path("late").join(TO).join("report.html")).unwrap();
    assert!(page.contains(said));
    night.sandbox.stop().await;
}

#[tokio::test]
async fn does_not_evaluate_the_ledger_checks_without_a_readable_file() {
    let night = Night::begin(7).await;
    let mut entries = night.clean_books().await;
    let at = first_day_sales(&entries)[0];
    entries.remove(at);
    night.write_ledger(&entries);
    let days = week();
    night.run("gone", &days[..2], ALL).await;
    std::fs::remove_file(night.path("ledger/books.csv")).unwrap();
    let result = night.run("gone", &days[2..3], ALL).await;
    // Open discrepancies stay open: absence of evidence never clears.
    assert_eq!(found(&result, "2026-11-04"), [row("MISSING_IN_LEDGER", "open", "")]);
    assert_eq!(result.exit(None), Exit::Partial);
    let first = result.dates[0].business_date;
    let gaps = result.outcome(first).unwrap().unwrap().not_evaluated;
    assert!(gaps.iter().all(|gap| gap.reason.contains("no file matches")), "{gaps:?}");
    let codes: std::collections::BTreeSet<&str> =
        gaps.iter().map(|gap| gap.code.as_str()).collect();
    assert_eq!(codes.len(), 8, "{codes:?}");
    // Beside a readable file, only the check that needs the other file is not evaluated.
    night.write_ledger(&entries);
    write(&night.path("ledger/empty.csv"), "");
    let result = night.run("gone", &days[3..4], ALL).await;
    assert_eq!(found(&result, "2026-11-05"), [row("MISSING_IN_LEDGER", "open", "")]);
    let first = result.dates[0].business_date;
    let gaps = result.outcome(first).unwrap().unwrap().not_evaluated;
    assert!(gaps.iter().all(|gap| gap.code == "MISSING_IN_LEDGER"), "{gaps:?}");
    assert_eq!(gaps.len(), 3);
    night.sandbox.stop().await;
}

#[tokio::test]
async fn says_which_rows_were_left_out_and_ends_with_four() {
    let night = Night::begin(8).await;
    let entries = night.clean_books().await;
    let mut text = csv(&entries);
    writeln!(text, "BAD,{},payment,2026-02-30,1.00,USD,,,,paid", entries[0].merchant).unwrap();
    write(&night.path("ledger/books.csv"), &text);
    let result = night.run("bad", &week()[..1], ALL).await;
    assert_eq!(found(&result, FROM), []);
    assert_eq!(result.exit(None), Exit::Partial);
    let record = record(&result, FROM);
    assert_eq!(record.ledger.quarantined.count, 1);
    let warning = record.warnings.iter().find(|one| one.contains("left out")).unwrap();
    assert!(warning.contains("column \"date\"") && warning.starts_with("1 ledger"), "{warning}");
    night.sandbox.stop().await;
}

/// Every ledger record that a store holds, file by file and line by line.
fn imported(path: &Path) -> Vec<String> {
    let store = Connection::open(path).unwrap();
    let sql = "select path || ' ' || line || ' ' || merchant_id || ' ' || ledger_id || ' ' || date \
               || ' ' || amount_minor || ' ' || status || ' ' || coalesce(reference, '-') \
               from ledger_record join ledger_file using (file_id) order by path, line";
    let mut statement = store.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test]
async fn holds_of_a_file_that_changed_what_a_new_store_would() {
    let night = Night::begin(10).await;
    let entries = night.clean_books().await;
    let day = &week()[..1];
    let mut corrected = entries.clone();
    corrected[3].status = "void";
    // As long as it was.
    let digit = corrected[5].amount.pop().unwrap();
    corrected[5].amount.push(if digit == '1' { '2' } else { '1' });
    let mut moved = corrected.clone();
    moved.remove(7);
    let versions = [&entries[..40], &entries, &entries, &corrected, &moved, &moved[..20], &[]];
    for (number, version) in versions.into_iter().enumerate() {
        night.write_ledger(version);
        let stages = if number == 0 { ALL } else { RECONCILE };
        night.run("changed", day, stages).await;
        let fresh = format!("fresh{number}");
        night.run(&fresh, day, ALL).await;
        let held = imported(&night.path("changed.db"));
        assert_eq!(held.len(), version.len(), "version {number}");
        assert_eq!(held, imported(&night.path(&format!("{fresh}.db"))), "version {number}");
        let store = Store::open(&night.settings("changed").store_path).unwrap();
        assert_eq!(seal::broken(&store).unwrap(), Vec::<String>::new(), "version {number}");
    }
    night.sandbox.stop().await;
}
