"""The batches and deposits that belong together as of a date, and the figures that are compared."""

from collections import defaultdict

import holds

FIGURES = ("sales", "returns", "count")


class Groups:
    def _groups(self):
        """The days of a group, by each of them, where links connect several."""
        linked, groups = defaultdict(set), {}
        for one in self.cards:
            if one.link:
                linked[one.link].add(one.day)
        for days in linked.values():
            days = days.union(*(groups.get(day, ()) for day in days))
            groups |= dict.fromkeys(days, days)
        return groups

    def days_with(self, day):
        return self.groups.get(day, {day})

    def group_of(self, deposit):
        """Named after its earliest day."""
        if deposit.id in self.run_of:
            return self.run_of[deposit.id]
        held = [one.day for one in self.cards if one.link == deposit.id]
        return min(self.days_with(held[0] if held else deposit.group))

    def is_astray(self, deposit):
        """Whether all that it is known to hold is of other days than the one that it is for: whether
        that one belongs to the group as well is left open."""
        return deposit.group not in self.days_with(self.group_of(deposit))

    def has_early_links(self, day):
        """Whether a deposit holds transactions of it and of another day, before the start: the
        authorizations of such days are read when a finding names them, and the pairs among them are
        left open."""
        days = self.days_with(day)
        own = [one for one in self.world.deposits if one.merchant == self.merchant.id]
        is_elsewhere = any(one.group in days and self.group_of(one) != min(days) for one in own)
        return min(days) < self.start and (len(days) > 1 or is_elsewhere)

    def batches_with(self, day):
        return [one for other in sorted(self.days_with(day)) for one in self.batches[other]]

    def paid_for(self, day):
        """The deposits of the group of a day."""
        return self.deposits[min(self.days_with(day))]

    def last_day(self, day):
        """By which the group of a day falls due."""
        return max(self.days_with(day))

    def returned_for(self, day):
        return sum(one.amount for one in self.came_back.get(min(self.days_with(day)), ()))

    def below(self, group):
        """The figures that the deposits of a group are compared with: sales, returns, count."""
        if not self.world.has_links or self.is_due(self.last_day(group), "payout"):
            return self.whole(group)
        return self.items_of(group, [one for one in self.cards if holds.may_be_paid(one)])

    def whole(self, group):
        """The figures that the deposits of a group are compared with once it is due."""
        if self.world.has_links:
            return self.items_of(group, holds.expected(self, self.cards))
        batches = self.batches_with(group)
        return [sum(getattr(one, name) for one in batches) for name in FIGURES]

    def items_of(self, group, cards):
        """Sales, returns and count of its bank transfers and of its own card items."""
        days = self.days_with(group)
        items = [(one.type == "return", one.amount) for one in cards if one.day in days]
        items += [
            (one.kind == "refund", one.amount) for at, one in self.settlements if at in days
        ]
        sales, returns = (
            sum(amount for is_return, amount in items if is_return == wanted)
            for wanted in (False, True)
        )
        return [sales, returns, len(items)]

    def counted(self, group):
        return [one for one in self.deposits[group] if one.id not in self.resent]

    def is_judged(self, group):
        """Since the start; before it when a deposit that is paid since then pays for it."""
        return group >= self.start or any(one.paid >= self.start for one in self.paid_for(group))
