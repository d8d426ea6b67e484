"""Holds the reports of a run against what the rules say of its world."""

from collections import defaultdict

import books
from checks import FIGURES
from program import table
from world import STRANGER, money

LEDGER_CODES = {"MISSING_IN_LEDGER", "MISSING_AT_PROCESSOR", "AMOUNT_MISMATCH", "STATUS_MISMATCH"}
LEDGER_CODES |= {"CURRENCY_MISMATCH", "AMBIGUOUS_MATCH", "DUPLICATE_IN_LEDGER"}
STATUSES = ("new", "open", "cleared", "accepted")
RECORDS = {"ach_deposit_id": "deposits", "batch_id": "batches"}
RECORDS |= {"payment_id": "transfers", "refund_id": "transfers", "authorization_id": "authorizations"}
OF_DEPOSITS = {"DEPOSIT_NET_MISMATCH", "DEPOSIT_FEES_MISMATCH", "FUNDS_HELD"}
OF_DEPOSITS |= {"DEPOSIT_WITHOUT_BATCH", "FEE_WITHOUT_DEPOSIT"}
OF_AUTHORIZATIONS = {"CAPTURE_EXCEEDS_AUTHORIZATION", "DECLINED_BUT_CAPTURED"}
OF_AUTHORIZATIONS |= {"DUPLICATE_TRANSACTION"}


def subject(row):
    """What a row is about, as the checks here name it."""
    code = row["code"]
    if code.endswith("_AFTER_RECONCILED"):
        columns = ("authorization_id", "payment_id", "refund_id", "ach_deposit_id", "batch_id")
        column = next(column for column in columns if row[column])
        return RECORDS[column], row[column]
    if code in OF_DEPOSITS:
        return row["ach_deposit_id"]
    if code.startswith("DEPOSIT_"):
        return row["batch_date"]
    if code.startswith("BATCH_"):
        return row["batch_id"]
    if code in OF_AUTHORIZATIONS:
        return row["authorization_id"]
    if code in ("MISSING_AT_PROCESSOR", "DUPLICATE_IN_LEDGER"):
        return row["ledger_id"]
    if code == "AMBIGUOUS_MATCH":
        columns = ("transaction_id", "payment_id", "refund_id", "ledger_id")
        return tuple(sorted(id for column in columns for id in row[column].split(";") if id))
    if code.startswith("REFUND_") and code != "REFUND_EXCEEDS_PAYMENT":
        return row["refund_id"]
    if code in ("PAYMENT_NOT_SETTLED", "REFUND_EXCEEDS_PAYMENT", "RETURN_OUTSTANDING"):
        return row["payment_id"]
    items = (row["refund_id"], row["transaction_id"], row["payment_id"])
    return next(ids for ids in items if ids).split(";")[0]


def by_subject(world, folder, accepted):
    """Dates on which a discrepancy is accepted, by what it is about instead of its id."""
    returns = {one.id: back.id for one in world.transfers for back in one.returns}
    found = {}
    for day in world.days:
        for row in table(folder, day, "discrepancies"):
            if row["discrepancy_id"] in accepted:
                code, what = row["code"], subject(row)
                what = returns[what] if code == "RETURN_OUTSTANDING" else what
                found[code, row["merchant_id"], what] = accepted[row["discrepancy_id"]]
    return found


