"""Several nights with books in Python: fetched and stored as night.py does, the ledger read with
polars, matched in its joins, totals and CSV. It knows four passes, no corrections and no reasons. It is
the yardstick of benches/books.sh and nothing else.

    books.py BASE_URL AUTH_URL CONFIG FIRST_DATE LAST_DATE LEDGER FOLDER
"""

import asyncio
import datetime
import os
import sqlite3
import sys
import tomllib

import polars

import night

WINDOW_DAYS = 3
COLUMNS = ["merchant", "id", "kind", "date", "amount", "currency", "order", "reference", "last4",
           "status"]


def ledger(path):
    text = polars.read_csv(path, infer_schema=False)
    assert text.columns == COLUMNS
    return text.with_columns(
        # Written with all the digits of its currency, and without a point where it has none.
        polars.col("amount").str.replace_all(".", "", literal=True).cast(polars.Int64),
        polars.col("date").str.to_date(),
    ).with_row_index("record")


def items(authorizations, listed, merchant_of):
    """The items that a ledger can hold: captures, returns, settled payments and refunds."""
    rows = {}
    for a in authorizations:
        if a.transaction and a.batch and a.merchant:
            of = a.transaction
            kind = "refund" if of.type == "return" else "payment"
            last4 = a.card.card_number[-4:] if a.card and a.card.card_number else None
            rows["card", of.transaction_id] = (a.merchant.merchant_id, kind, of.date or a.batch.date,
                abs(of.amount or 0), a.currency, str(of.transaction_id), None, last4)
    for some in listed:
        for t in some:
            if not (t.order and t.order.date_time and t.order.amount):
                continue
            kind = "refund" if t.refund_id else "payment"
            name = t.refund_id or t.payment_id
            rows[kind, name] = (merchant_of[t.processing_terminal_id], kind, t.order.date_time[:10],
                abs(t.order.amount), t.order.currency, name, t.order.order_id, None)
    schema = ["merchant", "kind", "date", "amount", "currency", "reference", "order", "last4"]
    table = polars.DataFrame(list(rows.values()), schema=schema, orient="row", infer_schema_length=None)
    return table.with_columns(polars.col("date").str.slice(0, 10).str.to_date()).with_row_index("item")


def each_once(pairs):
    """Pairs whose item and record have no other candidate."""
    return pairs.filter(
        (polars.len().over("item") == 1) & (polars.len().over("record") == 1)
    ).select("item", "record")


def match(have, books):
    books = books.filter(polars.col("status").is_null() | polars.col("status").is_in(["", "paid"]))
    found = []

    def settle(pairs, name):
        nonlocal have, books
        found.append(pairs.with_columns(how=polars.lit(name)))
        have = have.join(pairs, on="item", how="anti")
        books = books.join(pairs, on="record", how="anti")

    money = ["merchant", "kind", "amount", "currency"]
    settle(each_once(have.join(books, on=["merchant", "reference"]).select("item", "record")), "reference")
    settle(each_once(have.join(books, on=["order", *money]).select("item", "record")), "order")
    near = lambda keys: have.join(books, on=keys, suffix="_booked").filter(
        (polars.col("date") - polars.col("date_booked")).dt.total_days().abs() <= WINDOW_DAYS
    ).with_columns(apart=(polars.col("date") - polars.col("date_booked")).dt.total_days().abs())
    settle(each_once(near([*money, "last4"]).select("item", "record")), "last four")
    # As many on one side as on the other of a day and an amount pair off in their order.
    key = [*money, "date"]
    place = polars.int_range(polars.len()).over(key).alias("place")
    many = polars.len().over(key).alias("many")
    ranked = (have.with_columns(place, many), books.with_columns(place, many))
    settle(ranked[0].join(ranked[1], on=[*key, "place", "many"]).select("item", "record"), "as many")
    settle(each_once(near(money).select("item", "record")), "nearby")
    return polars.concat(found), have, books


def main():
    base, auth_url, config, first, last, books_file, folder = sys.argv[1:]
    with open(config, "rb") as file:
        merchants = tomllib.load(file)["merchants"]
    merchant_of = {t: merchant["id"] for merchant in merchants for t in merchant["terminals"]}
    first, last = map(datetime.date.fromisoformat, (first, last))
    dates = [first + datetime.timedelta(days=day) for day in range((last - first).days + 1)]
    requests, batches, authorizations, deposits, fees, listed = asyncio.run(
        night.fetch(base, auth_url, list(merchant_of), dates)
    )
    store = os.path.join(folder, "peer.db")
    night.store(store, batches, authorizations, deposits, fees, listed)
    night.report(folder, batches, authorizations, deposits)
    books = ledger(books_file)
    with sqlite3.connect(store) as database:
        names = ", ".join(f'"{name}"' for name in COLUMNS)
        database.execute(f"create table ledger (record integer primary key, {names})")
        texts = books.with_columns(polars.col("date").cast(polars.String))
        holes = ", ".join("?" for _ in texts.columns)
        database.executemany(f"insert into ledger values ({holes})", texts.iter_rows())
    have = items(authorizations, listed, merchant_of).filter(
        polars.col("date").is_between(first, last)
    )
    pairs, missing, unknown = match(have, books)
    joined = pairs.join(items(authorizations, listed, merchant_of), on="item").join(
        books, on="record", suffix="_booked"
    )
    for day in dates:
        of_day = joined.filter(polars.col("date") == day)
        of_day.write_csv(os.path.join(folder, f"matches-{day}.csv"))
        missing.filter(polars.col("date") == day).write_csv(os.path.join(folder, f"missing-{day}.csv"))
        unknown.filter(polars.col("date") == day).write_csv(os.path.join(folder, f"unknown-{day}.csv"))
    print(f"{requests} requests, {len(have)} items, {len(books)} records, {len(pairs)} pairs, "
          f"{len(missing)} items and {len(unknown)} records left", file=sys.stderr)


if __name__ == "__main__":
    main()
