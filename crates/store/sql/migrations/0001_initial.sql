-- purpose: the schema that stores begin with; later files change it.
-- Amounts are integers in the currency's minor unit and end in _minor. Dates
-- are text, YYYY-MM-DD; moments are text, RFC 3339 in UTC. Unknown is null,
-- never zero.
-- day: the date that a record was listed under, or its own date where it
-- carries one.
-- reading: the reading that brought the newest content of a record.
-- content: a hash of the record, to tell a repeated record from a changed one
-- in a reading.
-- gone_in: the complete reading in which the record was missing, null while it
-- is listed.
-- seal: SHA-256 over the row and the rows that belong to it, where no report
-- states them all.

create table merchant (
    merchant_id text not null,
    doing_business_as text,
    processing_account_id integer,
    seal text not null default '',
    constraint merchant_key primary key (merchant_id)
) strict, without rowid;

-- grain: one complete paged read of one resource for one scope, whatever became
-- of it.
create table listing (
    listing_id integer not null,
    resource text not null,
    selector text not null,
    -- The terminal, batch, deposit or record that it is about; empty for a
    -- whole date.
    scope text not null,
    -- The date that it is about; empty where the scope alone selects.
    business_date text not null,
    -- The newest reading.
    reading_id integer not null,
    constraint listing_key primary key (listing_id),
    constraint listing_is_named_once
        unique (resource, selector, business_date, scope)
) strict;
-- Whether a record was asked for by its id is itself asked of every bank
-- transfer of a night.
create index listing_by_record on listing (scope, resource)
    where selector = 'id';

-- grain: one attempt at a listing, from its first page to its verdict.
create table reading (
    reading_id integer not null,
    listing_id integer not null,
    -- The fetch of a business date that began it; an interrupted one goes on.
    session integer not null,
    verdict text not null,
    pages integer not null default 0,
    -- Distinct records stored; every fee line is one.
    records integer not null default 0,
    bytes integer not null default 0,
    -- SHA-256 over the digests of its pages.
    digest text not null default '',
    error text,
    -- The reading that goes on to count when this one fails; null when none
    -- does.
    fallback_reading integer,
    -- Cursors after which further stretches of it begin, joined with commas;
    -- empty when it is read from its beginning alone.
    starts text not null default '',
    constraint reading_key primary key (reading_id),
    constraint reading_has_a_verdict
        check (verdict in ('reading', 'complete', 'incomplete')),
    constraint reading_of_a_listing
        foreign key (listing_id) references listing (listing_id)
        deferrable initially deferred
) strict;
create index reading_by_listing on reading (listing_id);
create index reading_by_session on reading (session);
create index reading_not_complete on reading (verdict)
    where verdict <> 'complete';

-- grain: one distinct page content; zstd of the API's JSON without private
-- fields.
create table page_body (
    digest text not null,
    -- Null once retention has removed it; then the row of the audit that says
    -- so.
    content blob,
    pruned_by integer,
    constraint page_body_is_there_or_pruned
        check ((content is null) = (pruned_by is not null)),
    constraint page_body_key primary key (digest)
) strict;

-- grain: one page of one reading.
create table page (
    reading_id integer not null,
    -- The stretch of a long listing, or a merchant's part of the listing of a
    -- shard; 0 is the first stretch, or the part of everybody.
    part integer not null,
    -- Counted in each part: from 1, or from 2 in a stretch that begins after a
    -- cursor.
    page_number integer not null,
    -- The cursor that asked for it; null for the first.
    after text,
    -- The cursor that it named for the page after it; null on the last.
    next text,
    records integer not null,
    digest text not null,
    constraint page_key primary key (reading_id, part, page_number),
    constraint page_of_a_reading
        foreign key (reading_id) references reading (reading_id),
    constraint page_has_a_body
        foreign key (digest) references page_body (digest)
) strict, without rowid;

create table deposit (
    ach_deposit_id integer not null,
    day text not null,
    merchant_id text,
    association_date text,
    ach_date text,
    payment_date text,
    transactions integer,
    sales_minor integer,
    returns_minor integer,
    daily_fees_minor integer,
    held_sales_minor integer,
    ach_adjustment_minor integer,
    holdback_minor integer,
    reserve_release_minor integer,
    net_amount_minor integer,
    reading integer not null,
    -- The first reading that held it.
    first_reading integer not null,
    content integer not null,
    gone_in integer,
    constraint deposit_key primary key (ach_deposit_id)
) strict;
create index deposit_by_day on deposit (day);
create index deposit_by_group on deposit (merchant_id, association_date);
create index deposit_by_association on deposit (association_date);
create index deposit_below_zero on deposit (merchant_id, day)
    where net_amount_minor < 0;

-- grain: one fee line of one reading; only those of a listing's newest reading
-- count.
create table fee (
    listing_id integer not null,
    ordinal integer not null,
    merchant_id text,
    ach_deposit_id integer,
    association_date text,
    adjustment_date text,
    description text,
    amount_minor integer,
    reading integer not null,
    constraint fee_key primary key (listing_id, reading, ordinal)
) strict, without rowid;
create index fee_without_deposit on fee (listing_id, reading)
    where ach_deposit_id is null;

create table batch (
    batch_id integer not null,
    day text not null,
    merchant_id text,
    sale_amount_minor integer,
    return_amount_minor integer,
    transaction_count integer,
    currency text,
    reading integer not null,
    -- The first reading that held it.
    first_reading integer not null,
    content integer not null,
    gone_in integer,
    constraint batch_key primary key (batch_id)
) strict;
create index batch_by_day on batch (day);
create index batch_by_merchant on batch (merchant_id, day);

-- grain: one authorization with one of its transactions, or without any.
create table authorization (
    authorization_id integer not null,
    -- The id of its transaction; 0 when it has none.
    transaction_key integer not null,
    day text not null,
    merchant_id text,
    batch_id integer,
    currency text,
    authorization_response text,
    preauthorization_minor integer,
    card_last4 text,
    card_type text,
    -- 1 when the API sent a transaction at all.
    has_transaction integer not null,
    transaction_id integer,
    transaction_type text,
    transaction_date text,
    amount_minor integer,
    reading integer not null,
    -- The first reading that held it.
    first_reading integer not null,
    content integer not null,
    gone_in integer,
    constraint authorization_key primary key (authorization_id, transaction_key)
) strict, without rowid;
create index authorization_by_transaction on authorization (transaction_id)
    where transaction_id is not null;
