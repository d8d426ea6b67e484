"""The sandbox's worlds, read by the rules: what its API lists is judged as it is, and what is found is what
its answer key expects, and nothing in a clean world. Books and statements are not read.

    tests/rules/run --sandbox [--seeds N] [--each] [--kind A,B] [--plant A,B]

Without --kind a world holds all that is read here; with --each there is a world for each kind.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import kinds
from cases import TERMS
from life import Life
from program import TIEOUT
from world import (
    Authorization, Batch, Deposit, Dispute, Fee, Merchant, Return, Transfer, World, local_date, money,
)

FIRST, LAST = date(2026, 11, 2), date(2026, 11, 20)
# Days before the first that are listed as well, and days before the first with disputes.
BEFORE, DISPUTED_BEFORE = 12, 40
KINDS = """own-contracts daily-repeats late-deductions never-settled-returns correction-notices
    dishonored-returns disputes-to-and-fro old-disputes late-voids subscriptions orders-in-parts
    timeless-transfers closed-first weekend-deposits date-beside split-captures disputes returns-without-batch
    undated-returns rare-statuses""".split()
# Codes that depend on books or statements, which are not read here.
NOT_READ = {*kinds.LEDGER_CODES, "DEPOSIT_NOT_IN_BANK", "BANK_AMOUNT_MISMATCH", "BANK_CREDIT_UNKNOWN"}


class Api:
    def __init__(self, base):
        self.base = base
        said = self.ask("/authorize", {"x-api-key": "sandbox-key"}, b"")
        self.token = said["access_token"]

    def ask(self, path, headers=None, body=None):
        request = urllib.request.Request(self.base + path, body, headers or {"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def every(self, path):
        after = ""
        while True:
            page = self.ask(f"/v1{path}&limit=100{after}")
            yield from page["data"]
            if not page["hasMore"]:
                return
            link = next(one["href"] for one in page["links"] if one["rel"] == "next")
            after = "&after=" + link.split("after=")[1].split("&")[0]


def day_of(text):
    return date.fromisoformat(text) if text else None


def read(api, settings):
    world = World(FIRST, LAST, dict(TERMS), way="range", kinds=kinds.named("all"), disputes_answer=200)
    usual = settings.get("time_zone", "UTC")
    zones = {}
    for one in settings["merchants"]:
        calendar = one.get("calendar", "canada" if one["currency"] == "CAD" else "us-federal-reserve")
        zone = one.get("time_zone", usual)
        terms = {"capture_tolerance": one.get("capture_tolerance_percent", 0)}
        terminals = [str(terminal) for terminal in one.get("terminals", [])]
        world.merchants.append(Merchant(one["id"], one["currency"], calendar, zone, terminals, False, terms))
        zones |= dict.fromkeys(terminals, (one["id"], zone))
    for at in dates(BEFORE):
        for one in api.every(f"/batches?date={at}"):
            sums = one["saleAmount"], one["returnAmount"], one["transactionCount"]
            world.batches.append(Batch(one["batchId"], owner(one), at, one["currency"], *sums))
        world.authorizations += [authorization(one, at) for one in api.every(f"/authorizations?date={at}")]
        world.deposits += [deposit(one) for one in api.every(f"/ach-deposits?date={at}")]
        for one in api.every(f"/ach-deposit-fees?date={at}"):
            named = (one.get("achDeposit") or {}).get("achDepositId")
            world.fees.append(Fee(owner(one), named, at, one["amount"], one["description"]))
    for at in dates(DISPUTED_BEFORE):
        for one in api.every(f"/disputes?date={at}"):
            statuses = api.ask(f"/v1/disputes/{one['disputeId']}/statuses")
            statuses = sorted((day_of(x["statusDate"]), x["status"]) for x in statuses)
            named = (one.get("transaction") or {}).get("transactionId")
            fields = one["disputeId"], owner(one), one["currency"], at, statuses
            world.disputes.append(Dispute(*fields, one["disputeAmount"], one["feeAmount"], named))
    for terminal, (merchant, zone) in zones.items():
        for kind in ("payment", "refund"):
            world.transfers += transfers(api, kind, terminal, merchant, zone)
    by_id = {one.id: one for one in world.transfers}
    for one in world.transfers:
        one.again = by_id.get(one.again)
    return world


def dates(before):
    return [FIRST + timedelta(n) for n in range(-before, (LAST - FIRST).days + 1)]


def owner(one):
    return one["merchant"]["merchantId"]


def authorization(one, at):
    transaction, batch = one.get("transaction") or {}, one.get("batch") or {}
    card = one["card"]
    return Authorization(
        one["authorizationId"], owner(one), at, one["currency"], batch.get("batchId"), card["cardNumber"][-4:],
        one.get("authorizationResponse"), one.get("preauthorizationRequestAmount"),
        transaction.get("transactionId"), transaction.get("type"), transaction.get("amount", 0),
        None, None, None, day_of(transaction.get("date")), card["type"],
    )


def deposit(one):
    names = "transactions achAdjustment dailyFees heldSales holdback reserveRelease netAmount".split()
    sums = [one["sales"], one["returns"], *(one[name] for name in names)]
    dates = day_of(one["associationDate"]), day_of(one["paymentDate"])
    return Deposit(one["achDepositId"], owner(one), *dates, *sums, sent=day_of(one["achDate"]))


def transfers(api, kind, terminal, merchant, zone):
    """Those that settled, by date, and those that have not."""
    found, path = {}, f"/bank-transfer-{kind}s?processingTerminalId={terminal}"
    for at in dates(BEFORE):
        for one in api.every(f"{path}&settlementState=settled&settlementDate={at}"):
            known = found.setdefault(one[f"{kind}Id"], (one, at, None))
            found[one[f"{kind}Id"]] = known if known[1] == at else (one, known[1], at)
    for one in api.every(f"{path}&settlementState=unsettled"):
        found.setdefault(one[f"{kind}Id"], (one, None, None))
    came_back = {x["paymentId"] for one, *_ in found.values() for x in one.get("returns") or []}

    def name(id):
        """Names returned transfers as the worlds here do."""
        return id and ("Z" if id in came_back else "P") + id

    for one, settled, again in found.values():
        order, result = one["order"], one["transactionResult"]
        returns = [
            Return(name(x["paymentId"]), day_of(x["date"]), x["represented"], x["closed"], x["returnCode"])
            for x in one.get("returns") or []
        ]
        moment = order.get("dateTime")
        transfer = Transfer(
            name(one[f"{kind}Id"]), kind, merchant, terminal, order["currency"], moment and local_date(zone, moment),
            moment, settled, order["amount"], order["orderId"], one["bankAccount"]["accountNumber"][-4:],
            result["type"], result["status"], name((one.get("payment") or {}).get("paymentId")), returns,
            name((one.get("representment") or {}).get("paymentId")), again,
        )
        yield transfer


def differs(seed, kind, plant):
    """Missing and additional findings."""
    with tempfile.TemporaryDirectory(prefix="tieout-rules-") as folder:
        made = ["--seed", seed, "--from", FIRST, "--to", LAST, "--merchants", 12, "--transactions-per-day", 160]
        made += ["--kind", kind] if kind else []
        made += ["--plant", plant] if plant else []
        subprocess.run([TIEOUT, "sandbox", "generate", *map(str, made), "--out", folder], check=True, capture_output=True)
        arguments = ["sandbox", "serve", "--world", f"{folder}/world.json", "--listen", "127.0.0.1:0"]
        served = subprocess.Popen([TIEOUT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            base = next(word for line in served.stdout for word in line.split() if word.startswith("http://"))
            settings = tomllib.loads((Path(folder) / "tieout.toml").read_text())
            world = read(Api(base.rstrip("/.,").removesuffix("/v1")), settings)
        finally:
            served.terminate()
            served.wait()
        expected = json.loads((Path(folder) / "expected.json").read_text())["expected"]
    life, found = Life(), set()
    for at in world.days:
        for (code, merchant, _), (status, first, *figures) in life.run(replace(world, day=at), LAST)[1].items():
            if status == "new" and code not in NOT_READ and first == str(at):
                found.add((code, merchant, first, *figures))
    wanted = {
        (one["code"], one["merchant_id"], one["first_seen"], *texts(world, one))
        for one in expected
        if one["code"] not in {*NOT_READ, "UNKNOWN_MERCHANT"}
    }
    open_codes = {(key[0], key[1]) for key in life.left_open if key[0].isupper()}
    return [one for one in sorted(found ^ wanted) if one[:2] not in open_codes]


def texts(world, one):
    currency = {x.id: x.currency for x in world.merchants}[one["merchant_id"]]
    sums = [one["expected"], one["actual"]]
    if one["currency"] is None:
        return ["" if x is None else str(x) for x in sums]
    return [money(currency, x) for x in sums]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--each", action="store_true")
    options.add_argument("--kind", default=",".join(KINDS))
    options.add_argument("--plant", default="")
    options = options.parse_args()
    asked = KINDS if options.each else [options.kind]
    wrong = 0
    for kind in asked:
        for seed in range(1, options.seeds + 1):
            found = differs(seed, kind, options.plant)
            wrong += bool(found)
            if found:
                print(f"sandbox, seed {seed}, {kind or 'plain'} {options.plant}", *found, sep="\n  ")
    print(f"sandbox: {len(asked) * options.seeds} worlds, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
