-- purpose: the statuses of the disputes that were submitted on a date.
-- grain: one status of one dispute; ?1 the date under which the dispute is
-- listed.
-- column dispute_id integer: the API's id of the dispute
-- column merchant_id text: the MID
-- column ordinal count: its place among them, from 1
-- column status text: the processor's word
-- column status_date date: the date of the status
select
    dispute.dispute_id,
    dispute.merchant_id,
    row_number() over (
        partition by dispute.dispute_id order by known.ordinal
    ) as ordinal,
    known.status,
    known.status_date
from dispute
cross join dispute_status as known on known.dispute_id = dispute.dispute_id
inner join listing
    on listing.listing_id = known.listing_id
        and listing.reading_id = known.reading
where dispute.day = ?1
  and dispute.gone_in is null
order by dispute.merchant_id, dispute.dispute_id, ordinal
