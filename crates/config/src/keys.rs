//! Every key of the configuration with its shape, default and meaning: the one list for the file, the
//! environment, the search for a mistyped key, `tieout config`, the template and the reference.

use super::shape::{Key, Shape, key, section};

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
    key("time_zone", Shape::Text, "\"UTC\"", "IANA time zone of dates, schedule and merchants"),
    section("api", Shape::Table(API), "How to reach the payments API."),
    section(
        "store",
        Shape::Table(&[key(
            "path",
            Shape::Text,
            "\"tieout.db\"",
            "the SQLite database; needs a local disk",
        )]),
        "The database of records and results.",
    ),
    section("reports", Shape::Table(REPORTS), "Where reports go, and which."),
    section(
        "schedule",
        Shape::Table(&[
            key(
                "cron",
                Shape::Text,
                "\"0 30 5 * * *\"",
                "when `tieout schedule` runs: seconds minutes hours day month weekday, or five fields without seconds",
            ),
            key("date", Shape::Text, "\"yesterday\"", "which dates it runs, as --date takes them"),
            key(
                "catch_up_days",
                Shape::Number { min: 0, max: 366 },
                "7",
                "how far back a `tieout run` without --date also runs dates that were never reconciled; 0: not at all",
            ),
        ]),
        "When `tieout schedule` runs.",
    ),
    section(
        "settlement",
        Shape::Table(SETTLEMENT),
        "When money is due, and whose calendar counts the days.",
    ),
    section("matching", Shape::Table(MATCHING), "How items and ledger records are matched."),
    key("checks", Shape::Checks, "", "A check's code to its severity, or off."),
    section("custom_checks", Shape::Table(CUSTOM_CHECKS), "Your own checks."),
    section(
        "evidence",
        Shape::Table(&[key(
            "signing_key_file",
            Shape::Text,
            "",
            "file with an Ed25519 key in PEM that signs manifests; `verify` needs its public half alone",
        )]),
        "The proof of the reports to others.",
    ),
    section(
        "export",
        Shape::Table(&[key(
            "dir",
            Shape::Text,
            "",
            "folder of a Parquet dataset, written after each run",
        )]),
        "A Parquet dataset for SQL engines.",
    ),
    section(
        "sign_off",
        Shape::Table(&[key(
            "people",
            Shape::Number { min: 1, max: 2 },
            "1",
            "2: who closes a date is not who prepared it",
        )]),
        "How many people sign a business date off.",
    ),
    section(
        "journal",
        Shape::Table(&[section("accounts", Shape::Table(ACCOUNTS), "")]),
        "The accounts of journal.csv, as your books call them; none is written without.",
    ),
    section("notify", Shape::Table(NOTIFY), "Who hears how a run ended."),
    section("merchants", Shape::Tables(MERCHANT), "A section for each merchant."),
    section("ledgers", Shape::Tables(LEDGER), "A section for each ledger that merchants name."),
    section("banks", Shape::Tables(BANK), "A section for each bank account that merchants name."),
];

const API: &[Key] = &[
    key("base_url", Shape::Text, "", "address of the API; required by every command that reads it"),
    key(
        "auth_url",
        Shape::Text,
        "",
        "the key is sent only to {auth_url}/authorize; required with base_url",
    ),
    key(
        "api_key_file",
        Shape::Text,
        "",
        "file that holds the API key; or TIEOUT_API_KEY, never this file",
    ),
    // The API returns no larger page.
    key("page_size", Shape::Number { min: 1, max: 100 }, "100", "records per page"),
    key(
        "max_in_flight",
        Shape::Number { min: 1, max: 256 },
        "16",
        "requests at once; the renewal of a token does not count",
    ),
    key(
        "requests_per_second",
        Shape::Number { min: 0, max: 10_000 },
        "50",
        "limit of the key; 0 is no limit",
    ),
    key("timeout_seconds", Shape::Number { min: 1, max: 3_600 }, "60", "for one request"),
    key(
        "max_attempts",
        Shape::Number { min: 1, max: 20 },
        "6",
        "attempts of one request before its listing is incomplete",
    ),
    key(
        "transactions",
        Shape::Choice(&["auto", "off"]),
        "\"auto\"",
        "use /transactions where the key has it, or never",
    ),
];

const REPORTS: &[Key] = &[
    key("dir", Shape::Text, "\"reports\"", "folder of the reports, one folder a date"),
    key(
        "formats",
        Shape::List(&Shape::Choice(&["csv", "json", "html", "xlsx"])),
        "[\"csv\", \"json\", \"html\", \"xlsx\"]",
        "which files are written; json is run.json, the record of the run, which is always written",
    ),
];

