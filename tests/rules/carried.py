"""Kind `carried`: a negative balance that is carried into a later deposit: DEPOSIT_CARRIED on the
payment date of that deposit alone, and neither is accused.

Left open: what pays nothing at all; two that claim one deposit; a later deposit that is one of several
of its group; the last of the five days itself; what also disputes could explain.
"""

from banking_days import due

WITHIN = 5


def below_zero(day):
    """(subject, its amount below zero, after which date, the group that it is of)."""
    for group, ones in day.deposits.items():
        for one in ones:
            if one.net < 0 and one.paid >= day.start and not day.merchant.has_bank:
                yield str(one.id), -one.net, one.paid, group
    for group in {min(day.days_with(at)) for at in day.batches}:
        batches = day.batches_with(group)
        owed = sum(one.owed for one in batches)
        if batches and owed < 0 and not day.paid_for(group) and group >= day.start:
            id = ";".join(str(one.id) for one in batches)
            yield id, -owed, day.due(day.last_day(group), "payout"), group


def explain(day, left, found):
    claims = {}
    for subject, amount, after, group in below_zero(day):
        upto = due(after, WITHIN, day.merchant.calendar)
        fitting = [
            one
            for other, ones in day.deposits.items()
            for one in ones
            if other != group and left[other] == amount and after < one.paid <= upto
            and not found[other].is_explained
        ]
        for one in fitting:
            other = day.group_of(one)
            several = len(day.deposits[other]) > 1 or found[other].is_several
            if len(fitting) > 1 or several or other in claims:
                leave_open(day, other, group, subject, one)
        if len(fitting) == 1:
            claims.setdefault(day.group_of(fitting[0]), []).append((subject, amount, fitting[0], group))
    for other, ones in claims.items():
        if len(ones) > 1:
            for subject, _, one, group in ones:
                leave_open(day, other, group, subject, one)
            continue
        subject, amount, one, _ = ones[0]
        found[other].is_explained, found[other].carried = True, amount
        day.carried_away.add(subject)
        if one.paid == day.day:
            day.add("DEPOSIT_CARRIED", subject, -amount, 0)


def leave_open(day, other, group, subject, deposit):
    merchant = day.merchant.id
    day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", merchant, str(other)))
    day.open.add(("DEPOSIT_CARRIED", merchant, subject))
    for batch in day.batches_with(group):
        day.open.add(("BATCH_WITHOUT_DEPOSIT", merchant, str(batch.id)))


def is_waiting(day, group):
    """Whether a group at or below zero may still be carried into a later deposit: until the five days
    are over; afterwards when it was carried."""
    first = min(day.days_with(group))
    batches = day.batches_with(first)
    owed = sum(one.owed for one in batches)
    if not batches or owed > 0:
        return False
    if ";".join(str(one.id) for one in batches) in day.carried_away:
        return True
    last = waits_until(day, first)
    if last == day.day or (owed == 0 and last < day.day):
        for batch in batches:
            day.open.add(("BATCH_WITHOUT_DEPOSIT", day.merchant.id, str(batch.id)))
    return day.day < last


def waits_until(day, group):
    return due(day.due(day.last_day(group), "payout"), WITHIN, day.merchant.calendar)


def deposits(maker, draw, merchant):
    """Deposits below zero, and groups of returns that no deposit pays, taken from a later one."""
    world = maker.world
    own = [one for one in world.deposits if one.merchant == merchant.id]
    for one in list(own):
        later = [x for x in own if x.group > one.group and one.paid < x.paid]
        near = [x for x in later if x.paid <= due(one.paid, WITHIN + 1, merchant.calendar)]
        if one not in world.deposits or not near or draw.random() > 0.35:
            continue
        alone = sum(x.group == one.group for x in own) == 1
        owed = sum(b.owed for b in world.batches if (b.merchant, b.day) == (merchant.id, one.group))
        target = draw.choice(near)
        if owed < 0 and alone and draw.random() < 0.6:
            world.deposits.remove(one)
            world.fees = [fee for fee in world.fees if fee.deposit != one.id]
            amount = -owed
        else:
            if one.net >= 0:
                extra = one.net + draw.choice([1, 100, 700])
                one.fees, one.net = one.fees + extra, one.net - extra
                fee = next(iter(fee for fee in world.fees if fee.deposit == one.id), None)
                if fee:
                    fee.amount += extra
                else:
                    world.fees.append(maker.fee(merchant.id, one.id, one.paid, extra, "Monthly"))
            amount = -one.net
        if draw.random() < 0.9:
            take(target, amount + (draw.random() < 0.1))


def take(deposit, amount):
    deposit.adjustment += amount
    deposit.net -= amount


