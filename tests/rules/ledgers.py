"""Of kind `matching`: books that provoke it, and the rules for books that do not fit or hold unreadable
rows. Left open: unreadable rows beside books that change; three dates of one side alone.
"""

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta

from banking_days import distance
from search import sum_of


def records(maker, draw, merchant):
    world = maker.world
    own = [one for one in world.records if one.merchant == merchant.id]
    if draw.random() < 0.06:
        misfit(draw, own)
        return
    for one in own:
        chance = draw.random()
        if chance < 0.1 and one.order:
            one.order = misspelt(draw, one.order)
        elif chance < 0.12 and one.reference:
            one.written = draw.choice([f"'{one.reference}", f'="{one.reference}"'])
        elif chance < 0.16 and one.reference and one.status == "paid":
            # Voided, and entered again.
            id = f"{one.id[:5]}{maker.number():05d}"
            world.records.append(replace(one, id=id, status="void", amount=one.amount + 100))
        elif chance < 0.24:
            one.reference = one.order = one.last4 = None
        elif chance < 0.27:
            world.records.append(replace(one, id=f"{one.id}F", reference=None, order=None, amount=0))
    sold_before(maker, draw, merchant)
    if draw.random() < 0.3:
        unreadable(maker, draw, merchant, own)


def misfit(draw, own):
    """The books of another merchant."""
    for one in own:
        one.amount += draw.choice([100_007, 200_011])
        one.reference = one.order = one.last4 = None


def misspelt(draw, order):
    letters, _, digits = order.partition("-")
    ways = [f"{letters.lower()}-{digits}", f"{letters} {digits}", f"#{letters}{digits}"]
    return draw.choice([*ways, f"{letters}-00{digits}", f"{letters}-{digits} "])


def sold_before(maker, draw, merchant):
    """Sales of a day whose batch is the next day's, booked on the day of the sale."""
    world = maker.world
    cards = [one for one in world.authorizations if one.merchant == merchant.id and one.transaction]
    by_name = {str(one.transaction): one for one in cards} | {str(one.id): one for one in cards}
    counts = defaultdict(int)
    for one in cards:
        counts[one.transaction] += 1
    for one in cards:
        if draw.random() < 0.15 and counts[one.transaction] == 1:
            one.sold = one.day - timedelta(draw.choice([1, 1, 2]))
    for one in world.records:
        card = by_name.get(one.reference) if one.merchant == merchant.id else None
        if card and card.sold and draw.random() < 0.6:
            one.day, one.reference, one.written = card.sold, None, None


def unreadable(maker, draw, merchant, own):
    """Rows with an unreadable date or amount."""
    for one in draw.sample(own, min(len(own), draw.randrange(1, 3))):
        what = draw.choice(["date", "amount", "status"])
        keeps = what == "status" or draw.random() < 0.4
        one = replace(one, reference=one.reference if keeps else None)
        maker.world.unreadable.append((one, what))
        maker.world.records = [other for other in maker.world.records if other.id != one.id]


def facts(maker, draw):
    """An earlier export that holds some of the rows as well, with an earlier status."""
    world = maker.world
    if draw.random() < 0.4:
        for one in world.records:
            if draw.random() < 0.4:
                world.overlap[one.id] = draw.choice([one.status, one.status, "paid", "void"])


def judge_fit(passes):
    """Of the last 30 days: almost no pairs, or pairs by reference that differ in one direction."""
    day, first = passes.day, max(passes.day.start, passes.day.day - timedelta(29))
    items = [one for one in passes.items if one.day >= first and not one.is_waiting]
    paid = [one for one in passes.records if one.day >= first and one.status == "paid"]
    dates = min(len({one.day for one in side}) for side in (items, paid))
    least = min(len(items), len(paid))
    ids = {one.id for one in items}
    pairs = [pair for pair in passes.pairs if any(one.id in ids for one in pair[1])]
    if dates >= 3 and len(pairs) <= (least // 20 if least >= 10 else 0):
        in_place_of(day, "MISSING_IN_LEDGER", "MISSING_AT_PROCESSOR")
    elif not pairs and items and paid and len({one.day for one in [*items, *paid]}) >= 3:
        passes.leave_open()
    named = [pair for pair in pairs if pair[0] == "reference"]
    differing = [sum_of(items) - sum_of(records) for _, items, records in named]
    least = max(sum(one > 0 for one in differing), sum(one < 0 for one in differing))
    if len(named) >= 10 and least * 10 >= len(named) * 9:
        in_place_of(day, "AMOUNT_MISMATCH", note="the books hold amounts net of fees, or of tax")


def in_place_of(day, *codes, note=""):
    keys = [key for key in day.found if key[0] in codes]
    figures = [day.found.pop(key) for key in keys]
    minor = [[int(text.replace(".", "")) for text in one] for one in figures]
    sums = [sum(column) for column in zip(*minor, strict=True)] or [None, None]
    day.add("LEDGER_NOT_FITTING", day.merchant.id, *sums, note=note)


def hide(passes):
    """Unreadable rows hide the items that they could be."""
    day = passes.day
    rows = [row for row in day.world.unreadable if row[0].merchant == passes.merchant.id]
    missing = [one for one in passes.items if one.id not in passes.taken and one.day >= day.start]
    missing = [one for one in missing if not one.is_waiting]
    if not rows:
        return
    hidden = defaultdict(list)
    for number, (row, what) in enumerate(rows):
        for item in missing:
            if could_be(passes, item, row, what):
                hidden[item.id].append(number)
    for id, fitting in hidden.items():
        key = "MISSING_IN_LEDGER", passes.merchant.id, id
        others = [other for other, found in hidden.items() if set(found) & set(fitting)]
        found = set(fitting).union(*(hidden[other] for other in others))
        if len(others) == 1:
            day.found.pop(key, None)
            if day.world.corrections or day.world.changes or day.world.progress:
                day.open.add(key)
        else:
            day.open.add(key)
        assert found


def could_be(passes, item, row, what):
    if row.reference and row.reference in passes.known:
        return row.reference in item.names
    if row.kind != item.kind or row.currency != item.currency:
        return False
    if what != "amount" and row.amount != item.amount:
        return False
    away = distance(row.day, item.day, passes.merchant.calendar)
    return what == "date" or away <= passes.day.terms["window"]
