"""Matching, files to file: tieout beside DuckDB, polars and datacompy. See README.md."""

import argparse
import datetime
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

FIRST = datetime.date(2026, 11, 2)
DAYS = 40
WINDOW = 3
HOLIDAYS = {datetime.date(2026, 11, 11), datetime.date(2026, 11, 26), datetime.date(2026, 12, 25)}
HERE = pathlib.Path(__file__).resolve()


def make(folder, rows, merchants, seed):
    """Items and a ledger: most entries name their item, the rest must be found."""
    draw = random.Random(seed)
    days = [(FIRST + datetime.timedelta(days=day)).isoformat() for day in range(DAYS)]
    last = days[-1]
    ledger = []
    (folder / "merchants.txt").write_text(
        "".join(f"{4525000000 + at}\n" for at in range(merchants))
    )
    with open(folder / "items.csv", "w", buffering=1 << 20) as out:
        out.write("merchant,kind,item_id,day,amount,order_id,last4\n")
        for at in range(rows):
            merchant = 4525000000 + at % merchants
            day, amount = draw.randrange(DAYS), draw.randrange(100, 5_000_000)
            # 9999 belongs to the records that no item has.
            last4, item = f"{draw.randrange(9_999):04}", 700_000_000 + at
            way = draw.randrange(100)
            kind, order = ("payment", f"ORD-{at}") if 55 <= way < 70 else ("capture", "")
            out.write(f"{merchant},{kind},{item},{days[day]},{amount},{order},{last4}\n")
            money = f"{amount // 100}.{amount % 100:02}"
            entry = f"{merchant},INV-{at},{{}},{money},{{}},{{}},{{}}\n"
            if way < 55:
                ledger.append(entry.format(days[day], order, item, last4))
            elif way < 70:
                ledger.append(entry.format(days[day], order, "", ""))
            elif way < 90:
                ledger.append(entry.format(days[day], "", "", last4))
            elif way < 96:
                later = days[day + 1] if day + 1 < DAYS else last
                ledger.append(entry.format(later, "", "", last4))
            elif way < 98:
                ledger.append(entry.format(days[day], "", "", ""))
            else:
                ledger.append(entry.format(days[day], "", f"9{at}", "9999"))
    # The ledger's order is not the processor's.
    draw.shuffle(ledger)
    with open(folder / "ledger.csv", "w", buffering=1 << 20) as out:
        out.write("merchant,id,date,amount,order_id,reference,last4\n")
        out.writelines(ledger)
    with open(folder / "days.csv", "w") as out:
        out.write("day,position\n")
        position = 0
        for day in days:
            date = datetime.date.fromisoformat(day)
            position += date.weekday() < 5 and date not in HOLIDAYS
            out.write(f"{day},{position}\n")


