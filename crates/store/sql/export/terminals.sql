-- purpose: the processing terminals, as configured when it was exported.
-- grain: one terminal.
-- column terminal_id text: the processing terminal
-- column merchant_id text: whose it is
select terminal_id, merchant_id
from temp.configured_terminal
order by merchant_id, terminal_id
