"""Compares the reports of a run with the rules for its world."""

from collections import defaultdict

import adjustments
import bank
import books
import disputes
import final
import holds
import kinds
import published
from checks import FIGURES
from program import table
from subjects import STATUSES, WITHOUT_SUMS, subject
from transit import Transit
from world import STRANGER, money


class Reports(Transit):
    """The folder of one date."""

    def __init__(self, world, folder, day, judged, rows, left_open):
        self.world, self.folder, self.day = world, folder, day
        self.judged, self.rows = judged, rows
        self.wrong = []
        # Merchants with findings that no kind reads here.
        self.open = left_open

    def table(self, name):
        return table(self.folder, self.day, name)

    def same(self, what, expected, found):
        if expected != found:
            self.wrong.append(f"{self.day} {what}: by the rules {expected}, reported {found}")

    def has_open_books(self, merchant):
        return (books.OPEN, merchant) in self.open

    def check(self):
        self.check_discrepancies()
        named = [row for row in self.table("discrepancies") if row["severity"] != "info"]
        named = [row for row in named if row["code"] != "DISPUTE_OPEN"]
        self.named = {
            column: {id for row in named if row["status"] != "cleared" for id in row[column].split(";")}
            for column in ("batch_id", "ach_deposit_id")
        }
        self.check_deposits()
        self.check_batches()
        self.check_in_transit()
        self.check_summary()
        self.check_matches()
        self.check_disputes()
        return self.wrong

    def check_discrepancies(self):
        payment_of = {back.id: one.id for one in self.world.transfers for back in one.returns}
        expected, found = defaultdict(list), defaultdict(list)
        for (code, merchant, what), row in self.rows.items():
            what = payment_of.get(what, what) if code == "RETURN_OUTSTANDING" else what
            what = what[1] if code == "FEE_WITHOUT_DEPOSIT" else what
            if code.startswith("DEPOSIT_"):
                # Without the second currency that it may be named with.
                what = what.split(" ")[0]
            if row[0] == "accepted":
                continue
            expected[code, merchant, what].append(row)
        for row in self.table("discrepancies"):
            columns = ("status", "first_seen", "expected", "actual")
            values = tuple(row[column] for column in columns)
            if row["code"] in WITHOUT_SUMS:
                values = (*values[:2], "", "")
            if row["code"] != "UNKNOWN_MERCHANT":
                found[row["code"], row["merchant_id"], subject(row)].append(values)
        opened = {(*key[:-1], str(key[-1]).split(" ")[0]) for key in self.open} | self.open
        for key in sorted(expected.keys() | found.keys(), key=str):
            is_open = key in opened or key[0] in kinds.LEDGER_CODES and self.has_open_books(key[1])
            if not is_open:
                self.same(key, sorted(expected[key]), sorted(found[key]))
        self.check_severities()

    def check_severities(self):
        severities = {key: text for one in self.judged for key, text in one.severities.items()}
        codes = {key[0] for key in severities}
        rows = self.table("discrepancies")
        for row in [row for row in rows if row["code"] in codes]:
            key = row["code"], row["merchant_id"], subject(row)
            is_open = key in self.open or row["status"] not in ("new", "open")
            if key in severities and not is_open:
                self.same(f"severity of {key}", severities[key], row["severity"])

    def check_deposits(self):
        rows = {row["ach_deposit_id"]: row for row in self.table("deposits")}
        own = {id for id, row in rows.items() if row["merchant_id"] != STRANGER}
        # Amounts of a deposit with an unknown currency are empty.
        own = {id for id in own if rows[id]["currency"]}
        paid = [
            (known, one)
            for known in self.judged
            for deposits in known.deposits.values()
            for one in deposits
            if one.paid == self.day
        ]
        self.same("deposits", {str(one.id) for _, one in paid}, own)
        for known, one in paid:
            self.check_deposit(known, one, rows.get(str(one.id), {}))

    def check_deposit(self, known, one, row):
        first, currency = known.group_of(one), known.merchant.currency
        batches, special = known.batches_with(first), holds.special(known, first)
        figures = {"net_expected": one.components, "fees_total": known.fees_of(one)}
        left_open = self.leaves_open(known, first)
        if not special and not left_open:
            figures |= figures_of_group(known, one)
        for name, figure in figures.items():
            text = "" if figure is None else money(currency, figure)
            self.same(f"{name} of deposit {one.id}", text, row.get(name))
        if left_open:
            return
        days = ";".join(sorted({str(batch.day) for batch in batches}))
        self.same(f"days of deposit {one.id}", days, row.get("pays_for"))
        is_held = any(holds.is_on_hold(known, other) for other in special) or bank.is_awaited(known, one)
        if (is_held or not special) and not self.has_no_verdict(known, first):
            is_named = str(one.id) in self.named["ach_deposit_id"]
            self.same(f"verdict of deposit {one.id}", verdict_of(known, one, is_named), row.get("verdict"))

    def leaves_open(self, known, group):
        """Whether something that is found of a group is left open."""
        ones = [*known.batches_with(group), *known.deposits[group]]
        names = {str(group), *(str(one.id) for one in ones)}
        names.add(f"{group} {known.merchant.currency}")
        is_unclear = group in known.unclear
        return is_unclear or any(key[-1] in names for key in self.open)

    def has_no_verdict(self, known, group):
        """Whether something of it is not evaluated."""
        days = known.days_with(group)
        cards = [one for one in known.authorizations if one.day in days]
        unknown = (published.NO_ANSWER, published.NO_STATUS, published.NO_TYPE)
        is_unknown = any({one.response, one.status, one.type} & set(unknown) for one in cards)
        return is_unknown or known.merchant.terminals is None

    def check_batches(self):
        rows = {row["batch_id"]: row for row in self.table("batches")}
        own = {id for id, row in rows.items() if row["merchant_id"] != STRANGER}
        dated = [(known, batch) for known in self.judged for batch in known.batches[self.day]]
        self.same("batches", {str(batch.id) for _, batch in dated}, own)
        for known, batch in dated:
            row = rows.get(str(batch.id), {})
            deposits, units = known.paid_for(self.day), list(known.units(self.day))
            ids = ";".join(str(id) for id in sorted(one.id for one in deposits))
            self.same(f"deposits of batch {batch.id}", ids, row.get("ach_deposit_id"))
            # An unknown type makes the totals not evaluated.
            if len(units[0][0]) == 1 and published.has_totals(known, [batch]):
                items = next(items for group, items in units if batch in group)
                self.same(f"items of batch {batch.id}", str(len(items)), row.get("items_count"))
            last = known.last_day(self.day)
            is_waiting = not known.is_due(last, "payout") and not is_paid(known, self.day)
            verdict = "in_transit" if is_waiting else "tied"
            if str(batch.id) in self.named["batch_id"]:
                verdict = "discrepancy"
            special = holds.special(known, self.day)
            if any(holds.is_on_hold(known, one) for one in holds.of_batch(known, batch)) and verdict == "tied":
                verdict = "in_transit"
                special = []
            group = min(known.days_with(self.day))
            is_open = special or self.leaves_open(known, group)
            is_open = is_open or self.has_no_verdict(known, group)
            is_open = is_open or adjustments.is_waiting(known, group)
            if (deposits or not batch.is_empty) and not is_open:
                self.same(f"verdict of batch {batch.id}", verdict, row.get("verdict"))
            self.check_held(known, batch, row)

    def check_held(self, known, batch, row):
        """The parts on hold, settled elsewhere or withdrawn; empty if the key does not show them."""
        own = holds.of_batch(known, batch)
        sides = {
            "on_hold": lambda one: holds.is_on_hold(known, one),
            "settled_elsewhere": holds.is_elsewhere,
            "withdrawn": holds.is_withdrawn,
        }
        for column, belongs in sides.items():
            amount = holds.amount([one for one in own if belongs(one)])
            text = money(batch.currency, amount) if self.world.has_links else ""
            self.same(f"{column} of batch {batch.id}", text, row.get(column))

    def check_disputes(self):
        expected = {}
        for known in self.judged:
            currency = known.merchant.currency
            for id, status, at, until, amount, fee, verdict in disputes.rows(known):
                texts = (money(currency, amount), money(currency, fee))
                expected[id] = (status, str(at), str(until or ""), *texts, verdict)
        columns = ("status", "status_date", "due_date", "dispute_amount", "fee_amount", "verdict")
        found = {
            row["dispute_id"]: tuple(row[name] for name in columns)
            for row in self.table("disputes")
        }
        known = {str(one.id) for one in self.world.disputes if one.submitted >= self.world.start}
        found = {id: row for id, row in found.items() if id in known}
        for id in expected.keys() | found.keys():
            one, other = expected.get(id), found.get(id)
            if one and one[-1] is None:
                one, other = one[:-1], other and other[:-1]
            self.same(f"dispute {id}", one, other)

    def check_summary(self):
        rows = self.table("summary")
        for known in self.judged:
            final.check(self, known)
            merchant = known.merchant
            own = [row for row in rows if row["merchant_id"] == merchant.id]
            row = next((row for row in own if row["currency"] == merchant.currency), {})
            deposits = [one for group in known.deposits.values() for one in group]
            deposits = [one for one in deposits if one.paid == self.day]
            net = money(merchant.currency, sum(one.net for one in deposits))
            items = [
                (one.type == "return", one.amount) for one in known.cards if one.day == self.day
            ]
            items += [
                (one.kind == "refund", one.amount)
                for one in known.settled
                if one.settled == self.day
            ]
            amount = sum(-amount if is_return else amount for is_return, amount in items)
            figures = {
                "deposits": str(len(deposits)),
                "deposited_net": net,
                "batches": str(len(known.batches[self.day])),
                "items": str(len(items)),
                "items_amount": money(merchant.currency, amount),
            }
            is_second = not any(one is merchant for one in known.world.merchants)
            if is_second and not row and not any(float(one) for one in figures.values()):
                # A second currency has a row where something of it is dated.
                continue
            for name, figure in figures.items():
                self.same(f"{name} of {merchant.id}", figure, row.get(name))
            is_open = any(key[1] == merchant.id for key in self.open)
            if not is_open:
                self.check_roll(merchant, own)

    def check_roll(self, merchant, rows):
        carried = [
            row[0]
            for key, row in self.rows.items()
            if key[1] == merchant.id and key[0] not in kinds.NOT_CARRIED
        ]
        counts = {name: carried.count(name) for name in STATUSES}
        expected = {
            "opening": counts["open"] + counts["cleared"] + counts["accepted"],
            "new": counts["new"],
            "cleared": counts["cleared"],
            "accepted": counts["accepted"],
            "closing": counts["open"] + counts["new"],
        }
        found = {name: sum(int(row[name]) for row in rows) for name in expected}
        self.same(f"discrepancies of {merchant.id}", expected, found)

    def check_matches(self):
        found = self.table("matches")
        for known in self.judged:
            merchant = known.merchant.id
            if not known.merchant.has_books or self.has_open_books(merchant):
                continue
            expected = {
                (item.id, record.id, name)
                for name, items, records in known.pairs
                for item in items
                if not item.is_waiting
                for record in records
                if max(one.day for one in [*items, *records]) == self.day
            }
            expected |= {(x.id, y.id, "counter") for x, y, at in known.countered if max(y.day, at) == self.day}
            # A stand-in for another item counts on its own later day.
            expected |= {
                (item.id, records[-1].id, name)
                for item, name, records in known.stand_ins
                if not item.is_waiting and max(one.day for one in [item, *records]) == self.day
            }
            own = {
                (row["item_id"], row["ledger_id"], row["pass"])
                for row in found
                if row["merchant_id"] == merchant
            }
            self.same(f"pairs of {merchant}", sorted(expected), sorted(own))


