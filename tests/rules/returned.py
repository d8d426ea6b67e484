"""Kind `returns`: returned bank transfers: their deductions from a deposit, refunds of a payment and
its re-presentments against the amounts that these brought in, returned refunds, and returns without a
date. Left open: a refund that comes back on the day of another one; undated returns where dates are run
in any order.
"""

from dataclasses import replace
from datetime import timedelta

from banking_days import distance, due
from published import REFUSED
from search import Entry
from world import Change

NOT_PAID = {*REFUSED, "returned"}


def undated(day, one):
    """Whether it has come back without a dated return."""
    at = came_back_on(day, one)
    return at is not None and at <= day.day


def effects(one, upto):
    """The effects of a transfer's returns up to a date: (date, amount) of each, and those that remain.
    A notice of a correction has none; some codes undo the latest return, some restore it."""
    moved, standing, undone = [], [], []
    for back in sorted(one.returns, key=lambda x: x.day):
        if back.day > upto or back.code.startswith("C"):
            continue
        number = int(back.code[1:]) if back.code[:1] == "R" and back.code[1:].isdigit() else 0
        if 61 <= number <= 70:
            if standing:
                undone.append(standing.pop())
                moved.append((back.day, -one.amount))
            continue
        if 71 <= number <= 77:
            # The return stands again, from that day on.
            standing += [replace(x, day=back.day, is_closed=back.is_closed) for x in undone[-1:]]
            undone = undone[:-1]
        else:
            standing.append(back)
        moved.append((back.day, one.amount))
    return moved, standing


def by_group(day):
    """The returned transfers, as entries, by their group."""
    every = [one for one in day.world.deposits if one.merchant == day.merchant.id]
    paid = [one for one in every if one.paid <= day.day and one.adjustment]
    dates = sorted({b.day for b in day.world.batches if b.merchant == day.merchant.id})
    found = {}
    for one in day.transfers:
        for number, (at, amount) in enumerate(effects(one, day.day)[0]):
            has_settled = one.settled and one.settled <= at
            if not has_settled and is_read(day, one.run):
                continue
            groups = sorted({day.group_of(x) for x in paid if x.group == at})
            for group in groups if len(groups) > 1 else ():
                day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))
            later = [x for x in dates if x >= at]
            if groups or later:
                group = groups[0] if groups else min(day.days_with(later[0]))
                found.setdefault(group, []).append(Entry((one.id, number), at, (amount,)))
    return found


def is_read(day, at):
    """Whether what settled on that day was read: since the start, and the window before it for books."""
    if at is None or at >= day.start:
        return at is not None
    return day.merchant.has_books and distance(at, day.start, day.merchant.calendar) <= day.terms["window"]


def came_back_on(day, one):
    """The last business date of the run that first read a return without a date: where all dates are run
    at once, the last of them."""
    if one.status != "returned" or one.returns:
        return None
    return day.read.get(("returned", one.id))

def chain(day, payment):
    """A payment and its re-presentments."""
    by_id, found = {one.id: one for one in day.transfers}, []
    while payment and payment.id not in {one.id for one in found}:
        found.append(payment)
        again = payment.again and by_id.get(payment.again.id)
        payment = again if again and (again.run or day.day) <= day.day else None
    return found


def dated_on(one):
    """A refund without a time counts from its settlement date."""
    return one.settled if one.is_timeless else one.run or one.settled


def judge_payment(day, payment):
    if any(one.again and one.again.id == payment.id for one in day.transfers):
        return
    ones = chain(day, payment)
    names = {one.id for one in ones}
    refunds = [one for one in day.world.transfers if one.payment in names]
    counted = [(dated_on(one), one.amount) for one in refunds if day.status_of(one) not in NOT_PAID]
    counted = [(at, amount) for at, amount in counted if at and at <= day.day]
    total = sum(amount for _, amount in counted)
    brought = sum(0 if one.status in REFUSED else one.amount for one in ones)
    back = [(x.day, one.amount) for one in ones for x in effects(one, day.day)[1]]
    back += [(came_back_on(day, one), one.amount) for one in ones if undated(day, one)]
    brought -= sum(amount for _, amount in back)
    is_since = any(at >= day.start for at, _ in [*counted, *back])
    # Without a refund, the payment is not exceeded.
    if counted and total > brought and is_since:
        day.add("REFUND_EXCEEDS_PAYMENT", payment.id, brought, total)
    if total > brought and not is_since:
        day.open.add(("REFUND_EXCEEDS_PAYMENT", day.merchant.id, payment.id))


def judge_cards(day):
    """Returns under the authorization of a capture that was read, beyond its captures."""
    by_id = {}
    for one in day.cards:
        by_id.setdefault(one.id, []).append(one)
    for id, ones in by_id.items():
        captured = [one for one in ones if one.type == "capture"]
        returned = sum(one.amount for one in ones if one.type == "return")
        brought = sum(one.amount for one in captured)
        if captured and captured[0].day < day.start:
            brought = max(brought, captured[0].authorized or 0)
        if captured and returned > brought and any(x.day >= day.start and x.type == "return" for x in ones):
            day.add("REFUND_EXCEEDS_PAYMENT", str(id), brought, returned)


def judge_more(day):
    judge_cards(day)
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
    """A refund that came back: cleared by later ones of the same payment of at least its amount; of one
    that names none, of the same order and last four."""
    key = "REFUND_RETURNED", day.merchant.id, refund.id
    others = [one for one in day.transfers if one.kind == "refund" and one.id != refund.id]
    same = [one for one in others if is_for_the_same(one, refund)]
    if any(one.status == "returned" for one in same) or not refund.run:
        day.open.add(key)
    same = [one for one in same if day.status_of(one) not in NOT_PAID and one.run and refund.run]
    if any(one.run == refund.run for one in same):
        day.open.add(key)
    if sum(one.amount for one in same if refund.run < one.run <= day.day) < refund.amount:
        day.add("REFUND_RETURNED", refund.id, 0, refund.amount)


def is_for_the_same(one, refund):
    if refund.payment:
        return one.payment == refund.payment
    return (one.order, one.last4) == (refund.order, refund.last4)


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
    """Transfers returned on a day without a batch are deducted by a deposit of its own."""
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
