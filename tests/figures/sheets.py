"""The sheets of a workbook that no CSV file has: the way of the money, and the overview. The others are
held against their files cell by cell, and their totals added up.
"""

import sys
from collections import defaultdict
from decimal import Decimal

import openpyxl
from dates import at_bank, chain_of
from tables import ROOT, by_currency, is_open, is_wrong, known

sys.path.append(str(ROOT / "tests/reports"))
import workbooks

CHAIN = {
    "sold": "Sold", "batched": "Batched", "on_hold": "On hold", "not_due_yet": "Not due yet",
    "overdue": "Overdue or short", "fees": "Fees", "returned_or_disputed": "Returned or disputed",
    "paid_out": "Paid out (net)", "not_explained": "Not explained",
}


def check(report):
    """The differences between a workbook and the files beside it."""
    yield from workbooks.faults(report.folder)
    book = openpyxl.load_workbook(report.folder / "report.xlsx", read_only=True)
    sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
    if "chain" in sheets:
        yield from chain(sheets["chain"], report)
    yield from overview(sheets["overview"], report)


def chain(rows, report):
    names, _, *rows = rows
    expected = list(chain_of(report))
    lines = [dict(zip(names, row)) for row in rows[:len(expected)]]
    totals = defaultdict(lambda: defaultdict(Decimal))
    for line, (row, steps, deposits) in zip(lines, expected, strict=True):
        about = f"sheet chain, {row['merchant_id']} {row['currency']}"
        if (line["merchant_id"], line["currency"] or "") != (row["merchant_id"], row["currency"]):
            yield f"{about}: stands under {line['merchant_id']} {line['currency']}"
        for name, step in CHAIN.items():
            # A sum with an unknown part is empty, as is a sum without parts.
            if line[name] is None:
                continue
            stated = Decimal(str(line[name]))
            totals[row["currency"]][name] += stated
            if stated != steps[step].get(row["currency"], 0):
                yield f"{about}: {name} is {stated}, {steps[step]} in CSV"
        if line["found_at_bank"] is not None:
            of = line["found_at_bank"], line["due_at_bank"]
            told = "{} of {} due".format(*of) if any(of) else "none due"
            if not (at_bank(deposits) or "").startswith(told):
                yield f"{about}: {told} at the bank, {at_bank(deposits)} in CSV"
    for label, *values in rows[len(expected) + 1:]:
        sums = totals[label.removeprefix("Total ")]
        for name, value in zip(names[1:], values):
            if name in CHAIN and value is not None and Decimal(str(value)) != sums[name]:
                yield f"sheet chain: {label} of {name} is {value}, {sums[name]} in its rows"


def overview(rows, report):
    lines, last = defaultdict(dict), None
    for row in rows[2:]:
        label, value, note = (*row, None, None, None)[:3]
        if label:
            last = label.strip().lower() if not label.startswith(" ") else f"{last} {label.strip()}"
            lines[label.strip().lower()][note or ""] = value
    found = report["discrepancies"]
    end = report.manifest.get("last_reconciled")
    found = [row for row in found if not end or row["business_date"] == end]
    wrong = [row for row in found if is_wrong(row)]
    counts = {
        "errors open": sum(row["severity"] == "error" for row in wrong),
        "warnings open": sum(row["severity"] == "warning" for row in wrong),
        "notes": sum(is_open(row) and row["severity"] == "info" for row in found),
    }
    for label, expected in counts.items():
        if next(iter(lines[label].values()), None) != expected:
            yield f"overview: {label} {lines[label]}, {expected} in CSV"
    file = "merchants" if end else "summary"
    sums = {"paid out (net)": "deposited_net"} | {
        f"{sign}{step} amount": f"{step}_amount" for sign, step in
        [("", "opening"), ("+ ", "new"), ("- ", "cleared"), ("- ", "accepted"), ("+ ", "changed"), ("= ", "closing")]}
    for label, column in sums.items():
        stated = {code: Decimal(str(value)) for code, value in lines[label].items() if len(code) == 3}
        if known(stated) != known(by_currency(report[file], column)):
            yield f"overview: {label} {stated}, {by_currency(report[file], column)} in CSV"
