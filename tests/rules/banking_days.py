"""Banking days of the two calendars, worked out from the words of the rules."""

from datetime import date, timedelta
from functools import cache

DAY = timedelta(1)


def _weekday_of(year, month, weekday, number):
    """The `number`-th such weekday (Monday is 0) of a month; -1 is the last."""
    if number > 0:
        first = date(year, month, 1)
        return first + timedelta((weekday - first.weekday()) % 7 + 7 * (number - 1))
    last = date(year + month // 12, month % 12 + 1, 1) - DAY
    return last - timedelta((last.weekday() - weekday) % 7)


def _easter(year):
    """Easter Sunday, by the anonymous Gregorian rule."""
    a, b, c = year % 19, year // 100, year % 100
    g = (8 * b + 13) // 25
    h = (19 * a + b - b // 4 - g + 15) % 30
    m = (a + 11 * h) // 319
    r = (2 * (b % 4) + 2 * (c // 4) - c % 4 - h + m + 32) % 7
    month = (h - m + r + 90) // 25
    return date(year, month, (h - m + r + month + 19) % 32)


def _federal_reserve(year):
    days = {
        _weekday_of(year, 1, 0, 3),
        _weekday_of(year, 2, 0, 3),
        _weekday_of(year, 5, 0, -1),
        _weekday_of(year, 9, 0, 1),
        _weekday_of(year, 10, 0, 2),
        _weekday_of(year, 11, 3, 4),
    }
    juneteenth = [(6, 19)] if year >= 2021 else []
    for month, day in [(1, 1), *juneteenth, (7, 4), (11, 11), (12, 25)]:
        fixed = date(year, month, day)
        days.add(fixed + DAY if fixed.weekday() == 6 else fixed)
    return days


def _canada(year):
    victoria = date(year, 5, 24)
    days = {
        _easter(year) - 2 * DAY,
        victoria - timedelta(victoria.weekday()),
        _weekday_of(year, 9, 0, 1),
        _weekday_of(year, 10, 0, 2),
    }
    reconciliation = [(9, 30)] if year >= 2021 else []
    fixed = [(1, 1), (7, 1), *reconciliation, (11, 11), (12, 25), (12, 26)]
    fixed = [date(year, month, day) for month, day in fixed]
    days.update(day for day in fixed if day.weekday() < 5)
    for day in (day for day in fixed if day.weekday() >= 5):
        while day.weekday() >= 5 or day in days:
            day += DAY
        days.add(day)
    return days


_HOLIDAYS = {"us-federal-reserve": cache(_federal_reserve), "canada": cache(_canada)}


def is_banking_day(day, calendar):
    return day.weekday() < 5 and day not in _HOLIDAYS[calendar](day.year)


@cache
def due(day, count, calendar):
    """The `count`-th banking day after `day`."""
    while count:
        day += DAY
        count -= is_banking_day(day, calendar)
    return day


@cache
def distance(one, other, calendar):
    """Banking days after the earlier, up to and including the later; at least 1 between two days."""
    if one == other:
        return 0
    day, last = sorted((one, other))
    count = 0
    while day < last:
        day += DAY
        count += is_banking_day(day, calendar)
    return max(1, count)
