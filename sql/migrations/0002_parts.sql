-- purpose: the part of a listing that a page belongs to gets a column of its own; it was
-- page_number / 1,000,000 before. What a shard knew of merchants of other shards goes: merchants
-- that share a bank account are in one shard.

create table page_in_part (
    reading_id integer not null,
    -- The stretch of a long listing, or a merchant's part of the listing of a shard; 0 is the first
    -- stretch, or the part of everybody.
    part integer not null,
    -- Counted in each part: from 1, or from 2 in a stretch that begins after a cursor.
    page_number integer not null,
    -- The cursor that asked for it; null for the first.
    after text,
    -- The cursor that it named for the page after it; null on the last.
    next text,
    records integer not null,
    digest text not null,
    constraint page_key primary key (reading_id, part, page_number),
    constraint page_of_a_reading
        foreign key (reading_id) references reading (reading_id),
    constraint page_has_a_body
        foreign key (digest) references page_body (digest)
) strict, without rowid;

insert into page_in_part (reading_id, part, page_number, after, next, records, digest)
select
    reading_id,
    page_number / 1000000,
    page_number % 1000000,
    after,
    next,
    records,
    digest
from page;

drop table page;
alter table page_in_part rename to page;

drop table neighbour_deposit;
drop table neighbour_batch;

-- grain: a merchant whose part of a listing a shard reads. A number is given once and for good.
alter table shard_merchant rename to merchant_part;
alter table merchant_part rename column place to part;
-- 1 for a merchant that came from another shard: what the shard that looks for unknown merchants
-- read of everybody before then does not hold it.
alter table merchant_part add column joined integer not null default 0;
