//! Reports stay provable: a backup equals the store, removal by retention is not damage, and a
//! signed-off date does not change.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes files by hand")]

use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use rusqlite::Connection;
use tieout_sandbox::{WorldOptions, plant_codes};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::harness::{Ended, Served, Site, clean, day, reports};

fn planted(seed: u64) -> (Served, Site) {
    let plants = plant_codes().into_iter().map(str::to_owned).collect();
    let options = WorldOptions { plants, ..clean(seed, "2026-11-02", "2026-11-08", 4, 4) };
    let served = Served::new(&options);
    let site = served.site();
    site.run_range(options.from, options.to).expect(0);
    (served, site)
}

#[test]
fn restores_a_backup_that_goes_on_where_the_store_was() {
    let (_served, site) = planted(73);
    let backup = site.path().join("copy.db");
    site.run(&["backup", "copy.db"]).expect(0);
    site.run(&["backup", "copy.db"]).expect(2);
    // A folder, which need not be there: the file is named after the moment.
    let named = site.run(&["backup", "copies/"]).expect(0);
    assert_eq!(named.stdout, "copies/tieout-2026-11-22T120000Z.db is a whole copy of the store\n");
    site.run(&["verify", "reports", "--db", "copies/tieout-2026-11-22T120000Z.db"]).expect(0);
    site.run(&["backup", "copies"]).expect(2);
    let tables = |site: &Site| {
        let mut files = reports::files(&site.reports());
        files.retain(|name, _| !name.ends_with("run.json"));
        files
    };
    let before = tables(&site);
    // The disk is lost.
    std::fs::write(site.store(), "not a database").unwrap();
    assert_ne!(site.run(&["status"]).code, Some(0));
    site.restore(&backup);
    site.run(&["verify", "reports"]).expect(0);
    site.run_date(day("2026-11-08")).expect(0);
    reports::assert_same(&before, &tables(&site), "a run after the restore");
    site.run(&["verify", "reports"]).expect(0);
    // The files of one date do not prove another one, even if their folder has its name.
    let folder = |name: &str| site.reports().join(name);
    std::fs::rename(folder("2026-11-08"), folder("2026-11-09")).unwrap();
    let moved = site.run(&["verify", "reports"]).expect(1);
    assert!(moved.stdout.contains("is named 2026-11-09"), "{}", moved.stdout);
}

