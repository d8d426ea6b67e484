-- purpose: records whose content may differ from when their date was
-- reconciled: those of the recent dates, those that a fetch of D changed, and
-- those with an open restatement.
-- grain: one record.
create temp table restated_candidates as
select version.kind, version.id
from temp.asof as asof
cross join record_version as version
    on version.day between asof.restated_from and asof.business_date
where version.day <> ''
union
select version.kind, version.id
from temp.asof as asof
cross join fetch_session on fetch_session.business_date = asof.business_date
cross join reading
    on reading.session in (fetch_session.session, -fetch_session.session)
cross join record_version as version on version.replaced_in = reading.reading_id
union
select
    substr(subject, 1, instr(subject, '/') - 1),
    substr(subject, instr(subject, '/') + 1)
from temp.carried
where code in (select code from temp.reopened_by where what = 'record')
  and subject not glob 'authorization/*'
union
-- All records of an authorization: the subject of the first is its id alone.
select
    'authorization',
    item.authorization_id || '/' || item.transaction_key
from temp.carried as carried
cross join authorization as item
    on item.authorization_id = cast(carried.authorization_id as integer)
where carried.code in (select code from temp.reopened_by where what = 'record')
  and carried.subject glob 'authorization/*';

-- purpose: deposits, batches and authorizations as they were when the date that
-- listed them was reconciled, where they were changed or went missing since.
-- Only readings that D had when it was judged with the API at hand count, so
-- that a later night's findings are not put into the past of D.
-- grain: one record.
create temp table first_versions as
with
asof as (
    select asof.*, day.read_up_to
    from temp.asof as asof
    cross join business_day as day on day.business_date = asof.business_date
)
select
    candidate.kind,
    candidate.id,
    min(version.replaced_in) as replaced_in
from temp.restated_candidates as candidate
cross join asof
cross join record_version as version
    on version.kind = candidate.kind and version.id = candidate.id
cross join listing
    on listing.resource = case candidate.kind
        when 'deposit' then 'ach-deposits'
        when 'batch' then 'batches'
        when 'authorization' then 'authorizations'
    end
    and listing.selector = 'date'
    and listing.business_date = version.day
    and listing.scope = ''
cross join reconciled_listing as base on base.listing_id = listing.listing_id
where version.was_gone = 0
  and version.day <= asof.business_date
  and version.replaced_in > base.up_to_reading
  and version.replaced_in <= asof.read_up_to
  -- It must have had this content by then: a later record is late, not
  -- restated.
  and coalesce(
      (
          select max(earlier.replaced_in) from record_version as earlier
          where earlier.kind = version.kind
            and earlier.id = version.id
            and earlier.replaced_in < version.replaced_in
      ),
      case candidate.kind
          when 'deposit' then (
              select first_reading from deposit
              where ach_deposit_id = cast(candidate.id as integer)
          )
          when 'batch' then (
              select first_reading from batch
                  where batch_id = cast(candidate.id as integer)
          )
          else (
              select first_reading from authorization
              where authorization_id = cast(candidate.id as integer)
                and transaction_key = cast(
                    substr(candidate.id, instr(candidate.id, '/') + 1)
                    as integer)
          )
      end
  ) <= base.up_to_reading
group by candidate.kind, candidate.id;

-- purpose: card transactions that are gone while the same authorization, type,
-- amount and batch date are listed under ids that were not listed before.
-- grain: one transaction, with its number now.
create temp table renumbered as
with gone as (
    select
        item.authorization_id, item.transaction_key, item.transaction_type,
        item.amount_minor, item.day, firsts.replaced_in,
        row_number() over (
            partition by item.authorization_id, item.transaction_type,
                item.amount_minor, item.day
            order by item.transaction_key
        ) as nth
    from temp.first_versions as firsts
    cross join authorization as item
        on item.authorization_id = cast(firsts.id as integer)
        and item.transaction_key = cast(
            substr(firsts.id, instr(firsts.id, '/') + 1) as integer)
    where firsts.kind = 'authorization'
      and item.gone_in is not null
      and item.has_transaction
),
newer as (
    select
        item.authorization_id, item.transaction_id, item.transaction_type,
        item.amount_minor, item.day,
        row_number() over (
            partition by item.authorization_id, item.transaction_type,
                item.amount_minor, item.day
            order by item.transaction_key
        ) as nth
    from (
        select authorization_id, min(replaced_in) as replaced_in
        from gone
        group by authorization_id
    ) as since
    cross join authorization as item
        on item.authorization_id = since.authorization_id
    where item.gone_in is null
      and item.has_transaction
      and item.first_reading >= since.replaced_in
)
select gone.authorization_id, gone.transaction_key, newer.transaction_id
from gone
inner join newer
    on newer.authorization_id = gone.authorization_id
    and newer.transaction_type = gone.transaction_type
    and newer.amount_minor = gone.amount_minor
    and newer.day = gone.day
    and newer.nth = gone.nth;

-- purpose: the content that these records had.
-- grain: one record.
create temp view restated_firsts as
select version.*
from temp.first_versions as first
cross join record_version as version
    on version.kind = first.kind
    and version.id = first.id
    and version.replaced_in = first.replaced_in;