create index authorization_returned
    on authorization (merchant_id, card_last4, amount_minor)
    where transaction_type = 'return';
-- Whether a batch holds an item of an amount is one step, not a walk through
-- its items: DUPLICATE_BATCH asks it of each batch of thirty days on both
-- sides.
create index authorization_by_batch
    on authorization (day, batch_id, amount_minor);
-- Items of card types that a card company may pay itself: few, and looked for
-- in all batches of some weeks.
create index authorization_by_contract
    on authorization (day, batch_id)
    where card_type in ('amex', 'jcbNonSettled', 'discoverRetained',
        'wrightExpress', 'voyager', 'fuelman', 'privateLabel');

-- grain: one card item of such a card type. A transaction counts once, under
-- its lowest authorization.
create view contract_card as
select
    item.day,
    item.batch_id,
    item.card_type,
    item.transaction_type,
    item.amount_minor
from authorization as item indexed by authorization_by_contract
where item.card_type in ('amex', 'jcbNonSettled', 'discoverRetained',
        'wrightExpress', 'voyager', 'fuelman', 'privateLabel')
  and item.gone_in is null
  and item.transaction_type in ('capture', 'return')
  and not exists (
      select 1 from authorization as other
      where other.transaction_id = item.transaction_id
        and other.merchant_id is item.merchant_id
        and other.authorization_id < item.authorization_id
        and other.gone_in is null
  );

-- grain: one day of authorizations, and how often rows of it came or became
-- others: what a run has read of it before is out of date then.
create table authorization_day (
    day text not null,
    changes integer not null,
    constraint authorization_day_key primary key (day)
) strict, without rowid;

-- grain: an authorization of which several records were read.
create table split_authorization (
    authorization_id integer not null,
    constraint split_authorization_key primary key (authorization_id)
) strict, without rowid;

-- grain: one authorization with one of its transactions, or without any. One
-- that names no merchant is its batch's.
create view owned_authorization as
select
    item.authorization_id,
    item.transaction_key,
    item.day,
    coalesce(
        item.merchant_id,
        (
            select batch.merchant_id from batch
            where batch.batch_id = item.batch_id
        )
    ) as merchant_id,
    item.batch_id,
    item.currency,
    item.authorization_response,
    item.preauthorization_minor,
    item.card_last4,
    item.card_type,
    item.has_transaction,
    item.transaction_id,
    item.transaction_type,
    item.transaction_date,
    item.amount_minor,
    item.first_reading,
    item.gone_in
from authorization as item;

-- grain: one card transaction as the settlement system sees it, where the key
-- may ask for them.
create table card_transaction (
    transaction_id integer not null,
    day text not null,
    merchant_id text,
    batch_id integer,
    currency text,
    transaction_type text,
    amount_minor integer,
    -- The deposit that holds it; null as long as none does.
    ach_deposit_id integer,
    reading integer not null,
    content integer not null,
    gone_in integer,
    -- The processor's word for where the money is.
    status text,
    settled_by text,
    constraint card_transaction_key primary key (transaction_id)
) strict;
create index card_transaction_by_day on card_transaction (day, merchant_id);
-- What is on hold is read again by batch until it is paid.
create index card_transaction_on_hold on card_transaction (day)
    where ach_deposit_id is null and status is not null and gone_in is null;

-- grain: one card transaction with its standing.
create view standing_transaction as
select
    transaction_id,
    day,
    merchant_id,
    batch_id,
    currency,
    transaction_type,
    amount_minor,
    ach_deposit_id,
    gone_in,
    status,
    case
        when status = 'paidByThirdParty' then 'elsewhere'
        when ach_deposit_id is null and lower(trim(settled_by)) = '3rd party'
            then 'elsewhere'
        when status is null then 'expected'
        when status in ('paid', 'new', 'unknown') then 'expected'
        when status in ('release', 'heldReleasedAudited') then 'released'
        when status = 'partialRelease' then 'partial'
        when status = 'pull' then 'withdrawn'
        when status = 'holdForSettlement30Days' then 'held_30'
        when status in (
            'held', 'fullSuspense', 'heldAudited', 'holdForSettlementDuplicate',
            'holdLongTerm'
        ) then 'held'
        else 'unclear'
    end as standing
from card_transaction;

-- grain: what a complete listing of a date's card transactions adds up to, for
-- one merchant, currency (empty when unknown), deposit (0 for what no deposit
-- holds) and standing: expected, released (after a hold), partial (partly
-- released), held, held_30 (held until 30 days after its batch date), elsewhere
-- (settled by somebody else), withdrawn, and unclear for a status that is not
-- published. A night is judged by these; they are written anew with every
-- reading.
create table transaction_total (
    day text not null,
    merchant_id text not null,
    currency text not null,
    ach_deposit_id integer not null,
    standing text not null,
    transactions integer not null,
    sales_minor integer,
    returns_minor integer,
    -- How many are neither capture nor return, or have no amount.
    unclear integer not null,
    constraint transaction_total_key
        primary key (day, merchant_id, currency, ach_deposit_id, standing)
) strict, without rowid;
create index transaction_total_by_deposit
    on transaction_total (ach_deposit_id, day)
    where ach_deposit_id <> 0;
-- Few deposits hold what was on hold, and every date asks for them.
create index transaction_total_after_hold on transaction_total (day)
    where ach_deposit_id <> 0
        and standing in ('held', 'held_30', 'released', 'partial');

-- grain: the totals of what a deposit holds and whose status tells of a hold:
-- it is owed from the day on which the deposit is sent.
create view total_after_hold as
select * from transaction_total
where ach_deposit_id <> 0
  and standing in ('held', 'held_30', 'released', 'partial');

-- grain: one dispute, as its newest reading states it.
create table dispute (
    dispute_id integer not null,
    -- The date under which it is listed: when it was submitted.
    day text not null,
    merchant_id text,
    dispute_type text,
    -- The newest status when it was read; what it was on a date follows from
    -- dispute_status.
    status text,
    status_date text,
    created_date text,
    -- When the acquiring bank received it.
    received_date text,
    reference_number text,
    amount_minor integer,
    -- What the processor charges for it.
    fee_minor integer,
    currency text,
    card_last4 text,
    -- The card transaction that it is about; null where none was found.
    transaction_id integer,
    transaction_type text,
    transaction_date text,
    transaction_minor integer,
    reading integer not null,
    content integer not null,
    gone_in integer,
    constraint dispute_key primary key (dispute_id)
) strict;
create index dispute_by_day on dispute (day);
create index dispute_by_merchant on dispute (merchant_id, day);
create index dispute_by_transaction on dispute (transaction_id)
    where transaction_id is not null;

