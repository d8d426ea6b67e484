"""The kinds of rules, each of which adds provoking situations to the worlds: `--kinds late,holds` adds
those of these, `--kinds all` of every one. All rules are evaluated in every world.
"""

from importlib import import_module

import published

# Names on the command line, and the file that reads and provokes each.
NAMES = {
    "identity": "captures",
    "holds": "holds",
    "neighbours": "neighbours",
    "carried": "carried",
    "disputes": "disputes",
    "returns": "returned",
    "unpublished": "published",
    "captures": "refusals",
    "repeats": "repeats",
    "configured": "configured",
    "matching": "books",
    "zones": "zones",
    "currencies": "currencies",
    "late": "late",
    "bank": "bank",
    "final": "final",
}
# Rules that are read here and that the program does not follow yet: by topic the codes that are not
# compared. Without codes, "zero" skips groups that owe 0.00, and "holds" the date when held money
# is owed. To take a topic out, once the program follows it, delete its line only.
AWAITED = {
    "books": """MISSING_IN_LEDGER MISSING_AT_PROCESSOR AMOUNT_MISMATCH CURRENCY_MISMATCH STATUS_MISMATCH
        DUPLICATE_IN_LEDGER AMBIGUOUS_MATCH LEDGER_NOT_FITTING""",
    "adjustments": "DEPOSIT_ADJUSTMENT_MISMATCH DEPOSIT_CARRIED",
    "bank": """DEPOSIT_NOT_IN_BANK BANK_AMOUNT_MISMATCH BANK_CREDIT_UNKNOWN BANK_CREDIT_AMBIGUOUS
        PROCESSOR_NOT_ON_STATEMENT""",
    "tips": "CAPTURE_EXCEEDS_AUTHORIZATION",
    "cards": "REFUND_EXCEEDS_PAYMENT DUPLICATE_BATCH",
    "disputes": "DISPUTED_AND_REFUNDED",
    "zero": "",
    "holds": "",
}
LEDGER_CODES = {"MISSING_IN_LEDGER", "MISSING_AT_PROCESSOR", "AMOUNT_MISMATCH", "STATUS_MISMATCH"}
LEDGER_CODES |= {"CURRENCY_MISMATCH", "AMBIGUOUS_MATCH", "DUPLICATE_IN_LEDGER"}
NOT_COMPARED = frozenset(" ".join(AWAITED.values()).split())
# Kinds whose runs may have checks that are not evaluated, and end with 4.
PARTIAL = {"currencies", "unpublished", "configured", "matching", "bank"}
# Codes that are reported on one date alone, and are in no roll-forward.
NOT_CARRIED = {"FUNDS_HELD", "CAPTURE_EXCEEDS_AUTHORIZATION", "DEPOSIT_CARRIED"}


def named(text):
    """The kinds of a command line."""
    if text == "all":
        return frozenset(NAMES)
    chosen = frozenset(text.split(",")) - {""}
    unknown = chosen - NAMES.keys()
    if unknown:
        raise SystemExit(f"no such kind: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return chosen


def families(chosen):
    """The file of each kind, in one order."""
    return [(name, import_module(file)) for name, file in NAMES.items() if name in chosen]


def endings(world):
    """The codes that a run may end with."""
    is_partial = world.kinds & PARTIAL or any(published.is_silent(one) for one in world.transfers)
    return (0, 4) if is_partial else (0,)


def terms(world, merchant, day):
    """The terms of a merchant on a date."""
    return {"dispute": 5, "capture_tolerance": 0} | world.terms_on(day) | merchant.terms