pub(super) const SETTLEMENT: &[Key] = &[
    key("payout_days", DUE_DAYS, "2", "banking days until a batch is paid"),
    key("settle_days", DUE_DAYS, "1", "banking days until a bank transfer settles"),
    key("ledger_days", DUE_DAYS, "1", "banking days until the ledger is posted"),
    key("return_days", DUE_DAYS, "5", "banking days until a return is handled"),
    key("bank_days", DUE_DAYS, "1", "banking days until a deposit is on the bank statement"),
    key(
        "statement_days",
        DUE_DAYS,
        "1",
        "banking days that a bank statement may come late; until then its deposits are awaited",
    ),
    key(
        "dispute_days",
        DUE_DAYS,
        "5",
        "banking days until a dispute that waits for the merchant is reported",
    ),
    // Every run reads these days again; two years are more than any return right reaches.
    key(
        "lookback_days",
        Shape::Number { min: 0, max: 730 },
        "75",
        "calendar days that bank transfers are read again for returns, from their run date; 110 \
         where a merchant is on Canada's calendar",
    ),
    // Every run reads the listings of these days again; a month is a whole statement.
    key(
        "restated_days",
        Shape::Number { min: 0, max: 31 },
        "7",
        "recent dates whose listings are read again; 0 turns it off",
    ),
    key(
        "restated_requests",
        Shape::Number { min: 0, max: 1_000_000 },
        "200",
        "pages of authorizations that this may cost a date",
    ),
    key(
        "capture_tolerance_percent",
        PERCENT,
        "0",
        "whole percent that captures may exceed their authorization by, as for tips",
    ),
    key(
        "calendar",
        CALENDAR,
        "\"us-federal-reserve\"",
        "bank holidays of merchants that name no calendar",
    ),
    key(
        "extra_holidays",
        Shape::List(&Shape::Date),
        "[]",
        "further dates that are not banking days",
    ),
    section("signs", Shape::Table(SIGNS), ""),
];

pub(super) const SIGNS: &[Key] = &[
    key("sales", SIGN, "\"plus\"", "sign of sales in a deposit's net amount"),
    key("returns", SIGN, "\"minus\"", "sign of returns"),
    key("daily_fees", SIGN, "\"minus\"", "sign of daily fees"),
    key("held_sales", SIGN, "\"minus\"", "sign of held sales"),
    key("ach_adjustment", SIGN, "\"minus\"", "sign of the ACH adjustment"),
    key("holdback", SIGN, "\"minus\"", "sign of the holdback"),
    key("reserve_release", SIGN, "\"plus\"", "sign of the reserve release"),
];

pub(super) const MATCHING: &[Key] = &[
    key("window_days", WINDOW_DAYS, "3", "banking days between an item and its ledger record"),
    key("amount_tolerance_minor", TOLERANCE, "0", "difference in minor units that a pair may have"),
    key(
        "amount_tolerance_basis_points",
        BASIS_POINTS,
        "0",
        "the same of the larger amount; 0 is not set; of two that are set the smaller holds",
    ),
];

const CUSTOM_CHECKS: &[Key] = &[
    key("dir", Shape::Text, "", "folder of your own checks, *.sql"),
    key(
        "timeout_seconds",
        Shape::Number { min: 1, max: 3_600 },
        "10",
        "for each of them, on each date",
    ),
];

const ACCOUNTS: &[Key] = &[
    key("cash", Shape::Text, "", "account of arrived money; all six make journal.csv"),
    key("clearing", Shape::Text, "", "account of money that the processor owes for sales"),
    key("fees", Shape::Text, "", "account of the processor's fees"),
    key("reserve", Shape::Text, "", "account of money that the processor keeps for a time"),
    key("chargebacks", Shape::Text, "", "account of money that disputes take or give back"),
    key("returns", Shape::Text, "", "account of returned bank transfers"),
];

const NOTIFY: &[Key] = &[
    key("webhook_url", Shape::Text, "", "receives a summary after each run, finished or failed"),
    key(
        "webhook_format",
        Shape::Choice(&["json", "slack"]),
        "\"json\"",
        "the whole notice, or a Slack message",
    ),
    key("webhook_secret_file", Shape::Text, "", "file with the secret that signs the notice"),
    key("heartbeat_url", Shape::Text, "", "called after each run that finished"),
    key("metrics_file", Shape::Text, "", "file for Prometheus' node exporter"),
    key(
        "reports_url",
        Shape::Text,
        "",
        "where people open the folder of the reports: notices link to it",
    ),
    key(
        "new_errors",
        Shape::Choice(&["together", "each"]),
        "\"together\"",
        "each: besides the notice of the run, one for each new error, 20 at the most",
    ),
];

