"""Compares in_transit.csv with the rules: batches, bank transfers, and held transactions."""

import adjustments
import holds
import published
from world import STRANGER, money


def batches_in_transit(known):
    """(id, day, due date, amount) of the money that batches wait for."""
    for group in {min(known.days_with(day)) for day in known.batches}:
        batches, last = known.batches_with(group), known.last_day(group)
        deposits, due = known.deposits[group], known.due(last, "payout")
        is_waiting = adjustments.is_waiting(known, group) and not deposits
        if not batches or (due <= known.day and not is_waiting):
            continue
        amounts = {one.id: one.owed - holds.not_owed(known, one) for one in batches if not one.is_empty}
        if deposits:
            left = [
                sum(getattr(one, name) for one in batches) - sum(getattr(one, name) for one in deposits)
                for name in ("sales", "returns")
            ]
            amounts = {batches[0].id: left[0] - left[1]} if max(left) > 0 else {}
        balance = adjustments.balance_of(known, group) if is_waiting else None
        due = adjustments.upto(known, balance) if balance else due
        days = {one.id: one.day for one in batches}
        yield from ((str(id), days[id], due, amount) for id, amount in amounts.items())


def transfers_in_transit(known):
    for one in known.transfers:
        due = published.settles_within(known, one)
        has_settled = one.settled and one.settled <= known.day
        is_early = one.settled and one.run and one.run < known.start
        is_living = known.status_of(one) in published.LIVING and published.is_payment(known.world, one)
        if not one.run or one.run > known.day or has_settled or is_early or not is_living:
            continue
        if due and due > known.day:
            yield one, one.run, due, -one.amount if one.kind == "refund" else one.amount


class Transit:
    def check_in_transit(self):
        expected, unclear, self.statuses, excused = set(), set(), {}, set()
        for known in self.judged:
            currency = known.merchant.currency
            for id, at, due, amount in batches_in_transit(known):
                expected.add(("batch", id, str(at), str(due), money(currency, amount)))
            for one, at, due, amount in transfers_in_transit(known):
                expected.add((one.kind, one.id, str(at), str(due), money(currency, amount)))
            self.leave_transfers_open(known, unclear)
            excused |= {str(one.id) for one in self.left_open_batches(known)}
        start = str(self.judged[0].start)
        found = {
            tuple(row[name] for name in ("type", "id", "date", "due_date", "amount"))
            for row in self.table("in_transit")
            if row["merchant_id"] != STRANGER
        }
        # A transfer from before the start that has settled by now is in no listing of the run.
        found = {one for one in found if one in expected or one[0] == "batch" or one[2] >= start}
        self.check_statuses()
        found = {one for one in found if one[1] not in excused | unclear and one[0] != "held"}
        expected = {one for one in expected if one[1] not in excused | unclear}
        self.same("in transit", sorted(expected), sorted(found))
        self.check_on_hold(start)

    def leave_transfers_open(self, known, unclear):
        for one in known.transfers:
            has_settled = one.settled and one.settled <= self.day
            is_reviewed = known.status_of(one) == "admin" and one.type != "accountVerification"
            is_undated = one.status == "returned" and not one.returns
            if one.is_timeless or (self.world.way == "shuffled" and is_undated):
                unclear.add(one.id)
            if published.is_in_transit(known, one):
                unclear.add(one.id)
                # A transfer in any settled listing is known to settle; a verification moves no
                # money.
                if not one.settled and one.type != "accountVerification" and not one.is_timeless:
                    self.statuses[one.id] = one.status
            elif is_reviewed and not has_settled:
                unclear.add(one.id)
                if one.run and known.start <= one.run <= self.day and not one.is_timeless:
                    self.statuses[one.id] = "admin"

    def check_statuses(self):
        """Transfers under review, or with an unpublished status, are listed with their status."""
        rows = {row["id"]: row for row in self.table("in_transit")}
        for id, status in self.statuses.items():
            row = rows.get(id, {})
            found = row.get("status"), row.get("due_date")
            self.same(f"in transit {id}", (status, ""), found)

    def left_open_batches(self, known):
        """Batches of groups whose money in transit the rules leave open."""
        for group in {min(known.days_with(day)) for day in known.batches}:
            batches, deposits = known.batches_with(group), known.deposits[group]
            is_special = holds.special(known, group) and deposits
            # A balance from before the start need not be read.
            is_early = group < known.start and not deposits and sum(one.owed for one in batches) <= 0
            if is_special or is_early or self.leaves_open(known, group):
                yield from batches
            else:
                # Whether batches that owe nothing are listed is left open.
                yield from (one for one in batches if one.owed == holds.not_owed(known, one) != 0)

    def check_on_hold(self, start):
        expected, found = {}, {}
        for known in self.judged:
            for id, day, due, amount, status in holds.in_transit(known):
                text = money(known.merchant.currency, amount)
                expected[id] = (str(day), str(due or ""), text, status)
        # Whether it is money out or in is not known of a type that is not published.
        unclear = {
            str(one.transaction)
            for known in self.judged
            for one in known.authorizations
            if one.type == published.NO_TYPE
        }
        for row in self.table("in_transit"):
            if row["type"] == "held" and row["date"] >= start and row["id"] not in unclear:
                columns = ("date", "due_date", "amount", "status")
                found[row["id"]] = tuple(row[name] for name in columns)
        self.same("on hold", expected, found)
