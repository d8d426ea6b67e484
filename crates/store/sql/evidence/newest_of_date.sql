-- purpose: the newest complete reading of a date's deposits, batches,
-- authorizations, card transactions or disputes.
-- grain: one row or none; ?1 the table of the records, ?2 business date.
select reading.reading_id
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource = case ?1
        when 'deposit' then 'ach-deposits'
        when 'batch' then 'batches'
        when 'card_transaction' then 'transactions'
        when 'dispute' then 'disputes'
        else 'authorizations'
    end
  and listing.selector = 'date'
  and listing.business_date = ?2
  and reading.verdict = 'complete'
