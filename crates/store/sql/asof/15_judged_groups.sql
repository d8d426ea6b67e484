-- purpose: the groups whose deposits fall short by no more than the amounts
-- that the processor releases in part: the rest is on hold.
-- grain: one group.
create temp view partial_groups as
select groups.*
from temp.groups as groups
inner join temp.group_holds as holds
    on holds.merchant_id = groups.merchant_id
    and holds.group_date = groups.batch_date
    and holds.currency = groups.currency
where groups.batch_date = groups.group_date
  and groups.deposits > 0
  and groups.deposit_sales_minor between
      groups.below_sales_minor - holds.partial_sales_minor
      and groups.below_sales_minor
  and groups.deposit_returns_minor between
      groups.below_returns_minor - holds.partial_returns_minor
      and groups.below_returns_minor
  and (
      groups.deposit_sales_minor < groups.below_sales_minor
      or groups.deposit_returns_minor < groups.below_returns_minor
  );

-- purpose: the groups whose deposits can be compared with their batches on D. A
-- group that only explains others is not tested.
-- grain: one group.
create temp table judged_groups as
select
    groups.*,
    coalesce(holds.partial_sales_minor, 0) as partial_sales_minor,
    coalesce(holds.partial_returns_minor, 0) as partial_returns_minor,
    coalesce(holds.partial_transactions, 0) as partial_transactions,
    exists (
        select 1 from temp.linked_groups as linked
        where linked.merchant_id = groups.merchant_id
          and linked.group_date = groups.group_date
    ) as is_linked,
    coalesce((
        select hints.hint from temp.run_hints as hints
        where hints.merchant_id = groups.merchant_id
          and hints.day = groups.batch_date
    ), '') as near,
    iif(asof.uses_links, '', json_array('untold'))
        || coalesce(elsewhere.hint, '') as untold,
    coalesce(groups.unread, groups.currency_problem) as problem,
    groups.merchant_id || '/' || coalesce(groups.currency, '') || '/'
        || groups.batch_date
        as subject
from temp.groups as groups
cross join temp.asof as asof
left join temp.group_holds as holds
    on holds.merchant_id = groups.merchant_id
    and holds.group_date = groups.group_date
    and holds.currency = groups.currency
left join temp.elsewhere_groups as elsewhere
    on elsewhere.merchant_id = groups.merchant_id
    and elsewhere.group_date = groups.group_date
    and elsewhere.currency = groups.currency
where groups.is_checked
  and groups.batch_date = groups.group_date
  and groups.is_judged
  and groups.deposits > 0
  -- Without a batch a deposit that pays something is itself the finding.
  and (
      groups.batches > 0
      or groups.unread is not null
      or (
          groups.deposit_sales_minor = 0
          and groups.deposit_returns_minor = 0
          and groups.deposit_transactions = 0
      )
  )
  -- Of several currencies one row is enough to say that the group is not
  -- evaluated.
  and (groups.currency_problem is null or groups.first_batch_id is (
      select min(other.first_batch_id) from temp.groups as other
      where other.merchant_id = groups.merchant_id
          and other.batch_date = groups.batch_date
  ));
