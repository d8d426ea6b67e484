"""Fields that a service leaves out cause no finding and are not zero: a world is played twice, in full
and with some fields left out, and the reports of the second are compared with those of the first.
"""

import json
import random

from kinds import LEDGER_CODES
from maker import Maker
from program import configure, run_night, table
from subjects import subject
from world import name_of

# The fields that may be left out, by kind of record and path. Identities of rows are never left
# out.
FIELDS = {
    "deposits": (
        "merchant associationDate transactions sales returns dailyFees heldSales achAdjustment "
        "holdback reserveRelease netAmount"
    ),
    "fees": "amount",
    "batches": "merchant saleAmount returnAmount transactionCount currency",
    "authorizations": (
        "merchant transaction.amount transaction.type currency preauthorizationRequestAmount "
        "authorizationResponse"
    ),
    "transfers": "order.amount order.currency order.dateTime transactionResult.type "
    "transactionResult.status",
}
FIELDS = [(name, path) for name, paths in FIELDS.items() for path in paths.split()]
# Checks that need these skip the record, and say nothing.
IN_ORDINARY_LIFE = {"order.dateTime", "preauthorizationRequestAmount", "authorizationResponse"}
# A record without these counts elsewhere, or is not an item.
MOVES_IN_SUMMARY = {"merchant", "currency", "transaction.type"}
MOVES_IN_SUMMARY |= {one for _, one in FIELDS if one.startswith(("order.", "transactionResult."))}
TABLES = {"deposits": ("ach_deposit_id",), "batches": ("batch_id",)}
TABLES |= {"summary": ("merchant_id", "currency")}
# Columns of findings, not of known figures; and columns of the books' remainder.
NOT_FIGURES = {"verdict", "opening", "new", "cleared", "closing", "closing_amount"}
NOT_FIGURES |= {"opening_amount", "new_amount", "cleared_amount", "overdue_amount"}
NOT_FIGURES |= {"changed_amount"}
NOT_FIGURES |= {"ledger_records", "matched", "match_rate"}


def draw(seed, world):
    """By kind and name of a record: the left-out field, and whether its key is left out as well."""
    left_out, drawn = {}, random.Random(f"unknown {seed}")
    for _ in range(drawn.choice([1, 1, 2, 3])):
        name, path = drawn.choice(FIELDS)
        if records := getattr(world, name):
            left_out[name, name_of(drawn.choice(records))] = path, drawn.random() < 0.5
    return left_out


def play(seed, service, folder):
    """The violations, and the number of compared rows."""
    world = Maker(seed).make()
    world.changes, world.later_terms = [], None
    left_out, folders = draw(seed, world), (folder / "full", folder / "partial")
    for fields, one in zip(({}, left_out), folders, strict=True):
        world.left_out = fields
        configure(one, world, service.port)
        for day in world.days:
            wrong = run_night(world, service, one, day, fine=(0, 4) if fields else None)
            if wrong:
                return wrong, 0
    compared = Comparison(world, *folders)
    for day in world.days:
        compared.compare(day)
    wrong = compared.wrong and [f"left out: {left_out}", *compared.wrong]
    return wrong, compared.rows


