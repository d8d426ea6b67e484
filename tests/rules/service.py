"""A payments API over HTTP that answers from a world, written from the published contract."""

import asyncio
import json
import threading
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

from world import name_of

UNKNOWN_TIME = "2026-01-01T00:00:00Z"
NOT_FOUND = (404, {"type": "about:blank", "title": "Not found", "status": 404})


def _merchant(id):
    return {"merchantId": id, "doingBusinessAs": f"Shop {id}", "processingAccountId": 1}


def _deposit(_, one):
    return {
        "achDepositId": one.id,
        "associationDate": str(one.group),
        "achDate": str(one.sent_on),
        "paymentDate": str(one.paid),
        "transactions": one.count,
        "sales": one.sales,
        "returns": one.returns,
        "dailyFees": one.fees,
        "heldSales": one.held,
        "achAdjustment": one.adjustment,
        "holdback": one.holdback,
        "reserveRelease": one.release,
        "netAmount": one.net,
        "merchant": _merchant(one.merchant),
    }


def _fee(_, one):
    return {
        "associationDate": str(one.listed),
        "adjustmentDate": str(one.listed),
        "description": one.description,
        "amount": one.amount,
        "merchant": _merchant(one.merchant),
        "achDeposit": {"achDepositId": one.deposit} if one.deposit else None,
    }


def _batch(_, one):
    return {
        "batchId": one.id,
        "date": str(one.day),
        "saleAmount": one.sales,
        "heldAmount": 0,
        "returnAmount": one.returns,
        "transactionCount": one.count,
        "currency": one.currency,
        "merchant": _merchant(one.merchant),
    }


def _authorization(_, one):
    transaction = {
        "transactionId": one.transaction,
        "type": one.type,
        "date": str(one.sold or one.day),
        "amount": one.amount,
    }
    return {
        "authorizationId": one.id,
        "authorizationResponse": one.response,
        "preauthorizationRequestAmount": one.authorized,
        "currency": one.currency,
        "batch": {"batchId": one.batch, "date": str(one.day)} if one.batch else None,
        "card": {"cardNumber": f"411111******{one.last4}" if one.last4 else None, "type": one.brand},
        "merchant": _merchant(one.merchant),
        "transaction": transaction if one.transaction else None,
    }


def _transaction(_, one):
    return {
        "transactionId": one.transaction,
        "type": one.type,
        "date": str(one.sold or one.day),
        "amount": one.amount,
        "currency": one.currency,
        "merchant": _merchant(one.merchant),
        "status": one.status,
        "settled": _settled(one),
        "batch": {"batchId": one.batch, "date": str(one.day)} if one.batch else None,
    }


def _settled(one):
    if not one.link and not one.settled_by:
        return None
    return {"achDepositId": one.link, "settledBy": one.settled_by}


def _dispute(_, one):
    body = {
        "disputeId": one.id,
        "disputeType": one.type,
        "currentStatus": _dispute_status(one.statuses[-1]),
        "createdDate": str(one.submitted),
        "receivedDate": str(one.submitted),
        "disputeAmount": one.amount,
        "feeAmount": one.fee,
        "firstDispute": True,
        "currency": one.currency,
        "card": {"cardNumber": "411111******1111"},
        "merchant": _merchant(one.merchant),
        "transaction": {"transactionId": one.transaction, "type": "capture"},
    }
    return body


def _dispute_status(status):
    return {"status": status[1], "statusDate": str(status[0])}


def _summary(one, name):
    return {
        name: one.id,
        "dateTime": one.moment or UNKNOWN_TIME,
        "currency": one.currency,
        "amount": one.amount,
        "status": one.status,
        "responseCode": "A",
        "responseMessage": "Accepted",
    }


def _transfer(world, one):
    body = {
        "processingTerminalId": one.terminal,
        "order": {
            "orderId": one.order,
            "dateTime": one.moment,
            "amount": one.amount,
            "currency": one.currency,
        },
        "bankAccount": {
            "type": "ach",
            "nameOnAccount": "A Customer",
            "accountNumber": f"*****{one.last4}",
            "routingNumber": "*****0021",
        },
        "transactionResult": {
            "type": one.type,
            "status": one.status,
            "authorizedAmount": -one.amount if one.kind == "refund" else one.amount,
            "currency": one.currency,
            "responseCode": "A",
        },
    }
    if one.kind == "refund":
        body["refundId"] = one.id
        if one.payment:
            named = [other for other in world.transfers if other.id == one.payment]
            body["payment"] = _summary(named[0] if named else one, "paymentId")
            body["payment"]["paymentId"] = one.payment
        return body
    body["paymentId"] = one.id
    if one.again:
        body["representment"] = _summary(one.again, "paymentId")
    refunds = [other for other in world.transfers if other.payment == one.id]
    body["refunds"] = [_summary(other, "refundId") for other in refunds]
    body["returns"] = [
        {
            "paymentId": back.id,
            "date": str(back.day),
            "returnCode": back.code,
            "returnReason": "Insufficient funds",
            "represented": back.is_represented,
            "closed": back.is_closed,
        }
        for back in one.returns
    ]
    return body


