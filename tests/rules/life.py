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


OF_A_DEPOSIT = ("DEPOSIT_NET_MISMATCH", "DEPOSIT_FEES_MISMATCH", "DEPOSIT_WITHOUT_BATCH")
BATCH_SUMS = ("BATCH_SALES", "BATCH_RETURNS", "BATCH_COUNT")


def is_looked_for(key, judged, day, known):
    """On its own days, and while something else of the same deposit or group is open.

    `known`: the groups of what was found the day before, and was or is not accepted."""
    code, merchant, subject = key
    days, group = judged.looked_for.get(key, ({day}, None))
    others = [one for one in known if one[1] == merchant]
    if code in OF_A_DEPOSIT:
        is_related = any(one[0] in OF_A_DEPOSIT and one[2] == subject for one in others)
    else:
        related = BATCH_SUMS if code.startswith(BATCH_SUMS) else ("BATCH", "DEPOSIT")
        others = [one for one in others if one[0].startswith(related)]
        is_related = group is not None and any(known[one] == group for one in others)
    return day in days or is_related


def lives(world, seen_on, accepted):
    """For each date, with what was seen of the world for it: what is known and found of each merchant,
    the rows of its report, as (status, first seen, expected, actual), and of what the rules leave open
    what is found.

    `accepted`: the dates on which a discrepancy is; one that was open before is shown as such."""
    day, first_seen, before, left_open = world.start, {}, {}, set()
    found, groups, cleared, told = {}, {}, {}, set()
    not_carried = kinds.not_carried(world)

    def is_event(key):
        return key[0] in not_carried and key[0] != "FUNDS_HELD"

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
        # What was accepted until now is tested again, whatever became of it meanwhile.
        standing = found.keys() | {key for key in accepted if day - DAY in accepted[key]}
        returning = {key for key in standing if day not in accepted.get(key, ())}
        # And what was cleared while its records were still read again, accepted since or not.
        lately = {key for key, at in cleared.items() if (day - at).days <= world.terms["restated"]}
        standing, returning = standing | lately, returning | lately
        known = {key: groups.get(key) for key in before.keys() | returning}
        groups |= {key: one[1] for judge in judged for key, one in judge.looked_for.items()}
        is_state = True
        found = {
            key: value
            for one in judged
            for key, value in one.found.items()
            if is_state or key in standing or is_looked_for(key, one, day, known)
        }
        found |= changed(world, seen, seen_on, day)
        # What nothing can undo is an event of one date.
        found = {key: one for key, one in found.items() if not (is_event(key) and key in told)}
        told |= {key for key in found if is_event(key)}
        waived = {key for key in found if day in accepted.get(key, ())}
        rows = {}
        for key, figures in found.items():
            is_single = key[0] in not_carried
            first = str(day) if is_single else first_seen.setdefault(key, str(day))
            status = "accepted" if key in waived else "new"
            if key not in waived or key in before:
                rows[key] = ("open" if status == "new" and key in before else status, first, *figures)
        for key in before.keys() - found.keys():
            rows[key] = ("cleared", first_seen[key], *before[key])
            cleared[key] = day
        waived |= {key for key in found if key[0] in not_carried}
        before = {key: value for key, value in found.items() if key not in waived}
        yield day, judged, rows, left_open
        day += DAY
