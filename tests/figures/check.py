"""Adds up every figure of the reports in a folder from their CSV files: pages, workbooks, and what leads
from one date to the next. Shares no code with the program.

    check.py <folder of reports> [<folder> ...]
"""

import sys
from pathlib import Path

import dates
import periods
import rolls
import sheets
from tables import Report


def faults(root):
    """The imbalances in a folder of reports."""
    reports = [Report(folder) for folder in sorted(root.glob("2*")) if (folder / "run.json").exists()]
    for report in reports:
        for fault in (*dates.check(report), *sheets.check(report)):
            yield f"{report.name}: {fault}"
    yield from rolls.check(reports)
    by_name = {report.name: report for report in reports}
    for folder in sorted(root.glob("periods/*..*")):
        period = Report(folder)
        own = {row["business_date"] for row in period["days"]}
        of_period = {name: report for name, report in by_name.items() if name in own}
        for fault in (*periods.check(period, of_period), *sheets.check(period)):
            yield f"{period.name}: {fault}"


def main():
    wrong = [f"{root}: {fault}" for root in sys.argv[1:] for fault in faults(Path(root))]
    print("\n".join(wrong) or f"{len(sys.argv) - 1} folders of reports add up")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
