"""What a page leaves behind as evidence in the Python peer: its JSON without what may be private,
compressed, and the digest. Decoded into structs that name whatever is kept, and written anew: of the
ways to do it in Python the fastest.
"""

import hashlib

import msgspec
import zstandard


class Struct(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """What is sent and not named here is dropped: it may be private."""


class Link(Struct):
    rel: str | None = None
    method: str | None = None
    href: str | None = None


class Merchant(Struct):
    merchant_id: str | None = None
    doing_business_as: str | None = None
    processing_account_id: int | None = None
    link: Link | None = None


class BatchRef(Struct):
    batch_id: int | None = None
    date: str | None = None
    cycle: str | None = None
    link: Link | None = None


class Card(Struct):
    card_number: str | None = None
    type: str | None = None
    cvv_presence_indicator: bool | None = None
    avs_request: bool | None = None
    avs_response: str | None = None


class CardTransaction(Struct):
    transaction_id: int | None = None
    type: str | None = None
    date: str | None = None
    entry_method: str | None = None
    amount: int | None = None
    link: Link | None = None


class Authorization(Struct):
    authorization_id: int
    created_date: str | None = None
    last_modified_date: str | None = None
    authorization_response: str | None = None
    preauthorization_request_amount: int | None = None
    currency: str | None = None
    batch: BatchRef | None = None
    card: Card | None = None
    merchant: Merchant | None = None
    transaction: CardTransaction | None = None

    def mask(self):
        if self.card and self.card.card_number:
            self.card.card_number = self.card.card_number[-4:]


class Batch(Struct):
    batch_id: int
    date: str | None = None
    created_date: str | None = None
    last_modified_date: str | None = None
    sale_amount: int | None = None
    held_amount: int | None = None
    return_amount: int | None = None
    transaction_count: int | None = None
    currency: str | None = None
    merchant: Merchant | None = None
    links: list[Link] | None = None


class Deposit(Struct):
    ach_deposit_id: int
    association_date: str | None = None
    ach_date: str | None = None
    payment_date: str | None = None
    transactions: int | None = None
    sales: int | None = None
    returns: int | None = None
    daily_fees: int | None = None
    held_sales: int | None = None
    ach_adjustment: int | None = None
    holdback: int | None = None
    reserve_release: int | None = None
    net_amount: int | None = None
    merchant: Merchant | None = None
    links: list[Link] | None = None


class DepositRef(Struct):
    ach_deposit_id: int | None = None
    link: Link | None = None


class Fee(Struct):
    association_date: str | None = None
    adjustment_date: str | None = None
    description: str | None = None
    amount: int | None = None
    merchant: Merchant | None = None
    ach_deposit: DepositRef | None = None


class Order(Struct):
    order_id: str | None = None
    date_time: str | None = None
    amount: int | None = None
    currency: str | None = None


class Account(Struct):
    type: str | None = None
    sec_code: str | None = None
    account_number: str | None = None


class Result(Struct):
    type: str | None = None
    status: str | None = None
    authorized_amount: int | None = None
    currency: str | None = None
    response_code: str | None = None
    response_message: str | None = None
    processor_response_code: str | None = None


class TransferRef(Struct):
    payment_id: str | None = None
    refund_id: str | None = None
    date_time: str | None = None
    currency: str | None = None
    amount: int | None = None
    status: str | None = None
    link: Link | None = None


class Return(Struct):
    payment_id: str | None = None
    date: str | None = None
    return_code: str | None = None
    return_reason: str | None = None
    represented: bool | None = None
    closed: bool | None = None
    link: Link | None = None


class Transfer(Struct):
    payment_id: str | None = None
    refund_id: str | None = None
    processing_terminal_id: str | None = None
    order: Order | None = None
    bank_account: Account | None = None
    refunds: list[TransferRef] | None = None
    returns: list[Return] | None = None
    representment: TransferRef | None = None
    payment: TransferRef | None = None
    transaction_result: Result | None = None

    def mask(self):
        if self.bank_account and self.bank_account.account_number:
            self.bank_account.account_number = self.bank_account.account_number[-4:]


PRIVATE = (Authorization, Transfer)


def page_of(kind):
    return msgspec.defstruct(
        f"Page{kind.__name__}",
        [
            ("limit", int | None, None),
            ("count", int | None, None),
            ("hasMore", bool, False),
            ("links", list[Link] | None, None),
            ("data", list[kind], msgspec.field(default_factory=list)),
        ],
    )


KINDS = {
    "ach-deposits": Deposit,
    "ach-deposit-fees": Fee,
    "batches": Batch,
    "authorizations": Authorization,
    "bank-transfer-payments": Transfer,
    "bank-transfer-refunds": Transfer,
}
DECODERS = {path: msgspec.json.Decoder(page_of(kind)) for path, kind in KINDS.items()}
ENCODER = msgspec.json.Encoder()


def kept(path, body):
    """The JSON that is kept of a page."""
    page = DECODERS[path].decode(body)
    if KINDS[path] in PRIVATE:
        for record in page.data:
            record.mask()
    return ENCODER.encode(page)


COMPRESSOR = zstandard.ZstdCompressor(level=1)


def packed(text):
    """The digest and the compressed text."""
    return hashlib.sha256(text).hexdigest(), COMPRESSOR.compress(text)
