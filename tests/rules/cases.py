"""What really happens, as small worlds in which every kind is read: whether the reading here comes to
what a settlement analyst would say. Runs no program: tests/rules/run --cases
"""

from datetime import date, timedelta

import boundaries
from banking_days import due
from shop import US, Shop, on
from world import Change, Dispute, Line, Return


def batch_sent_twice():
    for has_books in (False, True):
        shop = Shop(books=has_books)
        for number in (1, 2):
            batch = shop.batch(on(11, 2))
            for place in range(4):
                one = shop.card(batch, 10000 + place, f"100{place}")
                if has_books and number == 1:
                    shop.record(one.day, one.amount, one.transaction, last4=one.last4)
        shop.paid_in_two_days()
        assert shop.said(on(11, 2)) == {"DUPLICATE_BATCH": ("0.00", "400.06")}
        assert set(shop.said()) - {"MISSING_IN_LEDGER"} == {"DUPLICATE_BATCH"}
        assert len(shop.rows[on(11, 16)]) == (5 if has_books else 1)


def rows_left_out():
    shop = Shop(books=True)
    batch = shop.batch(on(11, 2))
    for amount in (1000, 1001, 1002):
        one = shop.card(batch, amount)
        row = shop.record(one.day, amount, one.transaction)
        shop.world.unreadable.append((row, "date"))
    shop.world.records = []
    shop.paid_in_two_days()
    assert shop.said() == {}


def business_day_cutoff():
    shop, amount = Shop(books=True), 1000
    for day in (on(11, 3), on(11, 4)):
        batch = shop.batch(day)
        for _ in range(2):
            amount += 137
            shop.card(batch, amount, sold=day - timedelta(1))
            shop.record(day - timedelta(1), amount)
    shop.paid_in_two_days()
    assert shop.said() == {} and {name for name, _ in shop.pairs} == {"unique"}, shop.pairs


def chargeback_booked():
    for answer, codes in ((404, {"DEPOSIT_ADJUSTMENT_MISMATCH": ("0.00", "100.00")}), (200, {})):
        shop = Shop(books=True, disputes_answer=answer)
        one = shop.card(shop.batch(on(11, 2)), 10000)
        other = shop.card(shop.batch(on(11, 10)), 30000)
        shop.deposit(on(11, 2), on(11, 4))
        shop.deposit(on(11, 10), on(11, 13), adjustment=10000)
        shop.record(one.day, 10000, one.transaction, status="returned")
        shop.record(other.day, 30000, other.transaction)
        status = (on(11, 9), "prearbitrationAccepted")
        shop.world.disputes.append(
            Dispute(1, shop.merchant.id, "USD", on(11, 9), [status], 10000, 1500, one.transaction)
        )
        assert shop.said() == codes, shop.said()
        assert set(shop.severities.values()) <= {"warning"}


def equal_prices():
    shop = Shop(books=True)
    batch = shop.batch(on(11, 2))
    for last4 in ("1111", "2222"):
        shop.card(batch, 1000, last4)
        shop.record(on(11, 2), 1000)
    shop.paid_in_two_days()
    assert shop.said() == {} and len(shop.pairs) == 2


def damaged_reference():
    shop = Shop(books=True)
    batch = shop.batch(on(11, 2))
    for place in range(4):
        one = shop.card(batch, 10000 + place, f"100{place}")
        shop.record(on(11, 3), one.amount, f"{one.transaction}.0")
    shop.paid_in_two_days()
    assert shop.said() == {} and {name for name, _ in shop.pairs} == {"nearby_unique"}


def free_orders():
    shop = Shop(books=True)
    one = shop.card(shop.batch(on(11, 2)), 10000)
    shop.record(one.day, 10000, one.transaction)
    shop.record(one.day, 0, order="FREE-1")
    shop.paid_in_two_days()
    assert shop.said() == {}


def late_batch_never_paid():
    shop = Shop(way="nights")
    first, second = (shop.batch(on(11, 2)) for _ in range(2))
    shop.card(first, 10000)
    late = shop.card(second, 5000)
    shop.deposit(on(11, 2), on(11, 4), [first])
    for name, id in (("batches", second.id), ("authorizations", late.id)):
        shop.world.progress.append(Change(name, id, date.min, on(11, 5), None))
    assert shop.said(on(11, 4)) == {}
    found = shop.said()
    assert found["DEPOSIT_SALES_MISMATCH"] == ("150.00", "100.00"), found


