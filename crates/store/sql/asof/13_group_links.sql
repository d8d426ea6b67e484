-- purpose: the groups whose links are all known: every listing of card
-- transactions of their days is complete.
-- grain: one merchant and group; whether its settled bank transfers can be
-- known as well.
create temp table linked_groups as
select
    days.merchant_id,
    days.group_date,
    merchants.are_terminals_known,
    due(max(days.last_date), merchants.payout_days, merchants.calendar)
        <= asof.business_date as is_due
from temp.group_days as days
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = days.merchant_id
where asof.uses_links
group by days.merchant_id, days.group_date
having count(*) = sum(exists (
    select 1 from temp.complete_listing as listing
    where listing.resource = 'transactions'
      and listing.selector = 'date'
      and listing.business_date = days.batch_date
));
create unique index temp.linked_groups_key
    on linked_groups (merchant_id, group_date);

-- purpose: the deposits that were not sent as of D.
-- grain: one deposit.
create temp view unsent_deposits as
select deposit.ach_deposit_id
from temp.asof as asof
cross join deposit
where deposit.gone_in is null
  and coalesce(deposit.ach_date, deposit.day) > asof.business_date;

-- purpose: the card transactions as of D: one that tells of a hold was on hold
-- until its deposit was sent, and is owed in it from then on.
-- grain: one card transaction.
create temp view asof_transaction as
select
    transaction_id,
    day,
    merchant_id,
    batch_id,
    currency,
    transaction_type,
    amount_minor,
    gone_in,
    status,
    iif(is_early, null, ach_deposit_id) as ach_deposit_id,
    iif(is_early, 'held', standing) as standing
from (
    select
        card.*,
        card.standing in ('held', 'held_30', 'released', 'partial')
        and exists (
            select 1 from temp.unsent_deposits as unsent
            where unsent.ach_deposit_id = card.ach_deposit_id
        ) as is_early
    from standing_transaction as card
);

-- purpose: the card transactions of a group by the fate of their money: a
-- deposit of the group names them, they are expected in one, they are on hold,
-- or no deposit will hold them.
-- grain: one day's total of a group.
create temp table group_cards as
select
    groups.merchant_id,
    groups.group_date,
    groups.is_due,
    total.currency,
    total.standing,
    total.transactions,
    total.sales_minor,
    total.returns_minor,
    total.unclear,
    case
        when total.ach_deposit_id in
            (select ach_deposit_id from temp.group_deposits) then 'linked'
        when total.ach_deposit_id <> 0
            and total.standing in ('held', 'held_30', 'released', 'partial')
            then iif(exists (
                select 1 from temp.unsent_deposits as unsent
                where unsent.ach_deposit_id = total.ach_deposit_id
            ), 'held', 'expected')
        when total.standing
            in ('expected', 'released', 'partial', 'unclear')
            then 'expected'
        when total.standing = 'held' then 'held'
        when total.standing <> 'held_30' then 'never'
        -- Released on the first banking day that is 30 days or more after the
        -- batch date.
        when due(date(total.day, '+29 days'), 1, merchants.calendar)
            <= asof.business_date
            then 'expected'
        else 'held'
    end as fate
from temp.linked_groups as groups
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = groups.merchant_id
inner join temp.group_days as days
    on days.merchant_id = groups.merchant_id
        and days.group_date = groups.group_date
cross join transaction_total as total
    on total.day = days.batch_date and total.merchant_id = days.merchant_id;

-- purpose: the card transactions that the deposits of a group are compared
-- with. Before the due date these are all that can still be paid; from then on
-- money on hold is not owed.
-- grain: one merchant, group and currency.
create temp table linked_cards as
select
    merchant_id,
    group_date,
    currency,
    sum(transactions) as whole_transactions,
    sum(sales_minor) as whole_sales_minor,
    sum(returns_minor) as whole_returns_minor,
    sum(case when fate <> 'held' or not is_due then transactions else 0 end)
        as transactions,
    sum(case when fate <> 'held' or not is_due then sales_minor else 0 end)
        as sales_minor,
    sum(case when fate <> 'held' or not is_due then returns_minor else 0 end)
        as returns_minor,
    sum(unclear) as unclear,
    sum(case when standing = 'unclear' then transactions else 0 end)
        as unpublished
