-- purpose: keep a page as evidence, with the cursors that lead to it and on
-- from it.
-- grain: one page of one reading.
insert into page (reading_id, part, page_number, after, next, records, digest)
values (:reading_id, :part, :page_number, :after, :next, :records, :digest)
