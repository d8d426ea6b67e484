//! Write access to the store allows rewriting its audit trail with valid hashes. Anchors outside
//! the store detect it: a head that was noted, and the manifests.

use std::fmt::Write as _;

use rusqlite::Connection;
use tieout_model::digest::sha256_hex;

use crate::harness::{Ended, Served, Site, clean, day};

/// Three reported dates, the first closed; with the head that `close` printed.
fn closed() -> (Served, Site, String) {
    let served = Served::new(&clean(11, "2026-11-02", "2026-11-04", 1, 3));
    let site = served.site();
    site.run_range(day("2026-11-02"), day("2026-11-03")).expect(0);
    let said = site.run(&["close", "2026-11-02", "--by", "Anna"]).expect(0);
    let head = head_in(&said);
    site.run_date(day("2026-11-04")).expect(0);
    (served, site, head)
}

fn head_in(said: &Ended) -> String {
    let line = said.stdout.lines().find_map(|line| line.strip_prefix("head of the audit trail: "));
    line.unwrap_or_else(|| panic!("{said:?}")).to_owned()
}

/// Changes the person who closed the date, and computes every hash of the trail again.
fn write_anew(site: &Site) {
    let connection = Connection::open(site.store()).unwrap();
    let trigger: String = connection
        .query_row(
            "select sql from sqlite_schema where name = 'audit_is_never_changed'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    connection
        .execute_batch(
            "drop trigger audit_is_never_changed;
             update audit set who = 'Ben' where act = 'close'",
        )
        .unwrap();
    let columns = "moment, act, subject, business_date, until, who, note, sums";
    let mut statement = connection
        .prepare(&format!("select sequence, {columns} from audit order by sequence"))
        .unwrap();
    let rows: Vec<(i64, Vec<String>)> = statement
        .query_map([], |row| {
            Ok((row.get(0)?, (1..9).map(|at| row.get(at)).collect::<Result<_, _>>()?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut before = String::new();
    for (sequence, fields) in rows {
        let number = sequence.to_string();
        let all = std::iter::once(&number).chain(&fields).chain([&before]);
        let text = all.fold(String::new(), |mut text, field| {
            writeln!(text, "{}:{field}", field.len()).unwrap();
            text
        });
        let hash = sha256_hex(text.as_bytes());
        let sql = "update audit set previous_hash = ?1, hash = ?2 where sequence = ?3";
        connection.execute(sql, (&before, &hash, sequence)).unwrap();
        before = hash;
    }
    connection.execute("update audit_head set hash = ?1", [&before]).unwrap();
    connection.execute_batch(&trigger).unwrap();
}

#[test]
fn a_trail_that_is_written_anew_does_not_hold_the_head_that_was_noted() {
    let (_served, site, head) = closed();
    let now = site.run(&["verify", "reports", "--head", &head]).expect(0);
    let newer = head_in(&now);
    assert_ne!(newer, head);
    site.run(&["verify", "reports", "--head", &newer]).expect(0);
    write_anew(&site);
    let noted = site.run(&["verify", "reports/2026-11-02", "--head", &head]).expect(1);
    assert!(noted.stdout.contains("does not hold the head"), "{}", noted.stdout);
    // Manifests from before the row was changed still fit; one from after it does not.
    let alone = site.run(&["verify", "reports"]).expect(1);
    assert!(alone.stdout.contains("2026-11-03  agrees"), "{}", alone.stdout);
    assert!(alone.stdout.contains("2026-11-04  does not agree"), "{}", alone.stdout);
    assert!(alone.stdout.contains("the audit trail was rewritten since"), "{}", alone.stdout);
}

#[test]
fn a_date_whose_folder_is_gone_is_named() {
    let (_served, site, _) = closed();
    std::fs::remove_dir_all(site.reports().join("2026-11-03")).unwrap();
    let said = site.run(&["verify", "reports"]).expect(1);
    let expected = "2026-11-03  does not agree: 0 files";
    assert!(said.stdout.contains(expected), "{}", said.stdout);
    assert!(said.stdout.contains("its folder is missing"), "{}", said.stdout);
}

#[test]
fn another_store_does_not_write_over_reports() {
    let (_served, site, _) = closed();
    let path = site.reports().join("2026-11-02/run.json");
    let before = std::fs::read(&path).unwrap();
    let of_other = ["run", "--date", "2026-11-02", "--db", "other.db"];
    // A new store is not created beside reports; an existing one does not overwrite them.
    site.run(&of_other).expect(2);
    site.run(&[&of_other[..], &["--out", "others"]].concat()).expect(0);
    let said = site.run(&of_other).expect(1);
    assert!(said.stderr.contains("holds reports of store"), "{}", said.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_signed_folder_is_proved_with_the_public_key_alone() {
    let served = Served::new(&clean(12, "2026-11-02", "2026-11-03", 1, 3));
    let site = served.site();
    // The pair of the first test vector of RFC 8032, section 7.1.
    let private = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
    let public = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let pem = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    std::fs::write(site.path().join("key.pem"), pem("PRIVATE KEY", private)).unwrap();
    std::fs::write(site.path().join("public.pem"), pem("PUBLIC KEY", public)).unwrap();
    let config = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}\n[evidence]\nsigning_key_file = \"key.pem\"\n"))
        .unwrap();
    site.run_range(day("2026-11-02"), day("2026-11-03")).expect(0);
    site.run(&["verify", "reports"]).expect(0);
    std::fs::rename(site.store(), site.path().join("elsewhere.db")).unwrap();
    let proved = site.run(&["verify", "reports", "--public-key", "public.pem"]).expect(0);
    let head = head_in(&proved);
    assert_eq!(head.len(), 64, "{}", proved.stdout);
    // The signature of one date is not valid for another.
    let (later, aside) = (site.reports().join("2026-11-03"), site.path().join("aside"));
    std::fs::rename(&later, &aside).unwrap();
    std::fs::create_dir(&later).unwrap();
    for file in std::fs::read_dir(site.reports().join("2026-11-02")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), later.join(file.file_name())).unwrap();
    }
    let copied = site.run(&["verify", "reports", "--public-key", "public.pem"]).expect(1);
    let expected = "the folder is named 2026-11-03, but the signed manifest is that of 2026-11-02";
    assert!(copied.stdout.contains(expected), "{}", copied.stdout);
    std::fs::remove_dir_all(&later).unwrap();
    std::fs::rename(&aside, &later).unwrap();
    let path = site.reports().join("2026-11-03/summary.csv");
    let before = std::fs::read(&path).unwrap();
    std::fs::write(&path, b"another").unwrap();
    let altered = site.run(&["verify", "reports", "--public-key", "public.pem"]).expect(1);
    assert!(altered.stdout.contains("summary.csv was altered"), "{}", altered.stdout);
    std::fs::write(&path, before).unwrap();
    let path = site.reports().join("2026-11-03/run.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, manifest.replace("\"warnings\"", "\"warning\"")).unwrap();
    let altered = site.run(&["verify", "reports", "--public-key", "public.pem"]).expect(1);
    let expected = "run.json does not match its signature with this key";
    assert!(altered.stdout.contains(expected), "{}", altered.stdout);
}