def is_paid(known, group):
    """Whether no figure of the group's deposits falls short of its batches."""
    deposits, batches = known.paid_for(group), known.batches_with(group)
    sums = [
        (sum(getattr(one, name) for one in deposits), sum(getattr(one, name) for one in batches))
        for name in FIGURES
    ]
    sums.append((sum(one.adjustment for one in deposits), known.returned_for(group)))
    return bool(deposits) and all(above >= below for above, below in sums)


def verdict_of(known, one, is_named):
    """The verdict of a deposit; `is_named` states whether a finding names it."""
    first = known.group_of(one)
    special = holds.special(known, first)
    below = zip(holds.figures_of(known.counted(first)), known.whole(first), strict=True)
    partial = any(x.status == "partialRelease" for x in special) and any(a < b for a, b in below)
    is_held = any(holds.is_on_hold(known, other) for other in special) or bank.is_awaited(known, one) or partial
    is_complete = is_paid(known, first) or known.is_due(known.last_day(first), "payout")
    is_complete = is_complete and not known.waits_for_returns(first)
    if is_named:
        return "discrepancy"
    return "tied" if is_complete and not is_held else "in_transit"


def figures_of_group(known, one):
    """Of deposits.csv: the figures of the group of a deposit, on its last one."""
    first = known.group_of(one)
    group, batches = known.deposits[first], known.batches_with(first)
    figures = {}
    if batches:
        figures["batch_sales"], figures["batch_returns"], _ = known.whole(first)
        # Without its terminals the returned amount is unknown.
        is_read = known.merchant.terminals is not None
        figures["returned_amount"] = known.returned_for(first) if is_read else None
    is_settled = not batches or is_paid(known, first) or known.is_due(known.last_day(first), "payout")
    if max(group, key=lambda other: (other.paid, other.id)) is not one:
        figures["unexplained"] = None
    elif is_settled:
        # Without a batch there is nothing below.
        sales, returns, _ = known.below(first) if batches else (0, 0, 0)
        adjusted = known.adjusted[first]
        explained = sales - returns - known.returned_for(first) - adjusted.disputed - adjusted.carried
        explained -= sum(known.fees_of(other) + other.held + other.holdback - other.release for other in group)
        figures["unexplained"] = sum(other.net for other in group) - explained
    return figures
