-- purpose: note that a payment or refund says what an earlier reading stored.
-- grain: one bank transfer; changes no row when it is new, says another thing, or is held already
-- by this reading or a newer one.
-- parameters: 1 kind, 2 id, 3 reading, 4 hash of its content, 5 status, 6 amount.
update bank_transfer set reading = ?3
where kind = ?1
  and transfer_id = ?2
  and reading < ?3
  and content = ?4
  -- What matters most is compared as well.
  and status = ?5
  and amount_minor is ?6
