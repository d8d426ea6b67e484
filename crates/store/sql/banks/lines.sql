-- purpose: the processor's lines on a bank account up to D. A line that several
-- files repeat is one line, named after its first place. A line of an interim
-- report counts while no statement covers its day; a line that a later file
-- recalls or corrects does not count.
-- grain: one line.
-- parameters: :bank; :first_date, the earliest date to look at.
with
-- Few files recall or correct another one: they are looked up once, not for
-- each line in each file of years.
recall as materialized (
    select file.path, span.account_last4, span.first_date
    from bank_file as file
    cross join bank_span as span on span.file_id = file.file_id
    where file.bank = :bank and span.recalls is not null
),
correction as materialized (
    select file.path, corrected.account_last4, corrected.id_hash
    from bank_file as file
    cross join bank_correction as corrected on corrected.file_id = file.file_id
    where file.bank = :bank
)
select
    line.line_key,
    line.account_last4,
    line.date,
    line.amount_minor,
    line.currency,
    max(line.merchant_id) as merchant_id,
    -- A later file may complete the text, and with it the numbers in it.
    coalesce(replace(group_concat(distinct line.names), ',', ' '), '') as names,
    min(file.path || ', line ' || line.line) as place
from temp.asof as asof
inner join bank_file as file on file.bank = :bank
inner join bank_line as line on line.file_id = file.file_id
where line.date between :first_date and asof.business_date
  and not (
      line.is_interim is not null
      and exists (
          select 1
          from bank_file as other
          inner join bank_span as span on span.file_id = other.file_id
          where other.bank = :bank
            and span.account_last4 = line.account_last4
            and line.date between span.first_date and span.last_date
      )
  )
  and not exists (
      select 1
      from recall
      where recall.account_last4 = line.account_last4
        and recall.first_date = line.date
        and recall.path > file.path
  )
  and not exists (
      select 1
      from correction
      where correction.account_last4 = line.account_last4
        and correction.id_hash = line.id_hash
        and correction.path <> file.path
  )
group by line.line_key
order by line.date, line.amount_minor, line.line_key
