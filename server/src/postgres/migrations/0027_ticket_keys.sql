-- Keys that sign the tickets of an organization (Ed25519). One of them signs; those that it replaced still
-- verify the tickets on paper until they are retired.
create table ticket_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- SubjectPublicKeyInfo, as DER.
  public_key bytea not null check (octet_length(public_key) = 44),
  -- PKCS 8, sealed by the server: server/src/tickets/seal-key.ts.
  sealed_private_key bytea not null check (octet_length(sealed_private_key) between 29 and 200),
  created_at timestamptz not null default now(),
  -- From then on it signs nothing.
  replaced_at timestamptz,
  -- From then on it verifies nothing.
  retired_at timestamptz,
  primary key (organization_id, id),
  check (retired_at is null or replaced_at is not null)
);
create unique index ticket_keys_signing on ticket_keys (organization_id) where replaced_at is null;
call protect_tenant_table('ticket_keys');
grant select, insert, update (replaced_at, retired_at) on ticket_keys to voelgoed_app;

create function refuse_reviving_ticket_keys() returns trigger language plpgsql as $$
begin
  raise exception 'the ticket key % was replaced or retired before', old.id using errcode = 'check_violation';
end
$$;
create trigger replaced_stays_replaced before update on ticket_keys for each row
  when ((old.replaced_at is not null and new.replaced_at is distinct from old.replaced_at)
    or (old.retired_at is not null and new.retired_at is distinct from old.retired_at))
  execute function refuse_reviving_ticket_keys();

-- A ticket that is issued again has the next version; what was printed before opens no gate.
alter table tickets add column version integer not null default 1 check (version > 0);
grant update (version) on tickets to voelgoed_app;
create or replace function refuse_changing_tickets() returns trigger language plpgsql as $$
begin
  raise exception 'ticket % can only become void, once, or get its next version while it is valid', old.id
    using errcode = 'integrity_constraint_violation';
end
$$;
drop trigger void_stays_void on tickets;
create trigger void_stays_void before update on tickets for each row
  when (old.voided_at is not null
    or new.version <> old.version + case when new.voided_at is null then 1 else 0 end)
  execute function refuse_changing_tickets();

-- Whose ticket it is, if the buyer says so: printed on it, and shown at the gate.
alter table order_lines add column if not exists attendee text check (length(attendee) between 1 and 200);
grant update (attendee) on order_lines to voelgoed_app;
