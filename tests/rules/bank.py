"""Kind `bank`, and the bank leg: lines of the processor on the statements of a bank, against the
deposits of all merchants that share it. The lines of drawn worlds name a deposit, or none; ambiguous
lines are left to the cases. Left open: days that the statements do not cover.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from banking_days import DAY, distance, due
from search import Entry, in_order, kinds, nearest, smallest, sums, without
from world import Deposit, Line, money

BANK_DAYS, WITHIN = 1, 5
PROCESSOR = "example payments"


@dataclass(frozen=True)
class Credit(Entry):
    """A line, or a deposit, as the search sees it."""

    what: object = field(default=None, hash=False, compare=False)


@dataclass
class Found:
    # By the id of a deposit: the lines that pay it; and from when on it was sent back.
    paid: dict = field(default_factory=dict)
    sent_back: dict = field(default_factory=dict)
    # By the id of a deposit: the one line that states another amount.
    differs: dict = field(default_factory=dict)
    unknown: list = field(default_factory=list)
    ambiguous: list = field(default_factory=list)
    # The ids of the deposits among them.
    may_be_paid: set = field(default_factory=set)


def is_named(line):
    return PROCESSOR in line.text.casefold()


def match(day):
    """The lines of the merchant's bank up to the day."""
    world, bank = day.world, day.merchant.bank
    owners = {one.id for one in world.merchants if one.bank == bank}
    lines = [one for one in world.lines if one.bank == bank and one.day <= day.day and is_named(one)]
    deposits = [one for one in world.deposits if one.merchant in owners and one.paid <= day.day]
    fees = [one for owner in sorted(owners) for one in months(world, owner, deposits, day.day)]
    return search(lines, deposits + fees, day.start, day.merchant.calendar)


def months(world, owner, deposits, upto):
    """The fees of a month that name no deposit, each like a deposit below zero: those that the first deposit
    of the next month has not deducted to the cent."""
    own = [fee for fee in world.fees if fee.merchant == owner and not fee.deposit and fee.listed >= world.start]
    billed = {fee.deposit for fee in world.fees}
    for last in sorted({last_of_month(fee.listed) for fee in own}):
        total = sum(fee.amount for fee in own if last_of_month(fee.listed) == last)
        later = [one for one in deposits if one.merchant == owner and one.fees and one.id not in billed]
        later = [one for one in later if last < one.paid <= last_of_month(last + DAY)]
        first = min(later, key=lambda one: (one.paid, one.id), default=None)
        if total and last <= upto and not (first and first.fees == total):
            yield Deposit(("fees", owner, last), owner, last, last, 0, 0, 0, 0, net=-total)


def last_of_month(day):
    return (day.replace(day=1) + timedelta(31)).replace(day=1) - DAY


def is_fees(one):
    return isinstance(one.id, tuple)


def with_fees(entries):
    """Step 3 with a whole month's fees: one merchant's or everybody's, alone or beside deposits."""
    fees = [one for one in entries if is_fees(one)]
    some = [[one] for one in fees]
    together = [[one for one in fees if one.day == day] for day in {one.day for one in fees}]
    together = [ones for ones in together if len(ones) > 1]
    for sets in kinds([one for one in entries if not is_fees(one)]):
        yield [[*ones, *more] for ones in sets for more in some + together] + together


