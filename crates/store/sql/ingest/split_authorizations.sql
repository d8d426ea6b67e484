-- purpose: note the authorizations with several records.
-- grain: one authorization of a list of ids.
insert or ignore into split_authorization (authorization_id)
select item.authorization_id
from json_each(?1) as listed
cross join authorization as item on item.authorization_id = listed.value
group by item.authorization_id
having count(*) > 1
