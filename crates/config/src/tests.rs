//! The meaning of a configuration, and the messages for a wrong one.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use tieout_model::Severity;

const CHECKS: &[&str] = &["DEPOSIT_NET_MISMATCH", "FUNDS_HELD", "UNKNOWN_MERCHANT"];

/// Loads a file with this text under this environment.
fn load_in(folder: &Path, text: &str, variables: &[(&str, &str)]) -> Result<Settings, ConfigError> {
    let file = folder.join("tieout.toml");
    std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), text.as_bytes()).unwrap();
    let environment =
        variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let sources = Sources { config_file: Some(file), environment, db: None, out: None };
    Settings::load(&sources, CHECKS)
}

fn load(text: &str, variables: &[(&str, &str)]) -> Settings {
    load_in(tempfile::tempdir().unwrap().path(), text, variables).unwrap()
}

/// The message and the hint, without the folder of this test run.
fn refusal(text: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let Err(error) = load_in(folder.path(), text, variables) else {
        panic!("accepted: {text} {variables:?}");
    };
    let describe = |fault: &ConfigError| {
        let hint = fault.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        format!("error: {fault}{hint}")
    };
    let message: Vec<String> = error.each().iter().map(describe).collect();
    message.join("\n").replace(&format!("{}/", folder.path().display()), "")
}

const FULL: &str = r#"
time_zone = "America/New_York"

[api]
base_url = "https://api.example.com/v1/"
auth_url = "http://127.0.0.1:8080"
api_key_file = "/run/secrets/api_key"
page_size = 50
max_in_flight = 4
requests_per_second = 0
timeout_seconds = 30
max_attempts = 3
transactions = "off"

[store]
path = "data/tieout.db"

[reports]
dir = "out"
formats = ["csv", "json"]

[schedule]
cron = "0 0 6 * * Mon-Fri"
date = "-3d..yesterday"
catch_up_days = 10

[settlement]
payout_days = 3
settle_days = 2
ledger_days = 0
return_days = 7
dispute_days = 7
lookback_days = 90
restated_days = 3
restated_requests = 50
calendar = "canada"
extra_holidays = ["2026-12-24", 2026-12-31]

[settlement.signs]
ach_adjustment = "plus"

[matching]
window_days = 5
amount_tolerance_minor = 1

[checks]
FUNDS_HELD = "off"

[notify]
webhook_url = "https://hooks.example.com/secret"
metrics_file = "tieout.prom"

[[merchants]]
id = "4525644354"
name = "Pizza Doe"
currency = "USD"
time_zone = "America/Chicago"
terminals = ["1234001", "1234002"]
checks = { FUNDS_HELD = "info", DEPOSIT_NET_MISMATCH = "off" }
calendar = "us-federal-reserve"
ledger = "books"

[[merchants]]
id = "0000000002"
currency = "CAD"

[[ledgers]]
name = "books"
path = "ledger/*.csv"
delimiter = ";"
decimal = ","
date_format = "%d.%m.%Y"
skip_lines = 2
columns = { id = "Invoice", amount = "Amount" }
values = { kind = { sale = "payment", credit = "refund" }, status = { settled = "paid" } }
"#;

#[test]
fn resolves_every_key_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = load_in(folder.path(), FULL, &[]).unwrap();
    let shown = format!("{settings:#?}").replace(&folder.path().display().to_string(), "[folder]");
    insta::assert_snapshot!(shown);
}

#[test]
fn gets_along_with_nothing_but_defaults() {
    let settings = load("", &[]);
    assert_eq!(settings.time_zone, Tz::UTC);
    assert_eq!(settings.api.page_size, 100);
    assert_eq!(settings.api.requests_per_second, 50);
    assert!(settings.api.base_url.is_none());
    assert_eq!(settings.reports.formats.len(), 4);
    assert_eq!(settings.schedule.cron, "0 30 5 * * *");
    assert_eq!(settings.settlement.signs, ComponentSigns::default());
    assert_eq!(settings.settlement.lookback_days, 75);
    assert!(settings.store_path.ends_with("tieout.db"));
}

