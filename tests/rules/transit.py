"""Holds in_transit.csv against the rules: batches, bank transfers, and what is on hold."""

import carried
import holds
import published
from world import STRANGER, money


class Transit:
    def check_in_transit(self):
        expected, unclear, self.statuses, excused = set(), set(), {}, set()
        for known in self.judged:
            currency = known.merchant.currency
            for group in {min(known.days_with(day)) for day in known.batches}:
                batches, last = known.batches_with(group), known.last_day(group)
                is_waiting = carried.is_waiting(known, group) and not known.deposits[group]
                if not batches or (known.is_due(last, "payout") and not is_waiting):
                    continue
                amounts = {one.id: one.owed for one in batches if not one.is_empty}
                for one in batches:
                    if one.id in amounts:
                        less = holds.not_owed(known, one)
                        amounts[one.id] -= less
                        if less and not amounts[one.id]:
                            # Whether nothing that is owed stands there is left open.
                            excused.add(str(one.id))
                deposits = known.deposits[group]
                if deposits:
                    left = {
                        name: sum(getattr(one, name) for one in batches)
                        - sum(getattr(one, name) for one in deposits)
                        for name in ("sales", "returns")
                    }
                    first = {batches[0].id: left["sales"] - left["returns"]}
                    amounts = first if max(left.values()) > 0 else {}
                days = {one.id: str(one.day) for one in batches}
                due = str(known.due(last, "payout"))
                if is_waiting:
                    due = str(carried.waits_until(known, group))
                    if known.due(last, "payout") < known.start:
                        # Its batches need not be read.
                        excused |= {str(one.id) for one in batches}
                for id, amount in amounts.items():
                    expected.add(("batch", str(id), days[id], due, money(currency, amount)))
            for one in known.transfers:
                has_run = one.run and one.run <= self.day
                has_settled = one.settled and one.settled <= self.day
                status, due_of = known.status_of(one), published.settles_within(known, one)
                is_living = status in published.LIVING
                is_living = is_living and published.is_payment(self.world, one)
                is_reviewed = status == "admin" and one.type != "accountVerification"
                is_undated = one.status == "returned" and not one.returns
                if self.world.way == "shuffled" and is_undated:
                    unclear.add(one.id)
                if published.is_in_transit(known, one):
                    unclear.add(one.id)
                    # What any settled listing holds is known to settle; a verification moves nothing.
                    if not one.settled and one.type != "accountVerification":
                        self.statuses[one.id] = one.status
                elif is_reviewed and not has_settled:
                    unclear.add(one.id)
                    if has_run and one.run >= known.start:
                        self.statuses[one.id] = status
                is_early = one.settled and one.run and one.run < known.start
                if not has_run or has_settled or is_early or not is_living:
                    continue
                if one.type != "accountVerification" and due_of and due_of > self.day:
                    amount = -one.amount if one.kind == "refund" else one.amount
                    due = str(due_of)
                    expected.add((one.kind, one.id, str(one.run), due, money(currency, amount)))
        start = str(self.judged[0].start)
        found = {
            tuple(row[name] for name in ("type", "id", "date", "due_date", "amount"))
            for row in self.table("in_transit")
            if row["merchant_id"] != STRANGER
        }
        # Of what ran before the start, what has settled by now is in no listing that is read.
        found = {one for one in found if one in expected or one[0] == "batch" or one[2] >= start}
        self.check_statuses(unclear)
        excused |= {str(one.id) for known in self.judged for one in self.left_open_batches(known)}
        found = {one for one in found if one[1] not in excused and one[1] not in unclear}
        expected = {one for one in expected if one[1] not in excused and one[1] not in unclear}
        held = {one for one in found if one[0] == "held"}
        self.same("in transit", sorted(expected), sorted(found - held))
        self.check_on_hold(start)

    def check_statuses(self, unclear):
        """What is under review, or nothing published tells of, stands there with its status."""
        rows = {row["id"]: row for row in self.table("in_transit")}
        for id, status in self.statuses.items():
            row = rows.get(id, {})
            found = row.get("status"), row.get("due_date")
            self.same(f"in transit {id}", (status, ""), found)

    def left_open_batches(self, known):
        """Batches of groups of which the rules leave open what is in transit."""
        for group in {min(known.days_with(day)) for day in known.batches}:
            batches, deposits = known.batches_with(group), known.deposits[group]
            is_special = holds.special(known, group)
            if (is_special and deposits) or self.leaves_open(known, group):
                yield from batches

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
