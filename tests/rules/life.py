"""The life of what is found, date by date: new, open, cleared; and what was restated or vanished."""

import currencies
import kinds
from banking_days import DAY
from checks import Day
from world import money

# Of each kind of record: the day that lists it, and its amounts in the order of the reports.
LISTED = {
    "deposits": ("paid", ("sales", "returns", "fees", "held", "net")),
    "batches": ("day", ("sales", "returns")),
    "authorizations": ("day", ("amount", "authorized")),
    "transfers": ("settled", ("amount",)),
}


def changed(world, seen, seen_on, day):
    """What says something else by now than when its date was reconciled."""
    found = {}
    currencies = {one.id: one.currency for one in world.merchants}

    def of(name, id, known):
        return next((one for one in getattr(known, name) if one.id == id), None)

    for change in world.changes:
        dated, amounts = LISTED[change.name]
        original = of(change.name, change.id, world)
        listed = original and getattr(original, dated)
        if not listed or not world.start <= listed < day:
            continue
        before = of(change.name, change.id, seen_on(world, listed))
        now = of(change.name, change.id, seen)
        differs = any(getattr(before, name) != getattr(now, name) for name in change.fields or ())
        # Coming back is no restatement, and hides none.
        is_alive = now and getattr(now, "status", "declined") not in ("declined", "reversal")
        differs = differs and not ("status" in change.fields and is_alive)
        if before is None or (now and not differs):
            continue
        key = original.merchant, (change.name, str(change.id))
        currency = currencies[original.merchant]
        if now is None:
            of_record = {"deposits": "net", "batches": "owed"}.get(change.name, "amount")
            amount = getattr(before, of_record)
            found["VANISHED_AFTER_RECONCILED", *key] = money(currency, amount), money(currency, 0)
            continue
        names = [name for name in amounts if getattr(before, name) != getattr(now, name)]
        figures = [getattr(one, names[0]) for one in (before, now)] if names else [None, None]
        texts = ("" if one is None else money(currency, one) for one in figures)
        found["RESTATED_AFTER_RECONCILED", *key] = tuple(texts)
    return found


def lives(world, seen_on, accepted):
    """For each date, with what was seen of the world for it: what is known and found of each merchant,
    the rows of its report, as (status, first seen, expected, actual), and of what the rules leave open
    what is found.

    `accepted`: the dates on which a discrepancy is; one that was open before is shown as such."""
    day, first_seen, before, left_open = world.start, {}, {}, set()
    told = set()

    def is_event(key):
        return key[0] in kinds.NOT_CARRIED and key[0] != "FUNDS_HELD"

    while day <= world.end:
        seen = seen_on(world, day)
        judged = [
            currencies.named_apart(Day(part, one, day).judge(), merchant)
            for merchant in world.merchants
            for part, one in currencies.parts(seen, merchant, day)
        ]
        currencies.leave_open(seen, judged, day)
        # What was open on an earlier date leaves open since when it is so.
        left_open = left_open.union(*(one.open for one in judged))
        found = {key: value for one in judged for key, value in one.found.items()}
        found |= changed(world, seen, seen_on, day)
        # What nothing can undo is an event of one date.
        found = {key: one for key, one in found.items() if not (is_event(key) and key in told)}
        told |= {key for key in found if is_event(key)}
        waived = {key for key in found if day in accepted.get(key, ())}
        rows = {}
        for key, figures in found.items():
            is_single = key[0] in kinds.NOT_CARRIED
            first = str(day) if is_single else first_seen.setdefault(key, str(day))
            status = "accepted" if key in waived else "new"
            if key not in waived or key in before:
                rows[key] = ("open" if status == "new" and key in before else status, first, *figures)
        for key in before.keys() - found.keys():
            rows[key] = ("cleared", first_seen[key], *before[key])
        waived |= {key for key in found if key[0] in kinds.NOT_CARRIED}
        before = {key: value for key, value in found.items() if key not in waived}
        yield day, judged, rows, left_open
        day += DAY
