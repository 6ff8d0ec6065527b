-- What reports add up. The channel: our page, our component on a page of another site, a platform that
-- books by the API, staff at a counter. Default: what a node of an older release sells meanwhile.
create type sales_channel as enum ('page', 'embed', 'api', 'box_office');
alter table orders
  add channel sales_channel not null default 'page',
  -- Of the total, in minor units. Null: not known. The tax may be in the prices or on top of them.
  add fees bigint check (fees >= 0),
  add tax bigint check (tax >= 0),
  add constraint orders_parts check ((total is not null or (fees is null and tax is null))
    and coalesce(fees, 0) <= coalesce(total, 0) and coalesce(tax, 0) <= coalesce(total, 0));
-- The key of the price category that a ticket was sold in. Null: it was sold without a price list.
alter table order_lines add category text check (length(category) between 1 and 100);

-- Orders that are there. Whether a platform's buyers came from its own page was not written down.
update orders o set channel = case when exists (select from payments p where p.organization_id = o.organization_id
    and p.order_id = o.id and p.method = 'external') then 'api'::sales_channel else 'box_office' end
where o.sold_by is not null;
update orders o set
  fees = (select coalesce(sum((f ->> 'amount')::bigint), 0) from jsonb_array_elements(c.cart -> 'fees') f),
  tax = coalesce((c.cart -> 'tax' ->> 'amount')::bigint, 0)
from checkouts c where c.organization_id = o.organization_id and c.order_id = o.id;
-- Lines of refunded tickets change no more; here they only learn what they were.
alter table order_lines disable trigger refunded_once;
update order_lines l set category = sold.category
from (select t.organization_id, t.id, line ->> 'category' as category
    from checkouts c
    cross join lateral jsonb_array_elements(c.cart -> 'lines') line
    join tickets t on t.organization_id = c.organization_id and t.checkout_id = c.order_id
      and t.hold_id = (line ->> 'hold_id')::uuid) sold
where l.organization_id = sold.organization_id and l.ticket_id = sold.id;
alter table order_lines enable trigger refunded_once;

-- Reports over all events of an organization are about a time. Rows are added in its order and stay, so
-- that an index of a few pages finds them, and costs buyers nothing.
create index orders_created on orders using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index funnel_counts_quarter on funnel_counts (organization_id, quarter);
