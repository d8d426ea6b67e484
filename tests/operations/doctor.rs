//! The doctor says what a night would stumble over, and ends as that night would.

use serde_json::Value;

use crate::harness::{Ended, Served, Site, clean, gateway};

fn examine(site: &Site, variables: &[(&str, &str)]) -> (Option<i32>, Vec<Value>) {
    let mut command = site.command(&["doctor", "--json"]);
    command.env("TIEOUT_API__MAX_ATTEMPTS", "1").envs(variables.iter().copied());
    let ended = Ended::from(command.output().unwrap());
    let probes: Vec<Value> =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    (ended.code, probes)
}

fn state<'a>(probes: &'a [Value], name: &str) -> &'a str {
    let probe = probes.iter().find(|probe| probe["name"] == name);
    probe.unwrap_or_else(|| panic!("{name} in {probes:?}"))["state"].as_str().unwrap()
}

#[test]
fn finds_a_ready_machine_ready() {
    let served = Served::new(&clean(81, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let (code, probes) = examine(&site, &[]);
    assert_eq!(code, Some(0), "{probes:?}");
    for name in
        ["configuration", "api key", "token", "permissions", "schedule", "store", "lock", "reports"]
    {
        assert_eq!(state(&probes, name), "ok", "{probes:?}");
    }
    let left: Vec<String> = std::fs::read_dir(site.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("doctor"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!format!("{probes:?}").contains(tieout_sandbox::API_KEY));
}

#[test]
fn ends_as_the_night_would() {
    let served = Served::new(&clean(82, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let file = site.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let beneath = file.join("reports");
    let beneath = beneath.to_str().unwrap();
    for (variables, code, failing) in [
        (vec![("TIEOUT_API_KEY", "wrong")], 5, "token"),
        (vec![("TIEOUT_API_KEY", "")], 2, "api key"),
        (vec![("TIEOUT_API__AUTH_URL", "http://127.0.0.1:1")], 1, "token"),
        (vec![("TIEOUT_API__BASE_URL", "http://127.0.0.1:1/v1")], 1, "permissions"),
        (vec![("TIEOUT_REPORTS__DIR", beneath)], 1, "reports"),
        (vec![("TIEOUT_REPORTS__DIR", file.to_str().unwrap())], 1, "reports"),
    ] {
        let (found, probes) = examine(&site, &variables);
        assert_eq!(found, Some(code), "{variables:?} {probes:?}");
        assert_eq!(state(&probes, failing), "failed", "{probes:?}");
    }
    let metrics = site.path().join("not-there/tieout.prom");
    let variables = [("TIEOUT_NOTIFY__METRICS_FILE", metrics.to_str().unwrap())];
    let (code, probes) = examine(&site, &variables);
    assert_eq!((code, state(&probes, "metrics file")), (Some(0), "warning"), "{probes:?}");
}

#[test]
fn says_what_the_key_may_not_read() {
    let served = Served::new(&clean(84, "2026-11-03", "2026-11-03", 2, 20));
    let problem = || (403, r#"{"type":"about:blank","title":"No","status":403}"#.to_owned());
    for (refused, code) in [("/v1/batches", 4), ("/v1/", 5)] {
        let gateway = gateway::start(
            &served.runtime,
            Some(served.sandbox.base_url()),
            Box::new(move |path| path.starts_with(refused).then(problem)),
        );
        let (found, probes) = examine(&served.site_behind(&gateway.base), &[]);
        assert_eq!(found, Some(code), "{refused} {probes:?}");
        assert_eq!(state(&probes, "permissions"), "failed", "{probes:?}");
        assert!(format!("{probes:?}").contains("forbidden with status 403"), "{probes:?}");
    }
}

#[test]
fn warns_of_a_key_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let served = Served::new(&clean(83, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let key = site.path().join("key");
    std::fs::write(&key, format!("{}\n", tieout_sandbox::API_KEY)).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let variables = [("TIEOUT_API_KEY", ""), ("TIEOUT_API__API_KEY_FILE", key.to_str().unwrap())];
    let (code, probes) = examine(&site, &variables);
    assert_eq!((code, state(&probes, "api key")), (Some(0), "warning"), "{probes:?}");
    assert_eq!(state(&probes, "token"), "ok");
}

#[test]
fn trusts_the_authority_that_the_environment_names_and_no_stranger() {
    let served = Served::secured(&clean(85, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let (code, probes) = examine(&site, &[]);
    assert_eq!((code, state(&probes, "token")), (Some(1), "failed"), "{probes:?}");
    assert!(format!("{probes:?}").contains("SSL_CERT_FILE"), "{probes:?}");
    let pem = site.path().join("authority.pem");
    let missing = [("SSL_CERT_FILE", pem.to_str().unwrap())];
    assert_eq!(examine(&site, &missing).0, Some(2));
    std::fs::write(&pem, served.sandbox.certificate().unwrap()).unwrap();
    let (code, probes) = examine(&site, &missing);
    assert_eq!((code, state(&probes, "permissions")), (Some(0), "ok"), "{probes:?}");
    let mut command = site.command(&["run", "--date", "2026-11-03"]);
    command.env("SSL_CERT_FILE", &pem);
    Ended::from(command.output().unwrap()).expect(0);
}

/// A ledger whose columns are others is refused, and the hint leads to the lines that read it.
#[test]
fn leads_to_what_reads_a_file() {
    let served = Served::new(&clean(83, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site_with_books();
    let path = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, ledger) = text.split_once("[[ledgers]]").unwrap();
    let (_, files) = ledger.split_once("path = \"").unwrap();
    let pattern = site.path().join(files.split('"').next().unwrap());
    let folder = pattern.parent().unwrap();
    let file = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).min().unwrap();
    std::fs::write(&file, "Belegnummer;Buchungstag;Betrag\nA-1;03.11.2026;12,00\n").unwrap();
    let (code, probes) = examine(&site, &[]);
    assert_eq!((code, state(&probes, "ledger")), (Some(4), "failed"), "{probes:?}");
    let hints: Vec<&str> = probes.iter().filter_map(|probe| probe["hint"].as_str()).collect();
    let hint = hints.iter().find(|hint| hint.contains("tieout ledger suggest")).expect("a hint");
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(hint.contains(name), "{hint}");
    let suggested = site.run(&["ledger", "suggest", file.to_str().unwrap()]);
    assert!(suggested.stdout.contains("[[ledgers]]"), "{suggested:#?}");
}
