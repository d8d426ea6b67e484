"""Small worlds from seeds: a few merchants, amounts, cards and orders, so that things collide."""

import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

import kinds
from banking_days import due

# Around weekends, bank holidays of either country, and the ends of months and years.
STARTS = [(2026, 6, 29), (2026, 9, 28), (2026, 10, 8), (2026, 11, 4), (2026, 11, 9)]
STARTS += [(2026, 11, 20), (2026, 11, 23), (2026, 12, 22)]
MERCHANTS = [
    ("4525644354", "USD", "us-federal-reserve"),
    ("4525644355", "CAD", "canada"),
    ("0525644356", "JPY", "us-federal-reserve"),
    ("9525644356", "KWD", "canada"),
]
STRANGER = "7777777777"
# Hours behind UTC in summer; one more since the clocks were put back.
ZONES = {"UTC": 0, "America/Chicago": 5, "America/Toronto": 4}
CLOCKS_BACK = datetime(2026, 11, 1, 2)
DECIMALS = {"USD": 2, "CAD": 2, "JPY": 0, "KWD": 3}
APPROVALS = ["approved", "approveVip", "approveWithId", "honorWithId", "successful"]
APPROVALS += ["partialApproval", "partialAuthorization", "noReasonToDecline"]


@dataclass
class Merchant:
    id: str
    currency: str
    calendar: str
    time_zone: str
    # None: the configuration does not name them.
    terminals: list | None
    has_books: bool
    # Its own values of terms, by their names.
    terms: dict = field(default_factory=dict, repr=False)
    has_bank: bool = field(default=False, repr=False)


@dataclass
class Batch:
    id: int
    merchant: str
    day: date
    currency: str
    sales: int = 0
    returns: int = 0
    count: int = 0

    @property
    def owed(self):
        return self.sales - self.returns

    @property
    def is_empty(self):
        return not (self.sales or self.returns or self.count)


@dataclass
class Authorization:
    id: int
    merchant: str
    day: date
    currency: str
    batch: int | None
    last4: str
    response: str | None
    authorized: int | None
    # None is an authorization without a transaction.
    transaction: int | None
    type: str
    amount: int
    # The deposit that holds its transaction, where the key may ask for that, and its status there.
    link: int | None = None
    status: str | None = None
    settled_by: str | None = None
    # The date of its transaction; None is that of its batch.
    sold: date | None = None


@dataclass
class Return:
    id: str
    day: date
    is_represented: bool
    is_closed: bool


@dataclass
class Transfer:
    id: str
    kind: str
    merchant: str
    terminal: str
    currency: str
    # The merchant's local date of the moment that it ran; None without one.
    run: date | None
    moment: str | None
    settled: date | None
    amount: int
    order: str
    last4: str
    type: str
    status: str
    payment: str | None = None
    returns: list = field(default_factory=list)
    # The payment that presents it again.
    again: "Transfer | None" = None
    # A later date whose settled listing holds it as well.
    settled_again: date | None = None

    @property
    def is_return(self):
        """Listed as a payment, but what came back."""
        return self.id.startswith("Z")

    @property
    def is_item(self):
        return self.type != "accountVerification" and not self.is_return


@dataclass
class Deposit:
    id: int
    merchant: str
    group: date
    paid: date
    sales: int
    returns: int
    count: int
    adjustment: int
    fees: int = 0
    held: int = 0
    holdback: int = 0
    release: int = 0
    net: int = 0
    # The ACH date; None is the payment date.
    sent: date | None = None

    @property
    def sent_on(self):
        return self.sent or self.paid

    @property
    def components(self):
        taken = self.returns + self.fees + self.held + self.adjustment + self.holdback
        return self.sales - taken + self.release


@dataclass
class Fee:
    merchant: str
    deposit: int | None
    listed: date
    amount: int
    description: str


@dataclass
class Dispute:
    id: int
    merchant: str
    currency: str
    submitted: date
    # (date, status), in their order.
    statuses: list
    amount: int
    fee: int
    transaction: int | None
    type: str = "firstDispute"


@dataclass
class Line:
    """One credit or debit of a merchant's bank."""

    merchant: str
    day: date
    amount: int
    text: str


@dataclass
class Record:
    """One record in a merchant's books."""

    id: str
    merchant: str
    kind: str
    day: date
    amount: int
    currency: str
    reference: str | None
    order: str | None
    last4: str | None
    status: str
    # How the books write its reference; None: as it is.
    written: str | None = None


