-- purpose: keep what the pairs of a reconciled date say.
-- grain: one page of pairs.
insert into match_page (business_date, first, rows) values (?1, ?2, ?3)
