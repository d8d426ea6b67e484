"""Draws small worlds from seeds: a few merchants, amounts, cards and orders, so that things collide."""

import random
from dataclasses import replace
from datetime import date, timedelta

import kinds
from made_changes import Changes
from made_payouts import Payouts
from made_transfers import Transfers
from world import (
    APPROVALS,
    MERCHANTS,
    STARTS,
    STRANGER,
    ZONES,
    Authorization,
    Batch,
    Fee,
    Merchant,
    World,
)


class Maker(Transfers, Payouts, Changes):
    """Draws a world. Where it draws from `wrong`, something does not tie out."""

    # The kinds of rules that worlds are drawn for.
    kinds = frozenset()

    def __init__(self, seed):
        self.seed = seed
        self.draw = random.Random(seed)
        # Later additions draw from generators of their own, so that the worlds of old seeds do not
        # change.
        self.draw_links = random.Random(f"links {seed}")
        self.draw_again = random.Random(f"again {seed}")
        self.draw_books = random.Random(f"books {seed}")
        self.draw_terms = random.Random(f"terms {seed}")
        self.presents_again = self.draw_again.random() < 0.4
        start = date(*self.draw.choice(STARTS)) + timedelta(self.draw.randrange(-1, 3))
        end = start + timedelta(self.draw.randrange(1, 9))
        if self.kinds:
            # Rules that wait for days need more days.
            end += timedelta(random.Random(f"end {seed}").randrange(9))
        self.days = [start + timedelta(n) for n in range(-8, (end - start).days + 6)]
        self.world = World(start, end, self.terms(), kinds=self.kinds)
        if self.draw_terms.random() < 0.25:
            since = self.draw_terms.choice(self.world.days)
            self.world.later_terms = since, self.other_terms()
        self.last_id = 1000
        self.sent_again = set()
        self.wrongs = 0.0

    def terms(self):
        usual = {"payout": 2, "settle": 1, "ledger": 1, "return": 5, "window": 3, "tolerance": 0}
        usual["restated"] = 7
        return usual if self.draw.random() < 0.5 else usual | self.some_terms(self.draw.choice)

    def other_terms(self):
        return self.world.terms | self.some_terms(self.draw_terms.choice)

    @staticmethod
    def some_terms(pick):
        return {
            "payout": pick([1, 2, 3]),
            "settle": pick([0, 1, 2]),
            "ledger": pick([0, 1, 2]),
            "return": pick([0, 2, 5]),
            "window": pick([0, 1, 2, 3, 5]),
            "tolerance": pick([0, 0, 1, 50]),
        }

    def number(self):
        self.last_id += self.draw.randrange(1, 4)
        return self.last_id

    def transfer_id(self, letter):
        return f"{letter}{self.number():09d}"

    def wrong(self, share=1.0):
        return self.draw.random() < self.wrongs * share

    def make(self):
        merchants = self.draw.sample(MERCHANTS, self.draw.randrange(1, 4))
        for number, (id, currency, calendar) in enumerate(merchants):
            zone = self.draw.choice(ZONES)
            terminals = [f"12340{number}{n}" for n in range(self.draw.randrange(1, 3))]
            has_books = self.draw.random() < 0.75
            merchant = Merchant(id, currency, calendar, zone, terminals, has_books)
            self.world.merchants.append(merchant)
            self.wrongs = self.draw.choice([0, 0.05, 0.2, 0.4])
            # Crowded: every amount repeats, and orders have several payments.
            count, orders = self.draw.choice([(4, 40), (5000, 100_000)])
            self.amounts = self.draw.sample(range(100, 9000), count)
            self.cards = [f"{self.draw.randrange(10000):04d}" for _ in range(3)]
            self.orders = range(orders)
            for day in self.days:
                self.cards_of(merchant, day)
                self.transfers_of(merchant, day)
            self.provoke("items", merchant)
            self.headers(merchant)
            self.provoke("batches", merchant)
            self.deposits_of(merchant)
            self.provoke("deposits", merchant)
            self.stray_fees(merchant)
            if has_books:
                self.books(merchant)
                self.provoke("records", merchant)
        if self.draw.random() < 0.3:
            self.stranger()
        if self.draw.random() < 0.5:
            self.begin_at_start()
        if self.draw_links.random() < self.share_of_links():
            self.links()
        elif self.draw.random() < 0.6:
            self.changes()
        if self.draw_books.random() < 0.4:
            self.corrections()
        self.provoke("facts")
        return self.world

    def provoke(self, step, *about):
        """The additions of the kinds to a world; each kind adds nothing to some worlds."""
        share = 0.75 if len(self.kinds) < 4 else 0.4
        for name, family in kinds.families(self.kinds):
            is_there = random.Random(f"{name} {self.seed}").random() < share
            if is_there and hasattr(family, step):
                draw = random.Random(f"{name} {step} {about and about[0].id} {self.seed}")
                getattr(family, step)(self, draw, *about)

    def share_of_links(self):
        """Some kinds are of worlds with links, some of those without."""
        if "holds" in self.kinds:
            return 0.4 if "neighbours" in self.kinds else 0.8
        return 0.1 if "neighbours" in self.kinds else 0.3

    def cards_of(self, merchant, day):
        draw = self.draw
        counts = ([0, 1, 2], [20, 70, 10]) if day.weekday() < 5 else ([0, 1], [70, 30])
        count = draw.choices(*counts)[0]
        batches = [
            Batch(self.number(), merchant.id, day, merchant.currency) for _ in range(count)
        ]
        self.world.batches += batches
        items = draw.randrange(5) if batches else int(self.wrong(0.3))
        for _ in range(items):
            amount = draw.choice(self.amounts)
            one = Authorization(
                id=self.number(),
                merchant=merchant.id,
                day=day,
                currency=merchant.currency,
                batch=draw.choice(batches).id if batches else self.number(),
                last4=draw.choice(self.cards),
                response=draw.choice([None, *APPROVALS]),
                authorized=draw.choice([None, 0, amount, amount + 1]),
                transaction=None if draw.random() < 0.08 else self.number(),
                type=draw.choices(["capture", "return"], [4, 1])[0],
                amount=amount,
            )
            if self.wrong(0.2):
                one.batch = None
            if self.wrong(0.2):
                one.response = draw.choice(["doNotHonor", "unknown", "insufficientFunds"])
            if self.wrong(0.2):
                one.authorized = amount - 1
            self.world.authorizations.append(one)
            if one.transaction and one.batch and self.wrong(0.2):
                self.world.authorizations.append(replace(one, id=self.number()))

    def stranger(self):
        """A merchant that the configuration does not name, with figures that do not tie out."""
        world, source = self.world, self.world.merchants[0].id
        for batch in [one for one in world.batches if one.merchant == source][:6]:
            world.batches.append(replace(batch, id=batch.id + 500_000, merchant=STRANGER))
        for one in [one for one in world.deposits if one.merchant == source][:6]:
            other = replace(one, id=one.id + 500_000, merchant=STRANGER, net=one.net + 1)
            world.deposits.append(other)

    def is_part(self, one):
        """Whether its authorization was captured in parts."""
        return sum(other.id == one.id for other in self.world.authorizations) > 1

    def part_of(self, one, batch, kind):
        """Another transaction under the authorization of one."""
        other = replace(one, transaction=self.number(), type=kind)
        other.batch, other.day = batch.id, batch.day
        return other

    @staticmethod
    def fee(*fields):
        return Fee(*fields)

    def begin_at_start(self):
        """Nothing but the books has anything from before the first date."""
        world, start = self.world, self.world.start
        world.batches = [one for one in world.batches if one.day >= start]
        world.authorizations = [one for one in world.authorizations if one.day >= start]
        world.deposits = [one for one in world.deposits if one.group >= start]
        known = {one.id for one in world.deposits} | {None, 99_999_999}
        world.fees = [one for one in world.fees if one.listed >= start and one.deposit in known]
        world.transfers = [
            one
            for one in world.transfers
            if (one.run or start) >= start and (one.settled or start) >= start
        ]
        came_back = {back.id for one in world.transfers for back in one.returns}
        world.transfers = [
            one for one in world.transfers if not one.is_return or one.id in came_back
        ]
