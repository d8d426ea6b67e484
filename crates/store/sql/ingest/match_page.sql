-- purpose: keep the pairs of a reconciled date.
-- grain: one page of pairs.
insert into match_page (business_date, first, rows) values (?1, ?2, ?3)
