"""Kind `bank`: statements of a merchant's bank: deposits that are not on them, that are there with
another amount, lines that no deposit explains, and statements that never name the processor.

The lines are drawn so that each can only be one deposit, by its id in the text or by an amount that
nothing else has, or is none; what fits in several ways is left to the program's own tests.

A line that states another amount is looked for once it is due, as a line that is missing.

Left open: deposits of before the start; days that the statements do not cover (nothing is found
there); a deposit below zero and its line; groups of which one deposit came back and was sent again,
but for the accusation of the first.
"""

from dataclasses import replace
from datetime import timedelta

from banking_days import due
from world import Line

BANK_DAYS = 1
PROCESSOR = "EXAMPLE PAYMENTS"


def is_covered(day, at):
    return day.world.covered is not None and day.world.covered[0] <= at <= day.world.covered[1]


def lines_of(day):
    own = [one for one in day.world.lines if one.merchant == day.merchant.id]
    return [one for one in own if one.day <= day.day and PROCESSOR in one.text]


def is_credited(lines, one):
    return any(str(one.id) in line.text.split() and line.amount == one.net for line in lines)


def is_awaited(day, one):
    """Whether the bank has not shown a deposit that is not due there."""
    until = due(one.paid, BANK_DAYS, day.merchant.calendar)
    is_there = any(str(one.id) in line.text.split() for line in lines_of(day))
    return day.merchant.has_bank and until > day.day and not is_there


def sent_again(day):
    """Of two deposits of a group with equal figures, the first not credited, the second credited."""
    if not day.merchant.has_bank:
        return set()
    lines, found = lines_of(day), set()
    for group, ones in day.deposits.items():
        ones = sorted(ones, key=lambda one: (one.paid, one.id))
        for place, one in enumerate(ones):
            same = [x for x in ones[place + 1 :] if figures(x) == figures(one)]
            if not is_credited(lines, one) and any(is_credited(lines, x) for x in same):
                found.add(one.id)
                day.unclear.add(group)
    return found


def figures(one):
    return one.sales, one.returns, one.count, one.adjustment, one.net


def judge_more(day):
    if not day.merchant.has_bank:
        return
    own = lines_of(day)
    ones = [one for group in day.deposits.values() for one in group if one.paid >= day.start]
    for one in ones:
        judge_deposit(day, one, own)
    if own:
        return
    missing = [one for one in ones if ("DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)) in day.found]
    if len({one.paid for one in missing}) >= 2:
        for one in missing:
            del day.found["DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)]
        day.add("PROCESSOR_NOT_ON_STATEMENT", day.merchant.id, sum(one.net for one in missing), 0)


def judge_deposit(day, one, lines):
    key = "DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)
    until = due(one.paid, BANK_DAYS, day.merchant.calendar)
    found = [line for line in lines if str(one.id) in line.text.split()]
    if one.net <= 0:
        for code in ("DEPOSIT_NOT_IN_BANK", "BANK_AMOUNT_MISMATCH"):
            day.open.add((code, day.merchant.id, str(one.id)))
        return
    if found and found[0].amount != one.net:
        if until <= day.day:
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
        own = {one.currency for one in world.batches if one.merchant == merchant.id}
        # What a statement of one currency holds of another is left open.
        merchant.has_bank = merchant.has_bank and len(own) == 1
        is_misnamed = draw.random() < 0.15
        for one in world.deposits if merchant.has_bank else ():
            if one.merchant == merchant.id and one.net > 0:
                if one.id not in maker.sent_again or draw.random() < 0.3:
                    line_of(world, draw, one, is_misnamed, one.id in changed)


def deposits(maker, draw, merchant):
    """Some deposits did not arrive, and were sent again."""
    own = [one for one in maker.world.deposits if one.merchant == merchant.id and one.net > 0]
    for one in own:
        if draw.random() < 0.12 and one.paid >= maker.world.start:
            paid = due(one.paid, draw.choice([1, 2, 3]), merchant.calendar)
            again = replace(one, id=maker.number() + 7_000_000, paid=paid, sent=None)
            maker.world.deposits.append(again)
            fees = [fee for fee in maker.world.fees if fee.deposit == one.id]
            maker.world.fees += [replace(fee, deposit=again.id, listed=paid) for fee in fees]
            maker.sent_again.add(one.id)


def line_of(world, draw, one, is_misnamed, is_changed):
    chance = 0 if is_changed else draw.random()
    at = one.paid + timedelta(draw.choice([0, 0, 0, 1]))
    text = f"{'OTHER SERVICES' if is_misnamed else PROCESSOR} {one.id}"
    if chance < 0.85:
        amount = one.net - (draw.choice([1, 15]) if 0.75 < chance and one.net > 100 else 0)
        world.lines.append(Line(one.merchant, at, amount, text))
