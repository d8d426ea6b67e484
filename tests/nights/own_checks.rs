//! The user's own checks: they appear in every report like the others, read the same tables, and
//! can only read, for a limited time.
#![expect(clippy::disallowed_methods, reason = "a test plays the person who writes check files")]

use std::path::PathBuf;

use crate::harness::{Served, Site, clean, day, reports};

const HEADER: &str = "-- severity: warning\n-- figure: amount\n-- subject: batch\n-- names: batch\n\
                      -- needs: batches\n-- means: A large batch.\n\
                      -- explanation: Batch {batch_id} holds {actual} {currency}.\n\
                      -- action: Look.\n";

/// Selects every batch of the date, by way of tables, a view, an index and a function that the
/// program prepares.
const LARGE: &str = "select batch.merchant_id, cast(batch.batch_id as text) as subject, \
    batch.currency, 0 as expected, sale_amount_minor as actual, day as batch_date, batch.batch_id \
    from batch cross join temp.asof as asof on batch.day = asof.business_date \
    inner join temp.merchants as merchants on merchants.merchant_id = batch.merchant_id \
    where sale_amount_minor > 0 and due(day, 1, 'canada') > day \
    and exists (select 1 from temp.complete_listing) order by batch.batch_id";

const NOTHING: &str = "'' as merchant_id, '' as subject, '' as currency, 1 as batch_id";

/// One step that no interruption stops: it compares the pattern at every place.
const STUBBORN: &str = "instr(zeroblob(8000000), cast(zeroblob(4000000) || 'x' as blob))";

/// A site whose configuration names a folder of checks.
struct Own {
    site: Site,
    folder: PathBuf,
}

impl Own {
    fn new(served: &Served) -> Self {
        let site = served.site();
        let folder = site.path().join("own");
        std::fs::create_dir(&folder).unwrap();
        let configuration = std::fs::read_to_string(site.path().join("tieout.toml")).unwrap();
        let own = "[custom_checks]\ndir = \"own\"\ntimeout_seconds = 1\n\
                   [checks]\nLARGE_BATCH = \"info\"\n";
        std::fs::write(site.path().join("tieout.toml"), format!("{configuration}\n{own}")).unwrap();
        Self { site, folder }
    }

    fn write(&self, stem: &str, body: &str) {
        self.write_as(stem, &stem.to_uppercase(), body);
    }

    fn write_as(&self, stem: &str, code: &str, body: &str) {
        let text = format!("-- code: {code}\n{HEADER}{body}\n");
        std::fs::write(self.folder.join(format!("{stem}.sql")), text).unwrap();
    }
}

#[test]
fn runs_the_users_own_checks_over_the_date_as_it_was_prepared() {
    let served = Served::new(&clean(76, "2026-11-02", "2026-11-03", 2, 10));
    let own = Own::new(&served);
    own.write_as("Batches that are large", "LARGE_BATCH", LARGE);
    own.site.run(&["checks"]).expect(0);
    own.site.run_date(day("2026-11-03")).expect(0);
    let date = day("2026-11-03");
    let rows = reports::table(&own.site.reports(), date, "discrepancies.csv");
    let found: Vec<_> = rows.iter().filter(|row| row["code"] == "LARGE_BATCH").collect();
    let batches = reports::table(&own.site.reports(), date, "batches.csv");
    let large = batches.iter().filter(|row| !row["sale_amount"].starts_with('0'));
    assert_eq!(found.len(), large.count(), "{rows:?}");
    assert!(!found.is_empty() && found.iter().all(|row| row["severity"] == "info"), "{rows:?}");
    assert!(found[0]["explanation"].starts_with("Batch "), "{found:?}");
}

