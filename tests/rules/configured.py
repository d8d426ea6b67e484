"""Kind `configured`: a merchant that no listing names, one whose terminals are not named, calendars
and values of a merchant's own.

Left open: the adjustments of a merchant whose terminals are not named.
"""

from dataclasses import replace

NEVER_LISTED = "1999999999"
FIGURES = ("sales", "returns", "count")


def is_listed(day):
    """Whether a listing up to the day names the merchant, or holds something of its terminals."""
    world, id = day.world, day.merchant.id
    named = [one for one in world.batches if one.day <= day.day]
    named += [one for one in world.authorizations if one.day <= day.day]
    named += [one for one in world.deposits if one.paid <= day.day]
    dated = [at for one in day.transfers for at in (one.run, one.settled) if at]
    return any(one.merchant == id for one in named) or any(at <= day.day for at in dated)


def lists_a_stranger(day):
    """Whether a listing since the start names a merchant that is not configured."""
    known = {one.id for one in day.world.merchants}
    dated = [(one.merchant, one.day) for one in day.world.batches]
    dated += [(one.merchant, one.paid) for one in day.world.deposits]
    return any(id not in known and day.start <= at <= day.day for id, at in dated)


def judge_more(day):
    if not any(one is day.merchant for one in day.world.merchants):
        # Its second currency.
        return
    if not is_listed(day):
        is_late = (day.day - day.start).days + 1 >= 10
        if is_late or lists_a_stranger(day):
            day.add("MERCHANT_NOT_LISTED", day.merchant.id, None, None)
    if day.merchant.terminals is None:
        without_terminals(day)


def without_terminals(day):
    """Checks that unread bank transfers could explain are not evaluated, and one finding says so."""
    is_short = False
    for at in [at for at in day.batches if day.batches[at] and day.is_judged(at)]:
        for group, items in day.units(at):
            figures = (
                sum(amount for is_return, amount in items if not is_return),
                sum(amount for is_return, amount in items if is_return),
                len(items),
            )
            for name, expected in zip(FIGURES, figures, strict=True):
                if sum(getattr(batch, name) for batch in group) > expected:
                    is_short = True
                    code = f"BATCH_{name.upper()}_MISMATCH"
                    id = ";".join(str(batch.id) for batch in group)
                    day.found.pop((code, day.merchant.id, id), None)
    for group in day.deposits:
        day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))
    day.add("TERMINALS_NOT_NAMED", day.merchant.id, None, None)
    if not is_short:
        day.open.add(("TERMINALS_NOT_NAMED", day.merchant.id, day.merchant.id))


def facts(maker, draw):
    world = maker.world
    for merchant in world.merchants:
        if draw.random() < 0.3:
            values = {"payout": [1, 2, 3], "settle": [0, 1, 2], "ledger": [0, 1, 2], "window": [1, 3]}
            name = draw.choice(list(values))
            merchant.terms[name] = draw.choice(values[name])
        if draw.random() < 0.3:
            merchant.calendar = draw.choice(["us-federal-reserve", "canada"])
        if draw.random() < 0.2 and not merchant.has_books and not world.has_links:
            merchant.terminals = None
    if draw.random() < 0.25:
        first = world.merchants[0]
        never = replace(first, id=NEVER_LISTED, terminals=[], has_books=False, terms={})
        world.merchants.append(never)
