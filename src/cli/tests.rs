//! The help of the command line, and its exit codes.

use clap::CommandFactory;

use super::*;

fn exit_of(arguments: &[&str]) -> Exit {
    main(arguments.iter().map(OsString::from), BTreeMap::new())
}

#[test]
fn declares_commands_that_clap_finds_sound() {
    Cli::command().debug_assert();
}

#[test]
fn shows_a_help_page_for_every_command() {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    collect_pages(&mut root, &mut pages);
    insta::assert_snapshot!(pages.join("\n\n"));
}

fn collect_pages(command: &mut clap::Command, pages: &mut Vec<String>) {
    let help = command.render_help().to_string();
    // Clap leaves a blank behind a heading without text.
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    pages.push(format!("=== {}\n{}", command.get_name(), lines.join("\n").trim_end()));
    for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
        collect_pages(inner, pages);
    }
}

#[test]
fn takes_a_date_that_begins_with_a_minus() {
    let cli = Cli::try_parse_from(["tieout", "run", "--date", "-7d..yesterday"]).unwrap();
    assert!(
        matches!(cli.command, Command::Run(arguments) if arguments.date.as_deref() == Some("-7d..yesterday"))
    );
}

#[test]
fn refuses_arguments_that_contradict_each_other() {
    let cases: [&[&str]; 9] = [
        &["tieout"],
        &["tieout", "runn"],
        &["tieout", "run", "--fail-on", "off"],
        &["tieout", "run", "-v", "-q"],
        &["tieout", "reconcile", "--stale", "--date", "today"],
        &["tieout", "sandbox", "serve", "--world", "w.json", "--merchants", "7"],
        &["tieout", "sandbox", "generate", "--merchants", "0"],
        &["tieout", "demo", "--from", "2026-02-30"],
        &["tieout", "completions", "cobol"],
    ];
    for arguments in cases {
        assert!(Cli::try_parse_from(arguments).is_err(), "{arguments:?}");
    }
    assert_eq!(exit_of(&["tieout", "runn"]), Exit::Usage);
    assert_eq!(exit_of(&["tieout", "--version"]), Exit::Done);
}

#[test]
fn ends_with_two_when_dates_or_settings_are_wrong() {
    assert_eq!(exit_of(&["tieout", "run", "--date", "2026-02-30"]), Exit::Usage);
    assert_eq!(exit_of(&["tieout", "fetch", "--date", "9000-01-01"]), Exit::Usage);
    assert_eq!(exit_of(&["tieout", "status", "--config", "no/such.toml"]), Exit::Usage);
    let arguments = ["tieout", "run"].map(OsString::from);
    let environment = [("TIEOUT_NOW".to_owned(), "soon".to_owned())].into();
    assert_eq!(main(arguments, environment), Exit::Usage);
}

#[test]
fn decides_on_dates_by_the_substitute_of_the_clock() {
    let global = Cli::try_parse_from(["tieout", "run"]).unwrap().global;
    let environment = [
        ("TIEOUT_NOW".to_owned(), "2026-11-21T03:00:00Z".to_owned()),
        ("TIEOUT_TIME_ZONE".to_owned(), "America/New_York".to_owned()),
    ];
    let context = Context::new(global, environment.into()).unwrap();
    let settings = context.settings().unwrap();
    let dates = context.dates("yesterday", &settings).unwrap();
    assert_eq!(dates, ["2026-11-19".parse().unwrap()]);
}

#[test]
fn says_an_error_its_causes_and_the_remedy_a_line_each() {
    let global = GlobalArguments {
        config: Some("no/such.toml".into()),
        ..Cli::try_parse_from(["tieout", "run"]).unwrap().global
    };
    let error = Context::new(global, BTreeMap::new()).unwrap().settings().unwrap_err();
    let lines = describe(&error, None);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "error: cannot read the configuration file no/such.toml");
    assert!(lines[1].starts_with("error: caused by: "), "{lines:?}");
    assert!(lines[2].starts_with("hint: "), "{lines:?}");
}

#[test]
fn describes_every_check_once() {
    let registry = tieout_judge::Registry::built_in().unwrap();
    let mut codes: Vec<&str> = registry.iter().map(|check| check.code.as_str()).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count);
    for check in registry.iter() {
        for sentence in [&check.means, &check.explanation, &check.action] {
            assert!(sentence.ends_with(['.', '}']), "{}: {sentence}", check.code);
        }
    }
}

#[test]
fn writes_a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man1");
    assert_eq!(exit_of(&["tieout", "man", "--dir", path.to_str().unwrap()]), Exit::Done);
    for page in ["tieout.1", "tieout-run.1", "tieout-sandbox-serve.1"] {
        assert!(path.join(page).exists(), "{page}");
    }
}