def _is_fee_listed(one, asked):
    named = asked.get("achDepositId")
    return named in (None, str(one.deposit)) and asked.get("date") in (None, str(one.listed))


def _is_card_listed(one, asked):
    return asked.get("batchId") in (None, str(one.batch)) and _is_on(one.day, asked)


def _is_on(day, asked):
    return asked.get("date") in (None, str(day))


def _is_transfer_listed(one, asked):
    moment = one.moment
    states = {"settled": one.settled, "unsettled": not one.settled}
    return (
        asked.get("processingTerminalId") == one.terminal
        and states.get(asked.get("settlementState"), True)
        and asked.get("settlementDate") in (None, str(one.settled), str(one.settled_again))
        and asked.get("status") in (None, one.status)
        # A transfer without a time is in every range.
        and (not moment or _instant(asked.get("dateFrom"), moment) <= moment)
        and (not moment or moment <= _instant(asked.get("dateTo"), moment))
    )


def _instant(text, otherwise):
    if not text:
        return otherwise
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


RESOURCES = {
    "ach-deposits": ("deposits", _deposit, lambda one, asked: _is_on(one.paid, asked)),
    "ach-deposit-fees": ("fees", _fee, _is_fee_listed),
    "batches": ("batches", _batch, lambda one, asked: _is_on(one.day, asked)),
    "authorizations": ("authorizations", _authorization, _is_card_listed),
    "transactions": ("transactions", _transaction, _is_card_listed),
    "disputes": ("disputes", _dispute, lambda one, asked: _is_on(one.submitted, asked)),
    "bank-transfer-payments": ("transfers", _transfer, _is_transfer_listed),
    "bank-transfer-refunds": ("transfers", _transfer, _is_transfer_listed),
}


def _record(world, name, write, one):
    body, left_out = write(world, one), world.left_out.get((name, name_of(one)))
    return _without(body, *left_out) if left_out else body


def _without(body, path, is_gone):
    """The body of a record, without the value at the path."""
    first, _, rest = path.partition(".")
    if rest:
        return {**body, first: body[first] and _without(body[first], rest, is_gone)}
    if is_gone:
        return {name: value for name, value in body.items() if name != first}
    return {**body, first: None}


def answer(world, path, asked):
    """Status and body for a path and its query."""
    if path == "/authorize":
        return 200, {"access_token": "token", "token_type": "Bearer", "expires_in": 3600}
    resource, _, id = path.removeprefix("/v1/").partition("/")
    # Not every key has /transactions.
    if resource not in RESOURCES or (resource == "transactions" and not world.has_links):
        return NOT_FOUND
    if resource == "disputes" and world.disputes_answer != 200:
        return world.disputes_answer, NOT_FOUND[1] | {"status": world.disputes_answer}
    if resource == "disputes" and id:
        found = [one for one in world.disputes if f"{one.id}/statuses" == id]
        return (200, [_dispute_status(one) for one in found[0].statuses]) if found else NOT_FOUND
    name, write, is_listed = RESOURCES[resource]
    kind = resource.removeprefix("bank-transfer-").removesuffix("s")
    records = [one for one in getattr(world, name) if getattr(one, "kind", kind) == kind]
    if id:
        found = [one for one in records if str(one.id) == id]
        return (200, _record(world, name, write, found[0])) if found else NOT_FOUND
    # Fees have no id: their place is their cursor.
    listed = [one for one in records if is_listed(one, asked)]
    listed = sorted(listed, key=lambda one: one.id) if name != "fees" else listed
    cursors = [str(getattr(one, "id", place)) for place, one in enumerate(listed)]
    if len(set(cursors)) < len(cursors):
        # Captures of one authorization.
        cursors = [f"{one.id}-{one.transaction}" for one in listed]
    begin = cursors.index(asked["after"]) + 1 if "after" in asked else 0
    end = begin + int(asked.get("limit", 10))
    has_more = end < len(listed)
    href = f"http://elsewhere.example{path}?after={cursors[end - 1]}" if has_more else ""
    return 200, {
        "limit": end - begin,
        "count": len(listed[begin:end]),
        "hasMore": has_more,
        "links": [{"rel": "next", "method": "get", "href": href}] if has_more else [],
        "data": [_record(world, name, write, one) for one in listed[begin:end]],
    }


def plainly(world, head):
    """The answer to a request, and whether it ends the connection."""
    target = urlsplit(head.split(" ")[1])
    status, body = answer(world, target.path, dict(parse_qsl(target.query)))
    return message(status, json.dumps(body).encode()), False


def message(status, body, kind="application/json"):
    head = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Service:
    """Answers on a port of its own, in a thread of its own, from `world` in the way of `reply`."""

    def __init__(self):
        self.world = None
        self.reply = plainly
        self.port = None
        is_ready = threading.Event()
        threading.Thread(target=asyncio.run, args=(self._serve(is_ready),), daemon=True).start()
        is_ready.wait()

    async def _serve(self, is_ready):
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        is_ready.set()
        await server.serve_forever()

    async def _answer(self, reader, writer):
        try:
            is_last = False
            while not is_last:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                answered, is_last = self.reply(self.world, head)
                writer.write(answered)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
