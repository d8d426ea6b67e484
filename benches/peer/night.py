"""The same night in Python, as a good engineer would write it for speed: asyncio and aiohttp
with 16 connections, authorizations read batch by batch, msgspec into typed structs, SQLite in
one transaction, totals in polars, CSV. It reads the same listings, knows few checks, keeps no pages
as evidence, and does not go on after a kill: it does less than the night has to. books.py is its
only user.
"""

import asyncio
import datetime
import os
import sqlite3
import urllib.parse

import aiohttp
import msgspec
import polars

CONNECTIONS = 16
PAYOUT_DAYS_BACK = 3


class Struct(msgspec.Struct, rename="camel", gc=False):
    """Only the named fields of the answers are kept."""


class Link(Struct):
    rel: str | None = None
    href: str | None = None


class Merchant(Struct):
    merchant_id: str | None = None


class BatchRef(Struct):
    batch_id: int | None = None
    date: str | None = None


class Card(Struct):
    card_number: str | None = None


class CardTransaction(Struct):
    transaction_id: int | None = None
    type: str | None = None
    date: str | None = None
    amount: int | None = None


class Authorization(Struct):
    authorization_id: int
    merchant: Merchant | None = None
    batch: BatchRef | None = None
    card: Card | None = None
    currency: str | None = None
    authorization_response: str | None = None
    preauthorization_request_amount: int | None = None
    transaction: CardTransaction | None = None


class Batch(Struct):
    batch_id: int
    date: str | None = None
    sale_amount: int | None = None
    return_amount: int | None = None
    transaction_count: int | None = None
    currency: str | None = None
    merchant: Merchant | None = None


class Deposit(Struct):
    ach_deposit_id: int
    association_date: str | None = None
    payment_date: str | None = None
    transactions: int | None = None
    sales: int | None = None
    returns: int | None = None
    daily_fees: int | None = None
    held_sales: int | None = None
    ach_adjustment: int | None = None
    holdback: int | None = None
    reserve_release: int | None = None
    net_amount: int | None = None
    merchant: Merchant | None = None


class DepositRef(Struct):
    ach_deposit_id: int | None = None


class Fee(Struct):
    description: str | None = None
    amount: int | None = None
    merchant: Merchant | None = None
    ach_deposit: DepositRef | None = None


class Order(Struct):
    order_id: str | None = None
    date_time: str | None = None
    amount: int | None = None
    currency: str | None = None


class Result(Struct):
    type: str | None = None
    status: str | None = None


class Transfer(Struct):
    payment_id: str | None = None
    refund_id: str | None = None
    processing_terminal_id: str | None = None
    order: Order | None = None
    transaction_result: Result | None = None


def page_of(kind):
    return msgspec.defstruct(
        f"Page{kind.__name__}",
        [("data", list[kind]), ("hasMore", bool, False), ("links", list[Link] | None, None)],
    )


DECODERS = {
    path: msgspec.json.Decoder(page_of(kind))
    for path, kind in {
        "ach-deposits": Deposit,
        "ach-deposit-fees": Fee,
        "batches": Batch,
        "authorizations": Authorization,
        "bank-transfer-payments": Transfer,
        "bank-transfer-refunds": Transfer,
    }.items()
}


class Api:
    def __init__(self, session, base, token):
        self.session, self.base = session, base
        self.headers = {"Authorization": f"Bearer {token}"}
        self.gate = asyncio.Semaphore(CONNECTIONS)
        self.requests, self.asked = 0, {}

    def listing(self, path, **filters):
        """The records of a listing, which is read once however many dates want it."""
        key = (path, tuple(filters.items()))
        if key not in self.asked:
            self.asked[key] = asyncio.ensure_future(self.read(path, filters))
        return self.asked[key]

    async def read(self, path, filters):
        records, after = [], None
        while True:
            query = filters | {"limit": "100"} | ({"after": after} if after else {})
            async with self.gate:
                self.requests += 1
                url = f"{self.base}/{path}?{urllib.parse.urlencode(query)}"
                async with self.session.get(url, headers=self.headers) as response:
                    response.raise_for_status()
                    body = await response.read()
            page = DECODERS[path].decode(body)
            records.extend(page.data)
            if not page.hasMore:
                return records
            href = next(link.href for link in page.links if link.rel == "next")
            after = urllib.parse.parse_qs(urllib.parse.urlsplit(href).query)["after"][0]


