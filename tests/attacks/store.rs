//! An attacker who can write SQL and knows `SQLite`: the schema, the pages of the file, rows that
//! are passed on, and a sign-off that a killed process left unfinished.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::harness::{Ended, Served, Site, clean, day};

/// Two reported dates, the first closed.
fn closed(seed: u64) -> (Served, Site) {
    let served = Served::new(&clean(seed, "2026-11-02", "2026-11-04", 1, 4));
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-03")).expect(0);
    site.run(&["close", "2026-11-02", "--by", "Anna"]).expect(0);
    (served, site)
}

/// A connection that ignores the triggers of the store.
fn hand(site: &Site) -> Connection {
    let hand = Connection::open(site.store()).unwrap();
    hand.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    hand
}

fn verify(site: &Site) -> Ended {
    site.run(&["verify", "reports"])
}

/// Every command that works with a store, but for `verify`.
const COMMANDS: [&[&str]; 8] = [
    &["run", "--date", "2026-11-04"],
    &["reconcile", "--date", "2026-11-03"],
    &["report", "--date", "2026-11-03"],
    &["status"],
    &["close", "2026-11-03", "--by", "Anna"],
    &["backup", "copy.db"],
    &["export", "--to", "lake"],
    &["prune", "--older-than", "2026-11-01", "--by", "Anna"],
];

#[test]
fn nothing_but_verify_runs_on_a_store_of_another_schema() {
    let (_served, site) = closed(31);
    let whole = std::fs::read(site.store()).unwrap();
    for (sql, named) in [
        (
            "create trigger later after update on business_day begin
                 update summary_result set merchant_name = 'Noor';
             end",
            "the store has trigger later on business_day",
        ),
        (
            "alter table deposit_result rename to kept;
             create view deposit_result as select * from kept where ach_deposit_id > 0",
            "the store has view deposit_result",
        ),
        ("drop table table_sum", "the store lacks table table_sum"),
        ("drop index deposit_by_day", "the store lacks index deposit_by_day"),
    ] {
        std::fs::write(site.store(), &whole).unwrap();
        hand(&site).execute_batch(sql).unwrap();
        for command in COMMANDS {
            let refused = site.run(command).expect(1);
            assert!(refused.stderr.contains(named), "{sql} {command:?}: {}", refused.stderr);
        }
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains(named), "{sql}: {}", said.stdout);
        let doctor = site.run(&["doctor"]).stdout;
        // Its lines are as wide as a terminal.
        let words = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(named), "{sql}: {doctor}");
    }
    assert!(!site.path().join("copy.db").exists());
}

/// Gives an index the root of an empty one: the rows exist, but a search by the index misses them.
fn empty_index(site: &Site, index: &str) {
    let hand = hand(site);
    hand.execute_batch("create index spare on deposit (day) where 0").unwrap();
    hand.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).unwrap();
    let root = |name: &str| -> i64 {
        let sql = "select rootpage from sqlite_schema where name = ?1";
        hand.query_row(sql, [name], |row| row.get(0)).unwrap()
    };
    let (full, empty) = (root(index), root("spare"));
    hand.pragma_update(None, "writable_schema", true).unwrap();
    for (name, root) in [(index, empty), ("spare", full)] {
        let sql = "update sqlite_schema set rootpage = ?1 where name = ?2";
        assert_eq!(hand.execute(sql, (root, name)).unwrap(), 1);
    }
    drop(hand);
    Connection::open(site.store()).unwrap().execute_batch("drop index spare").unwrap();
}

#[test]
fn an_index_that_lacks_rows_is_damage() {
    let (_served, site) = closed(32);
    empty_index(&site, "deposit_by_day");
    let said = verify(&site).expect(1);
    assert!(said.stdout.contains("the file of the store is damaged"), "{}", said.stdout);
    assert!(said.stdout.contains("deposit_by_day"), "{}", said.stdout);
    site.run(&["backup", "copy.db"]).expect(1);
    assert!(!site.path().join("copy.db").exists());
}

#[cfg(unix)]
#[test]
fn pages_that_are_no_pages_end_as_a_finding() {
    use std::os::unix::fs::FileExt as _;

    let (_served, site) = closed(33);
    let whole = std::fs::read(site.store()).unwrap();
    let pages = whole.len() / 8192;
    for page in [2, pages / 3, pages / 2, pages - 2] {
        std::fs::write(site.store(), &whole).unwrap();
        let file = std::fs::File::options().write(true).open(site.store()).unwrap();
        file.write_all_at(&[0xff; 300], page as u64 * 8192).unwrap();
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains("does not agree"), "page {page}: {said:?}");
        let doctor = site.run(&["doctor"]);
        assert!(doctor.stdout.contains("store file"), "page {page}: {}", doctor.stdout);
    }
}