-- purpose: the same records with their current content.
-- grain: one record, with its subject.
create temp table restated_records as
select
    firsts.kind,
    firsts.id,
    firsts.kind || '/' || firsts.id as subject,
    firsts.day,
    firsts.merchant_id,
    firsts.content as before,
    json_object(
        'association_date', deposit.association_date,
        'ach_date', deposit.ach_date,
        'payment_date', deposit.payment_date,
        'transactions', deposit.transactions,
        'sales', deposit.sales_minor,
        'returns', deposit.returns_minor,
        'daily_fees', deposit.daily_fees_minor,
        'held_sales', deposit.held_sales_minor,
        'ach_adjustment', deposit.ach_adjustment_minor,
        'holdback', deposit.holdback_minor,
        'reserve_release', deposit.reserve_release_minor,
        'net_amount', deposit.net_amount_minor
    ) as after,
    -- A deposit names no currency: it has the one that its own date found.
    coalesce(
        (
            select result.currency from deposit_result as result
            where result.business_date = firsts.day
              and result.ach_deposit_id = deposit.ach_deposit_id
        ),
        merchants.currency
    ) as currency,
    deposit.gone_in is not null as is_gone
from temp.restated_firsts as firsts
cross join deposit on deposit.ach_deposit_id = cast(firsts.id as integer)
inner join temp.merchants as merchants
    on merchants.merchant_id = firsts.merchant_id
where firsts.kind = 'deposit' and merchants.is_checked;
insert into temp.restated_records
select
    firsts.kind,
    firsts.id,
    firsts.kind || '/' || firsts.id,
    firsts.day,
    firsts.merchant_id,
    firsts.content,
    json_object(
        'currency', batch.currency,
        'batch_date', nullif(batch.day, ''),
        'transaction_count', batch.transaction_count,
        'sale_amount', batch.sale_amount_minor,
        'return_amount', batch.return_amount_minor
    ),
    json_extract(firsts.content, '$.currency'),
    batch.gone_in is not null
from temp.restated_firsts as firsts
cross join batch on batch.batch_id = cast(firsts.id as integer)
inner join temp.merchants as merchants
    on merchants.merchant_id = firsts.merchant_id
where firsts.kind = 'batch' and merchants.is_checked;
-- A record without a transaction is replaced by the first one that has one.
insert into temp.restated_records
select
    firsts.kind,
    cast(item.authorization_id as text),
    'authorization/' || item.authorization_id || case
        -- The subject of the first transaction is the authorization alone.
        when exists (
            select 1 from authorization as part
            where part.authorization_id = item.authorization_id
              and part.transaction_key < item.transaction_key
              and part.has_transaction
        ) then '/' || item.transaction_key
        else ''
    end,
    firsts.day,
    firsts.merchant_id,
    firsts.content,
    json_object(
        'currency', item.currency,
        'batch_date', nullif(item.day, ''),
        'preauthorization_amount', item.preauthorization_minor,
        'transaction_id',
            coalesce(renumbered.transaction_id, item.transaction_id),
        'type', item.transaction_type,
        'transaction_date', item.transaction_date,
        'amount', item.amount_minor
    ),
    json_extract(firsts.content, '$.currency'),
    item.gone_in is not null and renumbered.transaction_id is null
from temp.restated_firsts as firsts
cross join authorization as item
    on item.authorization_id = cast(firsts.id as integer)
    and item.transaction_key = cast(
        substr(firsts.id, instr(firsts.id, '/') + 1) as integer)
left join temp.renumbered as renumbered
    on renumbered.authorization_id = item.authorization_id
    and renumbered.transaction_key = item.transaction_key
inner join temp.merchants as merchants
    on merchants.merchant_id = firsts.merchant_id
where firsts.kind = 'authorization'
  and merchants.is_checked
  and not (
      not item.has_transaction
      and exists (
          select 1 from authorization as part
          where part.authorization_id = item.authorization_id
            and part.has_transaction
      )
  );

-- purpose: bank transfers that may have changed, each with the listings that
-- held it when their dates were reconciled.
-- grain: one bank transfer and one such listing.
create temp table reconciled_transfers as
with
asof as (
    select asof.*, day.read_up_to
    from temp.asof as asof
    cross join business_day as day on day.business_date = asof.business_date
),
scopes (resource, selector) as (
    values
        ('bank-transfer-payments', 'settled'),
        ('bank-transfer-payments', 'run'),
        ('bank-transfer-refunds', 'settled'),
        ('bank-transfer-refunds', 'run')
),
members as (
    select listed.transfer_number
    from asof
    cross join scopes
    cross join listing
        on listing.resource = scopes.resource
        and listing.selector = scopes.selector
        and listing.business_date
            between asof.restated_from and asof.business_date
    cross join reconciled_listing as base
        on base.listing_id = listing.listing_id
    cross join transfer_listed as listed
        on listed.listing_id = listing.listing_id
    cross join bank_transfer as transfer
        on transfer.transfer_number = listed.transfer_number
    where listed.first_reading <= base.up_to_reading
      and (
          listed.reading < listing.reading_id
          or exists (
              select 1 from record_version as version
              where version.kind = transfer.kind
                  and version.id = transfer.transfer_id
          )
      )
    union
    select transfer.transfer_number
    from temp.restated_candidates as candidates
    cross join bank_transfer as transfer
        on transfer.transfer_id = candidates.id
            and transfer.kind = candidates.kind
)
select
    members.transfer_number,
    listing.selector,
    listing.business_date,
    base.up_to_reading,
    exists (
        select 1 from reading as later
        where later.listing_id = listing.listing_id
          and later.verdict = 'complete'
          and later.reading_id > listed.reading
          and later.reading_id <= asof.read_up_to
    ) as is_lost,
    asof.read_up_to
