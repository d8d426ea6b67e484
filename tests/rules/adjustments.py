"""The adjustment leg: the explanations of the `achAdjustment` of a group's deposits. Returned bank
transfers, then movements of disputes, then a deposit that is paid again, then carried balances.
"""

from dataclasses import dataclass, field
from itertools import combinations

import disputes
import returned
from banking_days import due
from search import AMONG, Entry, adding_up, choose, in_order

WITHIN, TO_AND_FRO = 5, 10
CODE = "DEPOSIT_ADJUSTMENT_MISMATCH"


@dataclass
class Explained:
    # The unexplained rest, after the returns of its own date.
    left: int
    severity: str = "error"
    disputed: int = 0
    carried: int = 0
    # The returns that count to it.
    returns: list = field(default_factory=list)

    @property
    def is_explained(self):
        return self.left == 0


@dataclass
class Balance:
    """An amount below zero that later deposits take."""

    subject: str
    group: object
    amount: int
    # From when on a deposit may take it: the day of the balance, then of the last step.
    last: object
    steps: list = field(default_factory=list)
    is_wrong: bool = False

    def __post_init__(self):
        self.since = self.last

    @property
    def left(self):
        return self.amount - sum(amount for _, amount in self.steps)


def explain(day):
    """By the name of a group with deposits."""
    own = returned.by_group(day)
    found = {}
    for group in day.deposits:
        stated = sum(one.adjustment for one in day.counted(group))
        mine = own.setdefault(group, [])
        found[group] = Explained(stated - sum(one.amount for one in mine), returns=mine)
    day.came_back, day.used = own, set()
    deducted_later(day, found)
    disputed(day, found)
    day.balances = carried(day, found)
    leave_undated_open(day, found)
    return found


def sent(day, group):
    return [one.sent_on for one in day.counted(group)]


def within(day, entry, group, count):
    upto = due(entry.day, count, day.merchant.calendar)
    return any(entry.day <= at <= upto for at in sent(day, group))


def move(day, found, entry, group):
    """A return counts to another group."""
    for other, ones in day.came_back.items():
        if any(one is entry for one in ones):
            ones.remove(entry)
            if other in found:
                found[other].left += entry.amount
    day.came_back.setdefault(group, []).append(entry)
    found[group].left -= entry.amount


def deducted_later(day, found):
    """Returns that the deposits of their own date leave, in a deposit sent soon after."""
    for group in sorted(found):
        if found[group].left <= 0:
            continue
        spare = [
            entry
            for other, ones in day.came_back.items()
            for entry in ones
            if other != group and (other not in found or found[other].left <= -entry.amount)
            and within(day, entry, group, WITHIN)
        ]
        sets = choose(found[group].left, spare)
        if len(sets) == 1:
            for entry in sets[0][1]:
                move(day, found, entry, group)


def disputed(day, found):
    if not disputes.can_read(day.world):
        for one in found.values():
            one.severity = "warning"
        return
    for group in sorted(found):
        left = found[group].left
        if not left:
            continue
        ways = []
        # Whether a deposit sent on the very date of a status can hold it is left open.
        for is_strict in (False, True):
            free = [
                one
                for one in disputes.movements(day)
                if one.id not in day.used and within(day, one, group, TO_AND_FRO)
                and not (is_strict and one.day in sent(day, group))
            ]
            ways.append(dict(choose(left, free, disputes.kinds)))
        near = [one for one in disputes.movements(day) if within(day, one, group, TO_AND_FRO)]
        if ways[0].keys() != ways[1].keys() or any(disputes.is_in_part(day, one) for one in near):
            day.open.add((CODE, day.merchant.id, str(group)))
        if len(ways[0]) == 1:
            chosen = next(iter(ways[0]))
            day.used |= {id for id, _ in chosen}
            day.moved |= {id[0] for id, _ in chosen}
            found[group].left, found[group].disputed = 0, left
        elif ways[0]:
            found[group].severity = "warning"


def below_zero(day):
    """The balances that wait, each from the day on which it is known."""
    for group, ones in day.deposits.items():
        for one in ones:
            if one.net < 0 and one.paid >= day.start and one.id not in day.on_statement:
                yield Balance(str(one.id), group, -one.net, one.paid)
    for group in {min(day.days_with(at)) for at in day.batches}:
        batches = day.batches_with(group)
        owed = sum(one.owed for one in batches)
        if batches and owed <= 0 and not day.paid_for(group) and group >= day.start:
            subject = ";".join(str(one.id) for one in batches)
            yield Balance(subject, group, -owed, day.due(day.last_day(group), "payout"))


