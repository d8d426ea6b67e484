"""Kind `holds`: the status of a transaction where the key has /transactions: on hold, settled
elsewhere, withdrawn, released. On hold is in transit and not owed; the others never are.

Left open: figures of a group that is not due and of which something is not plainly expected; a
shortfall beyond what was released in part; a header above zero without any transaction that is
expected; statuses of a batch before the start.
"""

from datetime import timedelta

from banking_days import is_banking_day
from world import Change

ON_HOLD = ["held", "fullSuspense", "heldAudited", "holdForSettlement30Days"]
ON_HOLD += ["holdForSettlementDuplicate", "holdLongTerm"]
TELLS_OF_A_HOLD = [*ON_HOLD, "release", "heldReleasedAudited", "partialRelease"]
# Card companies that may have a contract of their own with a merchant, and pay it.
OTHERS = ("amex", "jcbNonSettled", "discoverRetained", "wrightExpress", "voyager", "fuelman", "privateLabel")
EXPECTED = [None, "paid", "new", "release", "heldReleasedAudited", "partialRelease", "unknown"]


def is_held(one):
    """Not when a deposit holds it."""
    return one.status in ON_HOLD and not one.link


def is_elsewhere(one):
    is_third = one.status == "paidByThirdParty" or one.settled_by == "3rd party"
    return is_third and not one.link


def is_withdrawn(one):
    return one.status == "pull" and not one.link


def is_known(one):
    """Whether its status is published."""
    return one.status in [*EXPECTED, *ON_HOLD, "paidByThirdParty", "pull"]


def due_of(day, one):
    """The due date of held money; None: not known."""
    if one.status != "holdForSettlement30Days" or one.link:
        return None
    at = one.day + timedelta(30)
    while not is_banking_day(at, day.merchant.calendar):
        at += timedelta(1)
    return at


def is_expected(day, one):
    """A transaction with a hold is owed from the date on which its deposit was sent."""
    if is_elsewhere(one) or is_withdrawn(one):
        return False
    if waits_for_deposit(day, one):
        return False
    if one.link and one.status in TELLS_OF_A_HOLD:
        return True
    at = due_of(day, one)
    return not is_held(one) or (at is not None and at <= day.day)


def waits_for_deposit(day, one):
    """On hold until the deposit that holds it is sent."""
    sent = [x.sent_on for x in day.world.deposits if x.id == one.link]
    return one.status in TELLS_OF_A_HOLD and any(at > day.day for at in sent)


def is_on_hold(day, one):
    return is_held(one) or waits_for_deposit(day, one)


def expected(day, cards):
    return [one for one in cards if is_expected(day, one)]


def may_be_paid(one):
    """Linked, unlinked and held transactions."""
    return not is_elsewhere(one) and not is_withdrawn(one)


def special(day, group):
    """The transactions of a group that are not plainly expected."""
    days = day.days_with(group)
    own = [one for one in day.cards if one.day in days]
    plain = (None, "paid", "new", "release", "heldReleasedAudited", "unknown")
    return [one for one in own if one.status not in plain or is_elsewhere(one) or waits_for_deposit(day, one)]


def is_released_in_part(day, group, figure, short):
    """Whether a shortfall is at most the amount that is released in part."""
    if short <= 0:
        return False
    partial = [one for one in special(day, group) if one.status == "partialRelease"]
    if figure != "count":
        wanted = "return" if figure == "returns" else "capture"
        partial = [one for one in partial if one.type == wanted]
    upto = len(partial) if figure == "count" else sum(one.amount for one in partial)
    return 0 < short <= upto


def elsewhere(day, group, short):
    """The part of a shortfall in sales, returns and count that another card company pays, for a key
    without /transactions."""
    total, days = [0, 0, 0], day.days_with(group)
    for brand in OTHERS if not day.world.has_links else ():
        own = [one for one in day.cards if one.brand == brand]
        mine = figures([one for one in own if one.day in days])
        left = [one - other for one, other in zip(short, total, strict=True)]
        others = {min(day.days_with(one.day)) for one in own if one.day not in days}
        is_paid = any(day.deposits[x] and day.whole(x) == figures_of(day.counted(x)) for x in others)
        if any(mine) and not is_paid and all(one <= other for one, other in zip(mine, left, strict=True)):
            total = [one + other for one, other in zip(mine, total, strict=True)]
    return total


