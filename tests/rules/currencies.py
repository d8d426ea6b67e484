"""Kind `currencies`: a merchant with batches in two currencies on one date. A deposit states none: it
is that of its linked transactions; else of the batches of its association date when they agree; else
the one whose batches alone agree with it; else, without batches, the configured one. Left open: the
groups of a date with a deposit of unknown currency.
"""

from dataclasses import replace

from banking_days import due
from world import Authorization, Batch, Deposit

SECOND = {"USD": "CAD", "CAD": "USD", "JPY": "USD", "KWD": "USD"}
FIGURES = ("sales", "returns", "count")


def parts(world, merchant, day):
    """The world and the merchant of each currency."""
    second = SECOND[merchant.currency]
    own = [one for one in world.batches if one.merchant == merchant.id]
    if not any(one.currency == second for one in own):
        return [(world, merchant)]
    deposits = {
        one.id: currency_of(world, merchant, one, day)
        for one in world.deposits
        if one.merchant == merchant.id
    }
    terminals = None if merchant.terminals is None else []
    other = replace(merchant, currency=second, terminals=terminals, has_books=False)
    found = []
    for one in (merchant, other):
        mine = [x for x in world.deposits if deposits.get(x.id, one.currency) == one.currency]
        known = {x.id for x in mine}
        strays = one is merchant
        every = {x.id for x in world.deposits}
        part = replace(
            world,
            batches=[x for x in world.batches if is_of(x, one)],
            authorizations=[x for x in world.authorizations if is_of(x, one)],
            deposits=mine,
            of_other_currencies=[x for x in world.deposits if x.id in deposits and x.id not in known],
            # A statement is of one currency.
            lines=world.lines if strays else [],
            disputes=[x for x in world.disputes if is_of(x, one)],
            fees=[x for x in world.fees if x.deposit in known or (strays and x.deposit not in every)],
        )
        found.append((part, one))
    return found


def is_of(record, merchant):
    return record.merchant != merchant.id or record.currency == merchant.currency


def currency_of(world, merchant, deposit, day):
    cards = [one for one in world.authorizations if one.merchant == merchant.id and one.day <= day]
    linked = {one.currency for one in cards if one.link == deposit.id}
    if len(linked) == 1:
        return linked.pop()
    batches = [one for one in world.batches if one.merchant == merchant.id]
    batches = [one for one in batches if one.day == deposit.group and one.day <= day]
    if not batches:
        return merchant.currency
    agreeing = sorted({one.currency for one in batches})
    if len(agreeing) > 1:
        agreeing = [one for one in agreeing if agrees(deposit, batches, one)]
    return agreeing[0] if len(agreeing) == 1 else None


def agrees(deposit, batches, currency):
    own = [one for one in batches if one.currency == currency]
    return all(sum(getattr(one, name) for one in own) == getattr(deposit, name) for name in FIGURES)


def named_apart(judged, merchant):
    """Groups of the second currency are named with it; unknown currencies are left open in both."""
    if judged.merchant.currency == merchant.currency:
        return judged

    def apart(key):
        is_group = key[0].startswith("DEPOSIT_") and len(str(key[-1])) == 10 and "-" in str(key[-1])
        return (*key[:-1], f"{key[-1]} {judged.merchant.currency}") if is_group else key

    judged.found = {apart(key): one for key, one in judged.found.items()}
    judged.severities = {apart(key): one for key, one in judged.severities.items()}
    judged.open = {apart(key) for key in judged.open}
    return judged


def leave_open(world, judged, day):
    """Dates of a merchant with a deposit of unknown currency."""
    for one in world.deposits:
        known = [each for each in judged if each.merchant.id == one.merchant]
        if one.paid > day or len(known) < 2 or currency_of(world, known[0].merchant, one, day):
            continue
        for each in known:
            each.unclear.add(one.group)
            # Its findings have no figures.
            for code in ("FUNDS_HELD", "DEPOSIT_NET_MISMATCH", "DEPOSIT_FEES_MISMATCH"):
                each.open.add((code, one.merchant, str(one.id)))
            for code in ("SALES", "RETURNS", "COUNT", "ADJUSTMENT"):
                name = str(one.group) if each is known[0] else f"{one.group} {each.merchant.currency}"
                each.open.add((f"DEPOSIT_{code}_MISMATCH", one.merchant, name))
            for batch in each.batches_with(one.group):
                each.open.add(("BATCH_WITHOUT_DEPOSIT", one.merchant, str(batch.id)))


def facts(maker, draw):
    world = maker.world
    for merchant in world.merchants:
        if merchant.has_books or merchant.bank or draw.random() < 0.3:
            continue
        world.changes = [one for one in world.changes if not is_own(world, one, merchant)]
        for day in world.days:
            if draw.random() < 0.5:
                second_batch(maker, draw, merchant, day)


def is_own(world, change, merchant):
    return any(one.id == change.id and one.merchant == merchant.id for one in getattr(world, change.name))


def second_batch(maker, draw, merchant, day):
    world, currency = maker.world, SECOND[merchant.currency]
    batch = Batch(maker.number(), merchant.id, day, currency)
    paid = due(day, draw.choice([2, 2, 3]), merchant.calendar)
    deposit = Deposit(maker.number(), merchant.id, day, paid, 0, 0, 0, 0)
    is_paid = draw.random() < 0.8
    for _ in range(draw.randrange(1, 3)):
        amount, kind = draw.choice([1000, 700, 55]), draw.choice(["capture", "capture", "return"])
        link = deposit.id if world.has_links and is_paid else None
        one = Authorization(
            maker.number(), merchant.id, day, currency, batch.id, "2045", "approved", amount,
            maker.number(), kind, amount, link,
        )
        world.authorizations.append(one)
        maker.add(batch, kind == "return", amount)
    world.batches.append(batch)
    deposit.sales, deposit.returns, deposit.count = batch.sales, batch.returns, batch.count
    deposit.sales += draw.choice([0, 0, 0, 0, 100])
    deposit.net = deposit.components
    if is_paid:
        world.deposits.append(deposit)
