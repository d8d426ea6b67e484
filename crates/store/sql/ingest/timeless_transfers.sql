-- purpose: note the run date of bank transfers without a time: the last
-- business date of the run that first read them.
-- grain: one bank transfer.
-- parameters: :date the last business date of the run.
insert or ignore into timeless_transfer (transfer_number, ran_on)
select transfer_number, :date
from bank_transfer indexed by bank_transfer_timeless
where run_at is null
