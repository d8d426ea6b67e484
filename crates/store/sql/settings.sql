-- purpose: give the settings of a reconciliation to the SQL that judges it.
-- grain: asof has one row; the other tables each state their own.
create temp table asof (
    business_date text not null,
    previous_date text,
    start_date text not null,
    -- Money that falls due after this date, up to the business date, is tested.
    due_after text not null,
    -- The earliest batch date that can fall due after it.
    window_start text not null,
    -- The earliest run date of a bank transfer that can fall due after it.
    run_window_start text not null,
    -- The same for a transfer that awaits an answer.
    pending_window_start text not null,
    payout_days integer not null,
    settle_days integer not null,
    return_days integer not null,
    dispute_days integer not null,
    lookback_days integer not null,
    window_days integer not null,
    -- The earliest date whose records are compared with their content when it
    -- was reconciled.
    restated_from text not null,
    names_merchants integer not null,
    -- 1 when links between transactions and deposits are used where they are
    -- known.
    uses_links integer not null,
    -- For merchants that the configuration does not name.
    capture_tolerance_percent integer not null,
    time_zone text not null,
    calendar text not null,
    sign_sales integer not null,
    sign_returns integer not null,
    sign_daily_fees integer not null,
    sign_held_sales integer not null,
    sign_ach_adjustment integer not null,
    sign_holdback integer not null,
    sign_reserve_release integer not null
) strict;
create temp table configured_merchant (
    merchant_id text not null primary key,
    name text,
    currency text,
    time_zone text not null,
    calendar text not null,
    -- Whole percent that a capture may exceed its authorization by.
    capture_tolerance_percent integer not null,
    payout_days integer not null,
    settle_days integer not null,
    window_days integer not null,
    -- 1 when the configuration names its terminals, or states that it has none.
    names_terminals integer not null,
    -- 1 when it names a bank.
    names_bank integer not null
) strict;
-- grain: one merchant of another shard.
create temp table elsewhere_merchant (
    merchant_id text not null primary key
) strict;
create temp table configured_terminal (
    terminal_id text not null primary key,
    merchant_id text not null
) strict;
create index temp.configured_terminal_by_merchant
    on configured_terminal (merchant_id);
-- grain: one terminal of such a merchant.
create temp table elsewhere_terminal (
    terminal_id text not null primary key
) strict;
-- grain: one discrepancy to be re-evaluated: it was open when the latest
-- earlier reconciled date closed, its acceptance has ended, it was found in a
-- closed date, or it was cleared lately.
create temp table carried (
    discrepancy_id text not null primary key,
    code text not null,
    subject text not null,
    merchant_id text not null,
    currency text,
    batch_date text,
    batch_id text not null,
    ach_deposit_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null
) strict;
-- grain: one earlier day with a listing that was read only after the earlier
-- dates were judged, with the earliest batch date that was not due before it.
create temp table late_days (
    day text not null primary key,
    waiting_from text not null
) strict;
-- grain: one earlier day that was read and is not reconciled yet, but counts as
-- reconciled.
create temp table read_along (
    day text not null primary key
) strict;
-- grain: one check and the kind of record that is judged again while a finding
-- of the check is open, as its header states.
create temp table reopened_by (
    what text not null,
    code text not null,
    constraint reopened_by_key primary key (what, code)
) strict, without rowid;
-- grain: one deposit that did not arrive at the bank and that was sent again.
create temp table resent_deposits (
    ach_deposit_id integer not null primary key
) strict;
