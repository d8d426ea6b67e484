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
LEDGER_CODES = {"MISSING_IN_LEDGER", "MISSING_AT_PROCESSOR", "AMOUNT_MISMATCH", "STATUS_MISMATCH"}
LEDGER_CODES |= {"CURRENCY_MISMATCH", "AMBIGUOUS_MATCH", "DUPLICATE_IN_LEDGER"}
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
