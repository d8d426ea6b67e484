-- purpose: the merchants whose parts of listings have a number.
-- grain: one merchant.
select merchant_id
from merchant_part
order by merchant_id
