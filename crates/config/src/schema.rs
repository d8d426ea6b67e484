//! Every key of the configuration with the shape of its value: the one list for the file, the
//! environment and the search for a mistyped key. Holds no defaults.

use super::nearest::{edit_distance, nearest};

/// The form of a value.
pub(super) enum Shape {
    Text,
    /// A calendar date, quoted or not.
    Date,
    Number {
        min: i64,
        max: i64,
    },
    /// True or false.
    Flag,
    /// The header of a column, or its number.
    Column,
    /// One of these words.
    Choice(&'static [&'static str]),
    List(&'static Shape),
    /// A table with these keys.
    Table(&'static [Key]),
    /// An array of such tables.
    Tables(&'static [Key]),
    /// A table with check codes as keys.
    Checks,
    /// A table with keys of the user's own.
    Free(&'static Shape),
}

/// A key of a table.
pub(super) struct Key {
    pub name: &'static str,
    pub shape: Shape,
}

const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape }
}

pub(super) const CHECK_LEVELS: Shape = Shape::Choice(&["off", "info", "warning", "error"]);
const CALENDAR: Shape = Shape::Choice(&["us-federal-reserve", "canada"]);
const SIGN: Shape = Shape::Choice(&["plus", "minus"]);
/// Nearly three months of banking days; later money is not late but lost.
const DUE_DAYS: Shape = Shape::Number { min: 0, max: 60 };
const SKIP_LINES: Shape = Shape::Number { min: 0, max: 10_000 };

const PERCENT: Shape = Shape::Number { min: 0, max: 100 };
const WINDOW_DAYS: Shape = Shape::Number { min: 0, max: 31 };
const TOLERANCE: Shape = Shape::Number { min: 0, max: 1_000_000 };
const BASIS_POINTS: Shape = Shape::Number { min: 0, max: 10_000 };

/// The keys of the configuration.
pub(super) const ROOT: &[Key] = &[
    key("time_zone", Shape::Text),
    key("api", Shape::Table(API)),
    key("store", Shape::Table(&[key("path", Shape::Text)])),
    key("reports", Shape::Table(REPORTS)),
    key(
        "schedule",
        Shape::Table(&[
            key("cron", Shape::Text),
            key("date", Shape::Text),
            key("catch_up_days", Shape::Number { min: 0, max: 366 }),
        ]),
    ),
    key("settlement", Shape::Table(SETTLEMENT)),
    key("matching", Shape::Table(MATCHING)),
    key("checks", Shape::Checks),
    key("custom_checks", Shape::Table(CUSTOM_CHECKS)),
    key("evidence", Shape::Table(&[key("signing_key_file", Shape::Text)])),
    key("export", Shape::Table(&[key("dir", Shape::Text)])),
    key("sign_off", Shape::Table(&[key("people", Shape::Number { min: 1, max: 2 })])),
    key("journal", Shape::Table(&[key("accounts", Shape::Table(ACCOUNTS))])),
    key("notify", Shape::Table(NOTIFY)),
    key("merchants", Shape::Tables(MERCHANT)),
    key("ledgers", Shape::Tables(LEDGER)),
    key("banks", Shape::Tables(BANK)),
];

const API: &[Key] = &[
    key("base_url", Shape::Text),
    key("auth_url", Shape::Text),
    key("api_key_file", Shape::Text),
    // The API returns no larger page.
    key("page_size", Shape::Number { min: 1, max: 100 }),
    key("max_in_flight", Shape::Number { min: 1, max: 256 }),
    key("requests_per_second", Shape::Number { min: 0, max: 10_000 }),
    key("timeout_seconds", Shape::Number { min: 1, max: 3_600 }),
    key("max_attempts", Shape::Number { min: 1, max: 20 }),
    key("transactions", Shape::Choice(&["auto", "off"])),
];

const REPORTS: &[Key] = &[
    key("dir", Shape::Text),
    key("formats", Shape::List(&Shape::Choice(&["csv", "json", "html", "xlsx"]))),
];

const SETTLEMENT: &[Key] = &[
    key("payout_days", DUE_DAYS),
    key("settle_days", DUE_DAYS),
    key("ledger_days", DUE_DAYS),
    key("return_days", DUE_DAYS),
    key("bank_days", DUE_DAYS),
    key("statement_days", DUE_DAYS),
    key("dispute_days", DUE_DAYS),
    // Every run reads these days again; two years are more than any return right reaches.
    key("lookback_days", Shape::Number { min: 0, max: 730 }),
    // Every run reads the listings of these days again; a month is a whole statement.
    key("restated_days", Shape::Number { min: 0, max: 31 }),
    key("restated_requests", Shape::Number { min: 0, max: 1_000_000 }),
    key("capture_tolerance_percent", PERCENT),
    key("calendar", CALENDAR),
    key("extra_holidays", Shape::List(&Shape::Date)),
    key("signs", Shape::Table(SIGNS)),
];

const SIGNS: &[Key] = &[
    key("sales", SIGN),
    key("returns", SIGN),
    key("daily_fees", SIGN),
    key("held_sales", SIGN),
    key("ach_adjustment", SIGN),
    key("holdback", SIGN),
    key("reserve_release", SIGN),
];

const MATCHING: &[Key] = &[
    key("window_days", WINDOW_DAYS),
    key("amount_tolerance_minor", TOLERANCE),
    key("amount_tolerance_basis_points", BASIS_POINTS),
];

const CUSTOM_CHECKS: &[Key] =
    &[key("dir", Shape::Text), key("timeout_seconds", Shape::Number { min: 1, max: 3_600 })];

const ACCOUNTS: &[Key] = &[
    key("cash", Shape::Text),
    key("clearing", Shape::Text),
    key("fees", Shape::Text),
    key("reserve", Shape::Text),
    key("chargebacks", Shape::Text),
    key("returns", Shape::Text),
];

const NOTIFY: &[Key] = &[
    key("webhook_url", Shape::Text),
    key("webhook_format", Shape::Choice(&["json", "slack"])),
    key("webhook_secret_file", Shape::Text),
    key("heartbeat_url", Shape::Text),
    key("metrics_file", Shape::Text),
    key("reports_url", Shape::Text),
    key("new_errors", Shape::Choice(&["together", "each"])),
];

const MERCHANT: &[Key] = &[
    key("id", Shape::Text),
    key("name", Shape::Text),
    key("currency", Shape::Text),
    key("time_zone", Shape::Text),
    key("terminals", Shape::List(&Shape::Text)),
    key("payout_days", DUE_DAYS),
    key("settle_days", DUE_DAYS),
    key("ledger_days", DUE_DAYS),
    key("window_days", WINDOW_DAYS),
    key("amount_tolerance_minor", TOLERANCE),
    key("amount_tolerance_basis_points", BASIS_POINTS),
    key("capture_tolerance_percent", PERCENT),
    key("calendar", CALENDAR),
    key("ledger", Shape::Text),
    key("bank", Shape::Text),
    key("checks", Shape::Checks),
];

const LEDGER: &[Key] = &[
    key("name", Shape::Text),
    key("path", Shape::Text),
    key("delimiter", Shape::Text),
    key("decimal", Shape::Text),
    key("thousands", Shape::Text),
    key("date_format", Shape::Text),
    key("time_zone", Shape::Text),
    key("skip_lines", SKIP_LINES),
    key("sheet", Shape::Text),
    key("times_in", Shape::Text),
    key("header", Shape::Flag),
    key("encoding", Shape::Text),
    key("reversed_sign", Shape::Flag),
    key("unused", Shape::List(&Shape::Column)),
    key("columns", Shape::Table(LEDGER_COLUMNS)),
    key("values", Shape::Table(LEDGER_VALUES)),
];

const BANK: &[Key] = &[
    key("name", Shape::Text),
    key("path", Shape::Text),
    key("format", Shape::Choice(&["auto", "bai2", "camt053", "mt940", "ofx", "csv", "xlsx"])),
    key("originators", Shape::List(&Shape::Text)),
    key("account", Shape::Text),
    key("delimiter", Shape::Text),
    key("decimal", Shape::Text),
    key("thousands", Shape::Text),
    key("date_format", Shape::Text),
    key("time_zone", Shape::Text),
    key("skip_lines", SKIP_LINES),
    key("sheet", Shape::Text),
    key("times_in", Shape::Text),
    key("header", Shape::Flag),
    key("encoding", Shape::Text),
    key("reversed_sign", Shape::Flag),
    key("unused", Shape::List(&Shape::Column)),
    key("columns", Shape::Table(BANK_COLUMNS)),
    key("values", Shape::Table(BANK_VALUES)),
];

const BANK_COLUMNS: &[Key] = &[
    key("date", Shape::Column),
    key("time", Shape::Column),
    key("zone", Shape::Column),
    key("amount", Shape::Column),
    key("direction", Shape::Column),
    key("status", Shape::Column),
    key("debit", Shape::Column),
    key("credit", Shape::Column),
    key("currency", Shape::Column),
    key("description", Shape::Column),
    key("reference", Shape::Column),
    key("account", Shape::Column),
];

const LEDGER_COLUMNS: &[Key] = &[
    key("id", Shape::Column),
    key("kind", Shape::Column),
    key("date", Shape::Column),
    key("time", Shape::Column),
    key("zone", Shape::Column),
    key("amount", Shape::Column),
    key("debit", Shape::Column),
    key("credit", Shape::Column),
    key("refund", Shape::Column),
    key("currency", Shape::Column),
    key("order_id", Shape::Column),
    key("reference", Shape::Column),
    key("last4", Shape::Column),
    key("status", Shape::Column),
    key("merchant", Shape::Column),
];

const LEDGER_VALUES: &[Key] = &[
    key("kind", Shape::Free(&Shape::Choice(&["payment", "refund", "ignore"]))),
    key("status", Shape::Free(&Shape::Choice(&["paid", "void", "declined", "returned", "ignore"]))),
    key("currency", Shape::Free(&Shape::Text)),
    key("merchant", Shape::Free(&Shape::Text)),
];

const BANK_VALUES: &[Key] = &[
    key("direction", Shape::Free(&Shape::Choice(&["credit", "debit", "ignore"]))),
    key("status", Shape::Free(&Shape::Choice(&["booked", "pending", "ignore"]))),
    key("currency", Shape::Free(&Shape::Text)),
    key("account", Shape::Free(&Shape::Text)),
];

/// The key of that name among `keys`.
pub(super) fn find<'a>(keys: &'a [Key], name: &str) -> Option<&'a Key> {
    keys.iter().find(|key| key.name == name)
}