def carried(day, found):
    """The balances, with the deposits that take them: exactly, several at once, or step by step."""
    balances = sorted(below_zero(day), key=lambda one: (one.last, one.subject))
    paid = [(bool(one.adjustment), one.paid, one.id, group, one) for group in found for one in day.counted(group)]
    last = {group: max(ones)[1:] for group in found for ones in [[x for x in paid if x[3] == group]] if ones}
    for at, _, group, one in sorted(last.values(), key=lambda x: x[:2]):
        left = found[group].left
        near = [x for x in balances if x.last < at <= upto(day, x) and x.group != group and x.left > 0]
        if left <= 0 or not near:
            pay_again(day, found, group, at)
            mixed(day, found, group, near)
            continue
        if len(day.counted(group)) > 1:
            day.open.add((CODE, day.merchant.id, str(group)))
        entries = [Entry(x.subject, x.last, (x.left,)) for x in near]
        sets = choose(left, entries)
        taken = [(x, x.left) for x in near if sets and any(x.subject == y.id for y in sets[0][1])]
        if len(sets) > 1 or (not sets and len(near) > 1):
            leave_open(day, near, group)
        elif not sets and (part := mixed(day, found, group, near)) is not None:
            taken = part
        elif not sets and left < near[0].left:
            taken = [(near[0], left)]
        elif not sets:
            near[0].is_wrong = bool(near[0].steps)
            continue
        for balance, amount in taken if len(sets) < 2 else ():
            balance.steps.append((one, amount))
            balance.last = at
            found[group].carried += amount
        found[group].left -= found[group].carried
    for balance in balances:
        finish(day, found, balance)
    return balances


def mixed(day, found, group, near):
    """One adjustment of several kinds: the balances in it, with what these give, once one set of few
    returns, movements and balances adds up. None without such a set."""
    left = found[group].left
    if left <= 0:
        return None
    back = [
        entry
        for other, ones in day.came_back.items()
        for entry in ones
        if other != group and (other not in found or found[other].left <= -entry.amount)
        and (other in found or not day.paid_for(other)) and within(day, entry, group, WITHIN)
    ]
    moved = disputes.movements(day) if disputes.can_read(day.world) else []
    moved = [x for x in moved if x.id not in day.used and within(day, x, group, TO_AND_FRO)]
    entries = [*[Entry(x.subject, x.last, (x.left,)) for x in near], *back, *moved]
    if not back and not moved or len(entries) > AMONG:
        return None
    few = [list(some) for size in (2, 3) for some in combinations(entries, size)]
    sets = list(adding_up(left, few).items())
    if sets and (moved or len(sets) > 1):
        # Disputes of which several movements add up are left open, as where they are alone.
        leave_open(day, near, group)
    if len(sets) != 1:
        return [] if sets else None
    parts, ones = sets[0]
    for entry in [one for one in back if any(one is other for other in ones)]:
        move(day, found, entry, group)
    ids = dict(parts)
    given = sum(ids[one.id] for one in moved if one.id in ids)
    day.used |= {one.id for one in moved if one.id in ids}
    found[group].left -= given
    found[group].disputed += given
    return [(x, x.left) for x in near if x.subject in ids]


def upto(day, balance):
    return due(balance.last, WITHIN, day.merchant.calendar)


def finish(day, found, balance):
    if balance.is_wrong:
        # Steps that exceed the balance are all accused.
        for one, amount in balance.steps:
            explained = found[day.group_of(one)]
            explained.left, explained.carried = explained.left + amount, explained.carried - amount
        balance.steps, balance.last = [], balance.since
    upto_then = 0
    for one, amount in balance.steps:
        upto_then += amount
        if one.paid == day.day:
            day.add("DEPOSIT_CARRIED", balance.subject, -balance.amount, upto_then - balance.amount)


def pay_again(day, found, group, at):
    """A negative adjustment pays a deposit that the bank sent back."""
    for one, gone in day.sent_back:
        if found[group].left == -one.net < 0 and gone <= at <= day.due_in(gone, WITHIN):
            found[group].left, found[group].carried = 0, -one.net
            if all(x.id in day.bank.paid for x in day.counted(group)):
                day.paid_again.add(one.id)


def leave_open(day, near, group):
    day.open.add((CODE, day.merchant.id, str(group)))
    day.open.add(("PROCESSOR_NOT_ON_STATEMENT", day.merchant.id, day.merchant.id))
    for code in ("DEPOSIT_CARRIED", "BATCH_WITHOUT_DEPOSIT"):
        day.open |= {(code, day.merchant.id, balance.subject) for balance in near}


def balance_of(day, group):
    """Of a group at or below zero without a deposit."""
    return next((one for one in day.balances if one.group == group and not day.paid_for(group)), None)


def is_waiting(day, group):
    """Whether it may still be carried, or was."""
    balance = balance_of(day, min(day.days_with(group)))
    if balance is None:
        return False
    return not balance.left or day.day < upto(day, balance)


def accused_from(day, group):
    """From when on returns that were not deducted are missed."""
    until = day.due(day.last_day(group), "payout")
    untils = [day.due_in(one.day, WITHIN) for one in day.came_back.get(group, [])]
    return max([day.due_in(until, 2), *untils]) if untils else until


def leave_undated_open(day, found):
    """Returns without a date may explain the rest."""
    undated = [one for one in day.transfers if one.status == "returned" and not one.returns]
    entries = in_order([Entry(one.id, day.start, (one.amount,)) for one in undated])
    for group, one in found.items():
        if one.left > 0 and choose(one.left, entries):
            day.open.add((CODE, day.merchant.id, str(group)))
