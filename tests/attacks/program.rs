//! Somebody who has the code of the program: the sums of tables, the digests and the seals fit
//! everything that they write. The audit trail and the pages still show it.

use tieout_store::{Store, seal, trail};

use crate::harness::{Ended, Served, Site, clean, day};
use tieout_sandbox::{Kind, WorldOptions};

/// Two reported dates of a world with disputes.
fn reported(seed: u64) -> (Served, Site) {
    let world = clean(seed, "2026-11-02", "2026-11-04", 2, 12);
    let served = Served::new(&WorldOptions { kinds: vec![Kind::Disputes], ..world });
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-03"));
    (served, site)
}

/// Writes as the program does: the sums of the tables follow.
fn write(site: &Site, sql: &str) {
    let store = Store::open(&site.store()).unwrap();
    store.connection().execute_batch("pragma foreign_keys = off").unwrap();
    assert!(store.connection().execute(sql, []).unwrap() > 0, "{sql}");
    assert_eq!(seal::broken(&store).unwrap(), Vec::<String>::new(), "{sql}");
}

fn verify(site: &Site) -> Ended {
    site.run(&["verify", "reports"])
}

/// One of each kind: records, their receipt, derived rows, and notes.
const WRITTEN: [&str; 8] = [
    "update deposit set net_amount_minor = net_amount_minor + 1",
    "delete from transfer_return",
    "update key_operation set is_there = 1 - is_there",
    "update listing set scope = 'x' where listing_id = (select max(listing_id) from listing)",
    "update reconciled_listing set reading = reading + 1",
    "update business_day set configuration_digest = 'x'",
    "update page set url = 'x'",
    "insert into unmatched_note select 1",
];

#[test]
fn what_is_written_with_new_sums_between_two_runs_is_seen() {
    let (_served, site) = reported(51);
    verify(&site).expect(0);
    let head = site.run(&["verify", "reports"]).stdout;
    let head = head.lines().find_map(|line| line.strip_prefix("head of the audit trail: "));
    let head = head.unwrap().to_owned();
    let whole = std::fs::read(site.store()).unwrap();
    let mut tried = 0;
    for sql in WRITTEN {
        std::fs::write(site.store(), &whole).unwrap();
        let store = Store::open(&site.store()).unwrap();
        // Not each of these tables has a row in each world.
        if !store.connection().prepare(sql).is_ok_and(|mut sql| sql.execute([]).unwrap_or(0) > 0) {
            continue;
        }
        drop(store);
        tried += 1;
        let said = site.run(&["verify", "reports", "--head", &head]).expect(1);
        assert!(said.stdout.contains("while no run was going on"), "{sql}: {}", said.stdout);
    }
    assert!(tried >= 3, "{tried} were tried");
    // A later run does not heal it.
    write(&site, "update key_operation set is_there = 1 - is_there");
    site.run_date(day("2026-11-04"));
    let said = verify(&site).expect(1);
    assert!(said.stdout.contains("tables were written between rows"), "{}", said.stdout);
}

#[test]
fn what_runs_and_people_write_is_no_alteration() {
    let (_served, site) = reported(52);
    let commands: [&[&str]; 9] = [
        &["fetch", "--date", "2026-11-04"],
        &["reconcile", "--date", "2026-11-04"],
        &["report", "--date", "2026-11-02..2026-11-04"],
        &["close", "2026-11-02", "--by", "Anna", "--note", "known"],
        &["reopen", "2026-11-02", "--by", "Anna", "--note", "not yet"],
        &["reconcile", "--stale"],
        &["run", "--date", "2026-11-03"],
        &["prune", "--older-than", "2026-11-03", "--by", "Anna"],
        &["run", "--date", "2026-11-02..2026-11-04"],
    ];
    for command in commands {
        site.run(command);
        verify(&site).expect(0);
    }
}

#[test]
fn a_dispute_is_proved_by_its_pages() {
    let (_served, site) = reported(53);
    let disputes: i64 = {
        let store = Store::open(&site.store()).unwrap();
        let sql = "select count(*) from dispute";
        store.connection().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert!(disputes > 0);
    for column in ["amount_minor", "status", "merchant_id", "transaction_id", "day", "reading"] {
        let value = match column {
            "status" => "'won'",
            "day" => "'2026-11-01'",
            "merchant_id" => "null",
            _ => "1",
        };
        let before = std::fs::read(site.store()).unwrap();
        write(&site, &format!("update dispute set {column} = {value}"));
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains("dispute "), "{column}: {}", said.stdout);
        std::fs::write(site.store(), before).unwrap();
    }
}

#[test]
fn a_run_that_was_killed_before_its_files_is_finished_by_the_next() {
    let (_served, site) = reported(54);
    for left in ["run.json", "summary.csv", "report.html"] {
        let store = Store::open(&site.store()).unwrap();
        trail::begin_run(&store, &[day("2026-11-03")], "2026-11-05T05:00:00Z".parse().unwrap())
            .unwrap();
        drop(store);
        std::fs::remove_file(site.reports().join("2026-11-03").join(left)).unwrap();
        let said = verify(&site).expect(1);
        assert!(said.stdout.contains("2026-11-03  interrupted"), "{left}: {}", said.stdout);
        assert!(said.stdout.contains("2026-11-02  agrees"), "{left}: {}", said.stdout);
        site.run_date(day("2026-11-04"));
        verify(&site).expect(0);
    }
}
