//! The meaning and default of every key of the configuration: the text of `docs/configuration.md`
//! and of the file that `tieout init` writes. The schema holds the shapes.

use std::fmt::Write as _;

use super::schema::{Key, ROOT, Shape, join};

/// A key by its path, its default as TOML (empty without one), and its meaning.
pub(super) struct Explained {
    pub path: &'static str,
    pub default: &'static str,
    pub means: &'static str,
}

const fn explained(path: &'static str, default: &'static str, means: &'static str) -> Explained {
    Explained { path, default, means }
}

/// Every key that can be set, in any order.
pub(super) const KEYS: &[Explained] = &[
    explained("time_zone", "\"UTC\"", "IANA time zone of dates, schedule and merchants"),
    explained("api.base_url", "", "address of the API; required by every command that reads it"),
    explained(
        "api.auth_url",
        "",
        "the key is sent to {auth_url}/authorize and nowhere else; required with base_url",
    ),
    explained(
        "api.api_key_file",
        "",
        "file that holds the API key; or TIEOUT_API_KEY, never this file",
    ),
    explained("api.page_size", "100", "records per page"),
    explained("api.max_in_flight", "16", "requests at once; the renewal of a token does not count"),
    explained("api.requests_per_second", "50", "limit of the key; 0 is no limit"),
    explained("api.timeout_seconds", "60", "for one request"),
    explained("api.max_attempts", "6", "attempts of one request before its listing is incomplete"),
    explained("api.transactions", "\"auto\"", "use /transactions where the key has it, or never"),
    explained("store.path", "\"tieout.db\"", "the SQLite database; needs a local disk"),
    explained("reports.dir", "\"reports\"", "folder of the reports, one folder a date"),
    explained(
        "reports.formats",
        "[\"csv\", \"json\", \"html\", \"xlsx\"]",
        "which files are written; json is run.json, the record of the run, which is always written",
    ),
    explained(
        "schedule.cron",
        "\"0 30 5 * * *\"",
        "when `tieout schedule` runs: seconds minutes hours day month weekday, or five fields without seconds",
    ),
    explained("schedule.date", "\"yesterday\"", "which dates it runs, as --date takes them"),
    explained(
        "schedule.catch_up_days",
        "7",
        "how far back a `tieout run` without --date also runs dates that were never reconciled; 0: not at all",
    ),
    explained("settlement.payout_days", "2", "banking days until a batch is paid"),
    explained("settlement.settle_days", "1", "banking days until a bank transfer settles"),
    explained("settlement.ledger_days", "1", "banking days until the ledger is posted"),
    explained("settlement.return_days", "5", "banking days until a return is handled"),
    explained(
        "settlement.bank_days",
        "1",
        "banking days until a deposit stands on the bank statement",
    ),
    explained(
        "settlement.statement_days",
        "1",
        "banking days that a bank statement may come late; until then its deposits are awaited",
    ),
    explained(
        "settlement.dispute_days",
        "5",
        "banking days until a dispute that waits for the merchant is reported",
    ),
    explained(
        "settlement.lookback_days",
        "75",
        "calendar days that bank transfers are read again for returns, from their run date; 110 \
         where a merchant is on Canada's calendar",
    ),
    explained(
        "settlement.restated_days",
        "7",
        "recent dates whose listings are read again; 0 turns it off",
    ),
    explained(
        "settlement.restated_requests",
        "200",
        "pages of authorizations that this may cost a date",
    ),
    explained(
        "settlement.capture_tolerance_percent",
        "0",
        "whole percent that captures may exceed their authorization by, as for tips",
    ),
    explained(
        "settlement.calendar",
        "\"us-federal-reserve\"",
        "bank holidays of merchants that name no calendar",
    ),
    explained("settlement.extra_holidays", "[]", "further dates that are no banking days"),
    explained("settlement.signs.sales", "\"plus\"", "sign of sales in a deposit's net amount"),
    explained("settlement.signs.returns", "\"minus\"", "sign of returns"),
    explained("settlement.signs.daily_fees", "\"minus\"", "sign of daily fees"),
    explained("settlement.signs.held_sales", "\"minus\"", "sign of held sales"),
    explained("settlement.signs.ach_adjustment", "\"minus\"", "sign of the ACH adjustment"),
    explained("settlement.signs.holdback", "\"minus\"", "sign of the holdback"),
    explained("settlement.signs.reserve_release", "\"plus\"", "sign of the reserve release"),
    explained("matching.window_days", "3", "banking days between an item and its ledger record"),
    explained(
        "matching.amount_tolerance_minor",
        "0",
        "difference in minor units that a pair may have",
    ),
    explained(
        "matching.amount_tolerance_basis_points",
        "0",
        "the same of the larger amount; 0 is not set; of two that are set the smaller holds",
    ),
    explained("checks", "", "a check's code to its severity, or off"),
    explained("custom_checks.dir", "", "folder of your own checks, *.sql"),
    explained("export.dir", "", "folder of a Parquet dataset, written after each run"),
    explained("custom_checks.timeout_seconds", "10", "for each of them, on each date"),
    explained(
        "evidence.signing_key_file",
        "",
        "file with an Ed25519 key in PEM that signs manifests; `verify` needs its public half alone",
    ),
    explained("sign_off.people", "1", "2: who closes a date is not who prepared it"),
    explained("journal.accounts.cash", "", "account of what arrived; all six make journal.csv"),
    explained("journal.accounts.clearing", "", "account of what the processor owes for sales"),
    explained("journal.accounts.fees", "", "account of the processor's fees"),
    explained("journal.accounts.reserve", "", "account of what the processor keeps for a time"),
    explained("journal.accounts.chargebacks", "", "account of what disputes take or give back"),
    explained("journal.accounts.returns", "", "account of bank transfers that came back"),
    explained("notify.webhook_url", "", "receives a summary after each run, finished or failed"),
    explained("notify.webhook_format", "\"json\"", "the whole notice, or a Slack message"),
    explained("notify.webhook_secret_file", "", "file with the secret that signs the notice"),
    explained("notify.heartbeat_url", "", "called after each run that finished"),
    explained("notify.metrics_file", "", "file for Prometheus' node exporter"),
    explained(
        "notify.reports_url",
        "",
        "where people open the folder of the reports: notices link to it",
    ),
    explained(
        "notify.new_errors",
        "\"together\"",
        "each: besides the notice of the run, one for each new error, 20 at the most",
    ),
    explained("merchants.id", "", "the MID; required"),
    explained("merchants.name", "", "as reports show it; else the trading name of the API"),
    explained("merchants.currency", "", "ISO 4217; for deposits whose currency nothing else tells"),
    explained("merchants.time_zone", "", "its own IANA time zone; else time_zone"),
    explained(
        "merchants.terminals",
        "",
        "processing terminals; bank transfers are read per terminal; [] says that there are none",
    ),
    explained("merchants.payout_days", "", "its own; else settlement.payout_days"),
    explained("merchants.settle_days", "", "its own; else settlement.settle_days"),
    explained("merchants.ledger_days", "", "its own; else settlement.ledger_days"),
    explained("merchants.window_days", "", "its own; else matching.window_days"),
    explained(
        "merchants.amount_tolerance_minor",
        "",
        "its own; else matching.amount_tolerance_minor",
    ),
    explained(
        "merchants.amount_tolerance_basis_points",
        "",
        "its own; else matching.amount_tolerance_basis_points",
    ),
    explained(
        "merchants.capture_tolerance_percent",
        "",
        "its own; else settlement.capture_tolerance_percent",
    ),
    explained(
        "merchants.calendar",
        "",
        "its own bank holidays; else canada for CAD, else settlement.calendar",
    ),
    explained("merchants.ledger", "", "name of one of [[ledgers]]"),
    explained("merchants.bank", "", "name of one of [[banks]]"),
    explained(
        "merchants.checks",
        "",
        "its own severity of a check, or off; else that under checks",
    ),
    explained("ledgers.name", "", "what merchants call it; required"),
    explained("ledgers.path", "", "file or pattern such as ledger/*.csv; required"),
    explained("ledgers.delimiter", "\",\"", "between columns"),
    explained("ledgers.decimal", "\".\"", "before the decimals of an amount"),
    explained("ledgers.thousands", "\",\"", "between thousands; \".\" when decimal is \",\""),
    explained("ledgers.date_format", "\"%Y-%m-%d\"", "how dates are written"),
    explained("ledgers.time_zone", "", "whose day a moment belongs to; default: the merchant's"),
    explained("ledgers.skip_lines", "0", "lines before the header"),
    explained("ledgers.sheet", "", "sheet of a workbook, where it has several"),
    explained(
        "ledgers.times_in",
        "",
        "zone of times that name none, such as \"UTC\"; time_zone says whose day it is",
    ),
    explained("ledgers.header", "true", "false: no header, and columns by number, from 1"),
    explained(
        "ledgers.encoding",
        "",
        "such as \"windows-1251\"; default: what the bytes look like",
    ),
    explained("ledgers.reversed_sign", "false", "true: a minus in amount is money received"),
    explained(
        "ledgers.unused",
        "[]",
        "headers that say a kind, status or direction and do not count",
    ),
    explained("ledgers.columns.id", "\"id\"", "header of the record's id"),
    explained("ledgers.columns.kind", "\"kind\"", "header of payment or refund"),
    explained("ledgers.columns.date", "\"date\"", "header of the date"),
    explained("ledgers.columns.time", "", "header of the time of day, beside a date without one"),
    explained("ledgers.columns.zone", "", "header of the zone of the time, such as PST or +01:00"),
    explained("ledgers.columns.amount", "\"amount\"", "header of the amount, in major units"),
    explained(
        "ledgers.columns.debit",
        "\"debit\"",
        "header of money received, with credit in place of amount",
    ),
    explained("ledgers.columns.credit", "\"credit\"", "header of money given back"),
    explained(
        "ledgers.columns.refund",
        "",
        "header of the amount given back in the same row: a second record, its id with -refund",
    ),
    explained(
        "ledgers.columns.currency",
        "\"currency\"",
        "header of the currency; else the merchant's",
    ),
    explained("ledgers.columns.order_id", "\"order_id\"", "header of the order id"),
    explained(
        "ledgers.columns.reference",
        "\"reference\"",
        "header of the processor's id: paymentId, refundId, transactionId or authorizationId",
    ),
    explained(
        "ledgers.columns.last4",
        "\"last4\"",
        "header of the last four digits of card or account",
    ),
    explained(
        "ledgers.columns.status",
        "\"status\"",
        "header of the status; without it all are paid",
    ),
    explained(
        "ledgers.columns.merchant",
        "\"merchant\"",
        "header of the MID, where several merchants share a ledger",
    ),
    explained("ledgers.values.kind", "", "the file's words for payment, refund and ignore"),
    explained(
        "ledgers.values.status",
        "",
        "the file's words for paid, void, declined, returned and ignore",
    ),
    explained("ledgers.values.currency", "", "the file's words for currencies"),
    explained("ledgers.values.merchant", "", "the file's words for MIDs"),
    explained("banks.name", "", "what merchants call it; required"),
    explained("banks.path", "", "file or pattern such as bank/*; required"),
    explained("banks.format", "\"auto\"", "auto recognises a file by its content"),
    explained("banks.originators", "", "how statements name the processor; required"),
    explained(
        "banks.account",
        "",
        "last four characters of the account, where a file holds several",
    ),
    explained("banks.delimiter", "\",\"", "CSV: between columns"),
    explained("banks.decimal", "\".\"", "CSV: before the decimals of an amount"),
    explained("banks.thousands", "\",\"", "CSV: between thousands; \".\" when decimal is \",\""),
    explained("banks.date_format", "\"%Y-%m-%d\"", "CSV: how dates are written"),
    explained("banks.time_zone", "", "whose day a moment belongs to; default: the merchant's"),
    explained("banks.skip_lines", "0", "CSV: lines before the header"),
    explained("banks.sheet", "", "XLSX: the sheet, where there are several"),
    explained(
        "banks.times_in",
        "",
        "CSV: zone of times that name none, such as \"UTC\"; time_zone says whose day it is",
    ),
    explained("banks.header", "true", "CSV: false: no header, and columns by number, from 1"),
    explained(
        "banks.encoding",
        "",
        "CSV: such as \"windows-1251\"; default: what the bytes look like",
    ),
    explained("banks.reversed_sign", "false", "CSV: true: a minus in amount is money received"),
    explained(
        "banks.unused",
        "[]",
        "CSV: headers that say a kind, status or direction and do not count",
    ),
    explained("banks.columns.date", "\"date\"", "CSV: header of the date"),
    explained(
        "banks.columns.time",
        "",
        "CSV: header of the time of day, beside a date without one",
    ),
    explained(
        "banks.columns.zone",
        "",
        "CSV: header of the zone of the time, such as PST or +01:00",
    ),
    explained(
        "banks.columns.amount",
        "\"amount\"",
        "CSV: header of the amount, from the bank's side",
    ),
    explained(
        "banks.columns.debit",
        "\"debit\"",
        "CSV: header of money that left, with credit in place of amount",
    ),
    explained("banks.columns.credit", "\"credit\"", "CSV: header of money that came in"),
    explained("banks.columns.currency", "\"currency\"", "CSV: header of the currency"),
    explained("banks.columns.description", "\"description\"", "CSV: header of the text"),
    explained("banks.columns.reference", "\"reference\"", "CSV: header of the reference"),
    explained("banks.columns.account", "\"account\"", "CSV: header of the account"),
    explained(
        "banks.columns.direction",
        "\"direction\"",
        "CSV: header of credit or debit, beside an amount without a sign",
    ),
    explained(
        "banks.columns.status",
        "\"status\"",
        "CSV: header of what is booked and what is not",
    ),
    explained("banks.values.direction", "", "the file's words for credit, debit and ignore"),
    explained("banks.values.status", "", "the file's words for booked, pending and ignore"),
    explained("banks.values.currency", "", "the file's words for currencies"),
    explained("banks.values.account", "", "the file's words for accounts"),
];

