"""Kind `neighbours`: which batches a deposit pays where no link says it: runs of batch dates and of
deposits, exact, unique and minimal, within five banking days.

Where links say which deposit holds a card transaction, only what they leave is placed so: what the
headers state beside the card transactions, and what deposits pay beside those that they hold. A
deposit that holds card transactions of other dates alone, and pays the rest of its own date, joins it
with them.

What the words leave open is read in several ways, and where these differ the merchant's group checks
of those dates are not compared: how five banking days are counted, whether a deposit without figures
separates, and whether what lies wholly before the start takes part. Left open besides: a deposit whose
association date is still to come.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

import holds
from banking_days import distance, due

FIGURES = ("sales", "returns", "count")
OF_GROUPS = ["DEPOSIT_SALES_MISMATCH", "DEPOSIT_RETURNS_MISMATCH", "DEPOSIT_COUNT_MISMATCH"]
OF_GROUPS += ["DEPOSIT_ADJUSTMENT_MISMATCH", "BATCH_WITHOUT_DEPOSIT", "DEPOSIT_WITHOUT_BATCH"]


@dataclass(frozen=True)
class Run:
    days: tuple
    deposits: tuple

    def shares(self, other):
        return bool(set(self.days) & set(other.days) or set(self.deposits) & set(other.deposits))

    def is_within(self, other):
        within = set(self.days) <= set(other.days) and set(self.deposits) <= set(other.deposits)
        return within and self != other


@dataclass(frozen=True)
class Rest:
    """A deposit, less the card transactions that it holds."""

    id: int
    group: object
    paid: object
    sent_on: object
    sales: int
    returns: int
    count: int
    # Whether the card transactions that it holds are of other dates alone.
    is_of_others: bool


def figures(ones):
    return tuple(sum(getattr(one, name) for one in ones) for name in FIGURES)


def less(ones, others):
    return tuple(one - other for one, other in zip(ones, others, strict=True))


def of_cards(cards):
    sales, returns = (
        sum(one.amount for one in cards if one.type == wanted) for wanted in ("capture", "return")
    )
    return sales, returns, len(cards)


def rests(day, deposits):
    """Each deposit less the transactions that it holds; none if that is all, or more than it pays."""
    for one in deposits:
        held = [card for card in day.cards if card.link == one.id]
        left = less(figures([one]), of_cards(held))
        if not held or (any(left) and min(left) >= 0):
            is_of_others = bool(held) and all(card.day != one.group for card in held)
            yield Rest(one.id, one.group, one.paid, one.sent_on, *left, is_of_others)


def cards_on(day, at):
    return [one for one in day.cards if one.day == at] if day.world.has_links else []


def left_of(day, at):
    """The part of a date's headers beside its card transactions."""
    return less(figures(day.batches[at]), of_cards(cards_on(day, at)))


def lefts_of(day, days):
    """The same of several dates, also less what a card company pays itself: one of the card types that
    hold no item of a date that ties out, or all of these."""
    left = tuple(map(sum, zip(*(left_of(day, at) for at in days), strict=True)))
    yield left
    if day.world.has_links:
        return
    tied = {at for at in day.batches if figures(day.batches[at]) == figures(day.named[at])}
    brands = set(holds.OTHERS) - {one.brand for one in day.cards if one.day in tied}
    own = [one for one in day.cards if one.day in days and one.brand in brands]
    for chosen in [{brand} for brand in brands] + [brands]:
        cards = [one for one in own if one.brand in chosen]
        if cards:
            yield less(left, of_cards(cards))


def join(day, deposits):
    """The runs of a merchant become groups."""
    day.named = defaultdict(list)
    for one in deposits:
        day.named[one.group].append(one)
    ways = [(limit, zero, early) for limit in (4, 5) for zero in (0, 1) for early in (0, 1)]
    found = [frozenset(groups(day, deposits, *way)) for way in ways]
    for runs in found[1:]:
        for run in found[0] ^ runs:
            leave_open(day, run, deposits)
    for one in deposits:
        if one.group > day.day:
            # The batches of a date that is still to come cannot be read.
            for code in OF_GROUPS:
                day.open |= {(code, day.merchant.id, str(name)) for name in (one.group, one.id)}
            day.unclear.add(one.group)
    joined = {}
    for run in found[0]:
        held = {one.day for one in day.cards if one.link in run.deposits}
        whole = set().union(*(day.groups.get(at, {at}) for at in {*run.days, *held}))
        whole = whole.union(*(joined.get(at, ()) for at in whole))
        joined |= dict.fromkeys(whole, whole)
    day.groups |= joined
    for run in found[0]:
        day.run_of |= dict.fromkeys(run.deposits, min(day.groups[run.days[0]]))


def leave_open(day, run, deposits):
    named = {one.group for one in deposits if one.id in run.deposits}
    for code in OF_GROUPS:
        for at in {*run.days, *named}:
            day.open.add((code, day.merchant.id, str(at)))
        for id in run.deposits:
            day.open.add((code, day.merchant.id, str(id)))
        for at in run.days:
            for batch in day.batches[at]:
                day.open.add((code, day.merchant.id, str(batch.id)))
    for at in (at for at in run.days if at < day.start):
        # Whether its batches are judged with the group.
        subjects = {";".join(str(batch.id) for batch in ones) for ones, _ in day.units(at)}
        for figure in ("SALES", "RETURNS", "COUNT"):
            day.open |= {(f"BATCH_{figure}_MISMATCH", day.merchant.id, one) for one in subjects}


