-- purpose: bank reports that others take the place of: made before their day was over, corrected,
-- or deleted.

-- 1 for a line of a report that was made before its day was over: it counts until a statement
-- covers the day.
alter table bank_line add column is_interim integer;

-- What the span does to files that stand before it by name: null for nothing. A 'correction' takes
-- back what they say of its day and covers it; a 'deletion' takes it back and covers nothing.
alter table bank_span add column recalls text;