/// A section's tables in a book page; `None` is the keys at the top.
const SECTIONS: &[(&str, &str)] = &[
    ("api", "How to reach the payments API."),
    ("store", "Where what was read and found is kept."),
    ("reports", "Where reports go, and which."),
    ("schedule", "When `tieout schedule` runs."),
    ("settlement", "When money is due, and whose calendar counts the days."),
    ("matching", "How items and ledger records are matched."),
    ("checks", "The severity of single checks."),
    ("custom_checks", "Your own checks."),
    ("evidence", "What proves the reports to others."),
    ("export", "A Parquet dataset for SQL engines."),
    ("sign_off", "How many people sign a business date off."),
    ("journal", "The accounts of journal.csv, as your books call them; none is written without."),
    ("notify", "Who hears how a run ended."),
    ("merchants", "A section for each merchant."),
    ("ledgers", "A section for each ledger that merchants name."),
    ("banks", "A section for each bank account that merchants name."),
];

/// The entry of the key at `path`.
pub(super) fn of(path: &str) -> Option<&'static Explained> {
    KEYS.iter().find(|key| key.path == path)
}

/// A sentence about a section.
pub(super) fn about(section: &str) -> &'static str {
    SECTIONS.iter().find(|one| one.0 == section).map_or("", |one| one.1)
}

