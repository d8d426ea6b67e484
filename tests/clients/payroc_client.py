"""The provider's own client library (PyPI: payroc) against the sandbox: every operation that it
has, on its typed surface, so that an answer which it cannot read fails here.

It has no call for closing a return (the operation is newer than the library), so that one is
made with plain HTTP and the library's token.
"""

import os
import uuid
from datetime import date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
from payroc import Payroc
from payroc.core.api_error import ApiError
from payroc.environment import PayrocEnvironment
from payroc.errors import (
    BadRequestError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
)

BASE = os.environ["SANDBOX_URL"]
KEY = os.environ["SANDBOX_KEY"]
ENVIRONMENT = PayrocEnvironment(api=f"{BASE}/v1", identity=BASE)

client = Payroc(environment=ENVIRONMENT, api_key=KEY)
payments = client.bank_transfer_payments.payments
refunds = client.bank_transfer_payments.refunds
settlement = client.reporting.settlement

world = httpx.get(f"{BASE}/_sandbox").json()
by_currency = {}
for merchant in world["merchants"]:
    by_currency.setdefault(merchant["currency"], merchant)
usd, cad, jpy = (by_currency[code] for code in ("USD", "CAD", "JPY"))
TERMINAL = usd["processingTerminalIds"][0]
DAY = date.fromisoformat(world["to"])
checked = 0


def check(condition, *about):
    global checked
    checked += 1
    assert condition, about


def key():
    return str(uuid.uuid4())


def refused(kind, call, **arguments):
    """The typed error that the call raises."""
    try:
        call(**arguments)
    except kind as error:
        check(type(error) is kind, error)
        return error
    raise AssertionError(f"expected {kind.__name__}")


def advance(days):
    answer = httpx.post(f"{BASE}/_sandbox/clock", json={"days": days})
    answer.raise_for_status()
    return datetime.fromisoformat(answer.json()["now"].replace("Z", "+00:00"))


def ach(number="4418823307", **more):
    return {
        "type": "ach", "account_type": "checking", "sec_code": "web",
        "name_on_account": "Sarah Hazel Hopper", "account_number": number,
        "routing_number": "021000021", **more,
    }


PAD = {
    "type": "pad", "account_type": "savings", "name_on_account": "Ada Quill",
    "account_number": "00418823307", "transit_number": "20418", "institution_number": "010",
}


def pay(amount, method=None, merchant=usd, **more):
    return payments.create(
        idempotency_key=more.pop("idempotency_key", None) or key(),
        processing_terminal_id=merchant["processingTerminalIds"][0],
        order={
            "order_id": more.pop("order_id", "SDK-1"), "description": "Large Pepperoni Pizza",
            "amount": amount, "currency": merchant["currency"], **more.pop("order", {}),
        },
        payment_method=method or ach(),
        **more,
    )


def whole(call, limit=50, **arguments):
    """A whole list, by the cursors of its links. The library's own pager is of no use: it puts a
    slash before the link and asks for that."""
    page = call(limit=limit, **arguments)
    found = list(page.current_page.items)
    while page.has_next_page:
        link = urlsplit(page._next_url)
        check(f"{link.scheme}://{link.netloc}" == BASE, "a link that leaves", page._next_url)
        page = call(limit=limit, after=parse_qs(link.query)["after"][0], **arguments)
        found += page.current_page.items
        check(len(found) < 100_000, "a list that never ends")
    return found


def of_terminal(call, **arguments):
    """A whole list of a terminal, three records at a time."""
    return whole(call, limit=3, processing_terminal_id=TERMINAL, **arguments)


