"""Holds workbooks against the CSV files beside them, read by openpyxl.

    python workbooks.py <folder of a report> [<folder> ...]
"""

import csv
import datetime
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import openpyxl

# Columns whose digits are a name and no number, and that are added up nowhere.
# What people fill in.
BY_HAND = ["owner", "comment"]
TEXTS = ("_id", "_line", "id", "codes", "code", "_name", "explanation", "action", "reason", "account",
         "source")


def sums(rows, header):
    """Per column and currency the sum of what are numbers."""
    found = defaultdict(Decimal)
    for row in rows:
        values = dict(zip(header, row))
        for name, value in values.items():
            if isinstance(value, (int, float)) and not name.endswith(TEXTS):
                found[name, values.get("currency") or ""] += Decimal(str(value))
    return {key: value for key, value in found.items() if value}


def as_number(name, text):
    if name.endswith(TEXTS) or text == "":
        return text
    try:
        return float(text)
    except ValueError:
        return text


def faults(folder):
    book = openpyxl.load_workbook(folder / "report.xlsx")
    for file in sorted(folder.glob("*.csv")):
        sheet = book[file.stem]
        with file.open(encoding="utf-8", newline="") as opened:
            header, *records = csv.reader(opened)
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        by_hand = rows[0][len(header):]
        if by_hand != (BY_HAND if file.stem == "discrepancies" else []):
            yield f"{file.stem}: columns by hand {by_hand}"
        if any(cell is not None for row in rows[1:] for cell in row[len(header):]):
            yield f"{file.stem}: a column by hand is not empty"
        rows = [row[:len(header)] for row in rows]
        if rows[0] != header:
            yield f"{file.stem}: header {rows[0]}"
        if len(rows) - 1 != len(records):
            yield f"{file.stem}: {len(rows) - 1} rows, {len(records)} in CSV"
        expected = sums([[as_number(*cell) for cell in zip(header, row)] for row in records], header)
        found = sums(rows[1:], header)
        if found != expected:
            yield f"{file.stem}: sums {found}, {expected} in CSV"
        if sheet.freeze_panes != "A2":
            yield f"{file.stem}: the header is not frozen"
        if not sheet.auto_filter.ref:
            yield f"{file.stem}: no filter"
        for row in sheet.iter_rows(min_row=2):
            for cell, name in zip(row, header):
                if cell.data_type == "f":
                    yield f"{file.stem} {cell.coordinate}: a formula"
                is_text = cell.value is None or isinstance(cell.value, str)
                if name.endswith(("_id", "currency", "code")) and not is_text:
                    yield f"{file.stem} {cell.coordinate}: {name} is {cell.value!r}, no text"
                is_date = cell.value is None or isinstance(cell.value, datetime.datetime)
                if name.endswith("_date") and not is_date:
                    yield f"{file.stem} {cell.coordinate}: {name} is {cell.value!r}, no date"


def main():
    wrong = [f"{folder}: {fault}" for folder in sys.argv[1:] for fault in faults(Path(folder))]
    print("\n".join(wrong) or f"{len(sys.argv) - 1} workbooks say what their CSV files say")
    sys.exit(1 if wrong else 0)


main()
