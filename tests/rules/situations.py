"""Situations that are written as programs: each builds a world, runs dates and states an expected row.
Here this implementation replaces the program: `small_world` builds, and this judges.
"""

import csv
import importlib
import io
import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation

import cases
import final
import kinds
from books import plain
from life import Life
from reports import verdict_of
from transit import batches_in_transit, transfers_in_transit
from world import (
    Authorization, Batch, Deposit, Dispute, Fee, Line, Merchant, Record, Return, Transfer, World, local_date, money,
)

COLUMNS = ("batch_id", "ach_deposit_id", "authorization_id", "transaction_id", "payment_id", "refund_id")
COLUMNS += ("order_id", "ledger_id", "action")
OF = {"MISSING_AT_PROCESSOR": "ledger_id", "DUPLICATE_IN_LEDGER": "ledger_id", "DUPLICATE_BATCH": "batch_id"}
WARNINGS = "COUNT_MISMATCH FEES_MISMATCH FEE_WITHOUT CAPTURE_EXCEEDS DUPLICATE_BATCH DISPUTE_OPEN REFUND_RETURNED"
WARNINGS = [*WARNINGS.split(), "REFUND_WITHOUT", "RETURN_OUTSTANDING", "DUPLICATE_IN", "RESTATED", "BANK_CREDIT"]


def main(folder, names):
    """Each in a process of its own, as it ends it."""
    names = names or sorted(path.parent.name for path in folder.glob("*/case.py"))
    wrong = 0
    for name in names:
        ended = subprocess.run([sys.executable, __file__, folder / name], capture_output=True, text=True, check=False)
        wrong += bool(ended.returncode)
        print(name, "is right" if not ended.returncode else f"is wrong\n{ended.stdout}{ended.stderr[-2000:]}")
    print(f"situations: {len(names)}, {wrong} wrong")
    return bool(wrong)


def day_of(text):
    return date.fromisoformat(text) if text else None


def world_class(module):
    class Read(module.W):
        """A world that is read instead of run."""

        def __init__(self, *about, **more):
            super().__init__(*about, **more)
            self.life, self.tables, self.accepted, self.rc = Life(), {}, {}, 0
            self.lines, self.entries, self.owners = [], [], {}

        def serve(self, **_):
            return self

        def stop(self):
            pass

        def show(self, *_, **__):
            for row in next(reversed(self.tables.values()), {}).get("discrepancies.csv", []):
                print({name: value for name, value in row.items() if value})

        def notes(self, *_):
            pass

        def bank(self, rows, **_):
            self.lines = rows

        def books(self, rows, header="Invoice,Type,Date,Amount,Cur,Order,Ref,Last4,Status", **_):
            self.entries = list(csv.DictReader(io.StringIO("\n".join([header, *rows]))))

        def rows(self, day, file="discrepancies.csv"):
            return self.tables[day].get(file, [])

        def run(self, dates, *more, now=None, sub="run", **_):
            if sub == "discrepancies accept":
                self.accepted[more[0]] = date.fromisoformat(now[:10])
                return 0
            first, _, last = dates.partition("..")
            first, last = day_of(first), day_of(last or first)
            for day in cases.days(first, last):
                before = max((at for at in self.life.closing if at < day), default=None)
                before = self.life.closing.get(before, {})
                judged, rows = self.life.run(
                    replace(self.read(last), day=day), last,
                    lambda key, at=day: self.accepted.get(repr(key), date.max) <= at,
                )
                self.tables[str(day)] = tables(self.life, judged, rows, before)
            return 0

        def read(self, last):
            world = World(self.life.start or last, last, dict(cases.TERMS), way="nights", kinds=kinds.named("all"))
            world.has_links = self.w["transactions"]
            world.disputes_answer = 200 if self.ServerClass.__name__ == "Disputes" else 404
            fill(world, self)
            return world

    return Read