def settlement_reporting():
    """Every list to its end, and single records that equal the listed ones."""
    lists = [
        (settlement.list_batches, "batch_id", settlement.retrieve_batch),
        (settlement.list_authorizations, "authorization_id", settlement.retrieve_authorization),
        (settlement.list_transactions, "transaction_id", settlement.retrieve_transaction),
    ]
    for call, name, retrieve in lists:
        records = whole(call, date=DAY)
        check(len({getattr(record, name) for record in records}) == len(records) > 0, name)
        for record in records[:5]:
            check(retrieve(getattr(record, name)) == record, record)
    days = (DAY - timedelta(back) for back in range(7))
    deposits = next(filter(None, (whole(settlement.list_ach_deposits, date=day) for day in days)))
    deposit = deposits[0]
    check(settlement.retrieve_ach_deposit(deposit.ach_deposit_id) == deposit)
    fees = whole(settlement.list_ach_deposit_fees, ach_deposit_id=deposit.ach_deposit_id)
    check(sum(fee.amount for fee in fees) == deposit.daily_fees, fees)
    mid = usd["merchantId"]
    batches = whole(settlement.list_batches, date=DAY, merchant_id=mid)
    check({batch.merchant.merchant_id for batch in batches} == {mid})
    items = whole(settlement.list_authorizations, batch_id=batches[0].batch_id)
    check({item.batch.batch_id for item in items} == {batches[0].batch_id})
    returns = whole(settlement.list_transactions, date=DAY, transaction_type="Return")
    check({transaction.type for transaction in returns} == {"return"})


def life_of_payments():
    custom = [{"name": "yourCustomField", "value": "abc123"}]
    first = pay(
        4080,
        order={"breakdown": {
            "subtotal": 3600, "tip": {"type": "fixedAmount", "amount": 300},
            "taxes": [{"type": "rate", "rate": 5, "name": "Sales Tax"}],
        }},
        customer={"notification_language": "en",
                  "contact_methods": [{"type": "email", "value": "jane.doe@example.com"}]},
        credential_on_file={"tokenize": True},
        custom_fields=custom,
    )
    check(first.transaction_result.status == "ready", first)
    check(first.order.amount == 4080 and first.order.breakdown.taxes[0].amount == 180, first)
    check(first.bank_account.account_number.endswith("3307"), first)
    check("4418823307" not in first.json(), first)
    check(first.custom_fields[0].name == "yourCustomField", first)
    check(payments.retrieve(first.payment_id) == first)
    token = first.bank_account.secure_token.token

    same = key()
    once = pay(500, idempotency_key=same)
    check(pay(500, idempotency_key=same) == once)
    refused(BadRequestError, pay, amount=501, idempotency_key=same)
    refused(BadRequestError, pay, amount=500, idempotency_key="not-a-uuid")

    stored = pay(700, {"type": "secureToken", "token": token})
    check(stored.bank_account.secure_token.token == token, stored)
    single = {"type": "singleUseToken", "token": uuid.uuid4().hex * 4}
    check(pay(800, single).transaction_result.status == "ready")
    refused(BadRequestError, pay, amount=800, method=single)
    canadian = pay(900, PAD, cad)
    check(canadian.bank_account.type == "pad", canadian)
    check(pay(900, ach("4418829999")).transaction_result.status == "declined")
    refused(BadRequestError, pay, amount=900, method=PAD)
    refused(BadRequestError, pay, amount=900, merchant=jpy)
    refused(BadRequestError, pay, amount=-1)
    stranger = {"currency": "USD", "processingTerminalIds": ["99999999"]}
    refused(ForbiddenError, pay, amount=900, merchant=stranger)

    void = refunds.reverse_payment(once.payment_id, idempotency_key=key())
    check(void.transaction_result.status == "reversal", void)
    refused(ConflictError, refunds.reverse_payment, payment_id=once.payment_id, idempotency_key=key())
    early = refunds.refund(
        stored.payment_id, idempotency_key=key(), amount=100, description="Too early")
    check(early.transaction_result.status == "reversal", early)
    refused(NotFoundError, payments.retrieve, payment_id="NOSUCHIDXX")

    doomed = pay(3000, ach("4418829901"), order_id="SDK-R01")
    advance(1)
    refused(ConflictError, refunds.reverse_payment, payment_id=first.payment_id, idempotency_key=key())
    part = refunds.refund(
        first.payment_id, idempotency_key=key(), amount=1080, description="One sent back")
    refund = refunds.retrieve(part.refunds[0].refund_id)
    check(refund.order.amount == 1080, refund)
    check(refund.transaction_result.authorized_amount == -1080, refund)
    check(refund.payment.payment_id == first.payment_id, refund)
    refused(ConflictError, refunds.refund, payment_id=first.payment_id, idempotency_key=key(),
            amount=3001, description="Too much")
    goodwill = refunds.create(
        idempotency_key=key(), processing_terminal_id=TERMINAL,
        order={"order_id": "SDK-G", "description": "Goodwill", "amount": 700, "currency": "USD"},
        refund_method={"type": "secureToken", "token": token},
    )
    check(goodwill.transaction_result.type == "unreferencedRefund", goodwill)
    check(refunds.reverse_refund(goodwill.refund_id, idempotency_key=key())
          .transaction_result.status == "reversal")
    return first, doomed, refund


