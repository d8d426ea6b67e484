-- purpose: the terminal of a bank transfer, by its id.
-- grain: one bank transfer, or none; ?1 its resource, ?2 its id.
select terminal_id
from bank_transfer
where 'bank-transfer-' || kind || 's' = ?1
  and transfer_id = ?2
