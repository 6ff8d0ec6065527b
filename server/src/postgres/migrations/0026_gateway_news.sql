-- What the payment gateway tells, kept before it is believed: it is answered 200 only once it is here. A
-- message belongs to no organization until it was read: the signature is the gateway's.
create table gateway_events (
  gateway text not null check (gateway in ('simulator', 'stripe')),
  -- The gateway's own: a message that comes again is not kept again.
  id text collate "C" not null check (length(id) between 1 and 255),
  -- What the message says, as we understood it. It holds no card.
  event jsonb not null check (jsonb_typeof(event) = 'object'),
  state text not null default 'waiting' check (state in ('waiting', 'done', 'given_up')),
  attempts integer not null default 0 check (attempts >= 0),
  received_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  primary key (gateway, id)
);
create index gateway_events_due on gateway_events (due_at) where state = 'waiting';
create index gateway_events_done on gateway_events (received_at) where state <> 'waiting';
grant select, insert, update (state, attempts, due_at), delete on gateway_events to voelgoed_platform;

-- The account of an organization at Stripe (Connect). Null: the platform's own.
alter table organizations add stripe_account text collate "C"
  check (stripe_account ~ '^acct_[A-Za-z0-9]{1,100}$');
grant update (stripe_account) on organizations to voelgoed_platform;

-- A buyer's bank takes money back. Found by the gateway's intent, shown to staff.
create table disputes (
  organization_id uuid not null,
  id text collate "C" not null check (length(id) between 1 and 255),
  order_id uuid not null,
  amount bigint not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('open', 'won', 'lost')),
  reason text not null check (length(reason) between 1 and 200),
  -- By the gateway's clock: older news does not overwrite newer.
  told_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index disputes_order on disputes (organization_id, order_id);
call protect_tenant_table('disputes');
grant select, insert, update (amount, status, reason, told_at) on disputes to voelgoed_app;

-- For the job that looks payments up and gives money back.
grant select (sent_at) on payments to voelgoed_platform;
grant select (created_at) on refunds to voelgoed_platform;
