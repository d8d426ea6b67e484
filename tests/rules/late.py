"""Kind `late`: what first appears days later. A finding is a state as of a date: whatever is found over
the facts that a run knows is there on the first run that knows them, also of earlier dates, and a night
comes to the same as a backfill.

Left open: nothing; but nothing is later here than the dates that are read again, and nothing of before
the start is late.
"""

from datetime import date

from world import Change, Transfer


def facts(maker, draw):
    world = maker.world
    upto = world.terms["restated"]
    if not upto:
        return
    changed = {(one.name, one.id) for one in [*world.changes, *world.progress]}
    listed = {back.id for one in world.transfers for back in one.returns}
    listed |= {one.again.id for one in world.transfers if one.again}
    for name, dated in (
        ("batches", "day"), ("deposits", "paid"), ("authorizations", "day"), ("transfers", "settled"),
    ):
        for one in getattr(world, name):
            day = getattr(one, dated)
            if not day or day < world.start or (name, one.id) in changed or draw.random() > 0.07:
                continue
            if name == "authorizations" and maker.is_part(one):
                continue
            if isinstance(one, Transfer) and not is_plain(world, one, listed):
                continue
            until = draw.randrange(1, min(upto, 5) + 1)
            until = date.fromordinal(day.toordinal() + until)
            world.progress.append(Change(name, one.id, date.min, until, None))


def is_plain(world, one, listed):
    is_known = (one.run or world.start) >= world.start and not one.settled_again
    return is_known and not one.returns and not one.again and one.id not in listed