@dataclass
class Change:
    """What a service says of a record from a day on, that it said otherwise before."""

    name: str
    id: object
    since: date
    # The first values come back on that day; None: never.
    until: date | None
    # None: it is no longer listed.
    fields: dict | None

    def is_said_on(self, day):
        return self.since <= day and (self.until is None or day < self.until)


@dataclass
class World:
    start: date
    end: date
    terms: dict
    # What is configured from a night on; none: what always was.
    later_terms: tuple | None = None
    # Whether the key may ask which deposit holds a transaction.
    has_links: bool = False
    # Which kinds of rules are read: `kinds.NAMES`.
    kinds: frozenset = frozenset()
    # How its dates are run: range, nights or shuffled.
    way: str = "nights"
    # How the service answers /disputes: 200, 403 or 404.
    disputes_answer: int = 404
    merchants: list = field(default_factory=list)
    batches: list = field(default_factory=list)
    authorizations: list = field(default_factory=list)
    transfers: list = field(default_factory=list)
    deposits: list = field(default_factory=list)
    fees: list = field(default_factory=list)
    records: list = field(default_factory=list)
    changes: list = field(default_factory=list)
    # What the books say of a record for some nights: `Change` of records.
    corrections: list = field(default_factory=list)
    # What the service says of a record at first, in the ordinary life of it: `Change`.
    progress: list = field(default_factory=list)
    disputes: list = field(default_factory=list)
    # Rows of books that nobody can read, each with what of it; what an earlier export of the books
    # holds as well, by the ids of records, with a status.
    unreadable: list = field(default_factory=list)
    overlap: dict = field(default_factory=dict)
    # Of the merchants' banks: lines, and from when to when the statements cover the days.
    lines: list = field(default_factory=list)
    covered: tuple | None = None
    # What the service leaves out of a record, by its kind and name: a path, and whether its place
    # is left out as well.
    left_out: dict = field(default_factory=dict)

    @property
    def days(self):
        return [self.start + timedelta(n) for n in range((self.end - self.start).days + 1)]

    def reads(self, kind):
        return kind in self.kinds

    def terms_on(self, day):
        """What is configured in the night after a date."""
        is_later = self.later_terms and day >= self.later_terms[0]
        return self.later_terms[1] if is_later else self.terms

    @property
    def transactions(self):
        """Each once, whatever authorizations it stands under."""
        ordered = sorted(self.authorizations, key=lambda one: -one.id)
        return list({one.transaction: one for one in ordered if one.transaction}.values())


