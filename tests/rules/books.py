"""Kind `matching`, and the books leg: items with the records of a merchant's books, by key first, then one to
one on ever weaker evidence.

Where records contradict each other within what a pass compares, or where the rules say nothing, the merchant
is left open: it is not compared. Everything else is.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

import disputes
import ledgers
import published
import returned
from banking_days import distance, due
from search import by_key, in_order, nearest, sum_of, without
from world import DECIMALS, money

records, facts = ledgers.records, ledgers.facts
OPEN = "books"
KEYS = ("reference", "order")


@dataclass(frozen=True)
class Item:
    id: str
    names: frozenset
    kind: str
    day: object
    amount: int
    currency: str
    last4: str
    order: str | None = None
    # The bank transfer behind it; None for a card transaction.
    transfer: str | None = None
    # The day of its transaction, or on which it ran; and of a card its authorization.
    second: object = None
    authorization: str | None = None
    # Known and not settled yet: it may be the nearest, but is not an item.
    is_waiting: bool = False
    # The payment, where it is not an item but the return of one: the books may post it as a refund.
    back_of: object = None

    @property
    def days(self):
        return [at for at in (self.day, self.second) if at]


def spelled(order):
    """Its runs of letters, without case, and of digits, without leading zeros."""
    runs = re.findall(r"[^\W\d_]+|\d+", order or "")
    return tuple(run.lstrip("0") or "0" if run.isdigit() else run.lower() for run in runs)


def plain(reference):
    """The value of a cell that a spreadsheet has wrapped."""
    wrapped = re.fullmatch(r'="(.*)"', reference or "")
    return wrapped.group(1) if wrapped else (reference or "").removeprefix("'") or None


def in_decimals_of(currency, text):
    """An amount with the decimals of another currency; empty if these cannot hold it."""
    decimals = DECIMALS[currency]
    minor = Decimal(text).scaleb(decimals)
    return money(currency, int(minor)) if minor == int(minor) else ""


def judge(day):
    Books(day).judge()


class Books:
    def __init__(self, day):
        self.day, self.merchant, self.start = day, day.merchant, day.start
        self.window = day.terms["window"]
        self.pairs, self.ambiguities, self.duplicates = day.pairs, [], []
        self.taken, self.countered = set(), set()
        run = [one for one in day.transfers if not one.run or one.run <= day.day or one in day.settled]
        self.transfers = {one.id: one for one in run}
        self.listed = {one.id for one in day.world.transfers}
        self.items = [one for one in self._items() if one.amount]
        own = [one for one in day.world.records if one.merchant == self.merchant.id and (one.amount or one.status != "paid")]
        # A cell of a file is read without the spaces around it.
        own = [replace(one, order=one.order and one.order.strip()) for one in own]
        self.records = [one for one in own if one.day <= day.day and self.is_in_reach(one.day)]
        self.known = set(self.transfers) | {name for item in self.items for name in item.names}
        for one in day.authorizations:
            self.known |= {str(one.id), str(one.transaction)}
        self.original_of = self._originals(run)
        early = [one.names for one in self.items if day.has_early_links(one.day)]
        astray = [one for ones in day.deposits.values() for one in ones if day.is_astray(one)]
        if any(one.group < day.start for one in astray) or any(
            one.reference in names for one in self.records for names in early
        ):
            self.leave_open()

    def is_in_reach(self, at):
        """Since the start, or within the window before it."""
        return at >= self.start or distance(at, self.start, self.merchant.calendar) <= self.window

    def _items(self):
        day, found = self.day, []
        for one in day.cards:
            kind = "payment" if one.type == "capture" else "refund"
            about = {"second": one.sold or one.day, "authorization": str(one.id)}
            names = frozenset((str(one.transaction), str(one.id)))
            fields = (str(one.transaction), names, kind, one.day, one.amount, one.currency, one.last4)
            found.append(Item(*fields, **about))
        settled = {one.id for one in day.settled}
        for one in self.transfers.values():
            is_over = day.status_of(one) in {*published.REFUSED, "returned"}
            is_waiting = one.id not in settled and one.run and not is_over and one.type != "accountVerification"
            # One from around the start takes part for three weeks.
            is_waiting = is_waiting and (day.day <= self.start + timedelta(21) or self.is_later(one.run))
            if one.id in settled or is_waiting:
                about = {"order": one.order, "transfer": one.id, "second": one.run}
                at = one.settled if one.id in settled else one.run
                fields = (one.id, frozenset((one.id,)), one.kind, at, one.amount, one.currency, one.last4)
                found.append(Item(*fields, **about, is_waiting=bool(is_waiting)))
        return [one for one in found if day.is_judged(one.day) or self.is_in_reach(one.day)]

    def is_later(self, at):
        return at > self.start and distance(self.start, at, self.merchant.calendar) > 2 * self.window

    def _originals(self, run):
        """The stand-ins of a returned payment: its re-presentment; and after a closed return one of the
        same order, amount and last four, when fewer records than payments carry that order."""
        again = [one for one in run if one.again and spelled(one.again.order) == spelled(one.order)]
        found = {one.again.id: one.id for one in again}
        for one in run:
            closed = [back for back in returned.effects(one, self.day.day)[1] if back.is_closed]
            same = [x for x in run if x.kind == "payment" and spelled(x.order) == spelled(one.order)]
            named = {x.id for x in same}
            booked = [
                x
                for x in self.records_of(one.order)
                # One that names an item outside of the order is no record of its payments.
                if x.kind == "payment" and (x.reference in named or x.reference not in self.known)
            ]
            later = [
                x
                for x in same
                if closed and x.run and x.run >= closed[-1].day and x is not one
                and (x.amount, x.last4) == (one.amount, one.last4)
            ]
            if later and len(booked) < len(same):
                found.setdefault(min(later, key=lambda x: (x.run, x.id)).id, one.id)
        return found

    def records_of(self, order):
        return [one for one in self.records if order and spelled(one.order) == spelled(order)]

    def leave_open(self):
        self.day.open.add((OPEN, self.merchant.id))

    def free(self, sides):
        return [one for one in sides if one.id not in self.taken]

    def pair(self, name, items, records):
        if items[0].back_of:
            self.taken.add(items[0].id)
            self.let_counter(items[0].back_of, *records, items[0].day)
            return
        self.pairs.append((name, items, records))
        self.taken.update(one.id for one in [*items, *records])

    def set_aside(self, items, records):
        # Where only what has not settled fits, the records wait.
        settled = [one for one in items if not one.is_waiting]
        if settled:
            self.ambiguities.append((settled, records))
        self.taken.update(one.id for one in [*items, *records])

    def judge(self):
        self.counter()
        for kind in ("payment", "refund"):
            items = [one for one in self.items if one.kind == kind]
            records = [one for one in self.records if one.kind == kind]
            self.by_reference([one for one in items if not one.is_waiting], records)
            self.name_unsettled(kind, records)
            backs = self.returns() if kind == "refund" else []
            self.by_order([*items, *backs], records)
            self.by_spelling([*items, *backs], records)
            self.follow(items, self.original_of)
            named = [one for one in self.free(records) if self.names_unlisted(one)]
            if any(one.amount == other.amount for one in self.free(items) for other in named):
                self.leave_open()
            paid = [one for one in records if one.status == "paid"]
            self.by_day(items, paid, records)
            self.follow(items, self.original_of)
            self.follow(items, {one: again for again, one in self.original_of.items()})
        self.counter_undecided()
        self.set_opposites_aside()
        self.report()
        ledgers.judge_fit(self)
        ledgers.hide(self)

    def by_day(self, items, paid, records):
        for is_since in (True, False):
            sides = [[one for one in side if (one.day >= self.start) == is_since] for side in (items, paid)]
            # The item of a record from before the start may lie on a day that was not read: what agrees
            # in the last four across the start comes before what agrees in amount alone before it.
            self.by_last4(*sides)
            if not is_since:
                self.across(items, paid, by_last4=True)
            self.by_amount(*sides, records)
        self.across(items, paid)
        since = [[one for one in side if one.day >= self.start] for side in (items, paid)]
        for place in (0, 1):
            self.set_unequal_aside(*since, place)

    def contradicts(self, item, record, with_order=True):
        orders = (item.order, record.order)
        return bool(
            (record.last4 and item.last4 and item.last4 != record.last4)
            or (with_order and all(orders) and spelled(item.order) != spelled(record.order))
            or (record.reference in self.known and record.reference not in item.names)
        )

    def away(self, item, record):
        """By the nearer of the item's days."""
        return min(distance(at, record.day, self.merchant.calendar) for at in item.days)

    # By key.

    def counter(self):
        """Refund records that are a return, or a dispute that was lost or debited: the nearest of each."""
        disputed = defaultdict(list)
        for one in disputes.of(self.day):
            status = disputes.status_of(self.day, one)[1]
            if status in disputes.LOST or one.id in self.day.moved:
                disputed[str(one.transaction)].append((one.statuses[0][0], one.amount))
        self.let_name(disputed)

    def counter_undecided(self):
        """Refund records of a dispute that a deposit may still debit, and that are left."""
        disputed = defaultdict(list)
        for one in disputes.of(self.day):
            status, first = disputes.status_of(self.day, one)[1], one.statuses[0][0]
            is_decided = status in disputes.LOST or status in disputes.WON or one.id in self.day.moved
            if not is_decided and due(first, 10 + 2, self.merchant.calendar) >= self.day.day:
                disputed[str(one.transaction)].append((first, one.amount))
        self.let_name(disputed)

    def let_name(self, disputed):
        done = {(item.id, at) for item, _, at in self.day.countered}
        for item in [one for one in self.items if one.kind == "payment"]:
            transfer = self.transfers.get(item.transfer)
            events = [(back.day, item.amount) for back in self.standing(transfer)]
            events += disputed[item.id] if not transfer else ()
            for at, amount in [one for one in events if (item.id, one[0]) not in done]:
                fits = [
                    (distance(one.day, at, self.merchant.calendar), one.day, one.id, one)
                    for one in self.free(self.records)
                    if one.kind == "refund" and one.status == "paid" and one.amount == amount
                    and one.reference in item.names
                ]
                fits = [fit for fit in fits if fit[1] >= at or fit[0] <= self.window]
                for *_, record in sorted(fits, key=lambda fit: fit[:3])[:1]:
                    self.let_counter(item, record, at)

    def let_counter(self, item, record, at):
        self.taken.add(record.id)
        self.countered.add(item.id)
        self.day.countered.append((item, record, at))

    def returns(self):
        """The returns without a record, each as an entry of its payment's order."""
        done = {(item.id, at) for item, _, at in self.day.countered}
        payments = [one for one in self.items if one.kind == "payment" and one.order and one.transfer]
        return [
            replace(one, id=f"~{one.id}~{back.day}", kind="refund", day=back.day, second=None, back_of=one)
            for one in payments
            for back in self.standing(self.transfers[one.transfer])
            if (one.id, back.day) not in done
        ]

    def standing(self, transfer):
        return returned.effects(transfer, self.day.day)[1] if transfer else []

    def by_reference(self, items, records):
        by_name = defaultdict(list)
        for item in items:
            for name in item.names:
                by_name[name].append(item)
        for is_paid in (True, False):
            named = defaultdict(list)
            for one in records:
                if one.reference in by_name and (one.status == "paid") == is_paid:
                    ids = sorted(item.id for item in by_name[one.reference])
                    named[len(ids), *ids].append(one)
            for key, ones in sorted(named.items()):
                meant = [item for item in items if item.id in key[1:]]
                self.pair_named(in_order(self.free(meant)), in_order(self.free(ones)), is_paid)

    def pair_named(self, items, ones, is_paid):
        if not is_paid:
            if len({one.status for one in ones}) > 1 or (len(items) > 1 and ones):
                self.leave_open()
            if len(items) == 1 and ones:
                self.pair("reference", items, ones[:1])
            return
        if len(items) > 1 and len(ones) > 1 and sum_of(items) != sum_of(ones):
            # All of them together, where none adds up.
            pairs, items, left = by_key(items, ones, self.away)
            pairs += [(items, left)] if items and left else []
            left = [] if items else left
        else:
            pairs, _, left = by_key(items, ones, self.away)
        for some, others in pairs:
            self.pair("reference", some, others)
        self.duplicates += left
        self.taken.update(one.id for one in left)

    def set_opposites_aside(self):
        """A payment record beyond what makes up its item, and a refund record of its amount that names the item
        and that nothing explains."""
        for one in in_order([x for x in self.duplicates if x.kind == "payment"]):
            item = next(x for x in self.items if x.kind == "payment" and one.reference in x.names)
            fits = [
                (distance(x.day, one.day, self.merchant.calendar), x.day, x.id, x)
                for x in self.free(self.records)
                if x.kind == "refund" and x.status == "paid" and x.reference in item.names
                and (x.amount, x.currency) == (one.amount, one.currency)
            ]
            for *_, refund in sorted(fits, key=lambda fit: fit[:3])[:1]:
                self.duplicates = without(self.duplicates, [one])
                self.taken.add(refund.id)
                self.day.countered += [(item, x, max(one.day, refund.day)) for x in (one, refund)]

    def is_too_early(self, item, record):
        """A record of a return is dated at most the window before it."""
        is_before = item.back_of and record.day < item.day
        return is_before and self.away(item, record) > self.window

    def by_order(self, items, records):
        def apart(item, record):
            is_none = self.contradicts(item, record) or self.is_too_early(item, record)
            return None if is_none else self.away(item, record)

        for is_paid in (True, False):
            orders = {(one.order, one.currency) for one in items if one.order}
            for order in sorted(orders):
                mine, theirs = (
                    [one for one in self.free(side) if (one.order, one.currency) == order]
                    for side in (items, records)
                )
                mine = [one for one in mine if is_paid or not one.back_of]
                theirs = [one for one in theirs if (one.status == "paid") == is_paid]
                if mine and theirs:
                    self.pair_ordered(in_order(mine), in_order(theirs), apart, is_paid)

    def pair_ordered(self, items, records, apart, is_paid):
        if not is_paid and len(records) > 1:
            self.leave_open()
        again = [one for one in items if one.id in self.original_of]
        for some in (without(items, again), again):
            for item, record in nearest(some, self.free(records), apart):
                self.pair("order", [item], [record])
        items = [one for one in without(self.free(items), again) if not one.back_of]
        records = self.free(records)
        allowed = [(one, other) for one in items for other in records if apart(one, other) is not None]
        if len(allowed) < len(items) * len(records):
            items = [one for one in items if any(one is x for x, _ in allowed)]
            records = [one for one in records if any(one is x for _, x in allowed)]
            if len(allowed) < len(items) * len(records):
                self.leave_open()
        # What has not settled is in no sum; a record that is left belongs to it all the same.
        settled = [one for one in items if not one.is_waiting]
        pairs, left, records = by_key(settled, records, apart)
        for some, others in pairs:
            self.pair("order", some, others)
        if left and records:
            self.set_aside(left, records)
        elif len(settled) < len(items):
            self.taken.update(one.id for one in records)

    def by_spelling(self, items, records):
        mine, theirs = self.free(items), self.free(records)

        def same(ones, like):
            key = spelled(like.order), like.currency, like.amount
            return [one for one in ones if one.order and (spelled(one.order), one.currency, one.amount) == key]

        for item in [one for one in mine if one.order]:
            ones = same(theirs, item)
            is_sole = len(ones) == len(same(mine, item)) == 1 and not self.contradicts(item, ones[0])
            if is_sole and item.back_of and ones[0].status != "paid":
                continue
            if is_sole and not self.is_too_early(item, ones[0]):
                if item.id in self.original_of:
                    self.leave_open()
                self.pair("order_spelling", [item], ones)

    def names_unlisted(self, record):
        """Whether it names an item that settled or was submitted before the start, on a day without
        listings."""
        days = [
            one.day
            for one in self.day.authorizations
            if record.reference in (str(one.id), str(one.transaction))
        ]
        named = self.transfers.get(record.reference)
        if named and named.settled and named.run and named.run < self.start:
            days.append(named.settled)
        return any(not self.day.is_judged(at) for at in days)

    def follow(self, items, other_of):
        """A re-presentment stands for its original, and the other way round."""
        for item in self.free(items):
            other = other_of.get(item.id)
            if not any(other == one.id for one in items) or other not in self.taken:
                continue
            # Books that post the return of the original hold nothing of what was collected again.
            if other in self.countered and not self.standing(self.transfers.get(item.transfer)):
                continue
            self.taken.add(item.id)
            shared = [pair for pair in self.pairs if any(other == one.id for one in pair[1])]
            for name, _, records in shared:
                self.day.stand_ins.append((item, name, in_order(records)))
                if any(one.status != "paid" for one in records):
                    # Whether books that void the original disagree with it is left open.
                    self.day.open.add(("STATUS_MISMATCH", self.merchant.id, item.id))
            if not shared:
                self.leave_open()

    def name_unsettled(self, kind, records):
        """A record that names a transfer which has not settled is paired with nothing else."""
        settled = {one.transfer for one in self.items if not one.is_waiting}
        waiting = {one.id for one in self.transfers.values() if one.kind == kind and one.id not in settled}
        for record in self.free(records):
            if record.reference in waiting:
                self.taken |= {record.id, record.reference}

    # One to one.

    def by_last4(self, items, paid):
        for place in (0, 1):
            self.on_day(items, paid, place)
        for apart in range(1, self.window + 1):
            self.nearby(items, paid, apart)

    def by_amount(self, items, paid, records):
        for place in (0, 1):
            self.alone(items, paid, place)
        self.nearby_alone(items, paid, records)

    def alike(self, items, records, fields, place):
        """The free entries of both sides, grouped by their common values on a day."""
        groups = defaultdict(lambda: ([], []))
        for side, ones in enumerate((self.free(items), self.free(records))):
            for one in ones:
                at = one.second if side == 0 and place else one.day
                # What has not settled has no first day.
                at = None if side == 0 and one.is_waiting and not place else at
                key = tuple(getattr(one, name) for name in fields)
                if at and all(key):
                    groups[at, key][side].append(one)
        return groups.values()

    def on_day(self, items, paid, place):
        for mine, theirs in self.alike(items, paid, ("amount", "currency", "last4"), place):
            for some, others in self.components([(one, other) for one in mine for other in theirs]):
                self.interchange("same_day", some, others)

    def components(self, pairs):
        """The entries that could be paired with each other, directly or through others."""
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

    def nearby(self, items, paid, apart):
        pairs = [
            (item, record)
            for item in self.free(items)
            for record in self.free(paid)
            if record.last4
            and (item.amount, item.currency, item.last4) == (record.amount, record.currency, record.last4)
            and self.away(item, record) == apart
        ]
        for mine, theirs in self.components(pairs):
            sides = {
                at < record.day
                for item in mine
                for record in theirs
                for at in item.days
                if distance(at, record.day, self.merchant.calendar) == apart
            }
            # Where the two days of one item lie on either side of one record, no choice is left.
            if len(sides) == 1 or len(mine) == len(theirs):
                self.interchange("nearby_day", mine, theirs)
            else:
                self.set_aside(mine, theirs)

    def alone(self, items, paid, place):
        for mine, theirs in self.alike(items, paid, ("amount", "currency"), place):
            can = not any(self.contradicts(one, two) for one in mine for two in theirs)
            if mine and len(mine) == len(theirs) and can:
                mine, theirs = (sorted(side, key=lambda one: one.id) for side in (mine, theirs))
                for item, record in zip(mine, theirs, strict=True):
                    self.pair("unique", [item], [record])

    def set_unequal_aside(self, items, paid, place):
        """What is left of a day and amount in unequal numbers, with nothing to tell it apart."""
        for mine, theirs in self.alike(items, paid, ("amount", "currency"), place):
            can = not any(self.contradicts(one, two) for one in mine for two in theirs)
            if mine and theirs and len(mine) != len(theirs) and can:
                self.set_aside(mine, theirs)

    def nearby_alone(self, items, paid, records):
        chosen = []
        for item in self.free(items):
            for record in self.free(paid):
                same = (item.amount, item.currency) == (record.amount, record.currency)
                if not same or self.away(item, record) > self.window or self.contradicts(item, record):
                    continue
                others = [one for one in self.items if one.kind == item.kind and one is not item]
                others += [one for one in self.records if one.kind == item.kind and one is not record]
                ways = ((0, 0), (0, 1), (1, 0), (1, 1))
                readings = {self.is_crowded(item, record, others, *way) for way in ways}
                if len(readings) > 1:
                    self.leave_open()
                if readings == {False}:
                    chosen.append((item, record))
        for item, record in chosen:
            self.pair("nearby_unique", [item], [record])

    def is_crowded(self, item, record, others, every_currency, every_status):
        """Whether another entry of that amount lies near, by each reading of the rule."""
        readings = set()
        for every_day in (True, False):
            places = [*(item.days if every_day else [item.day]), record.day]
            near = [
                one
                for one in others
                if one.amount == item.amount
                and (every_currency or one.currency == item.currency)
                and (every_status or getattr(one, "status", "paid") == "paid")
                and any(
                    distance(at, to, self.merchant.calendar) <= self.window
                    for at in (getattr(one, "days", [one.day]) if every_day else [one.day])
                    for to in places
                )
            ]
            readings.add(bool(near))
        if len(readings) > 1:
            self.leave_open()
        return readings == {True}

    def across(self, items, paid, by_last4=False):
        """The remainder since the start with the remainder before it, unique on both sides."""
        readings = [
            {(item.id, record.id): (item, record) for item, record in self.unique_across(items, paid, by_last4, *way)}
            for way in ((True, True), (True, False), (False, True), (False, False))
        ]
        if any(one.keys() != readings[0].keys() for one in readings):
            self.leave_open()
        for item, record in readings[0].values():
            self.pair("across_start", [item], [record])

    def unique_across(self, items, paid, by_last4, is_near, is_free):
        def fits(item, record, is_near):
            return (not by_last4 or (item.last4 and record.last4)) and self.fits(item, record, is_near)

        edges = [
            (item, record)
            for item in self.free(items)
            for record in self.free(paid)
            if (item.day < self.start) != (record.day < self.start) and fits(item, record, is_near)
        ]
        early = [one for one in (self.free(paid) if is_free else paid) if one.day < self.start]
        # An item from before the start is not available if a record from before the start fits it.
        edges = [x for x in edges if x[0].day >= self.start or not any(fits(x[0], y, True) for y in early)]
        for item, record in edges:
            if all(sum(edge[side] is one for edge in edges) == 1 for side, one in ((0, item), (1, record))):
                yield item, record

    def fits(self, item, record, is_near):
        same = (item.amount, item.currency) == (record.amount, record.currency)
        is_in_reach = not is_near or self.away(item, record) <= self.window
        return same and is_in_reach and not self.contradicts(item, record)

    # The findings.

    def report(self):
        day, start = self.day, self.start
        for name, items, records in self.pairs:
            is_since = any(one.day >= start for one in [*items, *records])
            if is_since and not any(one.is_waiting for one in items):
                self.report_pair(name, items, records)
        since = {one.id for one in self.items if one.day >= start}
        voided = {
            item.authorization for _, items, records in self.pairs for item in items for record in records
            if record.status == "void" and not item.transfer and self.is_given_back(item)
        }
        for one in self.items:
            # The stand-in for an original from before the start is never missing.
            original = self.original_of.get(one.id)
            is_its = original is None or original in since or original not in self.transfers
            is_missing = one.id not in self.taken and one.day >= start and is_its and not one.is_waiting
            is_missing = is_missing and not (one.kind == "refund" and one.authorization in voided)
            if is_missing and day.is_due(one.day, "ledger"):
                day.add("MISSING_IN_LEDGER", one.id, 0, one.amount)
        for one in self.duplicates:
            if one.day >= start:
                day.add("DUPLICATE_IN_LEDGER", one.id, None, one.amount, one.currency)
        for one in self.records:
            is_expected = one.status == "paid" and one.day >= start and one.id not in self.taken
            # The processor once knew the record that it names.
            was_known = ("known", one.reference) in day.read and one.reference not in self.listed
            is_expected = is_expected and not was_known
            if is_expected and self.due_of(one) <= day.day:
                day.add("MISSING_AT_PROCESSOR", one.id, one.amount, 0, one.currency)
                # It may be the item whose type is not published.
                unknown = [x for x in day.authorizations if x.type == published.NO_TYPE]
                if any(x.amount == one.amount for x in unknown):
                    day.open.add(("MISSING_AT_PROCESSOR", self.merchant.id, one.id))
            # If dates are run in any order, the last run of a date sends no requests: a transfer
            # that had settled before the start may not be looked up.
            named = self.transfers.get(one.reference)
            if day.world.way == "shuffled" and named and named.settled and named.settled < start:
                day.open.add(("MISSING_AT_PROCESSOR", self.merchant.id, one.id))
            self.report_named(one)
        for items, records in self.ambiguities:
            self.report_ambiguity(items, records)

    def report_ambiguity(self, items, records):
        day, start = self.day, self.start
        dates = [day.due(one.day, "ledger") for one in items if one.day >= start]
        dates += [self.due_of(one) for one in records if one.day >= start]
        if dates and min(dates) <= day.day:
            ids = tuple(sorted(one.id for one in [*items, *records]))
            sums = sum_of(records), sum_of(items)
            is_one = len({one.currency for one in [*items, *records]}) == 1
            day.add("AMBIGUOUS_MATCH", ids, *(sums if sums[0] != sums[1] and is_one else (None, None)))
            if sums[0] == sums[1]:
                day.severities["AMBIGUOUS_MATCH", self.merchant.id, ids] = "warning"

    def due_of(self, record):
        days = self.day.terms["settle"] + self.day.terms["ledger"]
        return due(record.day, days, self.merchant.calendar)

    def report_named(self, record):
        """A record that names a transfer which is no item."""
        if record.id in {one.id for _, _, records in self.pairs for one in records}:
            return
        named = self.transfers.get(record.reference)
        if named and named.kind == record.kind and self.disagrees(record, named, None):
            # Whether a transfer without a run date is known as of a date is left open.
            is_listed = named.run and (named.run >= self.start or not named.settled)
            key = "STATUS_MISMATCH", self.merchant.id, named.id
            if record.day >= self.start and is_listed:
                if key not in self.day.found:
                    self.day.add("STATUS_MISMATCH", named.id, None, None)
            else:
                self.day.open.add(key)

    def report_pair(self, name, items, records):
        day, lowest = self.day, min(one.id for one in items)
        self.report_statuses(items, records)
        records = [one for one in records if one.status == "paid"]
        if not records:
            return
        expected, actual = sum_of(records), sum_of(items)
        if name in KEYS and any(one.currency != other.currency for one in items for other in records):
            own = items[0].currency
            texts = in_decimals_of(own, money(records[0].currency, expected)), money(own, actual)
            day.found["CURRENCY_MISMATCH", self.merchant.id, lowest] = texts
        elif name in KEYS and abs(expected - actual) > day.terms["tolerance"]:
            if not self.may_follow(name, items, records):
                day.add("AMOUNT_MISMATCH", lowest, expected, actual)

    def report_statuses(self, items, records):
        for item in items:
            transfer = self.transfers.get(item.transfer)
            if any(self.disagrees(record, transfer, item) for record in records):
                self.day.add("STATUS_MISMATCH", item.id, None, None)

    def may_follow(self, name, items, records):
        """Whether the missing part may still come: instalments, captures in parts."""
        named = {x.reference for x in records}
        is_in_parts = name == "order" or any(one.authorization in named - {one.id} for one in items)
        last = [self.day.due(one.day, "ledger") for one in items] + [self.due_of(one) for one in records]
        return is_in_parts and max(last) > self.day.day

    def disagrees(self, record, transfer, item):
        """Without a transfer it is a card's."""
        if record.status == "void" and item and not self.day.is_due(item.day, "ledger"):
            return False
        if not transfer:
            return record.status != "paid" and self.disagrees_of_card(record, item)
        status = self.day.status_of(transfer)
        if record.status == "paid":
            standing = [x for x in self.standing(transfer) if not (x.is_closed or x.is_represented)]
            is_back = status == "returned" and (standing or returned.undated(self.day, transfer))
            return status in published.REFUSED or bool(is_back and transfer.id not in self.countered)
        has_return = any(not x.code.startswith("C") for x in transfer.returns) or transfer.status == "returned"
        return not (record.status == "returned" and has_return) and status == "complete"

    def is_given_back(self, item):
        under = [x for x in self.items if x.kind == "refund" and x.authorization == item.authorization]
        return item.kind == "payment" and sum_of(under) == item.amount

    def disagrees_of_card(self, record, item):
        key = "STATUS_MISMATCH", self.merchant.id, item.id
        backs = [one for one in self.items if one.kind == "refund"]
        under = [one for one in backs if one.authorization == item.authorization]
        if record.status == "void":
            return not self.is_given_back(item)
        if record.status == "returned":
            if not disputes.can_read(self.day.world):
                return False
            if any(one.amount == item.amount or one in under for one in backs):
                self.day.open.add(key)
            return item.id not in {str(one.transaction) for one in disputes.of(self.day)}
        return True
