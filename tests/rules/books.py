"""Matching items with a merchant's books as of a date, and what must be found.

Where records contradict each other within what a pass compares, or where the rules say nothing,
the merchant is left open: it is not compared. Everything else is.
"""

from collections import defaultdict
from dataclasses import dataclass, replace

import published
from banking_days import distance, due


@dataclass(frozen=True)
class Item:
    id: str
    names: frozenset
    kind: str
    day: object
    amount: int
    currency: str
    last4: str
    order: str | None
    # The bank transfer that it is; None of a card's.
    transfer: object
    # The day of its transaction, or on which it ran; and of a card its authorization.
    second: object = None
    authorization: str | None = None


OPEN = "books"


def contradicts(item, record, known, with_order=True):
    return bool(
        (record.last4 and item.last4 and item.last4 != record.last4)
        or (with_order and item.order and record.order and item.order != record.order)
        or (record.reference in known and record.reference not in item.names)
    )


class Books:
    def __init__(self, day):
        self.day, self.merchant = day, day.merchant
        self.pairs, self.ambiguities, self.duplicates = day.pairs, [], set()
        self.taken = set()
        self.items = self._items()
        own = [one for one in day.world.records if one.merchant == self.merchant.id]
        # A cell of a file is read without the spaces around it.
        own = [replace(one, order=one.order and one.order.strip()) for one in own]
        self.records = [one for one in own if one.day <= day.day and self.is_in_reach(one)]
        # Once settled or not: what ran up to the date.
        run = [one for one in day.transfers if not one.run or one.run <= day.day]
        self.transfers = {one.id: one for one in run}
        self.known = set(self.transfers) | {name for item in self.items for name in item.names}
        for one in day.authorizations:
            self.known |= {str(one.id), str(one.transaction)}
        # Of a payment that is presented again: which one it stands for.
        self.original_of = {one.again.id: one.id for one in run if one.again}
        early = [one.names for one in self.items if day.has_early_links(one.day)]
        astray = [one for ones in day.deposits.values() for one in ones if day.is_astray(one)]
        is_before = any(one.group < day.start for one in astray)
        if is_before or any(one.reference in names for one in self.records for names in early):
            self.leave_open()

    def is_in_reach(self, record):
        """Since the start, or within the window before it."""
        away = distance(record.day, self.day.start, self.merchant.calendar)
        return record.day >= self.day.start or away <= self.day.terms["window"]

    def _items(self):
        day = self.day
        cards = [
            Item(
                id=str(one.transaction),
                names=frozenset((str(one.transaction), str(one.id))),
                kind="payment" if one.type == "capture" else "refund",
                day=one.day,
                amount=one.amount,
                currency=one.currency,
                last4=one.last4,
                order=None,
                transfer=None,
                second=one.sold or one.day,
                authorization=str(one.id),
            )
            for one in day.cards
        ]
        transfers = [
            Item(
                id=one.id,
                names=frozenset((one.id,)),
                kind=one.kind,
                day=one.settled,
                amount=one.amount,
                currency=one.currency,
                last4=one.last4,
                order=one.order,
                transfer=one.id,
                second=one.run,
            )
            for one in day.settled
        ]
        return [one for one in cards + transfers if self.is_in_scope(one.day)]

    def leave_open(self):
        self.day.open.add((OPEN, self.merchant.id))

    def free(self, sides):
        return [one for one in sides if one.id not in self.taken]

    def alike(self, items, records, key):
        """What is free on both sides, by what it has in common; without a key it has nothing."""
        groups = defaultdict(lambda: ([], []))
        for side, ones in enumerate((self.free(items), self.free(records))):
            for one in ones:
                if key(one):
                    groups[key(one)][side].append(one)
        return groups.values()

    def pair(self, name, items, records):
        self.pairs.append((name, items, records))
        self.taken.update(one.id for one in [*items, *records])

    def set_aside(self, items, records):
        self.ambiguities.append((items, records))
        self.taken.update(one.id for one in [*items, *records])

    def leave_open_where_equal(self, items, records):
        if any(one.amount == other.amount for one in items for other in records):
            self.leave_open()

    def names_unlisted(self, record):
        """Whether it names what was settled or submitted before the start, on a day that nothing
        asks for."""
        days = [
            one.day
            for one in self.day.authorizations
            if record.reference in (str(one.id), str(one.transaction))
        ]
        named = self.transfers.get(record.reference)
        if named and named.settled and named.run and named.run < self.day.start:
            days.append(named.settled)
        return any(not self.day.is_judged(day) for day in days)

    def is_again(self, item):
        return any(one.id == self.original_of.get(item.id) for one in self.items)

    def follow(self, items, other_of):
        """What is presented again stands for its original, and the other way round."""
        for item in self.free(items):
            other = other_of.get(item.id)
            if any(other == one.id for one in items) and other in self.taken:
                self.stand_in(item, other)

    def stand_in(self, item, other):
        """It shares what became of another one; whether that is a candidate as well is left open."""
        self.taken.add(item.id)
        shared = [pair for pair in self.pairs if any(other == one.id for one in pair[1])]
        for name, _, records in shared:
            self.day.stand_ins.append((item, name, sorted(records, key=lambda one: one.id)))
            if any(one.status != "paid" for one in records):
                # Whether books that void the original disagree with it is left open.
                self.day.open.add(("STATUS_MISMATCH", self.merchant.id, item.id))
        if not shared:
            self.leave_open()

    def name_unsettled(self, kind, records):
        """A record that names a transfer which has not settled is paired with nothing else."""
        settled = {one.transfer for one in self.items}
        waiting = [one for one in self.transfers.values() if one.kind == kind]
        waiting = [one for one in waiting if one.id not in settled]
        for record in self.free(records):
            if record.reference in {one.id for one in waiting}:
                self.taken.add(record.id)
                continue
            if record.order and any(one.order == record.order for one in waiting):
                # The rules speak of names; whether an order id is one is left open.
                self.leave_open()

    def components(self, pairs):
        """Who could be paired with whom, directly or by way of others."""
        pairs = [pair for pair in pairs if not self.contradicts(*pair)]
        groups = []
        for item, record in pairs:
            joined = [one for one in groups if item in one[0] or record in one[1]]
            groups = [one for one in groups if one not in joined]
            groups.append(([item], [record]))
            for items, records in joined:
                groups[-1][0].extend(one for one in items if one not in groups[-1][0])
                groups[-1][1].extend(one for one in records if one not in groups[-1][1])
        for items, records in groups:
            if len(items) * len(records) != sum(pair[0] in items for pair in pairs):
                self.leave_open()
        return groups

    def interchange(self, name, items, records):
        items, records = (sorted(side, key=lambda one: one.id) for side in (items, records))
        larger = items if len(items) > len(records) else records
        if len(items) == len(records) or len({one.order for one in larger}) == 1:
            for item, record in zip(items, records, strict=False):
                self.pair(name, [item], [record])
        else:
            self.set_aside(items, records)

    def report(self):
        day, start = self.day, self.day.start
        for name, items, records in self.pairs:
            if any(one.day >= start for one in [*items, *records]):
                self.report_pair(name, items, records)
        since = {one.id for one in self.items if one.day >= start}
        for one in self.items:
            is_missing = one.id not in self.taken and one.day >= start
            # It stands for its original, and what settled before the start is never missing.
            original = self.original_of.get(one.id)
            is_missing = is_missing and (original is None or original in since)
            if is_missing and day.is_due(one.day, "ledger"):
                day.add("MISSING_IN_LEDGER", one.id, 0, one.amount)
        for one in self.records:
            if one.id in self.duplicates:
                if one.day >= start:
                    day.add("DUPLICATE_IN_LEDGER", one.id, None, one.amount, one.currency)
                continue
            is_expected = one.status == "paid" and one.day >= start and one.id not in self.taken
            if is_expected and self.due_of(one) <= day.day and not self.names_transfer(one):
                day.add("MISSING_AT_PROCESSOR", one.id, one.amount, 0, one.currency)
                # It may be what has a type that is not published.
                unknown = [x for x in day.authorizations if x.type == published.NO_TYPE]
                if any(x.amount == one.amount for x in unknown):
                    day.open.add(("MISSING_AT_PROCESSOR", self.merchant.id, one.id))
            # Where dates are run in any order, the last word on a date asks the service nothing: what
            # had settled before the start may not be looked up.
            named = self.transfers.get(one.reference)
            if day.world.way == "shuffled" and named and named.settled and named.settled < start:
                day.open.add(("MISSING_AT_PROCESSOR", self.merchant.id, one.id))
            self.report_named(one)
        for items, records in self.ambiguities:
            dates = [day.due(one.day, "ledger") for one in items if one.day >= start]
            dates += [self.due_of(one) for one in records if one.day >= start]
            if dates and min(dates) <= day.day:
                ids = tuple(sorted(one.id for one in [*items, *records]))
                day.add("AMBIGUOUS_MATCH", ids, None, None)

    def due_of(self, record):
        days = self.day.terms["settle"] + self.day.terms["ledger"]
        return due(record.day, days, self.merchant.calendar)

    def names_transfer(self, record):
        named = self.transfers.get(record.reference)
        return named is not None and named.kind == record.kind

    def report_named(self, record):
        """A record that names a transfer which is no item."""
        if record.id in {one.id for _, _, records in self.pairs for one in records}:
            return
        named = self.transfers.get(record.reference)
        is_named = named and named.kind == record.kind
        if is_named and self.disagrees(record, named):
            # Whether what has no run date is known as of a date is left open.
            is_listed = named.run and (named.run >= self.day.start or not named.settled)
            if record.day >= self.day.start and is_listed:
                self.day.add("STATUS_MISMATCH", named.id, None, None)
            else:
                self.day.open.add(("STATUS_MISMATCH", self.merchant.id, named.id))

    def report_pair(self, name, items, records):
        lowest = min(one.id for one in items)
        expected, actual = (sum(one.amount for one in side) for side in (records, items))
        if name in ("reference", "order"):
            if any(one.currency != other.currency for one in items for other in records):
                self.day.add("CURRENCY_MISMATCH", lowest, None, None)
            elif abs(expected - actual) > self.day.terms["tolerance"]:
                self.day.add("AMOUNT_MISMATCH", lowest, expected, actual)
        for item in items:
            transfer = self.transfers.get(item.transfer)
            if any(self.disagrees(record, transfer) for record in records):
                self.day.add("STATUS_MISMATCH", item.id, None, None)

    def disagrees(self, record, transfer):
        """Without a transfer it is a card's."""
        if record.status == "paid":
            if not transfer:
                return False
            status = self.day.status_of(transfer)
            is_back = status == "returned" and any(
                back.day <= self.day.day and not (back.is_closed or back.is_represented)
                for back in transfer.returns
            )
            return status in published.REFUSED or is_back
        if not transfer:
            return True
        if record.status == "returned" and transfer.returns:
            return False
        return self.day.status_of(transfer) == "complete"
