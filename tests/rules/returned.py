"""Kind `returns`: money that came in and went out of bank transfers: refunds beyond what a payment
brought in, refunds and payments that came back, returns without a date or on days without a batch, and
the statuses that are published beside the usual ones.

Left open: what came back without a date when dates are run in any order; a refund that is covered only
by several later ones, or run on the same date; two that one later refund may cover; refused transfers
that a listing has settled.
"""

from collections import defaultdict
from datetime import timedelta

from banking_days import due
from published import REFUSED
from world import Change

NOT_PAID = {"declined", "reversal", "returned", "expired", "referral", "pickup"}


def came_back_on(day, one):
    """When something came back that states no return: on the last date of the run that first read it."""
    world = day.world
    if one.status != "returned" or one.returns:
        return None
    dates = [at for at in (one.run, one.settled) if at]
    if world.way == "range":
        return world.end if dates and min(dates) <= world.end else None
    said = [change.until for change in world.progress if change.id == one.id]
    return max([world.start, *said, min(dates)]) if dates else None


def undated(day, one):
    """Whether it has come back by the day."""
    at = came_back_on(day, one)
    return at is not None and at <= day.day


def by_group(day):
    """Returned money by the group that it counts to."""
    every = [one for one in day.world.deposits if one.merchant == day.merchant.id]
    paid = [one for one in every if one.paid <= day.day and one.adjustment]
    dates = sorted({b.day for b in day.world.batches if b.merchant == day.merchant.id})
    sums = defaultdict(int)
    for one in day.transfers:
        for back in one.returns:
            if back.day > day.day:
                continue
            groups = sorted({day.group_of(x) for x in paid if x.group == back.day})
            for group in groups if len(groups) > 1 else ():
                day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))
            later = [at for at in dates if at >= back.day]
            if groups:
                sums[groups[0]] += one.amount
            elif later:
                sums[min(day.days_with(later[0]))] += one.amount
    return sums


def chain(day, payment):
    """A payment and its re-presentments."""
    by_id, found = {one.id: one for one in day.transfers}, []
    while payment and payment.id not in {one.id for one in found}:
        found.append(payment)
        again = payment.again and by_id.get(payment.again.id)
        payment = again if again and (again.run or day.day) <= day.day else None
    return found


def judge_payment(day, payment):
    if any(one.again and one.again.id == payment.id for one in day.transfers):
        return
    ones = chain(day, payment)
    names = {one.id for one in ones}
    refunds = [one for one in day.world.transfers if one.payment in names]
    dated = [(one.run or one.settled, one) for one in refunds]
    counted = [(at, one) for at, one in dated if at and at <= day.day]
    counted = [(at, one) for at, one in counted if day.status_of(one) not in NOT_PAID]
    total = sum(one.amount for _, one in counted)
    brought, came_back = 0, []
    for one in ones:
        brought += 0 if one.status in REFUSED else one.amount
        came_back += [(back.day, one) for back in one.returns if back.day <= day.day]
        came_back += [(came_back_on(day, one), one)] if undated(day, one) else []
    brought -= sum(one.amount for _, one in came_back)
    is_since = any(at >= day.start for at, _ in [*counted, *came_back])
    # Where nothing is refunded, nothing is too much.
    if counted and total > brought and is_since:
        day.add("REFUND_EXCEEDS_PAYMENT", payment.id, brought, total)
    if total > brought and not is_since:
        day.open.add(("REFUND_EXCEEDS_PAYMENT", day.merchant.id, payment.id))


def judge_more(day):
    codes = ("REFUND_RETURNED", "RETURN_OUTSTANDING", "STATUS_MISMATCH", "REFUND_EXCEEDS_PAYMENT")
    for one in day.transfers:
        at = came_back_on(day, one)
        if at and day.world.way == "shuffled":
            day.open |= {(code, day.merchant.id, one.payment or one.id) for code in codes}
            day.open |= {(code, day.merchant.id, one.id) for code in codes}
        if at and at <= day.day:
            if one.kind == "refund":
                judge_refund(day, one)
            elif day.is_due(at, "return"):
                day.add("RETURN_OUTSTANDING", one.id, 0, one.amount)