/// Every key with a fixed name under `keys`, with its shape, in the order of the schema.
pub(super) fn leaves(keys: &'static [Key], prefix: &str) -> Vec<(String, &'static Shape)> {
    let mut found = Vec::new();
    for key in keys {
        let path = join(prefix, key.name);
        match &key.shape {
            Shape::Table(keys) | Shape::Tables(keys) => found.extend(leaves(keys, &path)),
            shape => found.push((path, shape)),
        }
    }
    found
}

/// The tables of `docs/configuration.md`: the text between its marks.
pub fn markdown() -> String {
    let mut text = String::new();
    let top: Vec<_> = ROOT.iter().filter(|key| !is_section(key)).collect();
    table(&mut text, top.iter().map(|key| (key.name.to_owned(), &key.shape)));
    for section in ROOT.iter().filter(|key| is_section(key)) {
        let brackets = match section.shape {
            Shape::Tables(_) => format!("[[{}]]", section.name),
            _ => format!("[{}]", section.name),
        };
        // Writing into a String cannot fail.
        let _ = write!(text, "\n## `{brackets}`\n\n{}\n\n", about(section.name));
        table(&mut text, leaves(std::slice::from_ref(section), "").into_iter());
    }
    text
}

fn is_section(key: &Key) -> bool {
    matches!(key.shape, Shape::Table(_) | Shape::Tables(_) | Shape::Checks)
}

