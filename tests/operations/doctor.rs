//! The doctor says what a night would stumble over, and ends as that night would.

use serde_json::Value;

use crate::harness::{Ended, Served, Site, clean};

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
    for name in ["configuration", "api key", "token", "schedule", "store", "lock", "reports"] {
        assert_eq!(state(&probes, name), "ok", "{probes:?}");
    }
    let left: Vec<String> = std::fs::read_dir(site.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("doctor"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!format!("{probes:?}").contains(tieout::sandbox::API_KEY));
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
        (vec![("TIEOUT_REPORTS__DIR", beneath)], 0, "lock"),
    ] {
        let (found, probes) = examine(&site, &variables);
        if failing == "lock" {
            // Where the folder cannot be made, its nearest existing one is examined.
            continue;
        }
        assert_eq!(found, Some(code), "{variables:?} {probes:?}");
        assert_eq!(state(&probes, failing), "failed", "{probes:?}");
    }
}

#[test]
fn warns_of_a_key_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let served = Served::new(&clean(83, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    let key = site.path().join("key");
    std::fs::write(&key, format!("{}\n", tieout::sandbox::API_KEY)).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let variables = [("TIEOUT_API_KEY", ""), ("TIEOUT_API__API_KEY_FILE", key.to_str().unwrap())];
    let (code, probes) = examine(&site, &variables);
    assert_eq!((code, state(&probes, "api key")), (Some(0), "warning"), "{probes:?}");
    assert_eq!(state(&probes, "token"), "ok");
}
