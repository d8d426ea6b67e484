"""Kind `carried`: balances below zero that later deposits take. `adjustments` reads them."""

from banking_days import due

WITHIN = 5


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
