-- Checkouts with a gateway. A checkout is an order whose buyer pays by themselves: it is there before the
-- money is, and its lines before the tickets are.

create table checkouts (
  organization_id uuid not null,
  order_id uuid not null,
  -- Who takes the money; `none`: it costs nothing.
  gateway text not null check (gateway in ('simulator', 'stripe', 'none')),
  -- What the places cost and where they are, as it was when the checkout began: lines, fees, tax.
  cart jsonb not null check (jsonb_typeof(cart) = 'object'),
  -- Other places of the same price will do, if the money comes too late for these.
  accept_alternatives boolean not null,
  -- The languages of the buyer's browser, for mails.
  locale text check (length(locale) between 1 and 200),
  -- When its holds run out, as far as it was told.
  expires_at timestamptz not null,
  -- What became of money that came late: the step of the ladder.
  late_step text check (late_step in ('same_places', 'other_places', 'refund')),
  -- When the job looks whether its holds have run out. Null: the order is over, or waits for its payment.
  due_at timestamptz,
  primary key (organization_id, order_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index checkouts_due on checkouts (due_at) where due_at is not null;
call protect_tenant_table('checkouts');
grant select, insert, update (expires_at, late_step, due_at) on checkouts to voelgoed_app;
grant select (organization_id, order_id, due_at), update (due_at) on checkouts to voelgoed_platform;
create index orders_open on orders (organization_id, user_id, event_id) where status = 'open';
grant update (contact_name, contact_email, contact_email_key) on orders to voelgoed_app;
grant select (organization_id, id, event_id, status) on orders to voelgoed_platform;

-- A gateway's intent. It may be declined and take another card: the payment stays the same.
alter table payments add gateway text check (gateway in ('simulator', 'stripe', 'none')),
  add intent_id text collate "C" check (length(intent_id) between 1 and 255),
  add waits_for_buyer boolean not null default false,
  add decline_code text check (length(decline_code) between 1 and 100),
  -- When the gateway was last asked to take the money: until its time limit has passed, an intent that is not
  -- found may still come.
  add sent_at timestamptz,
  -- When it is looked up next. Null: its outcome is known, or was not found out for days.
  add look_at timestamptz,
  add looks integer not null default 0 check (looks >= 0),
  add constraint payments_gateway check ((method = 'gateway') = (gateway is not null));
drop index payments_order;
create unique index payments_order on payments (organization_id, order_id);
create index payments_intent on payments (intent_id) where intent_id is not null;
create index payments_look on payments (look_at) where look_at is not null;
grant update (intent_id, waits_for_buyer, decline_code, sent_at, look_at, looks) on payments to voelgoed_app;
grant select (organization_id, id, order_id, gateway, intent_id, status, created_at, look_at, looks),
  update (look_at, looks) on payments to voelgoed_platform;

create type refund_status as enum ('pending', 'done', 'failed');
alter table refunds add status refund_status not null default 'done',
  -- Of the gateway: the same key is the same refund.
  add key text collate "C" check (length(key) between 1 and 255),
  -- Keys that failed: the next has another name.
  add failures integer not null default 0 check (failures >= 0),
  add look_at timestamptz,
  add looks integer not null default 0 check (looks >= 0),
  alter recorded_by drop not null,
  -- Money that staff give back is recorded by them, and has been given back.
  add constraint refunds_recorded check (key is not null or (status = 'done' and recorded_by is not null));
create unique index refunds_key on refunds (organization_id, key) where key is not null;
create index refunds_look on refunds (look_at) where look_at is not null;
grant update (status, failures, look_at, looks) on refunds to voelgoed_app;
grant select (organization_id, id, order_id, status, look_at, looks), update (look_at, looks) on refunds
  to voelgoed_platform;

create function refuse_refund_move() returns trigger language plpgsql as $$
begin
  raise exception 'refund % was given back before', old.id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger done_stays_done before update on refunds for each row
  when (old.status = 'done' and new.status <> 'done') execute function refuse_refund_move();

-- The moves of core/orders/order.ts.
create or replace function refuse_order_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('open', 'paying'), ('open', 'paid'), ('open', 'refunded'), ('open', 'cancelled'),
    ('open', 'expired'), ('paying', 'paid'), ('paying', 'open'), ('paying', 'refunded'), ('paying', 'cancelled'),
    ('paying', 'expired'), ('paid', 'partly_refunded'), ('paid', 'refunded'), ('partly_refunded', 'refunded'),
    ('cancelled', 'refunded'), ('expired', 'paid'), ('expired', 'refunded')) then return new; end if;
  raise exception 'order % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create or replace function refuse_payment_move() returns trigger language plpgsql as $$
begin
  if new.refunded_amount >= old.refunded_amount and (new.status = old.status or (old.status, new.status) in (
    ('created', 'unknown'), ('created', 'captured'), ('created', 'declined'), ('unknown', 'created'),
    ('unknown', 'captured'), ('unknown', 'declined'), ('declined', 'created'), ('declined', 'captured'),
    ('captured', 'refunding'), ('refunding', 'captured'), ('refunding', 'refunded'))) then return new; end if;
  raise exception 'payment % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