class Comparison:
    """The reports with all fields, and those without some of them."""

    def __init__(self, world, full, partial):
        self.world, self.full, self.partial = world, full, partial
        self.paths = {path for path, _ in world.left_out.values()}
        # An authorization that names no merchant is its batch's.
        batches = {one.id for one in world.batches if ("batches", one.id) not in world.left_out}
        owned = {one.id for one in world.authorizations if one.batch in batches}
        self.moved = {
            path
            for (_, record), (path, _) in world.left_out.items()
            if path != "merchant" or record not in owned
        }
        names = {name for _, name in world.left_out}
        self.items = {str(name) for name in names}
        self.items |= {str(one.transaction) for one in world.authorizations if one.id in names}
        self.configured = {one.id for one in world.merchants}
        self.wrong, self.rows = [], 0
        # Codes and merchants that were not evaluated on a date, and merchants ever.
        self.untold, self.ever = set(), set()

    def compare(self, day):
        full, partial = self.compare_findings(day)
        for key, (status, *_) in full.items():
            is_silent = partial.get(key, ("cleared",))[0] == "cleared"
            if status == "new" and is_silent and not self.was_said(key[1]):
                self.wrong.append(f"{day} {key}: nothing is said of it")
        for name, keys in TABLES.items():
            self.compare_table(day, name, keys)

    def compare_findings(self, day):
        """Checks that no finding is wrongly reported or cleared; returns the common findings."""
        with open(self.partial / "reports" / str(day) / "run.json") as file:
            entries = json.load(file)["checks"]["not_evaluated"]
        self.untold = {(one["code"], one["merchant_id"]) for one in entries}
        self.ever |= {one["merchant_id"] for one in entries}
        full, partial = self.found(self.full, day), self.found(self.partial, day)
        self.rows += len(full)
        for key, (status, *figures) in partial.items():
            known, *known_figures = full.get(key, ("",))
            is_there = known in ("new", "open")
            # The record of an item that is left out for want of a type may belong to another item.
            is_paired = key[0] == "MISSING_IN_LEDGER" and "transaction.type" in self.paths
            if status == "cleared" and is_there and not is_paired:
                self.wrong.append(f"{day} {key} is cleared, and should be {known}")
            elif status != "cleared" and not self.is_fair(key, status, figures, known, known_figures):
                self.wrong.append(f"{day} {key} is {status} {figures}, and {known} {known_figures}")
        return full, partial

    def is_fair(self, key, status, figures, known, known_figures):
        """Whether it is found as well when everything is known, or was before."""
        code, merchant, what = key
        pairs = zip(figures, known_figures, strict=False)
        if known in ("new", "open") and all(one in (other, "") for one, other in pairs):
            return True
        # The item that a record names may lie on a day without a run.
        is_unread = code == "MISSING_AT_PROCESSOR" and status == "open" and not known
        if is_unread and not self.world.left_out:
            return True
        # Another item may have taken the record of an item with unknown fields; and a day before
        # the start is read if a deposit names it.
        is_moved = code == "MISSING_IN_LEDGER" and what in self.items
        is_read_later = self.moved & {"associationDate", "merchant"}
        is_moved = is_moved or (code in LEDGER_CODES and bool(is_read_later))
        is_untold = {(code, merchant), (code, "")} & self.untold
        return is_moved or (status == "open" and bool(is_untold))

    def was_said(self, merchant):
        return bool({merchant, ""} & self.ever) or bool(self.paths & IN_ORDINARY_LIFE)

    def found(self, folder, day):
        rows = table(folder, day, "discrepancies")
        rows = [row for row in rows if row["code"] != "UNKNOWN_MERCHANT"]
        return {
            (row["code"], row["merchant_id"], subject(row)): (
                row["status"],
                row["expected"],
                row["actual"],
            )
            for row in rows
        }

    def compare_table(self, day, name, keys):
        """Every figure is equal, or empty."""
        moves = {"summary": MOVES_IN_SUMMARY, "batches": {"merchant"}}.get(name, set())
        if self.moved & moves:
            return
        full, partial = (
            {tuple(row[key] for key in keys): row for row in self.rows_of(folder, day, name)}
            for folder in (self.full, self.partial)
        )
        for key in full.keys() | partial.keys():
            if key not in full or key not in partial:
                if not self.may_be_alone(key, key in full):
                    self.wrong.append(f"{day} {name} {key} is in one of them alone")
                continue
            for column, figure in full[key].items():
                if column not in NOT_FIGURES and partial[key][column] not in (figure, ""):
                    self.wrong.append(
                        f"{day} {name} {key} {column}: {partial[key][column]}, and {figure}"
                    )

    def rows_of(self, folder, day, name):
        return table(folder, day, name)

    def may_be_alone(self, key, _):
        """The currency of a merchant that is not configured is that of the batches."""
        is_elsewhere = "associationDate" in self.paths and key[0] not in self.configured
        return "merchant" in self.moved or is_elsewhere
