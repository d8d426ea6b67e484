//! The program as a shell sees it: exit codes, standard output and standard error.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::process::{Command, Output};

/// Arguments, environment, exit code, and how standard error begins.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], i32, &'a str);

/// Runs the program in an empty folder, under an environment without its variables.
fn tieout(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tieout"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TIEOUT_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).envs(variables.iter().copied()).current_dir(folder.path());
    command.output().unwrap()
}

#[test]
fn ends_with_the_code_that_applies_and_says_why_on_standard_error() {
    let no_variables: &[(&str, &str)] = &[];
    let cases: [Case; 7] = [
        (&["--version"], no_variables, 0, ""),
        (&["checks"], no_variables, 0, ""),
        (&["checks"], &[("TIEOUT_API__PAGE_SIZE", "0")], 0, ""),
        (&["no-such-command"], no_variables, 2, "error: unrecognized subcommand"),
        (&["run", "--date", "2026-02-30"], no_variables, 2, "error: --date: 2026-02-30 does not"),
        (&["run"], &[("TIEOUT_API__PAGE_SIZE", "0")], 2, "error: TIEOUT_API__PAGE_SIZE: "),
        (&["run", "--config", "none.toml"], no_variables, 2, "error: cannot read the conf"),
    ];
    for (arguments, variables, code, message) in cases {
        let output = tieout(arguments, variables);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with(message), "{arguments:?}: {stderr}");
        assert_eq!(output.stdout.is_empty(), code == 2, "{arguments:?}");
    }
}

#[test]
fn leaves_nothing_behind_where_the_configuration_is_wrong() {
    let addresses: &[(&str, &str)] = &[
        ("TIEOUT_API__BASE_URL", "https://api.example.com/v1"),
        ("TIEOUT_API__AUTH_URL", "https://auth.example.com"),
    ];
    for variables in [&[][..], addresses] {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("tieout.db");
        let arguments = ["run", "--date", "2026-11-02", "--db", store.to_str().unwrap()];
        let output = tieout(&arguments, variables);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("is not configured"), "{stderr}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn prints_checks_as_json() {
    let output = tieout(&["checks", "--json"], &[]);
    let checks: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(checks.iter().any(|check| check["code"] == "DEPOSIT_NET_MISMATCH"));
}
