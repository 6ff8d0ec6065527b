-- Staff move tickets to other seats. The line of an order goes on with the new ticket; this says which ticket
-- it was before, and stays.
create table ticket_moves (
  organization_id uuid not null,
  -- The one that is void, and the one that took its line.
  from_ticket_id uuid not null,
  to_ticket_id uuid not null,
  order_id uuid not null,
  moved_by uuid not null,
  moved_at timestamptz not null default now(),
  primary key (organization_id, from_ticket_id),
  constraint ticket_moves_to unique (organization_id, to_ticket_id),
  check (from_ticket_id <> to_ticket_id),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, from_ticket_id) references tickets (organization_id, id),
  -- The new ticket is written after its line, in the same transaction.
  foreign key (organization_id, to_ticket_id) references tickets (organization_id, id) deferrable initially deferred,
  foreign key (organization_id, moved_by) references users (organization_id, id)
);
create index ticket_moves_order on ticket_moves (organization_id, order_id);
call protect_tenant_table('ticket_moves');
grant select, insert on ticket_moves to voelgoed_app;

grant update (ticket_id) on order_lines to voelgoed_app;
create function refuse_other_ticket() returns trigger language plpgsql as $$
begin
  if exists (select from ticket_moves m where m.organization_id = old.organization_id
    and m.from_ticket_id = old.ticket_id and m.to_ticket_id = new.ticket_id and m.order_id = old.order_id)
  then return new; end if;
  raise exception 'ticket % was not moved', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$$;
create trigger ticket_moved before update on order_lines for each row
  when (new.ticket_id <> old.ticket_id) execute function refuse_other_ticket();

-- The buyer hears of it.
alter table mails drop constraint mails_kind_check, drop constraint mails_check2;
alter table mails
  add constraint mails_kind_check check (kind in
    ('order_paid', 'order_refunded', 'order_moved', 'password_reset', 'password_changed', 'invitation')),
  add constraint mails_check2
    check ((order_id is not null) = (kind in ('order_paid', 'order_refunded', 'order_moved')));