#[test]
fn lets_the_environment_win_over_the_file() {
    let settings = load(
        FULL,
        &[
            ("TIEOUT_TIME_ZONE", "Europe/Berlin"),
            ("TIEOUT_API__BASE_URL", "https://other.example.com"),
            ("TIEOUT_API__PAGE_SIZE", "10"),
            ("TIEOUT_REPORTS__FORMATS", "csv, html"),
            ("TIEOUT_REPORTS__DIR", "elsewhere"),
            ("TIEOUT_SETTLEMENT__EXTRA_HOLIDAYS", "[\"2026-12-25\"]"),
            ("TIEOUT_SETTLEMENT__SIGNS__RETURNS", "plus"),
            ("TIEOUT_CHECKS__FUNDS_HELD", "error"),
            ("TIEOUT_MERCHANTS__0__NAME", "Pizza Roe"),
            ("TIEOUT_MERCHANTS__1__TERMINALS", "99,98"),
            ("TIEOUT_MERCHANTS__2__ID", "3"),
            ("TIEOUT_LEDGERS__0__COLUMNS__DATE", "Day"),
            ("TIEOUT_LEDGERS__0__VALUES", "{ kind = { Verkauf = \"payment\" } }"),
            ("TIEOUT_NOTIFY__WEBHOOK_URL", ""),
            ("TIEOUT_NOW", "2026-11-21T05:30:00Z"),
            ("PATH", "/bin"),
        ],
    );
    assert_eq!(settings.time_zone, chrono_tz::Europe::Berlin);
    assert_eq!(settings.api.base_url.as_deref(), Some("https://other.example.com"));
    assert_eq!(settings.api.page_size, 10);
    assert_eq!(settings.reports.formats, [ReportFormat::Csv, ReportFormat::Html].into());
    assert_eq!(settings.reports.dir, PathBuf::from("elsewhere"));
    assert_eq!(settings.settlement.extra_holidays, ["2026-12-25".parse().unwrap()].into());
    assert_eq!(settings.settlement.signs.returns, 1);
    assert_eq!(settings.checks["FUNDS_HELD"], Some(Severity::Error));
    assert_eq!(settings.merchants[0].name.as_deref(), Some("Pizza Roe"));
    assert_eq!(settings.merchants[1].terminals.len(), 2);
    assert_eq!(settings.merchants[2].id.as_str(), "3");
    assert_eq!(settings.ledgers[0].table.columns["date"], "Day");
    assert_eq!(settings.ledgers[0].table.columns["id"], "Invoice");
    assert_eq!(settings.ledgers[0].table.values["kind"]["Verkauf"], "payment");
    assert!(settings.notify.webhook_url.is_some(), "set to nothing counts as not set");
}

#[test]
fn takes_the_key_from_the_environment_before_the_file() {
    let settings = load(FULL, &[("TIEOUT_API_KEY", "abc\n")]);
    match settings.api.api_key {
        Some(ApiKeySource::Environment(ref key)) => assert_eq!(key.expose(), "abc"),
        ref other => panic!("{other:?}"),
    }
    assert!(!format!("{settings:?}").contains("abc"));
    assert!(matches!(load(FULL, &[]).api.api_key, Some(ApiKeySource::File(_))));
}

#[test]
fn gives_canadian_merchants_their_calendar() {
    let text = "[[merchants]]\nid = \"1\"\ncurrency = \"CAD\"\n[[merchants]]\nid = \"2\"\n";
    let calendars: Vec<CalendarName> =
        load(text, &[]).merchants.iter().map(|merchant| merchant.calendar).collect();
    assert_eq!(calendars, [CalendarName::Canada, CalendarName::UsFederalReserve]);
}

#[test]
fn lets_flags_win_over_everything() {
    let sources = Sources {
        config_file: None,
        environment: [("TIEOUT_STORE__PATH".to_owned(), "a.db".to_owned())].into(),
        db: Some("b.db".into()),
        out: Some("there".into()),
    };
    let settings = Settings::load(&sources, CHECKS).unwrap();
    assert_eq!(settings.store_path, PathBuf::from("b.db"));
    assert_eq!(settings.reports.dir, PathBuf::from("there"));
}

#[test]
fn accepts_plain_http_on_loopback_alone() {
    for host in ["localhost:1", "127.0.0.1", "127.9.9.9:80", "[::1]:8080"] {
        load(&format!("[api]\nbase_url = \"http://{host}/v1\"\n"), &[]);
    }
    for host in ["example.com", "127.0.0.1.example.com", "10.0.0.1", "[::2]"] {
        refusal(&format!("[api]\nbase_url = \"http://{host}/v1\"\n"), &[]);
    }
}

