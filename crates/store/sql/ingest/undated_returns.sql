-- purpose: note the return date of bank transfers that came back without one:
-- the last business date of the run that first read them as returned.
-- grain: one bank transfer.
-- parameters: :date the last business date of the run.
insert or ignore into undated_return (transfer_number, came_back_on)
select transfer.transfer_number, :date
from bank_transfer as transfer indexed by bank_transfer_returned
where transfer.status = 'returned'
  and not (
      transfer.kind = 'payment'
      and exists (
          select 1 from transfer_return as returned
          where returned.payment_id = transfer.transfer_id
             or returned.return_id = transfer.transfer_id
      )
  )