def life_of_a_return(doomed):
    for presentation in range(3):
        advance(7)
        doomed = payments.retrieve(doomed.payment_id)
        check(doomed.transaction_result.status == "returned", doomed)
        (entry,) = doomed.returns
        check((entry.return_code, entry.represented) == ("R01", False), entry)
        own = payments.retrieve(entry.payment_id)
        check(own.payment_id == entry.payment_id, own)
        refused(NotFoundError, payments.represent, payment_id=doomed.payment_id,
                idempotency_key=key())
        if presentation == 2:
            break
        again = payments.represent(entry.payment_id, idempotency_key=key())
        check(again.payment_id == doomed.payment_id, again)
        check(again.returns[0].represented, again)
        refused(ConflictError, payments.represent, payment_id=entry.payment_id,
                idempotency_key=key())
        doomed = payments.retrieve(again.representment.payment_id)
        check(doomed.order.order_id == "SDK-R01", doomed)
    refused(ConflictError, payments.represent, payment_id=entry.payment_id, idempotency_key=key())

    bearer = client._client_wrapper.get_headers()["Authorization"]
    close = f"{BASE}/v1/bank-transfer-payments/{entry.payment_id}/close"
    closed = httpx.post(close, headers={"Authorization": bearer, "Idempotency-Key": key()})
    check(closed.status_code == 200 and closed.json()["returns"][0]["closed"], closed.text)


def lists(first, refund):
    known = of_terminal(payments.list)
    check(len({payment.payment_id for payment in known}) == len(known))
    check(first.payment_id in {payment.payment_id for payment in known})
    ran = payments.retrieve(first.payment_id).order.date_time
    filters = [
        {"order_id": "SDK-1"},
        {"name_on_account": "Sarah Hazel Hopper"},
        {"last_4": "3307"},
        {"date_from": ran - timedelta(minutes=1), "date_to": ran + timedelta(minutes=1)},
        {"settlement_state": "settled", "settlement_date": ran.date()},
        {"type": "payment"},
        {"status": ["complete", "returned"]},
    ]
    for wanted in filters:
        found = of_terminal(payments.list, **wanted)
        check(first.payment_id in {payment.payment_id for payment in found}, wanted)
        check(len(found) < len(known), wanted)
    link = payments.list(processing_terminal_id=TERMINAL, payment_link_id="JZURRJBUPS")
    check(link.current_page.items == [])
    check(refund.refund_id in {entry.refund_id for entry in of_terminal(refunds.list)})
    found = of_terminal(refunds.list, order_id="SDK-1", type="refund")
    check([entry.refund_id for entry in found] == [refund.refund_id], found)
    middle = known[len(known) // 2].payment_id
    earlier = payments.list(processing_terminal_id=TERMINAL, before=middle, limit=1)
    check(earlier.current_page.items == [known[len(known) // 2 - 1]], middle)
    refused(BadRequestError, payments.list, processing_terminal_id=TERMINAL, before="a", after="b")


def the_rest():
    verify = client.payment_features.bank.verify
    good = verify(idempotency_key=key(), processing_terminal_id=TERMINAL, bank_account=ach())
    check(good.verified, good)
    wrong = ach(routing_number="021000022")
    bad = verify(idempotency_key=key(), processing_terminal_id=TERMINAL, bank_account=wrong)
    check(not bad.verified, bad)
    attachment = client.attachments.retrieve(usd["attachmentId"])
    check(attachment.attachment_id == usd["attachmentId"], attachment)
    refused(NotFoundError, client.attachments.retrieve, attachment_id="1")
    stranger = Payroc(environment=ENVIRONMENT, api_key="wrong")
    error = refused(ApiError, stranger.attachments.retrieve, attachment_id="1")
    check(error.status_code == 401, error)


settlement_reporting()
first, doomed, refund = life_of_payments()
life_of_a_return(doomed)
lists(first, refund)
the_rest()
print(f"{checked} passed, 0 failed")
