-- Fails on each row that the program and the recomputed checks do not say alike.
select * from {{ ref('differences') }}