from temp.group_cards
where fate <> 'never'
group by merchant_id, group_date, currency;
create unique index temp.linked_cards_key
    on linked_cards (merchant_id, group_date, currency);

-- purpose: the amounts of a group that are on hold, and those that the
-- processor releases in part: the part of the latter that a deposit leaves out
-- is on hold as well.
-- grain: one merchant, group and currency.
create temp table group_holds as
select
    merchant_id,
    group_date,
    currency,
    sum(case when fate = 'held' then transactions else 0 end)
        as held_transactions,
    sum(case when standing = 'partial' then transactions else 0 end)
        as partial_transactions,
    sum(case when standing = 'partial' then sales_minor else 0 end)
        as partial_sales_minor,
    sum(case when standing = 'partial' then returns_minor else 0 end)
        as partial_returns_minor
from temp.group_cards
where fate = 'held' or standing = 'partial'
group by merchant_id, group_date, currency;
create unique index temp.group_holds_key
    on group_holds (merchant_id, group_date, currency);

-- purpose: the settled bank transfers of a group's days.
-- grain: one merchant, group and currency.
create temp table linked_transfers as
select
    days.merchant_id,
    days.group_date,
    transfers.currency,
    sum(transfers.items) as items,
    case when count(*) = count(transfers.sales_minor)
        then sum(transfers.sales_minor) end as sales_minor,
    case when count(*) = count(transfers.returns_minor)
        then sum(transfers.returns_minor) end as returns_minor
from temp.group_days as days
inner join temp.transfer_totals as transfers
    on transfers.merchant_id = days.merchant_id
        and transfers.batch_date = days.batch_date
group by days.merchant_id, days.group_date, transfers.currency;
create index temp.linked_transfers_key
    on linked_transfers (merchant_id, group_date, currency);

-- purpose: compare the deposits of a group whose links are known with the
-- linked card transactions and the settled bank transfers.
-- grain: one merchant, batch date and currency.
update temp.groups set (
    below_sales_minor, below_returns_minor, below_transactions,
    whole_sales_minor, whole_returns_minor, whole_transactions
) = (
    select
        case when transfers.items is null or transfers.sales_minor is not null
            then coalesce(cards.sales_minor, 0)
                + coalesce(transfers.sales_minor, 0) end,
        case when transfers.items is null or transfers.returns_minor is not null
            then coalesce(cards.returns_minor, 0)
                + coalesce(transfers.returns_minor, 0) end,
        coalesce(cards.transactions, 0) + coalesce(transfers.items, 0),
        case when transfers.items is null or transfers.sales_minor is not null
            then coalesce(cards.whole_sales_minor, 0)
                + coalesce(transfers.sales_minor, 0) end,
        case when transfers.items is null or transfers.returns_minor is not null
            then coalesce(cards.whole_returns_minor, 0)
                + coalesce(transfers.returns_minor, 0)
        end,
        coalesce(cards.whole_transactions, 0) + coalesce(transfers.items, 0)
    from (select 1)
    left join temp.linked_cards as cards
        on cards.merchant_id = groups.merchant_id
        and cards.group_date = groups.group_date
        and cards.currency = groups.currency
    left join temp.linked_transfers as transfers
        on transfers.merchant_id = groups.merchant_id
        and transfers.group_date = groups.group_date
        and transfers.currency = groups.currency
)
where batches > 0
  and (merchant_id, group_date) in (
      select merchant_id, group_date from temp.linked_groups
      where are_terminals_known
  );