-- grain: one status of a dispute, in the order of the newest complete or
-- interrupted reading.
create table dispute_status (
    listing_id integer not null,
    ordinal integer not null,
    dispute_id integer not null,
    dispute_status_id integer,
    status text,
    status_date text,
    reading integer not null,
    constraint dispute_status_key primary key (listing_id, ordinal, reading)
) strict, without rowid;
create index dispute_status_by_dispute on dispute_status (dispute_id);

create table bank_transfer (
    -- Its number in this store, by which its listings name it: its id is a long
    -- text.
    transfer_number integer not null,
    kind text not null,
    transfer_id text not null,
    terminal_id text not null,
    order_id text,
    run_at text,
    amount_minor integer,
    currency text,
    transfer_type text not null,
    status text not null,
    account_last4 text,
    -- Of a payment: the payment that presents it again.
    representment_id text,
    -- Of a refund: the payment that it names.
    payment_id text,
    reading integer not null,
    first_reading integer not null,
    content integer not null,
    constraint bank_transfer_key primary key (transfer_number),
    constraint bank_transfer_is_named_once unique (transfer_id, kind),
    constraint bank_transfer_has_a_kind check (kind in ('payment', 'refund'))
) strict;
create index bank_transfer_by_run on bank_transfer (terminal_id, run_at);
create index bank_transfer_by_payment on bank_transfer (payment_id)
    where payment_id is not null;
create index bank_transfer_by_representment on bank_transfer (representment_id)
    where representment_id is not null;
create index bank_transfer_returned on bank_transfer (status, transfer_number)
    where status = 'returned';
create index bank_transfer_timeless on bank_transfer (run_at, transfer_number)
    where run_at is null;

-- grain: one bank transfer in one listing of bank transfers.
create table transfer_listed (
    listing_id integer not null,
    transfer_number integer not null,
    reading integer not null,
    -- The first reading of the listing that held it.
    first_reading integer not null,
    -- A hash of what the reading said of it, which says the same however often
    -- it lists it.
    content integer not null,
    -- Whether the listing is one of settled transfers: most transfers are in
    -- dozens of listings, and in one of these.
    is_settled integer not null,
    constraint transfer_listed_key primary key (listing_id, transfer_number),
    constraint transfer_listed_names_one
        foreign key (transfer_number) references bank_transfer (transfer_number)
) strict, without rowid;
create index transfer_listed_by_transfer
    on transfer_listed (transfer_number, is_settled);

-- grain: one bank transfer. It is read again every night for weeks and says the
-- same; the books are matched again only where one says something else.
create table transfer_said (
    transfer_number integer not null,
    -- The first reading that said of it what it says now.
    reading integer not null,
    constraint transfer_said_key primary key (transfer_number)
) strict;

-- grain: one bank transfer in one listing, by its kind and id; both are null
-- where somebody has taken the bank transfer itself out of the store.
create view listed_transfer as
select
    listed.listing_id,
    transfer.kind,
    transfer.transfer_id,
    listed.reading,
    listed.first_reading
from transfer_listed as listed
left join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number;

-- grain: one bank transfer that was asked for by its id, and the newest
-- complete answer. One whose answer is newer than what is stored of it is gone:
-- the API no longer knows it.
create view transfer_lookup as
select
    case listing.resource
        when 'bank-transfer-payments' then 'payment'
        else 'refund'
    end as kind,
    listing.scope as transfer_id,
    listing.reading_id
from listing indexed by listing_by_record
cross join reading on reading.reading_id = listing.reading_id
where listing.selector = 'id'
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date = ''
  and reading.verdict = 'complete';

-- grain: one return of a payment, as the payment's newest reading states it.
create table transfer_return (
    payment_id text not null,
    return_id text not null,
    return_date text not null,
    code text not null,
    reason text,
    -- 2 when it is not said.
    represented integer not null,
    closed integer not null,
    -- 1 takes the amount back, -1 gives it back (a dishonored return), 0 does
    -- neither.
    effect integer not null,
    -- The date of a later entry that undoes it.
    undone_on text,
    -- The return that it restores, else itself.
    stands_for text not null,
    constraint transfer_return_key primary key (payment_id, return_id)
) strict, without rowid;
create index transfer_return_by_date on transfer_return (return_date);
create index transfer_return_by_id on transfer_return (return_id);
-- Returns that nobody has handled, however old.
create index transfer_return_open on transfer_return (closed, payment_id)
    where represented <> 1 and closed = 0 and effect = 1;

-- grain: one bank transfer whose status is returned and that states no return,
-- with the last business date of the run that first read it so. It never
-- changes.
create table undated_return (
    transfer_number integer not null,
    came_back_on text not null,
    constraint undated_return_key primary key (transfer_number)
) strict, without rowid;

-- grain: one bank transfer that states no time when it is first read, with the
-- last business date of the run that read it: it counts as run on that date.
-- It never changes.
create table timeless_transfer (
    transfer_number integer not null,
    ran_on text not null,
    constraint timeless_transfer_key primary key (transfer_number)
) strict, without rowid;

-- grain: one refund of a payment, as the payment's newest reading states it.
create table refund_summary (
    payment_id text not null,
    refund_id text not null,
    run_at text,
    currency text,
    amount_minor integer,
    status text,
    constraint refund_summary_key primary key (payment_id, refund_id)
) strict, without rowid;
create index refund_summary_by_run on refund_summary (run_at);

-- grain: one file of a ledger, as it was read last; one that is gone leaves no
-- row. last_date tells how far the files of a ledger reach, to notice one that
-- did not come; by its size and times a file that was not written to since is
-- not read again.
create table ledger_file (
    file_id integer not null,
    ledger text not null,
    path text not null,
    -- Of its bytes; empty when it could not be read.
    sha256 text not null,
    -- The settings that it was read with: others may understand it differently.
    configuration_digest text not null,
    rows integer not null,
    quarantined integer not null,
    -- Mapped headers that it does not have, for a warning; empty without any.
    absent_columns text not null,
    -- Why it could not be read; then it gives nothing.
    error text,
    seal text not null default '',
    seen text,
    -- The newest date of a record of the file; null without any.
    last_date text,
    constraint ledger_file_key primary key (file_id),
    constraint ledger_file_is_named_once unique (ledger, path)
) strict;

