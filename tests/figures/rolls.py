"""The roll-forward from one business date to the next: opening + new - cleared - accepted + changed =
closing, in number and in money, and each date opens with the closing of the one before it.
"""

from collections import defaultdict
from datetime import date, timedelta

from tables import amount, by_currency, header, is_open, known

STEPS = (("opening", 1), ("new", 1), ("cleared", -1), ("accepted", -1), ("changed", 1))


def check(reports):
    """The violations over the dates; `reports` are by date, in order."""
    before = None
    for report in reports:
        for fault in of_date(report, before):
            yield f"{report.name}: {fault}"
        before = report


def of_date(report, before):
    yield from in_number(report)
    for row in report["summary"]:
        place = f"{row['merchant_id']} {row['currency']}"
        money = {step: amount(row[f"{step}_amount"]) for step, _ in (*STEPS, ("closing", 1))}
        if None not in money.values():
            rolled = sum(sign * money[step] for step, sign in STEPS)
            if rolled != money["closing"]:
                yield f"{place} rolls to {rolled}, closes with {money['closing']}: {row}"
        counts = [int(row[step] or 0) for step in ("opening", "new", "cleared", "accepted", "closing")]
        opening, new, cleared, accepted, closing = counts
        if opening + new - cleared - accepted != closing:
            yield f"{place} rolls otherwise in number: {row}"
    follows = before and date.fromisoformat(before.name) + timedelta(1) == date.fromisoformat(report.name)
    # A date that is signed off keeps its opening when the date before is run again.
    signed_off = report.manifest.get("sign_off", {}).get("closed")
    if follows and not signed_off:
        yield from opens_as_closed(report, before)
    yield from closes_with_what_is_open(report)


def in_number(report):
    run = {name: total["count"] for name, total in report.manifest["discrepancies"].items()}
    rolled = run["opening"] + run["new"] + run["reopened"] - run["cleared"] - run["accepted"]
    if rolled != run["closing"]:
        yield f"run.json rolls to {rolled}: {run}"


def opens_as_closed(report, before):
    closed = {(row["merchant_id"], row["currency"]): row for row in before["summary"]}
    opened = {(row["merchant_id"], row["currency"]): row for row in report["summary"]}
    for key in closed.keys() | opened.keys():
        one, other = closed.get(key), opened.get(key)
        count = (int(one["closing"]) if one else 0), (int(other["opening"]) if other else 0)
        if count[0] != count[1]:
            yield f"{key} opens with {count[1]}, the date before closed with {count[0]}"
        sums = (one and amount(one["closing_amount"])) or 0, (other and amount(other["opening_amount"])) or 0
        if sums[0] != sums[1]:
            yield f"{key} opens with {sums[1]}, the date before closed with {sums[0]}"
    run = report.manifest["discrepancies"]["opening"], before.manifest["discrepancies"]["closing"]
    if run[0] != run[1]:
        yield f"run.json opens with {run[0]}, the date before closed with {run[1]}"


def closes_with_what_is_open(report):
    """The closing is the open discrepancies that are carried forward."""
    rows = [row for row in report["discrepancies"] if is_open(row) and header(row["code"], "carried") != "no"]
    absolute = lambda row: abs(amount(row["difference"])) if row["difference"] else None
    sums, closing = defaultdict(int), report["summary"]
    for row in rows:
        sums[row["merchant_id"]] += 1
    for id in {row["merchant_id"] for row in closing}:
        stated = sum(int(row["closing"]) for row in closing if row["merchant_id"] == id)
        if stated != sums[id]:
            yield f"{id} closes with {stated}, {sums[id]} are open"
    if known(by_currency(closing, "closing_amount")) != known(by_currency(rows, absolute)):
        yield f"closes with {by_currency(closing, 'closing_amount')}, {by_currency(rows, absolute)} are open"
