"""Kind `disputes`: what they explain of adjustments, those that wait for the merchant, and what was
disputed and refunded; and what is said when the key may not read them.

Left open: what is disputed or sold before the start; a deposit sent on the very date of a status;
decided in part; the warning for a return to the same card (all days of 60 have to be read for it); and
whatever differs by how movements of one date are told apart, or by what groups before the start use.
"""

from datetime import timedelta
from itertools import combinations, product

from banking_days import due
from world import Dispute

WAITING = ("new", "prearbitrationInProcess", "precomplianceInProcess")
WON = ("representmentPaid", "issuerReversal", "rejected", "invalid", "arbitrationFundsToBeReturned")
LOST = ("representmentFailed", "stand", "prearbitrationAccepted", "precomplianceAccepted")
LOST += ("arbitrationLost", "complianceLost")
IN_PART = ("arbitrationSettledPartialAmount", "complianceSettledPartialAmount")
UNDECIDED = ("representmentInProgress", "representmentReceived", "prearbitrationDeclined")
UNDECIDED += ("arbitrationFiledWithCardBand", "precomplianceDeclined", "somethingNew")
WITHIN = 10


def can_read(world):
    return world.disputes_answer == 200


def of(day):
    own = [one for one in day.world.disputes if one.merchant == day.merchant.id]
    own = [one for one in own if one.submitted <= day.day and can_read(day.world)]
    return sorted(own, key=lambda one: one.id)


def status_of(day, one):
    """(date, status) as of the day."""
    return max((x for x in one.statuses if x[0] <= day.day), key=lambda x: x[0], default=None)


def verdict(status):
    if status in WAITING:
        return "waits"
    return "won" if status in WON else "lost" if status in LOST else "undecided"


def movements(day, deposits, is_strict):
    """What can move money into the deposits: (dispute, side, status date) and its amounts."""
    found = {}

    def is_in_reach(at):
        upto = due(at, WITHIN, day.merchant.calendar)
        sent = [one.sent_on for one in deposits]
        return any(at < x <= upto or (x == at and not is_strict) for x in sent)

    for one in of(day):
        at = one.statuses[0][0]
        if is_in_reach(at):
            amounts = {one.amount, one.fee, one.amount + one.fee} - {0}
            found[one.id, "debit", at] = sorted(amounts)
        for at, status in one.statuses:
            if status in WON and at <= day.day and is_in_reach(at):
                found[one.id, "credit", at] = [-one.amount]
    return found


def choices(left, found, used, is_strict):
    """Every choice of movements that adds up."""
    fitting = set()
    free = [key for key in found if key not in used]
    for count in (1, 2, 3):
        for keys in combinations(free, count):
            fitting |= adding_up(left, keys, found)
    for at in {key[2] for key in found}:
        keys = [key for key in (free if is_strict else found) if key[2] == at]
        if len(keys) > 3:
            fitting |= adding_up(left, keys, found)
    return fitting


def adding_up(left, keys, found):
    every = product(*(found[key] for key in keys))
    return {frozenset(zip(keys, one, strict=True)) for one in every if sum(one) == left}


def solve(day, left, groups, is_strict):
    """By group: the choices that explain what is left, in order of the groups' first dates."""
    used, solved = set(), {}
    for group in groups:
        if left[group]:
            found = movements(day, day.deposits[group], is_strict)
            solved[group] = choices(left[group], found, used, is_strict)
            if len(solved[group]) == 1:
                used |= {key for key, _ in next(iter(solved[group]))}
    return solved


def may_be_in_part(day, deposits):
    """Whether a credit of any amount can be in them."""
    dates = [at for one in of(day) for at, status in one.statuses if status in IN_PART]
    reach = [(at, due(at, WITHIN, day.merchant.calendar)) for at in dates]
    return any(at <= one.sent_on <= upto for at, upto in reach for one in deposits)


def explain(day, left, found):
    if not can_read(day.world):
        for one in found.values():
            one.severity = "warning"
        return
    groups = sorted(left)
    judged = [group for group in groups if day.is_judged(group)]
    ways = [solve(day, left, order, strict) for order in (judged, groups) for strict in (0, 1)]
    for group in judged:
        several = {frozenset(way.get(group, ())) for way in ways}
        if left[group] and (len(several) > 1 or may_be_in_part(day, day.deposits[group])):
            day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))
        chosen = ways[0].get(group, ())
        if len(chosen) == 1:
            found[group].is_explained, found[group].disputed = True, left[group]
        elif chosen:
            found[group].severity, found[group].is_several = "warning", True


