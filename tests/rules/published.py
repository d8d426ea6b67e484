"""Kind `unpublished`: statuses, types and answers that are not published, and unsettled transfers
without a time. None is silent, and none accuses.

What needs one is not evaluated: the run ends with 4, nothing is found of it, and a transfer stands in
in_transit.csv with its status. Left open: the totals and verdicts of its batch and group.
"""

STATUSES = {"ready", "pending", "complete", "declined", "reversal", "returned", "admin"}
STATUSES |= {"accepted", "referral", "pickup", "expired"}
# In these a transfer is waited for; in those nothing was paid.
LIVING = {"ready", "pending", "complete", "accepted"}
REFUSED = {"declined", "reversal", "expired", "referral", "pickup"}
NO_ANSWER, NO_STATUS, NO_TYPE = "approvedByMoon", "lost", "adjustment"
TYPES = {"payment", "refund", "unreferencedRefund", "accountVerification"}


def settles_within(day, one):
    """By when a transfer settles; None where that is not known."""
    if not one.run:
        return None
    settled = day.due(one.run, "settle")
    if one.status in ("pending", "accepted"):
        days = day.terms["settle"] + 5
        settled = day.due_in(one.run, days)
    return settled


def is_payment(world, one):
    return one.type != "accountVerification" and one.type in TYPES


def is_silent(one):
    """Whether no published value decides the outcome of a transfer that no listing has settled: a
    refused one waits for nothing."""
    is_unclear = one.type not in TYPES or not one.run
    return one.status not in STATUSES or (is_unclear and one.status not in REFUSED)


def is_in_transit(day, one):
    """Whether it is listed there, as of a date, for want of a published value."""
    has_settled = one.settled and one.settled <= day.day
    has_run = one.run is None or day.start <= one.run <= day.day
    return is_silent(one) and has_run and not has_settled


def has_totals(day, batches):
    """Whether the type of everything in them is known."""
    ids = {batch.id for batch in batches}
    return not any(one.batch in ids and one.type == NO_TYPE for one in day.authorizations)


def is_evaluated(day, group):
    """Whether every status of a group is published; if it depends on several days, or types are not
    known, its findings are left open."""
    days = day.days_with(group)
    own = [one for one in day.authorizations if one.day in days and one.transaction]
    # A transaction listed under several authorizations has the status of the first.
    own = [one for one in own if one not in day.repeated]
    is_known = not any(one.status == NO_STATUS for one in own)
    has_types = not (day.world.has_links and any(one.type == NO_TYPE for one in own))
    if not has_types or (not is_known and len(days) > 1):
        leave_open(day, group)
    return is_known


def leave_open(day, group):
    names = [str(group), *(str(batch.id) for batch in day.batches_with(group))]
    for figure in ("SALES", "RETURNS", "COUNT", "ADJUSTMENT"):
        day.open.add((f"DEPOSIT_{figure}_MISMATCH", day.merchant.id, str(group)))
    day.open |= {("BATCH_WITHOUT_DEPOSIT", day.merchant.id, name) for name in names}
    day.unclear.add(group)


def facts(maker, draw):
    world = maker.world
    changed = {(one.name, one.id) for one in [*world.changes, *world.progress]}
    listed = {back.id for one in world.transfers for back in one.returns}
    for one in world.transfers:
        is_free = ("transfers", one.id) not in changed and one.id not in listed
        is_plain = is_free and not one.returns and not one.again and not one.settled_again
        if not is_plain or (one.run or world.start) < world.start or draw.random() > 0.08:
            continue
        what = draw.choice(["status", "type", "time"])
        if what == "status":
            one.status, one.settled = "underReview", None
        elif what == "type" and not one.settled:
            one.type = "recurring"
        elif what == "time" and not one.settled:
            one.run = one.moment = None
    for one in world.authorizations:
        is_free = ("authorizations", one.id) not in changed and not maker.is_part(one)
        if world.has_links and world.provokes("holds") and one.transaction and draw.random() < 0.02:
            one.status = NO_STATUS
        elif one.transaction and is_free and one.day >= world.start and draw.random() < 0.02:
            one.type = NO_TYPE
        if is_free and one.day >= world.start and one.transaction and draw.random() < 0.03:
            one.response = NO_ANSWER


def judge_more(day):
    """A group that is not evaluated has no finding, and its batch's verdict is not compared."""
    for one in day.transfers:
        if is_silent(one) and not one.settled:
            for code in ("REFUND_EXCEEDS_PAYMENT", "STATUS_MISMATCH", "MISSING_AT_PROCESSOR"):
                day.open.add((code, day.merchant.id, one.payment or one.id))