def late_transfer_without_batch():
    shop = Shop(way="nights")
    shop.card(shop.batch(on(11, 2)), 10000)
    shop.paid_in_two_days()
    late = shop.transfer(on(11, 5), 15000)
    shop.world.progress.append(Change("transfers", late.id, date.min, on(11, 9), None))
    assert shop.said(on(11, 8)) == {} and set(shop.said()) == {"ITEM_WITHOUT_BATCH"}


def order_id_spelling():
    shop = Shop(books=True)
    shop.batch(on(11, 2))
    ids = [("EVENT-00005", "EVENT-0005"), ("PIZZA-1002", "pizza-1002"), ("ORD 1003", "ORD1003")]
    ids += [("0001004", "1004"), ("SO-1005", "#SO-1005"), ("ABC-1006 ", "ABC-1006")]
    for place, (order, written) in enumerate(ids):
        shop.transfer(on(11, 2), 10000 + place, order=order, last4=f"100{place}")
        shop.record(on(11, 2), 10000 + place, order=written, last4=f"100{place}")
    shop.paid_in_two_days()
    assert shop.said() == {} and {name for name, _ in shop.pairs} == {"order_spelling"}


def payout_failed_and_resent():
    shop = Shop(bank=True, covered=(on(11, 1), on(11, 20)))
    shop.card(shop.batch(on(11, 2)), 50000)
    shop.deposit(on(11, 2), on(11, 4))
    again = shop.deposit(on(11, 2), on(11, 9))
    shop.world.lines.append(Line(shop.merchant.id, on(11, 9), 50000, f"EXAMPLE PAYMENTS {again.id}"))
    assert shop.said() == {"DEPOSIT_NOT_IN_BANK": ("500.00", "0.00")}, shop.said()


def refunds_and_returns():
    for returned, refunded in ((on(11, 4), on(11, 5)), (on(11, 5), on(11, 3))):
        shop = Shop()
        for day in sorted({on(11, 2), returned, refunded}):
            shop.batch(day)
        one = shop.transfer(on(11, 2), 10000, status="returned")
        one.returns.append(Return("Z1", returned, False, True))
        shop.transfer(refunded, 10000, kind="refund", payment=one.id)
        for day in {batch.day for batch in shop.world.batches}:
            shop.deposit(day, due(day, 2, US), adjustment=10000 if day == returned else 0)
        assert shop.said() == {"REFUND_EXCEEDS_PAYMENT": ("0.00", "100.00")}


def refund_bounced():
    shop = Shop(books=True)
    for day in (on(11, 2), on(11, 3)):
        shop.batch(day)
    one = shop.transfer(on(11, 2), 10000)
    back = shop.transfer(on(11, 3), 5000, kind="refund", payment=one.id, status="returned")
    shop.paid_in_two_days()
    shop.record(one.run, 10000, one.id)
    shop.record(back.run, 5000, back.id, kind="refund")
    assert set(shop.said()) == {"STATUS_MISMATCH", "REFUND_RETURNED"}


def restaurant_tips():
    shop = Shop()
    shop.card(shop.batch(on(11, 2)), 1180, authorized=1000)
    shop.paid_in_two_days()
    assert set(shop.said(on(11, 2))) == {"CAPTURE_EXCEEDS_AUTHORIZATION"} and shop.said() == {}
    shop.world.terms["capture_tolerance"] = 18
    assert shop.said(on(11, 2)) == {}


def return_while_closed():
    shop = Shop(last=on(11, 30))
    shop.batch(on(11, 2))
    one = shop.transfer(on(11, 2), 1340000, status="returned")
    one.returns.append(Return("Z1", on(11, 9), False, True))
    shop.deposit(on(11, 2), on(11, 4))
    shop.deposit(on(11, 9), on(11, 10), adjustment=1340000)
    shop.card(shop.batch(on(11, 24)), 50000)
    shop.deposit(on(11, 24), on(11, 27))
    assert shop.said() == {} and not any(shop.rows.values()), shop.rows


