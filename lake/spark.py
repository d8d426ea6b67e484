"""Builds the lake's models on a Spark cluster of this machine: one master, two workers of a core
each, one of which is killed half way. Compares every row with DuckDB's.

    target/lake-venv/bin/python lake/spark.py DATASET [ONE_STORE]

DATASET is the folder of an export, of one store or of several shards; ONE_STORE that of the same
world in one store, which must come to the same rows. Needs pyspark, DuckDB and Java.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import duckdb
import jinja2
import pyspark
from pyspark.sql import SparkSession

LAKE = pathlib.Path(__file__).resolve().parent
MASTER = "spark://127.0.0.1:17077"
# What is compared: the recomputed checks, what they differ in, and every roll-up.
COMPARED = ["recomputed", "differences"] + sorted(
    path.stem for path in (LAKE / "models" / "marts").glob("*.sql")
)
# The worker is killed once as many models are built.
KILL_AFTER = 12


class Target:
    def __init__(self, kind):
        self.type = kind


def compiled(kind, dataset):
    """Every model as SQL of the engine, each after those that it names."""
    macros = (LAKE / "macros" / "dataset.sql").read_text()
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

    for name in models:
        visit(name)
    return [(name, models[name]) for name in order]


def is_view(name):
    return (LAKE / "models" / "staging" / f"{name}.sql").exists()


def on_duckdb(dataset):
    connection = duckdb.connect()
    for name, sql in compiled("duckdb", dataset):
        kind = "view" if is_view(name) else "table"
        connection.execute(f"create {kind} {name} as {sql}")
    return {name: rows(connection.execute(f"select * from {name}").fetchall()) for name in COMPARED}


def rows(found):
    """Rows as sorted texts; the first of a month is a date in one engine and a moment in the other."""
    text = ["|".join(re.sub(r" 00:00:00$", "", str(value)) for value in row) for row in found]
    return sorted(text)


def start(*arguments):
    spark = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1", SPARK_NO_DAEMONIZE="1")
    return subprocess.Popen(
        [str(spark), *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def on_spark(dataset):
    deploy = "org.apache.spark.deploy"
    cluster = [start(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", "17077",
                     "--webui-port", "17080")]
    try:
        time.sleep(8)
        for _ in range(2):
            cluster.append(start(f"{deploy}.worker.Worker", "--cores", "1", "--memory", "1g",
                                 "--host", "127.0.0.1", MASTER))
        session = (
            SparkSession.builder.master(MASTER)
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.executor.memory", "700m")
            .config("spark.executor.cores", "1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("FATAL")
        tables = 0
        for name, sql in compiled("spark", dataset):
            frame = session.sql(sql)
            # Kept on the workers, so that what a killed one held is computed again.
            frame = frame.persist()
            if not is_view(name):
                frame.count()
                tables += 1
                if tables == KILL_AFTER:
                    os.killpg(cluster[-1].pid, signal.SIGKILL)
                    print(f"killed a worker after {tables} models")
            frame.createOrReplaceTempView(name)
        found = {name: rows(session.table(name).collect()) for name in COMPARED}
        session.stop()
        return found
    finally:
        for process in cluster:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def compare(expected, found, whose):
    wrong = 0
    for name in COMPARED:
        is_same = expected[name] == found[name]
        wrong += not is_same
        print(f"{'same' if is_same else 'DIFFERENT'}: {name}, {len(found[name])} rows, {whose}")
        if not is_same:
            for row in sorted(set(expected[name]) ^ set(found[name]))[:5]:
                print("   ", row)
    return wrong


def main():
    dataset = str(pathlib.Path(sys.argv[1]).resolve())
    expected = on_duckdb(dataset)
    wrong = compare(expected, on_spark(dataset), "Spark and DuckDB")
    if len(sys.argv) > 2:
        whole = on_duckdb(str(pathlib.Path(sys.argv[2]).resolve()))
        wrong += compare(whole, expected, "the shards and one store")
    sys.exit(1 if wrong else 0)


main()