/// The full path of the key that an unknown `name` under `prefix` most likely means: a typing error
/// in its own table, else a key of exactly that name in another table, else the nearest in its own.
pub(super) fn nearest_key(keys: &[Key], prefix: &str, name: &str) -> String {
    /// A typing error changes no more than this; more is another word.
    const SLIP_EDITS: usize = 2;
    let sibling = nearest(name, keys.iter().map(|key| key.name)).unwrap_or_default();
    let is_slip = edit_distance(name, sibling) <= SLIP_EDITS;
    let elsewhere = || all_paths("").into_iter().find(|path| path.rsplit('.').next() == Some(name));
    let slip = is_slip.then(|| join(prefix, sibling));
    slip.or_else(elsewhere).unwrap_or_else(|| join(prefix, sibling))
}

/// The name of the environment variable that an unknown one most likely means.
pub(super) fn nearest_variable(name: &str) -> String {
    let mut known: Vec<String> = all_paths("0")
        .iter()
        .map(|path| format!("TIEOUT_{}", path.to_uppercase().replace('.', "__")))
        .collect();
    known.push("TIEOUT_API_KEY".to_owned());
    known.push("TIEOUT_NOW".to_owned());
    nearest(name, known.iter().map(String::as_str)).unwrap_or_default().to_owned()
}

/// `name` under `prefix`, as messages write it.
pub(super) fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Every key with a fixed name; `index` (or nothing) replaces the position in an array.
fn all_paths(index: &str) -> Vec<String> {
    let mut paths = Vec::new();
    collect_paths(ROOT, "", index, &mut paths);
    paths
}

fn collect_paths(keys: &[Key], prefix: &str, index: &str, paths: &mut Vec<String>) {
    for key in keys {
        let path = join(prefix, key.name);
        match key.shape {
            Shape::Table(keys) => collect_paths(keys, &path, index, paths),
            Shape::Tables(keys) if index.is_empty() => collect_paths(keys, &path, index, paths),
            Shape::Tables(keys) => collect_paths(keys, &join(&path, index), index, paths),
            _ => paths.push(path),
        }
    }
}
