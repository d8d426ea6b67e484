"""The page of a business date: each figure from the rows of its CSV files."""

from collections import Counter, defaultdict

from page import Page, count, money
from tables import amount, by_currency, difference, header, is_open, is_wrong, known, of_place, part_of

AT_BANK = ("found", "late")
CHAIN = "Where the money of each merchant is"


def check(report):
    """The differences between the page and the CSV files."""
    page = Page(report.page)
    found = report["discrepancies"]
    leads = leads_of(page, found)
    yield from head(page, report, leads)
    yield from own_verdict(page, report)
    yield from chain(page, report)
    yield from merchants(page, report, leads)
    yield from rolls(page, report)


def leads_of(page, found):
    """Each open error or warning that leads a cause, as the page groups them."""
    lead, ids = {}, {row["discrepancy_id"] for row in found}
    for table in page.tables:
        if table.heads[:1] != ["Status"]:
            continue
        at = table.heads.index("Explanation")
        for id, row in zip(table.ids, table.rows, strict=True):
            _, _, rest = row[at].partition("One cause with ")
            named = [word for word in rest.replace(".", " ").split() if word in ids]
            lead[id] = named[0] if named else id
    return [row for row in found if is_wrong(row) and lead.get(row["discrepancy_id"]) == row["discrepancy_id"]]


def owed(text):
    """The amounts of a tile, in all and new."""
    whole, new = [], []
    for line in text.split("\n"):
        (new if "new" in line else whole).append(line)
    whole = money("\n".join(whole))
    if new == ["all of it is new"]:
        return whole, whole
    return whole, money("\n".join(new))


def head(page, report, leads):
    found, summary = report["discrepancies"], report["summary"]
    parts, new = defaultdict(list), defaultdict(list)
    for row in leads:
        if difference(row):
            parts[part_of(row)].append(row)
            if row["status"] == "new":
                new[part_of(row)].append(row)
    absolute = lambda row: abs(difference(row))
    for name in ("Overdue", "Short", "Over or unidentified", "To be clarified"):
        expected = by_currency(parts[name], absolute), by_currency(new[name], absolute)
        if owed(page.tiles.get(name, "")) != expected:
            yield f"{name} is {page.tiles.get(name)!r}, {expected} in CSV"
    wrong = [row for row in found if is_wrong(row)]
    counts = {
        "New": sum(row["status"] == "new" for row in wrong),
        "Carried": sum(row["status"] != "new" for row in wrong),
        "Errors open": sum(row["severity"] == "error" for row in wrong),
        "Warnings open": sum(row["severity"] == "warning" for row in wrong),
        "Notes": sum(is_open(row) and row["severity"] == "info" for row in found),
        "Cleared": sum(row["status"] == "cleared" for row in found),
    }
    for name, expected in counts.items():
        if count(page.tiles.get(name, "0")) != expected:
            yield f"{name} is {page.tiles.get(name)}, {expected} in CSV"
    for name, column in [("Paid out (net)", "deposited_net"), ("In transit, not due", "in_transit_amount")]:
        stated = money(page.tiles.get(name, ""))
        if stated != by_currency(summary, column):
            yield f"{name} is {page.tiles.get(name)!r}, {by_currency(summary, column)} in CSV"
    expected = at_bank(report["deposits"])
    shown = page.tiles.get("Found at the bank")
    said = expected and f"{expected} of the deposits paid on this date"
    if (shown and " ".join(shown.split())) != said:
        yield f"found at the bank is {shown}, {said} in CSV"


def at_bank(deposits):
    """`2 of 3 due, 1 not due yet`, `none due`; nothing where no merchant has a bank."""
    counts = Counter(row["bank_verdict"] for row in deposits if row["bank_verdict"])
    if not counts:
        return None
    due = counts.total() - counts["due"] - counts["awaiting_statement"] - counts["not_evaluated"]
    found = sum(counts[verdict] for verdict in AT_BANK)
    text = f"{found} of {due} due" if found or due else "none due"
    text += f", {counts['due']} not due yet" if counts["due"] else ""
    awaited = counts["awaiting_statement"]
    text += f", {awaited} awaiting the statement" if awaited else ""
    return text + (f", {counts['not_evaluated']} not evaluated" if counts["not_evaluated"] else "")


def own_verdict(page, report):
    """A date's own verdict counts the findings that are new on it."""
    own = report.manifest.get("standing", {}).get("own_verdict")
    new = [row for row in report["discrepancies"] if is_wrong(row) and row["status"] == "new"]
    decides = any(header(row["code"], "verdict") != "none" for row in new)
    if report.manifest["checks"]["not_evaluated"]:
        expected = {"not_evaluated"}
    else:
        expected = {"discrepancy"} if decides else {"tied", "in_transit"}
    if own not in expected:
        yield f"its own verdict is {own}, not {expected}"