def groups(day, deposits, limit, separates, early):
    """Of all runs those with no smaller one inside, and of these the ones that share nothing with
    another."""
    found = runs(day, deposits, limit, separates, early)
    least = {one for one in found if not any(other.is_within(one) for other in found)}
    return [one for one in least if not any(one.shares(other) for other in least - {one})]


def runs(day, deposits, limit, separates, early):
    named = {}
    for one in rests(day, deposits):
        if early or one.group >= day.start or one.paid >= day.start:
            named.setdefault(one.group, []).append(one)
    dates = {at for at in day.batches if day.batches[at] and (early or at >= day.start or at in named)}
    found = set()
    for stretch in stretches(day, sorted(dates | named.keys()), named, separates):
        found |= runs_of(day, stretch, named, limit)
    return found


def stretches(day, dates, named, separates):
    """Dates that do not tie, without one that does between them."""
    stretch = []
    open_ids = {one.id for ones in named.values() for one in ones}
    for at in dates:
        batches, paid, cards = day.batches[at], named.get(at, []), cards_on(day, at)
        left = left_of(day, at)
        awaited = [one for one in holds.expected(day, cards) if not one.link]
        is_settled = any(one.link for one in cards) and not awaited
        is_settled = is_settled and not any(one.link in open_ids for one in cards)
        is_nothing = not all(map(any, lefts_of(day, [at])))
        if not paid and is_nothing and (not cards or not is_settled):
            continue
        with_awaited = tuple(map(sum, zip(left, of_cards(awaited), strict=True)))
        joins = batches and any(one.is_of_others for one in paid)
        is_tied = figures(paid) in (left, with_awaited)
        is_tied = is_tied or (paid and batches and figures(paid) in lefts_of(day, [at]))
        if is_tied and not joins:
            if not batches and not separates:
                continue
            yield stretch
            stretch = []
        else:
            stretch.append(at)
    yield stretch


def runs_of(day, stretch, named, limit):
    dates = [at for at in stretch if day.batches[at]]
    paid = [one for at in stretch for one in named.get(at, [])]
    paid = sorted(paid, key=lambda one: (one.group, one.paid, one.id))
    found = set()
    for first in range(len(dates)):
        for last in range(first, len(dates)):
            days = tuple(dates[first : last + 1])
            for begin in range(len(paid)):
                for end in range(begin + 1, len(paid) + 1):
                    chosen = paid[begin:end]
                    if is_run(day, days, chosen, named, limit):
                        found.add(Run(days, tuple(one.id for one in chosen)))
    return found


def is_run(day, days, chosen, named, limit):
    calendar = day.merchant.calendar
    touched = sorted({one.group for one in chosen})
    if sum(len(named[at]) for at in touched) != len(chosen):
        return False
    if len(days) == 1 and touched == [days[0]] and not any(one.is_of_others for one in chosen):
        return False
    if figures(chosen) not in lefts_of(day, days) or any(one.sent_on < days[-1] for one in chosen):
        return False
    for at in touched:
        is_inside = days[0] <= at <= days[-1]
        if not is_inside and min(distance(at, days[0], calendar), distance(at, days[-1], calendar)) != 1:
            return False
    span = sorted([*days, *touched])
    return distance(span[0], span[-1], calendar) <= limit


def deposits(maker, draw, merchant):
    """Weekends in one deposit, association dates a day beside, near misses, and coincidences."""
    world = maker.world
    own = [one for one in world.deposits if one.merchant == merchant.id]
    by_group = {}
    for one in own:
        by_group.setdefault(one.group, []).append(one)
    for first, second in pairwise(sorted(by_group)):
        chance = draw.random()
        ones, others = by_group[first], by_group[second]
        is_near = (second - first).days <= 4
        if chance < 0.35 and is_near and len(ones) == len(others) == 1:
            merge(maker, draw, ones[0], others[0])
            by_group[second], by_group[first] = others, []
        elif chance < 0.55 and ones and len(ones) == 1:
            ones[0].group += timedelta(draw.choice([-1, 1, 1, 2]))
        if ones and chance > 0.9:
            ones[0].sent = draw.choice([first, second, due(first, 1, merchant.calendar)])
    world.deposits = [one for one in world.deposits if one.id != 0]
    known = {one.id for one in world.deposits} | {None, 99_999_999}
    world.fees = [one for one in world.fees if one.deposit in known]


def merge(maker, draw, one, other):
    """The later deposit pays for both, exactly or nearly."""
    taken = [fee for fee in maker.world.fees if fee.deposit == one.id]
    off_net = other.net - other.components
    for fee in taken:
        fee.deposit, fee.listed = other.id, other.paid
        other.fees += fee.amount
    for name in (*FIGURES, "adjustment"):
        setattr(other, name, getattr(other, name) + getattr(one, name))
    if draw.random() < 0.15:
        other.count += 1
    other.net = other.components + off_net
    if draw.random() < 0.3:
        other.group = draw.choice([one.group, other.group - timedelta(1)])
    one.id = 0
