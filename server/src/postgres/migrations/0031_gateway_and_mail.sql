-- The account of an organization at Stripe is its admins' to set. A payment stays with the account that took
-- it: look-ups and refunds go there, and only news of that account is believed.
grant update (stripe_account) on organizations to voelgoed_app;
alter table payments add account text collate "C" check (length(account) between 1 and 255);
update payments p set account = o.stripe_account from organizations o
  where o.id = p.organization_id and p.gateway = 'stripe';

-- Money that went back on the gateway's own pages. It is shown to staff; what the order itself gave back, and
-- its tickets, stay as they are until staff refund the order.
create table gateway_refunds (
  organization_id uuid not null,
  -- The gateway's own.
  id text collate "C" not null check (length(id) between 1 and 255),
  order_id uuid not null,
  amount bigint not null check (amount > 0),
  status refund_status not null,
  -- By the gateway's clock: older news does not overwrite newer.
  told_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index gateway_refunds_order on gateway_refunds (organization_id, order_id);
call protect_tenant_table('gateway_refunds');
grant select, insert, update (status, told_at) on gateway_refunds to voelgoed_app;

-- Mails go out in turns: an organization with many of them keeps no other waiting, and what a person waits
-- for at a screen goes first.
create index mails_turn on mails (organization_id, due_at) where status = 'queued';
create index mails_urgent on mails (organization_id, due_at)
  where status = 'queued' and kind in ('password_reset', 'password_changed');
grant select (kind) on mails to voelgoed_platform;

-- Kept mails go out when staff say so, once there is a mail server.
create or replace function refuse_mail_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('queued', 'sending'), ('queued', 'kept'), ('queued', 'dead'), ('sending', 'queued'),
    ('sending', 'sent'), ('sending', 'dead'), ('sending', 'unknown'), ('unknown', 'sent'), ('kept', 'queued'))
  then return new; end if;
  raise exception 'mail % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