-- purpose: the card transactions of a group that its deposits do not hold:
-- those that no deposit will hold, and on and after the due date those on hold.
-- grain: one merchant, group and currency.
create temp table cards_apart as
select
    merchant_id,
    group_date,
    currency,
    sum(case when fate = 'never' then transactions else 0 end)
        as never_transactions,
    sum(case when fate = 'never' then sales_minor else 0 end)
        as never_sales_minor,
    sum(case when fate = 'never' then returns_minor else 0 end)
        as never_returns_minor,
    sum(transactions) as transactions,
    case when sum(unclear) = 0 then sum(sales_minor) end as sales_minor,
    case when sum(unclear) = 0 then sum(returns_minor) end as returns_minor
from temp.group_cards
where fate = 'never' or (fate = 'held' and is_due)
group by merchant_id, group_date, currency;
create unique index temp.cards_apart_key
    on cards_apart (merchant_id, group_date, currency);

-- purpose: compare the deposits of a group whose bank transfers cannot be known
-- with its batch headers, which include them, less the card transactions that
-- no deposit holds according to the links.
-- grain: one merchant, batch date and currency.
update temp.groups set (
    below_sales_minor, below_returns_minor, below_transactions,
    whole_sales_minor, whole_returns_minor, whole_transactions
) = (
    select
        groups.batch_sales_minor - apart.sales_minor,
        groups.batch_returns_minor - apart.returns_minor,
        groups.batch_transactions - apart.transactions,
        groups.batch_sales_minor - apart.never_sales_minor,
        groups.batch_returns_minor - apart.never_returns_minor,
        groups.batch_transactions - apart.never_transactions
    from temp.cards_apart as apart
    where apart.merchant_id = groups.merchant_id
      and apart.group_date = groups.group_date
      and apart.currency = groups.currency
)
where batches > 0
  and (merchant_id, group_date) in (
      select merchant_id, group_date from temp.linked_groups
      where not are_terminals_known
  )
  and (merchant_id, group_date, currency) in
      (select merchant_id, group_date, currency from temp.cards_apart);

-- purpose: the days whose links were requested and not all read, or hold a
-- transaction of a deposit that could not be looked up.
-- grain: one day.
create temp table unread_links as
select total.day
from temp.asof as asof
cross join reading indexed by reading_not_complete
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
cross join total_after_hold as total
    on total.ach_deposit_id = cast(listing.scope as integer)
where asof.uses_links
  -- The first condition finds them in the index, the second allows its use.
  and reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  and listing.resource = 'ach-deposits'
  and listing.selector = 'id'
  and total.day <= asof.business_date
union
select listing.business_date as day
from listing
cross join temp.asof as asof
where asof.uses_links
  and listing.resource = 'transactions'
  and listing.selector = 'date'
  and listing.scope = ''
  -- No due date is later than that, whatever the holidays; the start of the
  -- store may be years ago.
  and listing.business_date >=
      (select date(min(group_date), '-400 days') from temp.group_days)
  and listing.business_date <= asof.business_date
  and not exists (
      select 1 from temp.complete_listing as whole
      where whole.listing_id = listing.listing_id
  );

-- purpose: note the groups whose links were not all read: which transactions
-- their deposits pay for, and whether any deposit pays for them, is not known.
-- A deposit can also hold transactions of a day that is not yet connected with
-- its group: of any day up to its payment whose due date is not before the
-- group begins.
-- grain: one merchant, batch date and currency.
update temp.groups set unread = coalesce(
    unread,
    (
        select json_array('cards_unread', min(links.day))
        from temp.unread_links as links
        cross join temp.asof as asof
        inner join temp.merchants as merchants
            on merchants.merchant_id = groups.merchant_id
        where exists (
                select 1 from temp.group_days as days
                where days.merchant_id = groups.merchant_id
                  and days.group_date = groups.group_date
                  and days.batch_date = links.day
            )
            or (
                due(links.day, merchants.payout_days, merchants.calendar)
                    >= groups.group_date
                and links.day <= (
                    select max(deposit.day)
                    from temp.group_deposits as members
                    cross join deposit
                        on deposit.ach_deposit_id = members.ach_deposit_id
                    where members.merchant_id = groups.merchant_id
                      and members.group_date = groups.group_date
                )
            )
        having count(*) > 0
    )
)
where exists (select 1 from temp.unread_links);

