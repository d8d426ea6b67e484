-- purpose: whether two deposits of a group of D have equal figures, so that one
-- of them may have been sent again.
-- grain: one row.
select exists (
    select 1
    from temp.group_deposits as first
    inner join temp.merchants as merchants
        on merchants.merchant_id = first.merchant_id and merchants.names_bank
    inner join temp.group_deposits as second
        on second.merchant_id = first.merchant_id
        and second.group_date = first.group_date
        and second.ach_deposit_id > first.ach_deposit_id
    cross join deposit as one on one.ach_deposit_id = first.ach_deposit_id
    cross join deposit as two on two.ach_deposit_id = second.ach_deposit_id
    where one.association_date = two.association_date
      and one.net_amount_minor = two.net_amount_minor
      and one.sales_minor = two.sales_minor
      and one.returns_minor = two.returns_minor
      and one.transactions = two.transactions
      and one.ach_adjustment_minor = two.ach_adjustment_minor
)
