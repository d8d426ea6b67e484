-- purpose: the one row of temp.asof.
-- grain: one reconciliation.
insert into temp.asof (
    business_date, previous_date, start_date, due_after, window_start,
    run_window_start, pending_window_start,
    payout_days, settle_days, return_days, dispute_days, lookback_days,
    window_days, capture_tolerance_percent, restated_from, names_merchants,
    uses_links, time_zone, calendar,
    sign_sales, sign_returns, sign_daily_fees, sign_held_sales,
    sign_ach_adjustment,
    sign_holdback, sign_reserve_release
) values (
    :business_date, :previous_date, :start_date, :due_after, :window_start,
    :run_window_start,
    :pending_window_start,
    :payout_days, :settle_days, :return_days, :dispute_days, :lookback_days,
    :window_days,
    :capture_tolerance_percent, :restated_from,
    :names_merchants, :uses_links and coalesce(
        -- Where the key lacks them, links that an unreliable service once
        -- returned are no evidence.
        (select is_there from key_operation where name = 'transactions'),
        1
    ), :time_zone,
    :calendar, :sign_sales, :sign_returns, :sign_daily_fees, :sign_held_sales,
    :sign_ach_adjustment, :sign_holdback, :sign_reserve_release
)
