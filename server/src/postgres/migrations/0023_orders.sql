-- Orders: what was sold to whom, and the money for it. A ticket's checkout_id is the id of its order.

create type order_status as enum ('open', 'paying', 'paid', 'partly_refunded', 'refunded', 'cancelled', 'expired');
create type payment_status as enum ('created', 'unknown', 'captured', 'declined', 'refunding', 'refunded');
create type payment_method as enum ('cash', 'card_terminal', 'complimentary', 'external', 'gateway');

create table orders (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  -- What people read to each other.
  number text collate "C" not null check (length(number) between 6 and 20),
  -- The buyer: whose holds were sold.
  user_id uuid not null,
  status order_status not null,
  -- ISO 4217. Null: the seller counts the money elsewhere, and no amount is known.
  currency text check (currency ~ '^[A-Z]{3}$'),
  -- In minor units.
  total bigint check (total >= 0),
  -- The seller's own name for it.
  reference text collate "C" check (length(reference) between 1 and 200),
  -- What the seller asked for. A hold that had run out was sold under another id.
  hold_ids uuid[] not null,
  contact_name text check (length(contact_name) between 1 and 200),
  contact_email text check (length(contact_email) between 3 and 254),
  -- The one spelling of the address (core/email.ts).
  contact_email_key text collate "C" check (length(contact_email_key) between 3 and 254),
  -- Opens the order to a buyer who has the link. Only its hash is here.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- Who sold it; null: the buyer paid by themselves.
  sold_by uuid,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id),
  foreign key (organization_id, sold_by) references users (organization_id, id),
  check ((currency is null) = (total is null)),
  check ((contact_email is null) = (contact_email_key is null))
);
-- Repeating a reference gives the same order, whatever happens at the same moment on another node.
create unique index orders_reference on orders (organization_id, reference) where reference is not null;
create unique index orders_number on orders (organization_id, number);
create index orders_event on orders (organization_id, event_id, id);
create index orders_user on orders (organization_id, user_id, id);
create index orders_contact on orders (organization_id, contact_email_key, id) where contact_email_key is not null;
call protect_tenant_table('orders');
grant select, insert, update (status) on orders to voelgoed_app;

-- Tickets that became void. Void is for good, and nothing else of a ticket changes.
grant update (voided_at) on tickets to voelgoed_app;
create function refuse_changing_tickets() returns trigger language plpgsql as $$
begin
  raise exception 'ticket % can only become void, once', old.id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger void_stays_void before update on tickets for each row
  when (old.voided_at is not null or new.voided_at is null) execute function refuse_changing_tickets();
create index tickets_order on tickets (organization_id, checkout_id);

create table payments (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  method payment_method not null,
  status payment_status not null,
  amount bigint check (amount >= 0),
  refunded_amount bigint not null default 0 check (refunded_amount >= 0),
  -- The member of staff, or the API key, that says that the money is there.
  recorded_by uuid,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, recorded_by) references users (organization_id, id),
  check (refunded_amount <= coalesce(amount, 0)),
  -- No ticket without money, or a named member of staff.
  constraint payments_recorded check (method = 'gateway' or recorded_by is not null),
  constraint payments_complimentary check (method <> 'complimentary' or coalesce(amount, 0) = 0)
);
-- An order has one payment that is not declined.
create unique index payments_order on payments (organization_id, order_id) where status <> 'declined';
call protect_tenant_table('payments');
grant select, insert, update (status, refunded_amount) on payments to voelgoed_app;

create table refunds (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount bigint check (amount >= 0),
  reason text not null check (length(reason) between 1 and 500),
  recorded_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, payment_id) references payments (organization_id, id),
  foreign key (organization_id, recorded_by) references users (organization_id, id)
);
create index refunds_order on refunds (organization_id, order_id);
call protect_tenant_table('refunds');
grant select, insert on refunds to voelgoed_app;

-- What was sold, one line for each ticket.
create table order_lines (
  organization_id uuid not null,
  order_id uuid not null,
  ticket_id uuid not null,
  -- In the order, from 0.
  position integer not null check (position >= 0),
  amount bigint check (amount >= 0),
  ticket_type text check (length(ticket_type) between 1 and 100),
  -- What took it back. Null: the ticket is valid.
  refund_id uuid,
  primary key (organization_id, order_id, position),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  -- The ticket is written after its line, in the same transaction.
  foreign key (organization_id, ticket_id) references tickets (organization_id, id) deferrable initially deferred,
  foreign key (organization_id, refund_id) references refunds (organization_id, id)
);
create unique index order_lines_ticket on order_lines (organization_id, ticket_id);
call protect_tenant_table('order_lines');
grant select, insert, update (refund_id) on order_lines to voelgoed_app;

-- A ticket is refunded once.
create function refuse_second_refund() returns trigger language plpgsql as $$
begin
  raise exception 'ticket % was refunded before', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger refunded_once before update on order_lines for each row
  when (old.refund_id is not null) execute function refuse_second_refund();

-- The moves of core/orders/order.ts.
create function refuse_order_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('open', 'paying'), ('open', 'cancelled'), ('open', 'expired'), ('paying', 'paid'),
    ('paying', 'open'), ('paying', 'refunded'), ('paying', 'cancelled'), ('paying', 'expired'),
    ('paid', 'partly_refunded'), ('paid', 'refunded'), ('partly_refunded', 'refunded'), ('expired', 'paid'),
    ('expired', 'refunded')) then return new; end if;
  raise exception 'order % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on orders for each row
  when (new.status <> old.status) execute function refuse_order_move();