def wider(first, last):
    day = datetime.timedelta(days=1)
    return {
        "dateFrom": f"{first - day}T00:00:00Z",
        "dateTo": f"{last + 2 * day}T00:00:00Z",
    }


def terminal_listings(api, terminals, date):
    """Those of the date; settled and run ones once more of the day before, and the settled ones of
    the day that is paid."""
    look_back = date - datetime.timedelta(days=60)
    days = [date - datetime.timedelta(days=back) for back in range(3)]
    for terminal in terminals:
        one = {"processingTerminalId": terminal}
        for path in ("bank-transfer-payments", "bank-transfer-refunds"):
            for day in days:
                yield api.listing(path, **one, settlementState="settled", settlementDate=str(day))
            for day in days[:2]:
                yield api.listing(path, **one, **wider(day, day))
            yield api.listing(path, **one, settlementState="unsettled", **wider(look_back, date))
        yield api.listing(
            "bank-transfer-payments", **one, status="returned", **wider(look_back, date)
        )


async def night_of(api, terminals, date):
    """The listings of one date: batches, authorizations, deposits, fees, and bank transfers."""

    async def cards():
        batches = await api.listing("batches", date=str(date))
        busy = [batch for batch in batches if batch.transaction_count != 0]
        found = await asyncio.gather(
            *(api.listing("authorizations", batchId=str(batch.batch_id)) for batch in busy)
        )
        return batches, [record for records in found for record in records]

    async def money():
        deposits = await api.listing("ach-deposits", date=str(date))
        fees = await asyncio.gather(
            *(
                api.listing("ach-deposit-fees", achDepositId=str(deposit.ach_deposit_id))
                for deposit in deposits
            )
        )
        return deposits, [fee for some in fees for fee in some]

    earlier = [date - datetime.timedelta(days=back) for back in range(1, PAYOUT_DAYS_BACK + 1)]
    others = [api.listing("ach-deposit-fees", date=str(date))]
    others += [api.listing("ach-deposits", date=str(earlier[0]))]
    others += [api.listing("batches", date=str(day)) for day in earlier]
    transfers = asyncio.gather(*terminal_listings(api, terminals, date))
    (batches, authorizations), (deposits, fees), listed, rest = await asyncio.gather(
        cards(), money(), transfers, asyncio.gather(*others)
    )
    return batches + sum(rest[2:], []), authorizations, deposits + rest[1], fees, listed


async def fetch(base, auth_url, terminals, dates):
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        key = {"x-api-key": os.environ["TIEOUT_API_KEY"]}
        async with session.post(f"{auth_url}/authorize", headers=key) as response:
            token = (await response.json())["access_token"]
        api = Api(session, base, token)
        nights = await asyncio.gather(*(night_of(api, terminals, date) for date in dates))
        kinds = (sum(of_each, []) for of_each in zip(*nights))
        return api.requests, *kinds


