-- purpose: the bank transfers of a listing whose content has changed since a
-- reading, their own or that of the payment that they present again; and those
-- that entered or left the listing since.
-- grain: one bank transfer; ?1 the listing, ?2 the reading, ?3 the date as of
-- which it settled.
with
told as (
    select
        transfer.kind,
        transfer.transfer_id,
        transfer.terminal_id,
        transfer.representment_id,
        listed.transfer_number,
        listing.business_date,
        coalesce(said.reading, transfer.reading) > ?2
            or exists (
                select 1
                from bank_transfer as original
                left join transfer_said as named
                    on named.transfer_number = original.transfer_number
                where original.representment_id = transfer.transfer_id
                  and coalesce(named.reading, original.reading) > ?2
            ) as is_said_anew,
        listed.first_reading > ?2 or listed.reading < listing.reading_id
            as is_moved
    from listing
    cross join transfer_listed as listed
        on listed.listing_id = listing.listing_id
    cross join bank_transfer as transfer
        on transfer.transfer_number = listed.transfer_number
    left join transfer_said as said
        on said.transfer_number = listed.transfer_number
    where listing.listing_id = ?1
)
select
    told.kind,
    told.transfer_id,
    terminal.merchant_id,
    -- A listing of a later date always holds transfers of earlier ones.
    told.is_said_anew or (told.is_moved and told.business_date <= ?3)
        as is_changed,
    told.is_moved,
    told.representment_id is not null as is_represented,
    (
        select min(of_day.business_date)
        from transfer_listed as other
        cross join listing as of_day on of_day.listing_id = other.listing_id
        where other.transfer_number = told.transfer_number
          and other.is_settled = 1
          and of_day.business_date <= ?3
    ) as settled_day
from told
left join temp.configured_terminal as terminal
    on terminal.terminal_id = told.terminal_id
where told.is_said_anew or told.is_moved
order by told.transfer_number