class Maker:
    """Draws a world. Where it draws from `wrong`, something does not tie out."""

    # The kinds of rules that worlds are drawn for.
    kinds = frozenset()

    def __init__(self, seed):
        self.seed = seed
        self.draw = random.Random(seed)
        # What came later draws by itself, so that the worlds of old seeds stay as they were.
        self.draw_links = random.Random(f"links {seed}")
        self.draw_again = random.Random(f"again {seed}")
        self.draw_books = random.Random(f"books {seed}")
        self.draw_terms = random.Random(f"terms {seed}")
        self.presents_again = self.draw_again.random() < 0.4
        start = date(*self.draw.choice(STARTS)) + timedelta(self.draw.randrange(-1, 3))
        end = start + timedelta(self.draw.randrange(1, 9))
        if self.kinds:
            # What waits for days needs more of them.
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
            zone = self.draw.choice(list(ZONES))
            terminals = [f"12340{number}{n}" for n in range(self.draw.randrange(1, 3))]
            has_books = self.draw.random() < 0.75
            merchant = Merchant(id, currency, calendar, zone, terminals, has_books)
            self.world.merchants.append(merchant)
            self.wrongs = self.draw.choice([0, 0.05, 0.2, 0.4])
            # Crowded: everything has an equal, and orders have several payments.
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
        """What the kinds add to a world; each of them adds nothing to some."""
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

    def corrections(self):
        """Some records come into the books days later, say something else at first, or go away."""
        draw = self.draw_books
        for one in self.world.records:
            if draw.random() > 0.3:
                continue
            day = one.day + timedelta(draw.randrange(1, 6))
            what = draw.choice(["late", "late", "gone", "amount", "reference", "day", "status"])
            first = {
                "amount": one.amount + draw.choice([1, 100]),
                "reference": None,
                "day": one.day + timedelta(draw.choice([-1, 1, 2])),
                "status": draw.choice(["paid", "void"]),
            }
            said = {what: first[what]} if what in first else None
            since, until = (day, None) if what == "gone" else (date.min, day)
            self.world.corrections.append(Change("records", one.id, since, until, said))

    def links(self):
        """Which deposit of its day holds a transaction; now and then it is one of a later day, or
        none. The deposits pay what they hold."""
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

    def transfers_of(self, merchant, day):
        draw = self.draw
        earlier = [
            one
            for one in self.world.transfers
            if (one.merchant, one.kind, one.type) == (merchant.id, "payment", "payment")
            and not one.is_return
        ]
        for _ in range(draw.randrange(4)):
            kind = "refund" if draw.random() < 0.2 else "payment"
            local = datetime(day.year, day.month, day.day, draw.randrange(24), draw.randrange(60))
            settled = due(day, draw.choice([0, 1, 1, 1]), merchant.calendar)
            one = Transfer(
                id=self.transfer_id(kind[0].upper()),
                kind=kind,
                merchant=merchant.id,
                terminal=draw.choice(merchant.terminals),
                currency=merchant.currency,
                run=day,
                moment=moment(merchant, local),
                settled=settled,
                amount=draw.choice(self.amounts),
                order=f"ORD-{draw.choice(self.orders)}",
                last4=draw.choice(self.cards),
                type=kind,
                status="complete",
            )
            if kind == "refund":
                self.name_payment(one, earlier)
            elif draw.random() < 0.04:
                one.type = "accountVerification"
            self.fate(one, merchant)
            self.world.transfers.append(one)

    def name_payment(self, refund, payments):
        if not payments or self.draw.random() < 0.3:
            refund.type = "unreferencedRefund"
            return
        payment = self.draw.choice(payments)
        refund.terminal = payment.terminal
        refund.payment = f"PX{self.number():08d}" if self.wrong(0.3) else payment.id
        if not self.wrong(0.5):
            refund.amount = min(refund.amount, payment.amount)

    def fate(self, one, merchant):
        draw, chance = self.draw, self.draw.random()
        if chance < 0.06:
            one.status = draw.choice(["declined", "reversal"])
            one.settled = one.settled if self.wrong() else None
        elif self.wrong(0.4):
            one.status = draw.choice(["ready", "pending", "complete", "admin"])
            one.settled = None
        elif self.wrong(0.3):
            one.settled = due(one.settled, draw.randrange(1, 4), merchant.calendar)
        elif chance < 0.12:
            one.status = "pending"
        elif chance < 0.22 and one.type == "payment":
            one.status = "returned"
            day = due(one.settled, draw.randrange(1, 4), merchant.calendar)
            day += timedelta(draw.choice([0, 0, 0, 1]))
            is_closed = draw.random() < 0.3
            one.returns.append(Return(self.transfer_id("Z"), day, False, is_closed))
            if self.presents_again:
                self.present_again(one, merchant)
        elif one.settled and draw.random() < 0.02:
            one.run = one.moment = None

    def present_again(self, one, merchant):
        """The return may be listed as a payment, and the payment presented once more."""
        draw, back = self.draw_again, one.returns[0]

        def later(id, day, settled):
            local = datetime(day.year, day.month, day.day, draw.randrange(24), 0)
            dated = {"run": day, "moment": moment(merchant, local), "settled": settled}
            return replace(one, id=id, **dated, status="complete", returns=[])

        if draw.random() < 0.3:
            self.world.transfers.append(later(back.id, back.day, back.day))
        if draw.random() < 0.7:
            day = back.day + timedelta(draw.choice([0, 1]))
            settled = due(day, draw.choice([0, 1, 1, 1]), merchant.calendar)
            one.again = later(self.transfer_id("P"), day, settled)
            back.is_represented = True
            self.world.transfers.append(one.again)

    def headers(self, merchant):
        """Control totals that hold what they should, each bank transfer in one batch of its day."""
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
        one = Deposit(self.number(), merchant.id, group, paid, *figures)
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

    def books(self, merchant):
        draw = self.draw
        sources, seen = [], set()
        for one in self.world.authorizations:
            if one.merchant == merchant.id and one.transaction and one.transaction not in seen:
                seen.add(one.transaction)
                kind = "payment" if one.type == "capture" else "refund"
                names = [str(one.transaction), str(one.id)]
                sources.append((kind, one.day, one.amount, names, None, one.last4))
        # The books hold one record for both, unless they say otherwise.
        again = {one.again.id for one in self.world.transfers if one.again}
        again = {id for id in sorted(again) if self.draw_again.random() < 0.75}
        for one in self.world.transfers:
            is_item = one.merchant == merchant.id and one.is_item and one.id not in again
            if is_item and (one.settled or self.wrong(0.5)):
                day = one.settled or one.run
                sources.append((one.kind, day, one.amount, [one.id], one.order, one.last4))
        for kind, day, amount, names, order, last4 in sources:
            if self.wrong(0.3):
                continue
            how = draw.choice(["reference", "reference", "order", "last4", "nothing", "all"])
            if draw.random() < 0.25:
                day += timedelta(draw.choice([-3, -2, -1, 1, 1, 2, 4]))
            reference = draw.choice(names) if how in ("reference", "all") else None
            if reference and self.wrong(0.1):
                reference = "P999999999"
            record = Record(
                id=f"L{merchant.id[:2]}{draw.randrange(100):02d}{self.number():05d}",
                merchant=merchant.id,
                kind=kind,
                day=day,
                amount=max(1, amount + (draw.choice([1, -1, 100]) if self.wrong(0.2) else 0)),
                currency=merchant.currency,
                reference=reference,
                order=order if how in ("order", "all") else None,
                last4=last4 if how in ("last4", "all") or draw.random() < 0.5 else None,
                status=draw.choice(["void", "declined", "returned"]) if self.wrong(0.2) else "paid",
            )
            if self.wrong(0.05):
                record.currency = "CAD" if merchant.currency == "USD" else "USD"
            self.world.records.append(record)
            if self.wrong(0.1):
                id = f"L{merchant.id[:2]}{draw.randrange(100):02d}{self.number():05d}"
                self.world.records.append(replace(record, id=id, status="paid"))

    def stranger(self):
        """A merchant that the configuration does not name, with figures that do not tie out."""
        world, source = self.world, self.world.merchants[0].id
        for batch in [one for one in world.batches if one.merchant == source][:6]:
            world.batches.append(replace(batch, id=batch.id + 500_000, merchant=STRANGER))
        for one in [one for one in world.deposits if one.merchant == source][:6]:
            other = replace(one, id=one.id + 500_000, merchant=STRANGER, net=one.net + 1)
            world.deposits.append(other)

    def changes(self):
        """Some records say something else a few days later."""
        draw, world = self.draw, self.world
        listed = [
            ("deposits", "paid", ("sales", "fees", "held", "net", "count", "paid")),
            ("batches", "day", ("sales", "returns", "count")),
            ("authorizations", "day", ("amount", "authorized", "type")),
            ("transfers", "settled", ("amount", "status")),
        ]
        for name, dated, fields in listed:
            for one in getattr(world, name):
                if name == "authorizations" and self.is_part(one):
                    continue
                day = getattr(one, dated)
                if not day or day < world.start or one.merchant == STRANGER or draw.random() > 0.08:
                    continue
                since = day + timedelta(draw.randrange(1, 5))
                until = draw.choice([None, None, since + timedelta(draw.randrange(1, 3))])
                said = None if draw.random() < 0.3 else self.other(one, draw.choice(fields), since)
                if not self.is_told(one, said):
                    continue
                world.changes.append(Change(name, one.id, since, until, said))

    def is_part(self, one):
        """Whether its authorization was captured in parts."""
        return sum(other.id == one.id for other in self.world.authorizations) > 1

    def part_of(self, one, batch, kind):
        """Another transaction under the authorization of one."""
        other = replace(one, transaction=self.number(), type=kind)
        other.batch, other.day = batch.id, batch.day
        return other

    def transfer_like(self, merchant, one, day, kind=None):
        """A later transfer of the same order; a refund of a payment names it."""
        kind = kind or one.kind
        hour = self.draw.randrange(24)
        other = replace(one, id=self.transfer_id(kind[0].upper()), kind=kind, returns=[], again=None)
        other.run, other.status = day, "complete"
        other.moment = moment(merchant, datetime(day.year, day.month, day.day, hour, 30))
        other.settled = due(day, 1, merchant.calendar)
        if kind == "refund" and one.kind == "payment":
            other.payment, other.type = one.id, "refund"
        return other

    @staticmethod
    def fee(*fields):
        return Fee(*fields)

    def is_told(self, one, said):
        """Whether the rules tell what becomes of it: nothing is restated from a state that is not
        final or from an unknown amount, and it is left open what becomes of a group from before
        the start when its only deposit since then goes away, or what of a return that is listed
        when its payment goes away."""
        if isinstance(one, Transfer):
            listed = {other.id for other in self.world.transfers if other.is_return}
            if said is None and listed & {one.id, *(back.id for back in one.returns)}:
                return False
            return not said or "status" not in said or one.status in ("complete", "returned")
        if isinstance(one, Deposit):
            return one.group >= self.world.start or (said and "paid" not in said)
        if isinstance(one, Authorization):
            is_known = one.transaction or (said and "authorized" in said)
            return is_known and (one.authorized is not None or not said or "authorized" not in said)
        return True

    def other(self, one, name, since):
        """A field as it is said later."""
        old = getattr(one, name)
        if name == "paid":
            return {name: since}
        if name == "type":
            return {name: "return" if old == "capture" else "capture"}
        if name == "status":
            return {name: self.draw.choice(["declined", "reversal"])}
        return {name: (old or 0) + self.draw.choice([1, 5])}

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