def with_duckdb(folder, out):
    """The passes as SQL; a candidate that is not alone is numbered, as equal ones pair off."""
    import duckdb

    db = duckdb.connect()
    db.execute("set threads = 2")
    text = "types = {'merchant': 'VARCHAR', 'last4': 'VARCHAR', 'order_id': 'VARCHAR', %s}"
    db.execute(f"""
        create table items as select row_number() over () as i, *
        from read_csv('{folder}/items.csv', {text % "'item_id': 'VARCHAR'"});
        create table ledger as select row_number() over () as l, * replace
            (cast(round(amount * 100) as bigint) as amount)
        from read_csv('{folder}/ledger.csv',
            {text % "'reference': 'VARCHAR', 'amount': 'DECIMAL(18,2)'"});
        create table days as from read_csv('{folder}/days.csv');
        create table pairs (i bigint, l bigint, pass varchar);
        insert into pairs select i, l, 'reference' from ledger join items
            on items.merchant = ledger.merchant and item_id = reference;
    """)
    left = """
        items_left as (from items anti join pairs using (i)),
        ledger_left as (from ledger anti join pairs using (l))
    """
    db.execute(f"""
        insert into pairs with {left} select i, l, 'order' from ledger_left join items_left
            using (merchant, order_id, amount);
    """)
    numbered = """
        one as (select *, row_number() over (partition by merchant, {key} order by item_id) as n
            from items_left where {some}),
        other as (select *, row_number() over (partition by merchant, {key2} order by id) as n
            from ledger_left where {some})
    """
    same = numbered.format(
        key="day, amount, last4", key2="date, amount, last4", some="last4 is not null"
    )
    db.execute(f"""
        insert into pairs with {left}, {same} select i, l, 'same_day' from one join other
            on one.merchant = other.merchant and one.day = other.date
            and one.amount = other.amount and one.last4 = other.last4 and one.n = other.n
            and other.reference is null;
    """)
    for distance in range(1, WINDOW + 1):
        db.execute(f"""
            insert into pairs with {left}, near as (
                select i, l from items_left join ledger_left using (merchant, amount, last4)
                join days as a on a.day = items_left.day
                join days as b on b.day = ledger_left.date
                where greatest(abs(a.position - b.position), 1) = {distance}
                  and ledger_left.reference is null
            )
            select i, l, 'nearby_day' from near
            qualify count(*) over (partition by i) = 1 and count(*) over (partition by l) = 1;
        """)
    db.execute(f"""
        insert into pairs with {left}, near as (
            select i, l from items_left join ledger_left
                on items_left.merchant = ledger_left.merchant
                and items_left.day = ledger_left.date
                and items_left.amount = ledger_left.amount
                and (ledger_left.last4 is null or ledger_left.last4 = items_left.last4)
                and ledger_left.reference is null
        )
        select i, l, 'unique' from near
        qualify count(*) over (partition by i) = 1 and count(*) over (partition by l) = 1;
    """)
    db.execute(f"""
        copy (select item_id, id as ledger_id, pass from pairs join items using (i)
              join ledger using (l)) to '{out}' (header);
    """)


def frames(folder):
    import polars as pl

    text = {name: pl.String for name in ("merchant", "item_id", "order_id", "last4", "reference")}
    items = pl.read_csv(folder / "items.csv", schema_overrides=text, try_parse_dates=True)
    ledger = pl.read_csv(folder / "ledger.csv", schema_overrides=text, try_parse_dates=True)
    ledger = ledger.with_columns((pl.col("amount") * 100).round().cast(pl.Int64))
    days = pl.read_csv(folder / "days.csv", try_parse_dates=True)
    items = items.join(days, on="day").rename({"position": "at"})
    ledger = ledger.rename({"date": "day", "id": "ledger_id"}).join(days, on="day")
    return items, ledger.rename({"position": "at"})


def passes_over(folder, join):
    """The five passes; `join(items, ledger, keys)` gives pairs of ids for equal keys."""
    import polars as pl

    items, ledger = frames(folder)
    found = []

    def take(pairs, name):
        nonlocal items, ledger
        found.append(pairs.select("item_id", "ledger_id", pass_=pl.lit(name)))
        items = items.join(pairs, on="item_id", how="anti")
        ledger = ledger.join(pairs, on="ledger_id", how="anti")

    def alone(pairs):
        one = pl.len().over("item_id") == 1
        return pairs.filter(one & (pl.len().over("ledger_id") == 1))

    named = ledger.filter(pl.col("reference").is_not_null())
    named = named.select("merchant", "ledger_id", item=pl.col("reference"))
    take(join(items.with_columns(item="item_id"), named, ["merchant", "item"]), "reference")
    ordered = lambda side: side.filter(pl.col("order_id").is_not_null())
    take(join(ordered(items), ordered(ledger), ["merchant", "order_id", "amount"]), "order")
    ledger = ledger.filter(pl.col("reference").is_null())
    key = ["merchant", "day", "amount", "last4"]
    number = lambda side, by: side.filter(pl.col("last4").is_not_null()).with_columns(
        n=pl.col(by).rank("ordinal").over(key)
    )
    take(join(number(items, "item_id"), number(ledger, "ledger_id"), [*key, "n"]), "same_day")
    near = ["merchant", "amount", "last4"]
    for distance in range(1, WINDOW + 1):
        some = lambda side: side.filter(pl.col("last4").is_not_null())
        pairs = some(items).join(some(ledger), on=near).with_columns(
            distance=(pl.col("at").cast(pl.Int64) - pl.col("at_right").cast(pl.Int64)).abs().clip(1)
        )
        take(alone(pairs.filter(pl.col("distance") == distance)), "nearby_day")
    pairs = items.join(ledger, on=["merchant", "day", "amount"])
    fits = pl.col("last4_right").is_null() | (pl.col("last4") == pl.col("last4_right"))
    take(alone(pairs.filter(fits)), "unique")
    return pl.concat(found)