-- grain: one page of the records of a ledger file and date, in order of line:
-- so many records are written, proved and read as one row. Of a date the first
-- page is 0.
create table ledger_page (
    file_id integer not null,
    date text not null,
    page integer not null,
    -- Of what follows.
    sha256 text not null,
    -- Four bytes a record: a hash of its id, to find it without reading rows.
    ids blob not null,
    -- Records that say returned.
    returned integer not null,
    -- A JSON array of arrays, in the order of ledger_record.
    rows text not null,
    constraint ledger_page_key primary key (file_id, date, page),
    constraint ledger_page_of_a_file
        foreign key (file_id) references ledger_file (file_id)
        on delete cascade
) strict;
create index ledger_page_returned on ledger_page (date) where returned > 0;

-- grain: one row of a ledger file. Two rows that are equal in everything are
-- two records.
create view ledger_record as
select
    page.file_id,
    -- The line on which the row begins, counted from 1.
    record.value ->> 0 as line,
    record.value ->> 1 as merchant_id,
    record.value ->> 2 as ledger_id,
    record.value ->> 3 as kind,
    page.date,
    -- Never negative.
    record.value ->> 4 as amount_minor,
    record.value ->> 5 as currency,
    record.value ->> 6 as order_id,
    record.value ->> 7 as reference,
    record.value ->> 8 as last4,
    record.value ->> 9 as status,
    -- Records of the page that say returned.
    page.returned as returned_beside
from ledger_page as page
cross join json_each(page.rows) as record;

-- grain: one row of a ledger file that was left out; of a file's the first ten
-- thousand.
create table ledger_quarantine (
    file_id integer not null,
    line integer not null,
    -- The file's own header; null when no single column is to blame.
    column_name text,
    reason text not null,
    merchant_id text,
    date text,
    amount_minor integer,
    currency text,
    reference text,
    kind text,
    constraint ledger_quarantine_key primary key (file_id, line),
    constraint ledger_quarantine_of_a_file
        foreign key (file_id) references ledger_file (file_id)
        on delete cascade
) strict, without rowid;

-- grain: one import that changed what a ledger file gives.
create table ledger_change (
    change_id integer not null,
    ledger text not null,
    -- The earliest date of a record that came, went or changed.
    since text not null,
    constraint ledger_change_key primary key (change_id)
) strict;
create index ledger_change_by_ledger on ledger_change (ledger, change_id);

-- grain: one business date that was fetched or reconciled.
create table business_day (
    business_date text not null,
    -- Grows with every fetch of the date that was not a resumption.
    session integer not null default 0,
    -- When the session began, RFC 3339: an old interrupted one is not resumed.
    fetch_began text,
    fetch_state text not null default 'none',
    reconciled integer not null default 0,
    -- 1 when an older date was reconciled after this one.
    stale integer not null default 0,
    -- 1 when every check could be evaluated.
    is_complete integer not null default 0,
    configuration_digest text not null default '',
    -- The newest reading of any listing when it was last judged with the API at
    -- hand.
    read_up_to integer not null default 0,
    -- The same when it was last judged, also from the store alone.
    judged_up_to integer not null default 0,
    -- When it was last reconciled, RFC 3339.
    last_run text,
    constraint business_day_key primary key (business_date),
    constraint business_day_has_a_fetch_state
        check (fetch_state in ('none', 'fetching', 'fetched'))
) strict, without rowid;

-- grain: one discrepancy on one business date on which it was new, open or
-- cleared.
create table discrepancy_day (
    business_date text not null,
    discrepancy_id text not null,
    code text not null,
    severity text not null,
    status text not null,
    -- 0 for what is shown on one date only and counts in no roll-forward.
    is_carried integer not null,
    -- 1 for a new one that existed on an earlier date.
    is_reopened integer not null,
    first_seen text not null,
    age_days integer not null,
    subject text not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    figure text not null,
    -- 0 when expected and actual cannot be compared, such as those of two
    -- currencies.
    has_difference integer not null,
    expected integer,
    actual integer,
    batch_date text,
    batch_id text not null,
    ach_deposit_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null,
    order_id text not null,
    ledger_id text not null,
    explanation text not null,
    action text not null,
    dispute_id text,
    expected_currency text,
    -- The next nearest sets of open entries, in words; null without any.
    also_near text,
    -- What is assigned as of the date; null where nothing is.
    owner text,
    ticket text,
    due_date text,
    note text,
    constraint discrepancy_day_key primary key (business_date, discrepancy_id),
    constraint discrepancy_day_has_a_status
        check (status in ('new', 'open', 'cleared', 'accepted')),
    constraint discrepancy_day_has_a_figure
        check (figure in ('amount', 'count'))
) strict, without rowid;
create index discrepancy_day_by_id
    on discrepancy_day (discrepancy_id, business_date);
create index discrepancy_day_cleared on discrepancy_day (business_date)
    where status = 'cleared';

-- grain: one discrepancy that is there and accepted on a date, with the act
-- that accepted it, so that writing the reports again says the same. is_new:
-- the discrepancy was open on the reconciled date before.
create table acceptance_result (
    business_date text not null,
    discrepancy_id text not null,
    who text not null,
    moment text not null,
    note text not null,
    accepted_from text not null,
    accepted_until text,
    is_new integer not null,
    constraint acceptance_result_key primary key (business_date, discrepancy_id)
) strict, without rowid;

-- grain: one discrepancy that a date reported and that a later run over the
-- same date did not find any more: as it was last reported.
create table withdrawn_finding (
    business_date text not null,
    discrepancy_id text not null,
    code text not null,
    severity text not null,
    status text not null,
    is_carried integer not null,
    first_seen text not null,
    age_days integer not null,
    subject text not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    figure text not null,
    has_difference integer not null,
    expected integer,
    actual integer,
    batch_date text,
    batch_id text not null,
    ach_deposit_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null,
    order_id text not null,
    ledger_id text not null,
    explanation text not null,
    action text not null,
    dispute_id text,
    expected_currency text,
    -- When the last run that reported it ended, and the run that did not,
    -- RFC 3339 in UTC.
    reported_at text not null,
    withdrawn_at text not null,
    constraint withdrawn_finding_key
        primary key (discrepancy_id, business_date),
    constraint withdrawn_finding_severity
        check (severity in ('info', 'warning', 'error')),
    constraint withdrawn_finding_figure check (figure in ('amount', 'count'))
) strict, without rowid;
create index withdrawn_finding_by_date on withdrawn_finding (business_date);

