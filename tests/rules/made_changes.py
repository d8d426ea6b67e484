"""The books of a world, their later corrections, and the changes of the service."""

from dataclasses import replace
from datetime import date, timedelta

from world import STRANGER, Authorization, Change, Deposit, Record, Transfer


class Changes:
    def books(self, merchant):
        draw = self.draw
        sources, seen = [], set()
        for one in self.world.authorizations:
            if one.merchant == merchant.id and one.transaction and one.transaction not in seen:
                seen.add(one.transaction)
                kind = "payment" if one.type == "capture" else "refund"
                names = [str(one.transaction), str(one.id)]
                sources.append((kind, one.day, one.amount, names, None, one.last4))
        # The books hold one record for both, unless they say otherwise.
        again = {one.again.id for one in self.world.transfers if one.again}
        again = {id for id in sorted(again) if self.draw_again.random() < 0.75}
        for one in self.world.transfers:
            is_item = one.merchant == merchant.id and one.is_item and one.id not in again
            if is_item and (one.settled or self.wrong(0.5)):
                day = one.settled or one.run
                sources.append((one.kind, day, one.amount, [one.id], one.order, one.last4))
        for kind, day, amount, names, order, last4 in sources:
            if self.wrong(0.3):
                continue
            how = draw.choice(["reference", "reference", "order", "last4", "nothing", "all"])
            if draw.random() < 0.25:
                day += timedelta(draw.choice([-3, -2, -1, 1, 1, 2, 4]))
            reference = draw.choice(names) if how in ("reference", "all") else None
            if reference and self.wrong(0.1):
                reference = "P999999999"
            record = Record(
                id=f"L{merchant.id[:2]}{draw.randrange(100):02d}{self.number():05d}",
                merchant=merchant.id,
                kind=kind,
                day=day,
                amount=max(1, amount + (draw.choice([1, -1, 100]) if self.wrong(0.2) else 0)),
                currency=merchant.currency,
                reference=reference,
                order=order if how in ("order", "all") else None,
                last4=last4 if how in ("last4", "all") or draw.random() < 0.5 else None,
                status=draw.choice(["void", "declined", "returned"]) if self.wrong(0.2) else "paid",
            )
            if self.wrong(0.05):
                record.currency = "CAD" if merchant.currency == "USD" else "USD"
            self.world.records.append(record)
            if self.wrong(0.1):
                id = f"L{merchant.id[:2]}{draw.randrange(100):02d}{self.number():05d}"
                self.world.records.append(replace(record, id=id, status="paid"))

    def corrections(self):
        """Some records come into the books days later, are different at first, or are removed."""
        draw = self.draw_books
        for one in self.world.records:
            if draw.random() > 0.3:
                continue
            day = one.day + timedelta(draw.randrange(1, 6))
            what = draw.choice(["late", "late", "gone", "amount", "reference", "day", "status"])
            first = {
                "amount": one.amount + draw.choice([1, 100]),
                "reference": None,
                "day": one.day + timedelta(draw.choice([-1, 1, 2])),
                "status": draw.choice(["paid", "void"]),
            }
            said = {what: first[what]} if what in first else None
            since, until = (day, None) if what == "gone" else (date.min, day)
            self.world.corrections.append(Change("records", one.id, since, until, said))

    def changes(self):
        """Some records change a few days later."""
        draw, world = self.draw, self.world
        listed = [
            ("deposits", "paid", ("sales", "fees", "held", "net", "count", "paid")),
            ("batches", "day", ("sales", "returns", "count")),
            ("authorizations", "day", ("amount", "authorized", "type")),
            ("transfers", "settled", ("amount", "status")),
        ]
        for name, dated, fields in listed:
            for one in getattr(world, name):
                if name == "authorizations" and self.is_part(one):
                    continue
                day = getattr(one, dated)
                if not day or day < world.start or one.merchant == STRANGER or draw.random() > 0.08:
                    continue
                since = day + timedelta(draw.randrange(1, 5))
                until = draw.choice([None, None, since + timedelta(draw.randrange(1, 3))])
                said = None if draw.random() < 0.3 else self.other(one, draw.choice(fields), since)
                if not self.is_told(one, said):
                    continue
                world.changes.append(Change(name, one.id, since, until, said))

    def is_told(self, one, said):
        """Whether the rules decide the outcome: nothing is restated from a state that is not final or
        from an unknown amount; left open are a group from before the start when its only deposit since
        then vanishes, and a listed return when its payment vanishes."""
        if isinstance(one, Transfer):
            listed = {other.id for other in self.world.transfers if other.is_return}
            if said is None and listed & {one.id, *(back.id for back in one.returns)}:
                return False
            return not said or "status" not in said or one.status in ("complete", "returned")
        if isinstance(one, Deposit):
            return one.group >= self.world.start or (said and "paid" not in said)
        if isinstance(one, Authorization):
            is_known = one.transaction or (said and "authorized" in said)
            return is_known and (one.authorized is not None or not said or "authorized" not in said)
        return True

    def other(self, one, name, since):
        """The later value of a field."""
        old = getattr(one, name)
        if name == "paid":
            return {name: since}
        if name == "type":
            return {name: "return" if old == "capture" else "capture"}
        if name == "status":
            return {name: self.draw.choice(["declined", "reversal"])}
        return {name: (old or 0) + self.draw.choice([1, 5])}
