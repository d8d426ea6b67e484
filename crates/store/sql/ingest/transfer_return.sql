-- purpose: keep a return as its payment states it now.
-- grain: one return of one payment.
insert into transfer_return (
    payment_id, return_id, return_date, code, reason, represented, closed,
    effect, undone_on, stands_for
) values (
    :payment_id, :return_id, :return_date, :code, :reason, :represented,
    :closed, :effect, :undone_on, :stands_for
)