def moment(merchant, local):
    """A local time, as the service writes it."""
    behind = ZONES[merchant.time_zone]
    behind += behind > 0 and local >= CLOCKS_BACK
    return (local + timedelta(hours=behind)).strftime("%Y-%m-%dT%H:%M:%SZ")


def name_of(record):
    """What a record is known by; fees have no id."""
    return getattr(record, "id", None) or (record.listed, record.deposit, record.amount)


def seen_on(world, day):
    """What a service says of a world at the end of a day."""
    said_since = [one for one in (*world.changes, *world.corrections) if one.is_said_on(day)]
    changes = {(one.name, one.id): one for one in said_since}
    first = defaultdict(list)
    for one in world.progress:
        if one.is_said_on(day):
            first[one.name, one.id].append(one)

    def said(name):
        for one in getattr(world, name):
            key, part = (name, one.id), (name, (one.id, getattr(one, "transaction", None)))
            found = [*first.get(key, ()), *first.get(part, ())]
            found += [changes[key]] if key in changes else []
            if all(change.fields is not None for change in found):
                for change in found:
                    one = replace(one, **change.fields)
                yield one

    def seen(one):
        returns = [back for back in one.returns if back.day <= day]
        again = one.again if one.again and one.again.run <= day else None
        if one.again and not again:
            returns = [replace(back, is_represented=False) for back in returns]
        is_early = one.status == "returned" and not returns
        settled = one.settled if one.settled and one.settled <= day else None
        twice = one.settled_again if one.settled_again and one.settled_again <= day else None
        status = "complete" if is_early else one.status
        if is_early and not one.returns:
            status = "returned"
        told = {"settled": settled, "settled_again": twice, "status": status}
        return replace(one, returns=returns, again=again, **told)

    paid = {one.id for one in world.deposits if one.paid <= day}
    return replace(
        world,
        batches=[one for one in said("batches") if one.day <= day],
        authorizations=[
            replace(one, link=one.link if one.link in paid else None)
            for one in said("authorizations")
            if one.day <= day
        ],
        transfers=[seen(one) for one in said("transfers") if not one.run or one.run <= day],
        deposits=[one for one in said("deposits") if one.paid <= day],
        fees=[one for one in world.fees if one.listed <= day],
        records=list(said("records")),
        disputes=[
            replace(one, statuses=[status for status in one.statuses if status[0] <= day])
            for one in said("disputes")
            if one.submitted <= day
        ],
        lines=[one for one in world.lines if one.day <= day],
        covered=world.covered and (world.covered[0], min(world.covered[1], day)),
    )


def money(currency, minor):
    """Minor units as the reports write them."""
    digits = DECIMALS[currency]
    sign, minor = "-" if minor < 0 else "", abs(minor)
    if not digits:
        return f"{sign}{minor}"
    return f"{sign}{minor // 10**digits}.{minor % 10**digits:0{digits}d}"
