"""The CSV files of a report, and sums over their rows. An empty amount is not known, and is no zero."""

import csv
import json
import os
import re
from collections import defaultdict
from decimal import Decimal
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Report:
    """The folder of a date or of a period."""

    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        manifest = folder / ("period.json" if ".." in folder.name else "run.json")
        self.manifest = json.loads(manifest.read_text(encoding="utf-8"))
        self.files = {file.stem: read(file) for file in sorted(folder.glob("*.csv"))}

    def __getitem__(self, name):
        return self.files[name]

    @property
    def page(self):
        return (self.folder / "report.html").read_text(encoding="utf-8")


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def amount(text):
    return Decimal(text) if text else None


def of_place(rows, row):
    """The rows of the same merchant and currency."""
    return [one for one in rows if all(one[key] == row[key] for key in ("merchant_id", "currency"))]


def by_currency(rows, value):
    """Sums of known values. `value` is a column, or a function of a row."""
    take = value if callable(value) else lambda row: amount(row[value])
    sums = defaultdict(Decimal)
    for row in rows:
        known = take(row)
        if known is not None and row["currency"]:
            sums[row["currency"]] += known
    return dict(sums)


def known(sums):
    """Without those that are nothing."""
    return {currency: total for currency, total in sums.items() if total}


def is_open(row):
    return row["status"] != "cleared"


def difference(row):
    """Money that is not nothing; a finding that counts has no currency."""
    found = amount(row["difference"]) if row["currency"] else None
    return found or None


def is_wrong(row):
    return is_open(row) and row["severity"] != "info"


@cache
def checks():
    """The files of the checks by their stems."""
    found = {}
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in ("target", "tests", ".git")]
        of_sql = folder.endswith("crates/store/sql/checks")
        for name in names:
            if name.endswith(".check") or (of_sql and name.endswith(".sql")):
                found[Path(name).stem] = Path(folder, name)
    return found


@cache
def header(code, key):
    """A line of the header of a check; empty without one."""
    path = checks().get(code.lower())
    text = path.read_text(encoding="utf-8") if path else ""
    line = re.search(rf"^-- {key}: (.*)$", text, re.MULTILINE)
    return line[1] if line else ""


def part_of(row):
    """Which of the sums at the top the money of a finding belongs to."""
    claim, is_less = header(row["code"], "money"), difference(row) < 0
    if claim == "unclear":
        return "To be clarified"
    if claim == "overdue" and is_less:
        return "Overdue"
    return "Short" if is_less == (claim != "more-is-short") else "Over or unidentified"
