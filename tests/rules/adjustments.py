"""What explains the adjustments of a group's deposits: bank transfers that came back, then disputes
(`disputes`), then a balance that was carried into it (`carried`).
"""

from dataclasses import dataclass
from itertools import combinations

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
    disputes.explain(day, left, found)
    carried.explain(day, left, found)
    leave_undated_open(day, left, found)
    return found


def left_over(day, group):
    """What returned transfers leave over."""
    return sum(one.adjustment for one in day.counted(group)) - day.returned_for(group)


def leave_undated_open(day, left, found):
    """Returns without a date may explain what is left."""
    undated = [one for one in day.transfers if one.status == "returned" and not one.returns]
    amounts = [one.amount for one in undated]
    sums = {sum(some) for count in (1, 2, 3) for some in combinations(amounts, count)}
    for group, one in found.items():
        if not one.is_explained and left[group] in sums:
            day.open.add(("DEPOSIT_ADJUSTMENT_MISMATCH", day.merchant.id, str(group)))
