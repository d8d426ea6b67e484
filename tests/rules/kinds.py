"""The kinds of rules that are read beyond the first ones, each of which adds to the worlds what
provokes it. `--kinds late,holds` reads these; `--kinds all` every one.
"""

from importlib import import_module

# What each is named on the command line, and the file that reads and provokes it.
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
    "matching": "matching",
    "zones": "zones",
    "currencies": "currencies",
    "late": "late",
    "bank": "bank",
    "final": "final",
}
# Codes that only these kinds read; they are not compared without.
CODES = {
    "DEPOSIT_CARRIED": "carried",
    "DISPUTE_OPEN": "disputes",
    "DISPUTED_AND_REFUNDED": "disputes",
    "REFUND_RETURNED": "returns",
    "DUPLICATE_BATCH": "repeats",
    "MERCHANT_NOT_LISTED": "configured",
    "TERMINALS_NOT_NAMED": "configured",
    "LEDGER_NOT_FITTING": "matching",
    "TIME_ZONE_DOUBTFUL": "zones",
    "DEPOSIT_NOT_IN_BANK": "bank",
    "BANK_AMOUNT_MISMATCH": "bank",
    "BANK_CREDIT_UNKNOWN": "bank",
    "PROCESSOR_NOT_ON_STATEMENT": "bank",
}
# Kinds of which a run may say that it could not evaluate something, and end with 4.
PARTIAL = {"currencies", "unpublished", "configured", "matching", "bank"}
# What the program is known to follow, which is read unless others are named.
KNOWN = frozenset()


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


def is_read(world, code):
    return code not in CODES or world.reads(CODES[code])


def endings(world):
    """The codes that a run may end with."""
    return (0, 4) if world.kinds & PARTIAL else (0,)


def not_carried(world):
    """Codes that are reported on one date alone, and are in no roll-forward."""
    codes = {"FUNDS_HELD"}
    if world.reads("captures"):
        codes.add("CAPTURE_EXCEEDS_AUTHORIZATION")
    if world.reads("carried"):
        codes.add("DEPOSIT_CARRIED")
    return codes


def terms(world, merchant, day):
    """What holds for a merchant on a date."""
    return {"dispute": 5, "capture_tolerance": 0} | world.terms_on(day) | merchant.terms
