"""Builds the lake over worlds, one after the other, and runs its tests on DuckDB. dbt reads the models
once; while it builds over one world, the next one is made.

    target/lake-venv/bin/python lake/worlds.py TIEOUT FIRST COUNT

TIEOUT is the program, FIRST and COUNT say which seeds. Prints what differs; a world that is not what
the program says of it stays in target/lake.
"""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

from dbt.cli.main import dbtRunner

LAKE = pathlib.Path(__file__).resolve().parent
WORK = LAKE.parent / "target" / "lake"
# The models name one place, so that dbt reads them once for all worlds.
DATASET = WORK / "dataset"
OPTIONS = [
    "--project-dir", str(LAKE), "--profiles-dir", str(LAKE),
    "--log-path", str(WORK / "logs"), "--target-path", str(WORK / "dbt"),
    "--vars", f"{{dataset: {DATASET}}}", "--quiet", "--no-use-colors",
]  # fmt: skip
# How many failures of a world are shown.
SHOWN = 5


def export(tieout, seed):
    """Makes the world of a seed, reconciles a week of it, and exports it; says what went wrong."""
    world = WORK / f"world-{seed}"
    shutil.rmtree(world, ignore_errors=True)
    # Its own grade is not what counts here: it ends with 1 where the answer key differs.
    quietly(tieout, "demo", "--quiet", "--seed", str(seed), "--keep", str(world))
    ended = quietly(
        tieout, "export", "--quiet", "--config", str(world / "tieout.toml"),
        "--db", str(world / "tieout.db"), "--to", str(world / "lake"),
    )  # fmt: skip
    return None if ended.returncode == 0 else ended.stderr.strip()


def quietly(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def build(runner, seed):
    """Builds and tests every model over the world; gives a line for each that failed."""
    link = WORK / "dataset.new"
    link.unlink(missing_ok=True)
    link.symlink_to(WORK / f"world-{seed}" / "lake")
    link.rename(DATASET)
    ended = runner.invoke(["build", *OPTIONS])
    if ended.exception:
        return [str(ended.exception)]
    wrong = [result for result in ended.result.results if result.status in ("error", "fail")]
    return [f"{result.node.name}: {result.message}" for result in wrong]


def main():
    tieout, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    WORK.mkdir(parents=True, exist_ok=True)
    runner, failed = None, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as maker:
        made = maker.submit(export, tieout, first)
        for seed in range(first, first + count):
            trouble = made.result()
            if seed + 1 < first + count:
                made = maker.submit(export, tieout, seed + 1)
            runner = runner or dbtRunner(manifest=dbtRunner().invoke(["parse", *OPTIONS]).result)
            wrong = [trouble] if trouble else build(runner, seed)
            if not wrong:
                shutil.rmtree(WORK / f"world-{seed}")
                continue
            failed += 1
            print(f"seed {seed}: the lake and the program differ; target/lake/world-{seed} has it")
            print("\n".join(f"    {line}" for line in wrong[:SHOWN]), flush=True)
    print(f"lake: {count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
