-- purpose: the disputes that were submitted in the 400 days up to D.
-- grain: one dispute.
create temp view recent_disputes as
select dispute.*
from temp.asof as asof
cross join dispute
    on dispute.day between date(asof.business_date, '-400 days')
        and asof.business_date
where dispute.gone_in is null;

-- purpose: the statuses that disputes have had by D, with the meaning of each.
-- grain: one status of one dispute, those without a date left out; disputes
-- that were submitted in the 400 days up to D.
create temp table dispute_statuses as
with
listed as (
    select
        known.dispute_id,
        known.status,
        known.status_date,
        coalesce(known.dispute_status_id, 0) as status_id,
        known.ordinal
    from temp.recent_disputes as recent
    cross join dispute_status as known on known.dispute_id = recent.dispute_id
    inner join listing
        on listing.listing_id = known.listing_id
            and listing.reading_id = known.reading
    where known.status_date is not null
),
-- The status that the dispute itself states, unless its list has it; without
-- any date it takes the date of submission.
stated as (
    select
        recent.dispute_id,
        recent.status,
        coalesce(recent.status_date, recent.created_date, recent.day)
            as status_date,
        0 as status_id,
        -1 as ordinal
    from temp.recent_disputes as recent
    where recent.status is not null
      and not exists (
          select 1 from listed
          where listed.dispute_id = recent.dispute_id
            and (
                recent.status_date is null
                or (
                    listed.status_date = recent.status_date
                    and listed.status is recent.status
                )
            )
      )
)
select
    known.dispute_id,
    known.status,
    known.status_date,
    row_number() over (
        partition by known.dispute_id
        order by known.status_date, known.status_id, known.ordinal
    ) as place,
    case
        when known.status in (
            'new', 'prearbitrationInProcess', 'precomplianceInProcess'
        ) then 'waits'
        when known.status in (
            'representmentPaid', 'issuerReversal', 'rejected', 'invalid',
            'arbitrationFundsToBeReturned'
        ) then 'won'
        when known.status in (
            'representmentFailed', 'stand', 'prearbitrationAccepted',
            'precomplianceAccepted', 'arbitrationLost', 'complianceLost'
        ) then 'lost'
        when known.status in (
            'arbitrationSettledPartialAmount',
            'complianceSettledPartialAmount'
        ) then 'partly'
        else 'undecided'
    end as verdict
from (select * from listed union all select * from stated) as known
cross join temp.asof as asof
where known.status_date <= asof.business_date;
create index temp.dispute_statuses_key
    on dispute_statuses (dispute_id, place);

-- purpose: the disputes that were submitted in the 400 days up to D, each with
-- its state.
-- grain: one dispute.
create temp table disputes as
select
    dispute.dispute_id,
    dispute.day,
    dispute.merchant_id,
    merchants.name as merchant_name,
    merchants.calendar,
    merchants.is_checked,
    coalesce(dispute.currency, merchants.currency) as currency,
    dispute.dispute_type,
    dispute.received_date,
    dispute.amount_minor,
    dispute.fee_minor,
    dispute.transaction_id,
    newest.status,
    newest.status_date,
    coalesce(newest.verdict, 'undecided') as verdict,
    coalesce(
        (
            select min(known.status_date) from temp.dispute_statuses as known
            where known.dispute_id = dispute.dispute_id
        ),
        dispute.created_date,
        dispute.day
    ) as first_date,
    -- Whether its statuses were read: else its outcome is not known.
    exists (
        select 1
        from listing
        inner join reading on reading.reading_id = listing.reading_id
        where listing.resource = 'dispute-statuses'
          and listing.selector = 'dispute'
          and listing.scope = cast(dispute.dispute_id as text)
          and listing.business_date = ''
          and reading.verdict = 'complete'
    ) as is_read
from temp.recent_disputes as dispute
inner join temp.merchants as merchants
    on merchants.merchant_id = dispute.merchant_id
left join temp.dispute_statuses as newest
    on newest.dispute_id = dispute.dispute_id
    and newest.place = (
        select max(known.place) from temp.dispute_statuses as known
        where known.dispute_id = dispute.dispute_id
    );
create unique index temp.disputes_key on disputes (dispute_id);
create index temp.disputes_by_merchant on disputes (merchant_id, first_date);
