"""Compares this implementation with the cases of tests/cases, and with a named folder (see
`situations`). Runs no program: tests/rules/run --cases [FOLDER]
"""

import sys
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import kinds
import situations
from life import Life
from world import (
    Authorization, Batch, Deposit, Dispute, Fee, Line, Merchant, Record, Return, Transfer, World,
)

FOLDER = Path(__file__).resolve().parents[1] / "cases"
US = "us-federal-reserve"
TERMS = {"payout": 2, "settle": 1, "ledger": 1, "return": 5, "window": 3, "tolerance": 0, "restated": 7}
SETTINGS = {"capture_tolerance_percent": "capture_tolerance", "amount_tolerance_minor": "tolerance"}
SETTINGS |= {f"{name}_days": name for name in (*TERMS, "dispute")}
# Left out or refused input makes a check not evaluated: the program's own suite tests that.
NOT_READ = ("=unknown", "unreadable=", "terminals unnamed", "unconfigured", "checks", "statement none", "by=")


class Case:
    def __init__(self, stem, heading, lines):
        self.name, self.steps, self.expected, self.terms = f"{stem}: {heading}", [([], [], [])], [], dict(TERMS)
        self.terminals, self.is_read, self.exit = ["T1"], not any(x in line for x in NOT_READ for line in lines), "0"
        for line in lines:
            self.take(*line.split(" ", 1))

    def take(self, word, rest=""):
        records, gone, run = self.steps[-1]
        if word == "then":
            self.steps.append((list(records), [], []))
        elif word == "run":
            first, _, last = rest.partition("..")
            run += [date.fromisoformat(first), date.fromisoformat(last or first)]
        elif word == "gone":
            records[:] = [one for one in records if [one["kind"], one["id"]] != rest.split(" ")]
        elif word == "expect" and rest != "nothing":
            self.expected.append(rest)
        elif word == "exit":
            self.exit = rest
        elif word == "terminals":
            self.terminals = []
        elif word in ("set", "own"):
            name, _, value = rest.replace("settlement.", "").partition(" = ")
            self.is_read = self.is_read and (name in SETTINGS or name.startswith("["))
            if name in SETTINGS:
                self.terms[SETTINGS[name]] = int(value)
        elif word not in ("expect", "says", "shows", "staged"):
            self.record(records, word, rest.split())

    @staticmethod
    def record(records, kind, words):
        id = "" if not words or "=" in words[0] else words.pop(0)
        one = dict(word.split("=", 1) for word in words) | {"kind": kind, "id": id}
        if "kind" in (word.split("=")[0] for word in words):
            one |= {"kind": kind, "of_kind": next(word[5:] for word in words if word.startswith("kind="))}
        records[:] = [x for x in records if not id or (x["kind"], x["id"]) != (kind, id)] + [one]

    def differs(self):
        """Missing and additional findings."""
        life, found = Life(), []
        for records, _, (first, last) in self.steps:
            world = World(first, last, self.terms, kinds=kinds.named("all"), way="nights")
            world.start = life.start or first
            build(world, records, self)
            for day in world.days if life.start is None else days(first, last):
                life.run(replace(world, day=day), last)
        for day, rows in life.rows.items():
            for key, (status, _, *figures) in rows.items():
                found.append((f"{day} {status} {key[0]} {' '.join(text or '-' for text in figures)}", key))
        opened = {key[0] for key in life.left_open if key[0].isupper()}
        opened |= kinds.LEDGER_CODES if any(key[0] == "books" for key in life.left_open) else set()
        left_out = opened | {"UNKNOWN_MERCHANT"}
        expected = sorted(text for text in self.expected if text.split(" ")[2] not in left_out)
        found = sorted(text for text, key in found if key[0] not in left_out)
        return [f"- {x}" for x in expected if x not in found] + [f"+ {x}" for x in found if x not in expected]


def days(first, last):
    return [first + timedelta(n) for n in range((last - first).days + 1)]