def judge_more(day):
    records = {}
    for one in day.authorizations:
        records.setdefault(one.id, []).append(one)
    for one in of(day):
        at, status = status_of(day, one)
        if status in WAITING and day.is_due(at, "dispute"):
            day.add("DISPUTE_OPEN", str(one.id), 0, one.amount)
        sales = [x for x in day.cards if x.transaction == one.transaction and x.type == "capture"]
        for sale in sales:
            returns = [x for x in records[sale.id] if x.type == "return" and x.transaction]
            returned = sum(x.amount for x in returns)
            alike = [x for x in day.cards if x.type == "return" and x not in returns]
            if any((x.last4, x.amount) == (sale.last4, sale.amount) for x in alike):
                day.open.add(("DISPUTED_AND_REFUNDED", day.merchant.id, str(one.id)))
            if returned and status not in WON:
                code, amount = "DISPUTED_AND_REFUNDED", sale.amount
                day.add(code, str(one.id), amount, amount + returned)
            if sale.day < day.start:
                day.open.add(("DISPUTED_AND_REFUNDED", day.merchant.id, str(one.id)))
        if one.submitted < day.start:
            for code in ("DISPUTE_OPEN", "DISPUTED_AND_REFUNDED"):
                day.open.add((code, day.merchant.id, str(one.id)))


def rows(day):
    """Of disputes.csv: id, status, status date, due date, amounts and verdict."""
    for one in of(day):
        at, status = status_of(day, one)
        is_changed = day.day in [one.submitted, *(x[0] for x in one.statuses)]
        is_decided = status in (*WON, *LOST, *IN_PART)
        if (is_changed or not is_decided) and one.submitted >= day.start:
            waits = verdict(status) == "waits"
            until = day.due(at, "dispute") if waits else None
            said = None if status in IN_PART else verdict(status)
            yield str(one.id), status, at, until, one.amount, one.fee, said


def items(maker, draw, merchant):
    """Returns under the authorization of a sale."""
    world = maker.world
    sales = [one for one in world.authorizations if one.merchant == merchant.id and one.transaction]
    for one in [one for one in sales if one.type == "capture" and one.batch]:
        near = [b for b in world.batches if b.merchant == merchant.id and one.day <= b.day]
        near = [b for b in near if b.day <= one.day + timedelta(4)]
        if near and draw.random() < 0.15 and not maker.is_part(one):
            batch = draw.choice(near)
            back = maker.part_of(one, batch, "return")
            world.authorizations.append(back)


def deposits(maker, draw, merchant):
    world = maker.world
    world.disputes_answer = draw.choice([200, 200, 200, 403, 404])
    for terms in [world.terms, *(world.later_terms or ())[1:]]:
        terms["dispute"] = terms.get("dispute", draw.choice([5, 5, 2, 0]))
    sales = [one for one in world.authorizations if one.merchant == merchant.id and one.transaction]
    sales = [one for one in sales if one.type == "capture"]
    names = [one.transaction for one in sales]
    own = [one for one in world.deposits if one.merchant == merchant.id]
    for one in sales:
        is_plain = names.count(one.transaction) == 1
        share = 0.6 if maker.is_part(one) else 0.2
        if is_plain and draw.random() < share:
            dispute(maker, draw, merchant, one, own)


def dispute(maker, draw, merchant, sale, own):
    world = maker.world
    at = sale.day + timedelta(draw.randrange(0, 5))
    one = Dispute(
        id=maker.number(),
        merchant=merchant.id,
        currency=merchant.currency,
        submitted=at,
        statuses=[(at, draw.choice(["new", "new", "representmentInProgress", "stand"]))],
        amount=sale.amount,
        fee=draw.choice([0, 1500, 1500, 700]),
        transaction=None if draw.random() < 0.1 else sale.transaction,
    )
    while draw.random() < 0.5 and one.statuses[-1][1] not in (*WON, *LOST):
        at += timedelta(draw.randrange(1, 4))
        weights = [2, 4, 4, 2, 0.3]
        kinds = draw.choices([WAITING, WON, LOST, UNDECIDED, IN_PART], weights)[0]
        one.statuses.append((at, draw.choice(kinds)))
    world.disputes.append(one)
    later = [x for x in own if one.submitted < x.sent_on]
    if later and draw.random() < 0.75:
        debit = draw.choice([one.amount, one.amount, one.fee, one.amount + one.fee])
        take(min(later, key=lambda x: (x.paid, x.id)), debit)
    later = [x for x in own if one.statuses[-1][1] in WON and at < x.sent_on]
    if later and draw.random() < 0.75:
        take(min(later, key=lambda x: (x.paid, x.id)), -one.amount)


def take(deposit, amount):
    deposit.adjustment += amount
    deposit.net -= amount


def facts(maker, _):
    """Only what is submitted by the last date is there."""
    world = maker.world
    world.disputes = [one for one in world.disputes if one.submitted <= world.end]
