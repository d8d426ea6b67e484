"""Holds what LibreOffice reads in workbooks against the CSV files beside them: it writes every
sheet as CSV, with the numbers as they are and not as they are shown.

    python libreoffice.py <folder of a report> [<folder> ...]
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

# Comma, quotation mark, UTF-8, from the first line, numbers as stored, every sheet.
FILTER = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1'


def read(path):
    with path.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened))


def is_same(found, expected):
    if found == expected:
        return True
    try:
        return float(found) == float(expected)
    except ValueError:
        return False


def faults(folder, out):
    command = ["soffice", "--headless", f"-env:UserInstallation=file://{out}/profile",
               "--convert-to", FILTER, "--outdir", str(out), str(folder / "report.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    for file in sorted(folder.glob("*.csv")):
        expected = read(file)
        names, _, *rows = read(out / f"report-{file.stem}.csv")
        # After a blank row the totals.
        found = [names, *rows[:len(expected) - 1]]
        if any(map(any, rows[len(expected) - 1:len(expected)])):
            yield f"{file.stem}: no blank row after those of the file"
        if len(found) != len(expected):
            yield f"{file.stem}: {len(found)} rows, {len(expected)} in CSV"
        for number, (left, right) in enumerate(zip(found, expected), 1):
            for name, one, other in zip(expected[0], left, right):
                if not is_same(one, other):
                    yield f"{file.stem} line {number} {name}: {one!r}, {other!r} in CSV"


def main():
    wrong = []
    for folder in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as out:
            wrong += [f"{folder}: {fault}" for fault in faults(folder, Path(out))]
    print("\n".join(wrong) or f"LibreOffice reads {len(sys.argv) - 1} workbooks as the CSV files")
    sys.exit(1 if wrong else 0)


main()