class Reports:
    """The folder of one date."""

    def __init__(self, world, folder, day, judged, rows, left_open):
        self.world, self.folder, self.day = world, folder, day
        self.judged, self.rows = judged, rows
        self.wrong = []
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
        self.named = {
            column: {id for row in named if row["status"] != "cleared" for id in row[column].split(";")}
            for column in ("batch_id", "ach_deposit_id")
        }
        self.check_deposits()
        self.check_batches()
        self.check_in_transit()
        self.check_summary()
        self.check_matches()
        return self.wrong

    def check_discrepancies(self):
        payment_of = {back.id: one.id for one in self.world.transfers for back in one.returns}
        expected, found = defaultdict(list), defaultdict(list)
        for (code, merchant, what), row in self.rows.items():
            what = payment_of.get(what, what) if code == "RETURN_OUTSTANDING" else what
            what = what[1] if code == "FEE_WITHOUT_DEPOSIT" else what
            if row[0] == "accepted":
                continue
            expected[code, merchant, what].append(row)
        for row in self.table("discrepancies"):
            columns = ("status", "first_seen", "expected", "actual")
            values = tuple(row[column] for column in columns)
            if row["code"] == "CURRENCY_MISMATCH":
                values = (*values[:2], "", "")
            if row["code"] != "UNKNOWN_MERCHANT":
                found[row["code"], row["merchant_id"], subject(row)].append(values)
        for key in sorted(expected.keys() | found.keys(), key=str):
            is_open = key in self.open or key[0] in LEDGER_CODES and self.has_open_books(key[1])
            if not is_open:
                self.same(key, sorted(expected[key]), sorted(found[key]))

    def check_deposits(self):
        rows = {row["ach_deposit_id"]: row for row in self.table("deposits")}
        own = {id for id, row in rows.items() if row["merchant_id"] != STRANGER}
        paid = [
            (known, one)
            for known in self.judged
            for deposits in known.deposits.values()
            for one in deposits
            if one.paid == self.day
        ]
        self.same("deposits", {str(one.id) for _, one in paid}, own)
        for known, one in paid:
            row = rows.get(str(one.id), {})
            first = known.group_of(one)
            group, batches = known.deposits[first], known.batches_with(first)
            returned = known.returned_for(first)
            # Without a batch there is nothing below.
            sales, returns, _ = known.below(first) if batches else (0, 0, 0)

            def of_group(name, group=group):
                return sum(getattr(other, name) for other in group)

            explained = sales - returns - returned
            explained -= sum(known.fees_of(other) for other in group)
            explained -= of_group("held") + of_group("holdback") - of_group("release")
            last = max(group, key=lambda other: (other.paid, other.id))
            is_settled = not batches or self.is_paid(known, first)
            is_settled = is_settled or known.is_due(known.last_day(first), "payout")
            figures = {"net_expected": one.components, "fees_total": known.fees_of(one)}
            if batches:
                figures["batch_sales"], figures["batch_returns"], _ = known.whole(first)
                figures["returned_amount"] = returned
            if last is one and is_settled:
                figures["unexplained"] = of_group("net") - explained
            elif last is not one:
                figures["unexplained"] = None
            for name, figure in figures.items():
                text = "" if figure is None else money(known.merchant.currency, figure)
                self.same(f"{name} of deposit {one.id}", text, row.get(name))
            verdict = "tied" if is_settled else "in_transit"
            if str(one.id) in self.named["ach_deposit_id"]:
                verdict = "discrepancy"
            self.same(f"verdict of deposit {one.id}", verdict, row.get("verdict"))

    @staticmethod
    def is_paid(known, group):
        """Whether no figure of the group's deposits falls short of its batches."""
        deposits = known.paid_for(group)
        batches = known.batches_with(group)
        sums = [
            (sum(getattr(one, name) for one in deposits), sum(getattr(one, name) for one in batches))
            for name in FIGURES
        ]
        sums.append((sum(one.adjustment for one in deposits), known.returned_for(group)))
        return bool(deposits) and all(above >= below for above, below in sums)

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
            if len(units[0][0]) == 1:
                items = next(items for group, items in units if batch in group)
                self.same(f"items of batch {batch.id}", str(len(items)), row.get("items_count"))
            last = known.last_day(self.day)
            is_waiting = not known.is_due(last, "payout") and not self.is_paid(known, self.day)
            verdict = "in_transit" if is_waiting else "tied"
            if str(batch.id) in self.named["batch_id"]:
                verdict = "discrepancy"
            if deposits or not batch.is_empty:
                self.same(f"verdict of batch {batch.id}", verdict, row.get("verdict"))

    def check_in_transit(self):
        expected = set()
        for known in self.judged:
            currency = known.merchant.currency
            for group in {min(known.days_with(day)) for day in known.batches}:
                batches, last = known.batches_with(group), known.last_day(group)
                if not batches or known.is_due(last, "payout"):
                    continue
                amounts = {one.id: one.owed for one in batches if not one.is_empty}
                deposits = known.deposits[group]
                if deposits:
                    left = {
                        name: sum(getattr(one, name) for one in batches)
                        - sum(getattr(one, name) for one in deposits)
                        for name in ("sales", "returns")
                    }
                    first = {batches[0].id: left["sales"] - left["returns"]}
                    amounts = first if max(left.values()) > 0 else {}
                days = {one.id: str(one.day) for one in batches}
                due = str(known.due(last, "payout"))
                for id, amount in amounts.items():
                    expected.add(("batch", str(id), days[id], due, money(currency, amount)))
            for one in known.transfers:
                has_run = one.run and one.run <= self.day
                has_settled = one.settled and one.settled <= self.day
                is_living = known.status_of(one) in ("ready", "pending", "complete")
                is_early = one.settled and one.run and one.run < known.start
                if not has_run or has_settled or is_early or not is_living:
                    continue
                if one.type != "accountVerification" and not known.is_due(one.run, "settle"):
                    amount = -one.amount if one.kind == "refund" else one.amount
                    due = str(known.due(one.run, "settle"))
                    expected.add((one.kind, one.id, str(one.run), due, money(currency, amount)))
        start = str(self.judged[0].start)
        found = {
            tuple(row[name] for name in ("type", "id", "date", "due_date", "amount"))
            for row in self.table("in_transit")
            if row["merchant_id"] != STRANGER
        }
        # Of what ran before the start, what has settled by now is in no listing that is read.
        found = {one for one in found if one in expected or one[0] == "batch" or one[2] >= start}
        self.same("in transit", sorted(expected), sorted(found))

    def check_summary(self):
        rows = self.table("summary")
        for known in self.judged:
            merchant = known.merchant
            own = [row for row in rows if row["merchant_id"] == merchant.id]
            row = next(row for row in own if row["currency"] == merchant.currency)
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
            for name, figure in figures.items():
                self.same(f"{name} of {merchant.id}", figure, row[name])
            if not any(key[1] == merchant.id for key in self.open):
                self.check_roll(merchant, own)

    def check_roll(self, merchant, rows):
        carried = [
            row[0]
            for key, row in self.rows.items()
            if key[1] == merchant.id and key[0] != "FUNDS_HELD"
        ]
        counts = {name: carried.count(name) for name in STATUSES}
        expected = {
            "opening": counts["open"] + counts["cleared"] + counts["accepted"],
            "new": counts["new"],
            # Without a column of its own.
            "cleared": counts["cleared"] + counts["accepted"],
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
                for record in records
                if max(one.day for one in [*items, *records]) == self.day
            }
            # What stands in for another item, on the later day of its own.
            expected |= {
                (item.id, records[-1].id, name)
                for item, name, records in known.stand_ins
                if max(one.day for one in [item, *records]) == self.day
            }
            own = {
                (row["item_id"], row["ledger_id"], row["pass"])
                for row in found
                if row["merchant_id"] == merchant
            }
            self.same(f"pairs of {merchant}", sorted(expected), sorted(own))
