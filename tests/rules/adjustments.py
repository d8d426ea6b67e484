"""What explains the adjustments of a group's deposits: bank transfers that came back, then disputes
(`disputes`), then a balance that was carried into it (`carried`).
"""

from dataclasses import dataclass

import carried
import disputes


@dataclass
class Explained:
    is_explained: bool
    severity: str = "error"
    # Whether disputes explain it in several ways.
    is_several: bool = False
    # What disputes and carried balances explain of it.
    disputed: int = 0
    carried: int = 0


def explain(day):
    """By the name of a group with deposits."""
    left = {group: left_over(day, group) for group in day.deposits}
    found = {group: Explained(amount == 0) for group, amount in left.items()}
    if day.world.reads("disputes"):
        disputes.explain(day, left, found)
    if day.world.reads("carried"):
        carried.explain(day, left, found)
    if day.world.reads("returns"):
        leave_undated_open(day, found)
    return found


def left_over(day, group):
    """What returned transfers leave over."""
    return sum(one.adjustment for one in day.counted(group)) - day.returned_for(group)


def leave_undated_open(day, found):
    """A return without a date may explain what is left."""
    if any(one.status == "returned" and not one.returns for one in day.transfers):
        for group, one in found.items():
            if not one.is_explained:
                day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))


def is_waiting(day, group):
    """Whether a group at or below zero may still be carried into a later deposit."""
    return day.world.reads("carried") and carried.is_waiting(day, group)
