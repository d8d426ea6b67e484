-- purpose: keep a page of the records of a ledger file and date, in place of
-- the one of that number.
-- grain: one page.
insert or replace into ledger_page (
    file_id, date, page, sha256, ids, returned, rows
) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
