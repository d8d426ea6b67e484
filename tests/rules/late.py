"""Kind `late`: records that first appear days later. A finding is a state as of a date: each finding
over the records that a run knows is there on the first run that knows them, also for earlier dates, and
a night gives the result of a backfill. Left open: nothing; but no record is later here than the dates
that are read again, and no record from before the start is late.
"""

from dataclasses import replace
from datetime import date

from kinds import NOT_CARRIED
from program import configure, run_range, table, write_books
from world import Change, Transfer, seen_on


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


def differs_from_backfill(world, service, folder, accepted):
    """Whether the nights have left open the same findings as one run over the same records, with their
    figures."""
    again = folder / "backfill"
    configure(again, replace(world, terms=world.terms_on(world.end)), service.port)
    service.world = seen_on(world, world.end)
    write_books(service.world, again)
    wrong = run_range(world, again)
    if wrong:
        return wrong
    nights, backfill = (left_open(world, one, accepted) for one in (folder, again))
    return [
        f"{id}: the nights leave {nights.get(id)}, a backfill {backfill.get(id)}"
        for id in sorted(nights.keys() | backfill.keys())
        if nights.get(id) != backfill.get(id)
    ]


def left_open(world, folder, accepted):
    """The open findings by id, except those about changes, undated returns, and transfers without a time:
    these count from the run that was the first to read them."""
    rows = [row for row in table(folder, world.end, "discrepancies") if row["status"] in ("new", "open")]
    undated = {one.id for one in world.transfers if one.status == "returned" and not one.returns}
    undated |= {one.id for one in world.transfers if not one.moment}
    return {
        row["discrepancy_id"]: tuple(row[name] for name in ("code", "merchant_id", "expected", "actual"))
        for row in rows
        if not row["code"].endswith("_AFTER_RECONCILED")
        and row["code"] not in NOT_CARRIED
        and row["discrepancy_id"] not in accepted
        and not undated & {row["payment_id"], row["refund_id"]}
    }
