"""Small worlds from seeds: a few merchants, amounts, cards and orders, so that things collide."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

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
ZONES = ("UTC", "America/Chicago", "America/Toronto")
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
    # The bank whose statements hold its deposits; several may share one.
    bank: str | None = field(default=None, repr=False)


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
    brand: str | None = "visa"


@dataclass
class Return:
    id: str
    day: date
    is_represented: bool
    is_closed: bool
    code: str = "R01"


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
    # Whether it has no time, so that it ran when it was first read.
    is_timeless: bool = False

    @property
    def is_return(self):
        """Listed as a payment, but a return."""
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
    """One credit or debit of a bank."""

    bank: str
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
    """A record's content from a day on, and its content before."""

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
    # The configuration from a night on; None: it never changes.
    later_terms: tuple | None = None
    # Whether the key may ask which deposit holds a transaction.
    has_links: bool = False
    # Which kinds of rules are provoked: `kinds.NAMES`.
    kinds: frozenset = frozenset()
    # The date that is judged.
    day: date | None = None
    # How its dates are run: range, nights or shuffled.
    way: str = "nights"
    # The date that a shuffled one runs first.
    first_run: date | None = None
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
    # Changes of the books for some nights: `Change` of records.
    corrections: list = field(default_factory=list)
    # Changes of records in ordinary life: their first values, as `Change`.
    progress: list = field(default_factory=list)
    disputes: list = field(default_factory=list)
    # Unreadable rows of books, each with the unreadable field; records that an earlier export of
    # the books holds as well, by id, with a status.
    unreadable: list = field(default_factory=list)
    overlap: dict = field(default_factory=dict)
    # Of the merchants' banks: lines, and from when to when the statements cover the days.
    lines: list = field(default_factory=list)
    covered: tuple | None = None
    # The deposits of the judged merchant in other currencies, where it has several.
    of_other_currencies: list = field(default_factory=list)
    # The fields that the service leaves out of a record, by its kind and name: a path, and whether
    # its key is left out as well.
    left_out: dict = field(default_factory=dict)

    @property
    def days(self):
        return [self.start + timedelta(n) for n in range((self.end - self.start).days + 1)]

    def provokes(self, kind):
        return kind in self.kinds

    def terms_on(self, day):
        """The configured terms in the night after a date."""
        is_later = self.later_terms and day >= self.later_terms[0]
        return self.later_terms[1] if is_later else self.terms

    @property
    def transactions(self):
        """Each once, under any number of authorizations."""
        ordered = sorted(self.authorizations, key=lambda one: -one.id)
        return list({one.transaction: one for one in ordered if one.transaction}.values())


def moment(merchant, local):
    """A local time, as the service writes it."""
    there = local.replace(tzinfo=ZoneInfo(merchant.time_zone))
    return there.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def local_date(time_zone, moment):
    return datetime.fromisoformat(moment).astimezone(ZoneInfo(time_zone)).date()


def name_of(record):
    """The identity of a record; fees have no id."""
    return getattr(record, "id", None) or (record.listed, record.deposit, record.amount)


def seen_on(world, day):
    """The world as a service shows it at the end of a day."""
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
