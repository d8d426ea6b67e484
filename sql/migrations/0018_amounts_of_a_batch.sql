-- purpose: whether a batch holds an item of an amount is one step, not a walk
-- through its items: DUPLICATE_BATCH asks it of each batch of thirty days on
-- both sides.
drop index authorization_by_batch;
create index authorization_by_batch
    on authorization (day, batch_id, amount_minor);
