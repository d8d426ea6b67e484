"""Some dates are signed off in some night. The nights after it say the same as without it; what is
found in these dates when all are run again long after changes no file of theirs and is told on an
open date; and who takes every sign-off back has what was found without any.
"""

import csv
import random

from program import FILES, LATER, configuration, morning_after, once, run_night, run_range, write_books
from world import Maker, seen_on


def play(seed, service, folder):
    """What does not hold, and how many rows were compared."""
    world = Maker(seed).make()
    world.later_terms = None
    signed, folders, kept = sign_offs(seed, world), [], {}
    for is_signed in (False, True):
        folders.append(folder / str(len(folders)))
        folders[-1].mkdir()
        (folders[-1] / "tieout.toml").write_text(configuration(world, service.port))
        for night in world.days:
            wrong = run_night(world, service, folders[-1], night)
            for day in signed.get(night, []) if is_signed else []:
                wrong += once(folders[-1], ["close", str(day), "--by", "Anna"], morning_after(night))
                kept[day] = contents(folders[-1], day)
            if wrong:
                return wrong, 0
    wrong = [one for day in world.days for one in differing(day, *folders)]
    rows = sum(len(rows_of(folders[0], day)) for day in world.days)
    service.world = seen_on(world, world.end)
    for one in folders:
        write_books(service.world, one)
        # One by one first, so that what is found in them waits for a run of an open date.
        for day in kept if seed % 2 else []:
            wrong += once(one, ["run", "--no-progress", "-q", "--date", str(day)], LATER, fine=(0, 4))
        # What a closed date holds open, nobody may be able to test any more.
        wrong += run_range(world, one, fine=(0, 4))
    wrong += [f"{day} changed, which is closed" for day in kept if contents(folders[1], day) != kept[day]]
    wrong += not_told(world.end, *folders)
    wrong += once(folders[1], ["verify", "reports"], morning_after(world.end))
    wrong += take_back(world, kept, folders[1])
    for day in world.days:
        if contents(folders[0], day) != contents(folders[1], day):
            wrong.append(f"{day} is not as if nothing had ever been closed")
    nights = {str(night): [str(day) for day in days] for night, days in signed.items()}
    return wrong and [f"closed {nights}", *wrong], rows


def sign_offs(seed, world):
    """The dates that are signed off in the morning after a night."""
    draw, signed = random.Random(f"closed {seed}"), {}
    closable = world.days[:-1]
    for day in sorted(draw.sample(closable, draw.randint(1, len(closable)))):
        night = draw.choice([one for one in world.days if one >= day])
        signed.setdefault(night, []).append(day)
    return signed


def take_back(world, closed, folder):
    """Takes every sign-off back and runs all dates again."""
    wrong = []
    for day in closed:
        said = ["--by", "Anna", "--note", "found more"]
        wrong += once(folder, ["reopen", str(day), *said], morning_after(world.end))
    return wrong + run_range(world, folder)


def contents(folder, day):
    return [(folder / "reports" / str(day) / f"{name}.csv").read_bytes() for name in FILES]


def rows_of(folder, day):
    with open(folder / "reports" / str(day) / "discrepancies.csv", newline="") as file:
        return {row["discrepancy_id"]: row for row in csv.DictReader(file)}


def differing(day, never, signed):
    """What the night of a date says otherwise than without sign-offs, but for its sentences."""
    without, found = rows_of(never, day), rows_of(signed, day)
    for id in sorted(without.keys() | found.keys()):
        said = [
            [rows.get(id, {}).get(name) for name in ("status", "first_seen", "expected", "actual")]
            for rows in (without, found)
        ]
        if said[0] != said[1]:
            yield f"{day} {(without.get(id) or found[id])['code']} {id}: {said[0]}, signed off {said[1]}"


def not_told(day, never, signed):
    """What is not in the list of the last date and should be, or is and should not be."""
    without, found = (
        {id: row for id, row in rows_of(one, day).items() if row["status"] != "cleared"}
        for one in (never, signed)
    )
    for id in without.keys() - found.keys():
        yield f"{day} {without[id]['code']} {id} of {without[id]['first_seen']} is lost"
    for id in found.keys() - without.keys():
        if "prior period" not in found[id]["explanation"]:
            yield f"{day} {found[id]['code']} {id} of {found[id]['first_seen']} is invented"