def build(world, records, case):
    of = lambda *names: [one for one in records if one["kind"] in names]
    merchant = Merchant("M1", "USD", US, "America/New_York", case.terminals, bool(of("book")))
    merchant.bank = "account" if of("bank", "statement") else None
    world.merchants = [merchant]
    world.has_links = any("held-by" in one or "standing" in one for one in records)
    world.disputes_answer = 200 if of("dispute") else 404
    batch_days = {one["id"]: one["date"] for one in of("batch")}
    for one in of("batch"):
        sums = [int(one.get(name, 0)) for name in ("sales", "returns", "count")]
        world.batches.append(Batch(int(one["id"]), owner(one), at(one, "date"), one.get("currency", "USD"), *sums))
    for one in of("capture", "return", "void"):
        day = one.get("date") or batch_days.get(one.get("batch"))
        authorized = one.get("authorized")
        world.authorizations.append(Authorization(
            int(one.get("under", one["id"])), owner(one), date.fromisoformat(day), one.get("currency", "USD"),
            int(one["batch"]) if one.get("batch") else None, one.get("last4", "1111"), one.get("response"),
            int(authorized) if authorized else None,
            None if one["kind"] == "void" else int(one.get("transaction", one["id"])),
            one.get("type", one["kind"]), int(one.get("amount", 0)),
            int(one["held-by"]) if "held-by" in one else None, one.get("standing"), None, at(one, "sold"),
            one.get("brand", "visa"),
        ))
    for one in of("deposit"):
        names = ("sales", "returns", "transactions", "adjustment", "fees", "held", "holdback", "release")
        sums = [int(one.get(name, 0)) for name in names]
        deposit = Deposit(int(one["id"]), owner(one), at(one, "of"), at(one, "paid"), *sums)
        deposit.net = int(one.get("net", deposit.components))
        world.deposits.append(deposit)
    for one in of("fee"):
        named = int(one["deposit"]) if "deposit" in one else None
        text = one.get("description", "Discount")
        world.fees.append(Fee(owner(one), named, at(one, "listed"), int(one["amount"]), text))
    for one in of("payment", "refund"):
        world.transfers.append(transfer(one, records))
    for one in world.transfers:
        # Where it says which, the next payment of the order presents it again.
        later = [x for x in world.transfers if x.order == one.order and x.run and one.run and x.run > one.run]
        if any(back.is_represented for back in one.returns) and later:
            one.again = min(later, key=lambda x: x.run)
    for one in of("dispute"):
        life = [status.split("@") for status in one.get("life", f"new@{one.get('submitted')}").split(",")]
        if one["id"] != "none":
            world.disputes.append(Dispute(
                int(one["id"]), "M1", "USD", at(one, "submitted"),
                [(date.fromisoformat(day), status) for status, day in life], int(one.get("amount", 0)),
                int(one.get("fee", 0)), int(one["transaction"]) if "transaction" in one else None,
            ))
    for one in [one for one in of("book") if one["id"] != "empty"]:
        fields = at(one, "date"), cents(one["amount"]), one.get("currency", "USD"), one.get("reference")
        more = one.get("order"), one.get("last4"), one.get("status", "paid")
        world.records.append(Record(one["id"], "M1", one.get("of_kind", "payment"), *fields, *more))
    for one in of("bank"):
        world.lines.append(Line("account", at(one, "date"), cents(one["amount"]), f"Example Payments {one['id']}"))
    ends = [at(one, end) for one in of("statement") for end in ("from", "to")] + [one.day for one in world.lines]
    world.covered = (min(ends), max(ends)) if ends else None


def transfer(one, records):
    returns = [
        Return(x["id"], at(x, "date"), x.get("represented") == "yes", x.get("closed") == "yes", x.get("code", "R01"))
        for x in records
        if x["kind"] == "came-back" and x.get("of") == one["id"]
    ]
    run, terminal = at(one, "run"), one.get("listed-by", one.get("terminal", "T1"))
    return Transfer(
        one["id"], one["kind"], owner(one), terminal, one.get("currency", "USD"), run,
        run and f"{run}T15:00:00Z", at(one, "settled"), int(one["amount"]), one.get("order", one["id"]),
        one.get("last4", "2222"), one.get("type", one["kind"]), one.get("status", "complete"),
        one.get("payment"), returns, None, at(one, "again"),
    )


def owner(one):
    return one.get("merchant", "M1")


def at(one, name):
    return date.fromisoformat(one[name]) if name in one else None


def cents(text):
    return int(Decimal(text) * 100)


def every():
    for path in sorted(FOLDER.glob("*.md")):
        heading, lines = None, []
        for line in [*path.read_text().splitlines(), "## end: end"]:
            if line.startswith("## ") and path.stem != "README":
                if heading:
                    yield Case(path.stem, heading, lines)
                heading, lines = line[3:], []
            elif line.startswith("    "):
                lines.append(line.strip())


def main():
    if sys.argv[1:]:
        sys.exit(situations.main(Path(sys.argv[1]), sys.argv[2:]))
    cases = [case for case in every() if case.is_read and case.exit == "0"]
    wrong = 0
    for case in cases:
        try:
            differs = case.differs()
        except Exception as error:  # noqa: BLE001 - said with its case
            differs = [repr(error)]
        if differs:
            wrong += 1
            print(case.name, *differs, sep="\n  ")
    print(f"cases: {len(cases)}, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
