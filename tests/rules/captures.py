"""Kind `identity`: one authorization captured in parts, on one day or on two; one bank transfer in
the settled listings of two dates; an authorization whose transaction is only known later.

Left open: a part that was captured before the start (its batch may not be read); what a second
date without a batch means for a transfer that is settled twice; captures after the one that exceeds.
"""

from collections import defaultdict
from datetime import timedelta

import refusals
from world import Change


def judge(day):
    """The findings about card items, each authorization once."""
    parts = defaultdict(list)
    for one in [*day.cards, *day.repeated]:
        if one.type == "capture":
            parts[one.id].append(one)
    exceeding = []
    for id, ones in parts.items():
        exceeding += judge_authorization(day, str(id), sorted(ones, key=lambda one: one.day))
    exceed(day, exceeding)
    for one in day.repeated:
        if one.day >= day.start:
            day.add("DUPLICATE_TRANSACTION", str(one.id), 0, one.amount)
    for one in day.settled:
        if one.settled_again and one.settled_again <= day.day:
            day.add("DUPLICATE_TRANSACTION", one.id, 0, one.amount)


def judge_authorization(day, id, ones):
    if ones[-1].day < day.start:
        return
    if ones[0].day < day.start:
        for code in ("CAPTURE_EXCEEDS_AUTHORIZATION", "DECLINED_BUT_CAPTURED"):
            day.open.add((code, day.merchant.id, id))
        return
    total, authorized = sum(one.amount for one in ones), ones[0].authorized
    if refusals.is_refusal(day, ones[0].response):
        day.add("DECLINED_BUT_CAPTURED", id, 0, total)
    # A transaction counts once: the extra authorization that names it captured nothing itself.
    own, upto = [one for one in ones if one not in day.repeated], 0
    for one in own:
        upto += one.amount
        if refusals.exceeds(day, upto, authorized):
            if own[-1].day > one.day:
                day.open.add(("CAPTURE_EXCEEDS_AUTHORIZATION", day.merchant.id, id))
            yield one.day, id, authorized, sum(x.amount for x in own)
            return


def exceed(day, exceeding):
    """Each authorization alone, or five or more of a date that exceed by at most half together: tips."""
    code = "CAPTURE_EXCEEDS_AUTHORIZATION"
    for at in {one[0] for one in exceeding}:
        small = [one for one in exceeding if one[0] == at and one[3] * 2 <= one[2] * 3]
        if len(small) >= 5:
            sums = [sum(one[place] for one in small) for place in (2, 3)]
            day.add(code, f"{day.merchant.id} {at} {day.merchant.currency}", *sums)
        for one in exceeding:
            if one[0] == at and (one not in small or len(small) < 5):
                day.add(code, *one[1:])


def items(maker, draw, merchant):
    """Captures in parts, and transfers that are settled twice."""
    world = maker.world
    own = [one for one in world.authorizations if one.merchant == merchant.id]
    counts, listed = defaultdict(int), {one.id for one in world.batches}
    for one in own:
        counts[one.transaction] += 1
    for one in own:
        is_whole = one.transaction and counts[one.transaction] == 1 and one.batch in listed
        if is_whole and one.type == "capture" and one.amount > 2 and draw.random() < 0.3:
            split(maker, draw, one)
    for one in world.transfers:
        is_own = one.merchant == merchant.id and one.settled and one.is_item
        if is_own and one.settled >= world.start and one.status == "complete" and draw.random() < 0.08:
            later = one.settled + timedelta(draw.choice([1, 1, 2]))
            days = {batch.day for batch in world.batches if batch.merchant == merchant.id}
            one.settled_again = later if later in days or draw.random() < 0.2 else None


def split(maker, draw, one):
    """In the same batch, or the rest in a later one."""
    world = maker.world
    first, whole = draw.randrange(1, one.amount), one.amount
    if draw.random() < 0.3:
        # Two equal halves.
        first = whole // 2
    near = [
        batch
        for batch in world.batches
        if batch.merchant == one.merchant and one.day <= batch.day <= one.day + timedelta(3)
    ]
    batch = draw.choice(near)
    rest = maker.part_of(one, batch, one.type)
    one.amount, rest.amount = first, whole - first
    one.authorized = rest.authorized = draw.choice([None, 0, whole, whole, whole + 1, whole - 1])
    world.authorizations.append(rest)


def batches(maker, draw, merchant):
    """Whether the header of the second date holds transfers that settled twice."""
    for one in maker.world.transfers:
        if one.merchant == merchant.id and one.settled_again:
            own = [b for b in maker.world.batches if b.merchant == merchant.id]
            same = [batch for batch in own if batch.day == one.settled_again]
            if same and draw.random() < 0.7:
                maker.add(draw.choice(same), one.kind == "refund", one.amount)


def facts(maker, draw):
    """Some authorizations have no transaction at first: neither vanished nor restated then."""
    world = maker.world
    if not world.provokes("late") or world.has_links:
        return
    changed = {(one.name, one.id) for one in world.changes}
    for one in world.authorizations:
        is_free = ("authorizations", one.id) not in changed and not maker.is_part(one)
        if one.transaction and one.day >= world.start and is_free and draw.random() < 0.06:
            until = one.day + timedelta(draw.randrange(1, 4))
            said = {"transaction": None}
            world.progress.append(Change("authorizations", one.id, world.start, until, said))