fn table<'a>(text: &mut String, keys: impl Iterator<Item = (String, &'a Shape)>) {
    text.push_str("| key | value | default | meaning |\n|---|---|---|---|\n");
    for (path, shape) in keys {
        let (default, means) = of(&path).map_or(("", ""), |key| (key.default, key.means));
        let name = path.split_once('.').map_or(path.as_str(), |(_, name)| name);
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let value = value_of(shape);
        let _ = writeln!(text, "| `{name}` | {value} | {default} | {means} |");
    }
}

/// The form of a value, in words.
fn value_of(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Column => "header or number".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::Number { min, max } => format!("{min} to {max}"),
        Shape::Choice(words) => words.join(", "),
        Shape::List(element) => format!("list of {}", value_of(element)),
        Shape::Table(_) | Shape::Tables(_) => "table".to_owned(),
        Shape::Checks => "off, info, warning, error".to_owned(),
        Shape::Free(element) => format!("your word = {}", value_of(element)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::book::assert_generated;
    use crate::resolve::{self, Surroundings};
    use crate::tree::{Converter, Lines, Origin};

    #[test]
    fn explains_every_key_of_the_schema_and_no_other() {
        let known: BTreeSet<String> = leaves(ROOT, "").into_iter().map(|leaf| leaf.0).collect();
        let explained: BTreeSet<String> = KEYS.iter().map(|key| key.path.to_owned()).collect();
        let missing: Vec<_> = known.symmetric_difference(&explained).collect();
        assert!(
            missing.is_empty(),
            "crates/config/src/reference.rs explains other keys: {missing:?}"
        );
        for section in ROOT.iter().filter(|key| is_section(key)) {
            assert!(!about(section.name).is_empty(), "{}", section.name);
        }
    }

    #[test]
    fn the_book_has_the_reference() {
        assert_generated("docs/configuration.md", "-p tieout-config", &markdown());
    }

    #[test]
    fn states_the_defaults_that_the_program_takes() {
        let is_single =
            |path: &str| !["merchants", "ledgers", "banks"].iter().any(|one| path.starts_with(one));
        let lines: Vec<String> = KEYS
            .iter()
            .filter(|key| !key.default.is_empty() && is_single(key.path))
            .map(|key| format!("{} = {}\n", key.path, key.default))
            .collect();
        let load = |text: &str| {
            let folder = std::path::Path::new("");
            let converter = Converter {
                origin: Origin::File { path: folder, lines: Lines::new(text) },
                known_checks: &[],
                faults: std::cell::RefCell::default(),
            };
            let parsed = toml::de::DeTable::parse(text).unwrap();
            let root = converter.table(parsed.get_ref(), ROOT, "");
            let settings = resolve::settings(
                &root,
                &Surroundings { folder, api_key: None },
                crate::error::Faults::default(),
            );
            format!("{:#?}", settings.unwrap())
        };
        assert_eq!(load(&lines.concat()), load(""));
    }
}