#[test]
fn what_no_program_of_this_version_wrote_is_a_finding() {
    for sql in [
        "pragma ignore_check_constraints = on; update audit set act = 'blessed'",
        "delete from store_id",
        "update audit set moment = 'noon'",
    ] {
        let (_served, site) = closed(34);
        hand(&site).execute_batch(sql).unwrap();
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains("2026-11-02  does not agree"), "{sql}: {said:?}");
    }
}

/// Alterations of the results of the open date, one in each table that reports show.
const ALTERED: [&str; 7] = [
    "update run_record set content = replace(content, '\"warnings\":[', '\"warnings\":[\"none\",')
     where business_date = '2026-11-03'",
    "insert into acceptance_result select business_date, 'x', 'Noor', '2026-11-03T05:00:00Z', 'fine',
         business_date, null, 1
     from summary_result where business_date = '2026-11-03' limit 1",
    "insert into bank_match_result select business_date, 7, null, merchant_id, merchant_name, 'USD',
         null, null, 7, 'operating', null, 7, '', '', 'found', null
     from summary_result where business_date = '2026-11-03' limit 1",
    "insert into journal_result select business_date, 7, merchant_id, merchant_name, 'USD',
         0, 0, 0, 0, 0, 0
     from summary_result where business_date = '2026-11-03' limit 1",
    "update summary_result set merchant_name = 'Noor' where business_date = '2026-11-03'",
    "update deposit_result set transactions = transactions + 1 where business_date = '2026-11-03'",
    "delete from batch_result where business_date = '2026-11-03'",
];

#[test]
fn what_was_altered_is_not_passed_on() {
    for sql in ALTERED {
        let (_served, site) = closed(35);
        hand(&site).execute_batch(sql).unwrap();
        for command in [
            &["report", "--date", "2026-11-03"][..],
            &["report", "--date", "2026-11-02..2026-11-03"],
            &["close", "2026-11-03", "--by", "Anna"],
            &["export", "--to", "lake"],
            &["export", "--to", "lake", "--date", "2026-11-03"],
        ] {
            let refused = site.run(command).expect(1);
            let said = refused.stdout + &refused.stderr;
            assert!(said.contains("altered"), "{sql} {command:?}: {said}");
        }
        assert!(!site.path().join("lake/summary/business_date=2026-11-03").exists());
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains("2026-11-03  does not agree"), "{sql}: {}", said.stdout);
        // After it is judged again, it may be reported.
        site.run(&["reconcile", "--date", "2026-11-03"]).expect(0);
        site.run(&["report", "--date", "2026-11-03"]).expect(0);
        verify(&site).expect(0);
    }
}

/// Changes of records and lines, which no digest of a date holds.
const RECORDS: [&str; 3] = [
    "update deposit set net_amount_minor = net_amount_minor + 1",
    "update batch set sale_amount_minor = sale_amount_minor + 1",
    "delete from authorization where authorization_id = (select min(authorization_id) from authorization)",
];

#[test]
fn altered_records_are_not_exported() {
    let (_served, site) = closed(39);
    let whole = std::fs::read(site.store()).unwrap();
    for sql in RECORDS {
        std::fs::write(site.store(), &whole).unwrap();
        hand(&site).execute_batch(sql).unwrap();
        let refused = site.run(&["export", "--to", "lake"]).expect(1);
        assert!(refused.stderr.contains("the store was altered: table"), "{sql}: {refused:?}");
        assert!(!site.path().join("lake").exists(), "{sql}");
    }
    std::fs::write(site.store(), &whole).unwrap();
    site.run(&["export", "--to", "lake"]).expect(0);
}

/// Changes of the lines of files, and of a record.
const LINES: [(&str, &str); 5] = [
    ("update ledger_page set rows = replace(rows, '\"paid\"', '\"void\"')", "in ledger file "),
    ("delete from ledger_page where date = '2026-11-03'", "rows of ledger file "),
    ("update bank_line set amount_minor = amount_minor + 1", "lines of bank file "),
    ("delete from bank_file", "table bank_file was altered"),
    ("update deposit set net_amount_minor = net_amount_minor + 1", " deposit "),
];

