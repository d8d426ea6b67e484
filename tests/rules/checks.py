"""The expected findings as of a date, by the rules alone: deposits, batches, cards, bank transfers.
`found` maps (code, merchant, subject) to (expected, actual), both as the reports write them.
"""

from collections import defaultdict
from datetime import timedelta

import adjustments
import bank
import books
import captures
import holds
import kinds
import neighbours
import published
import returned
from banking_days import DAY, due
from groups import FIGURES, Groups
from world import money


class Day(Groups):
    """The known records of one merchant as of a date, and the expected findings."""

    def __init__(self, world, merchant, day, read):
        self.world, self.merchant, self.day = world, merchant, day
        # When a run first read something that does not say when it was.
        self.read = read
        self.start, self.terms = world.start, kinds.terms(world, merchant, day)
        self.found, self.notes = {}, {}
        # The severity of a finding, if the rules give several.
        self.severities = {}
        # Groups whose figures in the reports are left open as well.
        self.unclear = set()
        # The books: (pass, items, records), (item, pass, records) that share a pair, and (item,
        # record) that the books reverse.
        self.pairs, self.stand_ins, self.countered = [], [], []
        # Disputes that an adjustment holds.
        self.moved = set()
        # Subjects whose findings the rules leave open.
        self.open = set()
        own = [one for one in world.authorizations if one.merchant == merchant.id]
        own = [one for one in own if one.day <= day]
        self.authorizations = sorted(own, key=lambda one: one.id)
        # A transaction counts once, under its lowest authorization.
        seen, self.cards, self.repeated = set(), [], []
        for one in self.authorizations:
            if one.transaction in seen:
                self.repeated.append(one)
            elif one.transaction and one.type in ("capture", "return"):
                self.cards.append(one)
            seen |= {one.transaction} - {None}
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
        neighbours.join(self, own)
        self.deposits = defaultdict(list)
        for one in own:
            self.deposits[self.group_of(one)].append(one)
        self.bank = bank.match(self) if merchant.bank else bank.Found()
        self.on_statement = set(self.bank.paid)
        # Deposits that did not arrive and were sent again, which no group counts.
        self.resent = bank.sent_again(self)
        # Those whose money a later deposit brought.
        self.paid_again = {id for id, is_found in self.resent.items() if is_found}
        self.sent_back = list(bank.sent_back(self))
        # Returned money, as entries, by the batch date that it counts to.
        self.came_back, self.balances = {}, []
        self.adjusted = adjustments.explain(self)

    def judge(self):
        self.judge_deposits()
        self.judge_batches()
        captures.judge(self)
        self.judge_transfers()
        for _, family in kinds.families(kinds.NAMES):
            if hasattr(family, "judge_more"):
                family.judge_more(self)
        for change in self.world.changes:
            # Whether too much stays refunded when the payment itself has vanished is left open.
            if change.fields is None:
                self.open.add(("REFUND_EXCEEDS_PAYMENT", self.merchant.id, change.id))
        if self.world.way == "shuffled":
            # The first date of an undated return is left open.
            undated = [one for one in self.transfers if one.status == "returned" and not one.returns]
            for one in undated:
                self.open.add((f"{one.kind.upper()}_NOT_SETTLED", self.merchant.id, one.id))
        if self.merchant.has_books:
            books.judge(self)
            # The date on which the pair of a changed item is compared again is left open.
            if any(one.name in ("authorizations", "transfers") for one in self.world.changes):
                self.open.add((books.OPEN, self.merchant.id))
        return self

    def add(self, code, subject, expected, actual, currency=None, note=""):
        key = (code, self.merchant.id, subject)
        assert key not in self.found, key
        self.notes[key] = note
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

    def has_moved(self, last):
        """Whether it was not due yet under the earlier configuration, but has been due for longer under
        the present one."""
        before = kinds.terms(self.world, self.merchant, self.day - DAY)["payout"]
        return self.due(last, "payout") < self.day <= due(last, before, self.merchant.calendar)

    def fees_of(self, deposit):
        """The fees that name it; the lines of the month before, on the first of a month, that name no
        deposit."""
        named = [fee.amount for fee in self.world.fees if fee.deposit == deposit.id]
        month = [] if named or not deposit.fees else self.month_taken_by(deposit)
        return sum(named) + sum(fee.amount for fee in month)

    def own_deposits(self):
        return sorted(
            (one for ones in self.deposits.values() for one in ones), key=lambda one: (one.paid, one.id)
        )

    def month_taken_by(self, deposit):
        """Fees without a deposit of the month before, where every day of it was read."""
        last = deposit.paid.replace(day=1) - DAY
        same = [one for one in self.own_deposits() if one.paid > last and not self.is_billed(one) and one.fees]
        if last.replace(day=1) < self.start or not same or same[0].id != deposit.id or self.is_at_bank(last):
            return []
        return self.fees_without(last)

    def is_at_bank(self, last):
        """Whether a line of the bank took the fees of the month, or may have."""
        return ("fees", self.merchant.id, last) in self.bank.paid.keys() | self.bank.may_be_paid

    def is_billed(self, deposit):
        return any(fee.deposit == deposit.id for fee in self.world.fees)

    def fees_without(self, last):
        own = [fee for fee in self.world.fees if fee.deposit is None and fee.merchant == self.merchant.id]
        return [fee for fee in own if last.replace(day=1) <= fee.listed <= last]

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
                # Whether its adjustment is not evaluated either.
                self.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", self.merchant.id, str(group)))
                continue
            if has_batches:
                self.judge_figures(group)
            explained, code = self.adjusted[group], "DEPOSIT_ADJUSTMENT_MISMATCH"
            if not explained.is_explained and not self.waits_for_returns(group):
                actual = sum(one.adjustment for one in self.counted(group))
                self.add(code, str(group), self.returned_for(group), actual, note=self.unseen())
                self.leave_open_if_moved(code, str(group), self.last_day(group))
                self.severities[code, self.merchant.id, str(group)] = explained.severity
        self.judge_fees()

    def unseen(self):
        """Possible causes of an unexplained adjustment."""
        return "" if self.world.disputes_answer == 200 else "chargebacks and corrections are not visible"

    def judge_figures(self, group):
        below = self.below(group)
        stated = [sum(getattr(one, name) for one in self.counted(group)) for name in FIGURES]
        short = [one - other for one, other in zip(below, stated, strict=True)]
        less = holds.elsewhere(self, group, short) if max(short) > 0 else [0, 0, 0]
        for name, expected, actual, off in zip(FIGURES, below, stated, less, strict=True):
            if not holds.is_released_in_part(self, group, name, expected - off - actual):
                self.compare(f"DEPOSIT_{name.upper()}_MISMATCH", group, expected - off, actual)

    def waits_for_returns(self, group):
        """Returns that no deposit has taken yet may be in a later one: until two banking days after the
        return date, or after the group is due, which is left open."""
        if self.adjusted[group].left >= 0 or adjustments.accused_from(self, group) <= self.day:
            return False
        last = max((one.day for one in self.came_back[group]), default=self.start)
        if self.due_in(last, 2) <= self.day:
            self.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", self.merchant.id, str(group)))
        return True

    def judge_fees(self):
        known = {one.id for one in self.world.deposits}
        counts = defaultdict(int)
        takers = [one for one in self.own_deposits() if not self.is_billed(one) and one.fees]
        taken = [fee for one in takers for fee in self.month_taken_by(one)]
        for fee in self.world.fees:
            is_own = fee.merchant == self.merchant.id and self.start <= fee.listed <= self.day
            if not is_own or fee.deposit in known:
                continue
            equals = (str(fee.listed), str(fee.deposit or ""), fee.amount)
            counts[equals] += 1
            last = bank.last_of_month(fee.listed)
            is_taken = any(fee is one for one in taken) or self.is_at_bank(last)
            if fee.deposit or (self.due_in(last, 5) <= self.day and not is_taken):
                self.add("FEE_WITHOUT_DEPOSIT", (*equals, counts[equals]), 0, fee.amount)

    def compare(self, code, group, expected, actual):
        """Less than the level below is in transit until it is due; more is not."""
        last = self.last_day(group)
        if actual > expected or (actual < expected and self.is_due(last, "payout")):
            self.add(code, str(group), expected, actual)
            self.leave_open_if_moved(code, str(group), last)

    def leave_open_if_moved(self, code, subject, last):
        """When a due date has moved into the past, money in transit is looked for by its amount; any
        other effect is left open."""
        if self.has_moved(last) and (self.world.changes or code.endswith("T_MISMATCH")):
            self.open.add((code, self.merchant.id, subject))

    def judge_deposit(self, one):
        id = str(one.id)
        if one.components != one.net:
            code = "DEPOSIT_NET_MISMATCH"
            self.add(code, id, one.components, one.net)
        if self.fees_of(one) != one.fees:
            code = "DEPOSIT_FEES_MISMATCH"
            self.add(code, id, self.fees_of(one), one.fees)
        if (one.held or one.holdback) and one.paid == self.day:
            self.add("FUNDS_HELD", id, 0, one.held + one.holdback)
        if not self.batches_with(self.group_of(one)) and (one.sales or one.returns or one.count):
            code = "DEPOSIT_WITHOUT_BATCH"
            if self.is_astray(one) and self.batches[one.group]:
                self.open.add((code, self.merchant.id, id))
                return
            self.add(code, id, 0, one.sales - one.returns)

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
                        self.add(code, subject, expected, actual)
            for batch in self.batches[day]:
                last = self.last_day(day)
                is_unpaid = not self.paid_for(day) and self.is_due(last, "payout")
                is_unpaid = is_unpaid and not adjustments.is_waiting(self, day)
                is_unpaid = is_unpaid and published.is_evaluated(self, day)
                if day >= self.start and is_unpaid and holds.is_owed(self, batch):
                    code = "BATCH_WITHOUT_DEPOSIT"
                    owed = batch.owed - holds.not_owed(self, batch)
                    balance = adjustments.balance_of(self, day)
                    owed = -balance.left if balance and balance.steps else owed
                    if any(x.owed - holds.not_owed(self, x) for x in self.batches_with(day)):
                        self.add(code, str(batch.id), owed, 0)
                    self.leave_open_if_moved(code, str(batch.id), last)
        listed = {batch.id for batches in self.batches.values() for batch in batches}
        for one in self.cards:
            if one.day >= self.start and one.batch not in listed:
                subject = str(one.transaction)
                self.add("ITEM_WITHOUT_BATCH", subject, 0, one.amount)
        for at, one in self.settlements:
            if at >= self.start and not self.batches[at]:
                if one.settled_again:
                    self.open.add(("ITEM_WITHOUT_BATCH", self.merchant.id, one.id))
                elif self.merchant.terminals is not None:
                    self.add("ITEM_WITHOUT_BATCH", one.id, 0, one.amount)

    def status_of(self, one):
        """Returned is not known before the first return."""
        if one.status == "returned" and not one.returns:
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
            is_living = status in published.LIVING
            is_overdue = one.run and one.run <= self.day and due_of and due_of <= self.day
            code = f"{one.kind.upper()}_NOT_SETTLED"
            if published.is_payment(self.world, one):
                # Where a later date's listing holds one without a time, it may have settled before it was read.
                if is_overdue and is_living and not has_settled and not (one.is_timeless and one.settled):
                    if one.run >= self.start or not one.settled:
                        self.add(code, one.id, one.amount, 0)
                    else:
                        # It has settled by now, and no listing of the run contains it.
                        self.open.add((code, self.merchant.id, one.id))
                is_refused = one.status in published.REFUSED
                if has_settled and one.settled >= self.start and is_refused:
                    self.add("SETTLED_DESPITE_STATUS", one.id, 0, one.amount)
            for back in returned.effects(one, self.day)[1]:
                is_handled = back.is_represented or back.is_closed
                if not is_handled and self.is_due(back.day, "return"):
                    self.add("RETURN_OUTSTANDING", back.id, 0, one.amount)
            if one.kind == "payment":
                returned.judge_payment(self, one)
            elif one.payment and self.is_dated(one):
                if not any(other.id == one.payment for other in self.world.transfers):
                    self.add("REFUND_WITHOUT_PAYMENT", one.id, 0, one.amount)
