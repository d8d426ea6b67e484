"""Lets worlds from seeds live through their nights, with people who accept, take back, assign and sign
off, over a past that changes; and adds up every figure of what is reported of them.

    lives.py [--seed N | --from N --seeds N] [--jobs N] [--keep]

The worlds are those of tests/rules. Some nights later all dates are run once more, and a few dates in a
row get the report of a period.
"""

import argparse
import os
import queue
import random
import shutil
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "rules"))
os.environ["TIEOUT_REPORTS__FORMATS"] = '["csv", "json", "html", "xlsx"]'

import kinds
from check import faults
from main import decide
from maker import Maker
from program import configure, ending, morning_after, once, run_night, run_range, table
from service import Service


def world_of(seed):
    """A world that provokes some kinds of rules."""
    draw = random.Random(f"lives {seed}")
    chosen = frozenset(draw.sample(sorted(kinds.NAMES), draw.choice([0, 1, 2, 4])))
    return type("Maker", (Maker,), {"kinds": chosen})(seed).make()


def play(seed, service, folder):
    """The imbalances of one life."""
    world, draw, accepted = world_of(seed), random.Random(f"people {seed}"), defaultdict(set)
    for day in world.days:
        configure(folder, world, service.port)
        wrong = run_night(world, service, folder, day, fine=(0, 4))
        wrong = wrong or decide(draw, world, folder, day, morning_after(day), accepted)
        if wrong:
            return wrong
        assign(draw, folder, day)
        sign_off(draw, world, folder, day)
    if draw.random() < 0.3:
        wrong = run_range(world, folder, fine=(0, 4))
    first = draw.randrange(len(world.days) - 1)
    last = draw.randrange(first + 1, len(world.days))
    dates = f"{world.days[first]}..{world.days[last]}"
    now = morning_after(world.end + timedelta(1))
    wrong = wrong or once(folder, ["report", "-q", "--date", dates], now, fine=(0, 4))
    wrong = wrong or once(folder, ["verify", "reports"], now)
    return wrong or list(faults(folder / "reports"))


def assign(draw, folder, day):
    """Assigns some open discrepancies; another test covers the program's answer."""
    rows = [row["discrepancy_id"] for row in table(folder, day, "discrepancies") if row["status"] != "cleared"]
    for id in draw.sample(rows, min(len(rows), draw.choice([0, 0, 1]))):
        ending(folder, ["discrepancies", "assign", id, "--to", "Ben", "--note", "asked"], morning_after(day))


def sign_off(draw, world, folder, day):
    """Signs an earlier date off, with any open discrepancies."""
    earlier = [one for one in world.days if one < day]
    if earlier and draw.random() < 0.15:
        one = draw.choice(earlier)
        ending(folder, ["close", str(one), "--by", "Anna", "--force", "--note", "seen"], morning_after(day))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int)
    options.add_argument("--from", type=int, default=1, dest="begin")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--keep", action="store_true", help="keep the folders of seeds that fail")
    options = options.parse_args()
    begin, count = (options.begin, options.seeds) if options.seed is None else (options.seed, 1)
    services = queue.SimpleQueue()
    for _ in range(options.jobs):
        services.put(Service())

    def one(seed):
        service, folder = services.get(), Path(tempfile.mkdtemp(prefix="tieout-lives-"))
        try:
            wrong = play(seed, service, folder)
        finally:
            services.put(service)
        if wrong and options.keep:
            wrong.append(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
        return seed, wrong

    failed = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for seed, wrong in pool.map(one, range(begin, begin + count)):
            if wrong:
                failed.append(seed)
                print(f"seed {seed} failed; again with: --seed {seed}", *wrong, sep="\n  ", flush=True)
    print(f"lives: {count} seeds, {len(failed)} failed {failed}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