/// Neither by `export` nor by the run that brings the dataset up to date.
#[test]
fn altered_lines_and_records_are_in_no_dataset() {
    let served = Served::new(&clean(41, "2026-11-02", "2026-11-04", 2, 6));
    let site = served.site_with_books();
    let night = |date: &str| {
        let mut command = site.command(&["run", "--date", date]);
        Ended::from(command.env("TIEOUT_EXPORT__DIR", "lake").output().unwrap())
    };
    night("2026-11-02..2026-11-03").expect(0);
    let whole = std::fs::read(site.store()).unwrap();
    let path =
        site.path().join("lake/manifests/business_date=2026-11-03/shard=1-of-1/manifest.json");
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    for (sql, named) in LINES {
        std::fs::write(site.store(), &whole).unwrap();
        let hand = hand(&site);
        assert!(hand.execute_batch(sql).is_ok() && hand.changes() > 0, "{sql}");
        drop(hand);
        site.run(&["export", "--to", "other"]).expect(1);
        assert!(!site.path().join("other").exists(), "{sql}");
        let said = night("2026-11-03").expect(4).stderr;
        assert!(said.contains("was not written: the store was altered"), "{sql}: {said}");
        assert!(said.contains(named), "{sql}: {said}");
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before, "{sql}");
    }
    std::fs::write(site.store(), &whole).unwrap();
    night("2026-11-03").expect(0);
    assert_ne!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_locked_store_names_the_process_that_holds_it() {
    let (_served, site) = closed(40);
    let other = hand(&site);
    other.execute_batch("begin immediate").unwrap();
    let refused = site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(1);
    let held = format!("error: it is held by process {}", std::process::id());
    for part in ["database is locked", &held] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
}

/// Closes the second date while its files cannot be written, and alters one of them where
/// `is_torn`, as a killed process would leave them.
fn interrupted(seed: u64, is_torn: bool) -> (Served, Site) {
    let (served, site) = closed(seed);
    let obstacle = site.reports().join("2026-11-03/.summary.csv.new");
    std::fs::create_dir(&obstacle).unwrap();
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(1);
    std::fs::remove_dir(&obstacle).unwrap();
    if is_torn {
        std::fs::write(site.reports().join("2026-11-03/summary.csv"), "of the next report")
            .unwrap();
    }
    (served, site)
}

#[test]
fn a_sign_off_that_was_killed_is_called_so_and_finished() {
    for is_torn in [false, true] {
        for finish in
            [&["run", "--date", "2026-11-04"][..], &["close", "2026-11-03", "--by", "Anna"]]
        {
            let (_served, site) = interrupted(36, is_torn);
            let said = verify(&site).expect(1);
            assert!(said.stdout.contains("2026-11-02  agrees"), "{}", said.stdout);
            assert!(said.stdout.contains("2026-11-03  interrupted"), "{}", said.stdout);
            assert!(!said.stdout.contains("was altered"), "{}", said.stdout);
            site.run(finish).expect(0);
            verify(&site).expect(0);
            let page = std::fs::read_to_string(site.reports().join("2026-11-03/report.html"));
            assert!(page.unwrap().contains("Anna"), "{finish:?}");
            site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(2);
        }
    }
}

/// Its manifest exists, but the audit trail does not hold it yet.
#[test]
fn a_sign_off_that_was_killed_after_its_last_file_is_finished() {
    let (_served, site) = closed(37);
    let config = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let unsigned = format!("{text}\n[evidence]\nsigning_key_file = \"no-key.pem\"\n");
    std::fs::write(&config, unsigned).unwrap();
    site.run(&["close", "2026-11-03", "--by", "Anna"]);
    std::fs::write(&config, text).unwrap();
    let said = verify(&site).expect(1);
    assert!(said.stdout.contains("2026-11-03  interrupted"), "{}", said.stdout);
    site.run_date(day("2026-11-04")).expect(0);
    verify(&site).expect(0);
}

/// Dates that are done stay as they are while a run writes, and those that it is writing
/// are looked at again until they are whole.
#[test]
fn verify_beside_a_run_sees_one_moment() {
    let served = Served::slow(&clean(38, "2026-11-02", "2026-11-07", 2, 6), 3);
    let site = served.site();
    site.run_date(day("2026-11-02")).expect(0);
    let range = ["run", "--date", "2026-11-03..2026-11-07"];
    let mut run = site.command(&range).spawn().unwrap();
    let mut rounds = 0;
    while run.try_wait().unwrap().is_none() {
        site.run(&["verify", "reports"]).expect(0);
        rounds += 1;
    }
    assert!(rounds > 1, "{rounds} rounds");
    verify(&site).expect(0);
}
