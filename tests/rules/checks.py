"""What must be found as of a date, by the rules alone: deposits, batches, cards, bank transfers.

`found` maps (code, merchant, subject) to (expected, actual), both as the reports write them.
"""

from collections import defaultdict

import adjustments
import bank
import books
import captures
import holds
import kinds
import matching
import neighbours
import published
import returned
from banking_days import DAY, due
from world import money


FIGURES = ("sales", "returns", "count")


class Day:
    """What is known of one merchant as of a date, and what must be found."""

    def __init__(self, world, merchant, day):
        self.world, self.merchant, self.day = world, merchant, day
        self.start, self.terms = world.start, kinds.terms(world, merchant, day)
        self.found = {}
        # Of what is found: its severity, where the rules give several.
        self.severities = {}
        # Groups of which the figures of the reports are left open, besides.
        self.unclear = set()
        # What was carried into a later deposit.
        self.carried_away = set()
        # On which days it is looked for; what is not here, on every day.
        self.looked_for = {}
        # Of the books: (pass, items, records), and (item, pass, records) of what shares a pair.
        self.pairs, self.stand_ins = [], []
        # Subjects of which the rules leave open what is found.
        self.open = set()
        own = [one for one in world.authorizations if one.merchant == merchant.id]
        own = [one for one in own if one.day <= day]
        self.authorizations = sorted(own, key=lambda one: one.id)
        # A transaction counts once: its lowest authorization stands for it.
        seen, self.cards, self.repeated = set(), [], []
        for one in self.authorizations:
            if one.transaction and one.type in ("capture", "return"):
                (self.repeated if one.transaction in seen else self.cards).append(one)
                seen.add(one.transaction)
        terminals = merchant.terminals or ()
        own = [one for one in world.transfers if one.terminal in terminals]
        self.transfers = [one for one in own if not one.is_return]
        self.settled = [
            one
            for one in self.transfers
            if one.settled and one.settled <= day and one.type != "accountVerification"
        ]
        # The dates whose settled listings hold a transfer.
        self.settlements = [(one.settled, one) for one in self.settled]
        self.settlements += [
            (one.settled_again, one)
            for one in self.settled
            if one.settled_again and one.settled_again <= day
        ]
        self.batches = defaultdict(list)
        for batch in sorted(world.batches, key=lambda one: one.id):
            if batch.merchant == merchant.id and batch.day <= day:
                self.batches[batch.day].append(batch)
        self.groups, self.run_of = self._groups(), {}
        own = [one for one in world.deposits if one.merchant == merchant.id and one.paid <= day]
        if world.reads("neighbours") and not world.has_links:
            neighbours.join(self, own)
        self.deposits = defaultdict(list)
        for one in own:
            self.deposits[self.group_of(one)].append(one)
        # Deposits that did not arrive and were sent again, which no group counts.
        self.resent = bank.sent_again(self)
        self.came_back = self._came_back()
        self.adjusted = adjustments.explain(self)

    def _groups(self):
        """The days of a group, by each of them, where links connect several."""
        linked, groups = defaultdict(set), {}
        for one in self.cards:
            if one.link:
                linked[one.link].add(one.day)
        for days in linked.values():
            days = days.union(*(groups.get(day, ()) for day in days))
            groups |= dict.fromkeys(days, days)
        return groups

    def days_with(self, day):
        return self.groups.get(day, {day})

    def group_of(self, deposit):
        """Named after its earliest day."""
        if deposit.id in self.run_of:
            return self.run_of[deposit.id]
        held = [one.day for one in self.cards if one.link == deposit.id]
        return min(self.days_with(held[0] if held else deposit.group))

    def is_astray(self, deposit):
        """Whether all that it is known to hold is of other days than the one that it is for: whether
        that one belongs to the group as well is left open."""
        return deposit.group not in self.days_with(self.group_of(deposit))

    def has_early_links(self, day):
        """Whether a deposit holds something of it and of another day, before the start: the
        authorizations of such days are read where something is said of them, and which of them pair
        is left open."""
        days = self.days_with(day)
        own = [one for one in self.world.deposits if one.merchant == self.merchant.id]
        is_elsewhere = any(one.group in days and self.group_of(one) != min(days) for one in own)
        return min(days) < self.start and (len(days) > 1 or is_elsewhere)

    def batches_with(self, day):
        return [one for other in sorted(self.days_with(day)) for one in self.batches[other]]

    def paid_for(self, day):
        """The deposits of the group of a day."""
        return self.deposits[min(self.days_with(day))]

    def last_day(self, day):
        """By which the group of a day falls due."""
        return max(self.days_with(day))

    def returned_for(self, day):
        if self.world.reads("returns"):
            return self.came_back[min(self.days_with(day))]
        return sum(self.came_back[other] for other in self.days_with(day))

    def below(self, group):
        """What the deposits of a group are compared with: sales, returns, count."""
        if not self.world.has_links or self.is_due(self.last_day(group), "payout"):
            return self.whole(group)
        if self.world.reads("holds"):
            return self.items_of(group, [one for one in self.cards if holds.may_be_paid(one)])
        paid = {one.id for one in self.deposits[group]}
        return self.items_of(group, [one for one in self.cards if one.link in paid])

    def whole(self, group):
        """What the deposits of a group are compared with once it is due."""
        if self.world.has_links:
            return self.items_of(group, holds.expected(self, self.cards))
        batches = self.batches_with(group)
        return [sum(getattr(one, name) for one in batches) for name in FIGURES]

    def items_of(self, group, cards):
        """Sales, returns and count of its bank transfers and of what of the cards is its own."""
        days = self.days_with(group)
        items = [(one.type == "return", one.amount) for one in cards if one.day in days]
        items += [
            (one.kind == "refund", one.amount) for at, one in self.settlements if at in days
        ]
        sales, returns = (
            sum(amount for is_return, amount in items if is_return == wanted)
            for wanted in (False, True)
        )
        return [sales, returns, len(items)]

    def judge(self):
        self.judge_deposits()
        self.judge_batches()
        captures.judge(self)
        self.judge_transfers()
        for name, family in kinds.families(self.world.kinds):
            if hasattr(family, "judge_more"):
                family.judge_more(self)
        for change in self.world.changes:
            # Whether too much stays refunded when the payment itself is gone is left open.
            if change.fields is None:
                self.open.add(("REFUND_EXCEEDS_PAYMENT", self.merchant.id, change.id))
        if self.merchant.has_books:
            (matching if self.world.reads("matching") else books).judge(self)
            # When a pair is looked at again whose item was changed is left open.
            if any(one.name in ("authorizations", "transfers") for one in self.world.changes):
                self.open.add((books.OPEN, self.merchant.id))
        return self

    def add(self, code, subject, expected, actual, currency=None, days=None, group=None):
        """`days`: those that it is looked for on, and afterwards for as long as it is open, or
        something else of its `group`."""
        key = (code, self.merchant.id, subject)
        assert key not in self.found, key
        if days is not None:
            self.looked_for[key] = days, group
        texts = (expected, actual)
        if code.endswith("COUNT_MISMATCH"):
            texts = (str(expected), str(actual))
        elif expected is not None or actual is not None:
            currency = currency or self.merchant.currency
            texts = tuple("" if one is None else money(currency, one) for one in texts)
        self.found[key] = tuple(text or "" for text in texts)

    def due(self, day, term):
        return self.due_in(day, self.terms[term])

    def due_in(self, day, count):
        return due(day, count, self.merchant.calendar)

    def is_due(self, day, term):
        return self.due(day, term) <= self.day

    def due_days(self, last):
        """On which what is due by a day is looked for."""
        return {self.due(last, "payout")} | ({self.day} if self.has_moved(last) else set())

    def has_moved(self, last):
        """Whether it was not due yet, and by what is configured since has been for longer."""
        before = kinds.terms(self.world, self.merchant, self.day - DAY)["payout"]
        return self.due(last, "payout") < self.day <= due(last, before, self.merchant.calendar)

    def is_judged(self, group):
        """Since the start; before it when a deposit that is paid since then pays for it."""
        return group >= self.start or any(one.paid >= self.start for one in self.paid_for(group))

    def fees_of(self, deposit):
        return sum(fee.amount for fee in self.world.fees if fee.deposit == deposit.id)

    def _came_back(self):
        """Returned money by the batch date that it counts to."""
        if self.world.reads("returns"):
            return returned.by_group(self)
        days = sorted(one.day for one in self.world.batches if one.merchant == self.merchant.id)
        sums = defaultdict(int)
        for one in self.transfers:
            for back in one.returns:
                later = [day for day in days if day >= back.day]
                if later and back.day <= self.day:
                    sums[later[0]] += one.amount
        return sums

    def counted(self, group):
        return [one for one in self.deposits[group] if one.id not in self.resent]

    def judge_deposits(self):
        for group, deposits in list(self.deposits.items()):
            for one in deposits:
                if one.paid >= self.start:
                    self.judge_deposit(one)
            pays = any(one.sales or one.returns or one.count for one in deposits)
            has_batches = bool(self.batches_with(group))
            if (pays and not has_batches) or not any(one.paid >= self.start for one in deposits):
                continue
            if not published.is_evaluated(self, group):
                continue
            below = zip(FIGURES, self.below(group), strict=True) if has_batches else ()
            for name, expected in below:
                actual = sum(getattr(one, name) for one in self.counted(group))
                if not holds.is_released_in_part(self, group, name, expected - actual):
                    self.compare(f"DEPOSIT_{name.upper()}_MISMATCH", group, expected, actual)
            if not self.adjusted[group].is_explained:
                actual = sum(one.adjustment for one in self.counted(group))
                code = "DEPOSIT_ADJUSTMENT_MISMATCH"
                self.compare(code, group, self.returned_for(group), actual)
                key = (code, self.merchant.id, str(group))
                self.severities[key] = self.adjusted[group].severity
        known = {one.id for one in self.world.deposits}
        counts = defaultdict(int)
        for fee in self.world.fees:
            is_stray = fee.deposit is None or fee.deposit not in known
            is_own = fee.merchant == self.merchant.id and self.start <= fee.listed <= self.day
            if is_stray and is_own:
                equals = (str(fee.listed), str(fee.deposit or ""), fee.amount)
                counts[equals] += 1
                subject = (*equals, counts[equals])
                self.add("FEE_WITHOUT_DEPOSIT", subject, 0, fee.amount, days={fee.listed})

    def compare(self, code, group, expected, actual):
        """Less than the level below is in transit until it is due; more is not."""
        last = self.last_day(group)
        if actual > expected or (actual < expected and self.is_due(last, "payout")):
            days = self.days_of(group) | self.due_days(last)
            self.add(code, str(group), expected, actual, days=days, group=group)
            self.leave_open_if_moved(code, str(group), last)

    def leave_open_if_moved(self, code, subject, last):
        """Where a due date has moved into the past, what was in transit by its amounts is looked for,
        and nothing else need be."""
        if self.has_moved(last) and (self.world.changes or code.endswith("T_MISMATCH")):
            self.open.add((code, self.merchant.id, subject))

    def days_of(self, group):
        """On which something is paid for it."""
        return {one.paid for one in self.paid_for(group)}

    def judge_deposit(self, one):
        id = str(one.id)
        if one.components != one.net:
            code = "DEPOSIT_NET_MISMATCH"
            self.add(code, id, one.components, one.net, days={one.paid}, group=self.group_of(one))
        if self.fees_of(one) != one.fees:
            code = "DEPOSIT_FEES_MISMATCH"
            self.add(code, id, self.fees_of(one), one.fees, days={one.paid}, group=self.group_of(one))
        if (one.held or one.holdback) and one.paid == self.day:
            self.add("FUNDS_HELD", id, 0, one.held + one.holdback)
        if not self.batches_with(self.group_of(one)) and (one.sales or one.returns or one.count):
            code, days = "DEPOSIT_WITHOUT_BATCH", {one.paid}
            if self.is_astray(one) and self.batches[one.group]:
                self.open.add((code, self.merchant.id, id))
                return
            self.add(code, id, 0, one.sales - one.returns, days=days, group=self.group_of(one))

    def units(self, day):
        """The batches of a day with their items: one by one, or as a whole where several have
        bank transfers, which name no batch."""
        batches = self.batches[day]
        banked = [one for at, one in self.settlements if at == day]
        groups = [batches] if banked and len(batches) > 1 else [[batch] for batch in batches]
        for group in groups:
            ids = {batch.id for batch in group}
            items = [(one.type == "return", one.amount) for one in self.cards if one.batch in ids]
            items += [(one.kind == "refund", one.amount) for one in banked]
            yield group, items

    def judge_batches(self):
        for day in list(self.batches):
            if not self.batches[day] or not self.is_judged(day):
                continue
            for group, items in self.units(day):
                if not published.has_totals(self, group):
                    continue
                subject = ";".join(str(batch.id) for batch in group)
                figures = [
                    ("SALES", "sales", sum(amount for is_return, amount in items if not is_return)),
                    ("RETURNS", "returns", sum(amount for is_return, amount in items if is_return)),
                    ("COUNT", "count", len(items)),
                ]
                for code, name, expected in figures:
                    actual = sum(getattr(batch, name) for batch in group)
                    if actual != expected:
                        code = f"BATCH_{code}_MISMATCH"
                        days = {day} if day >= self.start else self.days_of(day)
                        self.add(code, subject, expected, actual, days=days, group=day)
            for batch in self.batches[day]:
                last = self.last_day(day)
                is_unpaid = not self.paid_for(day) and self.is_due(last, "payout")
                is_unpaid = is_unpaid and not adjustments.is_waiting(self, day)
                is_unpaid = is_unpaid and published.is_evaluated(self, day)
                if day >= self.start and is_unpaid and holds.is_owed(self, batch):
                    code, days = "BATCH_WITHOUT_DEPOSIT", self.due_days(last)
                    owed = batch.owed - holds.not_owed(self, batch)
                    self.add(code, str(batch.id), owed, 0, days=days, group=day)
                    self.leave_open_if_moved(code, str(batch.id), last)
        listed = {batch.id for batches in self.batches.values() for batch in batches}
        for one in self.cards:
            if one.day >= self.start and one.batch not in listed:
                subject = str(one.transaction)
                self.add("ITEM_WITHOUT_BATCH", subject, 0, one.amount, days={one.day})
        for at, one in self.settlements:
            if at >= self.start and not self.batches[at]:
                if one.settled_again:
                    self.open.add(("ITEM_WITHOUT_BATCH", self.merchant.id, one.id))
                elif self.merchant.terminals is not None:
                    self.add("ITEM_WITHOUT_BATCH", one.id, 0, one.amount, days={at})

    def status_of(self, one):
        """Returned is not known before the first return."""
        if self.world.reads("returns") and one.status == "returned" and not one.returns:
            return "returned" if returned.undated(self, one) else "complete"
        is_early = one.status == "returned" and not any(x.day <= self.day for x in one.returns)
        return "complete" if is_early else one.status

    def is_dated(self, one):
        """Run or settled on a date that was read for itself."""
        return any(day and self.start <= day <= self.day for day in (one.run, one.settled))

    def judge_transfers(self):
        for one in self.transfers:
            has_settled = one.settled and one.settled <= self.day
            status, due_of = self.status_of(one), published.settles_within(self, one)
            is_living = status in published.living(self.world)
            is_overdue = one.run and one.run <= self.day and due_of and due_of <= self.day
            code = f"{one.kind.upper()}_NOT_SETTLED"
            if published.is_payment(self.world, one):
                if is_overdue and is_living and not has_settled:
                    if one.run >= self.start or not one.settled:
                        self.add(code, one.id, one.amount, 0)
                    else:
                        # It has settled by now, and no listing that is read tells of it.
                        self.open.add((code, self.merchant.id, one.id))
                is_refused = one.status in ("declined", "reversal")
                if has_settled and one.settled >= self.start and is_refused:
                    self.add("SETTLED_DESPITE_STATUS", one.id, 0, one.amount, days={one.settled})
            for back in one.returns:
                is_handled = back.is_represented or back.is_closed
                if not is_handled and back.day <= self.day and self.is_due(back.day, "return"):
                    self.add("RETURN_OUTSTANDING", back.id, 0, one.amount)
            if one.kind == "payment":
                self.judge_refunds(one)
            elif one.payment and self.is_dated(one):
                if not any(other.id == one.payment for other in self.world.transfers):
                    days = {one.run, one.settled}
                    self.add("REFUND_WITHOUT_PAYMENT", one.id, 0, one.amount, days=days)

    def judge_refunds(self, payment):
        if self.world.reads("returns"):
            returned.judge_payment(self, payment)
            return
        refunds = [one for one in self.world.transfers if one.payment == payment.id]
        counted = [one for one in refunds if one.run and one.run <= self.day]
        counted = [one for one in counted if one.status not in ("declined", "reversal")]
        total = sum(one.amount for one in counted)
        if total > payment.amount and any(self.is_dated(one) for one in [payment, *refunds]):
            days = {day for one in [payment, *refunds] for day in (one.run, one.settled)}
            self.add("REFUND_EXCEEDS_PAYMENT", payment.id, payment.amount, total, days=days)


