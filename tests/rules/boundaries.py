"""The rules at their boundaries, as small worlds: what one day, one item or one amount more does."""

from datetime import date, timedelta

from banking_days import due
from shop import US, Shop, on
from world import Change, Dispute, Return


def dispute(shop, card, at, amount, fee=1500, **about):
    statuses = about.get("statuses", [(at, "stand")])
    transaction = card.transaction if card else None
    one = Dispute(shop.number(), shop.merchant.id, "USD", at, statuses, amount, fee, transaction)
    shop.world.disputes.append(one)
    return one


def with_adjustment(adjustment, **about):
    """A deposit of 2026-11-10, paid and sent two days later."""
    shop = Shop(disputes_answer=200, **about)
    shop.card(shop.batch(on(11, 10)), 90000)
    shop.deposit(on(11, 10), on(11, 12), adjustment=adjustment)
    return shop


def disputes_explain():
    for adjustment, is_found in ((10000, False), (1500, False), (11500, False), (9999, True)):
        shop = with_adjustment(adjustment)
        dispute(shop, None, on(11, 9), 10000)
        assert bool(shop.said()) == is_found, adjustment
    # Ten banking days after the first status: due(10-26, 10) is 11-09, due(10-29, 10) is 11-13.
    for at, is_found in ((on(10, 26), True), (on(10, 29), False)):
        shop = with_adjustment(10000)
        dispute(shop, None, at, 10000)
        # What is disputed before the start is left open otherwise.
        found = shop.said(but=("DISPUTE_OPEN", "DISPUTED_AND_REFUNDED"))
        assert bool(found) == is_found, at


def disputes_in_several_ways():
    shop = with_adjustment(10000)
    for _ in range(2):
        dispute(shop, None, on(11, 9), 10000, fee=0)
    assert shop.said() == {"DEPOSIT_ADJUSTMENT_MISMATCH": ("0.00", "100.00")}
    assert set(shop.severities.values()) == {"warning"}


def a_movement_is_used_once():
    shop = with_adjustment(10000)
    shop.card(shop.batch(on(11, 11)), 100)
    shop.deposit(on(11, 11), on(11, 13), adjustment=10000)
    dispute(shop, None, on(11, 9), 10000)
    assert shop.said() == {"DEPOSIT_ADJUSTMENT_MISMATCH": ("0.00", "100.00")}
    assert [key for key in shop.rows[on(11, 16)]][0][2] == "2026-11-11"


def a_won_dispute_is_credited():
    shop = with_adjustment(10000)
    shop.card(shop.batch(on(11, 12)), 100)
    shop.deposit(on(11, 12), on(11, 16), adjustment=-10000)
    statuses = [(on(11, 9), "representmentInProgress"), (on(11, 13), "representmentPaid")]
    dispute(shop, None, on(11, 9), 10000, fee=0, statuses=statuses)
    assert shop.said() == {}


def a_dispute_waits():
    shop = Shop(disputes_answer=200)
    card = shop.card(shop.batch(on(11, 2)), 5000)
    shop.paid_in_two_days()
    dispute(shop, card, on(11, 3), 5000, statuses=[(on(11, 3), "new"), (on(11, 13), "stand")])
    # due(11-03, 5) is 11-10; Veterans Day follows.
    assert shop.said(on(11, 9)) == {} and shop.said() == {}
    assert shop.said(on(11, 10)) == {"DISPUTE_OPEN": ("0.00", "50.00")}


def disputed_and_refunded():
    shop = Shop(disputes_answer=200)
    card = shop.card(shop.batch(on(11, 2)), 5000)
    shop.card(shop.batch(on(11, 3)), 2000, kind="return", id=card.id, last4="2045")
    shop.paid_in_two_days()
    dispute(shop, card, on(11, 4), 5000)
    assert shop.said() == {"DISPUTED_AND_REFUNDED": ("50.00", "70.00")}


def a_weekend_with_a_tied_date_between():
    shop = Shop(on(11, 6), on(11, 12))
    for day, amount in ((on(11, 6), 10000), (on(11, 7), 20000), (on(11, 8), 30000)):
        shop.card(shop.batch(day), amount)
    shop.deposit(on(11, 7), on(11, 10))
    shop.deposit(on(11, 8), on(11, 10), [b for b in shop.world.batches if b.day != on(11, 7)])
    assert set(shop.said()) == {
        "BATCH_WITHOUT_DEPOSIT", "DEPOSIT_SALES_MISMATCH", "DEPOSIT_COUNT_MISMATCH",
    }


def an_association_date_beside():
    # Monday's batch under Sunday's and under Tuesday's date; one under Wednesday's is two days off.
    for group, codes in ((on(11, 8), set()), (on(11, 10), set()), (on(11, 12), {1})):
        shop = Shop(on(11, 6), on(11, 13))
        shop.card(shop.batch(on(11, 9)), 10000)
        shop.deposit(group, on(11, 12), shop.world.batches)
        assert bool(shop.said()) == bool(codes), group


def a_run_is_unique():
    # One deposit that either of two equal batches could be: neither is.
    shop = Shop(on(11, 9), on(11, 13))
    for day in (on(11, 9), on(11, 12)):
        shop.card(shop.batch(day), 10000)
    shop.deposit(on(11, 10), on(11, 13), shop.world.batches[:1], sent=on(11, 13))
    assert set(shop.said()) == {"BATCH_WITHOUT_DEPOSIT", "DEPOSIT_WITHOUT_BATCH"}


