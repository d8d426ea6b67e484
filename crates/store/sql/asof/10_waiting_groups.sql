-- purpose: a group at or below zero may still be carried into a later deposit:
-- it falls due five banking days later than others.
-- grain: one merchant, batch date and currency.
update temp.groups set due_date = due(groups.due_date, 5, (
    select merchants.calendar from temp.merchants as merchants
    where merchants.merchant_id = groups.merchant_id
))
where batches > 0
  and deposits = 0
  and batch_sales_minor <= batch_returns_minor;
update temp.groups set (is_due, is_tested) = (
    select
        groups.due_date <= asof.business_date,
        days.is_paid_today
            or days.is_asked_again
            or (
                (days.was_in_transit or groups.due_date > asof.due_after)
                and groups.due_date <= asof.business_date
            )
    from temp.asof as asof
    inner join temp.group_days as days
        on days.merchant_id = groups.merchant_id
            and days.batch_date = groups.batch_date
)
where batches > 0
  and deposits = 0
  and batch_sales_minor <= batch_returns_minor;
