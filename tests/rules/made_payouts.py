"""The batch headers and deposits of a world, and the deposit that holds a transaction."""


from banking_days import due
from world import Deposit, Fee


class Payouts:
    def headers(self, merchant):
        """Correct control totals, each bank transfer in one batch of its day."""
        own = [batch for batch in self.world.batches if batch.merchant == merchant.id]
        seen = set()
        by_id = {batch.id: batch for batch in own}
        for one in sorted(self.world.authorizations, key=lambda one: one.id):
            is_new = one.transaction and one.transaction not in seen
            if one.merchant == merchant.id and is_new:
                seen.add(one.transaction)
                if one.batch in by_id:
                    self.add(by_id[one.batch], one.type == "return", one.amount)
        for one in self.world.transfers:
            same = [batch for batch in own if batch.day == one.settled]
            is_item = one.merchant == merchant.id and one.is_item
            if is_item and same:
                self.add(same[int(one.id[1:]) % len(same)], one.kind == "refund", one.amount)
        for batch in own:
            if self.wrong(0.3):
                batch.sales = max(0, batch.sales + self.draw.choice([-1, 1, 100]))
            if self.wrong(0.2):
                batch.returns += self.draw.choice([1, 100])
            if self.wrong(0.2):
                batch.count += 1

    @staticmethod
    def add(batch, is_return, amount):
        batch.returns += amount if is_return else 0
        batch.sales += 0 if is_return else amount
        batch.count += 1

    def deposits_of(self, merchant):
        draw = self.draw
        own = [batch for batch in self.world.batches if batch.merchant == merchant.id]
        groups = sorted({batch.day for batch in own})
        came_back = dict.fromkeys(groups, 0)
        for one in self.world.transfers:
            for back in one.returns if one.merchant == merchant.id else []:
                later = [day for day in groups if day >= back.day]
                if later:
                    came_back[later[0]] += one.amount
        for group in groups:
            if self.wrong(0.3):
                continue
            batches = [batch for batch in own if batch.day == group]
            sums = [sum(getattr(one, name) for one in batches) for name in ("sales", "returns")]
            count = sum(batch.count for batch in batches)
            paid = due(group, draw.choice([0, 1, 3, 4]) if self.wrong(0.3) else 2, merchant.calendar)
            parts = [(*sums, count, came_back[group], paid)]
            if draw.random() < 0.2 and sums[0] > 1:
                first, items = draw.randrange(sums[0]), draw.randrange(count + 1)
                early = draw.choice([paid, due(group, 1, merchant.calendar)])
                rest = (sums[0] - first, sums[1], count - items, came_back[group], paid)
                parts = [(first, 0, items, 0, early), rest]
            for sales, returns, count, adjustment, day in parts:
                self.pay(merchant, group, day, (sales, returns, count, adjustment))
        for group in self.days:
            if group not in groups and self.wrong(0.05):
                figures = draw.choice([(0, 0, 0, 0), (500, 0, 1, 0)])
                self.pay(merchant, group, due(group, 1, merchant.calendar), figures)

    def pay(self, merchant, group, paid, figures):
        draw = self.draw
        # Long enough to be told from any other number in the text of a bank's line.
        id = self.number() + (7_000_000 if "bank" in self.kinds else 0)
        one = Deposit(id, merchant.id, group, paid, *figures)
        for _ in range(draw.randrange(3)):
            amount, text = draw.choice([10, 10, 25, -5]), draw.choice(["Discount", "Interchange"])
            self.world.fees.append(Fee(merchant.id, one.id, paid, amount, text))
            one.fees += amount
        for name in ("fees", "sales", "returns", "adjustment", "count"):
            if self.wrong(0.15):
                least = 0 if name in ("sales", "returns", "count") else -1000
                setattr(one, name, max(least, getattr(one, name) + draw.choice([-1, 1])))
        for name in ("held", "holdback", "release"):
            if draw.random() < 0.06:
                setattr(one, name, draw.choice([1, 7, 100]))
        one.net = one.components + (draw.choice([1, -1]) if self.wrong(0.15) else 0)
        self.world.deposits.append(one)

    def stray_fees(self, merchant):
        for day in self.days:
            if self.wrong(0.15):
                deposit, amount = self.draw.choice([None, 99_999_999]), self.draw.choice([10, 25])
                self.world.fees.append(Fee(merchant.id, deposit, day, amount, "Stray"))

    def links(self):
        """The deposit of its day that holds a transaction; now and then one of a later day, or none.
        The deposits pay the transactions that they hold."""
        draw, world = self.draw_links, self.world
        world.has_links = True
        # With nothing restated nothing has to be read again for it.
        world.terms["restated"] = draw.choice([7, 0])
        if world.later_terms:
            world.later_terms[1]["restated"] = world.terms["restated"]
        payout = min(world.terms_on(day)["payout"] for day in world.days)
        for merchant in world.merchants:
            own = [one for one in world.deposits if one.merchant == merchant.id]
            by_group = {}
            for one in sorted(own, key=lambda one: (one.group, one.id)):
                by_group.setdefault(one.group, []).append(one)
            cards = [one for one in world.authorizations if one.merchant == merchant.id]
            links = {}
            for one in cards:
                later = [group for group in by_group if group > one.day]
                groups = [one.day] if one.day in by_group else []
                if groups and later and draw.random() < 0.08:
                    is_near = min(later) <= due(one.day, payout, merchant.calendar)
                    groups = [min(later)] if is_near else groups
                if one.transaction and groups and draw.random() < 0.97:
                    held = draw.choice(by_group[groups[0]]).id
                    one.link = links.setdefault(one.transaction, held)
            self.provoke("statuses", merchant)
            for group, deposits in by_group.items():
                self.pay_links(merchant, group, deposits, cards)

    def pay_links(self, merchant, group, deposits, cards):
        world, draw = self.world, self.draw_links
        banked = [
            one
            for one in world.transfers
            if one.merchant == merchant.id
            and one.settled == group
            and one.is_item
        ]
        if not any(one.merchant == merchant.id and one.day == group for one in world.batches):
            return
        for one in deposits:
            off_net = one.net - one.components
            held = {card.transaction: card for card in cards if card.link == one.id}.values()
            items = [(card.type == "return", card.amount) for card in held]
            if one is deposits[-1]:
                items += [(other.kind == "refund", other.amount) for other in banked]
            one.sales = sum(amount for is_return, amount in items if not is_return)
            one.returns = sum(amount for is_return, amount in items if is_return)
            one.count = len(items)
            if draw.random() < 0.05:
                one.sales += draw.choice([1, 50])
            one.net = one.components + off_net
