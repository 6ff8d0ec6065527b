-- `asked`: what the gateway is asked for in the present attempt, where it has less to give back than the
-- amount: the rest went back on its own pages. `tried_since`: the gateway is asked for a week from then on;
-- staff may begin the week again. `by_hand`: the gateway's refund was given up, and staff gave the money back
-- themselves: what the gateway says of it later does not count.
alter table refunds add asked bigint check (asked > 0 and asked < amount),
  add tried_since timestamptz not null default now(),
  add by_hand boolean not null default false;
update refunds set tried_since = created_at;
grant update (asked, tried_since, by_hand) on refunds to voelgoed_app;
grant select (key, tried_since) on refunds to voelgoed_platform;
create index refunds_not_done on refunds (organization_id) where status <> 'done';

-- A refund that the gateway made may come back: the buyer's bank did not take it. Then the money is owed
-- again, and the next attempt has another key, so that it is another refund to the gateway.
drop trigger done_stays_done on refunds;
create trigger done_stays_done before update on refunds for each row
  when (old.status = 'done' and new.status <> 'done'
    and not (new.status = 'failed' and old.key is not null and not old.by_hand and new.failures = old.failures + 1))
  execute function refuse_refund_move();

-- The moves of core/orders/order.ts. What was given back is less only while it is given back again.
create or replace function refuse_payment_move() returns trigger language plpgsql as $$
begin
  if (new.refunded_amount >= old.refunded_amount or new.status = 'refunding')
    and (new.status = old.status or (old.status, new.status) in (
    ('created', 'unknown'), ('created', 'captured'), ('created', 'declined'), ('unknown', 'created'),
    ('unknown', 'captured'), ('unknown', 'declined'), ('declined', 'created'), ('declined', 'captured'),
    ('captured', 'refunding'), ('refunding', 'captured'), ('refunding', 'refunded'), ('refunded', 'refunding')))
  then return new; end if;
  raise exception 'payment % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