-- grain: a check that could not be evaluated for a merchant and a scope on a
-- date.
create table not_evaluated (
    business_date text not null,
    code text not null,
    -- Empty when it holds for every merchant.
    merchant_id text not null,
    scope text not null,
    reason text not null,
    -- How it ends: the key to set, the file to send; null when reading again is
    -- all there is.
    remedy text,
    constraint not_evaluated_key
        primary key (business_date, code, merchant_id, scope, reason)
) strict, without rowid;

create table deposit_result (
    business_date text not null,
    ach_deposit_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    association_date text,
    ach_date text,
    payment_date text,
    transactions integer,
    sales_minor integer,
    returns_minor integer,
    daily_fees_minor integer,
    held_sales_minor integer,
    ach_adjustment_minor integer,
    holdback_minor integer,
    reserve_release_minor integer,
    net_amount_minor integer,
    net_expected_minor integer,
    batch_sales_minor integer,
    batch_returns_minor integer,
    batch_transactions integer,
    fees_total_minor integer,
    returned_amount_minor integer,
    unexplained_minor integer,
    verdict text not null,
    disputed_minor integer,
    bank_date text,
    bank_minor integer,
    bank_verdict text,
    -- Batch dates, joined with ;
    pays_for text,
    constraint deposit_result_key primary key (business_date, ach_deposit_id)
) strict, without rowid;

create table batch_result (
    business_date text not null,
    batch_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    batch_date text not null,
    transaction_count integer,
    sale_amount_minor integer,
    return_amount_minor integer,
    items_count integer,
    items_sales_minor integer,
    items_returns_minor integer,
    ach_deposit_id text not null,
    verdict text not null,
    on_hold_minor integer,
    settled_elsewhere_minor integer,
    withdrawn_minor integer,
    constraint batch_result_key primary key (business_date, batch_id)
) strict, without rowid;

create table transit_result (
    business_date text not null,
    kind text not null,
    id text not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    date text not null,
    due_date text not null,
    amount_minor integer,
    -- The processor's word for a bank transfer without a due date; null for
    -- what is merely not due. date and due_date are empty where there is none.
    status text,
    constraint transit_result_key primary key (business_date, kind, id)
) strict, without rowid;

create table summary_result (
    business_date text not null,
    merchant_id text not null,
    -- Empty when it is unknown.
    currency text not null,
    merchant_name text not null,
    deposits integer,
    deposited_net_minor integer,
    batches integer,
    items integer,
    items_amount_minor integer,
    ledger_records integer,
    matched integer,
    in_transit_minor integer,
    opening integer not null,
    new integer not null,
    cleared integer not null,
    closing integer not null,
    closing_minor integer,
    verdict text not null,
    opening_minor integer,
    new_minor integer,
    cleared_minor integer,
    accepted integer,
    accepted_minor integer,
    on_hold_minor integer,
    overdue_minor integer,
    final_date text,
    -- What the absolute differences of what stayed open grew by.
    changed_minor integer,
    constraint summary_result_key
        primary key (business_date, merchant_id, currency)
) strict, without rowid;

-- grain: one page of the pairs of a date, in the order of the report: so many
-- are written, proved and read as one row.
create table match_page (
    business_date text not null,
    -- The place of its first pair, counted from 0.
    first integer not null,
    -- A JSON array of arrays, in the order of match_result.
    rows text not null,
    constraint match_page_key primary key (business_date, first)
) strict;

-- grain: one item and one ledger record of a pair whose later day is the date.
create view match_result as
select
    page.business_date,
    page.first + pair.key as ordinal,
    pair.value ->> 0 as item_type,
    pair.value ->> 1 as item_id,
    pair.value ->> 2 as ledger_id,
    pair.value ->> 3 as merchant_id,
    pair.value ->> 4 as currency,
    pair.value ->> 5 as item_date,
    pair.value ->> 6 as ledger_date,
    pair.value ->> 7 as item_amount_minor,
    pair.value ->> 8 as ledger_amount_minor,
    pair.value ->> 9 as difference_minor,
    pair.value ->> 10 as pass,
    pair.value ->> 11 as order_id,
    pair.value ->> 12 as note
from match_page as page
cross join json_each(page.rows) as pair;

-- grain: one dispute that was submitted or changed on a date, or was open.
create table dispute_result (
    business_date text not null,
    dispute_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    dispute_type text,
    status text,
    status_date text,
    received_date text,
    due_date text,
    amount_minor integer,
    fee_minor integer,
    transaction_id integer,
    authorization_id integer,
    -- The deposits whose adjustment it explains, joined with ;
    ach_deposit_id text not null,
    verdict text not null,
    constraint dispute_result_key primary key (business_date, dispute_id)
) strict, without rowid;

-- grain: one deposit paid on a date, or due at the bank on it, or one line of
-- the processor that no deposit explains.
create table bank_match_result (
    business_date text not null,
    ordinal integer not null,
    ach_deposit_id integer,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    payment_date text,
    due_date text,
    net_minor integer,
    bank text not null,
    bank_date text,
    bank_minor integer,
    -- Names and lines, joined with ;
    bank_file text not null,
    bank_line text not null,
    verdict text not null,
    -- How the deposit itself ties out as of the date, whatever the bank shows.
    deposit_verdict text,
    constraint bank_match_result_key primary key (business_date, ordinal)
) strict, without rowid;

-- Where a deposit or a line of a statement stands, or what was not read, as of
-- a date: a row where it stands elsewhere than on the date before.
create table bank_standing_result (
    bank text not null,
    kind text not null,
    -- The deposit, the key of the line, what is missing.
    id text not null,
    business_date text not null,
    currency text,
    merchant_id text not null,
    day text,
    due_date text,
    amount_minor integer,
    bank_date text,
    bank_minor integer,
    ach_deposit_id text not null,
    place text not null,
    -- Also gone: it is not there any more.
    verdict text not null,
    constraint bank_standing_result_key
        primary key (bank, kind, id, business_date)
) strict, without rowid;
create index bank_standing_result_date on bank_standing_result (business_date);

