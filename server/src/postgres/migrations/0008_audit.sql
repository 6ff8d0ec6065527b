-- Audit: what is counted instead of written, what is deleted after its time, what can be looked up.

-- Refusals by rate (and by outage) are counted: a client that is refused ten thousand times a minute leaves one row.
create table refused_attempt_counts (
  organization_id uuid not null,
  user_id uuid not null,
  minute timestamptz not null,
  event_id uuid not null,
  code text not null,
  attempts integer not null check (attempts > 0),
  -- Of the last attempt in this minute.
  ip inet,
  user_agent text,
  primary key (organization_id, user_id, minute, event_id, code)
);
create index refused_attempt_counts_event on refused_attempt_counts (organization_id, event_id, minute desc);
create index refused_attempt_counts_age on refused_attempt_counts (minute);
call protect_tenant_table('refused_attempt_counts');
grant select on refused_attempt_counts to voelgoed_app;
grant select, insert, update, delete on refused_attempt_counts to voelgoed_platform;

-- Retention. The server may delete refused attempts, and that a guest came, once they are a day old. It may delete
-- nothing else of the audit log: these policies hold whatever our code says.
create index audit_log_refused_age on audit_log (at) where action in ('seat_reserve_failed', 'sign_in_refused');
grant delete on audit_log to voelgoed_platform;
create policy keep on audit_log as restrictive for delete to voelgoed_platform using (
  action in ('seat_reserve_failed', 'sign_in_refused', 'guest_session_started') and at < now() - interval '1 day');

-- Guests who never held anything. People with an account stay.
create index users_guests on users (created_at, organization_id, id) where email is null;
grant delete on users to voelgoed_platform;
create policy keep on users as restrictive for delete to voelgoed_platform using (
  email is null and created_at < now() - interval '1 day');

-- The history of a person's holds. Only ended holds are in it: a new hold pays nothing for it, and living holds are
-- in seat_holds_active_user.
create index seat_holds_ended_user on seat_holds (organization_id, user_id, id) where status <> 'active';
grant select (organization_id, user_id, status) on seat_holds to voelgoed_platform;

-- People who may not come in any more, and organizations that are suspended. What they did stays.
alter table users add column disabled_at timestamptz;
alter table organizations add column suspended_at timestamptz;
grant update (name, suspended_at) on organizations to voelgoed_platform;

-- Search by the beginning of an e-mail address, in the order of bytes: the order of a language can't be searched so.
create index users_by_email on users (organization_id, (lower(email) collate "C")) where email is not null;
create index users_by_role on users (organization_id, role, (lower(email) collate "C")) where email is not null;

-- What can be looked up. No index here is written to when a seat is held: they have only ended holds, and entries of
-- the journal that are not `seat_reserved`. That one is found by its time, which goes up with the seq.
create index seat_holds_ended_seat on seat_holds (organization_id, event_id, ordinal, created_at)
  where status <> 'active' and ordinal is not null;
create index journal_hold on journal (organization_id, event_id, (body ->> 'holdId'), seq) where kind <> 'seat_reserved';
create index journal_staff on journal (organization_id, event_id, actor_id, seq)
  where source = 'admin' and kind <> 'seat_reserved';
create index journal_block on journal (organization_id, event_id, ((body ->> 'ordinal')::int), seq)
  where kind in ('seat_blocked', 'seat_unblocked');

-- The first entry of an event's journal at or after a moment: about 20 look-ups by the primary key, whatever its length.
create function first_seq_since(organization uuid, event uuid, moment timestamptz) returns bigint
  language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint;
  middle bigint;
  middle_at timestamptz;
begin
  select l.seq + 1 into high from event_ledgers l where l.organization_id = organization and l.event_id = event;
  while low < high loop
    middle := (low + high) / 2;
    select j.at into middle_at from journal j
      where j.organization_id = organization and j.event_id = event and j.seq = middle;
    if middle_at < moment then
      low := middle + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end
$$;

-- What an audit entry is about besides its entity: the event, and the seats, zones and holds it names.
alter table audit_log add column event_id uuid, add column subjects uuid[];
create index audit_log_event on audit_log (organization_id, event_id, id desc) where event_id is not null;
create index audit_log_subjects on audit_log using gin (subjects) where subjects is not null;
create index audit_log_time on audit_log (organization_id, at desc, id desc);
