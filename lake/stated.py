"""Rows that the dataset and the reports both state: the rows of a table of the lake in the words of the
CSV file with the same content. `lake/run` compares the two.
"""

import csv
import pathlib

# File of a report, its table here, and of its columns those that are text or date, and amounts with
# their column here.
STATED = {
    "discrepancies.csv": (
        "stg_discrepancies",
        ["discrepancy_id", "code", "severity", "status", "first_seen", "age_days", "merchant_id",
         "currency", "batch_date", "batch_id", "ach_deposit_id", "payment_id", "explanation"],
        {"expected": "expected", "actual": "actual", "difference": "difference"},
    ),
    "deposits.csv": (
        "stg_deposit_verdicts",
        ["ach_deposit_id", "merchant_id", "currency", "association_date", "pays_for", "verdict",
         "bank_date", "bank_verdict"],
        {"net_amount": "net_amount_minor", "net_expected": "net_expected_minor",
         "batch_sales": "batch_sales_minor", "unexplained": "unexplained_minor",
         "returned_amount": "returned_amount_minor"},
    ),
    "batches.csv": (
        "stg_batch_verdicts",
        ["batch_id", "merchant_id", "currency", "batch_date", "ach_deposit_id", "verdict"],
        {"sale_amount": "sale_amount_minor", "items_sales": "items_sales_minor",
         "items_returns": "items_returns_minor"},
    ),
    "disputes.csv": (
        "stg_dispute_verdicts",
        ["dispute_id", "merchant_id", "currency", "status", "status_date", "due_date", "verdict"],
        {"dispute_amount": "amount_minor", "fee_amount": "fee_minor"},
    ),
    "matches.csv": (
        "stg_matches",
        ["item_type", "item_id", "ledger_id", "merchant_id", "currency", "item_date", "pass"],
        {"item_amount": "item_amount_minor", "ledger_amount": "ledger_amount_minor"},
    ),
    "bank_matches.csv": (
        "stg_bank_matches",
        ["ach_deposit_id", "merchant_id", "currency", "payment_date", "due_date", "bank_date",
         "verdict"],
        {"net_amount": "net_amount_minor", "bank_amount": "bank_minor"},
    ),
    "in_transit.csv": (
        "stg_in_transit",
        ["id", "merchant_id", "currency", "due_date", "status"],
        {"amount": "amount_minor"},
    ),
    "summary.csv": (
        "stg_summary",
        ["merchant_id", "currency", "deposits", "batches", "items", "opening", "cleared", "accepted",
         "closing", "verdict"],
        {"deposited_net": "deposited_net_minor", "closing_amount": "closing_minor",
         "in_transit_amount": "in_transit_minor", "opening_amount": "opening_minor",
         "changed_amount": "changed_minor"},
    ),
}  # fmt: skip


def amount(minor, exponent):
    """Minor units as the reports write them."""
    if minor is None or exponent is None:
        return ""
    digits = str(abs(minor)).rjust(exponent + 1, "0")
    sign = "-" if minor < 0 else ""
    return sign + (f"{digits[:-exponent]}.{digits[-exponent:]}" if exponent else digits)


def lake_rows(connection):
    """The rows of the tables that a report states as well, by file, in the words of its files."""
    found = {}
    for file, (table, texts, amounts) in STATED.items():
        kind = "figure" if table == "stg_discrepancies" else "'amount'"
        columns = ["business_date", *texts, *amounts.values(), "currency_exponent", kind]
        # A count has no currency; the dataset names the group instead.
        in_words = {"currency": f"case when {kind} = 'amount' then currency end", "'amount'": kind}
        names = ", ".join(in_words.get(name, f'"{name}"') for name in columns)
        found[file] = sorted(
            "|".join(
                ["" if value is None else str(value) for value in row[: len(texts) + 1]]
                + [
                    ("" if value is None else str(value)) if row[-1] == "count"
                    else amount(value, row[-2])
                    for value in row[len(texts) + 1 : -2]
                ]
            )
            for row in connection.execute(f"select {names} from {table}").fetchall()
        )  # fmt: skip
    return found


def report_rows(folder):
    """The same of the files themselves; `folder` holds one folder a date."""
    found = {file: [] for file in STATED}
    for day in sorted(pathlib.Path(folder).glob("20??-??-??")):
        for file, (_, texts, amounts) in STATED.items():
            if not (day / file).exists():
                continue
            with (day / file).open(newline="", encoding="utf-8") as lines:
                for row in csv.DictReader(lines):
                    values = [row[name] for name in [*texts, *amounts]]
                    found[file].append("|".join([day.name, *values]))
    return {file: sorted(lines) for file, lines in found.items()}