from members
cross join asof
cross join transfer_listed as listed
    on listed.transfer_number = members.transfer_number
cross join listing on listing.listing_id = listed.listing_id
cross join reconciled_listing as base on base.listing_id = listing.listing_id
where listing.selector in ('settled', 'run')
  and listing.business_date <= asof.business_date
  and listed.first_reading <= base.up_to_reading
  and listed.reading >= base.reading_id;

-- purpose: the listings of a bank transfer when their dates were reconciled.
-- grain: one bank transfer.
create temp view first_listings as
select
    transfer_number,
    min(up_to_reading) as up_to_reading,
    max(read_up_to) as read_up_to,
    min(case when selector = 'settled' then business_date end)
        as settled_before,
    max(is_lost) as is_lost
from temp.reconciled_transfers
group by transfer_number;

-- purpose: the same bank transfers with their current content.
-- grain: one bank transfer.
create temp view current_transfers as
select
    firsts.*,
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    merchants.time_zone,
    transfer.status,
    transfer.order_id,
    json_object(
        'run_at', transfer.run_at,
        'currency', transfer.currency,
        'type', transfer.transfer_type,
        'status', transfer.status,
        'amount', transfer.amount_minor
    ) as after
from temp.first_listings as firsts
cross join bank_transfer as transfer
    on transfer.transfer_number = firsts.transfer_number
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id;

-- purpose: these bank transfers as they were first reconciled and as they are
-- now.
-- grain: one bank transfer of a configured terminal.
create temp table restated_transfers as
with
both as (
    select
        now.*,
        coalesce((
            select version.content from record_version as version
            where version.kind = now.kind
              and version.id = now.transfer_id
              and version.replaced_in > now.up_to_reading
              and version.replaced_in <= now.read_up_to
            order by version.replaced_in
            limit 1
        ), now.after) as before
    from temp.current_transfers as now
)
select
    both.kind,
    both.transfer_id as id,
    both.merchant_id,
    both.order_id,
    both.before,
    both.after,
    local_date(json_extract(both.before, '$.run_at'), both.time_zone)
        as run_before,
    local_date(json_extract(both.after, '$.run_at'), both.time_zone)
        as run_after,
    both.settled_before,
    (
        select min(settled.business_date)
        from temp.settled_listing as settled
        where settled.transfer_number = both.transfer_number
          and settled.business_date <= (select business_date from temp.asof)
    ) as settled_after,
    both.is_lost,
    -- Left a final state: a transfer that reached the merchant is now declined
    -- or voided.
    both.status in ('declined', 'reversal') and exists (
        select 1 from record_version as version
        where version.kind = both.kind
          and version.id = both.transfer_id
          and version.replaced_in > both.up_to_reading
          and version.replaced_in <= both.read_up_to
          and json_extract(version.content, '$.status') = 'complete'
    ) as has_left_final_state,
    -- A transfer that its own listings lost is requested by its id: found,
    -- missing, or not known.
    (
        select case
            when reading.verdict <> 'complete' then 'unknown'
            when listed.reading = reading.reading_id then 'found'
            else 'missing'
        end
        from listing
        cross join reading on reading.reading_id = listing.reading_id
        left join transfer_listed as listed
            on listed.listing_id = listing.listing_id
            and listed.transfer_number = both.transfer_number
        where listing.resource = 'bank-transfer-' || both.kind || 's'
          and listing.selector = 'id'
          and listing.business_date = ''
          and listing.scope = both.transfer_id
          and reading.reading_id > both.up_to_reading
    ) as looked_up
from both;

-- purpose: listings that were read completely when their date was reconciled,
-- and that D could not read again: their current content is not known.
-- grain: one listing.
create temp table restated_unread as
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    coalesce(terminal.merchant_id, '') as merchant_id,
    reading.error
from temp.asof as asof
cross join business_day as day on day.business_date = asof.business_date
cross join reading on reading.session = day.session
cross join listing on listing.listing_id = reading.listing_id
cross join reconciled_listing as base on base.listing_id = listing.listing_id
left join temp.configured_terminal as terminal
    on terminal.terminal_id = listing.scope
where reading.verdict <> 'complete'
  -- A run that went on later may have read it after all.
  and not exists (
      select 1 from reading as later
      where later.listing_id = reading.listing_id
        and later.session = reading.session
        and later.reading_id > reading.reading_id
        and later.verdict = 'complete'
  );