def figures(cards):
    sums = [sum(one.amount for one in cards if one.type == wanted) for wanted in ("capture", "return")]
    return [*sums, len(cards)]


def figures_of(deposits):
    return [sum(getattr(one, name) for one in deposits) for name in ("sales", "returns", "count")]


def of_batch(day, batch):
    return [one for one in day.cards if one.batch == batch.id]


def amount(ones):
    return sum(-one.amount if one.type == "return" else one.amount for one in ones)


def not_owed(day, batch):
    """On hold, settled elsewhere or withdrawn."""
    if not day.world.has_links:
        sales, returns, _ = elsewhere(day, min(day.days_with(batch.day)), figures_of([batch]))
        return sales - returns
    return amount([one for one in of_batch(day, batch) if not is_expected(day, one)])


def is_owed(day, batch):
    if batch.is_empty:
        return False
    if not day.world.has_links:
        return True
    own = of_batch(day, batch)
    is_any = any(is_expected(day, one) for one in own)
    banked = any(at == batch.day for at, _ in day.settlements)
    if not is_any and (banked or not own or batch.owed != not_owed(day, batch)):
        day.open.add(("BATCH_WITHOUT_DEPOSIT", day.merchant.id, str(batch.id)))
    return is_any


def in_transit(day):
    """The rows of held transactions, since the start: id, date, due date, amount, status."""
    if not day.world.has_links:
        return []
    return [
        (str(one.transaction), one.day, due_of(day, one), amount([one]), one.status)
        for one in day.cards
        if is_on_hold(day, one) and not is_expected(day, one) and one.day >= day.start
    ]


def statuses(maker, draw, merchant):
    """After links are drawn, and before the deposits pay them."""
    world, seen = maker.world, {}
    for one in world.authorizations:
        if one.merchant == merchant.id and one.transaction:
            if one.transaction in seen:
                first = seen[one.transaction]
                one.status, one.settled_by, one.link = first.status, first.settled_by, first.link
                continue
            seen[one.transaction] = one
            fate(maker, draw, merchant, one)


def fate(maker, draw, merchant, one):
    chance = draw.random()
    if chance < 0.1:
        one.status, one.link = draw.choice(ON_HOLD), None
    elif chance < 0.14:
        one.status, one.link = "paidByThirdParty", None
    elif chance < 0.17:
        one.settled_by, one.link = "3rd party", None
        one.status = draw.choice([None, "paid"])
    elif chance < 0.21:
        one.status, one.link = "pull", None
    elif chance < 0.25:
        one.status = draw.choice(ON_HOLD)
    elif chance < 0.29:
        one.status = "partialRelease"
    elif chance < 0.4 and one.day >= maker.world.start and not maker.is_part(one):
        release(maker, draw, merchant, one)
    else:
        one.status = draw.choice(["paid", "new", None, "unknown"]) if one.link else "new"


def release(maker, draw, merchant, one):
    """On hold for some nights, then in a later deposit, or in none yet."""
    later = [
        other
        for other in maker.world.deposits
        if other.merchant == merchant.id and one.day < other.group <= one.day + timedelta(4)
    ]
    one.link = draw.choice(later).id if later and draw.random() < 0.7 else None
    one.status = draw.choice(["release", "heldReleasedAudited"])
    paid = [other.paid for other in later if other.id == one.link]
    until = paid[0] if paid else one.day + timedelta(draw.randrange(2, 6))
    said = {"status": draw.choice(ON_HOLD), "link": None}
    if any(other.transaction == one.transaction and other is not one for other in maker.world.authorizations):
        return
    maker.world.progress.append(Change("authorizations", one.id, one.day, until, said))
