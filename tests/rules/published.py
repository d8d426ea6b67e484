"""Kind `unpublished`: statuses, types and answers that are not published, and unsettled transfers
without a time. None is silent, and none accuses.

What needs one is not evaluated: the run ends with 4, nothing is found of it, and a transfer stands in
in_transit.csv with its status. Left open: the totals and verdicts of its batch and group.
"""

STATUSES = {"ready", "pending", "complete", "declined", "reversal", "returned", "admin"}
STATUSES |= {"accepted", "referral", "pickup", "expired"}
NO_ANSWER = "approvedByMoon"
TYPES = {"payment", "refund", "unreferencedRefund", "accountVerification"}


def living(world):
    """In these a transfer is waited for."""
    known = {"ready", "pending", "complete"}
    return known | {"accepted"} if world.reads("returns") else known


def settles_within(day, one):
    """By when a transfer settles; None where that is not known."""
    if not one.run:
        return None
    settled = day.due(one.run, "settle")
    if day.world.reads("returns") and one.status in ("pending", "accepted"):
        days = day.terms["settle"] + 5
        settled = day.due_in(one.run, days)
    return settled


def is_payment(world, one):
    return one.type != "accountVerification" and one.type in TYPES


def is_silent(one):
    """Whether nothing published says what becomes of a transfer that no listing has settled."""
    return one.status not in STATUSES or one.type not in TYPES or not one.run


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
        if is_free and one.day >= world.start and one.transaction and draw.random() < 0.03:
            one.response = NO_ANSWER


def judge_more(day):
    """What is not evaluated is not found, and its batch's verdict is not compared."""
    for one in day.transfers:
        if is_silent(one) and not one.settled:
            for code in ("REFUND_EXCEEDS_PAYMENT", "STATUS_MISMATCH", "MISSING_AT_PROCESSOR"):
                day.open.add((code, day.merchant.id, one.payment or one.id))