#[test]
fn digests_what_influences_results_and_nothing_else() {
    let digest = |variables: &[(&str, &str)]| digest_of(&load(FULL, variables));
    let plain = digest(&[]);
    for same in [
        ("TIEOUT_API_KEY", "abc"),
        ("TIEOUT_API__PAGE_SIZE", "9"),
        ("TIEOUT_API__BASE_URL", "https://x.example"),
        ("TIEOUT_STORE__PATH", "x"),
        ("TIEOUT_LEDGERS__0__PATH", "x"),
        ("TIEOUT_REPORTS__FORMATS", "csv"),
        ("TIEOUT_SCHEDULE__DATE", "today"),
        ("TIEOUT_NOTIFY__METRICS_FILE", "x"),
    ] {
        assert_eq!(digest(&[same]), plain, "{same:?}");
    }
    for other in [
        ("TIEOUT_TIME_ZONE", "UTC"),
        ("TIEOUT_API__TRANSACTIONS", "auto"),
        ("TIEOUT_SETTLEMENT__PAYOUT_DAYS", "4"),
        ("TIEOUT_SETTLEMENT__SIGNS__SALES", "minus"),
        ("TIEOUT_MATCHING__WINDOW_DAYS", "1"),
        ("TIEOUT_CHECKS__FUNDS_HELD", "info"),
        ("TIEOUT_MERCHANTS__0__TERMINALS", "1"),
        ("TIEOUT_LEDGERS__0__DECIMAL", "'"),
    ] {
        assert_ne!(digest(&[other]), plain, "{other:?}");
    }
}

/// The fault, the file, the environment.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// Every message: the fault on one line, the message below it.
#[test]
fn says_what_is_wrong_and_what_to_do() {
    let merchant = "[[merchants]]\nid = \"1\"\n";
    let ledger = "[[ledgers]]\nname = \"books\"\npath = \"b.csv\"\n";
    let twice = |text: &str| format!("{text}{text}");
    let long = format!("time_zone = \"{}\"", "x".repeat(200));
    let cases: &[Case] = &[
        ("not TOML", "time_zone = UTC", &[]),
        ("key twice", "time_zone = \"UTC\"\ntime_zone = \"UTC\"", &[]),
        ("unknown key", "time_zon = \"UTC\"", &[]),
        ("unknown key in a table", "[api]\n\npage_sizes = 1", &[]),
        ("key of another table", "page_size = 1", &[]),
        ("unknown table", "[merchant]\nid = \"1\"", &[]),
        ("unknown key of a merchant", "[[merchants]]\nid = \"1\"\nterminal = \"1\"", &[]),
        ("unknown column", &format!("{ledger}columns = {{ ids = \"x\" }}"), &[]),
        ("unknown check", "[checks]\nFUNDS_HELT = \"off\"", &[]),
        ("check in lower case", "[checks]\nfunds_held = \"off\"", &[]),
        ("level of a check", "[checks]\nFUNDS_HELD = false", &[]),
        ("key in the file", "[api]\napi_key = \"secret\"", &[]),
        ("key at the top", "api_key = \"secret\"", &[]),
        ("text for a number", "[api]\npage_size = \"many\"", &[]),
        ("number out of range", "[api]\npage_size = 101", &[]),
        ("number with decimals", "[settlement]\npayout_days = 1.5", &[]),
        ("too many days", "[settlement]\nlookback_days = 100_000", &[]),
        ("number for a text", "[[merchants]]\nid = 1", &[]),
        ("number in a list", &format!("{merchant}terminals = [\"1\", 2]"), &[]),
        ("table for a list", "[merchants]\nid = \"1\"", &[]),
        ("time zone", "time_zone = \"America/New_Yorc\"", &[]),
        ("long value", &long, &[]),
        ("date", "[settlement]\nextra_holidays = [\"2026-02-30\"]", &[]),
        ("currency", &format!("{merchant}currency = \"usd\""), &[]),
        ("zone of a merchant", &format!("{merchant}time_zone = \"EST5\""), &[]),
        ("blank terminal", &format!("{merchant}terminals = [\" \"]"), &[]),
        ("calendar", "[settlement]\ncalendar = \"usa\"", &[]),
        ("sign", "[settlement.signs]\nsales = \"+\"", &[]),
        ("cron", "[schedule]\ncron = \"30 5 * *\"", &[]),
        ("cron of another program", "[schedule]\ncron = \"30 5 * * 5L\"", &[]),
        ("schedule date", "[schedule]\ndate = \"last week\"", &[]),
        ("plain http", "[api]\nbase_url = \"http://api.example.com/v1\"", &[]),
        ("no url", "[api]\nauth_url = \"api.example.com\"", &[]),
        ("password in a url", "[api]\nauth_url = \"https://me:secret@example.com\"", &[]),
        ("query in a url", "[api]\nbase_url = \"https://example.com/?a=b\"", &[]),
        ("plain webhook", "[notify]\nwebhook_url = \"http://example.com/secret\"", &[]),
        ("merchant twice", &twice(merchant), &[]),
        ("merchant without id", "[[merchants]]\nname = \"x\"", &[]),
        ("blank id", "[[merchants]]\nid = \" 1\"", &[]),
        (
            "terminal of two",
            "[[merchants]]\nid = \"1\"\nterminals = [\"7\"]\n\
             [[merchants]]\nid = \"2\"\nterminals = [\"7\"]",
            &[],
        ),
        ("ledger not defined", &format!("{merchant}ledger = \"book\"\n{ledger}"), &[]),
        ("no ledger defined", &format!("{merchant}ledger = \"book\""), &[]),
        ("ledger twice", &twice(ledger), &[]),
        ("ledger without path", "[[ledgers]]\nname = \"x\"", &[]),
        ("separators", &format!("{ledger}decimal = \",\"\nthousands = \",\""), &[]),
        ("long separator", &format!("{ledger}delimiter = \"tab\""), &[]),
        ("date format", &format!("{ledger}date_format = \"%m/%Y\""), &[]),
        ("word of a kind", &format!("{ledger}values = {{ kind = {{ a = \"sale\" }} }}"), &[]),
        ("unknown variable", "", &[("TIEOUT_API__BASE_URI", "x")]),
        ("variable with one underscore", "", &[("TIEOUT_API_BASE_URL", "x")]),
        ("variable below a value", "", &[("TIEOUT_TIME_ZONE__X", "x")]),
        ("variable without index", "", &[("TIEOUT_MERCHANTS__ID", "x")]),
        ("variable of a check", "", &[("TIEOUT_CHECKS__FUND_HELD", "off")]),
        ("key under the scheme", "", &[("TIEOUT_API__API_KEY", "secret")]),
        ("value of a variable", "", &[("TIEOUT_API__PAGE_SIZE", "ten")]),
        ("list in a variable", "", &[("TIEOUT_REPORTS__FORMATS", "csv,pdf")]),
        ("table in a variable", "", &[("TIEOUT_CHECKS", "{ FUNDS_HELD = off }")]),
        ("gap in an array", "", &[("TIEOUT_MERCHANTS__1__ID", "1")]),
        ("characters of the key", "", &[("TIEOUT_API_KEY", "se cret")]),
        (
            "several faults at once",
            "time_zon = \"UTC\"\n[api]\npage_size = 101\nmax_attempts = \"x\"",
            &[("TIEOUT_API__BASE_URI", "x")],
        ),
        (
            "several values that do not fit",
            "time_zone = \"Mars\"\n[schedule]\ncron = \"x\"\n\
             [[merchants]]\nid = \"1\"\ncurrency = \"usd\"\nledger = \"a\"\n\
             [[merchants]]\nid = \"1\"",
            &[],
        ),
    ];
    let mut catalogue = Vec::new();
    for (name, text, variables) in cases {
        let refusal = refusal(text, variables);
        assert!(!refusal.contains("secret"), "{refusal}");
        catalogue.push(format!("# {name}\n{refusal}\n"));
    }
    insta::assert_snapshot!(catalogue.join("\n"));
}

