"""The report of a period: the sums of its dates, the bridge from paid deposits to the bank, and the
explained and verified share of money.
"""

from collections import defaultdict
from decimal import Decimal

from page import Page, count, money
from tables import amount, by_currency, difference, is_wrong, known

COUNTS = ("opening", "new", "reopened", "cleared", "accepted", "closing")
FLOWS = ("new", "cleared", "accepted")


def check(period, dates):
    """The violations; `dates` are the reports of its dates by name, as far as there are any."""
    days = [row for row in period["days"] if row["business_date"] in dates and row["closing"]]
    for day in days:
        yield from day_of(day, dates[day["business_date"]])
    yield from day_amounts(period, dates)
    yield from merchants(period, [dates[day["business_date"]] for day in days])
    yield from findings(period, [dates[day["business_date"]] for day in days])
    yield from head(Page(period.page), period)
    yield from bridge(period)


def day_of(day, report):
    run = report.manifest["discrepancies"]
    for name in COUNTS:
        if int(day[name]) != run[name]["count"]:
            yield f"{day['business_date']}: {name} {day[name]}, {run[name]['count']} in run.json"
    found = [row for row in report["discrepancies"] if is_wrong(row)]
    for name, severity in [("errors", "error"), ("warnings", "warning")]:
        expected = sum(row["severity"] == severity for row in found)
        if int(day[name]) != expected:
            yield f"{day['business_date']}: {name} {day[name]}, {expected} in CSV"


def day_amounts(period, dates):
    for name, report in dates.items():
        rows = [row for row in period["day_amounts"] if row["business_date"] == name]
        for column in ("deposited_net", "items_amount", "in_transit_amount", "closing_amount"):
            one, other = by_currency(rows, column), by_currency(report["summary"], column)
            # A sum with an unknown part is unknown.
            partial = {row["currency"] for row in report["summary"] if not row[column]}
            differing = [code for code in one | other if code not in partial and one.get(code, 0) != other.get(code, 0)]
            if differing:
                yield f"{name}: {column} is {one}, {other} in summary.csv"
    for row in period["day_amounts"]:
        yield from share(row, "due_amount", "verified_amount", "verified_share")
        yield from share(row, "items_due_amount", "items_matched_amount", "items_matched_share")


def share(row, whole, part, rate):
    """One decimal, rounded half up; unknown without a whole, and never more than all."""
    if rate not in row:
        return
    due, done = amount(row[whole]), amount(row[part])
    if done is not None and due is not None and done > due:
        yield f"{row['business_date']}: {part} {done} of {due}"
    expected = "" if done is None or not due else f"{int((done * 2000 + due) // (due * 2)) / 10:.1f}"
    if row[rate] != expected:
        yield f"{row['business_date']} {row['currency']}: {rate} {row[rate]!r}, {expected!r} of {done} and {due}"


def merchants(period, reports):
    """Flows add up over the dates; states are those of the first or the last date."""
    of = defaultdict(list)
    for report in reports:
        for row in report["summary"]:
            of[row["merchant_id"], row["currency"]].append(row)
    for row in period["merchants"]:
        own = of[row["merchant_id"], row["currency"]]
        if not own:
            continue
        about = f"merchants, {row['merchant_id']} {row['currency']}"
        for name in ("new", "cleared", "deposits", "batches", "items"):
            values = [one[name] for one in own]
            if row[name] and "" not in values and int(row[name]) != sum(map(int, values)):
                yield f"{about}: {name} {row[name]}, {values} on its dates"
        for name in ("deposited_net", "items_amount", *(f"{flow}_amount" for flow in FLOWS)):
            values = [amount(one[name]) for one in own]
            if row.get(name) and None not in values and amount(row[name]) != sum(values):
                yield f"{about}: {name} {row[name]}, {values} on its dates"
        if row["closing"] != own[-1]["closing"] or row["closing_amount"] != own[-1]["closing_amount"]:
            yield f"{about}: closes with {row['closing_amount']}, not {own[-1]['closing_amount']}"
        # A signed-off date keeps its opening when the date before is run again; the page says so.
        if any(report.manifest.get("sign_off", {}).get("closed") for report in reports[1:]):
            continue
        steps = [row.get(f"{step}_amount") for step in ("opening", "new", "cleared", "accepted", "changed", "closing")]
        if all(steps):
            opening, new, cleared, accepted, changed, closing = map(amount, steps)
            if opening + new - cleared - accepted + changed != closing:
                yield f"{about}: does not roll: {row}"