def less(rows, more, less):
    """The sums of one column less those of another, where both are known."""
    take = lambda row: None if "" in (row[more], row[less]) else amount(row[more]) - amount(row[less])
    return by_currency(rows, take)


def chain_of(report):
    """Of each row of the summary the steps of its money, as (head, sums)."""
    for row in report["summary"]:
        deposits = of_place(report["deposits"], row)
        batches = of_place(report["batches"], row)
        yield row, {
            "Sold": by_currency([row], "items_amount"),
            "Batched": less(batches, "sale_amount", "return_amount"),
            "On hold": by_currency([row], "on_hold_amount"),
            "Not due yet": by_currency([row], "in_transit_amount"),
            "Overdue or short": by_currency([row], "overdue_amount"),
            "Fees": by_currency(deposits, "daily_fees"),
            "Returned or disputed": by_currency(deposits, "ach_adjustment"),
            "Paid out (net)": by_currency([row], "deposited_net"),
            "Not explained": by_currency(deposits, "unexplained"),
        }, deposits


def chain(page, report):
    lines = [line for table in page.called(CHAIN) for line in table.by_name()]
    expected = list(chain_of(report))
    if len(lines) != len(expected):
        yield f"the chain has {len(lines)} lines, the summary {len(expected)}"
        return
    for line, (row, steps, deposits) in zip(lines, expected, strict=True):
        about = f"chain, {row['merchant_id']} {row['currency']}"
        if row["merchant_id"] not in line["Merchant"]:
            yield f"{about}: stands under {line['Merchant']}"
        for name, sums in steps.items():
            is_told = line[name] != "unknown"
            if is_told and known(money(line[name])) != known(sums):
                yield f"{about}: {name} is {line[name]!r}, {sums} in CSV"
        bank = at_bank(deposits) or ("no bank" if deposits else "none paid")
        if line["Found at the bank"] != bank:
            yield f"{about}: found at the bank {line['Found at the bank']!r}, {bank!r} in CSV"


def merchants(page, report, leads):
    """The findings of each merchant: the money of its causes by part."""
    lines = [line for table in page.called("A line for each merchant and currency") for line in table.by_name()]
    rows = report["summary"]
    if len(lines) != min(len(rows), 200):
        yield f"{len(lines)} merchants, {len(rows)} in CSV"
    for row in rows:
        own = [line for line in lines if row["merchant_id"] in line["Merchant"].split()]
        # Discrepancies without a currency have no amount.
        own = [line for line in own
               if (row["currency"] or "unknown") in line["Open differences"]] or own
        if not own:
            yield f"merchants: no line of {row['merchant_id']} {row['currency']}"
            continue
        line, sums = own[0], defaultdict(dict)
        for lead in of_place(leads, row):
            if difference(lead):
                part = sums[part_of(lead)]
                part[row["currency"]] = part.get(row["currency"], 0) + abs(difference(lead))
        stated = {name: money(text) for name, _, text in
                  (one.partition(": ") for one in line["Findings"].split("\n")) if money(text)}
        if stated != sums:
            yield f"merchants, {row['merchant_id']}: {line['Findings']!r}, {dict(sums)} in CSV"
        for head, column in [("Opening", "opening"), ("New", "new"), ("Cleared", "cleared"), ("Open", "closing")]:
            if head in line and count(line[head]) != int(row[column]):
                yield f"merchants, {row['merchant_id']}: {head} {line[head]}, {row[column]} in CSV"


ROLL = {"Opening": "opening", "+ new": "new", "− cleared": "cleared", "− accepted": "accepted",
        "± changed": "changed", "= closing": "closing"}


def rolls(page, report):
    """The roll-forward in number and in money."""
    run = report.manifest["discrepancies"]
    for table in page.called("Roll-forward of discrepancies"):
        for line in table.by_name():
            key = line["Step"].strip("+−= ").lower()
            if count(line["Discrepancies"]) != run[key]["count"]:
                yield f"roll-forward: {line}, {run[key]} in run.json"
    rows = {(row["merchant_id"], row["currency"]): row for row in report["summary"]}
    for table in page.called("Open differences in money, without their signs"):
        for line in table.by_name():
            sums = {head: known(money(line[head])) for head in ROLL}
            own = [row for (id, code), row in rows.items() if id in line["Merchant"].split()
                   and all(code in one for one in sums.values() if one)]
            fits = [row for row in own if all(
                sums[head] == known(by_currency([row], f"{name}_amount")) for head, name in ROLL.items())]
            if not fits:
                yield f"roll-forward in money: {line}, {own} in CSV"