const MERCHANT: &[Key] = &[
    key("id", Shape::Text, "", "the MID; required"),
    key("name", Shape::Text, "", "as reports show it; else the trading name of the API"),
    key(
        "currency",
        Shape::Text,
        "",
        "ISO 4217; for deposits whose currency is not known otherwise",
    ),
    key("time_zone", Shape::Text, "", "its own IANA time zone; else time_zone"),
    key(
        "terminals",
        Shape::List(&Shape::Text),
        "",
        "processing terminals; bank transfers are read per terminal; [] says that there are none",
    ),
    key("payout_days", DUE_DAYS, "", "its own; else settlement.payout_days"),
    key("settle_days", DUE_DAYS, "", "its own; else settlement.settle_days"),
    key("ledger_days", DUE_DAYS, "", "its own; else settlement.ledger_days"),
    key("window_days", WINDOW_DAYS, "", "its own; else matching.window_days"),
    key("amount_tolerance_minor", TOLERANCE, "", "its own; else matching.amount_tolerance_minor"),
    key(
        "amount_tolerance_basis_points",
        BASIS_POINTS,
        "",
        "its own; else matching.amount_tolerance_basis_points",
    ),
    key(
        "capture_tolerance_percent",
        PERCENT,
        "",
        "its own; else settlement.capture_tolerance_percent",
    ),
    key(
        "calendar",
        CALENDAR,
        "",
        "its own bank holidays; else canada for CAD, else settlement.calendar",
    ),
    key("ledger", Shape::Text, "", "name of one of [[ledgers]]"),
    key("bank", Shape::Text, "", "name of one of [[banks]]"),
    key("checks", Shape::Checks, "", "its own severity of a check, or off; else that under checks"),
];

pub(super) const LEDGER: &[Key] = &[
    key("name", Shape::Text, "", "name by which merchants refer to it; required"),
    key("path", Shape::Text, "", "file or pattern such as ledger/*.csv; required"),
    key("delimiter", Shape::Text, "\",\"", "between columns"),
    key("decimal", Shape::Text, "\".\"", "before the decimals of an amount"),
    key("thousands", Shape::Text, "\",\"", "between thousands; \".\" when decimal is \",\""),
    key("date_format", Shape::Text, "\"%Y-%m-%d\"", "how dates are written"),
    key("time_zone", Shape::Text, "", "whose day a moment belongs to; default: the merchant's"),
    key("skip_lines", SKIP_LINES, "0", "lines before the header"),
    key("sheet", Shape::Text, "", "sheet of a workbook, where it has several"),
    key(
        "times_in",
        Shape::Text,
        "",
        "zone of times that name none, such as \"UTC\"; time_zone says whose day it is",
    ),
    key("header", Shape::Flag, "true", "false: no header, and columns by number, from 1"),
    key("encoding", Shape::Text, "", "such as \"windows-1251\"; default: detected from the bytes"),
    key("reversed_sign", Shape::Flag, "false", "true: a minus in amount is money received"),
    key(
        "unused",
        Shape::List(&Shape::Column),
        "[]",
        "headers that say a kind, status or direction and do not count",
    ),
    section("columns", Shape::Table(LEDGER_COLUMNS), ""),
    section("values", Shape::Table(LEDGER_VALUES), ""),
];

const BANK: &[Key] = &[
    key("name", Shape::Text, "", "name by which merchants refer to it; required"),
    key("path", Shape::Text, "", "file or pattern such as bank/*; required"),
    key(
        "format",
        Shape::Choice(&["auto", "bai2", "camt053", "mt940", "ofx", "csv", "xlsx"]),
        "\"auto\"",
        "auto recognises a file by its content",
    ),
    key(
        "originators",
        Shape::List(&Shape::Text),
        "",
        "how statements name the processor; required",
    ),
    key(
        "account",
        Shape::Text,
        "",
        "last four characters of the account, where a file holds several",
    ),
    key("delimiter", Shape::Text, "\",\"", "CSV: between columns"),
    key("decimal", Shape::Text, "\".\"", "CSV: before the decimals of an amount"),
    key("thousands", Shape::Text, "\",\"", "CSV: between thousands; \".\" when decimal is \",\""),
    key("date_format", Shape::Text, "\"%Y-%m-%d\"", "CSV: how dates are written"),
    key("time_zone", Shape::Text, "", "whose day a moment belongs to; default: the merchant's"),
    key("skip_lines", SKIP_LINES, "0", "CSV: lines before the header"),
    key("sheet", Shape::Text, "", "XLSX: the sheet, where there are several"),
    key(
        "times_in",
        Shape::Text,
        "",
        "CSV: zone of times that name none, such as \"UTC\"; time_zone says whose day it is",
    ),
    key("header", Shape::Flag, "true", "CSV: false: no header, and columns by number, from 1"),
    key(
        "encoding",
        Shape::Text,
        "",
        "CSV: such as \"windows-1251\"; default: detected from the bytes",
    ),
    key("reversed_sign", Shape::Flag, "false", "CSV: true: a minus in amount is money received"),
    key(
        "unused",
        Shape::List(&Shape::Column),
        "[]",
        "CSV: headers that say a kind, status or direction and do not count",
    ),
    section("columns", Shape::Table(BANK_COLUMNS), ""),
    section("values", Shape::Table(BANK_VALUES), ""),
];

