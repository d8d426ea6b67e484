-- purpose: the disputes whose statuses are read again: those without a final
-- status.
-- grain: one dispute; :date business date.
select dispute.dispute_id
from dispute
where dispute.day <= :date
  and dispute.gone_in is null
  and (
      not exists (
          select 1
          from dispute_status as known
          inner join listing
              on listing.listing_id = known.listing_id
                  and listing.reading_id = known.reading
          where known.dispute_id = dispute.dispute_id
            and known.status is not null
            and known.status in (
                'representmentPaid', 'issuerReversal', 'rejected', 'invalid',
                'arbitrationFundsToBeReturned', 'representmentFailed', 'stand',
                'prearbitrationAccepted', 'precomplianceAccepted',
                'arbitrationLost',
                'complianceLost', 'arbitrationSettledPartialAmount',
                'complianceSettledPartialAmount'
            )
      )
      -- The listing may state a newer status.
      or not exists (
          select 1
          from dispute_status as known
          inner join listing
              on listing.listing_id = known.listing_id
                  and listing.reading_id = known.reading
          where known.dispute_id = dispute.dispute_id
            and known.status is dispute.status
      )
  )
order by dispute.dispute_id
