-- purpose: keep the summary row of a merchant on a reconciled date.
-- grain: one merchant and currency on a date.
insert into summary_result (
    business_date, merchant_id, currency, merchant_name, deposits,
    deposited_net_minor, batches, items, items_amount_minor, ledger_records,
    matched, in_transit_minor, opening, new, cleared, closing, closing_minor,
    verdict, opening_minor, new_minor, cleared_minor, accepted, accepted_minor,
    on_hold_minor, overdue_minor, final_date, changed_minor
) values (
    :business_date, :merchant_id, :currency, :merchant_name, :deposits,
    :deposited_net_minor, :batches, :items, :items_amount_minor,
    :ledger_records, :matched, :in_transit_minor, :opening, :new, :cleared,
    :closing, :closing_minor, :verdict, :opening_minor, :new_minor,
    :cleared_minor, :accepted, :accepted_minor, :on_hold_minor, :overdue_minor,
    :final_date, :changed_minor
)
