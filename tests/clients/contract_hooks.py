"""What the contract says in words, for schemathesis, which reads its schemas alone.

Requests that are meant to be good are given what exists in the sandbox (terminals, ids, tokens)
and keep the rules that no schema can express: one of two parameters, a cursor that is the id of
a result, an amount above zero. Requests that are meant to be bad are left as they are.
"""

import json
import os
import re
import uuid
from datetime import date, timedelta
from urllib.request import Request, urlopen

import schemathesis

BASE = os.environ["SANDBOX_URL"]
TOKEN = os.environ["SANDBOX_TOKEN"]
REPORTING = {
    "/ach-deposits",
    "/ach-deposit-fees",
    "/batches",
    "/transactions",
    "/authorizations",
    "/disputes",
}
LARGEST = 999_999_999_999


def call(path, body=None):
    """Asks the sandbox; a body makes it a POST."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if body is not None:
        headers["Idempotency-Key"] = str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(BASE + path, data=data, headers=headers)) as answer:
        return json.load(answer)


def sale(terminal, amount, method):
    order = {"orderId": "CONTRACT-1", "amount": amount, "currency": method.pop("currency")}
    body = {
        "processingTerminalId": terminal,
        "order": order,
        "credentialOnFile": {"tokenize": True},
        "paymentMethod": method,
    }
    return call("/v1/bank-transfer-payments", body)


def prepare():
    """Payments, refunds and returns in every state, and the ids of everything there is."""
    world = call("/_sandbox")
    terminals, day = {}, world["to"]
    for merchant in world["merchants"]:
        terminals.setdefault(merchant["currency"], merchant["processingTerminalIds"][0])
    american = lambda number: {
        "type": "ach", "secCode": "web", "nameOnAccount": "Noor Ibsen", "currency": "USD",
        "accountNumber": number, "routingNumber": "021000021",
    }
    canadian = {
        "type": "pad", "nameOnAccount": "Ada Quill", "currency": "CAD",
        "accountNumber": "00418823307", "transitNumber": "20418", "institutionNumber": "010",
    }
    usual = [sale(terminals["USD"], 1000 + n, american("4418823307")) for n in range(4)]
    usual.append(sale(terminals["CAD"], 2000, canadian))
    doomed = [sale(terminals["USD"], 3000 + n, american("4418829901")) for n in range(4)]
    call("/_sandbox/clock", {"days": 6})
    returned = [call("/v1/bank-transfer-payments/" + p["paymentId"]) for p in doomed]
    usual += [sale(terminals["USD"], 4000 + n, american("4418823307")) for n in range(4)]
    for payment in usual[:2]:
        body = {"amount": 100, "description": "Part"}
        call(f"/v1/bank-transfer-payments/{payment['paymentId']}/refund", body)
    refunds = call(f"/v1/bank-transfer-refunds?processingTerminalId={terminals['USD']}&limit=100")

    def records(path):
        """Those of the latest day that has any."""
        days = [date.fromisoformat(day) - timedelta(days=back) for back in range(7)]
        lists = (call(f"/v1{path}?date={each}")["data"] for each in days)
        return next(filter(None, lists), [])

    def ids(path, name):
        return [str(row[name]) for row in records(path)]

    known = {
        "paymentId": [payment["paymentId"] for payment in usual],
        "returnId": [payment["returns"][0]["paymentId"] for payment in returned],
        "refundId": [refund["refundId"] for refund in refunds["data"]],
        "batchId": ids("/batches", "batchId"),
        "transactionId": ids("/transactions", "transactionId"),
        "authorizationId": ids("/authorizations", "authorizationId"),
        "achDepositId": ids("/ach-deposits", "achDepositId"),
        "disputeId": ids("/disputes", "disputeId"),
        "processingAccountId": [
            str(row["merchant"]["processingAccountId"]) for row in records("/batches")
        ],
        "attachmentId": [merchant["attachmentId"] for merchant in world["merchants"]],
    }
    token = usual[0]["bankAccount"]["secureToken"]["token"]
    return known, terminals, token, day


KNOWN, TERMINALS, SECURE_TOKEN, DAY = prepare()
SEEN = {name: set(values) for name, values in KNOWN.items()}
SEEN["paymentId"] |= SEEN["returnId"]
TURN = {"next": 0}


def pick(values):
    TURN["next"] += 1
    return values[TURN["next"] % len(values)]


def keep_query_rules(path, query):
    if "before" in query and "after" in query:
        del query["before"]
    for cursor in ("before", "after"):
        value = query.get(cursor)
        if value is None:
            continue
        if path in REPORTING and not re.fullmatch(r"-?[0-9]+", str(value)):
            query[cursor] = pick(KNOWN["batchId"])
        name = "paymentId" if "payments" in path else "refundId"
        if path.startswith("/bank-transfer") and value not in SEEN[name]:
            query[cursor] = pick(KNOWN[name])
    if isinstance(query.get("limit"), int) and query["limit"] < 1:
        query["limit"] = 1
    if path in {"/transactions", "/authorizations"} and not {"date", "batchId"} & set(query):
        query["date"] = DAY
    if path == "/ach-deposit-fees" and not {"date", "achDepositId"} & set(query):
        query["date"] = DAY
    if "processingTerminalId" in query:
        query["processingTerminalId"] = pick(list(TERMINALS.values()))


def keep_body_rules(body):
    """An existing terminal of the right country, its currency, and amounts above zero."""
    method = next(
        (body[name] for name in ("paymentMethod", "refundMethod", "bankAccount") if name in body),
        {},
    )
    currency = "CAD" if method.get("type") == "pad" else "USD"
    if "processingTerminalId" in body:
        body["processingTerminalId"] = TERMINALS[currency]
    if method.get("type") == "secureToken":
        method["token"] = SECURE_TOKEN
    if method.get("type") == "singleUseToken":
        method["token"] = uuid.uuid4().hex * 4
    order = body.get("order", {})
    if order:
        order["currency"] = currency
        order["amount"] = max(1, abs(order["amount"]) % LARGEST)
    if "amount" in body:
        body["amount"] = max(1, abs(body["amount"]) % LARGEST)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path = case.operation.path
    for name, value in list((case.path_parameters or {}).items()):
        # Not every world has a dispute.
        if str(value) not in SEEN[name] and KNOWN[name]:
            is_return = path.endswith(("/close", "/represent"))
            known = "returnId" if name == "paymentId" and is_return else name
            case.path_parameters[name] = pick(KNOWN[known])
    if case.operation.method.upper() == "GET" and case.query is not None:
        keep_query_rules(path, case.query)
    if isinstance(case.body, dict):
        keep_body_rules(case.body)
    # A key names one request: with another body it is in use.
    for name in list(case.headers or {}):
        if name.lower() == "idempotency-key":
            case.headers[name] = str(uuid.uuid4())


@schemathesis.hook
def after_call(context, case, response):
    """Ids that the sandbox gave are as good as those it began with."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return
    for record in [body, *body.get("data", [])] if isinstance(body, dict) else []:
        for name in KNOWN:
            if isinstance(record, dict) and name in record:
                SEEN[name].add(str(record[name]))