def with_polars(folder, out):
    join = lambda items, ledger, keys: items.join(ledger, on=keys)
    passes_over(folder, join).write_csv(out)


def with_datacompy(folder, out):
    import datacompy

    def join(items, ledger, keys):
        one = items.select(*keys, *([] if "item_id" in keys else ["item_id"]))
        other = ledger.select(*keys, *([] if "ledger_id" in keys else ["ledger_id"]))
        compared = datacompy.PolarsCompare(one, other, join_columns=keys)
        rows = compared.intersect_rows
        return rows.rename({name: name.removesuffix("_df1").removesuffix("_df2")
                            for name in rows.columns
                            if name.removesuffix("_df1").removesuffix("_df2")
                            in ("item_id", "ledger_id")})

    passes_over(folder, join).write_csv(out)


def with_tieout(folder, out):
    root = HERE.parents[2] / "target" / "release" / "deps"
    built = [path for path in root.glob("matching_files-*") if os.access(path, os.X_OK)]
    if not built:
        sys.exit("build it first: cargo build --release --bench matching_files")
    newest = max(built, key=lambda path: path.stat().st_mtime)
    files = [f"{folder}/{name}" for name in ("merchants.txt", "items.csv", "ledger.csv")]
    os.execv(newest, [str(newest), *files, str(out)])


TOOLS = {"tieout": with_tieout, "duckdb": with_duckdb, "polars": with_polars,
         "datacompy": with_datacompy}


def measure(tool, folder):
    """Wall seconds, peak MiB and pairs of one process."""
    out = folder / f"{tool}.csv"
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, HERE, "--one", tool, "--folder", folder])
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        sys.exit(f"{tool} failed")
    with open(out, "rb") as file:
        pairs = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--merchants", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(TOOLS))
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--one", choices=TOOLS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        TOOLS[arguments.one](arguments.folder, arguments.folder / f"{arguments.one}.csv")
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or pathlib.Path(scratch)
        make(folder, arguments.rows, arguments.merchants, arguments.seed)
        print(f"{arguments.rows} x {arguments.rows}, {arguments.merchants} merchants, "
              f"median of {arguments.rounds}")
        tools = arguments.only.split(",")
        rounds = {tool: [] for tool in tools}
        # By turns, so that whatever else the machine does disturbs all of them alike.
        for _ in range(arguments.rounds):
            for tool in tools:
                rounds[tool].append(measure(tool, folder))
        counts = set()
        for tool in tools:
            seconds, cpu, memory, pairs = sorted(rounds[tool])[arguments.rounds // 2]
            counts.add(pairs)
            print(f"{tool:<10} {seconds:7.2f} s wall {cpu:7.2f} s cpu {memory:7.0f} MiB "
                  f"{pairs} pairs", flush=True)
        # Where equal records meet on nearby days, the simple SQL takes none or another number.
        if max(counts) - min(counts) > arguments.rows / 100_000:
            sys.exit(f"the tools disagree on the pairs: {sorted(counts)}")


if __name__ == "__main__":
    main()