#[test]
fn a_copy_that_is_written_elsewhere_takes_nothing_from_the_first() {
    let (served, site) = planted(77);
    let last = served.world.options().to.to_string();
    let mut copy = site.command(&["report", "--date", &last, "--out", "copy"]);
    Ended::from(copy.env("TIEOUT_REPORTS__FORMATS", r#"["csv"]"#).output().unwrap()).expect(0);
    for folder in ["reports", "copy"] {
        site.run(&["verify", folder]).expect(0);
    }
    // Other results under the same date do not agree with the first copy.
    let terms = "TIEOUT_SETTLEMENT__PAYOUT_DAYS";
    let mut again = site.command(&["reconcile", "--date", &last]);
    Ended::from(again.env(terms, "0").output().unwrap()).expect(0);
    site.run(&["report", "--date", &last, "--out", "other"]).expect(0);
    site.run(&["verify", "other"]).expect(0);
    let old = site.run(&["verify", "copy"]).expect(1);
    assert!(old.stdout.contains("was reported again"), "{}", old.stdout);
}

#[test]
fn removes_old_pages_and_nothing_that_something_open_rests_on() {
    let served = Served::new(&clean(74, "2026-11-02", "2026-11-08", 2, 10));
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-08")).expect(0);
    let pages = |site: &Site| -> i64 {
        let store = Connection::open(site.store()).unwrap();
        let sql = "select count(*) from page_body where content is not null";
        store.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let before = pages(&site);
    let said = site.run(&["prune", "--older-than", "2026-11-05", "--dry-run"]).expect(0);
    assert!(said.stdout.contains("would be removed"), "{}", said.stdout);
    assert_eq!(pages(&site), before);
    site.run(&["prune", "--older-than", "2026-11-05", "--by", "Anna"]).expect(0);
    let after = pages(&site);
    assert!(0 < after && after < before, "{before} pages, then {after}");
    let verified = site.run(&["verify", "reports"]).expect(0);
    assert!(verified.stdout.contains("pages removed by retention"), "{}", verified.stdout);
    // A page that another hand removed is damage.
    let store = Connection::open(site.store()).unwrap();
    store
        .execute_batch(
            "update page_body set content = null, pruned_by = (select max(pruned_by) from page_body) \
             where digest = (select min(digest) from page_body where content is not null)",
        )
        .unwrap();
    site.run(&["verify", "reports"]).expect(1);
    site.run(&["prune", "--older-than", "soon"]).expect(2);
}

#[test]
fn keeps_the_files_of_a_closed_date_and_reports_what_is_found_there_on_an_open_one() {
    let served = Served::new(&clean(75, "2026-11-02", "2026-11-08", 2, 10));
    let shifting = super::shifting::Shifting::new(&served);
    let site = shifting.site(&served);
    site.run_range(day("2026-11-02"), day("2026-11-05")).expect(0);
    site.run(&["close", "2026-11-07", "--by", "Anna"]).expect(2);
    site.run(&["close", "2026-11-03", "--by", " "]).expect(2);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(0);
    site.run(&["close", "2026-11-03", "--by", "Anna"]).expect(2);
    let closed = reports::files(&site.reports().join("2026-11-03"));
    let store = Connection::open(site.store()).unwrap();
    let batch: i64 = store
        .query_row(
            "select min(batch_id) from batch where day = '2026-11-03' and sale_amount_minor > 0",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(store);
    shifting.shift.lock().unwrap().more.insert(("batches".to_owned(), batch.to_string()), 77);
    // The closed date alone: this run has no open date.
    site.run_date(day("2026-11-03")).expect(0);
    assert_eq!(closed, reports::files(&site.reports().join("2026-11-03")));
    site.run_date(day("2026-11-06")).expect(0);
    let found = |date: &str| {
        let mut rows = reports::table(&site.reports(), day(date), "discrepancies.csv");
        rows.retain(|row| row["code"] == "BATCH_SALES_MISMATCH");
        rows
    };
    let rows = found("2026-11-06");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0]["explanation"].contains("prior period"), "{rows:?}");
    assert_eq!(rows[0]["first_seen"], "2026-11-03");
    assert_eq!((rows[0]["status"].as_str(), rows[0]["difference"].as_str()), ("new", "0.77"));
    site.run_date(day("2026-11-07")).expect(0);
    let rows = found("2026-11-07");
    assert!(rows[0]["status"] == "open" && rows[0]["explanation"].contains("prior period"));
    assert_eq!(closed, reports::files(&site.reports().join("2026-11-03")));
    site.run(&["verify", "reports"]).expect(0);
    // After it is withdrawn, the date itself reports it.
    site.run(&["reopen", "2026-11-03", "--by", "Anna", "--note", "late data"]).expect(0);
    site.run(&["reconcile", "--stale"]).expect(0);
    assert_eq!(found("2026-11-03")[0]["status"], "new");
    assert_eq!(found("2026-11-06")[0]["status"], "open");
    assert!(!found("2026-11-06")[0]["explanation"].contains("prior period"));
}

#[test]
fn a_store_that_is_lost_is_not_begun_anew_beside_its_reports() {
    let served = Served::new(&clean(91, "2026-11-02", "2026-11-03", 2, 4));
    let site = served.site();
    site.run_date(day("2026-11-02")).expect(0);
    let reports = reports::files(&site.reports());
    for is_there in [true, false] {
        std::fs::remove_file(site.store()).unwrap();
        if is_there {
            std::fs::write(site.store(), "").unwrap();
        }
        let ended = site.run_date(day("2026-11-02")).expect(2);
        let found = if is_there { "is empty" } else { "is missing" };
        assert!(ended.stderr.contains(found), "{}", ended.stderr);
        assert!(ended.stderr.contains("hint: restore the store"), "{}", ended.stderr);
        assert_eq!(reports::files(&site.reports()), reports);
        std::fs::write(site.store(), "").unwrap();
    }
    // With other reports it is begun anew.
    site.run(&["run", "--date", "2026-11-02", "--out", "anew"]).expect(0);
}

/// Packs a workbook again as another program does, with one change of each part by its name.
fn save_again(path: &Path, change: impl Fn(&str, String) -> String) {
    let mut old = ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut new = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..old.len() {
        let mut part = old.by_index(at).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut content = String::new();
        part.read_to_string(&mut content).unwrap();
        new.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        new.write_all(change(&name, content).as_bytes()).unwrap();
    }
    std::fs::write(path, new.finish().unwrap().into_inner()).unwrap();
}

#[test]
fn names_each_cell_of_a_workbook_that_somebody_typed_into() {
    let (_served, site) = planted(79);
    let period = "2026-11-02..2026-11-08";
    site.run(&["report", "--date", period]).expect(0);
    site.run(&["verify", "reports"]).expect(0);
    for folder in ["2026-11-05".to_owned(), format!("periods/{period}")] {
        let folder = site.reports().join(folder);
        let path = folder.join("report.xlsx");
        let written = std::fs::read(&path).unwrap();
        let verified = || site.run(&["verify", folder.to_str().unwrap()]).expect(1).stdout;
        save_again(&path, |_, content| content);
        let said = verified();
        assert!(said.contains("every cell is as the report has it"), "{said}");
        let rows = super::periods::read(&folder, "discrepancies.csv");
        let id = &rows[0]["discrepancy_id"];
        // Into an empty row below the rows and totals, and over an id.
        save_again(&path, |name, content| {
            let note = "<row r=\"900\"><c r=\"H900\" t=\"inlineStr\"><is><t>Anna</t></is></c></row></sheetData>";
            let is_sheet = name == "xl/worksheets/sheet2.xml";
            let content = content.replacen("</sheetData>", note, usize::from(is_sheet));
            content.replace(&format!(">{id}<"), ">another<")
        });
        let said = verified();
        let sheet = "cell A3 of sheet discrepancies has \"another\" where the report has";
        assert!(said.contains(&format!("{sheet} \"{id}\"")), "{said}");
        assert!(said.contains("cell H900 of sheet") && !said.contains("was altered"), "{said}");
        assert!(said.contains("has \"Anna\" where the report is empty"), "{said}");
        assert!(said.contains("2 places differ from the report"), "{said}");
        // A file that is not a workbook is only reported as different.
        for (content, way) in [(&b"not a workbook"[..], "text"), (&written[..100], "a part")] {
            std::fs::write(&path, content).unwrap();
            let said = verified();
            assert!(
                said.contains("report.xlsx was altered: its digest should be"),
                "{way}: {said}"
            );
        }
        std::fs::write(&path, written).unwrap();
    }
    site.run(&["verify", "reports"]).expect(0);
}
