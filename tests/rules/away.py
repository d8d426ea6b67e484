"""A merchant, a terminal or the books of one are not configured for some nights, or these nights are
not run at all. Listings that were not read meanwhile cause no finding and clear none; running those
dates again gives the full result.
"""

import random
from dataclasses import replace

from maker import Maker
from program import configure, differing, run_night, run_range, write_books
from unknown import Comparison
from world import seen_on


class Absence:
    """The missing part of the configuration, from a day on until it is back."""

    def __init__(self, seed, world):
        draw, self.start = random.Random(f"away {seed}"), world.start
        kinds = ["terminal", "books", "merchant"]
        self.what = draw.choice(kinds if len(world.merchants) > 1 else kinds[:2])
        self.merchant = draw.choice(world.merchants)
        self.back = draw.choice(world.days[1:])
        earlier = [day for day in world.days if day < self.back]
        self.since = draw.choice([world.start, draw.choice(earlier)])
        if random.Random(f"nights {seed}").random() < 0.3:
            self.what = "nights"

    def is_on(self, day):
        return self.since <= day < self.back

    def is_skipped(self, day):
        """A store begins with its first date."""
        return self.what == "nights" and self.is_on(day) and day != self.start

    def without(self, merchants):
        """The merchants that are configured, as they are."""
        lacks = {
            "terminal": replace(self.merchant, terminals=self.merchant.terminals[1:]),
            "books": replace(self.merchant, has_books=False),
            "merchant": None,
            "nights": self.merchant,
        }
        changed = [lacks[self.what] if one is self.merchant else one for one in merchants]
        return [one for one in changed if one]

    def __str__(self):
        return f"without {self.what} of {self.merchant.id} from {self.since} until {self.back}"


def play(seed, service, folder):
    """The violations, and the number of compared rows."""
    world = Maker(seed).make()
    world.changes, world.later_terms = [], None
    absence, folders = Absence(seed, world), (folder / "full", folder / "partial")
    for is_away in (False, True):
        for day in world.days:
            is_partial = is_away and absence.is_on(day)
            named = absence.without(world.merchants) if is_partial else world.merchants
            configure(folders[is_away], replace(world, merchants=named), service.port)
            if is_away and absence.is_skipped(day):
                continue
            wrong = run_night(world, service, folders[is_away], day, fine=(0, 4) if is_away else None)
            if wrong:
                return wrong, 0
    compared = Comparison(world, *folders)
    for day in world.days:
        compare(compared, absence, day)
    wrong, service.world = compared.wrong, seen_on(world, world.end)
    for one in folders:
        write_books(service.world, one)
        wrong += run_range(world, one)
    wrong += [f"{file} differs when all is run again" for file in differing(world, *folders)]
    return wrong and [str(absence), *wrong], compared.rows


def compare(compared, absence, day):
    """Whether nothing is found on a date that should not be, or cleared that should not be."""
    if absence.is_skipped(day):
        return
    if not absence.is_on(day) or absence.what == "nights":
        compared.compare_findings(day)
    elif absence.what == "merchant":
        for key, (status, *_) in compared.found(compared.partial, day).items():
            if key[1] == absence.merchant.id and status != "open":
                compared.wrong.append(f"{day} {key} is {status} of a merchant that is away")