-- grain: one deposit whose money a date posts, a debit above zero. What an
-- earlier date has posted of it is posted once; a correction of that is the row
-- of the date that found it.
create table journal_result (
    business_date text not null,
    ach_deposit_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text not null,
    cash_minor integer not null,
    fees_minor integer not null,
    reserve_minor integer not null,
    chargebacks_minor integer not null,
    returns_minor integer not null,
    clearing_minor integer not null,
    constraint journal_result_key primary key (business_date, ach_deposit_id),
    constraint journal_result_balances check (
        cash_minor + fees_minor + reserve_minor + chargebacks_minor
            + returns_minor + clearing_minor = 0
    )
) strict, without rowid;
create index journal_result_by_deposit
    on journal_result (ach_deposit_id, business_date);

-- grain: one merchant and reconciled date: what is kept of the books when a
-- date is done, so that the next one need not match the years again. All of it
-- can be made anew from the rest of the store.
create table kept_books (
    merchant_id text not null,
    business_date text not null,
    -- The last reading, and the last change of a ledger, that it knows of.
    reading_id integer not null,
    change_id integer not null,
    -- A digest of the settings and of what else it rests on.
    made_for text not null,
    -- JSON, compressed with zstd.
    content blob not null,
    constraint kept_books_key primary key (merchant_id, business_date)
) strict, without rowid;

-- grain: one name that something later may share with what is not kept: a hash
-- of the merchant, the side that carries it and the name.
create table kept_name (
    name integer not null,
    -- The earliest date that did not keep it.
    business_date text not null,
    constraint kept_name_key primary key (name)
) strict;

-- grain: the run record of a business date, as JSON without files and times.
create table run_record (
    business_date text not null,
    content text not null,
    -- SHA-256 over every row that the date came to.
    results_digest text not null,
    -- Over the whole row.
    seal text not null default '',
    constraint run_record_key primary key (business_date)
) strict, without rowid;

-- grain: one row: how long the chain is and how it ends, so that a cut is seen.
create table audit_head (
    only_row integer not null,
    sequence integer not null,
    hash text not null,
    constraint audit_head_key primary key (only_row),
    constraint audit_head_has_one_row check (only_row = 1)
) strict;
insert into audit_head (only_row, sequence, hash) values (1, 0, '');

-- What people decide, and what was reported and removed.
create table audit (
    sequence integer not null,
    -- When, RFC 3339 in UTC.
    moment text not null,
    act text not null,
    -- The discrepancy's id, or the business date.
    subject text not null,
    -- The first business date that it counts for.
    business_date text not null,
    -- The last business date that it counts for; empty without one.
    until text not null,
    who text not null,
    -- Why. Of a report: the SHA-256 of its run.json. Of a run that begins: the
    -- dates that it reports.
    note text not null,
    -- SHA-256 over the sums of all tables as they were when the row was added.
    sums text not null,
    -- Empty for the first row.
    previous_hash text not null,
    hash text not null,
    -- Of an assignment: to whom, under which ticket, due when; empty without.
    owner text not null default '',
    ticket text not null default '',
    due_date text not null default '',
    constraint audit_key primary key (sequence),
    constraint audit_knows_the_act check (
        act in (
            'accept', 'reopen', 'assign', 'prepare', 'close', 'reopen date',
            'report', 'prune', 'begin', 'end'
        )
    ),
    constraint audit_names_who check (trim(who) <> ''),
    constraint audit_assigns_what_is_assigned
        check (act = 'assign' or owner || ticket || due_date = '')
) strict;
create index audit_by_subject on audit (subject, act, sequence);
create index audit_by_date on audit (act, business_date);
create index audit_by_until on audit (act, until) where until <> '';

create trigger audit_is_a_chain before insert on audit
when new.sequence is not (select sequence + 1 from audit_head)
    or new.previous_hash is not (select hash from audit_head)
begin
    select raise(
        abort,
        'an audit row is added at the end of the chain and nowhere else'
    );
end;
create trigger audit_moves_its_head after insert on audit
begin
    update audit_head set sequence = new.sequence, hash = new.hash;
end;
create trigger audit_is_never_changed before update on audit
begin
    select raise(abort, 'an audit row is never changed');
end;
create trigger audit_is_never_deleted before delete on audit
begin
    select raise(abort, 'an audit row is never deleted');
end;

-- grain: one discrepancy that a run found in a business date after it was
-- closed.
create table prior_finding (
    closed_date text not null,
    discrepancy_id text not null,
    -- The open date that reports it; null until a run reconciles one.
    reported_on text,
    code text not null,
    severity text not null,
    is_carried integer not null,
    subject text not null,
    merchant_id text not null,
    currency text,
    figure text not null,
    has_difference integer not null,
    expected integer,
    actual integer,
    batch_date text,
    batch_id text not null,
    ach_deposit_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null,
    order_id text not null,
    ledger_id text not null,
    explanation text not null,
    action text not null,
    -- 1 when a later run of the closed date does not find it any more. What has
    -- been reported is kept for ever, as the report is.
    is_withdrawn integer not null default 0,
    seal text not null default '',
    dispute_id text,
    expected_currency text,
    constraint prior_finding_key primary key (closed_date, discrepancy_id)
) strict, without rowid;
create index prior_finding_by_id on prior_finding (discrepancy_id);
create index prior_finding_by_report on prior_finding (reported_on);

-- grain: one fetch of one business date, for ever: business_day keeps the
-- newest alone.
create table fetch_session (
    session integer not null,
    business_date text not null,
    constraint fetch_session_key primary key (session)
) strict;
create index fetch_session_by_date on fetch_session (business_date);

-- grain: one listing of a business date that a reconciliation has rested on
-- completely.
create table reconciled_listing (
    listing_id integer not null,
    -- The reading that it rested on, and the newest reading of any listing by
    -- then.
    reading_id integer not null,
    up_to_reading integer not null,
    constraint reconciled_listing_key primary key (listing_id),
    constraint reconciled_listing_is_one
        foreign key (listing_id) references listing (listing_id)
) strict;

-- grain: what a record said before another reading changed it, or missed it.
create table record_version (
    kind text not null,
    id text not null,
    -- The first reading that said otherwise.
    replaced_in integer not null,
    -- The last reading that said this.
    reading integer not null,
    -- As in the record's table; empty for bank transfers.
    day text not null,
    merchant_id text,
    -- 1 when it was missing from its listing then.
    was_gone integer not null,
    -- Its figures, JSON.
    content text not null,
    constraint record_version_key primary key (kind, id, replaced_in)
) strict, without rowid;
create index record_version_by_day on record_version (day, kind)
    where day <> '';
