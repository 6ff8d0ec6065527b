-- Money of one organization never goes to the account of another: an account at Stripe is named once. Where
-- two name the same today, only people know whose it is, so the upgrade stops and says which.
do $$
declare
  twice text;
begin
  select string_agg(stripe_account || ' (' || slugs || ')', ', ') into twice from (
    select stripe_account, string_agg(slug, ', ' order by slug) as slugs from organizations
    where stripe_account is not null group by stripe_account having count(*) > 1) named;
  if twice is not null then
    raise exception 'organizations name the same Stripe account: %', twice
      using hint = 'Take it from those whose it is not: update organizations set stripe_account = null where slug = …';
  end if;
end
$$;
create unique index organizations_stripe_account on organizations (stripe_account) where stripe_account is not null;
