"""Kind `matching`: the seven passes as the rules word them.

Left open, besides what `books` leaves: references that name what another record names otherwise;
orders of which records differ in status; what pass 7 may pair where more than one thing fits; whatever
counts as another item or record nearby by one reading and not by another.
"""

import re
from collections import defaultdict

import disputes
import ledgers
from banking_days import distance
from books import Books, contradicts
from returned import undated

records, facts = ledgers.records, ledgers.facts


def judge(day):
    Passes(day).judge()


def spelled(order):
    """Its runs of letters, without case, and of digits, without leading zeros."""
    runs = re.findall(r"[^\W\d_]+|\d+", order or "")
    return tuple(run.lstrip("0") or "0" if run.isdigit() else run.lower() for run in runs)


def plain(reference):
    """What a spreadsheet has wrapped."""
    wrapped = re.fullmatch(r'="(.*)"', reference or "")
    return wrapped.group(1) if wrapped else (reference or "").removeprefix("'") or None


class Passes(Books):
    def __init__(self, day):
        super().__init__(day)
        self.items = [one for one in self.items if one.amount]
        self.records = [one for one in self.records if one.amount]

    def is_in_scope(self, at):
        """Of a group that is judged, or within the window before the start."""
        near = distance(at, self.day.start, self.merchant.calendar) <= self.day.terms["window"]
        return self.day.is_judged(at) or near

    def contradicts(self, item, record):
        if item.order and record.order and spelled(item.order) == spelled(record.order):
            return contradicts(item, record, self.known, with_order=False)
        return contradicts(item, record, self.known)

    def judge(self):
        for kind in ("payment", "refund"):
            items = [one for one in self.items if one.kind == kind]
            records = [one for one in self.records if one.kind == kind]
            records = self.without_duplicates(records, items)
            self.by_reference(items, records)
            self.by_order(items, records)
            self.by_spelling(items, records)
            self.follow(items, self.original_of)
            named = [one for one in self.free(records) if self.names_unlisted(one)]
            self.leave_open_where_equal(self.free(items), named)
            self.name_unsettled(kind, records)
            start = self.day.start
            paid = [one for one in records if one.status == "paid"]
            for is_since in (True, False):
                self.later_passes(
                    [one for one in items if (one.day >= start) == is_since],
                    [one for one in paid if (one.day >= start) == is_since],
                    records,
                )
            self.across(items, paid)
            self.follow(items, self.original_of)
            self.follow(items, {one: again for again, one in self.original_of.items()})
        self.report()
        ledgers.judge_fit(self)
        ledgers.hide(self)

    def later_passes(self, items, paid, records):
        for of in (first_day, second_day):
            self.on_same_day(items, paid, of)
        for days_apart in range(1, self.day.terms["window"] + 1):
            self.nearby(items, paid, days_apart)
        for of in (first_day, second_day):
            self.alone(items, paid, of)
        self.nearby_alone(items, paid, records)

    def without_duplicates(self, records, items):
        """Extra paid records under one name; an authorization stands in as many as its captures."""
        captures = defaultdict(int)
        for one in items:
            captures[one.authorization] += 1
        named = defaultdict(list)
        for one in sorted(records, key=lambda one: one.id):
            if one.reference and one.status == "paid":
                named[one.reference].append(one)
        for reference, ones in named.items():
            extra = ones[max(1, captures.get(reference, 1)) :]
            self.duplicates |= {one.id for one in extra}
        return [one for one in records if one.id not in self.duplicates]

    def by_reference(self, items, records):
        by_name = defaultdict(list)
        for item in items:
            for name in item.names:
                by_name[name].append(item)
        for is_paid in (True, False):
            named = defaultdict(list)
            for one in sorted(records, key=lambda one: one.id):
                if one.reference in by_name and (one.status == "paid") == is_paid:
                    named[one.reference].append(one)
            for reference, ones in named.items():
                self.pair_named(by_name[reference], ones, is_paid)

    def pair_named(self, items, ones, is_paid):
        free = sorted(self.free(items), key=lambda one: one.id)
        if len(free) < len(items) and is_paid:
            # Another record names some of it otherwise.
            self.leave_open()
        if not is_paid:
            if len({one.status for one in ones}) > 1 or (len(items) > 1 and free):
                self.leave_open()
            if free and len(items) == 1:
                self.pair("reference", free, ones[:1])
            return
        for one in ones:
            same = [item for item in self.free(free) if item.amount == one.amount]
            if same:
                self.pair("reference", same[:1], [one])
        free, ones = self.free(free), self.free(ones)
        if free and ones:
            self.pair("reference", free, ones)
        elif ones:
            self.leave_open()

    def by_order(self, items, records):
        def order(one):
            return one.order and (one.order, one.currency)

        for items, records in self.alike(items, records, order):
            if any(self.contradicts(one, other) for one in items for other in records):
                self.leave_open()
            statuses = {one.status for one in records}
            if len(statuses) > 1 or (len(records) > 1 and statuses != {"paid"}):
                self.leave_open()
            records = sorted(records, key=lambda one: one.id)
            for item in sorted(items, key=lambda one: (self.is_again(one), one.id)):
                same = [one for one in self.free(records) if one.amount == item.amount]
                if self.is_again(item) and any(one.status != "paid" for one in same):
                    self.leave_open()
                if same:
                    self.pair("order", [item], same[:1])
            items = [one for one in self.free(items) if not self.is_again(one)]
            records = self.free(records)
            if items and records and 1 in (len(items), len(records)):
                self.pair("order", items, records)
            elif items and records:
                self.set_aside(items, records)

    def by_spelling(self, items, records):
        def order(one):
            return one.order and (spelled(one.order), one.currency)

        for items, records in self.alike(items, records, order):
            amounts = {one.amount for one in items} & {one.amount for one in records}
            for amount in amounts:
                same = [[x for x in side if x.amount == amount] for side in (items, records)]
                is_sole = len(items) == len(records) == 1
                if len(same[0]) == len(same[1]) == 1:
                    if not is_sole or any(self.is_again(one) for one in items):
                        self.leave_open()
                    if not self.contradicts(same[0][0], same[1][0]):
                        self.pair("order_spelling", *same)

    def on_same_day(self, items, records, of):
        def card(one):
            return one.last4 and of(one) and (of(one), one.amount, one.currency, one.last4)

        for items, records in self.alike(items, records, card):
            pairs = [(item, record) for item in items for record in records]
            for items, records in self.components(pairs):
                self.interchange("same_day", items, records)

    def away(self, item, record):
        """By the nearer of the item's days."""
        days = [at for at in (item.day, item.second) if at]
        return min(distance(at, record.day, self.merchant.calendar) for at in days)

    def nearby(self, items, records, days_apart):
        pairs = [
            (item, record)
            for item in self.free(items)
            for record in self.free(records)
            if record.last4
            and (item.amount, item.currency, item.last4)
            == (record.amount, record.currency, record.last4)
            and self.away(item, record) == days_apart
        ]
        for items, records in self.components(pairs):
            sides = set()
            for item in items:
                for record in records:
                    near = {
                        at < record.day
                        for at in (item.day, item.second)
                        if at and distance(at, record.day, self.merchant.calendar) == days_apart
                    }
                    sides |= near
            if len(sides) == 1 or len(items) == len(records):
                self.interchange("nearby_day", items, records)
            else:
                if len({item.second for item in items} - {None}) and len(items) * len(records) == 1:
                    # Its two days lie on either side of one record: no choice is left.
                    self.interchange("nearby_day", items, records)
                    continue
                self.set_aside(items, records)

    def alone(self, items, records, of):
        def money(one):
            return of(one) and (of(one), one.amount, one.currency)

        for items, records in self.alike(items, records, money):
            can = not any(self.contradicts(one, two) for one in items for two in records)
            if items and len(items) == len(records) and can:
                items, records = (sorted(x, key=lambda one: one.id) for x in (items, records))
                for item, record in zip(items, records, strict=True):
                    self.pair("unique", [item], [record])

    def nearby_alone(self, items, paid, records):
        window = self.day.terms["window"]
        chosen = []
        for item in self.free(items):
            for record in self.free(paid):
                same = (item.amount, item.currency) == (record.amount, record.currency)
                if not same or self.away(item, record) > window or self.contradicts(item, record):
                    continue
                others = [one for one in self.items if one.kind == item.kind and one is not item]
                others += [one for one in self.records if one.kind == item.kind and one is not record]
                readings = self.readings_nearby(item, record, others)
                if len(readings) > 1:
                    self.leave_open()
                if readings == {False}:
                    chosen.append((item, record))
        for item, record in chosen:
            self.pair("nearby_unique", [item], [record])

    def readings_nearby(self, item, record, others):
        """Whether another of that amount lies near, by each reading of what counts."""
        same = [one for one in others if one.amount == item.amount]
        readings = set()
        for every_currency in (True, False):
            for every_status in (True, False):
                for every_day in (True, False):
                    near = [
                        one
                        for one in same
                        if (every_currency or one.currency == item.currency)
                        and (every_status or getattr(one, "status", "paid") == "paid")
                        and self.is_near(one, item, record, every_day)
                    ]
                    readings.add(bool(near))
        return readings

    def is_near(self, other, item, record, every_day):
        def days(one):
            second = getattr(one, "second", None) if every_day else None
            return [at for at in (one.day, second) if at]

        places = [*days(item), record.day]
        aways = (distance(at, to, self.merchant.calendar) for at in days(other) for to in places)
        return any(away <= self.day.terms["window"] for away in aways)

    def across(self, items, paid):
        """What is left since the start with what is left before it, unique on both sides."""
        readings = [
            {(item.id, record.id): (item, record) for item, record in found}
            for is_near in (True, False)
            for is_free in (True, False)
            for found in [self.unique_across(items, paid, is_near, is_free)]
        ]
        if any(one.keys() != readings[0].keys() for one in readings):
            self.leave_open()
        for item, record in readings[0].values():
            self.pair("across_start", [item], [record])

    def unique_across(self, items, paid, is_near, is_free):
        start, edges = self.day.start, []
        for item in self.free(items):
            for record in self.free(paid):
                if (item.day < start) != (record.day < start) and self.fits(item, record, is_near):
                    edges.append((item, record))
        edges = [edge for edge in edges if self.is_available(edge[0], paid, is_free)]
        for item, record in edges:
            alone = [sum(edge[side] is one for edge in edges) == 1 for side, one in ((0, item), (1, record))]
            if all(alone):
                yield item, record

    def fits(self, item, record, is_near):
        same = (item.amount, item.currency) == (record.amount, record.currency)
        is_in_reach = not is_near or self.away(item, record) <= self.day.terms["window"]
        return same and is_in_reach and not self.contradicts(item, record)

    def is_available(self, item, paid, is_free):
        """Not when it is of before the start, and a record of before it fits."""
        early = [one for one in (self.free(paid) if is_free else paid) if one.day < self.day.start]
        return item.day >= self.day.start or not any(self.fits(item, one, True) for one in early)

    def disagrees(self, record, transfer):
        if not transfer and record.status == "returned":
            return False
        if transfer and record.status == "returned" and transfer.status == "returned":
            return False
        if transfer and record.status == "paid" and undated(self.day, transfer):
            return True
        return super().disagrees(record, transfer)

    def report_pair(self, name, items, records):
        super().report_pair(name, items, records)
        is_returned = any(one.status == "returned" for one in records)
        for item in items if is_returned else ():
            if item.transfer:
                continue
            key = "STATUS_MISMATCH", self.merchant.id, item.id
            disputed = {str(one.transaction) for one in disputes.of(self.day)}
            alike = [
                one
                for one in self.items
                if one.kind == "refund"
                and (one.amount == item.amount or one.authorization == item.authorization)
            ]
            if disputes.can_read(self.day.world) and item.id not in disputed:
                self.day.add("STATUS_MISMATCH", item.id, None, None)
                if alike:
                    self.day.open.add(key)


def first_day(one):
    return one.day


def second_day(one):
    return getattr(one, "second", one.day)
