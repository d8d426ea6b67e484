//! The doctor names the faults that a night would meet, and ends with the exit code of that night.

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
    // A folder in the place of the trial file blocks every user.
    std::fs::create_dir_all(site.path().join("not-there/.tieout-doctor")).unwrap();
    let (_, probes) = examine(&site, &variables);
    assert_eq!(state(&probes, "metrics file"), "failed", "{probes:?}");
    assert!(format!("{probes:?}").contains("also needs ReadWritePaths="), "{probes:?}");
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

/// A ledger with other columns is refused, and the hint leads to the lines that read it.
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

#[test]
fn asks_nothing_more_after_the_first_host_that_cannot_be_reached() {
    let served = Served::new(&clean(82, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    for (name, dead) in [
        ("TIEOUT_API__AUTH_URL", "http://127.0.0.1:1"),
        ("TIEOUT_API__BASE_URL", "http://127.0.0.1:1/v1"),
    ] {
        let change = [(name, dead), ("TIEOUT_API__MAX_ATTEMPTS", "6")];
        let began = std::time::Instant::now();
        let (code, probes) = examine(&site, &change);
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert_eq!(code, Some(1), "{probes:?}");
        let names: Vec<&str> = probes.iter().filter_map(|probe| probe["name"].as_str()).collect();
        assert!(!names.contains(&"merchants") && !names.contains(&"tolerances"), "{names:?}");
        let failed = probes.iter().filter(|probe| probe["state"] == "failed").count();
        assert_eq!(failed, 1, "{probes:?}");
        // A night tries one request as often as it may, and no other one after that.
        let mut command = site.command(&["run", "--date", "2026-11-03"]);
        let ended = Ended::from(command.envs(change).output().unwrap()).expect(1);
        assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
        let retries = ended.stderr.matches("trying again").count();
        assert!((1..=100).contains(&retries), "{retries} retries");
    }
}

#[test]
fn a_wrong_path_of_the_identity_service_is_called_that() {
    let served = Served::new(&clean(82, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let wrong = format!("{}/elsewhere", served.sandbox.base_url());
    let (code, probes) = examine(&site, &[("TIEOUT_API__AUTH_URL", &wrong)]);
    assert_eq!((code, state(&probes, "token")), (Some(1), "failed"), "{probes:?}");
    let token = probes.iter().find(|probe| probe["name"] == "token").unwrap();
    let hint = token["hint"].as_str().unwrap();
    assert!(hint.contains("auth_url") && !hint.contains("base_url"), "{hint}");
}

/// A cause that makes a night partial keeps the doctor from ending with 0.
#[test]
fn ends_with_4_where_the_night_does() {
    let served = Served::new(&clean(82, "2026-11-02", "2026-11-04", 3, 40));
    let nameless = served.site();
    edit(&nameless, |text| {
        let is_kept = |line: &&str| !line.starts_with("terminals = ");
        text.lines().filter(is_kept).collect::<Vec<_>>().join("\n")
    });
    let unread = served.site();
    edit(&unread, |text| {
        let named = text.replacen("[[merchants]]\n", "[[merchants]]\nledger = \"own\"\n", 1);
        let columns = "columns = { id = \"Id\", date = \"Date\", amount = \"Amount\" }";
        format!("{named}\n[[ledgers]]\nname = \"own\"\npath = \"own.csv\"\n{columns}\n")
    });
    let rows = "Id,Date,Amount\nA-1,2026-11-03,12.00\nA-2,31.11.2026,5.00\n";
    std::fs::write(unread.path().join("own.csv"), rows).unwrap();
    for (site, failing) in [(&nameless, "terminals"), (&unread, "ledger")] {
        let night = site.run(&["run", "--date", "2026-11-02..2026-11-04"]);
        assert_eq!(night.code, Some(4), "{failing}: {}\n{}", night.stdout, night.stderr);
        let (code, probes) = examine(site, &[("TIEOUT_NOW", "2026-11-05T12:00:00Z")]);
        assert_eq!((code, state(&probes, failing)), (Some(4), "failed"), "{probes:?}");
    }
}

fn edit(site: &Site, change: impl Fn(&str) -> String) {
    let path = site.path().join("tieout.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(changed, text);
    std::fs::write(path, changed).unwrap();
}

#[test]
fn names_the_bank_on_whose_statements_the_deposits_of_a_merchant_are() {
    let served = Served::new(&clean(84, "2026-11-02", "2026-11-14", 5, 40));
    let site = served.site_with_books();
    let now = ("TIEOUT_NOW", "2026-11-15T12:00:00Z");
    let wrong = |probes: &[Value]| {
        let of_banks = probes.iter().filter(|probe| probe["name"] == "bank");
        let found = of_banks.filter_map(|probe| probe["found"].as_str());
        found.filter(|found| found.contains("none on those of its own")).count()
    };
    let (_, probes) = examine(&site, &[now]);
    assert_eq!(wrong(&probes), 0, "{probes:?}");
    // The banks of two merchants are swapped.
    let text = std::fs::read_to_string(site.path().join("tieout.toml")).unwrap();
    let mut named: Vec<&str> = text.lines().filter(|line| line.starts_with("bank = ")).collect();
    named.retain(|line| text.matches(line).count() == 1);
    let (one, other) = (named[0], named[1]);
    edit(&site, |text| {
        text.replace(one, "bank = here").replace(other, one).replace("bank = here", other)
    });
    let (code, probes) = examine(&site, &[now]);
    assert_eq!((code, wrong(&probes)), (Some(0), 2), "{probes:?}");
    let hints = format!("{probes:?}");
    for line in [one, other] {
        assert!(hints.contains(&line.replace('"', "\\\"")), "{line}: {hints}");
    }
}

#[test]
fn names_the_percentage_that_covers_the_tips() {
    let kinds = vec![tieout_sandbox::Kind::find("tips").unwrap()];
    let plain = clean(85, "2026-11-03", "2026-11-03", 2, 80);
    let served = Served::new(&tieout_sandbox::WorldOptions { kinds, ..plain });
    let site = served.site();
    edit(&site, |text| {
        let is_kept = |line: &&str| !line.starts_with("capture_tolerance_percent");
        text.lines().filter(is_kept).collect::<Vec<_>>().join("\n")
    });
    let (code, probes) = examine(&site, &[("TIEOUT_NOW", "2026-11-04T12:00:00Z")]);
    assert_eq!((code, state(&probes, "tolerances")), (Some(0), "warning"), "{probes:?}");
    let tips = probes.iter().find(|probe| probe["name"] == "tolerances").unwrap();
    assert!(tips["hint"].as_str().unwrap().contains("capture_tolerance_percent = "), "{tips}");
}

#[test]
fn sends_a_test_to_who_is_notified() {
    let served = Served::new(&clean(81, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let receiver =
        gateway::start(&served.runtime, None, Box::new(|_| Some((200, "{}".to_owned()))));
    let notified = |base: &str| {
        let mut command = site.command(&["doctor", "--json", "--notify"]);
        command
            .env("TIEOUT_NOTIFY__WEBHOOK_URL", format!("{base}/webhook"))
            .env("TIEOUT_NOTIFY__HEARTBEAT_URL", format!("{base}/heartbeat"));
        let ended = Ended::from(command.output().unwrap()).expect(0);
        serde_json::from_str::<Vec<Value>>(&ended.stdout).unwrap()
    };
    let probes = notified(&receiver.base);
    assert_eq!((state(&probes, "webhook"), state(&probes, "heartbeat")), ("ok", "ok"));
    let paths: Vec<String> = receiver.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/webhook", "/heartbeat"]);
    let probes = notified("http://127.0.0.1:1");
    assert_eq!((state(&probes, "webhook"), state(&probes, "heartbeat")), ("warning", "warning"));
    assert!(examine(&site, &[]).1.iter().all(|probe| probe["name"] != "webhook"));
}
