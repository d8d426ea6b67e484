"""The one search for sets of entries, in its steps. Each leg provides its entries, each with an id, a
day and an amount, and the distance of two of them; this module chooses.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations, product

AT_MOST, AMONG = 3, 12


@dataclass(frozen=True)
class Entry:
    id: object
    day: object
    # Its possible amounts: one, or several alternatives.
    amounts: tuple
    owner: str = ""

    @property
    def amount(self):
        return self.amounts[0]


def in_order(ones):
    return sorted(ones, key=lambda one: (one.day, str(one.id)))


def without(ones, taken):
    return [one for one in ones if not any(one is other for other in taken)]


def nearest(lefts, rights, apart):
    """Equal amounts one to one, the nearest day first, equal distances in order of day and id. How far
    two are apart is None where they cannot be one another."""
    fits = []
    for one in lefts:
        for other in rights:
            away = apart(one, other) if one.amount == other.amount else None
            if away is not None:
                fits.append((away, one.day, other.day, str(one.id), str(other.id), one, other))
    pairs, taken = [], []
    for *_, one, other in sorted(fits, key=lambda fit: fit[:5]):
        if len(without([one, other], taken)) == 2:
            pairs.append((one, other))
            taken += [one, other]
    return pairs


def smallest(amount, ones):
    """The smallest set that adds up, of several the first in the order given."""
    for size in range(1, len(ones) + 1):
        for chosen in combinations(ones[:AMONG], size):
            if sum(one.amount for one in chosen) == amount:
                return list(chosen)
    return []


def by_key(lefts, rights, apart):
    """Step 1, of entries under one key: pairs of lists, where equal amounts come first, then the smallest
    set that adds up, else all that is left. None for the last pair of several and several whose sums differ."""
    pairs = [([one], [other]) for one, other in nearest(lefts, rights, apart)]
    lefts = without(lefts, [one for ones, _ in pairs for one in ones])
    rights = without(rights, [one for _, ones in pairs for one in ones])
    if not lefts or not rights:
        return pairs, lefts, rights
    few, many = (lefts, rights) if len(lefts) <= len(rights) else (rights, lefts)

    def away(one):
        found = [apart(*((one, x) if one in lefts else (x, one))) for x in few]
        return min((x for x in found if x is not None), default=0), one.day, str(one.id)

    chosen = smallest(sum(one.amount for one in few), sorted(many, key=away))
    chosen = chosen or (many if len(few) == 1 or sum_of(few) == sum_of(many) else [])
    if not chosen:
        return pairs, lefts, rights
    pairs.append((few, chosen) if few is lefts else (chosen, few))
    rest = without(many, chosen)
    return pairs, rest if many is lefts else [], rest if many is rights else []


def sum_of(ones):
    return sum(one.amount for one in ones)


def kinds(entries):
    """Step 3: the kinds of sets, one after the other: of one day (one owner's, then all), of consecutive
    whole days, at most three among at most twelve."""
    entries = in_order(entries)
    of_owner, of_day = defaultdict(list), defaultdict(list)
    for one in entries:
        of_owner[one.day, one.owner].append(one)
        of_day[one.day].append(one)
    days = sorted(of_day)
    yield list(of_owner.values())
    yield list(of_day.values())
    runs = [days[a:b] for a in range(len(days)) for b in range(a + 2, len(days) + 1)]
    yield [[one for at in run for one in of_day[at]] for run in runs if is_whole(run)]
    few = range(1, AT_MOST + 1) if len(entries) <= AMONG else ()
    yield [list(some) for size in few for some in combinations(entries, size)]


def is_whole(run):
    """Whether its days follow one another, over weekends and holidays."""
    return all(later - one <= timedelta(4) for one, later in zip(run, run[1:], strict=False))


def adding_up(amount, sets):
    """Those that add up, each as the ids of its members with their amounts."""
    found = {}
    for ones in sets:
        ids = [one.id for one in ones]
        for amounts in product(*(one.amounts for one in ones)):
            if sum(amounts) == amount:
                found[frozenset(zip(ids, amounts, strict=True))] = ones
    return found


def choose(amount, entries, of=kinds):
    """The sets of the first kind that adds up: one, or several, in which case none is taken."""
    for sets in of(entries):
        found = adding_up(amount, sets)
        if found:
            return list(found.items())
    return []


def sums(targets, reach, of=kinds):
    """Step 3, of many at once: (target, members), each where exactly one set of its kind adds up and no
    other target needs a member of it; and (target, sets) of those of which several add up or are needed."""
    pairs, several, used = [], [], []
    # A kind that takes something leaves less of a day, so that an earlier one may find more.
    place, count = 0, 0
    while place < 4:
        while True:
            fitting = []
            for target in without(targets, [one for one, _ in pairs + several]):
                sets = list(of(without(reach(target), used)))
                found = adding_up(target.amount, sets[place])
                fitting.append((target, list(found.values())))
            several += [(target, sets) for target, sets in fitting if len(sets) > 1]
            sole = [(target, sets[0]) for target, sets in fitting if len(sets) == 1]
            free = [
                (target, ones)
                for target, ones in sole
                if not any(other is not target and shares(ones, others) for other, others in sole)
            ]
            several += [(target, [ones]) for target, ones in sole if (target, ones) not in free]
            if not free:
                break
            pairs += free
            used += [one for _, ones in free for one in ones]
        place, count = (0, len(pairs)) if place and len(pairs) > count else (place + 1, len(pairs))
    return pairs, several


def shares(ones, others):
    return any(one is other for one in ones for other in others)