def a_run_is_sent_after_its_batches():
    shop = Shop(on(11, 6), on(11, 12))
    for day in (on(11, 6), on(11, 7)):
        shop.card(shop.batch(day), 10000)
    shop.deposit(on(11, 6), on(11, 10), shop.world.batches, sent=on(11, 6))
    assert set(shop.said()) >= {"DEPOSIT_SALES_MISMATCH"}


def a_group_below_zero_waits():
    shop = Shop()
    shop.card(shop.batch(on(11, 2)), 12000, kind="return")
    # Due 11-04, and five banking days more are over on 11-12.
    but = ("BATCH_WITHOUT_DEPOSIT",)
    assert shop.said(on(11, 10), but) == {}
    assert shop.said(on(11, 13), but) == {"BATCH_WITHOUT_DEPOSIT": ("-120.00", "0.00")}


def on_hold_elsewhere_and_withdrawn():
    about = {"held": {}, "paidByThirdParty": {}, "pull": {}, "partialRelease": {"x": 1}, "new": {"x": 1}}
    for status, codes in about.items():
        shop = Shop(has_links=True)
        batch = shop.batch(on(11, 2))
        shop.card(batch, 5000, status=status)
        assert bool(shop.said()) == bool(codes), status


def released_in_part():
    for paid, is_found in ((6000, False), (10000, False), (4999, True)):
        shop = Shop(has_links=True)
        batch = shop.batch(on(11, 2))
        one = shop.deposit(on(11, 2), on(11, 4), [])
        shop.card(batch, 5000, status="paid", link=one.id)
        shop.card(batch, 5000, status="partialRelease", link=one.id)
        one.sales = one.net = paid
        one.count = 2
        try:
            assert bool(shop.said()) == is_found, paid
        except AssertionError as error:
            # More is short than was released in part: how it is worded is left open.
            assert is_found and "DEPOSIT_SALES_MISMATCH" in str(error)


def settled_on_two_dates():
    shop = Shop(way="nights")
    for day in (on(11, 2), on(11, 3)):
        shop.batch(day)
    shop.transfer(on(11, 2), 5000, settled_again=on(11, 3))
    shop.add(shop.world.batches[1], 5000, False)
    shop.paid_in_two_days()
    assert shop.said(on(11, 2)) == {} and shop.said() == {"DUPLICATE_TRANSACTION": ("0.00", "50.00")}


def a_transaction_that_comes_later():
    shop = Shop(way="nights")
    one = shop.card(shop.batch(on(11, 2)), 5000)
    shop.paid_in_two_days()
    said = Change("authorizations", one.id, date.min, on(11, 4), {"transaction": None})
    shop.world.progress.append(said)
    assert set(shop.said(on(11, 3))) == {"BATCH_SALES_MISMATCH", "BATCH_COUNT_MISMATCH"}
    assert shop.said() == {}


def a_batch_of_every_day():
    for days in (2, 3):
        shop = Shop()
        for number in range(days):
            batch = shop.batch(on(11, 2) + timedelta(number))
            for place in range(3):
                shop.card(batch, 1000, f"100{place}", sold=on(11, 2))
        shop.paid_in_two_days()
        assert bool(shop.said()) == (days == 2)


def pending_for_longer():
    shop = Shop()
    one = shop.transfer(on(11, 2), 5000, status="pending")
    one.settled = None
    # due(11-02, 6) is 11-10.
    assert shop.said(on(11, 9)) == {} and set(shop.said(on(11, 10))) == {"PAYMENT_NOT_SETTLED"}


def presented_again_and_refunded():
    for refunded, is_found in ((10000, False), (10001, True)):
        shop = Shop(last=on(11, 12))
        for day in (on(11, 2), on(11, 4), on(11, 5), on(11, 6)):
            shop.batch(day)
        one = shop.transfer(on(11, 2), 10000, status="returned")
        one.returns.append(Return("Z1", on(11, 4), True, False))
        one.again = shop.transfer(on(11, 5), 10000)
        shop.transfer(on(11, 6), refunded, kind="refund", payment=one.id)
        for day in (on(11, 2), on(11, 4), on(11, 5), on(11, 6)):
            shop.deposit(day, due(day, 2, US), adjustment=10000 if day == on(11, 4) else 0)
        assert bool(shop.said()) == is_found


def the_books_of_somebody_else():
    shop = Shop(books=True)
    for number in range(3):
        day = on(11, 3) + timedelta(number)
        shop.card(shop.batch(day), 1000 + number)
        shop.record(day, 77000 + number)
    shop.paid_in_two_days()
    assert set(shop.said()) == {"LEDGER_NOT_FITTING"}


def near_and_alone():
    for other, is_found in ((None, False), (on(11, 4), True)):
        shop = Shop(books=True)
        shop.card(shop.batch(on(11, 3)), 1000)
        shop.record(on(11, 4), 1000)
        if other:
            shop.record(other, 1000)
        shop.paid_in_two_days()
        assert bool(shop.said()) == is_found, shop.said()


CASES = [
    disputes_explain,
    disputes_in_several_ways,
    a_movement_is_used_once,
    a_won_dispute_is_credited,
    a_dispute_waits,
    disputed_and_refunded,
    a_weekend_with_a_tied_date_between,
    an_association_date_beside,
    a_run_is_unique,
    a_run_is_sent_after_its_batches,
    a_group_below_zero_waits,
    on_hold_elsewhere_and_withdrawn,
    released_in_part,
    settled_on_two_dates,
    a_transaction_that_comes_later,
    a_batch_of_every_day,
    pending_for_longer,
    presented_again_and_refunded,
    the_books_of_somebody_else,
    near_and_alone,
]