def judge_refund(day, refund):
    """A refund that came back; the customer still has to be paid."""
    key = "REFUND_RETURNED", day.merchant.id, refund.id
    others = [one for one in day.transfers if one.kind == "refund" and one.id != refund.id]
    same = [one for one in others if one.order == refund.order or is_of_payment(one, refund)]
    if any(one.status == "returned" for one in same):
        day.open.add(key)
    same = [one for one in same if day.status_of(one) not in NOT_PAID and one.run]
    later = [one for one in same if refund.run and refund.run < one.run <= day.day]
    total = sum(one.amount for one in later)
    if total >= refund.amount and not any(one.amount >= refund.amount for one in later):
        day.open.add(key)
    if any(one.run == refund.run for one in same) or not refund.run:
        day.open.add(key)
    if total < refund.amount:
        day.add("REFUND_RETURNED", refund.id, 0, refund.amount)


def is_of_payment(one, refund):
    return bool(one.payment) and one.payment == refund.payment


def items(maker, draw, merchant):
    world = maker.world
    own = [one for one in world.transfers if one.merchant == merchant.id and one.run]
    own = [one for one in own if one.is_item and not one.again and not one.settled_again]
    again = {one.again.id for one in world.transfers if one.again}
    for one in [one for one in own if one.id not in again]:
        chance = draw.random()
        if one.kind == "refund" and one.status == "complete" and one.settled and chance < 0.35:
            bounce(maker, draw, merchant, one)
        elif one.status == "returned" and one.returns and chance < 0.5:
            refund(maker, draw, merchant, one, one.returns[0].day + timedelta(draw.choice([-1, 0, 1])))
        elif one.status in ("declined", "reversal") and one.kind == "payment" and chance < 0.4:
            refund(maker, draw, merchant, one, one.run + timedelta(draw.randrange(3)))
        elif one.status == "complete" and one.kind == "payment" and one.settled and chance < 0.08:
            without_date(world, draw, one)
        elif chance < 0.16 and not one.returns:
            one.status = draw.choice(["accepted", "pending", "admin", "referral", "pickup", "expired"])
            is_refused = one.status in REFUSED
            one.settled = None if is_refused or draw.random() < 0.6 else one.settled


def bounce(maker, draw, merchant, one):
    """It comes back; sometimes it is paid once more."""
    without_date(maker.world, draw, one)
    if draw.random() < 0.5:
        day = one.settled + timedelta(draw.randrange(1, 4))
        other = maker.transfer_like(merchant, one, day)
        other.amount += draw.choice([0, 0, 0, -1, 5])
        maker.world.transfers.append(other)


def without_date(world, draw, one):
    one.status = "returned"
    until = one.settled + timedelta(draw.randrange(0, 4))
    if until > one.run:
        said = {"status": "complete"}
        world.progress.append(Change("transfers", one.id, world.start - timedelta(60), until, said))


def refund(maker, draw, merchant, payment, day):
    source = max(day, payment.run)
    one = maker.transfer_like(merchant, payment, source, "refund")
    one.amount = draw.choice([payment.amount, payment.amount, 1])
    maker.world.transfers.append(one)


def deposits(maker, draw, merchant):
    """What came back on a day without a batch is taken by a deposit of its own."""
    world = maker.world
    own = [one for one in world.deposits if one.merchant == merchant.id]
    dates = {one.day for one in world.batches if one.merchant == merchant.id}
    for one in world.transfers:
        for back in one.returns if one.merchant == merchant.id else []:
            later = [other for other in own if other.group > back.day and other.adjustment >= one.amount]
            if back.day in dates or not later or draw.random() > 0.5:
                continue
            other = min(later, key=lambda x: x.group)
            other.adjustment, other.net = other.adjustment - one.amount, other.net + one.amount
            paid = due(back.day, 1, merchant.calendar)
            maker.pay(merchant, back.day, paid, (0, 0, 0, one.amount))
