"""Bank transfers of a world: payments and refunds, their outcomes, and re-presentments."""

from dataclasses import replace
from datetime import datetime, timedelta

from banking_days import due
from world import Return, Transfer, moment


class Transfers:
    def transfers_of(self, merchant, day):
        draw = self.draw
        earlier = [
            one
            for one in self.world.transfers
            if (one.merchant, one.kind, one.type) == (merchant.id, "payment", "payment")
            and not one.is_return
        ]
        for _ in range(draw.randrange(4)):
            kind = "refund" if draw.random() < 0.2 else "payment"
            local = datetime(day.year, day.month, day.day, draw.randrange(24), draw.randrange(60))
            settled = due(day, draw.choice([0, 1, 1, 1]), merchant.calendar)
            one = Transfer(
                id=self.transfer_id(kind[0].upper()),
                kind=kind,
                merchant=merchant.id,
                terminal=draw.choice(merchant.terminals),
                currency=merchant.currency,
                run=day,
                moment=moment(merchant, local),
                settled=settled,
                amount=draw.choice(self.amounts),
                order=f"ORD-{draw.choice(self.orders)}",
                last4=draw.choice(self.cards),
                type=kind,
                status="complete",
            )
            if kind == "refund":
                self.name_payment(one, earlier)
            elif draw.random() < 0.04:
                one.type = "accountVerification"
            self.fate(one, merchant)
            self.world.transfers.append(one)

    def name_payment(self, refund, payments):
        if not payments or self.draw.random() < 0.3:
            refund.type = "unreferencedRefund"
            return
        payment = self.draw.choice(payments)
        refund.terminal = payment.terminal
        refund.payment = f"PX{self.number():08d}" if self.wrong(0.3) else payment.id
        if not self.wrong(0.5):
            refund.amount = min(refund.amount, payment.amount)

    def fate(self, one, merchant):
        draw, chance = self.draw, self.draw.random()
        if chance < 0.06:
            one.status = draw.choice(["declined", "reversal"])
            one.settled = one.settled if self.wrong() else None
        elif self.wrong(0.4):
            one.status = draw.choice(["ready", "pending", "complete", "admin"])
            one.settled = None
        elif self.wrong(0.3):
            one.settled = due(one.settled, draw.randrange(1, 4), merchant.calendar)
        elif chance < 0.12:
            one.status = "pending"
        elif chance < 0.22 and one.type == "payment":
            one.status = "returned"
            day = due(one.settled, draw.randrange(1, 4), merchant.calendar)
            day += timedelta(draw.choice([0, 0, 0, 1]))
            is_closed = draw.random() < 0.3
            one.returns.append(Return(self.transfer_id("Z"), day, False, is_closed))
            if self.presents_again:
                self.present_again(one, merchant)
        elif one.settled and draw.random() < 0.02:
            one.run = one.moment = None

    def present_again(self, one, merchant):
        """The return may be listed as a payment, and the payment presented once more."""
        draw, back = self.draw_again, one.returns[0]

        def later(id, day, settled):
            local = datetime(day.year, day.month, day.day, draw.randrange(24), 0)
            dated = {"run": day, "moment": moment(merchant, local), "settled": settled}
            return replace(one, id=id, **dated, status="complete", returns=[])

        if draw.random() < 0.3:
            self.world.transfers.append(later(back.id, back.day, back.day))
        if draw.random() < 0.7:
            day = back.day + timedelta(draw.choice([0, 1]))
            settled = due(day, draw.choice([0, 1, 1, 1]), merchant.calendar)
            one.again = later(self.transfer_id("P"), day, settled)
            back.is_represented = True
            self.world.transfers.append(one.again)

    def transfer_like(self, merchant, one, day, kind=None):
        """A later transfer of the same order; a refund of a payment names it."""
        kind = kind or one.kind
        hour = self.draw.randrange(24)
        other = replace(one, id=self.transfer_id(kind[0].upper()), kind=kind, returns=[], again=None)
        other.run, other.status = day, "complete"
        other.moment = moment(merchant, datetime(day.year, day.month, day.day, hour, 30))
        other.settled = due(day, 1, merchant.calendar)
        if kind == "refund" and one.kind == "payment":
            other.payment, other.type = one.id, "refund"
        return other
