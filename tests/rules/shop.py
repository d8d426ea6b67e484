"""A shop: one merchant over some dates in which every kind of rule is read, and what is said of it."""

from collections import defaultdict
from datetime import date

import kinds
from banking_days import due
from life import lives
from world import (
    Authorization,
    Batch,
    Deposit,
    Merchant,
    Record,
    Transfer,
    World,
    seen_on,
)

US = "us-federal-reserve"
TERMS = {"payout": 2, "settle": 1, "ledger": 1, "return": 5, "window": 3, "tolerance": 0, "restated": 7}


def on(month, day):
    return date(2026, month, day)


class Shop:
    """One merchant, and what becomes of it from a first to a last date."""

    def __init__(self, first=on(11, 2), last=on(11, 16), **about):
        self.world = World(first, last, dict(TERMS), kinds=kinds.named("all"))
        self.world.way = about.pop("way", "range")
        self.merchant = Merchant("4525644354", "USD", US, "UTC", ["1234001"], about.pop("books", False))
        self.merchant.has_bank = about.pop("bank", False)
        self.world.merchants.append(self.merchant)
        for name, value in about.items():
            setattr(self.world, name, value)
        self.last = 6130000

    def number(self):
        self.last += 1
        return self.last

    def batch(self, day):
        one = Batch(self.number(), self.merchant.id, day, "USD")
        self.world.batches.append(one)
        return one

    def card(self, batch, amount, last4="2045", kind="capture", **about):
        one = Authorization(
            self.number(), self.merchant.id, batch.day, "USD", batch.id, last4, "approved",
            amount, self.number(), kind, amount,
        )
        for name, value in about.items():
            setattr(one, name, value)
        self.world.authorizations.append(one)
        self.add(batch, amount, kind == "return")
        return one

    @staticmethod
    def add(batch, amount, is_return):
        batch.returns += amount if is_return else 0
        batch.sales += 0 if is_return else amount
        batch.count += 1

    def transfer(self, day, amount, settled=None, kind="payment", order="A", last4="6666", **about):
        settled = settled or day
        one = Transfer(
            f"{kind[0].upper()}{self.number():09d}", kind, self.merchant.id, "1234001", "USD", day,
            f"{day}T15:00:00Z", settled, amount, order, last4, kind, "complete",
        )
        for name, value in about.items():
            setattr(one, name, value)
        self.world.transfers.append(one)
        for batch in [b for b in self.world.batches if b.day == settled][:1]:
            self.add(batch, amount, kind == "refund")
        return one

    def deposit(self, group, paid, batches=None, **about):
        every = [b for b in self.world.batches if b.day == group] if batches is None else batches
        sums = [sum(getattr(b, name) for b in every) for name in ("sales", "returns", "count")]
        one = Deposit(self.number(), self.merchant.id, group, paid, *sums, about.pop("adjustment", 0))
        for name, value in about.items():
            setattr(one, name, value)
        one.net = one.components
        self.world.deposits.append(one)
        return one

    def record(self, day, amount, reference=None, order=None, last4=None, status="paid", kind="payment"):
        reference = str(reference) if reference else None
        one = Record(
            f"I{len(self.world.records) + 1}", self.merchant.id, kind, day, amount, "USD", reference,
            order, last4, status,
        )
        self.world.records.append(one)
        return one

    def paid_in_two_days(self):
        for day in sorted({batch.day for batch in self.world.batches}):
            self.deposit(day, due(day, 2, US))

    def said(self, day=None, but=()):
        """What is open on a date (the last one): codes with their figures; and the pairs by then.

        Nothing of it may be left open, `but` these codes."""
        self.pairs, told, self.rows, self.left_open = set(), {}, {}, set()
        seen = seen_on if self.world.way == "nights" else lambda world, _: world
        for at, judged, rows, left_open in lives(self.world, seen, defaultdict(set)):
            self.rows[at], self.left_open = rows, left_open
            self.pairs |= {(name, one.id) for pair in judged for name, _, ones in pair.pairs for one in ones}
            self.severities = {key: text for one in judged for key, text in one.severities.items()}
            told[at] = {key[0]: row[2:] for key, row in rows.items() if row[0] in ("new", "open")}
        # A new store has read few listings.
        left_open = {key for key in self.left_open if key[0] not in ("MERCHANT_NOT_LISTED", *but)}
        assert not left_open, left_open
        return told[day or self.world.end]
