"""Some dates are signed off in some night. The later nights give the same result as without sign-offs;
findings in these dates, when all are run again long after, change none of their files and are reported
on an open date; and without sign-offs any more the result is the same as without any.
"""

import random

from maker import Maker
from program import (
    configure,
    contents,
    differing,
    morning_after,
    once,
    run_dates,
    run_night,
    run_range,
    table,
    write_books,
)
from world import seen_on


def play(seed, service, folder):
    """The violations, and the number of compared rows."""
    world = Maker(seed).make()
    world.later_terms = None
    signed, kept, folders = sign_offs(seed, world), {}, (folder / "never", folder / "signed")
    for is_signed, one in enumerate(folders):
        configure(one, world, service.port)
        for night in world.days:
            wrong = run_night(world, service, one, night)
            for day in signed.get(night, []) if is_signed else []:
                wrong += once(one, ["close", str(day), "--by", "Anna", "--note", "as found"], morning_after(night))
                kept[day] = contents(one, day)
            if wrong:
                return wrong, 0
    never, found = ({day: rows_of(one, day) for day in world.days} for one in folders)
    wrong = [one for day in world.days for one in otherwise(day, never[day], found[day])]
    service.world = seen_on(world, world.end)
    for one in folders:
        write_books(service.world, one)
        # One by one first, so that their findings wait for a run of an open date.
        for day in kept if seed % 2 else []:
            wrong += run_dates(one, day, fine=(0, 4))
        # Discrepancies that a closed date holds open may no longer be testable.
        wrong += run_range(world, one, fine=(0, 4))
    wrong += [f"{day} changed, which is closed" for day in kept if contents(folders[1], day) != kept[day]]
    wrong += not_told(*(rows_of(one, world.end) for one in folders))
    wrong += once(folders[1], ["verify", "reports"], morning_after(world.end))
    wrong += take_back(world, kept, folders[1])
    closed = {str(night): [str(day) for day in days] for night, days in signed.items()}
    wrong += [f"{file} is not as if nothing had ever been closed" for file in differing(world, *folders)]
    return wrong and [f"closed {closed}", *wrong], sum(map(len, never.values()))


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


def rows_of(folder, day):
    return {row["discrepancy_id"]: row for row in table(folder, day, "discrepancies")}


def otherwise(day, never, signed):
    """The differences of the night of a date from the one without sign-offs, except sentences."""
    for id in sorted(never.keys() | signed.keys()):
        said = [
            [rows.get(id, {}).get(name) for name in ("code", "status", "first_seen", "expected", "actual")]
            for rows in (never, signed)
        ]
        if said[0] != said[1]:
            yield f"{day} {id}: {said[0]}, signed off {said[1]}"


def not_told(never, signed):
    """Missing and additional rows in the list of the last date."""
    never, signed = (
        {id: row for id, row in rows.items() if row["status"] != "cleared"}
        for rows in (never, signed)
    )
    for id in never.keys() - signed.keys():
        yield f"{never[id]['code']} {id} of {never[id]['first_seen']} is lost"
    for id in signed.keys() - never.keys():
        if "prior period" not in signed[id]["explanation"]:
            yield f"{signed[id]['code']} {id} of {signed[id]['first_seen']} is invented"