# Of each kind of record: the day that lists it, and its amounts in the order of the reports.
LISTED = {
    "deposits": ("paid", ("sales", "returns", "fees", "held", "net")),
    "batches": ("day", ("sales", "returns")),
    "authorizations": ("day", ("amount", "authorized")),
    "transfers": ("settled", ("amount",)),
}


def changed(world, seen, seen_on, day):
    """What says something else by now than when its date was reconciled."""
    found = {}
    currencies = {one.id: one.currency for one in world.merchants}

    def of(name, id, known):
        return next((one for one in getattr(known, name) if one.id == id), None)

    for change in world.changes:
        dated, amounts = LISTED[change.name]
        original = of(change.name, change.id, world)
        listed = original and getattr(original, dated)
        if not listed or not world.start <= listed < day:
            continue
        before = of(change.name, change.id, seen_on(world, listed))
        now = of(change.name, change.id, seen)
        differs = any(getattr(before, name) != getattr(now, name) for name in change.fields or ())
        # Coming back is no restatement, and hides none.
        is_alive = now and getattr(now, "status", "declined") not in ("declined", "reversal")
        differs = differs and not ("status" in change.fields and is_alive)
        if before is None or (now and not differs):
            continue
        key = original.merchant, (change.name, str(change.id))
        currency = currencies[original.merchant]
        if now is None:
            of_record = {"deposits": "net", "batches": "owed"}.get(change.name, "amount")
            amount = getattr(before, of_record)
            found["VANISHED_AFTER_RECONCILED", *key] = money(currency, amount), money(currency, 0)
            continue
        names = [name for name in amounts if getattr(before, name) != getattr(now, name)]
        figures = [getattr(one, names[0]) for one in (before, now)] if names else [None, None]
        texts = ("" if one is None else money(currency, one) for one in figures)
        found["RESTATED_AFTER_RECONCILED", *key] = tuple(texts)
    return found


