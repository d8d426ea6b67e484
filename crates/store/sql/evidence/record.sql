-- purpose: the reading that brought the newest content of a record, and whether
-- it is gone.
-- grain: one row or none; ?1 kind, ?2 id, of an authorization with its
-- transaction's.
select reading, gone_in from deposit
where ?1 = 'deposit' and ach_deposit_id = cast(?2 as integer)
union all
select reading, gone_in from batch
where ?1 = 'batch' and batch_id = cast(?2 as integer)
union all
select reading, gone_in from authorization
where ?1 = 'authorization' and authorization_id = cast(?2 as integer)
  and transaction_key = cast(substr(?2, instr(?2, '/') + 1) as integer)
union all
select reading, null from bank_transfer
where kind = ?1 and transfer_id = ?2