def store(path, batches, authorizations, deposits, fees, listed):
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript(
        """
        pragma journal_mode = wal; pragma synchronous = normal;
        create table batch (batch_id integer primary key, day, merchant_id, sales, returns,
            transactions, currency);
        create table deposit (ach_deposit_id integer primary key, merchant_id, association_date,
            payment_date, transactions, sales, returns, daily_fees, held_sales, ach_adjustment,
            holdback, reserve_release, net_amount);
        create table fee (merchant_id, ach_deposit_id, description, amount);
        create table authorization (authorization_id integer primary key, day, merchant_id,
            batch_id, currency, response, preauthorization, last4, transaction_id, type,
            transaction_date, amount);
        create table transfer (id text primary key, terminal_id, order_id, run_at, amount,
            currency, type, status) without rowid;
        create table page (address text primary key, digest, content);
        begin;
        """
    )
    who = lambda record: record.merchant.merchant_id if record.merchant else None
    database.executemany(
        "insert or replace into batch values (?,?,?,?,?,?,?)",
        ((b.batch_id, b.date, who(b), b.sale_amount, b.return_amount, b.transaction_count,
          b.currency) for b in batches),
    )
    database.executemany(
        "insert or replace into deposit values (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        ((d.ach_deposit_id, who(d), d.association_date, d.payment_date, d.transactions, d.sales,
          d.returns, d.daily_fees, d.held_sales, d.ach_adjustment, d.holdback,
          d.reserve_release, d.net_amount) for d in deposits),
    )
    database.executemany(
        "insert into fee values (?,?,?,?)",
        ((who(f), f.ach_deposit and f.ach_deposit.ach_deposit_id, f.description, f.amount)
         for f in fees),
    )
    none = CardTransaction()
    nowhere = BatchRef()

    def rows():
        for a in sorted(authorizations, key=lambda record: record.authorization_id):
            card, batch = a.transaction or none, a.batch or nowhere
            number = a.card.card_number if a.card else None
            yield (a.authorization_id, batch.date, who(a), batch.batch_id, a.currency,
                   a.authorization_response, a.preauthorization_request_amount,
                   number and number[-4:], card.transaction_id, card.type, card.date, card.amount)

    database.executemany(
        "insert or replace into authorization values (?,?,?,?,?,?,?,?,?,?,?,?)", rows()
    )
    empty, unknown = Order(), Result()
    database.executemany(
        "insert or replace into transfer values (?,?,?,?,?,?,?,?)",
        ((t.payment_id or t.refund_id, t.processing_terminal_id, (t.order or empty).order_id,
          (t.order or empty).date_time, (t.order or empty).amount, (t.order or empty).currency,
          (t.transaction_result or unknown).type, (t.transaction_result or unknown).status)
         for some in listed for t in some),
    )
    database.execute("create index authorization_by_batch on authorization (batch_id)")
    database.execute("commit")
    database.close()


def report(folder, batches, authorizations, deposits):
    items = polars.DataFrame(
        [
            (a.batch.batch_id, a.transaction.type, abs(a.transaction.amount or 0))
            for a in authorizations
            if a.batch and a.transaction
        ],
        schema=["batch_id", "type", "amount"],
        orient="row",
    )
    sales = polars.col("amount").filter(polars.col("type") == "capture").sum()
    returns = polars.col("amount").filter(polars.col("type") == "return").sum()
    totals = items.group_by("batch_id").agg(
        items_count=polars.len(), items_sales=sales, items_returns=returns
    )
    headers = polars.DataFrame(
        [
            (b.batch_id, b.merchant.merchant_id if b.merchant else None, b.date,
             b.transaction_count, b.sale_amount, b.return_amount, b.currency)
            for b in batches
        ],
        schema=["batch_id", "merchant_id", "day", "count", "sales", "returns", "currency"],
        orient="row",
    )
    tied = headers.join(totals, on="batch_id", how="left").sort("batch_id")
    tied.write_csv(folder + "/batches.csv")
    paid = polars.DataFrame(
        [
            (d.ach_deposit_id, d.merchant.merchant_id if d.merchant else None,
             d.association_date, d.sales, d.returns, d.net_amount)
            for d in deposits
        ],
        schema=["ach_deposit_id", "merchant_id", "day", "paid_sales", "paid_returns", "net"],
        orient="row",
    )
    groups = headers.group_by("merchant_id", "day").agg(
        polars.col("sales").sum(), polars.col("returns").sum()
    )
    paid.join(groups, on=["merchant_id", "day"], how="left").sort("ach_deposit_id").write_csv(
        folder + "/deposits.csv"
    )
