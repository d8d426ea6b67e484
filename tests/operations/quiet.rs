//! The output of a run for a person: a line for each date, the new discrepancies, and each trouble
//! once.

use tieout_sandbox::Kind;

use crate::harness::{Served, Site, clean};

fn served() -> Served {
    let mut options = clean(5, "2026-11-02", "2026-11-06", 6, 60);
    options.plants = vec!["DEPOSIT_NET_MISMATCH".to_owned(), "MISSING_IN_LEDGER".to_owned()];
    options.kinds = vec![Kind::find("tips").unwrap()];
    Served::new(&options)
}

#[test]
fn a_run_says_a_line_of_each_date_and_what_is_new_and_which_page_to_open() {
    let served = served();
    let site = served.site_with_books();
    let said = site.run(&["run", "--date", "2026-11-02..2026-11-06"]).expect(0).stdout;
    let dates: Vec<&str> = said.lines().filter(|line| line.starts_with("2026-11-0")).collect();
    assert_eq!(dates.len(), 5, "{said}");
    let errors: Vec<&str> =
        said.lines().filter(|line| line.starts_with("    error, new, ")).collect();
    assert_eq!(errors.len(), 2, "each once, on its first date: {said}");
    assert!(!said.contains(", open, "), "{said}");
    assert!(said.ends_with("\nopen reports/index.html\n"), "{said}");
    assert!(site.path().join("reports/index.html").exists());
    let said = site.run(&["run", "--date", "2026-11-06"]).expect(0).stdout;
    assert!(said.ends_with("\nopen reports/2026-11-06/report.html\n"), "{said}");
    let all = site.run(&["run", "-v", "--date", "2026-11-06"]).expect(0).stdout;
    assert!(all.contains("    error, open, ") || all.contains("    error, new, "), "{all}");
    assert!(all.contains("in transit"), "{all}");
}

/// An address without a listener.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn a_dead_host_is_a_line_of_the_log_and_of_the_status() {
    let served = served();
    // The host of the tokens answers.
    let (site, host) = (served.site(), nobody());
    let run = |arguments: &[&str]| {
        let mut command = site.command(arguments);
        command.env("TIEOUT_API__BASE_URL", format!("{host}/v1"));
        command.env("TIEOUT_API__MAX_ATTEMPTS", "2");
        crate::harness::Ended::from(command.output().unwrap())
    };
    let said = run(&["run", "--date", "2026-11-06"]).expect(1).stderr;
    let count = |word: &str| said.lines().filter(|line| line.contains(word)).count();
    // The first try, the first listing, how often that came again, and how it ended.
    assert_eq!(count("is unreachable"), 4, "{said}");
    assert_eq!((count("trying again"), count("is incomplete")), (1, 2), "{said}");
    let status = run(&["status"]).expect(0).stdout;
    assert_eq!(status.matches("is unreachable").count(), 1, "{status}");
    assert!(status.contains("listing of batches") || status.contains("1 of batches"), "{status}");
    // With -v each is there.
    let all = run(&["run", "-v", "--date", "2026-11-06"]).expect(1).stderr;
    assert!(all.matches("is unreachable").count() > 40, "{all}");
    // Of several dates one cause is one line, and the summary of the run says it too.
    let ended = run(&["run", "--json", "--date", "2026-11-04..2026-11-06"]).expect(1);
    let errors = ended.stderr.lines().filter(|line| line.starts_with("error:"));
    assert_eq!(errors.count(), 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("failed for the same cause as this date"), "{}", ended.stderr);
    let summary: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&summary["outcome"], &summary["exit_code"]), (&"failed".into(), &1.into()));
    assert_eq!(summary["dates"].as_array().unwrap().len(), 3, "{summary}");
}

/// The end of a run names each remedy once, with what waits for it; a run that lacks nothing has none.
#[test]
fn a_run_ends_with_what_a_person_must_do_once_for_each_cause() {
    let served = served();
    let site = served.site();
    let dates = ["run", "--date", "2026-11-05..2026-11-06"];
    let whole = site.run(&dates).expect(0).stdout;
    assert!(!whole.contains("to do:"), "{whole}");
    let (configuration, site) = (site.path().join("tieout.toml"), served.site());
    let text = std::fs::read_to_string(configuration).unwrap();
    let unnamed = text.replacen("\nterminals = ", "\n# terminals = ", 1);
    assert_ne!(unnamed, text);
    std::fs::write(site.path().join("tieout.toml"), unnamed).unwrap();
    let said = site.run(&dates).expect(4).stdout;
    let (_, to_do) = said.split_once("\nto do:\n").unwrap();
    let remedies: Vec<&str> = to_do.lines().filter(|line| line.starts_with("  Set ")).collect();
    assert!(remedies.len() == 1 && remedies[0].contains("the key terminals"), "{said}");
    let to_do = to_do.replace("\n    ", " ");
    assert!(to_do.contains(" of 2 dates not evaluated: the terminals of merchant "), "{said}");
    assert!(to_do.contains("not configured, so not all its "), "{said}");
}

#[test]
fn what_only_reads_says_that_there_is_no_store_and_leaves_nothing_behind() {
    let site = Site::empty();
    // Without a configuration here, that of a package installed on this machine would be read.
    std::fs::write(site.path().join("tieout.toml"), "").unwrap();
    for arguments in [&["status"][..], &["verify", "."], &["discrepancies", "list"]] {
        let ended = site.run(arguments).expect(1);
        assert!(
            ended.stderr.contains("store tieout.db: it does not exist yet"),
            "{}",
            ended.stderr
        );
        assert_eq!(std::fs::read_dir(site.path()).unwrap().count(), 1, "{arguments:?}");
    }
}