def search(lines, deposits, start, calendar):
    found = Found()
    credits = [Credit(n, one.day, (one.amount,), "", one) for n, one in enumerate(lines)]
    owed = [Credit(one.id, one.paid, (one.net,), one.merchant, one) for one in deposits]
    pairs = []
    credits, owed = by_id(found, in_order(credits), in_order(owed), pairs)
    owed = [one for one in owed if one.day >= start and one.amount]

    def apart(line, one):
        return None if line.day < one.what.sent_on else distance(line.day, one.day, calendar)

    def is_near(line, one):
        away = apart(line, one)
        return away is not None and away <= WITHIN

    pairs += [([line], [one]) for line, one in nearest(credits, owed, apart)]
    credits, owed = rest(credits, owed, pairs)
    # A credit that a debit takes back goes before the later one that is made again.
    for targets in (without(credits, list(made_again(credits, calendar))), credits):
        targets, owed = rest(targets, owed, pairs)
        made, several = sums(targets, lambda line: [one for one in owed if is_near(line, one) and not is_fees(one)])
        pairs += [([line], ones) for line, ones in made]
    credits, owed = rest(credits, owed, pairs)
    is_paid = [one for one in owed if not is_fees(one)]
    made, more = sums(is_paid, lambda one: [line for line in credits if is_near(line, one)])
    pairs += [(ones, [one]) for one, ones in made]
    credits, owed = rest(credits, owed, pairs)
    made, less = sums(credits, lambda line: [one for one in owed if is_near(line, one)], with_fees)
    pairs += [([line], ones) for line, ones in made]
    several += less
    credits, owed = rest(credits, owed, pairs)
    fees = [one for one in owed if is_fees(one)]
    made, apart_paid = sums(fees, lambda one: [line for line in credits if is_near(line, one)])
    pairs += [(ones, [one]) for one, ones in made]
    more += apart_paid
    credits, owed = rest(credits, owed, pairs)
    for ones, others in pairs:
        for one in others:
            found.paid[one.id] = [line.what for line in ones]
    credits = opposites(found, credits, owed, pairs, calendar)
    several = [(one, sets) for one, sets in several if one in credits]
    more = [(one, sets) for one, sets in more if one in owed]
    found.ambiguous = [one for one, _ in several + more]
    found.may_be_paid = {one.id for _, sets in several for ones in sets for one in ones} | {one.id for one, _ in more}
    lines = [one for one, _ in several] + [one for _, sets in more for ones in sets for one in ones]
    # A line of the first day may pay a deposit from before the start.
    left = [one for one in without(credits, lines) if one.day > start]
    alone(found, left, [one for one in owed if one.id not in found.may_be_paid])
    found.unknown = [one.what for one in left if one.what not in found.differs.values()]
    # A debit may hold fees of a month that began before the start, of which only some are known.
    for one in [x for x in owed if is_fees(x) and x.day.replace(day=1) < start]:
        more = [line for line in left if line.amount < min(one.amount, 0) and is_near(line, one)]
        found.may_be_paid |= {one.id for _ in more}
        found.unknown = without(found.unknown, [line.what for line in more])
    return found


def rest(lines, owed, pairs):
    return (
        without(lines, [one for ones, _ in pairs for one in ones]),
        without(owed, [one for _, ones in pairs for one in ones]),
    )


def by_id(found, credits, owed, pairs):
    """Step 1: the lines whose text names a deposit: the nearest equal one, else the smallest set of them, else
    all of them. Adds the pairs of one line and one deposit that are equal."""
    taken = []
    for one in owed:
        named = [line for line in credits if str(one.id) in line.what.text.split()]
        equal = [line for line in named if line.amount == one.amount]
        if equal:
            named = [min(equal, key=lambda line: abs(line.day - one.day))]
            pairs.append((named, [one]))
        named = smallest(one.amount, named) or named
        if named:
            taken += [one, *named]
            found.paid[one.id] = [line.what for line in named]
            if sum(line.amount for line in named) != one.amount:
                found.differs[one.id] = named[0].what
    return without(credits, taken), without(owed, taken)


def is_before(line, debit, calendar):
    """Whether the debit may take the line back."""
    is_equal = line.amount == -debit.amount and line.day <= debit.day
    return is_equal and distance(line.day, debit.day, calendar) <= WITHIN


def made_again(credits, calendar):
    for debit in [one for one in credits if one.amount < 0]:
        equal = [one for one in credits if one.amount == -debit.amount]
        yield from equal[1:] if equal and is_before(equal[0], debit, calendar) else ()


def opposites(found, credits, owed, pairs, calendar):
    """Step 4: a debit takes an equal credit from its deposits, unless one is there that nothing explains;
    another equal credit pays them again."""
    owners = {one.id: one for _, ones in pairs for one in ones}
    pairs = [(ones[0], others) for ones, others in pairs if len(ones) == 1]
    for debit in [one for one in credits if one.amount < 0]:
        own = [pair for pair in pairs if is_before(pair[0], debit, calendar)]
        if not own:
            continue
        spare = [x for x in credits if is_before(x, debit, calendar) and x.day < debit.day]
        if spare:
            credits = without(credits, [debit, spare[-1]])
            continue
        line, ones = max(own, key=lambda pair: pair[0].day)
        sent_on = max(one.what.sent_on for one in ones)
        again = [x for x in credits if x.amount == line.amount and x.day >= sent_on][:1]
        pairs = [pair for pair in pairs if pair[0] is not line] + [(x, ones) for x in again]
        for one in ones:
            found.paid.pop(one.id, None)
            if again:
                found.paid[one.id] = [again[0].what]
            else:
                found.sent_back[one.id] = debit.day
        credits = without(credits, [debit, *again])
    credits = in_parts(found, credits, owners, calendar)
    for debit in [one for one in credits if one.amount < 0]:
        equal = [x for x in credits if x.amount == -debit.amount and abs((x.day - debit.day).days) <= WITHIN]
        if len(equal) == 1 and (not owed or len(credits) == 2):
            credits = without(credits, [debit, *equal])
    return credits


