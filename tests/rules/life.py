"""The life of findings, date by date: new, open, cleared; and records restated, renumbered or vanished
since the run that first read them.
"""

from dataclasses import replace

import currencies
import kinds
from checks import Day
from world import money

# For each kind of record: the day that lists it, its amounts in the order of the reports, and its
# other fields.
LISTED = {
    "deposits": ("paid", ("sales", "returns", "fees", "held", "net"), ("count", "paid")),
    "batches": ("day", ("sales", "returns"), ("count", "day")),
    "authorizations": ("day", ("amount", "authorized"), ("type", "day")),
    "transfers": ("settled", ("amount",), ("settled", "status")),
}


class Life:
    """The knowledge of a store, run by run."""

    def __init__(self):
        self.first_seen, self.left_open, self.told = {}, set(), {}
        # The open discrepancies at the end of each date.
        self.closing = {}
        # The first reconciled values of each record, and when something undated was first read.
        self.first, self.read, self.start = {}, {}, None
        self.listed, self.restated, self.renumbered = set(), {}, {}
        self.rows, self.notes = {}, {}

    def run(self, seen, last, is_waived=lambda _: False):
        """Judges a date from the world as seen: the known records and findings of each merchant, and
        the rows of its report, as (status, first seen, expected, actual). `last` is the last date of
        its run."""
        day = seen.day
        self.start = self.start or day
        world = self.with_times(seen, last)
        judged = [
            currencies.named_apart(Day(part, one, day, self.read).judge(), merchant)
            for merchant in world.merchants
            for part, one in currencies.parts(world, merchant, day)
        ]
        currencies.leave_open(world, judged, day)
        # A discrepancy left open on an earlier date leaves its first_seen open.
        self.left_open = self.left_open.union(*(one.open for one in judged))
        found = {key: value for one in judged for key, value in one.found.items()}
        found |= self.changed(world, day)
        # A fault that cannot be undone is an event of one date.
        for key in [key for key in found if key[0] == "CAPTURE_EXCEEDS_AUTHORIZATION"]:
            if self.told.setdefault(key, day) != day:
                del found[key]
        self.rows[day] = self.rows_of(day, found, {key for key in found if is_waived(key)})
        return judged, self.rows[day]

    def rows_of(self, day, found, waived):
        before = max((at for at in self.closing if at < day), default=None)
        rows, before = {}, self.closing.get(before, {})
        for key, figures in found.items():
            is_single = key[0] in kinds.NOT_CARRIED
            first = str(day) if is_single else self.first_seen.setdefault(key, str(day))
            status = "accepted" if key in waived else "new"
            if key not in waived or key in before:
                rows[key] = ("open" if status == "new" and key in before else status, first, *figures)
        for key in before.keys() - found.keys():
            rows[key] = ("cleared", self.first_seen[key], *before[key])
        waived |= {key for key in found if key[0] in kinds.NOT_CARRIED}
        self.closing[day] = {key: value for key, value in found.items() if key not in waived}
        return rows

    def with_times(self, seen, last):
        """Transfers without a time: they ran, and came back, on the last date of the run that first
        read them."""
        transfers = []
        for one in seen.transfers:
            self.read.setdefault(("known", one.id), last)
            if not one.run:
                self.read.setdefault(one.id, seen.first_run or last)
                one = replace(one, run=self.read[one.id], is_timeless=True)
            is_read = min(at for at in (one.run, one.settled or one.run) if at) <= last
            if one.status == "returned" and not one.returns and is_read:
                self.read.setdefault(("returned", one.id), last)
            transfers.append(one)
        return replace(seen, transfers=transfers)

    def changed(self, world, day):
        """The records that differ by now from when they were first read."""
        found, currency = {}, {one.id: one.currency for one in world.merchants}
        known = {(name, key_of(one)): one for name in LISTED for one in getattr(world, name)}
        known = {key: one for key, one in known.items() if one.merchant in currency}
        for (name, key), one in known.items():
            at = getattr(one, LISTED[name][0])
            if at and self.start <= at <= day:
                self.first.setdefault((name, key), (at, one))
        for (name, key), (at, before) in self.first.items():
            now, subject = known.get((name, key)), (before.merchant, (name, str(before.id)))
            if at > day or (now is None and self.is_replaced(before)):
                continue
            if now is None and (other := self.number_now(known, name, before)):
                self.notes["RESTATED_AFTER_RECONCILED", *subject] = f"{before.transaction} is now {other}"
                self.restated[subject] = ("", "")
            elif now is None:
                amount = getattr(before, {"deposits": "net", "batches": "owed"}.get(name, "amount"))
                texts = money(currency[before.merchant], amount), money(currency[before.merchant], 0)
                found["VANISHED_AFTER_RECONCILED", *subject] = texts
            else:
                self.restate(name, subject, before, now, currency[before.merchant])
            if subject in self.restated:
                found["RESTATED_AFTER_RECONCILED", *subject] = self.restated[subject]
        self.listed |= known.keys()
        return found

    def restate(self, name, subject, before, now, currency):
        """It stays so until the first values come back."""
        self.restated.pop(subject, None)
        if told := differing(name, before, now):
            amounts = [told[0]] if told[0] in LISTED[name][1] else []
            figures = [getattr(one, amounts[0]) if amounts else None for one in (before, now)]
            texts = ("" if one is None else money(currency, one) for one in figures)
            self.restated[subject] = tuple(texts)

    @staticmethod
    def is_replaced(before):
        """An authorization without a transaction moves no money and never vanishes."""
        return getattr(before, "transaction", 1) is None

    def number_now(self, known, name, before):
        """The transaction, not listed before, that has the same content."""
        if name == "authorizations" and before.transaction not in self.renumbered:
            fields = ("id", "type", "amount", "day")
            same = [one for key, one in known.items() if key[0] == name and key not in self.listed]
            same = [one for one in same if all(getattr(one, x) == getattr(before, x) for x in fields)]
            self.renumbered |= {before.transaction: one.transaction for one in same[:1]}
        return self.renumbered.get(before.transaction) if name == "authorizations" else None


def key_of(one):
    return one.id, getattr(one, "transaction", None)


def differing(name, before, now):
    """The changed fields; a transfer that comes back is in its ordinary life."""
    _, amounts, others = LISTED[name]
    is_gone = before.status in ("complete", "returned") if name == "transfers" else True
    if name == "transfers" and not (is_gone and now.status in ("declined", "reversal")):
        others = others[:1]
    return [x for x in (*amounts, *others) if getattr(before, x) != getattr(now, x)]


def lives(world, seen_on, accepted):
    """For each date, with the world as seen for it: the known records and findings of each merchant,
    the rows of its report, and the findings that the rules leave open. `accepted`: the dates on which a
    discrepancy is accepted; one that was open before is shown as such."""
    life = Life()
    for day in world.days:
        last = day if world.way == "nights" else world.end
        seen = replace(seen_on(world, day), day=day)
        judged, rows = life.run(seen, last, lambda key, at=day: at in accepted.get(key, ()))
        yield day, judged, rows, life.left_open