create function refuse_payment_move() returns trigger language plpgsql as $$
begin
  if new.refunded_amount >= old.refunded_amount and (new.status = old.status or (old.status, new.status) in (
    ('created', 'unknown'), ('created', 'captured'), ('created', 'declined'), ('unknown', 'captured'),
    ('unknown', 'declined'), ('captured', 'refunding'), ('refunding', 'captured'), ('refunding', 'refunded'),
    -- Both steps of a refund that staff record.
    ('captured', 'refunded'))) then return new; end if;
  raise exception 'payment % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on payments for each row execute function refuse_payment_move();

-- Sold ends in one way only: its ticket is void. Then the seat is free, or another hold has it already.
create or replace function refuse_unselling() returns trigger language plpgsql as $$
begin
  if new.ticket_id is distinct from old.ticket_id and exists (select from tickets t
    where t.organization_id = old.organization_id and t.id = old.ticket_id and t.voided_at is not null)
  then return new; end if;
  raise exception 'seat % of event % is sold', old.ordinal, old.event_id using errcode = 'integrity_constraint_violation';
end
$$;

-- Holds of a cart that a platform sells by the token it gave them.
create index event_seats_cart on event_seats (organization_id, event_id, cart_token)
  where status = 'held' and cart_token is not null;
create index place_holds_cart on place_holds (organization_id, event_id, cart_token)
  where status = 'held' and cart_token is not null;
create index hold_history_cart on hold_history (organization_id, event_id, cart_token) where cart_token is not null;

-- The journal as entries, with tickets that became void. Otherwise as before.
create or replace view journal_entries with (security_invoker = true) as
select j.organization_id, j.event_id, j.first_seq, j.first_seq + e.position - 1 as seq, e.entry ->> 'kind' as kind,
  (e.entry ->> 'command')::uuid as command_id, (e.entry ->> 'actor')::uuid as actor_id, e.entry ->> 'source' as source,
  j.at, (e.entry ->> 'previous')::bigint as previous, e.entry -> 'body' as body
from journal j
cross join lateral jsonb_array_elements(j.packed::jsonb) with ordinality as e (entry, position)
where j.encoding = 0
union all
select j.organization_id, j.event_id, j.first_seq, j.first_seq + c.position - 1 as seq, k.kind,
  (m.command ->> 0)::uuid, (m.command ->> 1)::uuid, m.command ->> 2,
  t.at, case when k.code <= 7 then (c.change ->> 2)::bigint end,
  case when k.code <= 7 then jsonb_build_object('holdId', c.change -> 3, 'ordinal', c.change -> 4,
    'version', c.change -> 5, 'zoneIndex', c.change -> 6, 'quantity', c.change -> 7) else '{}' end
  || case k.code
    when 0 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'ip', case c.change -> 9 when '0' then m.command -> 3 else c.change -> 9 end, 'cartToken', c.change -> 10,
      'heldUntil', t.ms + (c.change ->> 11)::bigint, 'capUntil', t.ms + (c.change ->> 12)::bigint)
    when 1 then jsonb_strip_nulls(jsonb_build_object('heldUntil', t.ms + (c.change ->> 8)::bigint,
      'capUntil', t.ms + (c.change ->> 9)::bigint))
    when 2 then jsonb_strip_nulls(jsonb_build_object('checkoutId', c.change -> 8,
      'heldUntil', t.ms + (c.change ->> 9)::bigint, 'capUntil', t.ms + (c.change ->> 10)::bigint))
    when 3 then jsonb_build_object('freed', c.change -> 8)
    when 4 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'heldUntil', t.ms + (c.change ->> 9)::bigint, 'capUntil', t.ms + (c.change ->> 10)::bigint)
    when 6 then jsonb_build_object('reason', c.change -> 8, 'notes', c.change -> 9)
    when 7 then jsonb_build_object('userId', case c.change -> 8 when '0' then m.command -> 1 else c.change -> 8 end,
      'checkoutId', c.change -> 9, 'ticketIds', c.change -> 10)
    when 8 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 9 then jsonb_build_object('ordinal', c.change -> 2, 'version', c.change -> 3, 'zoneIndex', c.change -> 4,
      'reason', c.change -> 5)
    when 10 then c.change -> 2
    when 11 then jsonb_build_object('zoneIndex', c.change -> 2, 'occupied', c.change -> 3, 'capacity', c.change -> 4,
      'ordinals', c.change -> 5)
    when 12 then jsonb_build_object('ticketId', c.change -> 2, 'ordinal', c.change -> 3, 'version', c.change -> 4,
      'zoneIndex', c.change -> 5, 'reason', c.change -> 6)
    else '{}' end
  || case when jsonb_array_length(m.command) > 3 then jsonb_build_object('address', m.command -> 3,
    'userAgent', p.agents -> (m.command ->> 4)::int) else '{}' end
from journal j
cross join lateral (select whole -> 0 as commands, whole -> 1 as changes, whole -> 2 as agents
  from (select j.packed::jsonb as whole offset 0) as parsed offset 0) as p
cross join lateral jsonb_array_elements(p.changes) with ordinality as c (change, position)
cross join lateral (select p.commands -> (c.change ->> 1)::int as command offset 0) as m
cross join lateral (select at, floor(extract(epoch from at) * 1000)::bigint as ms
  from (select coalesce(to_timestamp((m.command ->> 5)::float8 / 1000.0), j.at) as at) as moment offset 0) as t
cross join lateral (select code, coalesce((array['seat_reserved', 'seat_hold_extended', 'payment_started', 'hold_reduced',
    'hold_transferred', 'seat_hold_expired', 'seat_released', 'seat_converted', 'seat_blocked', 'seat_unblocked',
    'event_changed', 'companions_released', 'ticket_voided'])[code + 1], 'kind ' || code) as kind
  from (select (c.change ->> 0)::int as code) as coded offset 0) as k
where j.encoding = 1;
