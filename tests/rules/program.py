"""Runs the program in a folder: its configuration, the books beside it, a run."""

import csv
import json
import os
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import kinds
from world import Line, money, seen_on

TIEOUT = Path(os.environ.get("TIEOUT", "target/debug/tieout")).resolve()
LATER = "2027-01-20T12:00:00Z"
FILES = ("discrepancies", "deposits", "batches", "matches", "in_transit", "summary")
TERMS = ("payout", "settle", "ledger", "return", "restated")
OTHER_TERMS = {"dispute": "dispute_days", "capture_tolerance": "capture_tolerance_percent"}
# The commands of a run, in order.
STAGES = ["run"]
COLUMNS = ["id", "kind", "date", "amount", "currency", "order_id", "reference", "last4", "status"]


def configuration(world, port):
    terms = world.terms
    lines = [
        f'[api]\nbase_url = "http://127.0.0.1:{port}/v1"\nauth_url = "http://127.0.0.1:{port}"',
        'requests_per_second = 0\nmax_attempts = 3\n[reports]\nformats = ["csv", "json"]\n[settlement]',
        *(f"{name}_days = {terms[name]}" for name in TERMS),
        f"[matching]\nwindow_days = {terms['window']}",
        f"amount_tolerance_minor = {terms['tolerance']}",
    ]
    lines[2:2] = [
        f"{name} = {terms[key]}"
        for key, name in OTHER_TERMS.items()
        if key in terms
    ]
    for one in world.merchants:
        lines += [
            f'[[merchants]]\nid = "{one.id}"\nname = "Shop"\ncurrency = "{one.currency}"',
            f'calendar = "{one.calendar}"\ntime_zone = "{one.time_zone}"',
            f"terminals = {json.dumps(one.terminals)}" if one.terminals is not None else "",
            f'ledger = "{one.id}"' if one.has_books else "",
            f'bank = "{one.id}"' if one.bank else "",
            *(f"{name}_days = {one.terms[name]}" for name in one.terms),
        ]
    for one in world.merchants:
        if one.has_books:
            columns = ", ".join(f'{name} = "{name}"' for name in COLUMNS)
            lines.append(f'[[ledgers]]\nname = "{one.id}"\npath = "{one.id}*.csv"')
            lines.append(f"columns = {{ {columns} }}")
    for one in world.merchants:
        if one.bank:
            lines.append(f'[[banks]]\nname = "{one.id}"\npath = "bank-{one.id}.csv"')
            lines.append('originators = ["Example Payments"]')
            lines.append('columns = { date = "Date", amount = "Amount", description = "Text" }')
    return "\n".join(lines) + "\n"


def configure(folder, world, port):
    """Writes the configuration into a folder, which may be a new one."""
    folder.mkdir(exist_ok=True)
    (folder / "tieout.toml").write_text(configuration(world, port))


def write_books(world, folder):
    for merchant in world.merchants:
        with open(folder / f"{merchant.id}.csv", "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(COLUMNS)
            for one in world.records:
                if one.merchant == merchant.id:
                    rows.writerow(row_of(one))
            for one, what in world.unreadable:
                if one.merchant == merchant.id:
                    rows.writerow(row_of(one, what))
        if merchant.bank:
            write_statement(world, merchant, folder)
        if world.overlap:
            write_earlier_export(world, merchant, folder)


def write_statement(world, merchant, folder):
    """It covers the days from its first line to its last."""
    ends = [Line(merchant.id, at, 1, "Opening") for at in world.covered]
    own = [one for one in world.lines if one.bank == merchant.bank]
    with open(folder / f"bank-{merchant.id}.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Date", "Amount", "Text"])
        for one in sorted([*own, *ends], key=lambda one: one.day):
            rows.writerow([one.day, money(merchant.currency, one.amount), one.text])


def write_earlier_export(world, merchant, folder):
    """Its name sorts before that of the books: the status in the books counts."""
    with open(folder / f"{merchant.id}-0.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for one in world.records:
            if one.merchant == merchant.id and one.id in world.overlap:
                rows.writerow(row_of(replace(one, status=world.overlap[one.id])))


def row_of(one, unreadable=None):
    texts = {"date": str(one.day), "amount": money(one.currency, one.amount), "status": one.status}
    texts[unreadable] = "??"
    reference = one.written or one.reference
    rest = (one.order, reference, one.last4, texts["status"])
    return (one.id, one.kind, texts["date"], texts["amount"], one.currency, *rest)


def ending(folder, arguments, now):
    """Runs the program; returns its exit code and its output."""
    command = [TIEOUT, *arguments]
    environment = os.environ | {"TIEOUT_API_KEY": "key", "TIEOUT_NOW": now}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stderr


def once(folder, arguments, now, fine=(0,)):
    """Runs the program; returns its output when it does not end as expected, else nothing."""
    code, said = ending(folder, arguments, now)
    return [] if code in fine else [f"{arguments}, {now}: ended with {code}: {said}"]


def run_dates(folder, dates, now=LATER, fine=(0,)):
    """Runs a date or a range; long after, by default."""
    for stage in STAGES:
        wrong = once(folder, [stage, "--no-progress", "-q", "--date", str(dates)], now, fine)
        if wrong:
            return wrong
    return []


def run_range(world, folder, fine=None):
    """Runs all dates at once, long after."""
    fine = fine or kinds.endings(world)
    return run_dates(folder, f"{world.start}..{world.end}", fine=fine)


def morning_after(day):
    return f"{day + timedelta(1)}T12:00:00Z"


def run_night(world, service, folder, day, fine=None):
    """Runs a date in the night after it, with a service and books in the state of that night."""
    service.world = seen_on(world, day)
    write_books(service.world, folder)
    return run_dates(folder, day, morning_after(day), fine or kinds.endings(world))


def table(folder, day, name):
    """The rows of a file of a date's reports."""
    with open(folder / "reports" / str(day) / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder, day):
    """The files of a date's reports, byte for byte."""
    return {name: (folder / "reports" / str(day) / f"{name}.csv").read_bytes() for name in FILES}


def differing(world, one, other):
    """The files that are not the same in two folders."""
    for day in world.days:
        here, there = contents(one, day), contents(other, day)
        yield from (f"{day} {name}" for name in FILES if here[name] != there[name])