#[test]
fn names_a_file_that_is_not_there() {
    let sources = Sources { config_file: Some("no/such.toml".into()), ..Sources::default() };
    let error = Settings::load(&sources, CHECKS).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the configuration file no/such.toml");
    fs::metadata("no").unwrap_err();
}

#[test]
fn says_everything_that_is_wrong_at_once_and_no_consequences() {
    let text = "time_zone = \"Mars/Olympus\"\n[api]\nbase_url = \"ftp://x\"\npage_sise = 50\n\
                auth_url = \"nope\"\n[[merchants]]\nid = \"\"\ncurrency = \"USDD\"\n\
                [[merchants]]\nid = 5\n[schedule]\ncron = \"61 * * * *\"\n";
    let said = refusal(text, &[("TIEOUT_NOTIFY__WEBHOOK_URL", "no address")]);
    for name in [
        "time_zone",
        "api.base_url",
        "api.page_sise",
        "api.auth_url",
        "merchants[0].id",
        "merchants[0].currency",
        "merchants[1].id",
        "schedule.cron",
        "notify.webhook_url",
    ] {
        // The place of a value in the environment is its variable.
        let variable = format!("TIEOUT_{}", name.to_uppercase().replace('.', "__"));
        assert!(said.contains(name) || said.contains(&variable), "{name}: {said}");
    }
    assert_eq!(said.matches("error: ").count(), 9, "{said}");
    // A refused id is not a missing one.
    assert!(!said.contains("missing"), "{said}");
}
