"""The subject of a row of discrepancies.csv, as the checks here name it."""

from program import table

STATUSES = ("new", "open", "cleared", "accepted")
RECORDS = {"ach_deposit_id": "deposits", "batch_id": "batches"}
RECORDS |= {"payment_id": "transfers", "refund_id": "transfers", "authorization_id": "authorizations"}
OF_DEPOSITS = {"DEPOSIT_NET_MISMATCH", "DEPOSIT_FEES_MISMATCH", "FUNDS_HELD"}
OF_DEPOSITS |= {"DEPOSIT_WITHOUT_BATCH", "FEE_WITHOUT_DEPOSIT"}
OF_DEPOSITS |= {"DEPOSIT_NOT_IN_BANK", "BANK_AMOUNT_MISMATCH"}
OF_AUTHORIZATIONS = {"CAPTURE_EXCEEDS_AUTHORIZATION", "DECLINED_BUT_CAPTURED"}
OF_AUTHORIZATIONS |= {"DUPLICATE_TRANSACTION"}
WITHOUT_SUMS = {"MERCHANT_NOT_LISTED", "TERMINALS_NOT_NAMED", "TIME_ZONE_DOUBTFUL"}
OF_MERCHANTS = WITHOUT_SUMS | {"LEDGER_NOT_FITTING", "PROCESSOR_NOT_ON_STATEMENT"}


def subject(row):
    """The subject of a row, as the checks here name it."""
    code = row["code"]
    if code.endswith("_AFTER_RECONCILED"):
        columns = ("authorization_id", "payment_id", "refund_id", "ach_deposit_id", "batch_id")
        column = next(column for column in columns if row[column])
        return RECORDS[column], row[column]
    if code in ("DISPUTE_OPEN", "DISPUTED_AND_REFUNDED"):
        return row["dispute_id"]
    if code == "DEPOSIT_CARRIED":
        return row["ach_deposit_id"] or row["batch_id"]
    if code in OF_MERCHANTS:
        return row["merchant_id"]
    if code == "DUPLICATE_BATCH":
        # The later of the two, which has the higher id here.
        return max(row["batch_id"].split(";"), key=int)
    if code == "DUPLICATE_TRANSACTION" and not row["authorization_id"]:
        return row["payment_id"] or row["refund_id"]
    if code.startswith("BANK_CREDIT_"):
        # A line has no id; its amount is like no other here.
        return row["actual"]
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
    """Dates on which a discrepancy is accepted, by its subject instead of its id."""
    returns = {one.id: back.id for one in world.transfers for back in one.returns}
    found = {}
    for day in world.days:
        for row in table(folder, day, "discrepancies"):
            if row["discrepancy_id"] in accepted:
                code, what = row["code"], subject(row)
                # Groups of a second currency are named with it.
                own = {one.id: one.currency for one in world.merchants}.get(row["merchant_id"])
                is_group = code.startswith("DEPOSIT_") and "-" in str(what)
                if is_group and row["currency"] not in ("", own):
                    what = f"{what} {row['currency']}"
                what = returns.get(what, what) if code == "RETURN_OUTSTANDING" else what
                found[code, row["merchant_id"], what] = accepted[row["discrepancy_id"]]
    return found