def in_parts(found, credits, owed, calendar):
    """Deposits that were sent back and that only certain later credits add up to."""
    back = [owed[id] for id in found.sent_back]

    def later(one):
        near = [x for x in credits if distance(x.day, one.day, calendar) <= WITHIN]
        return [x for x in near if x.day >= found.sent_back[one.id]]

    for one, ones in sums(in_order(back), later)[0]:
        found.paid[one.id] = [x.what for x in ones]
        del found.sent_back[one.id]
        credits = without(credits, ones)
    return credits


def alone(found, left, owed):
    """The one line of a day and the one deposit of that day, with another amount."""
    for one in owed:
        lines = [x for x in left if x.day == one.day and x.amount > 0]
        if len(lines) == 1 and one.amount > 0 and sum(other.day == one.day for other in owed) == 1:
            found.differs[one.id] = lines[0].what


def is_covered(day, at):
    return day.world.covered is not None and day.world.covered[0] <= at <= day.world.covered[1]


def is_awaited(day, one):
    """Whether the bank has not shown a deposit that is not due there."""
    until = due(one.paid, BANK_DAYS, day.merchant.calendar)
    is_shown = one.id in day.bank.paid and one.id not in day.bank.differs
    return bool(day.merchant.bank and one.net) and until > day.day and not is_shown


def figures(one):
    return one.sales, one.returns, one.count, one.adjustment, one.net


def sent_again(day):
    """Deposits that are not in the bank, with a later one of the group and of equal figures that pays
    again: they exceed the batches. Whether the bank shows one of these, by the id of the first."""
    found = {}
    for group, ones in day.deposits.items() if day.merchant.bank else ():
        ones = sorted(ones, key=lambda one: (one.paid, one.id))
        is_more = sum(one.count for one in ones) > sum(one.count for one in day.batches_with(group))
        for place, one in enumerate(ones if is_more else ()):
            same = [x for x in ones[place + 1 :] if figures(x) == figures(one)]
            is_gone = one.id not in day.bank.paid and one.id not in day.bank.differs
            if same and is_gone and due(one.paid, BANK_DAYS, day.merchant.calendar) <= day.day:
                found[one.id] = any(is_credited(day, x) for x in same)
                day.unclear.add(group)
    return found


def sent_back(day):
    """The deposits that the bank sent back, or did not credit in time, with the date."""
    for one in [one for ones in day.deposits.values() for one in ones] if day.merchant.bank else ():
        until = due(one.paid, BANK_DAYS, day.merchant.calendar)
        if one.id in day.bank.sent_back:
            yield one, day.bank.sent_back[one.id]
        elif one.net > 0 and one.id not in day.bank.paid.keys() | day.bank.may_be_paid and until <= day.day:
            yield one, until


def is_credited(day, one):
    return one.id in day.bank.paid and one.id not in day.bank.differs


