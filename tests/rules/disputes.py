"""Kind `disputes`: the movements that can explain an adjustment, disputes that wait for the merchant,
disputed and refunded sales; and the result when the key may not read disputes. Left open: disputes and
sales before the start that depend on days that are not read.
"""

from datetime import timedelta

from search import Entry
from search import kinds as kinds_of_sets
from world import Dispute

WAITING = ("new", "prearbitrationInProcess", "precomplianceInProcess")
WON = ("representmentPaid", "issuerReversal", "rejected", "invalid", "arbitrationFundsToBeReturned")
AGAIN = ("prearbitrationAccepted", "precomplianceAccepted", "arbitrationLost", "complianceLost")
LOST = ("representmentFailed", "stand", *AGAIN)
IN_PART = ("arbitrationSettledPartialAmount", "complianceSettledPartialAmount")
UNDECIDED = ("representmentInProgress", "representmentReceived", "prearbitrationDeclined")
UNDECIDED += ("arbitrationFiledWithCardBand", "precomplianceDeclined", "somethingNew")


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


def movements(day):
    """The possible movements of money: a debit with the first status, a credit with one that wins, and
    after a credit a debit with one that loses."""
    for one in of(day):
        debit = tuple(sorted({one.amount, one.fee, one.amount + one.fee} - {0}))
        yield Entry((one.id, 0), one.statuses[0][0], debit)
        is_credited = False
        for place, (at, status) in enumerate(one.statuses):
            if at > day.day:
                break
            if status in WON or status in IN_PART:
                yield Entry((one.id, place or -1), at, (-one.amount,))
                is_credited = True
            elif status in AGAIN and is_credited and place:
                yield Entry((one.id, place), at, debit)
                is_credited = False


def is_in_part(day, entry):
    """Whether it is a credit of any amount up to its own."""
    return any(one.id == entry.id[0] and (entry.day, x) in one.statuses for one in of(day) for x in IN_PART)


def kinds(entries):
    """All of one status date together, then at most three."""
    _, of_day, _, few = kinds_of_sets(entries)
    yield of_day
    yield few


def judge_more(day):
    for one in of(day):
        at, status = status_of(day, one)
        if status in WAITING and day.is_due(at, "dispute"):
            day.add("DISPUTE_OPEN", str(one.id), 0, one.amount)
        if one.submitted < day.start:
            codes = ("DISPUTE_OPEN", "DISPUTED_AND_REFUNDED")
            day.open |= {(code, day.merchant.id, str(one.id)) for code in codes}
        for sale in [x for x in day.cards if x.transaction == one.transaction and x.type == "capture"]:
            if status not in WON:
                judge_returned(day, one, sale)


def judge_returned(day, one, sale):
    """Under the authorization; or to the same card, if only one such sale and one such return lie
    within 60 days of each other."""
    key = "DISPUTED_AND_REFUNDED", day.merchant.id, str(one.id)
    returned = sum(x.amount for x in day.cards if x.id == sale.id and x.type == "return")
    if sale.day < day.start:
        day.open.add(key)
    if returned:
        day.add(key[0], key[2], sale.amount, sale.amount + returned)
        return
    alike = [x for x in day.cards if (x.last4, x.amount) == (sale.last4, sale.amount) and sale.last4]
    backs = [x for x in alike if x.type == "return" and 0 <= (x.day - sale.day).days <= 60]
    if backs and len(backs) == 1:
        near = [x for x in alike if min(abs((x.day - y.day).days) for y in (sale, backs[0])) <= 60]
        if len(near) == 2:
            day.add(key[0], key[2], sale.amount, 2 * sale.amount)
            day.severities[key] = "warning"


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
    """Only disputes submitted by the last date are listed."""
    world = maker.world
    world.disputes = [one for one in world.disputes if one.submitted <= world.end]
