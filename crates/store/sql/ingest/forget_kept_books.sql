-- purpose: keep, of the dates that a merchant's books can resume from, each of
-- the latest ten days and the first of every ten days before them.
-- grain: one date; ?1 the merchant, ?2 the date that was kept last.
delete from kept_books
where merchant_id = ?1
  and business_date < date(?2, '-10 days')
  and (
      business_date < date(?2, '-120 days')
      or exists (
          select 1 from kept_books as other
          where other.merchant_id = kept_books.merchant_id
            and other.business_date < kept_books.business_date
            and cast(julianday(other.business_date) / 10 as integer)
                = cast(julianday(kept_books.business_date) / 10 as integer)
      )
  )
