"""Kind `bank`: statements of a merchant's bank: deposits that are not on them, that are there with
another amount, lines that no deposit explains, and statements that never name the processor.

The lines are drawn so that each can only be one deposit, by its id in the text or by an amount that
nothing else has, or is none; what fits in several ways is left to the program's own tests.

Left open: deposits of before the start; days that the statements do not cover (nothing is found
there); a deposit below zero and its line; groups of which one deposit came back and was sent again,
but for the accusation of the first.
"""

from datetime import timedelta

from banking_days import due
from world import Line

BANK_DAYS = 1
PROCESSOR = "EXAMPLE PAYMENTS"


def is_covered(day, at):
    return day.world.covered is not None and day.world.covered[0] <= at <= day.world.covered[1]


def judge_more(day):
    if not day.merchant.has_bank:
        return
    own = [one for one in day.world.lines if one.merchant == day.merchant.id]
    own = [one for one in own if one.day <= day.day]
    ones = [one for group in day.deposits.values() for one in group if one.paid >= day.start]
    for one in ones:
        judge_deposit(day, one, own)
    if any(PROCESSOR in one.text for one in own):
        return
    missing = [one for one in ones if ("DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)) in day.found]
    if len({one.paid for one in missing}) >= 2:
        for one in missing:
            del day.found["DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)]
        day.add("PROCESSOR_NOT_ON_STATEMENT", day.merchant.id, None, None)


def judge_deposit(day, one, lines):
    key = "DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)
    until = due(one.paid, BANK_DAYS, day.merchant.calendar)
    found = [line for line in lines if str(one.id) in line.text.split()]
    if one.net <= 0:
        for code in ("DEPOSIT_NOT_IN_BANK", "BANK_AMOUNT_MISMATCH"):
            day.open.add((code, day.merchant.id, str(one.id)))
        return
    if found and found[0].amount != one.net:
        day.add("BANK_AMOUNT_MISMATCH", str(one.id), one.net, found[0].amount)
    elif not found and until <= day.day:
        if not is_covered(day, until):
            day.open.add(key)
        day.add("DEPOSIT_NOT_IN_BANK", str(one.id), one.net, 0)


def facts(maker, draw):
    """A bank for some merchants, after all else is drawn."""
    world = maker.world
    changed = {one.id for one in world.changes if one.name == "deposits"}
    world.covered = (world.start - timedelta(20), world.end + timedelta(60))
    for merchant in world.merchants:
        merchant.has_bank = draw.random() < 0.7
        is_misnamed = draw.random() < 0.15
        for one in world.deposits if merchant.has_bank else ():
            if one.merchant == merchant.id and one.net > 0:
                line_of(world, draw, one, is_misnamed, one.id in changed)


def line_of(world, draw, one, is_misnamed, is_changed):
    chance = 0 if is_changed else draw.random()
    at = one.paid + timedelta(draw.choice([0, 0, 0, 1]))
    text = f"{'OTHER SERVICES' if is_misnamed else PROCESSOR} {one.id}"
    if chance < 0.85:
        amount = one.net - (draw.choice([1, 15]) if 0.75 < chance and one.net > 100 else 0)
        world.lines.append(Line(one.merchant, at, amount, text))
