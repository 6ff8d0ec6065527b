-- The books of the payment simulator. It plays a company outside the server, so its rows are written in
-- transactions of their own and refer to no order: what the server rolls back stays charged here. They belong
-- to an organization all the same, as payments belong to an account at a real gateway: an organization must
-- not see or refund the payments of another one, also in test mode. Times are by the simulator's clock.
create table simulated_intents (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- The idempotency key: one intent for each order.
  order_key text collate "C" not null check (length(order_key) between 1 and 255),
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('declined', 'needs_step', 'pending', 'captured')),
  decline_code text check ((status = 'declined') = (decline_code is not null)),
  -- When the simulator goes on by itself: it captures a pending one, and declines one that was not confirmed.
  due_at timestamptz check ((status in ('needs_step', 'pending')) = (due_at is not null)),
  is_disputed boolean not null default false,
  return_url text not null check (length(return_url) between 1 and 2000),
  metadata jsonb not null,
  refunded bigint not null default 0 check (refunded between 0 and amount),
  created_at timestamptz not null,
  captured_at timestamptz check ((status = 'captured') = (captured_at is not null)),
  primary key (organization_id, id),
  unique (organization_id, order_key),
  check (refunded = 0 or status = 'captured')
);
create index simulated_intents_due on simulated_intents (due_at) where due_at is not null;
call protect_tenant_table('simulated_intents');
grant select, insert on simulated_intents to voelgoed_app;
grant update (status, decline_code, due_at, is_disputed, return_url, refunded, captured_at) on simulated_intents
  to voelgoed_app;
grant select (organization_id, id, due_at) on simulated_intents to voelgoed_platform;

create function refuse_uncapturing() returns trigger language plpgsql as $$
begin
  raise exception 'payment % was captured, and stays so', old.id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger captured_stays_captured before update on simulated_intents for each row
  when (old.status = 'captured' and (new.status <> 'captured' or new.captured_at <> old.captured_at
    or new.refunded < old.refunded))
  execute function refuse_uncapturing();

create table simulated_refunds (
  organization_id uuid not null,
  key text collate "C" not null check (length(key) between 1 and 255),
  id uuid not null,
  intent_id uuid not null,
  amount bigint not null check (amount > 0),
  created_at timestamptz not null,
  primary key (organization_id, key),
  foreign key (organization_id, intent_id) references simulated_intents (organization_id, id)
);
call protect_tenant_table('simulated_refunds');
grant select, insert on simulated_refunds to voelgoed_app;

-- What the simulator still has to tell the server, so that a restart loses none of it.
create table simulated_webhooks (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  body text not null,
  state text not null check (state in ('waiting', 'delivered', 'given_up')),
  attempts integer not null default 0 check (attempts >= 0),
  created_at timestamptz not null,
  due_at timestamptz not null,
  primary key (organization_id, id)
);
create index simulated_webhooks_due on simulated_webhooks (due_at) where state = 'waiting';
create index simulated_webhooks_waiting on simulated_webhooks (organization_id) where state = 'waiting';
create index simulated_webhooks_done on simulated_webhooks (created_at) where state <> 'waiting';
call protect_tenant_table('simulated_webhooks');
grant select, insert on simulated_webhooks to voelgoed_app;
grant select, update (state, attempts, due_at), delete on simulated_webhooks to voelgoed_platform;
