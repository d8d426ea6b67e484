"""Kind `zones`: TIME_ZONE_DOUBTFUL, where most bank transfers that settled on a date cannot have run on
their local dates. Left open: the dates after a doubtful one; a date with exactly half of them.
"""

from banking_days import DAY, is_banking_day
from world import ZONES, local_date


def judge_more(day):
    doubtful = {at: share(day, at) for at in {one.settled for one in day.settled}}
    doubtful = {at: found for at, found in doubtful.items() if at >= day.start and found}
    key = "TIME_ZONE_DOUBTFUL", day.merchant.id, day.merchant.id
    if doubtful:
        day.add("TIME_ZONE_DOUBTFUL", day.merchant.id, None, None)
        if max(doubtful) < day.day or doubtful.get(day.day) == "half":
            day.open.add(key)


def share(day, at):
    """Of those that settled on a date, whether most or half ran after it or too long before."""
    ran = [one.run for one in day.settled if one.settled == at and one.run and not one.is_timeless]
    before = at - DAY
    while not is_banking_day(before, day.merchant.calendar):
        before -= DAY
    odd = sum(run > at or run < before for run in ran)
    if len(ran) < 2:
        return ""  # one transfer that settled late says nothing of the zone
    if odd * 2 == len(ran):
        return "half" if ran else ""
    return "most" if odd * 2 > len(ran) else ""


def items(maker, draw, merchant):
    """A merchant whose zone is not the one that its transfers ran in."""
    if draw.random() < 0.3:
        merchant.time_zone = draw.choice(ZONES)
        for one in maker.world.transfers:
            if one.merchant == merchant.id and one.moment:
                one.run = local_date(merchant.time_zone, one.moment)
