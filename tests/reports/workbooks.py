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
import openpyxl.utils

# Columns for manual entries.
BY_HAND = ["comment"]
LABELS = {"of known amounts", *(f"Total {code}" for code in ("USD", "CAD", "JPY", "KWD"))}
# The decimals of some currencies.
DECIMALS = {"USD": 2, "CAD": 2, "JPY": 0, "KWD": 3}
# Columns whose digits are a name, not a number; they have no totals.
TEXTS = ("_id", "_line", "id", "codes", "code", "_name", "explanation", "action", "reason", "account",
         "source", "bank", "ledger")


def sums(rows, header):
    """The sums of numbers, per column and currency."""
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


def decimals(pattern):
    """The decimals that a number format shows."""
    return len(pattern.partition(".")[2])


def width_faults(sheet, columns):
    """Figures and dates that their columns cut: a spreadsheet shows them as ####."""
    # Adjacent columns of one width share an entry.
    widths = {at: one.width for one in sheet.column_dimensions.values()
              for at in range(one.min, one.max + 1)}
    for column in range(1, columns + 1):
        width = widths[column]
        for row in sheet.iter_rows(min_row=3, min_col=column, max_col=column):
            cell = row[0]
            if isinstance(cell.value, (int, float)):
                shown = f"{cell.value:,.{decimals(cell.number_format)}f}"
            elif isinstance(cell.value, datetime.datetime):
                shown = "2026-11-20"
            elif isinstance(cell.value, str) and len(cell.value) <= 60:
                # A label of totals reaches into its empty neighbours.
                shown = "" if cell.value in LABELS else cell.value
            else:
                continue
            if len(shown) > width:
                yield f"{cell.coordinate} shows {shown!r} in a column of {width}"


def print_faults(sheet, rows, columns):
    letter = openpyxl.utils.get_column_letter(columns)
    area = sheet.print_area.partition("!")[2].replace("$", "")
    if area != f"A2:{letter}{rows}":
        yield f"prints {area}, not A2:{letter}{rows}"
    if sheet.print_title_rows != "$2:$2":
        yield f"repeats {sheet.print_title_rows}"
    if sheet.page_setup.orientation != "landscape" or sheet.page_setup.fitToWidth not in (1, 2, 3, None):
        yield "does not print on the paper"
    if sheet.page_setup.fitToHeight != 0 or not sheet.sheet_properties.pageSetUpPr.fitToPage:
        yield "does not print as many pages as it takes"
    if sheet.oddFooter.right.text != "Page &P of &N":
        yield f"no page numbers: {sheet.oddFooter.right.text}"


def total_faults(totals, header, records):
    """A row for each currency with the sums of the columns of amounts."""
    added = defaultdict(Decimal)
    for record in records:
        row = dict(zip(header, record))
        for name, text in row.items():
            if row.get("currency") and text and not name.endswith(TEXTS):
                try:
                    added[row["currency"], name] += Decimal(text)
                except ArithmeticError:
                    continue
    for values in totals:
        code = values[0].removeprefix("Total ")[:3]
        for name, value in zip(header, values):
            if value is not None and value not in LABELS and Decimal(str(value)) != added[code, name]:
                yield f"total of {name} in {code} is {value}, {added[code, name]} in CSV"


def sheet_faults(sheet, header, records):
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    names, headings, *rows = rows
    by_hand = names[len(header):]
    if by_hand not in ([], BY_HAND):
        yield f"columns by hand {by_hand}"
    if names[:len(header)] != header:
        yield f"names {names}"
    if not sheet.row_dimensions[1].hidden or sheet.row_dimensions[2].hidden:
        yield "the names of the file are not hidden, or the headings are"
    if any(not heading or "_" in heading or heading[0].islower() for heading in headings):
        yield f"headings {headings}"
    rows, after = rows[:len(records)], rows[len(records):]
    if any(cell is not None for row in rows for cell in row[len(header):]):
        yield "a column by hand is not empty"
    expected = sums([[as_number(*cell) for cell in zip(header, row)] for row in records], header)
    found = sums([row[:len(header)] for row in rows], header)
    if found != expected:
        yield f"sums {found}, {expected} in CSV"
    yield from total_faults(after[1:], header, records)
    if after and any(cell is not None for cell in after[0]):
        yield "no blank row before the totals"
    if sheet.freeze_panes != "B3":
        yield f"frozen at {sheet.freeze_panes}"
    last = openpyxl.utils.get_column_letter(len(names))
    if sheet.auto_filter.ref != f"A2:{last}{len(records) + 2}":
        yield f"filters {sheet.auto_filter.ref}"
    yield from print_faults(sheet, len(records) + 2 + len(after), len(names))
    yield from width_faults(sheet, len(header))
    for row in sheet.iter_rows(min_row=3, max_row=len(records) + 2):
        currency = dict(zip(header, (cell.value for cell in row))).get("currency")
        for cell, name in zip(row, header):
            if cell.data_type == "f":
                yield f"{cell.coordinate}: a formula"
            is_text = cell.value is None or isinstance(cell.value, str)
            if name.endswith(("_id", "currency", "code")) and not is_text:
                yield f"{cell.coordinate}: {name} is {cell.value!r}, no text"
            is_date = cell.value is None or isinstance(cell.value, datetime.datetime)
            if name.endswith("_date") and not is_date:
                yield f"{cell.coordinate}: {name} is {cell.value!r}, no date"
            if name.endswith("amount") and currency in DECIMALS and cell.value is not None:
                if decimals(cell.number_format) != DECIMALS[currency]:
                    yield f"{cell.coordinate}: {cell.number_format} for {currency}"


def faults(folder):
    book = openpyxl.load_workbook(folder / "report.xlsx")
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as opened:
            header, *records = csv.reader(opened)
        for fault in sheet_faults(book[file.stem], header, records):
            yield f"{file.stem}: {fault}"
    overview = book["overview"]
    if not overview.print_area or not overview.oddFooter.right.text:
        yield "overview: no print area or no page numbers"


def main():
    wrong = [f"{folder}: {fault}" for folder in sys.argv[1:] for fault in faults(Path(folder))]
    print("\n".join(wrong) or f"{len(sys.argv) - 1} workbooks say what their CSV files say")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
