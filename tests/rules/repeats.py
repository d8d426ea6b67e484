"""Kind `repeats`: DUPLICATE_BATCH, a batch whose card items are those of an earlier one.

Left open: a batch of before the start, whose items may not be read; how "at most window_days
before" is counted where calendar days and banking days differ.
"""

from dataclasses import replace
from datetime import timedelta

from banking_days import distance


def content(day, batch):
    """The content of its card items, each as often as it occurs, and their transaction dates; None if
    that is too little or not known."""
    own = [one for one in day.cards if one.batch == batch.id]
    if len(own) < 3 or any(not one.last4 for one in own):
        return None
    return sorted((one.last4, one.amount, one.type) for one in own), sorted(one.sold or one.day for one in own)


def judge_more(day):
    every = [batch for at in sorted(day.batches) for batch in day.batches[at]]
    held = {batch.id: content(day, batch) for batch in every}
    for place, batch in enumerate(every):
        key = "DUPLICATE_BATCH", day.merchant.id, str(batch.id)
        if held[batch.id] is None:
            continue
        if batch.day < day.start:
            # Whether it is judged with its group is left open.
            day.open.add(key)
            continue
        found = set()
        for other in [one for one in every[:place] if held[one.id] == held[batch.id]]:
            away = distance(other.day, batch.day, day.merchant.calendar)
            found |= {away <= day.terms["window"], (batch.day - other.day).days <= day.terms["window"]}
            # The ids decide which of the two a row names as the later one.
            if other.day < day.start or other.id > batch.id:
                day.open |= {key, ("DUPLICATE_BATCH", day.merchant.id, str(other.id))}
        if len(found) > 1:
            day.open.add(key)
        if True in found:
            day.add("DUPLICATE_BATCH", str(batch.id), 0, batch.owed, note=f"as {other.id}")


def items(maker, draw, merchant):
    """Batches that are sent twice: as they are, with a difference, or every day."""
    world = maker.world
    own = [one for one in world.batches if one.merchant == merchant.id]
    for batch in own:
        cards = [one for one in world.authorizations if one.batch == batch.id and one.transaction]
        if len(cards) < 2 or draw.random() > 0.4:
            continue
        times = draw.choice([1, 1, 1, 2])
        same_sold = draw.random() < 0.7
        for number in range(times):
            day = batch.day + timedelta(draw.choice([0, 1, 1, 2, 4]) if times == 1 else number + 1)
            repeat(maker, draw, batch, cards, day, same_sold)


def repeat(maker, draw, batch, cards, day, same_sold):
    world = maker.world
    other = replace(batch, id=maker.number(), day=day)
    if day not in maker.days:
        return
    world.batches.append(other)
    chance = draw.random()
    cards = cards[:-1] if chance < 0.1 else cards
    for place, one in enumerate(cards):
        copy = replace(one, id=maker.number(), transaction=maker.number(), batch=other.id, day=day)
        copy.sold = (one.sold or one.day) if same_sold else None
        if chance > 0.9 and not place:
            copy.amount += 1
        if 0.8 < chance < 0.85 and not place:
            copy.last4 = None
        world.authorizations.append(copy)
