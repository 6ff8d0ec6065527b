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

-- A guest whose holds were moved to an account holds nothing, and the journal still names them: they stay.
alter table users add column held_before boolean not null default false;
create function note_former_holder() returns trigger language plpgsql as $$
begin
  update users set held_before = true
    where organization_id = old.organization_id and id = old.user_id and not held_before;
  return null;
end
$$;
create trigger note_former_holder after update on seat_holds for each row
  when (new.user_id <> old.user_id) execute function note_former_holder();

-- The history of a person's holds. Only ended holds are in it: a new hold pays nothing for it, and living holds are
-- in seat_holds_active_user.
create index seat_holds_ended_user on seat_holds (organization_id, user_id, id) where status <> 'active';
grant select (organization_id, user_id, status) on seat_holds to voelgoed_platform;

-- People who may not come in any more, and organizations that are suspended. What they did stays.
alter table users add column disabled_at timestamptz;
alter table organizations add column suspended_at timestamptz;
grant update (name, suspended_at) on organizations to voelgoed_platform;

-- Search by the beginning of an e-mail address, in the order of bytes: the order of a language can't be searched so. A
-- column and not an expression: under row-level security an index on lower(email) would not be used, because a function
-- that might tell of rows of others may not be called before the policy has spoken. The same holds for the journal below.
alter table users add column email_key text collate "C" generated always as (lower(email)) stored;
create index users_by_email on users (organization_id, email_key) where email_key is not null;
create index users_staff on users (organization_id, email_key) where role <> 'customer' and email_key is not null;

-- What can be looked up. No index here is written to when a seat is held: they have only ended holds, and entries of
-- the journal that are not `seat_reserved`. That one is found by its time, which goes up with the seq.
create index seat_holds_ended_seat on seat_holds (organization_id, event_id, ordinal, created_at)
  where status <> 'active' and ordinal is not null;
-- hold_id: on entries about a hold but the first. blocked_ordinal: on entries about a block.
alter table journal add column hold_id uuid, add column blocked_ordinal integer;
create index journal_hold on journal (organization_id, event_id, hold_id, seq) where hold_id is not null;
create index journal_block on journal (organization_id, event_id, blocked_ordinal, seq) where blocked_ordinal is not null;
create index journal_staff on journal (organization_id, event_id, actor_id, seq)
  where source = 'admin' and kind <> 'seat_reserved';

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

create table audit_subjects (
  organization_id uuid not null,
  subject uuid not null,
  entry_id bigint not null,
  primary key (organization_id, subject, entry_id),
  foreign key (organization_id, entry_id) references audit_log (organization_id, id) on delete cascade
);
create index audit_subjects_entry on audit_subjects (organization_id, entry_id);
call protect_tenant_table('audit_subjects');
grant select, insert on audit_subjects to voelgoed_app, voelgoed_platform;

create function note_audit_subjects() returns trigger language plpgsql as $$
begin
  insert into audit_subjects (organization_id, subject, entry_id)
  select distinct new.organization_id, subject, new.id from unnest(new.subjects) as subject;
  return null;
end
$$;
create trigger note_subjects after insert on audit_log for each row
  when (new.subjects is not null) execute function note_audit_subjects();
create index audit_log_time on audit_log (organization_id, at desc, id desc);

-- The funnel of an event: how many requests and places took which step, by quarter of an hour, because every time zone
-- begins its day at one. Filled from the journal, in order and once for each seq, and from refused attempts.
create table funnel_counts (
  organization_id uuid not null,
  event_id uuid not null,
  quarter timestamptz not null,
  step text not null,
  -- The code of a refusal, the reason of a release; else empty.
  detail text not null,
  count bigint not null check (count > 0),
  primary key (organization_id, event_id, quarter, step, detail)
);
call protect_tenant_table('funnel_counts');
grant select, insert, update on funnel_counts to voelgoed_app, voelgoed_platform;

-- How far into an event's journal the counts reach.
create table funnel_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  primary key (organization_id, event_id)
);
call protect_tenant_table('funnel_cursors');
grant select, insert, update on funnel_cursors to voelgoed_app;
grant select on funnel_cursors to voelgoed_platform;
create trigger seq_goes_up after update on funnel_cursors for each row
  when (new.seq < old.seq) execute function refuse_going_back();

-- Jobs that run on one node at a time, at most so often. They belong to the installation, not to a tenant.
create table job_runs (
  name text primary key,
  started_at timestamptz not null,
  -- Null while it runs.
  finished_at timestamptz,
  succeeded_at timestamptz,
  findings integer not null default 0
);
grant select, insert, update on job_runs to voelgoed_platform;