create index record_version_by_change on record_version (replaced_in);

-- grain: a record that a reading under way has listed, and that a newer reading
-- holds by now: it is counted once, however often it is listed. Emptied as the
-- reading ends. The part tells the records of one authorization apart, and is 0
-- of all others.
create table overtaken (
    reading_id integer not null,
    -- Its id among the records of that listing.
    record_id integer not null,
    part integer not null default 0,
    -- A hash of what the reading says of it.
    content integer not null,
    constraint overtaken_key primary key (reading_id, record_id, part),
    constraint overtaken_is_a_reading
        foreign key (reading_id) references reading (reading_id)
) strict, without rowid;

-- grain: a moment at which the schedule fired; the first one is when it began.
create table schedule_firing (
    fired_at text not null,
    constraint schedule_firing_key primary key (fired_at)
) strict, without rowid;

-- grain: a business date that the schedule named, and whether it has been done
-- since.
create table schedule_date (
    business_date text not null,
    fired_at text not null,
    is_done integer not null,
    constraint schedule_date_key primary key (business_date),
    constraint schedule_date_is_done check (is_done in (0, 1))
) strict, without rowid;
create index schedule_date_pending on schedule_date (business_date)
    where not is_done;

-- grain: one file of bank statements, as it was read last; one that is gone
-- leaves no row.
create table bank_file (
    file_id integer not null,
    bank text not null,
    path text not null,
    -- Of its bytes; empty when it could not be read.
    sha256 text not null,
    -- The settings that it was read with: others may understand it differently.
    configuration_digest text not null,
    -- Lines that the processor caused, and lines of others, which are not kept.
    lines integer not null,
    other_lines integer not null,
    quarantined integer not null,
    -- The first line that was left out, and why; empty without any.
    first_fault text not null,
    -- Why it could not be read; then it gives nothing.
    error text,
    seal text not null default '',
    constraint bank_file_key primary key (file_id),
    constraint bank_file_is_named_once unique (bank, path)
) strict;

-- grain: one line of a statement that the processor caused. Of the account's
-- number the last four characters are kept, of the line's text nothing.
create table bank_line (
    file_id integer not null,
    ordinal integer not null,
    -- The same for the same line in every file that repeats it.
    line_key text not null,
    line integer not null,
    account_last4 text not null,
    date text not null,
    -- Negative for a debit.
    amount_minor integer not null,
    currency text not null,
    -- The merchant whose id stands in its text.
    merchant_id text,
    -- 1 for a line of a report that was made before its day was over: it counts
    -- until a statement covers the day.
    is_interim integer,
    -- Digests of the numbers in the text of a line, joined with spaces: a
    -- deposit is known by its id. The text itself is not kept.
    names text,
    -- The bank's own id of the line, hashed; null where the format has none.
    id_hash text,
    constraint bank_line_key primary key (file_id, ordinal),
    constraint bank_line_of_a_file
        foreign key (file_id) references bank_file (file_id) on delete cascade
) strict, without rowid;

-- grain: days of an account of which a file holds every line, both ends
-- included.
create table bank_span (
    file_id integer not null,
    account_last4 text not null,
    first_date text not null,
    last_date text not null,
    -- What the span does to files that stand before it by name: null for
    -- nothing. A 'correction' takes back what they say of its day and covers
    -- it; a 'deletion' takes it back and covers nothing.
    recalls text,
    constraint bank_span_key
        primary key (file_id, account_last4, first_date, last_date),
    constraint bank_span_of_a_file
        foreign key (file_id) references bank_file (file_id) on delete cascade
) strict, without rowid;

-- grain: one line of an earlier file that a file replaces or deletes.
create table bank_correction (
    file_id integer not null,
    account_last4 text not null,
    id_hash text not null,
    constraint bank_correction_key
        primary key (file_id, account_last4, id_hash),
    constraint bank_correction_of_a_file
        foreign key (file_id) references bank_file (file_id) on delete cascade
) strict, without rowid;

-- grain: an operation of the API that not every key has, and what it answered
-- last.
create table key_operation (
    name text not null,
    is_there integer not null,
    constraint key_operation_key primary key (name),
    constraint key_operation_is_there check (is_there in (0, 1))
) strict, without rowid;

-- grain: the store, one row.
create table store_id (
    only_row integer not null,
    -- 128 random bits in hexadecimal. A copy of the store keeps it.
    id text not null,
    constraint store_id_key primary key (only_row),
    constraint store_id_is_one_row check (only_row = 1)
) strict;
insert into store_id (only_row, id) values (1, lower(hex(randomblob(16))));

-- grain: one table, with a sum over its rows where nothing else proves them.
-- The connection that writes keeps it; `sums` says how.
create table table_sum (
    name text not null,
    -- Exclusive or of the SHA-256 of each row.
    digest blob not null,
    constraint table_sum_key primary key (name)
) strict, without rowid;

-- grain: which share of the merchants the store holds.
create table shard (
    only_row integer not null,
    -- 'whole', or the shard as it is written.
    name text not null,
    -- Of the merchants whose parts every stored listing holds; empty until they
    -- were compared.
    merchants_digest text not null,
    constraint shard_key primary key (only_row),
    constraint shard_only_row check (only_row = 1)
) strict;

-- grain: a merchant whose part of a listing a shard reads. A number is given
-- once and for good.
create table merchant_part (
    part integer not null,
    merchant_id text not null,
    -- 1 for a merchant that came from another shard: what the shard that looks
    -- for unknown merchants read of everybody before then does not hold it.
    joined integer not null default 0,
    constraint shard_merchant_key primary key (part),
    constraint shard_merchant_is_named_once unique (merchant_id)
) strict;

create trigger deposit_is_overtaken after update of reading on deposit
when exists (
    select 1 from reading
    where reading_id = old.reading and verdict = 'reading'
)
begin
    insert or ignore into overtaken (reading_id, record_id, content)
    values (old.reading, old.ach_deposit_id, old.content);
end;

create trigger batch_is_overtaken after update of reading on batch
when exists (
    select 1 from reading
    where reading_id = old.reading and verdict = 'reading'
)
begin
    insert or ignore into overtaken (reading_id, record_id, content)
    values (old.reading, old.batch_id, old.content);