def judge_more(day):
    if not day.merchant.bank:
        return
    ones = [one for group in day.deposits.values() for one in group if one.paid >= day.start]
    missing = [one for one in ones if one.id not in day.paid_again and judge_deposit(day, one)]
    owners = [one.id for one in day.world.merchants if one.bank == day.merchant.bank]
    if owners[0] == day.merchant.id:
        for line in [x for x in day.bank.unknown if day.due_in(x.day, BANK_DAYS) <= day.day]:
            day.add("BANK_CREDIT_UNKNOWN", money(day.merchant.currency, line.amount), 0, line.amount)
        for one in [x for x in day.bank.ambiguous if day.due_in(x.day, BANK_DAYS) <= day.day]:
            day.add("BANK_CREDIT_AMBIGUOUS", money(day.merchant.currency, one.amount), None, None)
    renamed = by_text(day, missing)
    own = [one for one in day.world.lines if one.bank == day.merchant.bank and one.day <= day.day]
    others = [x for x in day.world.of_other_currencies if x.paid >= day.start]
    dates = {x.paid for x in missing} | {x.paid for x in others if day.due_in(x.paid, BANK_DAYS) <= day.day}
    is_nameless = not any(is_named(one) for one in own) and len(dates) >= 2
    together = missing if is_nameless else next(iter(renamed.values()), [])
    for one in together:
        del day.found["DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)]
    if together:
        total = sum(one.net for one in together)
        is_own = any(one is day.merchant for one in day.world.merchants)
        subject = day.merchant.id if is_own else f"{day.merchant.id} {day.merchant.currency}"
        day.add("PROCESSOR_NOT_ON_STATEMENT", subject, total, 0, note=next(iter(renamed), ""))


def by_text(day, missing):
    """By the text of lines that do not name the processor: at least two missing deposits that they pay."""
    found = {}
    for one in missing:
        upto = due(one.paid, 1, day.merchant.calendar)
        for line in day.world.lines:
            is_its = line.amount == one.net and one.paid <= line.day <= min(upto, day.day)
            if is_its and (line.bank != day.merchant.bank or not is_named(line)):
                found.setdefault(line.text, []).append(one)
    return {text: ones for text, ones in found.items() if len(ones) >= 2}


def judge_deposit(day, one):
    """Whether it is not in the bank."""
    key = "DEPOSIT_NOT_IN_BANK", day.merchant.id, str(one.id)
    until = due(one.paid, BANK_DAYS, day.merchant.calendar)
    balance = next((x for x in day.balances if x.subject == str(one.id)), None)
    owed = one.net
    if one.id in day.bank.sent_back:
        until = max(until, day.bank.sent_back[one.id])
    elif balance:
        until, owed = due(balance.last, WITHIN, day.merchant.calendar), -balance.left
    line = day.bank.differs.get(one.id)
    if line and until <= day.day:
        day.add("BANK_AMOUNT_MISMATCH", str(one.id), one.net, line.amount)
    elif not line and one.id not in day.bank.paid.keys() | day.bank.may_be_paid and owed and until <= day.day:
        if not is_covered(day, until):
            day.open.add(key)
        day.add("DEPOSIT_NOT_IN_BANK", str(one.id), owed, 0)
        return True
    return False


def facts(maker, draw):
    """A bank for some merchants, after all else is drawn."""
    world = maker.world
    changed = {one.id for one in world.changes if one.name == "deposits"}
    world.covered = (world.start - timedelta(20), world.end + timedelta(60))
    for merchant in world.merchants:
        has_bank = draw.random() < 0.7
        own = {one.currency for one in world.batches if one.merchant == merchant.id}
        # Lines of another currency on a statement are left open.
        merchant.bank = merchant.id if has_bank and len(own) == 1 else None
        is_misnamed = draw.random() < 0.15
        for one in world.deposits if merchant.bank else ():
            if one.merchant == merchant.id and one.net > 0:
                if one.id not in maker.sent_again or draw.random() < 0.3:
                    line_of(world, draw, one, is_misnamed, one.id in changed)


def deposits(maker, draw, merchant):
    """Some deposits did not arrive, and were sent again."""
    own = [one for one in maker.world.deposits if one.merchant == merchant.id and one.net > 0]
    for one in own:
        if draw.random() < 0.12 and one.paid >= maker.world.start:
            paid = due(one.paid, draw.choice([1, 2, 3]), merchant.calendar)
            again = replace(one, id=maker.number() + 7_000_000, paid=paid, sent=None)
            maker.world.deposits.append(again)
            fees = [fee for fee in maker.world.fees if fee.deposit == one.id]
            maker.world.fees += [replace(fee, deposit=again.id, listed=paid) for fee in fees]
            maker.sent_again.add(one.id)


def line_of(world, draw, one, is_misnamed, is_changed):
    chance = 0 if is_changed else draw.random()
    at = one.paid + timedelta(draw.choice([0, 0, 0, 1]))
    text = f"{'OTHER SERVICES' if is_misnamed else 'EXAMPLE PAYMENTS'} {one.id}"
    if chance < 0.85:
        amount = one.net - (draw.choice([1, 15]) if 0.75 < chance and one.net > 100 else 0)
        world.lines.append(Line(one.merchant, at, amount, text))