def findings(period, reports):
    """Each finding once, as on the last date that lists it. Fields that only the last date has may be
    newer."""
    last = {row["discrepancy_id"]: row for report in reports for row in report["discrepancies"]}
    found = {row["discrepancy_id"]: row for row in period["discrepancies"]}
    if len(found) != len(period["discrepancies"]):
        yield "a finding stands there twice"
    if found.keys() != last.keys():
        yield f"findings of no date, or left out: {sorted(found.keys() ^ last.keys())}"
    for id in found.keys() & last.keys():
        for name in ("status", "business_date", "currency", "difference", "severity"):
            if found[id][name] != last[id][name]:
                yield f"{id}: {name} {found[id][name]}, {last[id][name]} on its date"


def head(page, period):
    end = period.manifest["last_reconciled"]
    wrong = [row for row in period["discrepancies"] if is_wrong(row) and row["business_date"] == end]
    for name, severity in [("Errors open", "error"), ("Warnings open", "warning")]:
        expected = sum(row["severity"] == severity for row in wrong)
        if count(page.tiles[name]) != expected:
            yield f"{name} is {page.tiles[name]}, {expected} in CSV"
    whole = defaultdict(Decimal)
    for name in ("Overdue", "Short", "Over or unidentified", "To be clarified"):
        lines = page.tiles.get(name, "").split("\n")
        for code, part in money("\n".join(line for line in lines if "new" not in line)).items():
            whole[code] += part
    # The head counts a cause once, so it says no more than all of its findings.
    all_of_them = by_currency([row for row in wrong if difference(row)], lambda row: abs(difference(row)))
    if any(part > all_of_them.get(code, 0) for code, part in whole.items()):
        yield f"the head says {dict(whole)}, all findings come to {all_of_them}"
    paid = money(page.tiles["Paid out (net)"])
    if known(paid) != known(by_currency(period["merchants"], "deposited_net")):
        yield f"paid out is {paid}, {by_currency(period['merchants'], 'deposited_net')} in CSV"
    waiting = known(money(page.tiles["In transit, not due"]))
    at_end = [row for row in period["day_amounts"] if row["business_date"] == end]
    if waiting != known(by_currency(at_end, "in_transit_amount")):
        yield f"in transit is {waiting}, {by_currency(at_end, 'in_transit_amount')} in CSV"


def bridge(period):
    """All steps but the statement add up to it, to the cent; paid are the deposits of the period."""
    if "bank_bridge" not in period.files:
        return
    rows, steps = period["bank_bridge"], defaultdict(Decimal)
    for row in rows:
        if row["step"] != "cannot_be_closed":
            steps[row["bank"], row["currency"], row["step"] == "statement"] += amount(row["amount"])
    for bank, currency in {key[:2] for key in steps}:
        rolled, stated = steps[bank, currency, False], steps[bank, currency, True]
        if rolled != stated:
            yield f"bridge of {bank} in {currency}: {rolled} is not {stated}"
    net = {(row["ach_deposit_id"], row["merchant_id"]): row["net_amount"] for row in period["deposits"]}
    for row in rows:
        key = row["ach_deposit_id"], row["merchant_id"]
        if row["step"] == "paid" and net.get(key) != row["amount"]:
            yield f"bridge: deposit {key} paid {row['amount']}, {net.get(key)} in deposits.csv"