-- purpose: a deposit without an association date may pay for every group that
-- it was paid after, unless links say which transactions it holds; a deposit
-- without a merchant may pay for every group of its association date.
-- grain: one merchant, batch date and currency.
update temp.groups set unassigned = (
    select json_array(
        iif(deposit.merchant_id is null, 'nameless_deposit', 'undated_deposit'),
        deposit.ach_deposit_id, deposit.day
    )
    from (
        select * from deposit
        where merchant_id = groups.merchant_id and association_date is null
        union all
        select * from deposit where merchant_id is null
    ) as deposit
    cross join temp.asof as asof
    where deposit.gone_in is null
      and (
          deposit.association_date is null
          or deposit.association_date = groups.batch_date
          or asof.uses_links
      )
      and deposit.day between groups.batch_date and asof.business_date
      and not exists (
          select 1 from temp.group_deposits as members
          where members.ach_deposit_id = deposit.ach_deposit_id
      )
    order by deposit.ach_deposit_id
    limit 1
)
where batches > 0;

-- purpose: a batch that names no merchant may belong to every group of its day.
-- grain: one merchant, batch date and currency.
update temp.groups set unclaimed = (
    select nameless.problem || json_array('may_be_of_group')
    from temp.nameless_batches as nameless
    inner join temp.group_days as days on days.batch_date = nameless.day
    where days.merchant_id = groups.merchant_id
      and days.group_date = groups.group_date
    order by nameless.day
    limit 1
)
where exists (select 1 from temp.nameless_batches);

-- purpose: state why the level below of a group with links is not known.
-- grain: one merchant, batch date and currency.
update temp.groups set below_problem = (
    select case
        when exists (
            select 1 from temp.linked_cards as cards
            where cards.merchant_id = linked.merchant_id
              and cards.group_date = linked.group_date
              and cards.unclear > 0
        )
            then json_array(
                'cards_unclear', linked.merchant_id, linked.group_date
            )
        when exists (
            select 1 from temp.linked_cards as cards
            where cards.merchant_id = linked.merchant_id
              and cards.group_date = linked.group_date
              and cards.unpublished > 0
        )
            then json_array(
                'cards_unpublished', linked.merchant_id, linked.group_date
            )
        when exists (
            select 1 from temp.group_days as days
            cross join transaction_total as total
                on total.day = days.batch_date and total.merchant_id = ''
            cross join card_transaction as card
                on card.day = total.day and card.merchant_id is null
            left join batch on batch.batch_id = card.batch_id
            where days.merchant_id = linked.merchant_id
              and days.group_date = linked.group_date
              and card.gone_in is null
              and coalesce(batch.merchant_id, days.merchant_id)
                  = days.merchant_id
        )
            then json_array(
                'cards_nameless', linked.merchant_id, linked.group_date
            )
        when exists (
            select 1 from temp.settled_unread as unread_day
            inner join temp.group_days as days
                on days.merchant_id = unread_day.merchant_id
                and days.batch_date = unread_day.day
            where days.merchant_id = linked.merchant_id
              and days.group_date = linked.group_date
        )
            then json_array(
                'group_settled_unread', linked.merchant_id, linked.group_date
            )
        when linked.merchant_id in (select merchant_id from temp.returns_unread)
            then json_array('returns_unread', linked.merchant_id)
        when exists (
            select 1 from temp.linked_transfers as transfers
            where transfers.merchant_id = linked.merchant_id
              and transfers.group_date = linked.group_date
              and transfers.currency is null
        )
            then json_array('group_transfer_without_currency',
                linked.merchant_id, linked.group_date)
    end
    from temp.linked_groups as linked
    where linked.merchant_id = groups.merchant_id
      and linked.group_date = groups.group_date
      and groups.batches > 0
);
