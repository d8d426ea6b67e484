-- purpose: keep the merchants that the API lists, with the newest trading name.
-- grain: one merchant; a name that is left out does not erase one that was
-- sent.
insert into merchant (merchant_id, doing_business_as, processing_account_id)
values (:merchant_id, :doing_business_as, :processing_account_id)
on conflict (merchant_id) do update set
    doing_business_as = coalesce(excluded.doing_business_as,
        merchant.doing_business_as),
    processing_account_id =
        coalesce(excluded.processing_account_id, merchant.processing_account_id)
where merchant.doing_business_as is not coalesce(excluded.doing_business_as,
    merchant.doing_business_as)
   or merchant.processing_account_id
        is not coalesce(excluded.processing_account_id,
            merchant.processing_account_id)