def fill(world, told):
    of = told.w
    for one in of["merchants"]:
        if one["configured"]:
            calendar = one["calendar"] or ("canada" if one["currency"] == "CAD" else cases.US)
            fields = one["mid"], one["currency"], calendar, one["zone"], [one["mid"]], bool(one["ledger"])
            world.merchants.append(Merchant(*fields, bank=one["bank"]))
    for one in of["batches"]:
        sums = one["sale"], one["ret"], one["count"]
        world.batches.append(Batch(one["id"], one["mid"], day_of(one["date"]), one["currency"], *sums))
    for one in of["auths"]:
        world.authorizations.append(Authorization(
            one["id"], one["mid"], day_of(one["batch_date"]), one["currency"], one["batch"], one["last4"],
            one["response"], one["preauth"], one["txn"] or None, one["type"], one["amount"], one["deposit"],
            one.get("status"), None, day_of(one["txn_date"]), one["brand"],
        ))
    for one in of["deposits"]:
        names = ("sales", "returns", "transactions", "adj", "fees", "held", "holdback", "release", "net")
        dates = day_of(one["assoc"]), day_of(one["pay"])
        sums = [one[name] for name in names]
        world.deposits.append(Deposit(one["id"], one["mid"], *dates, *sums, sent=day_of(one["ach"])))
    for one in of["fees"]:
        listed = day_of(one["adjusted"] or one["assoc"])
        world.fees.append(Fee(one["mid"], one["deposit"], listed, one["amount"], one["text"]))
    # A terminal may move to another merchant, with its later transfers.
    owners = {terminal: one for one in of["merchants"] for terminal in one["terminals"]}
    for kind in ("payment", "refund"):
        for one in of[f"{kind}s"]:
            owner = owners[one["terminal"]]
            if day_of(one["run"]) <= world.end:
                owner = told.owners.setdefault(one["id"], owner)
            world.transfers.append(transfer(kind, one, owner))
    by_id = {one.id: one for one in world.transfers}
    for one in of["payments"]:
        by_id[one["id"]].again = by_id.get(one["representment"])
    for one in of.get("disputes", []):
        statuses = [(day_of(at), status) for status, at in one["statuses"]]
        card = next(x for x in of["auths"] if x["txn"] == one["txn"])
        fields = one["id"], card["mid"], card["currency"], day_of(one["date"]), statuses, one["amount"], one["fee"]
        world.disputes.append(Dispute(*fields, one["txn"]))
    for entry in told.entries:
        book(world, entry)
    for at, amount, text in told.lines:
        world.lines.append(Line("operating", day_of(at), cases.cents(amount), text))
    ends = [one.day for one in world.lines]
    world.covered = (min(ends), max(ends)) if ends else None


def transfer(kind, one, merchant):
    run = one["moment"] and local_date(merchant["zone"], one["moment"])
    returns = [
        Return(x["id"], day_of(x["date"]), x["represented"], x["closed"], x["code"]) for x in one.get("returns", ())
    ]
    return Transfer(
        one["id"], kind, merchant["mid"], merchant["mid"], one["currency"], run, one["moment"],
        day_of(one["settled"]), one["amount"], one["order"], one["last4"], one["type"], one["status"],
        one.get("payment_id"), returns,
    )


def book(world, entry):
    """A record, or a row that cannot be read."""
    cell = lambda name: (entry.get(name) or "").strip()
    merchant = next(one for one in world.merchants if one.has_books)
    unreadable = "merchant" if cell("MID") and cell("MID") != merchant.id else None
    try:
        at = day_of(cell("Date"))
    except ValueError:
        at, unreadable = world.end, "date"
    try:
        amount = Decimal(cell("Amount"))
        digits = len(cell("Amount").partition(".")[2])
        scale = {"JPY": 0, "KWD": 3}.get(merchant.currency, 2)
        unreadable = "amount" if digits > scale else unreadable
        minor = int(amount.scaleb(scale))
    except InvalidOperation:
        minor, unreadable = 0, "amount"
    one = Record(
        cell("Invoice"), merchant.id, cell("Type") or "payment", at, minor, cell("Cur") or merchant.currency,
        plain(cell("Ref")), cell("Order") or None, cell("Last4") or None, cell("Status") or "paid",
    )
    if unreadable:
        world.unreadable.append((one, unreadable))
    else:
        world.records.append(one)


