"""Builds the lake over worlds, runs its tests on DuckDB and compares its rows with the reports. dbt builds
and tests the first world, and the SQL that it compiled is run over the others, which are made meanwhile.

    target/lake-venv/bin/python lake/worlds.py TIEOUT FIRST COUNT

TIEOUT is the program, FIRST and COUNT say which seeds. Prints what differs; a world that is not what
the program says of it stays in target/lake.
"""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
from collections import Counter

import duckdb
from dbt.cli.main import dbtRunner
from stated import STATED, lake_rows, report_rows

LAKE = pathlib.Path(__file__).resolve().parent
WORK = LAKE.parent / "target" / "lake"
# The models name one place, so that they are compiled once for all worlds.
DATASET = WORK / "dataset"
OPTIONS = [
    "--project-dir", str(LAKE), "--profiles-dir", str(LAKE),
    "--log-path", str(WORK / "logs"), "--target-path", str(WORK / "dbt"),
    "--vars", f"{{dataset: {DATASET}}}", "--quiet", "--no-use-colors",
]  # fmt: skip
# The number of worlds that are generated ahead, beside the one being built.
AHEAD = 2
# How many failures of a world are shown, and how many rows of each.
SHOWN = 5


def export(tieout, seed):
    """Makes the world of a seed, reconciles a week of it, and exports it; returns the errors. `None`
    where the world has no place for all plants of the demonstration."""
    world = WORK / f"world-{seed}"
    shutil.rmtree(world, ignore_errors=True)
    # Its own grade is ignored here: it ends with 1 where the answer key differs.
    made = quietly(tieout, "demo", "--quiet", "--seed", str(seed), "--keep", str(world))
    if "does not fit between" in made.stderr:
        return None
    ended = quietly(
        tieout, "export", "--quiet", "--config", str(world / "tieout.toml"),
        "--db", str(world / "tieout.db"), "--to", str(world / "lake"),
    )  # fmt: skip
    return "" if ended.returncode == 0 else ended.stderr.strip()


def quietly(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def point_to(seed):
    link = WORK / "dataset.new"
    link.unlink(missing_ok=True)
    link.symlink_to(WORK / f"world-{seed}" / "lake")
    link.rename(DATASET)


def by_dbt():
    """Builds and tests every model; returns the failures, and the nodes in the order of the build."""
    ended = dbtRunner().invoke(["build", *OPTIONS])
    if ended.exception:
        return [str(ended.exception)], []
    results = ended.result.results
    wrong = [one for one in results if one.status not in ("success", "pass")]
    return [f"{one.node.name}: {one.message}" for one in wrong], [one.node for one in results]


def again(nodes):
    """Runs the statements that dbt compiled over another world; returns the failures."""
    connection, wrong = duckdb.connect(), []
    for node in nodes:
        if node.resource_type == "test":
            rows = connection.execute(node.compiled_code).fetchall()
            wrong.extend(f"{node.name}: {row}" for row in rows[:SHOWN])
        else:
            kind = node.config.materialized
            connection.execute(f"create {kind} {node.relation_name} as {node.compiled_code}")
    return wrong


def unlike_reports(world):
    """Each row that only the lake has, or only the reports."""
    connection = duckdb.connect()
    for table, _, _ in STATED.values():
        name = table.removeprefix("stg_")
        connection.execute(
            f"create view {table} as select * from read_parquet("
            f"'{world / 'lake'}/{name}/*/*/part.parquet', hive_partitioning = true)"
        )
    ours, theirs = lake_rows(connection), report_rows(world / "reports")
    assert any(theirs.values()), "reports without a row"
    return [
        f"{file}: {row} stands in the {'lake' if row in set(ours[file]) else 'report'} alone"
        for file in theirs
        for row in sorted((Counter(ours[file]) - Counter(theirs[file])) + (Counter(theirs[file]) - Counter(ours[file])))
    ]


def main():
    tieout, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    WORK.mkdir(parents=True, exist_ok=True)
    seeds, nodes, failed, unmade = range(first, first + count), [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=AHEAD) as maker:
        made = {seed: maker.submit(export, tieout, seed) for seed in seeds[:AHEAD]}
        for seed in seeds:
            trouble = made.pop(seed).result()
            if seed + AHEAD in seeds:
                made[seed + AHEAD] = maker.submit(export, tieout, seed + AHEAD)
            if trouble is None:
                unmade += 1
                continue
            point_to(seed)
            if trouble:
                wrong = [trouble]
            elif nodes:
                wrong = again(nodes)
            else:
                wrong, nodes = by_dbt()
            wrong = wrong or unlike_reports(WORK / f"world-{seed}")
            if not wrong:
                shutil.rmtree(WORK / f"world-{seed}")
                continue
            failed += 1
            print(f"seed {seed}: the lake and the reports differ; target/lake/world-{seed} has it")
            print("\n".join(f"    {line}" for line in wrong[:SHOWN]), flush=True)
    passed = count - failed - unmade
    print(f"lake: {passed} passed, {failed} failed, {unmade} worlds could not be made")
    sys.exit(1 if failed else 0)


main()
