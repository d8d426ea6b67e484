-- The state file of a sandbox: the world that it belongs to, and its commands
-- and answers, in order.
-- Grain: state has one row; journal has one row per executed command or given
-- answer.

create table if not exists state (
    format integer not null,
    world text not null,            -- the options that the world is generated from, as JSON
    clock integer not null,         -- where the clock started, in seconds since 1970
    constraint state_has_one_row unique (format)
) strict;

create table if not exists journal (
    sequence integer not null,
    command text,                   -- as JSON; null for a request that was refused
    idempotency_key text,           -- null for what is no POST of the contract
    request text,                   -- digest of method, path and body
    status integer,
    location text,
    body blob,
    constraint journal_key primary key (sequence),
    constraint answers_are_whole check (
        (idempotency_key is null) = (request is null)
        and (idempotency_key is null) = (status is null)
        and (idempotency_key is null) = (body is null)
    )
) strict;