def tables(life, judged, rows, before):
    notes = life.notes | {key: text for known in judged for key, text in known.notes.items()}
    severities = {key: text for known in judged for key, text in known.severities.items()}
    found = [row(key, values, notes.get(key, ""), severities.get(key)) for key, values in sorted(rows.items(), key=str)]
    named = {one["ach_deposit_id"] for one in found if one["status"] != "cleared" and one["severity"] != "info"}
    named |= {one["batch_date"] for one in found if one["status"] != "cleared"}
    return {
        "discrepancies.csv": found,
        "deposits.csv": [
            {"verdict": verdict_of(known, one, str(one.id) in named or str(known.group_of(one)) in named)}
            for known in judged
            for one in known.own_deposits()
            if one.paid == known.day
        ],
        "summary.csv": [summary(known, rows, found, before) for known in judged],
        "matches.csv": [
            {"item_type": item.kind if item.transfer else "card", "item_id": item.id, "ledger_id": record.id}
            for known in judged
            for _, items, records in known.pairs
            for item in items
            for record in records
            if max(item.day, record.day) == known.day
        ],
        "in_transit.csv": [{"date": str(x[1]), "due_date": str(x[2])} for known in judged for x in waiting(known)],
    }


def waiting(known):
    return [*batches_in_transit(known), *transfers_in_transit(known)]


def row(key, values, note, severity):
    (code, merchant, subject), (status, first, expected, actual) = key, values
    column = OF.get(code) or ("batch_id" if code.startswith("BATCH_") else "payment_id")
    subject = str(subject)
    if code.startswith("DEPOSIT_"):
        column = "batch_date" if "-" in subject else "ach_deposit_id"
    elif column == "payment_id" and subject.isdigit():
        column = "authorization_id"
    plain = code in ("DEPOSIT_CARRIED", "FUNDS_HELD")
    severity = severity or ("info" if plain else "warning" if any(x in code for x in WARNINGS) else "error")
    figures = [Decimal(text) if text else Decimal(0) for text in (expected, actual)]
    return dict.fromkeys((*COLUMNS, "batch_date"), "") | {
        "discrepancy_id": repr(key), "code": code, "merchant_id": merchant, "status": status, "first_seen": first,
        "expected": expected, "actual": actual, "difference": str(figures[1] - figures[0]), "severity": severity,
        "explanation": f"{note} {subject}", column: subject,
    }


def summary(known, rows, found, before):
    own = {key: one for key, one in rows.items() if key[1] == known.merchant.id and key[0] not in kinds.NOT_CARRIED}
    said = {"opening": str(len(before)), "merchant_id": known.merchant.id}
    for name, statuses in (("new", "new"), ("cleared", "cleared"), ("accepted", "accepted"), ("closing", "open new")):
        amounts = [
            abs(int(one[3].replace(".", "") or 0) - int(one[2].replace(".", "") or 0))
            for one in own.values()
            if one[0] in statuses.split()
        ]
        said |= {name: str(len(amounts)), f"{name}_amount": money(known.merchant.currency, sum(amounts))}
    waits = [x[1] for x in waiting(known)]
    for group, ones in known.deposits.items():
        waits += [group for one in ones if verdict_of(known, one, is_named=False) == "in_transit"]
    return said | {"final": str(final.upto(known, waits, found))}


if __name__ == "__main__":
    path = sys.argv[1]
    sys.path.insert(0, f"{path}/../lib")
    told = importlib.import_module("small_world")
    told.W = world_class(told)
    sys.argv[0] = f"{path}/case.py"
    with open(f"{path}/case.py") as file:
        exec(compile(file.read(), f"{path}/case.py", "exec"), {"__name__": "__main__", "__file__": f"{path}/case.py"})