OF_A_DEPOSIT = ("DEPOSIT_NET_MISMATCH", "DEPOSIT_FEES_MISMATCH", "DEPOSIT_WITHOUT_BATCH")
BATCH_SUMS = ("BATCH_SALES", "BATCH_RETURNS", "BATCH_COUNT")


def is_looked_for(key, judged, day, known):
    """On its own days, and while something else of the same deposit or group is open.

    `known`: the groups of what was found the day before, and was or is not accepted."""
    code, merchant, subject = key
    days, group = judged.looked_for.get(key, ({day}, None))
    others = [one for one in known if one[1] == merchant]
    if code in OF_A_DEPOSIT:
        is_related = any(one[0] in OF_A_DEPOSIT and one[2] == subject for one in others)
    else:
        related = BATCH_SUMS if code.startswith(BATCH_SUMS) else ("BATCH", "DEPOSIT")
        others = [one for one in others if one[0].startswith(related)]
        is_related = group is not None and any(known[one] == group for one in others)
    return day in days or is_related


def lives(world, seen_on, accepted):
    """For each date, with what was seen of the world for it: what is known and found of each merchant, the rows of its report, as
    (status, first seen, expected, actual), and of what the rules leave open what is found.

    `accepted`: the dates on which a discrepancy is; one that was open before is shown as such."""
    day, first_seen, before, left_open = world.start, {}, {}, set()
    found, groups, cleared, told = {}, {}, {}, set()
    not_carried = kinds.not_carried(world)

    def is_event(key):
        return key[0] in not_carried and key[0] != "FUNDS_HELD"

    while day <= world.end:
        seen = seen_on(world, day)
        judged = [Day(seen, merchant, day).judge() for merchant in world.merchants]
        # What was open on an earlier date leaves open since when it is so.
        left_open = left_open.union(*(one.open for one in judged))
        # What was accepted until now is tested again, whatever became of it meanwhile.
        standing = found.keys() | {key for key in accepted if day - DAY in accepted[key]}
        returning = {key for key in standing if day not in accepted.get(key, ())}
        # And what was cleared while its records were still read again, accepted since or not.
        lately = {key for key, at in cleared.items() if (day - at).days <= world.terms["restated"]}
        standing, returning = standing | lately, returning | lately
        known = {key: groups.get(key) for key in before.keys() | returning}
        groups |= {key: one[1] for judge in judged for key, one in judge.looked_for.items()}
        is_state = world.reads("late")
        found = {
            key: value
            for one in judged
            for key, value in one.found.items()
            if is_state or key in standing or is_looked_for(key, one, day, known)
        }
        found |= changed(world, seen, seen_on, day)
        # What nothing can undo is an event of one date.
        found = {key: one for key, one in found.items() if not (is_event(key) and key in told)}
        told |= {key for key in found if is_event(key)}
        waived = {key for key in found if day in accepted.get(key, ())}
        rows = {}
        for key, figures in found.items():
            is_single = key[0] in not_carried
            first = str(day) if is_single else first_seen.setdefault(key, str(day))
            status = "accepted" if key in waived else "new"
            if key not in waived or key in before:
                rows[key] = ("open" if status == "new" and key in before else status, first, *figures)
        for key in before.keys() - found.keys():
            rows[key] = ("cleared", first_seen[key], *before[key])
            cleared[key] = day
        waived |= {key for key in found if key[0] in not_carried}
        before = {key: value for key, value in found.items() if key not in waived}
        yield day, judged, rows, left_open
        day += DAY
