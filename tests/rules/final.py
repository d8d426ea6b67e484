"""Kind `final`: the columns of the summary that follow from the other tables of its date: a merchant's
verdict, the overdue and held money, and since when a date is final. Left open: `final` beyond these
bounds: no date is final while a record of it, or of an earlier one, is in transit, or misses a deposit
or a record; a date is final when nothing is open.
"""

from datetime import date
from decimal import Decimal

from banking_days import DAY, due

ORDER = ["tied", "in_transit", "discrepancy", "not_evaluated"]
OPEN = ("new", "open")
SHORT = {"DEPOSIT_SALES_MISMATCH": 1, "DEPOSIT_RETURNS_MISMATCH": -1, "BATCH_WITHOUT_DEPOSIT": 1}
KEEPS_OPEN = ("BATCH_WITHOUT_DEPOSIT", "MISSING_IN_LEDGER", "MISSING_AT_PROCESSOR")
KEEPS_OPEN += ("PAYMENT_NOT_SETTLED", "REFUND_NOT_SETTLED", "DEPOSIT_NOT_IN_BANK")


def check(reports, known):
    merchant = known.merchant
    tables = {
        name: [row for row in reports.table(name) if row["merchant_id"] == merchant.id]
        for name in ("summary", "discrepancies", "deposits", "batches", "in_transit")
    }
    if len(tables["summary"]) != 1:
        return
    row = tables["summary"][0]
    found = [one for one in tables["discrepancies"] if one["status"] in OPEN]
    reports.same(f"verdict of {merchant.id}", verdict(tables, found), row["verdict"])
    for column, amount in (("overdue_amount", overdue(found)), ("on_hold_amount", on_hold(tables))):
        reports.same(f"{column} of {merchant.id}", amount, Decimal(row.get(column) or 0))
    check_final(reports, known, tables, found, row.get("final"))


def verdict(tables, found):
    verdicts = [one["verdict"] for name in ("deposits", "batches") for one in tables[name]]
    counted = [one for one in found if one["severity"] != "info" and one["code"] != "DISPUTE_OPEN"]
    verdicts += ["discrepancy"] if counted else []
    if any(one["code"] == "MERCHANT_NOT_LISTED" for one in found):
        verdicts.append("not_evaluated")
    return max(verdicts, key=ORDER.index, default="tied")


def overdue(found):
    total = Decimal(0)
    for one in found:
        if one["code"] in SHORT and one["expected"] and one["actual"]:
            short = Decimal(one["expected"]) - Decimal(one["actual"])
            is_counted = short > 0 or one["code"] == "BATCH_WITHOUT_DEPOSIT"
            total += SHORT[one["code"]] * short if is_counted else 0
    return total


def on_hold(tables):
    held = [one for one in tables["in_transit"] if one["type"] == "held"]
    return sum((Decimal(one["amount"]) for one in held), Decimal(0))


def check_final(reports, known, tables, found, text):
    day, start, what = known.day, known.start, f"final of {known.merchant.id}"
    said = date.fromisoformat(text) if text else start - DAY
    last = upto(known, [date.fromisoformat(one["date"]) for one in tables["in_transit"] if one["date"]], found)
    if text and said > last:
        reports.wrong.append(f"{day} {what}: {said}, and {last} at most by the rules")
    is_all_told = not found and not known.merchant.bank and not reports.has_open_books(known.merchant.id)
    if is_all_told and said < min(last, day) and not tables["in_transit"]:
        reports.wrong.append(f"{day} {what}: {said}, and {last} by the rules")


def upto(known, waiting, found):
    """The last date that can be final, by the waiting records and the findings."""
    named = [one["batch_date"][:10] for one in found if one["code"] in KEEPS_OPEN and one["batch_date"]]
    waiting = [*waiting, *map(date.fromisoformat, named)]
    first = min((at for at in waiting if at >= known.start), default=None)
    last = known.day if first is None else first - DAY
    while known.merchant.has_books and due(last, known.terms["window"], known.merchant.calendar) > known.day:
        last -= DAY
    return last
