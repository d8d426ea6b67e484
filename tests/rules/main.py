"""Runs the program over worlds from seeds and holds its reports against the rules.

    main.py [--unknown | --away | --closed | --forms] [--staged] [--kinds A,B,C | --kinds all]
        [--seed N | --from N --seeds N] [--jobs N] [--keep]
"""

import argparse
import queue
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import away
import closed
import forms
import kinds
import late
import unknown
from life import lives
from maker import Maker
from program import (
    LATER,
    STAGES,
    configure,
    morning_after,
    once,
    run_dates,
    run_night,
    run_range,
    table,
    write_books,
)
from reports import Reports
from service import Service
from subjects import by_subject
from world import seen_on

# Not carried, of a merchant that nothing else is judged of, and told apart by more than a subject.
NEVER_ACCEPTED = {"UNKNOWN_MERCHANT", "FEE_WITHOUT_DEPOSIT"}


def as_range(world, service, folder):
    """All dates in one run, long after."""
    service.world, world.later_terms, world.way = world, None, "range"
    return run_range(world, folder), {}


def as_nights(world, service, folder):
    """Every date in the night after it, with a service in the state of that night; in the morning a
    person accepts some open discrepancies, or withdraws that."""
    draw, accepted = random.Random(str(world.merchants)), defaultdict(set)
    for day in world.days:
        terms = replace(world, terms=world.terms_on(day))
        configure(folder, terms, service.port)
        failed = run_night(world, service, folder, day)
        failed = failed or decide(draw, world, folder, day, morning_after(day), accepted)
        if failed:
            return failed, accepted
    return [], accepted


def decide(draw, world, folder, day, now, accepted):
    """`accepted` is on which dates a discrepancy is, by its id."""
    failed = []
    rows = [row for row in table(folder, day, "discrepancies") if row["status"] != "cleared"]
    never = NEVER_ACCEPTED | kinds.NOT_CARRIED
    rows = [row["discrepancy_id"] for row in rows if row["code"] not in never]
    said = ["--by", "Anna", "--note", "waived"]
    rest = [one for one in world.days if one > day]
    for id in draw.sample(rows, min(len(rows), draw.choice([0, 0, 1, 3]))):
        until = draw.choice([None, day + timedelta(draw.randrange(1, 4))])
        limit = ["--until", str(until)] if until else []
        failed += once(folder, ["discrepancies", "accept", id, *said, *limit], now)
        accepted[id].update(date for date in rest if not until or date <= until)
    ongoing = sorted(id for id, dates in accepted.items() if day + timedelta(1) in dates)
    for id in draw.sample(ongoing, min(len(ongoing), draw.choice([0, 0, 0, 1]))):
        failed += once(folder, ["discrepancies", "reopen", id, *said], now)
        accepted[id].difference_update(rest)
    return failed


def out_of_order(world, service, folder):
    """Every date in a run of its own, in any order, and then the stale dates once more. While dates
    between are missing, checks that depend on them are not evaluated: 4."""
    service.world, world.later_terms = world, None
    days, world.way = world.days, "shuffled"
    random.Random(str(world.start)).shuffle(days)
    world.first_run, failed = days[0], []
    for day in days:
        failed += run_dates(folder, day, fine=(0, 4))
    fine = kinds.endings(world)
    return failed or once(folder, ["reconcile", "-q", "--stale"], LATER, fine), {}


def all_of(world, _):
    return world


WAYS = [as_range, as_range, as_nights, as_nights, out_of_order]


def play(seed, service, folder):
    """The violations, and the number of compared rows."""
    world = Maker(seed).make()
    configure(folder, world, service.port)
    write_books(world, folder)
    way, rows = WAYS[seed % len(WAYS)], 0
    wrong, accepted = way(world, service, folder)
    if wrong:
        return wrong, rows
    if way is as_nights and world.provokes("late"):
        wrong += late.differs_from_backfill(world, service, folder, accepted)
    accepted = by_subject(world, folder, accepted)
    seen = seen_on if way is as_nights else all_of
    for day, judged, found, left_open in lives(world, seen, accepted):
        reports = Reports(world, folder, day, judged, found, left_open)
        wrong += reports.check()
        rows += len(found)
    return wrong, rows


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int)
    options.add_argument("--from", type=int, default=1, dest="begin")
    options.add_argument("--seeds", type=int, default=50)
    options.add_argument("--jobs", type=int, default=3)
    options.add_argument("--unknown", action="store_true", help="leave fields out")
    options.add_argument("--away", action="store_true", help="configure less for some nights")
    options.add_argument("--closed", action="store_true", help="sign some dates off")
    options.add_argument("--forms", action="store_true", help="answer in odd forms that are sound")
    options.add_argument("--staged", action="store_true", help="run each stage on its own")
    options.add_argument("--kinds", type=kinds.named, default=frozenset(), help="kinds of rules")
    options.add_argument("--keep", action="store_true", help="keep the folders of seeds that fail")
    options = options.parse_args()
    if options.staged:
        STAGES[:] = ["fetch", "reconcile", "report"]
    Maker.kinds = options.kinds
    begin, count = (options.begin, options.seeds) if options.seed is None else (options.seed, 1)
    ways = (unknown, away, closed, forms)
    how = next((way.play for way in ways if getattr(options, way.__name__)), play)
    services = queue.SimpleQueue()
    for _ in range(options.jobs):
        services.put(Service())

    def one(seed):
        service, folder = services.get(), Path(tempfile.mkdtemp(prefix="tieout-rules-"))
        try:
            wrong, rows = how(seed, service, folder)
        finally:
            services.put(service)
        if wrong and options.keep:
            wrong.append(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
        return seed, wrong, rows

    failed, total = [], 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, wrong, rows in pool.map(one, range(begin, begin + count)):
            total += rows
            if wrong:
                failed.append(seed)
                print(f"seed {seed} failed; again with: --seed {seed}", *wrong, sep="\n  ")
    print(f"rules: {count} seeds, {total} rows, {len(failed)} failed {failed}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