end;

create trigger dispute_is_overtaken after update of reading on dispute
when exists (
    select 1 from reading
    where reading_id = old.reading and verdict = 'reading'
)
begin
    insert or ignore into overtaken (reading_id, record_id, content)
    values (old.reading, old.dispute_id, old.content);
end;

-- Listings are read side by side: one may miss a record before a reading that
-- began earlier finds it in its new place. It was gone at no time then: it
-- changed in that earlier reading.
create trigger deposit_keeps_its_versions after update on deposit
when old.merchant_id is not new.merchant_id
    or old.day is not new.day
    or old.association_date is not new.association_date
    or old.ach_date is not new.ach_date
    or old.payment_date is not new.payment_date
    or old.transactions is not new.transactions
    or old.sales_minor is not new.sales_minor
    or old.returns_minor is not new.returns_minor
    or old.daily_fees_minor is not new.daily_fees_minor
    or old.held_sales_minor is not new.held_sales_minor
    or old.ach_adjustment_minor is not new.ach_adjustment_minor
    or old.holdback_minor is not new.holdback_minor
    or old.reserve_release_minor is not new.reserve_release_minor
    or old.net_amount_minor is not new.net_amount_minor
    or (old.gone_in is null) <> (new.gone_in is null)
begin
    delete from record_version
    where kind = 'deposit'
      and id = cast(old.ach_deposit_id as text)
      and replaced_in = old.gone_in
      and new.gone_in is null
      and new.reading < old.gone_in;
    insert or ignore into record_version (
        kind, id, replaced_in, reading, day, merchant_id, was_gone, content
    ) values (
        'deposit', cast(old.ach_deposit_id as text),
        max(new.reading, coalesce(new.gone_in, 0)), old.reading,
        old.day, old.merchant_id,
        old.gone_in is not null
            and (new.gone_in is not null or new.reading > old.gone_in),
        json_object(
            'association_date', old.association_date,
            'ach_date', old.ach_date,
            'payment_date', old.payment_date,
            'transactions', old.transactions,
            'sales', old.sales_minor,
            'returns', old.returns_minor,
            'daily_fees', old.daily_fees_minor,
            'held_sales', old.held_sales_minor,
            'ach_adjustment', old.ach_adjustment_minor,
            'holdback', old.holdback_minor,
            'reserve_release', old.reserve_release_minor,
            'net_amount', old.net_amount_minor
        )
    );
end;

create trigger batch_keeps_its_versions after update on batch
when old.merchant_id is not new.merchant_id
    or old.day is not new.day
    or old.sale_amount_minor is not new.sale_amount_minor
    or old.return_amount_minor is not new.return_amount_minor
    or old.transaction_count is not new.transaction_count
    or old.currency is not new.currency
    or (old.gone_in is null) <> (new.gone_in is null)
begin
    delete from record_version
    where kind = 'batch'
      and id = cast(old.batch_id as text)
      and replaced_in = old.gone_in
      and new.gone_in is null
      and new.reading < old.gone_in;
    insert or ignore into record_version (
        kind, id, replaced_in, reading, day, merchant_id, was_gone, content
    ) values (
        'batch', cast(old.batch_id as text),
        max(new.reading, coalesce(new.gone_in, 0)), old.reading,
        old.day, old.merchant_id,
        old.gone_in is not null
            and (new.gone_in is not null or new.reading > old.gone_in),
        json_object(
            'currency', old.currency,
            'batch_date', nullif(old.day, ''),
            'transaction_count', old.transaction_count,
            'sale_amount', old.sale_amount_minor,
            'return_amount', old.return_amount_minor
        )
    );
end;

create trigger bank_transfer_keeps_its_versions after update of
    terminal_id, order_id, run_at, amount_minor, currency, transfer_type,
    status, representment_id, payment_id
on bank_transfer
when old.terminal_id is not new.terminal_id
    or old.order_id is not new.order_id
    or old.run_at is not new.run_at
    or old.amount_minor is not new.amount_minor
    or old.currency is not new.currency
    or old.transfer_type is not new.transfer_type
    or old.status is not new.status
    or old.representment_id is not new.representment_id
    or old.payment_id is not new.payment_id
begin
    insert or ignore into record_version (
        kind, id, replaced_in, reading, day, merchant_id, was_gone, content
    ) values (
        old.kind, old.transfer_id, new.reading, old.reading, '', null, 0,
        json_object(
            'terminal_id', old.terminal_id,
            'order_id', old.order_id,
            'run_at', old.run_at,
            'currency', old.currency,
            'type', old.transfer_type,
            'status', old.status,
            'amount', old.amount_minor
        )
    );
end;

create trigger authorization_keeps_its_versions after update of
    merchant_id, day, batch_id, currency, authorization_response,
    preauthorization_minor, transaction_id, transaction_type, transaction_date,
    amount_minor, gone_in
on authorization
when old.merchant_id is not new.merchant_id
    or old.day is not new.day
    or old.batch_id is not new.batch_id
    or old.currency is not new.currency
    or old.authorization_response is not new.authorization_response
    or old.preauthorization_minor is not new.preauthorization_minor
    or old.transaction_id is not new.transaction_id
    or old.transaction_type is not new.transaction_type
    or old.transaction_date is not new.transaction_date
    or old.amount_minor is not new.amount_minor
    or (old.gone_in is null) <> (new.gone_in is null)
begin
    delete from record_version
    where kind = 'authorization'
      and id = old.authorization_id || '/' || old.transaction_key
      and replaced_in = old.gone_in
      and new.gone_in is null
      and new.reading < old.gone_in;
    insert or ignore into record_version (
        kind, id, replaced_in, reading, day, merchant_id, was_gone, content
    ) values (
        'authorization', old.authorization_id || '/' || old.transaction_key,
        max(new.reading, coalesce(new.gone_in, 0)), old.reading,
        old.day, old.merchant_id,
        old.gone_in is not null
            and (new.gone_in is not null or new.reading > old.gone_in),
        json_object(
            'batch_id', old.batch_id,
            'currency', old.currency,
            'batch_date', nullif(old.day, ''),
            'response', old.authorization_response,
            'preauthorization_amount', old.preauthorization_minor,
            'transaction_id', old.transaction_id,
            'type', old.transaction_type,
            'transaction_date', old.transaction_date,
            'amount', old.amount_minor
        )
    );
end;