const BANK_COLUMNS: &[Key] = &[
    key("date", Shape::Column, "\"date\"", "CSV: header of the date"),
    key("time", Shape::Column, "", "CSV: header of the time of day, beside a date without one"),
    key("zone", Shape::Column, "", "CSV: header of the zone of the time, such as PST or +01:00"),
    key("amount", Shape::Column, "\"amount\"", "CSV: header of the amount, from the bank's side"),
    key(
        "direction",
        Shape::Column,
        "\"direction\"",
        "CSV: header of credit or debit, beside an amount without a sign",
    ),
    key("status", Shape::Column, "\"status\"", "CSV: header of the state, booked or not"),
    key(
        "debit",
        Shape::Column,
        "\"debit\"",
        "CSV: header of money that left, with credit in place of amount",
    ),
    key("credit", Shape::Column, "\"credit\"", "CSV: header of money received"),
    key("currency", Shape::Column, "\"currency\"", "CSV: header of the currency"),
    key("description", Shape::Column, "\"description\"", "CSV: header of the text"),
    key("reference", Shape::Column, "\"reference\"", "CSV: header of the reference"),
    key("account", Shape::Column, "\"account\"", "CSV: header of the account"),
];

const LEDGER_COLUMNS: &[Key] = &[
    key("id", Shape::Column, "\"id\"", "header of the record's id"),
    key("kind", Shape::Column, "\"kind\"", "header of payment or refund"),
    key("date", Shape::Column, "\"date\"", "header of the date"),
    key("time", Shape::Column, "", "header of the time of day, beside a date without one"),
    key("zone", Shape::Column, "", "header of the zone of the time, such as PST or +01:00"),
    key("amount", Shape::Column, "\"amount\"", "header of the amount, in major units"),
    key(
        "debit",
        Shape::Column,
        "\"debit\"",
        "header of money received, with credit in place of amount",
    ),
    key("credit", Shape::Column, "\"credit\"", "header of money given back"),
    key(
        "refund",
        Shape::Column,
        "",
        "header of the amount given back in the same row: a second record, its id with -refund",
    ),
    key("currency", Shape::Column, "\"currency\"", "header of the currency; else the merchant's"),
    key("order_id", Shape::Column, "\"order_id\"", "header of the order id"),
    key(
        "reference",
        Shape::Column,
        "\"reference\"",
        "header of the processor's id: paymentId, refundId, transactionId or authorizationId",
    ),
    key("last4", Shape::Column, "\"last4\"", "header of the last four digits of card or account"),
    key("status", Shape::Column, "\"status\"", "header of the status; without it all are paid"),
    key(
        "merchant",
        Shape::Column,
        "\"merchant\"",
        "header of the MID, where several merchants share a ledger",
    ),
];

const LEDGER_VALUES: &[Key] = &[
    key(
        "kind",
        Shape::Free(&Shape::Choice(&["payment", "refund", "ignore"])),
        "",
        "the file's words for payment, refund and ignore",
    ),
    key(
        "status",
        Shape::Free(&Shape::Choice(&["paid", "void", "declined", "returned", "ignore"])),
        "",
        "the file's words for paid, void, declined, returned and ignore",
    ),
    key("currency", Shape::Free(&Shape::Text), "", "the file's words for currencies"),
    key("merchant", Shape::Free(&Shape::Text), "", "the file's words for MIDs"),
];

const BANK_VALUES: &[Key] = &[
    key(
        "direction",
        Shape::Free(&Shape::Choice(&["credit", "debit", "ignore"])),
        "",
        "the file's words for credit, debit and ignore",
    ),
    key(
        "status",
        Shape::Free(&Shape::Choice(&["booked", "pending", "ignore"])),
        "",
        "the file's words for booked, pending and ignore",
    ),
    key("currency", Shape::Free(&Shape::Text), "", "the file's words for currencies"),
    key("account", Shape::Free(&Shape::Text), "", "the file's words for accounts"),
];
