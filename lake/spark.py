"""Builds the lake's models on a Spark cluster of this machine: one master, two workers of a core
each, one of which is killed half way. Compares every row with DuckDB's over the same dataset, with
DuckDB's over the export of one store, and with the files that `tieout merge` wrote.

    target/lake-venv/bin/python lake/spark.py DATASET ONE_STORE STATED

DATASET is the folder of the shards' exports, ONE_STORE that of the same world in one store, STATED the
reports of the merge. `lake/shards` makes all three. Needs pyspark, DuckDB and Java.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import duckdb
import jinja2
import pyspark
from pyspark.sql import SparkSession
from stated import STATED, lake_rows, report_rows

LAKE = pathlib.Path(__file__).resolve().parent
PORT = 17077
MASTER = f"spark://127.0.0.1:{PORT}"
# What is compared between engines: every roll-up, and the results that the merge writes as well.
MARTS = sorted(path.stem for path in (LAKE / "models" / "marts").glob("*.sql"))
COMPARED = [*MARTS, *(table for table, _, _ in STATED.values())]
# Numbered within a store: its own place in a report is not the same in a shard.
NOT_COMPARED = {"shard", "ordinal"}
# How long into the model that stands half way the worker is killed.
KILL_AFTER_SECONDS = 0.3


class Target:
    def __init__(self, kind):
        self.type = kind


def compiled(kind, dataset):
    """Every model as SQL of the engine, each after those that it names."""
    macros = "".join(path.read_text() for path in sorted((LAKE / "macros").glob("*.sql")))
    models, needs = {}, {}
    for path in sorted(LAKE.glob("models/**/*.sql")):
        named = []

        def ref(name, named=named):
            named.append(name)
            return name

        environment = jinja2.Environment()
        environment.globals.update(
            ref=ref,
            var=lambda name, default=None: dataset if name == "dataset" else default,
            target=Target(kind),
        )
        models[path.stem] = environment.from_string(macros + path.read_text()).render().strip()
        needs[path.stem] = named
    done, order = set(), []

    def visit(name):
        if name not in done:
            done.add(name)
            for other in needs[name]:
                visit(other)
            order.append(name)

    for name in COMPARED:
        visit(name)
    return [(name, models[name]) for name in order]


def rows(columns, found):
    """Rows as sorted texts; the first of a month is a date in one engine and a moment in the other."""
    wanted = [place for place, name in enumerate(columns) if name not in NOT_COMPARED]
    return sorted(
        "|".join(re.sub(r" 00:00:00$", "", str(row[place])) for place in wanted) for row in found
    )


def on_duckdb(dataset):
    connection = duckdb.connect()
    for name, sql in compiled("duckdb", dataset):
        connection.execute(f"create table {name} as {sql}")

    def all_of(name):
        found = connection.execute(f"select * from {name}")
        return rows([column[0] for column in found.description], found.fetchall())

    return {name: all_of(name) for name in COMPARED}, lake_rows(connection)


def start(*arguments):
    spark = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = dict(
        os.environ,
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_NO_DAEMONIZE="1",
        SPARK_DAEMON_MEMORY="256m",
    )
    return subprocess.Popen(
        [str(spark), *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def session(scratch):
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "700m",
        "spark.executor.cores": "1",
        # A table here has a few hundred rows: what counts is the number of tasks.
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.codegen.wholeStage": "false",
        # A partition of the dataset is a small file: many go into one task.
        "spark.sql.files.openCostInBytes": "4096",
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.local.dir": scratch,
        "spark.sql.session.timeZone": "UTC",
        # What a worker says of each file and block takes longer than its work.
        "spark.log.level": "OFF",
        "spark.executor.syncLogLevel.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(MASTER)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors(spark):
    """The workers that have work of the session; the driver is counted there, too."""
    return spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


def on_spark(dataset):
    deploy = "org.apache.spark.deploy"
    cluster = [start(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(PORT),
                     "--webui-port", "17080")]  # fmt: skip
    try:
        time.sleep(5)
        for _ in range(2):
            cluster.append(start(f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g",
                                 "--host", "127.0.0.1", MASTER))  # fmt: skip
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            spark = session(scratch)
            until(lambda: executors(spark) == 2, 60)
            print(f"Spark {spark.version}: {executors(spark)} workers", flush=True)
            models = compiled("spark", dataset)
            began = time.monotonic()
            for place, (name, sql) in enumerate(models):
                if place == len(models) // 2:
                    kill = lambda: os.killpg(cluster[-1].pid, signal.SIGKILL)  # noqa: E731
                    threading.Timer(KILL_AFTER_SECONDS, kill).start()
                    print(f"killing a worker in the middle of {name}, table {place} of {len(models)}")
                if os.environ.get("LAKE_VERBOSE"):
                    print(f"{time.monotonic() - began:7.1f} s {name}", flush=True)
                spark.sql(f"create table {name} using parquet as {sql}")
            print(f"{len(models)} tables in {time.monotonic() - began:.0f} s, "
                  f"{executors(spark)} worker left", flush=True)  # fmt: skip

            def all_of(name):
                frame = spark.table(name)
                return rows(frame.columns, frame.collect())

            found = {name: all_of(name) for name in COMPARED}
            spark.stop()
            return found
    finally:
        for process in cluster:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def compare(expected, found):
    """A word for the table of results, and the first rows that only one side has."""
    if expected == found:
        return "same", []
    return "DIFFERENT", sorted(set(expected) ^ set(found))[:5]


def without_a_shard(dataset):
    """The dates that a test of the lake names where one of the shards is missing."""
    with tempfile.TemporaryDirectory() as scratch:
        kept = pathlib.Path(scratch)
        for path in pathlib.Path(dataset).glob("manifests/*/*/manifest.json"):
            if not path.parent.name.startswith("shard=3-"):
                link = kept / path.relative_to(dataset)
                link.parent.mkdir(parents=True)
                link.symlink_to(path)
        connection = duckdb.connect()
        partitions = dict(compiled("duckdb", scratch))["whole_partitions"]
        connection.execute(f"create table whole_partitions as {partitions}")
        test = (LAKE / "tests" / "every_shard_is_there.sql").read_text()
        test = test.replace("{{ ref('whole_partitions') }}", "whole_partitions")
        return connection.execute(test).fetchall()


def main():
    dataset, one_store, merged = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    shards, words = on_duckdb(dataset)
    whole, _ = on_duckdb(one_store)
    found = on_spark(dataset)
    files = report_rows(merged)
    file_of = {table: file for file, (table, _, _) in STATED.items()}
    print(f"\n{'':24} {'rows':>6} {'Spark':>10} {'one store':>10} {'merge':>10}")
    wrong = []
    for name in COMPARED:
        answers = [compare(shards[name], found[name]), compare(shards[name], whole[name])]
        if name in file_of:
            answers.append(compare(words[file_of[name]], files[file_of[name]]))
        said = [f"{answer:>10}" for answer, _ in answers]
        print(f"{name:24} {len(shards[name]):6} {' '.join(said)}")
        wrong.extend(f"    {name}: {row}" for _, odd in answers for row in odd)
    without = without_a_shard(dataset)
    print(f"\nWithout one shard, {len(without)} dates are named.")
    print("\n".join(wrong))
    sys.exit(1 if wrong or not without else 0)


main()