def return_on_day_66():
    shop = Shop(on(9, 4), on(11, 20), books=True)
    shop.batch(on(9, 8))
    one = shop.transfer(on(9, 4), 10000, on(9, 8), status="returned")
    one.returns.append(Return("Z1", on(11, 9), False, False))
    shop.deposit(on(9, 8), on(9, 10))
    shop.record(on(9, 4), 10000, one.id)
    for day in (on(11, 9), on(11, 10)):
        card = shop.card(shop.batch(day), 30000)
        shop.deposit(day, due(day, 2, US), adjustment=10000 if day.day == 9 else 0)
        shop.record(day, 30000, card.transaction)
    assert set(shop.said()) == {"RETURN_OUTSTANDING", "STATUS_MISMATCH"}


def split_shipment_two_days():
    shop = Shop(books=True, way="nights")
    one = shop.card(shop.batch(on(11, 2)), 6000, authorized=10000)
    other = shop.card(shop.batch(on(11, 4)), 4000, authorized=10000, id=one.id)
    shop.paid_in_two_days()
    for part in (one, other):
        shop.record(part.day, part.amount, part.transaction)
    assert shop.said() == {} and not any(shop.rows.values())


def two_currencies_one_day():
    for has_links in (True, False):
        shop = Shop(has_links=has_links)
        for currency, amount in (("USD", 10000), ("CAD", 7000)):
            batch = shop.batch(on(11, 2))
            batch.currency = currency
            one = shop.card(batch, amount, currency=currency)
            paid = shop.deposit(on(11, 2), on(11, 4), [batch])
            one.link = paid.id if has_links else None
        assert shop.said() == {} and not any(shop.rows.values()), shop.rows


def void_and_reentered():
    shop = Shop(books=True)
    one = shop.card(shop.batch(on(11, 2)), 10000)
    shop.paid_in_two_days()
    shop.record(one.day, 11000, one.transaction, status="void")
    shop.record(one.day, 10000, one.transaction)
    assert shop.said() == {} and shop.pairs == {("reference", "I2")}


def weekend_paid_in_one_deposit():
    shop = Shop(on(11, 6), on(11, 12))
    for day, amount in ((on(11, 6), 10000), (on(11, 7), 20000), (on(11, 8), 30000)):
        shop.card(shop.batch(day), amount)
    shop.deposit(on(11, 8), on(11, 10), shop.world.batches)
    assert shop.said() == {} and not any(shop.rows.values()), shop.rows


def held_and_released():
    shop = Shop(has_links=True, way="nights")
    batch, later = shop.batch(on(11, 2)), shop.batch(on(11, 9))
    paid = shop.deposit(on(11, 2), on(11, 4), [])
    after = shop.deposit(on(11, 9), on(11, 11), [])
    shop.card(batch, 10000, link=paid.id, status="paid")
    held = shop.card(batch, 5000, link=after.id, status="release")
    shop.card(later, 700, link=after.id, status="paid")
    shop.card(later, 900, status="pull")
    for one, sales, count in ((paid, 10000, 1), (after, 5700, 2)):
        one.sales, one.count, one.net = sales, count, sales
    said = {"status": "held", "link": None}
    shop.world.progress.append(Change("authorizations", held.id, on(11, 2), on(11, 11), said))
    assert shop.said() == {} and not any(shop.rows.values()), shop.rows


def carried_balance():
    shop = Shop()
    shop.card(shop.batch(on(11, 2)), 12000, kind="return")
    shop.card(shop.batch(on(11, 5)), 50000)
    below = shop.deposit(on(11, 2), on(11, 4))
    shop.deposit(on(11, 5), on(11, 9), adjustment=12000)
    assert below.net == -12000 and shop.said() == {}
    assert shop.said(on(11, 9)) == {"DEPOSIT_CARRIED": ("-120.00", "0.00")}


CASES = [
    batch_sent_twice,
    rows_left_out,
    business_day_cutoff,
    chargeback_booked,
    equal_prices,
    damaged_reference,
    free_orders,
    late_batch_never_paid,
    late_transfer_without_batch,
    order_id_spelling,
    payout_failed_and_resent,
    refunds_and_returns,
    refund_bounced,
    restaurant_tips,
    return_while_closed,
    return_on_day_66,
    split_shipment_two_days,
    two_currencies_one_day,
    void_and_reentered,
    weekend_paid_in_one_deposit,
    held_and_released,
    carried_balance,
]

if __name__ == "__main__":
    for one in [*CASES, *boundaries.CASES]:
        one()
    print(f"cases: {len(CASES) + len(boundaries.CASES)} as they should be")