#[test]
fn refuses_a_check_that_does_more_than_read_before_anything_is_done() {
    let served = Served::new(&clean(76, "2026-11-02", "2026-11-03", 2, 10));
    let own = Own::new(&served);
    own.write("large_batch", LARGE);
    own.site.run_date(day("2026-11-03")).expect(0);
    let before = reports::files(own.site.path());
    let endless = format!(
        "with recursive n(i) as (select 1 union all select i + 1 from n) \
         select {NOTHING}, max(i) as expected, 1 as actual from n"
    );
    let stubborn = format!("select {NOTHING}, 0 as expected, {STUBBORN} as actual");
    let select = |what: &str| format!("select {NOTHING}, 0 as expected, {what} as actual");
    let one_query = "one query";
    for (stem, body, what) in [
        ("writes", "delete from batch returning 1 as merchant_id", one_query),
        ("hides", "with x as (select 1) delete from batch where 1 in (select * from x)", one_query),
        ("inserts", "insert into batch default values", one_query),
        ("moves", "with x as (select 1) update temp.asof set business_date = ''", one_query),
        ("drops", "drop table temp.merchants", one_query),
        ("attaches", "attach 'other.db' as other", one_query),
        ("copies", "vacuum into 'copy.db'", one_query),
        ("comments", "/* select */ vacuum into 'copy.db'", one_query),
        ("sets", "pragma journal_mode = delete", one_query),
        ("frees", "pragma query_only = 0", one_query),
        ("asks", &select("(select file from pragma_database_list)"), "not authorized"),
        ("loads", &select("load_extension('other.so')"), "not authorized"),
        ("two", "select 1; drop table batch", one_query),
        ("both", "select 1; select 2", "ultiple statements"),
        ("endless", &endless, "longer than 1 s"),
        ("stubborn", &stubborn, "longer than 1 s"),
        ("huge", &select("length(zeroblob(900000000))"), "too big"),
        ("lacks", "select '' as merchant_id, '' as subject", "no column"),
        ("broken", "select from", "syntax error"),
    ] {
        own.write(stem, body);
        let ended = own.site.run(&["run", "--date", "2026-11-03"]);
        assert_eq!(ended.code, Some(2), "{stem}: {}", ended.stderr);
        let file = format!("{stem}.sql");
        assert!(ended.stderr.contains(&file) && ended.stderr.contains(what), "{}", ended.stderr);
        std::fs::remove_file(own.folder.join(file)).unwrap();
        reports::assert_same(&before, &reports::files(own.site.path()), stem);
    }
    for (stem, code, what) in [
        ("other", "not a code", "expected upper-case letters"),
        ("mine", "DEPOSIT_NET_MISMATCH", "a check of the program"),
        ("twice", "LARGE_BATCH", "has the code LARGE_BATCH already"),
    ] {
        own.write_as(stem, code, LARGE);
        let ended = own.site.run(&["run", "--date", "2026-11-03"]);
        assert_eq!(ended.code, Some(2), "{stem}: {}", ended.stderr);
        assert!(ended.stderr.contains(stem) && ended.stderr.contains(what), "{}", ended.stderr);
        std::fs::remove_file(own.folder.join(format!("{stem}.sql"))).unwrap();
        reports::assert_same(&before, &reports::files(own.site.path()), stem);
    }
}

#[test]
fn does_not_evaluate_a_check_that_takes_too_long_over_the_night_and_runs_the_others() {
    let served = Served::new(&clean(77, "2026-11-02", "2026-11-03", 2, 10));
    let own = Own::new(&served);
    own.write("large_batch", LARGE);
    // Without batches it ends soon, as when the check is tried out.
    let long = format!(
        "with recursive n(i) as (select 1 union all select i + 1 from n \
         where i < (select count(*) from batch) * 1000000000000) \
         select {NOTHING}, 0 as expected, max(i) as actual from n having max(i) > 1"
    );
    let stubborn =
        format!("select {NOTHING}, 0 as expected, {STUBBORN} as actual from batch limit 1");
    own.write("a_long_one", &long);
    own.write("a_stubborn_one", &stubborn);
    own.site.run_date(day("2026-11-03")).expect(4);
    let run = reports::manifest(&own.site.reports(), day("2026-11-03"));
    let not_evaluated = run["checks"]["not_evaluated"].as_array().unwrap();
    let of = |code: &str| {
        let found = not_evaluated.iter().find(|entry| entry["code"] == code);
        found.unwrap_or_else(|| panic!("{code}: {not_evaluated:?}"))["reason"].to_string()
    };
    assert_eq!(not_evaluated.len(), 2, "{not_evaluated:?}");
    for code in ["A_LONG_ONE", "A_STUBBORN_ONE"] {
        assert!(of(code).contains("took longer than 1 s"), "{not_evaluated:?}");
    }
    let rows = reports::table(&own.site.reports(), day("2026-11-03"), "discrepancies.csv");
    assert!(rows.iter().any(|row| row["code"] == "LARGE_BATCH"), "{rows:?}");
}
