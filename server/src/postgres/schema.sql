-- Written by `npm run schema` from the migrations. Do not edit.
create type access_mode as enum ('public', 'membership_tier', 'role_based', 'whitelist');
create type entry_direction as enum ('in', 'out');
create type event_status as enum ('draft', 'published', 'live', 'completed', 'cancelled', 'archived');
create type hold_end_reason as enum ('ttl_expired', 'user_cancelled', 'payment_failed', 'admin_override', 'converted', 'event_cancelled');
create type hold_status as enum ('active', 'converted', 'expired', 'cancelled');
create type layout_status as enum ('draft', 'active', 'archived');
create type membership_status as enum ('active', 'suspended', 'expired', 'cancelled');
create type order_status as enum ('open', 'paying', 'paid', 'partly_refunded', 'refunded', 'cancelled', 'expired');
create type payment_method as enum ('cash', 'card_terminal', 'complimentary', 'external', 'gateway');
create type payment_status as enum ('created', 'unknown', 'captured', 'declined', 'refunding', 'refunded');
create type refund_status as enum ('pending', 'done', 'failed');
create type sales_channel as enum ('page', 'embed', 'api', 'box_office');
create type seat_category as enum ('standard', 'wheelchair', 'companion', 'restricted_view', 'aisle');
create type seat_group_type as enum ('wheelchair_pair', 'family_block', 'vip_table', 'reserved_block');
create type seat_status as enum ('available', 'held', 'sold', 'blocked');
create type user_role as enum ('customer', 'scanner', 'support', 'organizer', 'admin');
create type zone_type as enum ('reserved_seating', 'ga_seated', 'ga_standing', 'vip_reserved', 'vip_standing');
CREATE OR REPLACE FUNCTION public.current_organization()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.organization_id'::text, true), ''::text))::uuid
;
CREATE OR REPLACE FUNCTION public.end_address_proof()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.email_proven_at := null;
  update password_resets set ended_at = now()
    where organization_id = old.organization_id and user_id = old.id and ended_at is null;
  return new;
end
$function$
;
CREATE OR REPLACE FUNCTION public.first_seq_since(organization uuid, event uuid, moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  low bigint := 1;
  high bigint;
  found_row record;
begin
  select l.seq + 1 into high from event_ledgers l where l.organization_id = organization and l.event_id = event;
  while low < high loop
    select j.first_seq, j.last_seq, j.at into found_row from journal j
      where j.organization_id = organization and j.event_id = event and j.first_seq <= (low + high) / 2
      order by j.first_seq desc limit 1;
    if found_row.at < moment then
      low := found_row.last_seq + 1;
    else
      high := found_row.first_seq;
    end if;
  end loop;
  return low;
end
$function$
;
CREATE OR REPLACE FUNCTION public.note_audit_subjects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into audit_subjects (organization_id, subject, entry_id)
  select distinct new.organization_id, subject, new.id from unnest(new.subjects) as subject;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.note_cancellation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.cancelled_at := clock_timestamp();
  return new;
end
$function$
;
CREATE OR REPLACE FUNCTION public.note_former_holder()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update users set held_before = true
    where organization_id = old.organization_id and id = old.user_id and not held_before;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.note_going_live()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.went_live_at := clock_timestamp();
  return new;
end
$function$
;
CREATE OR REPLACE FUNCTION public.note_reissue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.reissued_at := clock_timestamp();
  return new;
end
$function$
;
CREATE OR REPLACE PROCEDURE public.protect_tenant_table(IN target regclass, IN organization_column text DEFAULT 'organization_id'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy tenant on %s to voelgoed_app using (%I = (select current_organization())) with check (%I = (select current_organization()))',
    target, organization_column, organization_column);
  execute format(
    'create policy platform on %s to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations())',
    target);
end
$procedure$
;
CREATE OR REPLACE FUNCTION public.refuse_changing_tickets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'ticket % can only become void, once, or get its next version while it is valid', old.id
    using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_going_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% would go back', tg_table_name using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_journal_gap()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.first_seq is distinct from (
    select l.seq + 1 from event_ledgers l
    where l.organization_id = new.organization_id and l.event_id = new.event_id) then
    raise exception 'entry % does not continue the journal of event %', new.first_seq, new.event_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_keeping_again()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the companion seats of zone % were released, and are not kept again', old.zone_index
    using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_mail_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status, new.status) in (('queued', 'sending'), ('queued', 'kept'), ('queued', 'dead'), ('sending', 'queued'),
    ('sending', 'sent'), ('sending', 'dead'), ('sending', 'unknown'), ('unknown', 'sent'), ('kept', 'queued'))
  then return new; end if;
  raise exception 'mail % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_older_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a code of this step was taken before' using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_order_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status, new.status) in (('open', 'paying'), ('open', 'paid'), ('open', 'refunded'), ('open', 'cancelled'),
    ('open', 'expired'), ('paying', 'paid'), ('paying', 'open'), ('paying', 'refunded'), ('paying', 'cancelled'),
    ('paying', 'expired'), ('paid', 'partly_refunded'), ('paid', 'refunded'), ('partly_refunded', 'refunded'),
    ('cancelled', 'refunded'), ('expired', 'paid'), ('expired', 'refunded')) then return new; end if;
  raise exception 'order % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_other_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from ticket_moves m where m.organization_id = old.organization_id
    and m.from_ticket_id = old.ticket_id and m.to_ticket_id = new.ticket_id and m.order_id = old.order_id)
  then return new; end if;
  raise exception 'ticket % was not moved', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_payment_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_refund_amount()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'refund % is not lowered from % to %', old.id, old.amount, new.amount
    using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_refund_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'refund % was given back before', old.id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_reviving_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the API key % has ended', old.id using errcode = 'check_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_reviving_ticket_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the ticket key % was replaced or retired before', old.id using errcode = 'check_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_second_refund()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'ticket % was refunded before', old.ticket_id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_second_reset()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a password reset has ended' using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_ticket_without_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from event_seats s where s.organization_id = new.organization_id and s.event_id = new.event_id
    and s.ordinal = new.ordinal and s.status = 'sold' and s.hold_id = new.hold_id and s.ticket_id = new.id
    and s.user_id = new.user_id;
  if not found then
    raise exception 'ticket % comes from no hold that was sold to its owner', new.id using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_tickets_without_places()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  wrong uuid;
begin
  select (array_agg(a.id))[1] into wrong from added a
  where a.ordinal is null
  group by a.organization_id, a.event_id, a.hold_id, a.zone_index, a.user_id
  having not exists (select from place_holds p where p.organization_id = a.organization_id and p.hold_id = a.hold_id
    and p.event_id = a.event_id and p.zone_index = a.zone_index and p.status = 'sold' and p.user_id = a.user_id
    and p.quantity >= (select count(*) from tickets t
      where t.organization_id = a.organization_id and t.hold_id = a.hold_id))
  limit 1;
  if found then
    raise exception 'ticket % comes from no hold that was sold to its owner', wrong using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_uncapturing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payment % was captured, and stays so', old.id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_unselling()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.ticket_id is distinct from old.ticket_id and exists (select from tickets t
    where t.organization_id = old.organization_id and t.id = old.ticket_id and t.voided_at is not null)
  then return new; end if;
  raise exception 'seat % of event % is sold', old.ordinal, old.event_id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.refuse_unselling_places()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the places of hold % are sold', old.hold_id using errcode = 'integrity_constraint_violation';
end
$function$
;
CREATE OR REPLACE FUNCTION public.sees_all_organizations()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((CURRENT_USER = 'voelgoed_platform'::name) OR (current_setting('app.all_organizations'::text, true) = 'on'::text))
;

create table api_keys (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  token_hash bytea not null,
  created_by uuid not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint api_keys_organization_id_token_hash_key UNIQUE (organization_id, token_hash),
  constraint api_keys_pkey PRIMARY KEY (organization_id, id),
  constraint api_keys_organization_id_created_by_fkey FOREIGN KEY (organization_id, created_by) REFERENCES users(organization_id, id),
  constraint api_keys_organization_id_id_fkey FOREIGN KEY (organization_id, id) REFERENCES users(organization_id, id),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE TRIGGER ended_stays_ended BEFORE UPDATE ON public.api_keys FOR EACH ROW WHEN (((old.ended_at IS NOT NULL) AND (new.ended_at IS DISTINCT FROM old.ended_at))) EXECUTE FUNCTION refuse_reviving_keys();
-- row-level security on, forced
create policy platform on api_keys for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on api_keys for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (ended_at, last_used_at) on api_keys to voelgoed_app;
grant select (created_by, id, organization_id), update (last_used_at) on api_keys to voelgoed_platform;

create table audit_log (
  organization_id uuid not null,
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  action text not null,
  actor text not null,
  user_id uuid,
  ip inet,
  user_agent text,
  request_id text,
  entity_type text,
  entity_id uuid,
  changes jsonb not null default '{}'::jsonb,
  event_id uuid,
  subjects uuid[],
  constraint audit_log_pkey PRIMARY KEY (organization_id, id),
  constraint audit_log_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint audit_log_actor_check CHECK ((actor = ANY (ARRAY['user'::text, 'api_key'::text, 'root'::text, 'anonymous'::text, 'system'::text])))
);
CREATE INDEX audit_log_action ON public.audit_log USING btree (organization_id, action, id DESC);
CREATE INDEX audit_log_entity ON public.audit_log USING btree (organization_id, entity_id, id DESC);
CREATE INDEX audit_log_event ON public.audit_log USING btree (organization_id, event_id, id DESC) WHERE (event_id IS NOT NULL);
CREATE INDEX audit_log_refused_age ON public.audit_log USING btree (at) WHERE (action = ANY (ARRAY['seat_reserve_failed'::text, 'sign_in_refused'::text]));
CREATE INDEX audit_log_time ON public.audit_log USING btree (organization_id, at DESC, id DESC);
CREATE INDEX audit_log_user ON public.audit_log USING btree (organization_id, user_id, id DESC);
CREATE TRIGGER note_subjects AFTER INSERT ON public.audit_log FOR EACH ROW WHEN ((new.subjects IS NOT NULL)) EXECUTE FUNCTION note_audit_subjects();
-- row-level security on, forced
create policy keep on audit_log for DELETE to voelgoed_platform using (((action = ANY (ARRAY['seat_reserve_failed'::text, 'sign_in_refused'::text, 'guest_session_started'::text])) AND (at < (now() - '1 day'::interval)))) with check (-);
create policy platform on audit_log for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on audit_log for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on audit_log to voelgoed_app;
grant delete, insert, select on audit_log to voelgoed_platform;

create table audit_subjects (
  organization_id uuid not null,
  subject uuid not null,
  entry_id bigint not null,
  constraint audit_subjects_pkey PRIMARY KEY (organization_id, subject, entry_id),
  constraint audit_subjects_organization_id_entry_id_fkey FOREIGN KEY (organization_id, entry_id) REFERENCES audit_log(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX audit_subjects_entry ON public.audit_subjects USING btree (organization_id, entry_id);
-- row-level security on, forced
create policy platform on audit_subjects for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on audit_subjects for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on audit_subjects to voelgoed_app;
grant insert, select on audit_subjects to voelgoed_platform;

create table checkouts (
  organization_id uuid not null,
  order_id uuid not null,
  gateway text not null,
  cart jsonb not null,
  accept_alternatives boolean not null,
  locale text,
  expires_at timestamp with time zone not null,
  late_step text,
  due_at timestamp with time zone,
  constraint checkouts_pkey PRIMARY KEY (organization_id, order_id),
  constraint checkouts_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint checkouts_cart_check CHECK ((jsonb_typeof(cart) = 'object'::text)),
  constraint checkouts_gateway_check CHECK ((gateway = ANY (ARRAY['simulator'::text, 'stripe'::text, 'none'::text]))),
  constraint checkouts_late_step_check CHECK ((late_step = ANY (ARRAY['same_places'::text, 'other_places'::text, 'refund'::text]))),
  constraint checkouts_locale_check CHECK (((length(locale) >= 1) AND (length(locale) <= 200)))
);
CREATE INDEX checkouts_due ON public.checkouts USING btree (due_at) WHERE (due_at IS NOT NULL);
-- row-level security on, forced
create policy platform on checkouts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on checkouts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (accept_alternatives, due_at, expires_at, late_step, locale) on checkouts to voelgoed_app;
grant select (due_at, order_id, organization_id), update (due_at) on checkouts to voelgoed_platform;

create table credentials (
  organization_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  secret_hash text,
  created_at timestamp with time zone not null default now(),
  constraint credentials_pkey PRIMARY KEY (organization_id, issuer, subject),
  constraint credentials_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX credentials_user ON public.credentials USING btree (organization_id, user_id);
-- row-level security on, forced
create policy links_alone on credentials for DELETE to voelgoed_app using ((issuer <> 'password'::text)) with check (-);
create policy platform on credentials for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on credentials for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on credentials to voelgoed_app;
grant insert, select, update on credentials to voelgoed_platform;

create table disputes (
  organization_id uuid not null,
  id text not null,
  order_id uuid not null,
  amount bigint not null,
  currency text not null,
  status text not null,
  reason text not null,
  told_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint disputes_pkey PRIMARY KEY (organization_id, id),
  constraint disputes_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint disputes_amount_check CHECK ((amount >= 0)),
  constraint disputes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint disputes_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
  constraint disputes_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 200))),
  constraint disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);
CREATE INDEX disputes_order ON public.disputes USING btree (organization_id, order_id);
-- row-level security on, forced
create policy platform on disputes for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on disputes for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (amount, reason, status, told_at) on disputes to voelgoed_app;

create table early_exits (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  ticket_id uuid not null,
  at timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  gate text,
  device_id text not null,
  scan_id text,
  scanned_by uuid not null,
  constraint early_exits_pkey PRIMARY KEY (organization_id, id),
  constraint early_exits_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint early_exits_organization_id_scanned_by_fkey FOREIGN KEY (organization_id, scanned_by) REFERENCES users(organization_id, id),
  constraint early_exits_organization_id_ticket_id_fkey FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets(organization_id, id),
  constraint early_exits_device_id_check CHECK (((length(device_id) >= 1) AND (length(device_id) <= 100))),
  constraint early_exits_gate_check CHECK (((length(gate) >= 1) AND (length(gate) <= 100))),
  constraint early_exits_scan_id_check CHECK (((length(scan_id) >= 1) AND (length(scan_id) <= 100)))
);
CREATE UNIQUE INDEX early_exits_scan ON public.early_exits USING btree (organization_id, ticket_id, device_id, scan_id) WHERE (scan_id IS NOT NULL);
CREATE INDEX early_exits_ticket ON public.early_exits USING btree (organization_id, ticket_id, at);
-- row-level security on, forced
create policy platform on early_exits for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on early_exits for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on early_exits to voelgoed_app;

create table entries (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  ticket_id uuid not null,
  zone_index integer not null,
  direction entry_direction not null,
  day date not null,
  "position" integer not null,
  at timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  gate text,
  device_id text not null,
  scan_id text,
  scanned_by uuid not null,
  entries_per_day integer not null,
  reentry boolean not null,
  person_hash bytea,
  place integer,
  constraint entries_position UNIQUE (organization_id, ticket_id, day, "position"),
  constraint entries_pkey PRIMARY KEY (organization_id, id),
  constraint entries_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint entries_organization_id_scanned_by_fkey FOREIGN KEY (organization_id, scanned_by) REFERENCES users(organization_id, id),
  constraint entries_organization_id_ticket_id_fkey FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets(organization_id, id),
  constraint entries_device_id_check CHECK (((length(device_id) >= 1) AND (length(device_id) <= 100))),
  constraint entries_entries_per_day_check CHECK ((entries_per_day > 0)),
  constraint entries_gate_check CHECK (((length(gate) >= 1) AND (length(gate) <= 100))),
  constraint entries_person_hash_check CHECK ((octet_length(person_hash) = 32)),
  constraint entries_place_check CHECK ((place > 0)),
  constraint entries_place_of_entry CHECK (((place IS NULL) OR (direction = 'in'::entry_direction))),
  constraint entries_position_check CHECK (("position" > 0)),
  constraint entries_scan_id_check CHECK (((length(scan_id) >= 1) AND (length(scan_id) <= 100))),
  constraint entries_zone_index_check CHECK ((zone_index >= 0))
);
CREATE INDEX entries_person ON public.entries USING btree (organization_id, event_id, person_hash, day) WHERE (person_hash IS NOT NULL);
CREATE UNIQUE INDEX entries_place ON public.entries USING btree (organization_id, event_id, zone_index, day, place) WHERE (place IS NOT NULL);
CREATE INDEX entries_recorded ON public.entries USING btree (organization_id, event_id, recorded_at, id);
CREATE UNIQUE INDEX entries_scan ON public.entries USING btree (organization_id, ticket_id, device_id, scan_id) WHERE (scan_id IS NOT NULL);
-- row-level security on, forced
create policy platform on entries for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on entries for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on entries to voelgoed_app;

create table entry_conflicts (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  entry_id uuid not null,
  code text not null,
  found_at timestamp with time zone not null default clock_timestamp(),
  constraint entry_conflicts_entry UNIQUE (organization_id, entry_id, code),
  constraint entry_conflicts_pkey PRIMARY KEY (organization_id, id),
  constraint entry_conflicts_organization_id_entry_id_fkey FOREIGN KEY (organization_id, entry_id) REFERENCES entries(organization_id, id),
  constraint entry_conflicts_code_check CHECK (((length(code) >= 1) AND (length(code) <= 100)))
);
CREATE INDEX entry_conflicts_event ON public.entry_conflicts USING btree (organization_id, event_id, id);
-- row-level security on, forced
create policy platform on entry_conflicts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on entry_conflicts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on entry_conflicts to voelgoed_app;

create table event_ledgers (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null default 0,
  next_expiry timestamp with time zone,
  tip uuid,
  epoch bigint not null default 1,
  lost_up_to bigint not null default 0,
  constraint event_ledgers_pkey PRIMARY KEY (organization_id, event_id),
  constraint event_ledgers_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint event_ledgers_epoch_check CHECK ((epoch > 0)),
  constraint event_ledgers_lost_up_to_check CHECK ((lost_up_to >= 0)),
  constraint event_ledgers_seq_check CHECK ((seq >= 0))
);
CREATE INDEX event_ledgers_due ON public.event_ledgers USING btree (next_expiry) WHERE (next_expiry IS NOT NULL);
CREATE TRIGGER epoch_goes_up AFTER UPDATE ON public.event_ledgers FOR EACH ROW WHEN ((new.epoch < old.epoch)) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER lost_up_to_goes_up AFTER UPDATE ON public.event_ledgers FOR EACH ROW WHEN ((new.lost_up_to < old.lost_up_to)) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER seq_goes_up AFTER UPDATE ON public.event_ledgers FOR EACH ROW WHEN ((new.seq < old.seq)) EXECUTE FUNCTION refuse_going_back();
-- row-level security on, forced
create policy platform on event_ledgers for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on event_ledgers for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on event_ledgers to voelgoed_app;
grant select, update (epoch, lost_up_to, next_expiry) on event_ledgers to voelgoed_platform;

create table event_prices (
  organization_id uuid not null,
  event_id uuid not null,
  revision integer not null default 1,
  list jsonb not null,
  currency text not null,
  price_from bigint,
  updated_at timestamp with time zone not null default now(),
  constraint event_prices_pkey PRIMARY KEY (organization_id, event_id),
  constraint event_prices_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint event_prices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint event_prices_list_check CHECK ((jsonb_typeof(list) = 'object'::text)),
  constraint event_prices_price_from_check CHECK ((price_from >= 0)),
  constraint event_prices_revision_check CHECK ((revision > 0))
);
-- row-level security on, forced
create policy platform on event_prices for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on event_prices for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on event_prices to voelgoed_app;

create table event_seats (
  organization_id uuid not null,
  event_id uuid not null,
  ordinal integer not null,
  status seat_status not null,
  hold_id uuid,
  ticket_id uuid,
  held_until timestamp with time zone,
  version integer not null,
  version_before integer not null,
  user_id uuid,
  created_at timestamp with time zone,
  cap_until timestamp with time zone,
  checkout_id uuid,
  cart_token text,
  source text,
  ip text,
  last_seq bigint,
  taken_by uuid,
  constraint event_seats_pkey PRIMARY KEY (organization_id, event_id, ordinal),
  constraint event_seats_cap CHECK ((held_until <= cap_until)),
  constraint event_seats_hold CHECK (
CASE
    WHEN (status = ANY (ARRAY['held'::seat_status, 'sold'::seat_status])) THEN ((hold_id IS NOT NULL) AND (user_id IS NOT NULL) AND (created_at IS NOT NULL) AND (held_until IS NOT NULL) AND (cap_until IS NOT NULL) AND (source IS NOT NULL) AND (last_seq IS NOT NULL))
    ELSE ((hold_id IS NULL) AND (user_id IS NULL) AND (created_at IS NULL) AND (held_until IS NULL) AND (cap_until IS NULL) AND (checkout_id IS NULL) AND (cart_token IS NULL) AND (source IS NULL) AND (ip IS NULL) AND (last_seq IS NULL) AND (taken_by IS NULL))
END),
  constraint event_seats_ticket CHECK (((status = 'sold'::seat_status) = (ticket_id IS NOT NULL))),
  constraint event_seats_version_before CHECK (((version_before >= 0) AND (version_before < version))),
  constraint event_seats_version_check CHECK ((version > 0))
);
CREATE INDEX event_seats_cart ON public.event_seats USING btree (organization_id, event_id, cart_token) WHERE ((status = 'held'::seat_status) AND (cart_token IS NOT NULL));
CREATE UNIQUE INDEX event_seats_hold_id ON public.event_seats USING btree (organization_id, hold_id) WHERE (hold_id IS NOT NULL);
CREATE INDEX event_seats_user ON public.event_seats USING btree (organization_id, user_id) WHERE (status = 'held'::seat_status);
CREATE TRIGGER first_version_is_new AFTER INSERT ON public.event_seats FOR EACH ROW WHEN ((new.version_before <> 0)) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER hold_ends_first AFTER UPDATE ON public.event_seats FOR EACH ROW WHEN ((((new.hold_id <> old.hold_id) AND (new.version < (old.version + 2))) OR ((new.status = 'sold'::seat_status) AND (new.hold_id IS DISTINCT FROM old.hold_id) AND (new.version < (old.version + 2))))) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER hold_goes_on AFTER UPDATE ON public.event_seats FOR EACH ROW WHEN (((new.hold_id = old.hold_id) AND ((new.held_until < old.held_until) OR (new.last_seq <= old.last_seq) OR ((((new.created_at IS DISTINCT FROM old.created_at) OR (new.cart_token IS DISTINCT FROM old.cart_token)) OR (new.source IS DISTINCT FROM old.source)) OR (new.ip IS DISTINCT FROM old.ip))))) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER note_former_holder AFTER UPDATE ON public.event_seats FOR EACH ROW WHEN (((new.hold_id = old.hold_id) AND (new.user_id <> old.user_id))) EXECUTE FUNCTION note_former_holder();
CREATE TRIGGER sold_stays_sold BEFORE UPDATE ON public.event_seats FOR EACH ROW WHEN ((old.status = 'sold'::seat_status)) EXECUTE FUNCTION refuse_unselling();
CREATE TRIGGER version_goes_up AFTER UPDATE ON public.event_seats FOR EACH ROW WHEN (((new.version <= old.version) OR (new.version_before <> old.version) OR (new.ordinal <> old.ordinal))) EXECUTE FUNCTION refuse_going_back();
-- row-level security on, forced
create policy platform on event_seats for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on event_seats for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on event_seats to voelgoed_app;
grant select (hold_id, organization_id, status, user_id) on event_seats to voelgoed_platform;

create table events (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  status event_status not null default 'draft'::event_status,
  venue_id uuid not null,
  layout_id uuid not null,
  layout_version integer not null,
  sale_start timestamp with time zone,
  sale_end timestamp with time zone,
  starts_at timestamp with time zone,
  days jsonb not null default '[]'::jsonb,
  "overlay" jsonb not null,
  overlay_revision integer not null default 1,
  seating_overrides jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  revision integer not null default 1,
  description text,
  doors_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  went_live_at timestamp with time zone,
  constraint events_pkey PRIMARY KEY (organization_id, id),
  constraint events_organization_id_layout_id_layout_version_fkey FOREIGN KEY (organization_id, layout_id, layout_version) REFERENCES layout_versions(organization_id, layout_id, version),
  constraint events_organization_id_venue_id_fkey FOREIGN KEY (organization_id, venue_id) REFERENCES venues(organization_id, id),
  constraint events_check CHECK ((sale_start < sale_end)),
  constraint events_description_check CHECK (((length(description) >= 1) AND (length(description) <= 5000)))
);
CREATE INDEX events_by_layout ON public.events USING btree (organization_id, layout_id, layout_version);
CREATE INDEX events_by_status ON public.events USING btree (organization_id, status, id);
CREATE TRIGGER note_cancellation BEFORE UPDATE ON public.events FOR EACH ROW WHEN (((new.status = 'cancelled'::event_status) AND (old.status <> 'cancelled'::event_status))) EXECUTE FUNCTION note_cancellation();
CREATE TRIGGER note_going_live BEFORE UPDATE ON public.events FOR EACH ROW WHEN (((new.status = 'live'::event_status) AND (old.status <> 'live'::event_status))) EXECUTE FUNCTION note_going_live();
-- row-level security on, forced
create policy platform on events for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on events for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on events to voelgoed_app;
grant select (id, organization_id, status, updated_at) on events to voelgoed_platform;

create table funnel_counts (
  organization_id uuid not null,
  event_id uuid not null,
  quarter timestamp with time zone not null,
  step text not null,
  detail text not null,
  count bigint not null,
  constraint funnel_counts_pkey PRIMARY KEY (organization_id, event_id, quarter, step, detail),
  constraint funnel_counts_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id) ON DELETE CASCADE,
  constraint funnel_counts_count_check CHECK ((count > 0))
);
CREATE INDEX funnel_counts_quarter ON public.funnel_counts USING btree (organization_id, quarter);
-- row-level security on, forced
create policy platform on funnel_counts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on funnel_counts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on funnel_counts to voelgoed_app;
grant insert, select, update on funnel_counts to voelgoed_platform;

create table funnel_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  constraint funnel_cursors_pkey PRIMARY KEY (organization_id, event_id),
  constraint funnel_cursors_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id) ON DELETE CASCADE
);
CREATE TRIGGER seq_goes_up AFTER UPDATE ON public.funnel_cursors FOR EACH ROW WHEN ((new.seq < old.seq)) EXECUTE FUNCTION refuse_going_back();
-- row-level security on, forced
create policy platform on funnel_cursors for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on funnel_cursors for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on funnel_cursors to voelgoed_app;
grant select on funnel_cursors to voelgoed_platform;

create table gateway_events (
  gateway text not null,
  id text not null,
  event jsonb not null,
  state text not null default 'waiting'::text,
  attempts integer not null default 0,
  received_at timestamp with time zone not null default now(),
  due_at timestamp with time zone not null default now(),
  constraint gateway_events_pkey PRIMARY KEY (gateway, id),
  constraint gateway_events_attempts_check CHECK ((attempts >= 0)),
  constraint gateway_events_event_check CHECK ((jsonb_typeof(event) = 'object'::text)),
  constraint gateway_events_gateway_check CHECK ((gateway = ANY (ARRAY['simulator'::text, 'stripe'::text]))),
  constraint gateway_events_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
  constraint gateway_events_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'given_up'::text])))
);
CREATE INDEX gateway_events_done ON public.gateway_events USING btree (received_at) WHERE (state <> 'waiting'::text);
CREATE INDEX gateway_events_due ON public.gateway_events USING btree (due_at) WHERE (state = 'waiting'::text);
CREATE INDEX gateway_events_open ON public.gateway_events USING btree (((event ->> 'organizationId'::text)), received_at) WHERE (state <> 'done'::text);
-- row-level security off
grant delete, insert, select, update (attempts, due_at, state) on gateway_events to voelgoed_platform;

create table gateway_refunds (
  organization_id uuid not null,
  id text not null,
  order_id uuid not null,
  amount bigint not null,
  status refund_status not null,
  told_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  constraint gateway_refunds_pkey PRIMARY KEY (organization_id, id),
  constraint gateway_refunds_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint gateway_refunds_amount_check CHECK ((amount > 0)),
  constraint gateway_refunds_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255)))
);
CREATE INDEX gateway_refunds_order ON public.gateway_refunds USING btree (organization_id, order_id);
-- row-level security on, forced
create policy platform on gateway_refunds for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on gateway_refunds for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (status, told_at) on gateway_refunds to voelgoed_app;

create table history_cursors (
  organization_id uuid not null,
  event_id uuid not null,
  seq bigint not null,
  constraint history_cursors_pkey PRIMARY KEY (organization_id, event_id),
  constraint history_cursors_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id) ON DELETE CASCADE,
  constraint history_cursors_seq_check CHECK ((seq >= 0))
);
CREATE TRIGGER seq_goes_up AFTER UPDATE ON public.history_cursors FOR EACH ROW WHEN ((new.seq <= old.seq)) EXECUTE FUNCTION refuse_going_back();
-- row-level security on, forced
create policy platform on history_cursors for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on history_cursors for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (seq) on history_cursors to voelgoed_app;
grant select on history_cursors to voelgoed_platform;

create table hold_history (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  user_id uuid not null,
  ordinal integer,
  zone_index integer not null,
  quantity integer not null,
  status hold_status not null,
  created_at timestamp with time zone not null,
  held_until timestamp with time zone not null,
  cap_until timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  end_reason hold_end_reason not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  last_seq bigint not null,
  taken_by uuid,
  constraint hold_history_pkey PRIMARY KEY (organization_id, id),
  constraint hold_history_check CHECK (((ordinal IS NULL) OR (quantity = 1))),
  constraint hold_history_check1 CHECK ((held_until <= cap_until)),
  constraint hold_history_end_reason CHECK (
CASE status
    WHEN 'converted'::hold_status THEN ((end_reason)::text = 'converted'::text)
    WHEN 'expired'::hold_status THEN ((end_reason)::text = 'ttl_expired'::text)
    ELSE ((end_reason)::text = ANY (ARRAY['user_cancelled'::text, 'payment_failed'::text, 'admin_override'::text, 'event_cancelled'::text]))
END),
  constraint hold_history_quantity_check CHECK ((quantity > 0)),
  constraint hold_history_status_check CHECK ((status <> 'active'::hold_status))
);
CREATE INDEX hold_history_cart ON public.hold_history USING btree (organization_id, event_id, cart_token) WHERE (cart_token IS NOT NULL);
CREATE INDEX hold_history_seat ON public.hold_history USING btree (organization_id, event_id, ordinal, created_at) WHERE (ordinal IS NOT NULL);
CREATE INDEX hold_history_user ON public.hold_history USING btree (organization_id, user_id, id);
-- row-level security on, forced
create policy platform on hold_history for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on hold_history for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on hold_history to voelgoed_app;
grant select (organization_id, user_id) on hold_history to voelgoed_platform;

create table idempotency_keys (
  organization_id uuid not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  status integer not null,
  answer bytea not null,
  created_at timestamp with time zone not null default now(),
  is_sealed boolean not null default true,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, key_hash)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);
-- row-level security on, forced
create policy platform on idempotency_keys for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on idempotency_keys for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on idempotency_keys to voelgoed_app;
grant delete, insert, select, update on idempotency_keys to voelgoed_platform;

create table identity_providers (
  organization_id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret bytea not null,
  email_domains text[] not null,
  role_for_new user_role,
  is_strong boolean not null default false,
  password_sign_in boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint identity_providers_pkey PRIMARY KEY (organization_id),
  constraint identity_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint identity_providers_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 500))),
  constraint identity_providers_email_domains_check CHECK (((cardinality(email_domains) >= 1) AND (cardinality(email_domains) <= 20))),
  constraint identity_providers_issuer_check CHECK ((((length(issuer) >= 10) AND (length(issuer) <= 500)) AND (issuer ~ '^https?://'::text))),
  constraint identity_providers_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND (name !~ '[[:cntrl:]]'::text))),
  constraint identity_providers_role_for_new_check CHECK ((role_for_new = ANY (ARRAY['scanner'::user_role, 'support'::user_role, 'organizer'::user_role]))),
  constraint identity_providers_sealed_secret_check CHECK (((octet_length(sealed_secret) >= 29) AND (octet_length(sealed_secret) <= 1000)))
);
-- row-level security on, forced
create policy platform on identity_providers for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on identity_providers for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (client_id, email_domains, is_strong, issuer, name, password_sign_in, role_for_new, sealed_secret, updated_at) on identity_providers to voelgoed_app;

create table image_files (
  organization_id uuid not null,
  image_id uuid not null,
  name text not null,
  bytes bytea not null,
  constraint image_files_pkey PRIMARY KEY (organization_id, image_id, name),
  constraint image_files_organization_id_image_id_fkey FOREIGN KEY (organization_id, image_id) REFERENCES images(organization_id, id) ON DELETE CASCADE,
  constraint image_files_bytes_check CHECK (((length(bytes) >= 1) AND (length(bytes) <= 8388608))),
  constraint image_files_name_check CHECK ((name ~ '^[a-z0-9]{1,10}[.](webp|jpg|png)$'::text))
);
-- row-level security on, forced
create policy platform on image_files for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on image_files for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on image_files to voelgoed_app;

create table images (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  event_id uuid,
  hash text not null,
  width integer not null,
  height integer not null,
  colour text not null,
  widths integer[] not null,
  created_at timestamp with time zone not null default now(),
  upload_id uuid,
  plain text,
  constraint images_pkey PRIMARY KEY (organization_id, id),
  constraint images_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint images_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint images_check CHECK (((kind = 'event'::text) = (event_id IS NOT NULL))),
  constraint images_check1 CHECK (((kind <> 'upload'::text) OR (upload_id IS NULL))),
  constraint images_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text)),
  constraint images_hash_check CHECK ((hash ~ '^[A-Za-z0-9_-]{22}$'::text)),
  constraint images_height_check CHECK ((height > 0)),
  constraint images_kind_check CHECK ((kind = ANY (ARRAY['logo'::text, 'cover'::text, 'event'::text, 'upload'::text]))),
  constraint images_plain_check CHECK ((plain = ANY (ARRAY['plain.png'::text, 'plain.jpg'::text]))),
  constraint images_width_check CHECK ((width > 0)),
  constraint images_widths_check CHECK (((cardinality(widths) >= 1) AND (cardinality(widths) <= 8)))
);
CREATE INDEX images_hash ON public.images USING btree (organization_id, hash);
CREATE UNIQUE INDEX images_of_brand ON public.images USING btree (organization_id, kind) WHERE (kind = ANY (ARRAY['logo'::text, 'cover'::text]));
CREATE UNIQUE INDEX images_of_event ON public.images USING btree (organization_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX images_of_upload ON public.images USING btree (organization_id, upload_id) WHERE (upload_id IS NOT NULL);
CREATE INDEX images_uploads ON public.images USING btree (organization_id, created_at) WHERE (kind = 'upload'::text);
-- row-level security on, forced
create policy platform on images for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on images for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select on images to voelgoed_app;
grant delete, select (created_at, id, kind, organization_id) on images to voelgoed_platform;

create table installation (
  singleton boolean not null default true,
  root_key_hash bytea,
  created_at timestamp with time zone not null default now(),
  signing_key bytea not null default sha256(convert_to(((gen_random_uuid())::text || (gen_random_uuid())::text), 'UTF8'::name)),
  constraint installation_pkey PRIMARY KEY (singleton),
  constraint installation_singleton_check CHECK (singleton)
);
-- row-level security off
grant insert, select, update on installation to voelgoed_platform;

create table job_runs (
  name text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  succeeded_at timestamp with time zone,
  findings integer not null default 0,
  constraint job_runs_pkey PRIMARY KEY (name)
);
-- row-level security off
grant insert, select, update on job_runs to voelgoed_platform;

create table journal (
  organization_id uuid not null,
  event_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  at timestamp with time zone not null,
  first_command uuid not null,
  last_command uuid not null,
  by_staff boolean not null,
  encoding smallint not null,
  packed text not null,
  constraint journal_pkey PRIMARY KEY (organization_id, event_id, first_seq),
  constraint journal_check CHECK ((last_seq >= first_seq)),
  constraint journal_first_seq_check CHECK ((first_seq > 0))
);
CREATE INDEX journal_staff ON public.journal USING btree (organization_id, event_id, first_seq) WHERE by_staff;
CREATE TRIGGER continues_the_journal AFTER INSERT ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_journal_gap();
-- row-level security on, forced
create policy platform on journal for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on journal for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on journal to voelgoed_app;

create table layout_versions (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  status layout_status not null default 'draft'::layout_status,
  total_capacity integer not null,
  seat_count integer not null,
  drawing jsonb not null,
  created_at timestamp with time zone not null default now(),
  activated_at timestamp with time zone,
  archived_at timestamp with time zone,
  constraint layout_versions_pkey PRIMARY KEY (organization_id, layout_id, version),
  constraint layout_versions_organization_id_layout_id_fkey FOREIGN KEY (organization_id, layout_id) REFERENCES layouts(organization_id, id),
  constraint layout_versions_seat_count_check CHECK (((seat_count >= 0) AND (seat_count <= 250000))),
  constraint layout_versions_total_capacity_check CHECK ((total_capacity > 0)),
  constraint layout_versions_version_check CHECK ((version >= 1))
);
-- row-level security on, forced
create policy platform on layout_versions for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on layout_versions for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (activated_at, archived_at, status) on layout_versions to voelgoed_app;

create table layouts (
  organization_id uuid not null,
  id uuid not null,
  venue_id uuid not null,
  name text not null,
  latest_version integer not null,
  created_at timestamp with time zone not null default now(),
  description text,
  updated_at timestamp with time zone not null default now(),
  constraint layouts_pkey PRIMARY KEY (organization_id, id),
  constraint layouts_organization_id_venue_id_fkey FOREIGN KEY (organization_id, venue_id) REFERENCES venues(organization_id, id),
  constraint layouts_latest_version_check CHECK ((latest_version >= 1))
);
CREATE INDEX layouts_venue ON public.layouts USING btree (organization_id, venue_id);
-- row-level security on, forced
create policy platform on layouts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on layouts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (description, latest_version, name, updated_at) on layouts to voelgoed_app;

create table mails (
  organization_id uuid not null,
  id uuid not null,
  key text not null,
  kind text not null,
  recipient text not null,
  locale text,
  data jsonb not null,
  order_id uuid,
  user_id uuid,
  resend_of uuid,
  status text not null default 'queued'::text,
  attempts integer not null default 0,
  due_at timestamp with time zone not null default now(),
  lease_until timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint mails_key UNIQUE (organization_id, key),
  constraint mails_pkey PRIMARY KEY (organization_id, id),
  constraint mails_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint mails_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint mails_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id),
  constraint mails_attempts_check CHECK ((attempts >= 0)),
  constraint mails_check CHECK (((status = 'sending'::text) = (lease_until IS NOT NULL))),
  constraint mails_check1 CHECK (((status = ANY (ARRAY['queued'::text, 'sending'::text])) = (ended_at IS NULL))),
  constraint mails_check2 CHECK (((order_id IS NOT NULL) = (kind = ANY (ARRAY['order_paid'::text, 'order_refunded'::text, 'order_moved'::text])))),
  constraint mails_check3 CHECK (((user_id IS NOT NULL) = (kind = ANY (ARRAY['password_reset'::text, 'password_changed'::text, 'invitation'::text, 'address_confirmation'::text, 'membership_confirmation'::text])))),
  constraint mails_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
  constraint mails_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  constraint mails_kind_check CHECK ((kind = ANY (ARRAY['order_paid'::text, 'order_refunded'::text, 'order_moved'::text, 'password_reset'::text, 'password_changed'::text, 'invitation'::text, 'address_confirmation'::text, 'membership_confirmation'::text]))),
  constraint mails_last_error_check CHECK (((length(last_error) >= 1) AND (length(last_error) <= 100))),
  constraint mails_locale_check CHECK (((length(locale) >= 1) AND (length(locale) <= 200))),
  constraint mails_recipient_check CHECK ((((length(recipient) >= 3) AND (length(recipient) <= 254)) AND (recipient !~ '[[:cntrl:]]'::text))),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'kept'::text, 'dead'::text, 'unknown'::text])))
);
CREATE INDEX mails_due ON public.mails USING btree (due_at) WHERE (status = 'queued'::text);
CREATE INDEX mails_ended ON public.mails USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX mails_invitations ON public.mails USING btree (organization_id, created_at) WHERE (kind = 'invitation'::text);
CREATE INDEX mails_leased ON public.mails USING btree (lease_until) WHERE (status = 'sending'::text);
CREATE INDEX mails_order ON public.mails USING btree (organization_id, order_id, id) WHERE (order_id IS NOT NULL);
CREATE INDEX mails_status ON public.mails USING btree (organization_id, status, id);
CREATE INDEX mails_turn ON public.mails USING btree (organization_id, due_at) WHERE (status = 'queued'::text);
CREATE INDEX mails_urgent ON public.mails USING btree (organization_id, due_at) WHERE ((status = 'queued'::text) AND (kind = ANY (ARRAY['password_reset'::text, 'password_changed'::text])));
CREATE INDEX mails_user ON public.mails USING btree (organization_id, user_id, id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER status_moves BEFORE UPDATE ON public.mails FOR EACH ROW WHEN ((new.status <> old.status)) EXECUTE FUNCTION refuse_mail_move();
-- row-level security on, forced
create policy platform on mails for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on mails for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (attempts, due_at, ended_at, last_error, lease_until, status) on mails to voelgoed_app;
grant delete, select (attempts, due_at, ended_at, id, kind, lease_until, organization_id, status), update (attempts, due_at, ended_at, last_error, lease_until, status) on mails to voelgoed_platform;

create table node_reports (
  organization_id uuid not null,
  event_id uuid not null,
  request_id uuid not null,
  node_id uuid not null,
  reported_at timestamp with time zone not null default now(),
  epoch bigint,
  seq bigint,
  tip uuid,
  holds integer,
  digest text,
  constraint node_reports_pkey PRIMARY KEY (organization_id, request_id, node_id),
  constraint node_reports_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint node_reports_check CHECK ((((epoch IS NULL) = (seq IS NULL)) AND ((epoch IS NULL) = (holds IS NULL)) AND ((epoch IS NULL) = (digest IS NULL))))
);
CREATE INDEX node_reports_reported_at ON public.node_reports USING btree (reported_at);
-- row-level security on, forced
create policy platform on node_reports for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on node_reports for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select on node_reports to voelgoed_app;
grant delete, select on node_reports to voelgoed_platform;

create table nodes (
  id uuid not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  events_in_memory integer not null,
  bus text not null,
  redis text not null,
  constraint nodes_pkey PRIMARY KEY (id),
  constraint nodes_bus_check CHECK ((bus = ANY (ARRAY['redis'::text, 'postgres'::text, 'none'::text]))),
  constraint nodes_events_in_memory_check CHECK ((events_in_memory >= 0)),
  constraint nodes_redis_check CHECK ((redis = ANY (ARRAY['off'::text, 'closed'::text, 'half_open'::text, 'open'::text])))
);
-- row-level security off
grant delete, insert, select, update on nodes to voelgoed_platform;

create table occupancy_snapshots (
  organization_id uuid not null,
  event_id uuid not null,
  at timestamp with time zone not null,
  status event_status not null,
  available integer not null,
  held integer not null,
  sold integer not null,
  blocked integer not null,
  zones jsonb not null,
  constraint occupancy_snapshots_pkey PRIMARY KEY (organization_id, event_id, at),
  constraint occupancy_snapshots_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint occupancy_snapshots_available_check CHECK ((available >= 0)),
  constraint occupancy_snapshots_blocked_check CHECK ((blocked >= 0)),
  constraint occupancy_snapshots_held_check CHECK ((held >= 0)),
  constraint occupancy_snapshots_sold_check CHECK ((sold >= 0))
);
CREATE INDEX occupancy_snapshots_at ON public.occupancy_snapshots USING btree (at);
-- row-level security on, forced
create policy platform on occupancy_snapshots for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on occupancy_snapshots for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on occupancy_snapshots to voelgoed_app;
grant delete, select (at, event_id, organization_id, status) on occupancy_snapshots to voelgoed_platform;

create table order_lines (
  organization_id uuid not null,
  order_id uuid not null,
  ticket_id uuid not null,
  "position" integer not null,
  amount bigint,
  ticket_type text,
  refund_id uuid,
  attendee text,
  category text,
  constraint order_lines_pkey PRIMARY KEY (organization_id, order_id, "position"),
  constraint order_lines_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint order_lines_organization_id_refund_id_fkey FOREIGN KEY (organization_id, refund_id) REFERENCES refunds(organization_id, id),
  constraint order_lines_organization_id_ticket_id_fkey FOREIGN KEY (organization_id, ticket_id) REFERENCES tickets(organization_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint order_lines_amount_check CHECK ((amount >= 0)),
  constraint order_lines_attendee_check CHECK (((length(attendee) >= 1) AND (length(attendee) <= 200))),
  constraint order_lines_category_check CHECK (((length(category) >= 1) AND (length(category) <= 100))),
  constraint order_lines_position_check CHECK (("position" >= 0)),
  constraint order_lines_ticket_type_check CHECK (((length(ticket_type) >= 1) AND (length(ticket_type) <= 100)))
);
CREATE UNIQUE INDEX order_lines_ticket ON public.order_lines USING btree (organization_id, ticket_id);
CREATE TRIGGER refunded_once BEFORE UPDATE ON public.order_lines FOR EACH ROW WHEN ((old.refund_id IS NOT NULL)) EXECUTE FUNCTION refuse_second_refund();
CREATE TRIGGER ticket_moved BEFORE UPDATE ON public.order_lines FOR EACH ROW WHEN ((new.ticket_id <> old.ticket_id)) EXECUTE FUNCTION refuse_other_ticket();
-- row-level security on, forced
create policy platform on order_lines for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on order_lines for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (attendee, refund_id, ticket_id) on order_lines to voelgoed_app;

create table order_links (
  organization_id uuid not null,
  mail_id uuid not null,
  order_id uuid not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint order_links_pkey PRIMARY KEY (organization_id, mail_id),
  constraint order_links_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint order_links_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX order_links_order ON public.order_links USING btree (organization_id, order_id);
-- row-level security on, forced
create policy platform on order_links for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on order_links for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (secret_hash) on order_links to voelgoed_app;

create table orders (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  number text not null,
  user_id uuid not null,
  status order_status not null,
  currency text,
  total bigint,
  reference text,
  hold_ids uuid[] not null,
  contact_name text,
  contact_email text,
  contact_email_key text,
  secret_hash bytea not null,
  sold_by uuid,
  created_at timestamp with time zone not null default now(),
  channel sales_channel not null default 'page'::sales_channel,
  fees bigint,
  tax bigint,
  account_id uuid,
  constraint orders_pkey PRIMARY KEY (organization_id, id),
  constraint orders_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES users(organization_id, id),
  constraint orders_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint orders_organization_id_sold_by_fkey FOREIGN KEY (organization_id, sold_by) REFERENCES users(organization_id, id),
  constraint orders_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id),
  constraint orders_check CHECK (((currency IS NULL) = (total IS NULL))),
  constraint orders_check1 CHECK (((contact_email IS NULL) = (contact_email_key IS NULL))),
  constraint orders_contact_email_check CHECK (((length(contact_email) >= 3) AND (length(contact_email) <= 254))),
  constraint orders_contact_email_key_check CHECK (((length(contact_email_key) >= 3) AND (length(contact_email_key) <= 254))),
  constraint orders_contact_name_check CHECK (((length(contact_name) >= 1) AND (length(contact_name) <= 200))),
  constraint orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint orders_fees_check CHECK ((fees >= 0)),
  constraint orders_number_check CHECK (((length(number) >= 6) AND (length(number) <= 20))),
  constraint orders_parts CHECK ((((total IS NOT NULL) OR ((fees IS NULL) AND (tax IS NULL))) AND (COALESCE(fees, (0)::bigint) <= COALESCE(total, (0)::bigint)) AND (COALESCE(tax, (0)::bigint) <= COALESCE(total, (0)::bigint)))),
  constraint orders_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 200))),
  constraint orders_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
  constraint orders_tax_check CHECK ((tax >= 0)),
  constraint orders_total_check CHECK ((total >= 0))
);
alter table orders alter created_at set (n_distinct=1000);
CREATE INDEX orders_account ON public.orders USING btree (organization_id, account_id, id) WHERE (account_id IS NOT NULL);
CREATE INDEX orders_contact ON public.orders USING btree (organization_id, contact_email_key, id) WHERE (contact_email_key IS NOT NULL);
CREATE INDEX orders_created ON public.orders USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX orders_event ON public.orders USING btree (organization_id, event_id, id);
CREATE UNIQUE INDEX orders_number ON public.orders USING btree (organization_id, number);
CREATE INDEX orders_open ON public.orders USING btree (organization_id, user_id, event_id) WHERE (status = 'open'::order_status);
CREATE UNIQUE INDEX orders_reference ON public.orders USING btree (organization_id, reference) WHERE (reference IS NOT NULL);
CREATE INDEX orders_refundable ON public.orders USING btree (organization_id, event_id, id) WHERE (status = ANY (ARRAY['paid'::order_status, 'partly_refunded'::order_status]));
CREATE INDEX orders_user ON public.orders USING btree (organization_id, user_id, id);
CREATE TRIGGER status_moves BEFORE UPDATE ON public.orders FOR EACH ROW WHEN ((new.status <> old.status)) EXECUTE FUNCTION refuse_order_move();
-- row-level security on, forced
create policy platform on orders for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on orders for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (account_id, contact_email, contact_email_key, contact_name, status) on orders to voelgoed_app;
grant select (event_id, id, organization_id, status) on orders to voelgoed_platform;

create table organizations (
  id uuid not null,
  slug text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  time_zone text not null default 'UTC'::text,
  locale text not null default 'en'::text,
  currency text not null default 'ZAR'::text,
  suspended_at timestamp with time zone,
  stripe_account text,
  allowed_origins text[] not null default '{}'::text[],
  colour text,
  support_email text,
  staff_second_factor boolean not null default false,
  suspended_reason text,
  stripe_account_wanted text,
  constraint organizations_slug_key UNIQUE (slug),
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_allowed_origins_check CHECK ((cardinality(allowed_origins) <= 20)),
  constraint organizations_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text)),
  constraint organizations_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint organizations_slug_check CHECK ((slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  constraint organizations_stripe_account_check CHECK ((stripe_account ~ '^acct_[A-Za-z0-9]{1,100}$'::text)),
  constraint organizations_stripe_account_wanted_check CHECK ((stripe_account_wanted ~ '^acct_[A-Za-z0-9]{1,100}$'::text)),
  constraint organizations_support_email_check CHECK ((((length(support_email) >= 3) AND (length(support_email) <= 254)) AND (support_email !~ '[[:cntrl:]]'::text))),
  constraint organizations_suspended CHECK (((suspended_reason IS NULL) OR (suspended_at IS NOT NULL))),
  constraint organizations_suspended_reason_check CHECK (((length(suspended_reason) >= 1) AND (length(suspended_reason) <= 500)))
);
CREATE INDEX organizations_allowed_origins ON public.organizations USING gin (allowed_origins);
CREATE UNIQUE INDEX organizations_stripe_account ON public.organizations USING btree (stripe_account) WHERE (stripe_account IS NOT NULL);
-- row-level security on, forced
create policy platform on organizations for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on organizations for ALL to voelgoed_app using ((id = ( SELECT current_organization() AS current_organization))) with check ((id = ( SELECT current_organization() AS current_organization)));
grant select, update (allowed_origins, colour, currency, locale, name, staff_second_factor, stripe_account, stripe_account_wanted, support_email, time_zone) on organizations to voelgoed_app;
grant insert, select, update (name, stripe_account, stripe_account_wanted, suspended_at, suspended_reason) on organizations to voelgoed_platform;

create table password_resets (
  organization_id uuid not null,
  mail_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint password_resets_token UNIQUE (organization_id, token_hash),
  constraint password_resets_pkey PRIMARY KEY (organization_id, mail_id),
  constraint password_resets_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE,
  constraint password_resets_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX password_resets_expired ON public.password_resets USING btree (expires_at);
CREATE INDEX password_resets_user ON public.password_resets USING btree (organization_id, user_id) WHERE (ended_at IS NULL);
CREATE TRIGGER ended_stays_ended BEFORE UPDATE ON public.password_resets FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION refuse_second_reset();
-- row-level security on, forced
create policy platform on password_resets for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on password_resets for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (ended_at, expires_at, token_hash) on password_resets to voelgoed_app;
grant delete, select (expires_at, mail_id, organization_id) on password_resets to voelgoed_platform;

create table payments (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  method payment_method not null,
  status payment_status not null,
  amount bigint,
  refunded_amount bigint not null default 0,
  recorded_by uuid,
  created_at timestamp with time zone not null default now(),
  gateway text,
  intent_id text,
  waits_for_buyer boolean not null default false,
  decline_code text,
  sent_at timestamp with time zone,
  look_at timestamp with time zone,
  looks integer not null default 0,
  account text,
  constraint payments_pkey PRIMARY KEY (organization_id, id),
  constraint payments_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint payments_organization_id_recorded_by_fkey FOREIGN KEY (organization_id, recorded_by) REFERENCES users(organization_id, id),
  constraint payments_account_check CHECK (((length(account) >= 1) AND (length(account) <= 255))),
  constraint payments_amount_check CHECK ((amount >= 0)),
  constraint payments_check CHECK ((refunded_amount <= COALESCE(amount, (0)::bigint))),
  constraint payments_complimentary CHECK (((method <> 'complimentary'::payment_method) OR (COALESCE(amount, (0)::bigint) = 0))),
  constraint payments_decline_code_check CHECK (((length(decline_code) >= 1) AND (length(decline_code) <= 100))),
  constraint payments_gateway CHECK (((method = 'gateway'::payment_method) = (gateway IS NOT NULL))),
  constraint payments_gateway_check CHECK ((gateway = ANY (ARRAY['simulator'::text, 'stripe'::text, 'none'::text]))),
  constraint payments_intent_id_check CHECK (((length(intent_id) >= 1) AND (length(intent_id) <= 255))),
  constraint payments_looks_check CHECK ((looks >= 0)),
  constraint payments_recorded CHECK (((method = 'gateway'::payment_method) OR (recorded_by IS NOT NULL))),
  constraint payments_refunded_amount_check CHECK ((refunded_amount >= 0))
);
CREATE INDEX payments_intent ON public.payments USING btree (intent_id) WHERE (intent_id IS NOT NULL);
CREATE INDEX payments_look ON public.payments USING btree (look_at) WHERE (look_at IS NOT NULL);
CREATE UNIQUE INDEX payments_order ON public.payments USING btree (organization_id, order_id);
CREATE TRIGGER status_moves BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION refuse_payment_move();
-- row-level security on, forced
create policy platform on payments for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on payments for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (decline_code, intent_id, look_at, looks, refunded_amount, sent_at, status, waits_for_buyer) on payments to voelgoed_app;
grant select (created_at, gateway, id, intent_id, look_at, looks, order_id, organization_id, sent_at, status, waits_for_buyer), update (look_at, looks) on payments to voelgoed_platform;

create table place_guests (
  organization_id uuid not null,
  event_id uuid not null,
  hold_id uuid not null,
  place integer not null,
  email_key text not null,
  user_id uuid,
  named_by uuid not null,
  named_at timestamp with time zone not null default now(),
  is_sold boolean not null default false,
  constraint place_guests_pkey PRIMARY KEY (organization_id, hold_id, place),
  constraint place_guests_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint place_guests_email_key_check CHECK (((length(email_key) >= 3) AND (length(email_key) <= 254))),
  constraint place_guests_place_check CHECK ((place >= 0))
);
CREATE INDEX place_guests_named ON public.place_guests USING btree (named_at) WHERE (NOT is_sold);
CREATE UNIQUE INDEX place_guests_once ON public.place_guests USING btree (organization_id, event_id, email_key);
-- row-level security on, forced
create policy platform on place_guests for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on place_guests for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select on place_guests to voelgoed_app;
grant delete, select (hold_id, is_sold, named_at, organization_id, place), update (is_sold) on place_guests to voelgoed_platform;

create table place_holds (
  organization_id uuid not null,
  hold_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  user_id uuid not null,
  quantity integer not null,
  status seat_status not null,
  created_at timestamp with time zone not null,
  held_until timestamp with time zone not null,
  cap_until timestamp with time zone not null,
  checkout_id uuid,
  cart_token text,
  source text not null,
  ip text,
  last_seq bigint not null,
  taken_by uuid,
  constraint place_holds_pkey PRIMARY KEY (organization_id, hold_id),
  constraint place_holds_check CHECK ((held_until <= cap_until)),
  constraint place_holds_quantity_check CHECK ((quantity > 0)),
  constraint place_holds_status_check CHECK ((status = ANY (ARRAY['held'::seat_status, 'sold'::seat_status])))
);
CREATE INDEX place_holds_cart ON public.place_holds USING btree (organization_id, event_id, cart_token) WHERE ((status = 'held'::seat_status) AND (cart_token IS NOT NULL));
CREATE INDEX place_holds_event ON public.place_holds USING btree (organization_id, event_id) WHERE (status = 'held'::seat_status);
CREATE INDEX place_holds_user ON public.place_holds USING btree (organization_id, user_id) WHERE (status = 'held'::seat_status);
CREATE TRIGGER hold_goes_on AFTER UPDATE ON public.place_holds FOR EACH ROW WHEN (((new.held_until < old.held_until) OR (new.last_seq <= old.last_seq) OR (new.quantity > old.quantity) OR ((new.quantity <> old.quantity) AND (new.status = 'sold'::seat_status)) OR (((((((new.hold_id IS DISTINCT FROM old.hold_id) OR (new.event_id IS DISTINCT FROM old.event_id)) OR (new.zone_index IS DISTINCT FROM old.zone_index)) OR (new.created_at IS DISTINCT FROM old.created_at)) OR (new.cart_token IS DISTINCT FROM old.cart_token)) OR (new.source IS DISTINCT FROM old.source)) OR (new.ip IS DISTINCT FROM old.ip)))) EXECUTE FUNCTION refuse_going_back();
CREATE TRIGGER note_former_holder AFTER UPDATE ON public.place_holds FOR EACH ROW WHEN ((new.user_id <> old.user_id)) EXECUTE FUNCTION note_former_holder();
CREATE TRIGGER sold_stays_sold BEFORE DELETE OR UPDATE ON public.place_holds FOR EACH ROW WHEN ((old.status = 'sold'::seat_status)) EXECUTE FUNCTION refuse_unselling_places();
-- row-level security on, forced
create policy platform on place_holds for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on place_holds for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (cap_until, checkout_id, held_until, last_seq, quantity, status, taken_by, user_id) on place_holds to voelgoed_app;
grant select (hold_id, organization_id, status, user_id) on place_holds to voelgoed_platform;

create table provider_sign_ins (
  organization_id uuid not null,
  state_hash bytea not null,
  browser_hash bytea not null,
  issuer text not null,
  client_id text not null,
  nonce text not null,
  code_verifier text not null,
  redirect_uri text not null,
  expires_at timestamp with time zone not null,
  taken_at timestamp with time zone,
  user_id uuid,
  constraint provider_sign_ins_pkey PRIMARY KEY (organization_id, state_hash),
  constraint provider_sign_ins_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint provider_sign_ins_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE,
  constraint provider_sign_ins_browser_hash_check CHECK ((octet_length(browser_hash) = 32)),
  constraint provider_sign_ins_state_hash_check CHECK ((octet_length(state_hash) = 32))
);
CREATE INDEX provider_sign_ins_expire ON public.provider_sign_ins USING btree (expires_at);
-- row-level security on, forced
create policy platform on provider_sign_ins for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on provider_sign_ins for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (taken_at, user_id) on provider_sign_ins to voelgoed_app;
grant delete, select on provider_sign_ins to voelgoed_platform;

create table recovery_codes (
  organization_id uuid not null,
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (organization_id, user_id, code_hash),
  constraint recovery_codes_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES second_factors(organization_id, user_id) ON DELETE CASCADE,
  constraint recovery_codes_code_hash_check CHECK ((octet_length(code_hash) = 32))
);
-- row-level security on, forced
create policy platform on recovery_codes for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on recovery_codes for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (used_at) on recovery_codes to voelgoed_app;

create table refund_failures (
  organization_id uuid not null,
  order_id uuid not null,
  reason text not null,
  attempts integer not null default 1,
  again_at timestamp with time zone,
  failed_at timestamp with time zone not null default now(),
  constraint refund_failures_pkey PRIMARY KEY (organization_id, order_id),
  constraint refund_failures_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint refund_failures_attempts_check CHECK ((attempts >= 1)),
  constraint refund_failures_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 100)))
);
-- row-level security on, forced
create policy platform on refund_failures for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on refund_failures for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (again_at, attempts, failed_at, reason) on refund_failures to voelgoed_app;
grant select (again_at, order_id, organization_id) on refund_failures to voelgoed_platform;

create table refund_runs (
  organization_id uuid not null,
  event_id uuid not null,
  status text not null,
  started_by uuid not null,
  started_at timestamp with time zone not null default now(),
  moved_at timestamp with time zone not null default now(),
  visited_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint refund_runs_pkey PRIMARY KEY (organization_id, event_id),
  constraint refund_runs_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint refund_runs_organization_id_started_by_fkey FOREIGN KEY (organization_id, started_by) REFERENCES users(organization_id, id),
  constraint refund_runs_check CHECK (((status = 'running'::text) = (ended_at IS NULL))),
  constraint refund_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'stopped'::text, 'done'::text])))
);
CREATE INDEX refund_runs_running ON public.refund_runs USING btree (visited_at) WHERE (status = 'running'::text);
-- row-level security on, forced
create policy platform on refund_runs for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on refund_runs for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (ended_at, moved_at, started_at, started_by, status) on refund_runs to voelgoed_app;
grant select (event_id, moved_at, organization_id, status, visited_at), update (visited_at) on refund_runs to voelgoed_platform;

create table refunds (
  organization_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount bigint,
  reason text not null,
  recorded_by uuid,
  created_at timestamp with time zone not null default now(),
  status refund_status not null default 'done'::refund_status,
  key text,
  failures integer not null default 0,
  look_at timestamp with time zone,
  looks integer not null default 0,
  cause text not null default 'staff'::text,
  told text,
  asked bigint,
  tried_since timestamp with time zone not null default now(),
  by_hand boolean not null default false,
  constraint refunds_pkey PRIMARY KEY (organization_id, id),
  constraint refunds_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint refunds_organization_id_payment_id_fkey FOREIGN KEY (organization_id, payment_id) REFERENCES payments(organization_id, id),
  constraint refunds_organization_id_recorded_by_fkey FOREIGN KEY (organization_id, recorded_by) REFERENCES users(organization_id, id),
  constraint refunds_amount_check CHECK ((amount >= 0)),
  constraint refunds_cause_check CHECK ((cause = ANY (ARRAY['staff'::text, 'late_money'::text, 'event_cancelled'::text]))),
  constraint refunds_check CHECK (((asked >= 0) AND (asked < amount))),
  constraint refunds_failures_check CHECK ((failures >= 0)),
  constraint refunds_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint refunds_looks_check CHECK ((looks >= 0)),
  constraint refunds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint refunds_recorded CHECK (((key IS NOT NULL) OR (recorded_by IS NOT NULL))),
  constraint refunds_told_check CHECK (((length(told) >= 1) AND (length(told) <= 100)))
);
CREATE UNIQUE INDEX refunds_key ON public.refunds USING btree (organization_id, key) WHERE (key IS NOT NULL);
CREATE INDEX refunds_look ON public.refunds USING btree (look_at) WHERE (look_at IS NOT NULL);
CREATE INDEX refunds_not_done ON public.refunds USING btree (organization_id) WHERE (status <> 'done'::refund_status);
CREATE INDEX refunds_order ON public.refunds USING btree (organization_id, order_id);
CREATE INDEX refunds_unasked ON public.refunds USING btree (organization_id) WHERE ((status = 'pending'::refund_status) AND (cause = 'event_cancelled'::text));
CREATE TRIGGER done_stays_done BEFORE UPDATE ON public.refunds FOR EACH ROW WHEN (((old.status = 'done'::refund_status) AND (new.status <> 'done'::refund_status) AND (NOT ((new.status = 'failed'::refund_status) AND (old.key IS NOT NULL) AND (NOT old.by_hand) AND (new.failures = (old.failures + 1)))))) EXECUTE FUNCTION refuse_refund_move();
CREATE TRIGGER lowered_by_what_went_outside BEFORE UPDATE ON public.refunds FOR EACH ROW WHEN (((new.amount IS DISTINCT FROM old.amount) AND (NOT COALESCE(((old.status = 'done'::refund_status) AND (new.status = 'done'::refund_status) AND (NOT old.by_hand) AND (new.amount < old.amount) AND (new.amount >= old.asked)), false)))) EXECUTE FUNCTION refuse_refund_amount();
-- row-level security on, forced
create policy platform on refunds for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on refunds for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (amount, asked, by_hand, failures, look_at, looks, status, told, tried_since) on refunds to voelgoed_app;
grant select (created_at, id, key, look_at, looks, order_id, organization_id, status, told, tried_since), update (look_at, looks) on refunds to voelgoed_platform;

create table refused_attempt_counts (
  organization_id uuid not null,
  user_id uuid not null,
  minute timestamp with time zone not null,
  event_id uuid not null,
  code text not null,
  attempts integer not null,
  ip inet,
  user_agent text,
  constraint refused_attempt_counts_pkey PRIMARY KEY (organization_id, user_id, minute, event_id, code),
  constraint refused_attempt_counts_attempts_check CHECK ((attempts > 0))
);
CREATE INDEX refused_attempt_counts_age ON public.refused_attempt_counts USING btree (minute);
CREATE INDEX refused_attempt_counts_event ON public.refused_attempt_counts USING btree (organization_id, event_id, minute DESC);
-- row-level security on, forced
create policy platform on refused_attempt_counts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on refused_attempt_counts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant select on refused_attempt_counts to voelgoed_app;
grant delete, insert, select, update on refused_attempt_counts to voelgoed_platform;

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);
-- row-level security off

create table seat_blocks (
  organization_id uuid not null,
  event_id uuid not null,
  seat_id uuid not null,
  by_overlay boolean not null default false,
  by_hand boolean not null default false,
  constraint seat_blocks_pkey PRIMARY KEY (organization_id, event_id, seat_id),
  constraint seat_blocks_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint seat_blocks_check CHECK ((by_overlay OR by_hand))
);
-- row-level security on, forced
create policy platform on seat_blocks for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on seat_blocks for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on seat_blocks to voelgoed_app;

create table seat_groups (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  group_id uuid not null,
  "position" integer not null,
  group_type seat_group_type not null,
  name text,
  ordinals integer[] not null,
  metadata jsonb not null,
  constraint seat_groups_pkey PRIMARY KEY (organization_id, layout_id, version, group_id),
  constraint seat_groups_organization_id_layout_id_version_fkey FOREIGN KEY (organization_id, layout_id, version) REFERENCES layout_versions(organization_id, layout_id, version),
  constraint seat_groups_ordinals_check CHECK ((cardinality(ordinals) > 0))
);
-- row-level security on, forced
create policy platform on seat_groups for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on seat_groups for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on seat_groups to voelgoed_app;

create table seating_policies (
  organization_id uuid not null,
  policy jsonb not null,
  updated_at timestamp with time zone not null default now(),
  revision integer not null default 1,
  constraint seating_policies_pkey PRIMARY KEY (organization_id),
  constraint seating_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
-- row-level security on, forced
create policy platform on seating_policies for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on seating_policies for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on seating_policies to voelgoed_app;

create table seats (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  ordinal integer not null,
  seat_id uuid not null,
  zone_id uuid not null,
  label text not null,
  row_label text not null,
  number text not null,
  category seat_category not null,
  price_category text,
  x double precision not null,
  y double precision not null,
  companion_ordinal integer,
  aisle_after boolean,
  constraint seats_organization_id_layout_id_version_seat_id_key UNIQUE (organization_id, layout_id, version, seat_id),
  constraint seats_pkey PRIMARY KEY (organization_id, layout_id, version, ordinal),
  constraint seats_ordinal_check CHECK ((ordinal >= 0))
);
-- row-level security on, forced
create policy platform on seats for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on seats for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on seats to voelgoed_app;

create table second_factors (
  organization_id uuid not null,
  user_id uuid not null,
  sealed_secret bytea not null,
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0,
  failures integer not null default 0,
  window_ends_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  constraint second_factors_pkey PRIMARY KEY (organization_id, user_id),
  constraint second_factors_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE,
  constraint second_factors_failures_check CHECK ((failures >= 0)),
  constraint second_factors_sealed_secret_check CHECK (((octet_length(sealed_secret) >= 29) AND (octet_length(sealed_secret) <= 200)))
);
CREATE TRIGGER steps_go_on BEFORE UPDATE ON public.second_factors FOR EACH ROW WHEN (((new.last_step < old.last_step) AND (new.sealed_secret = old.sealed_secret))) EXECUTE FUNCTION refuse_older_step();
-- row-level security on, forced
create policy platform on second_factors for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on second_factors for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (confirmed_at, created_at, failures, last_step, sealed_secret, window_ends_at) on second_factors to voelgoed_app;

create table sessions (
  organization_id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  id uuid not null default gen_random_uuid(),
  ip inet,
  user_agent text,
  last_seen_at timestamp with time zone,
  by_provider boolean not null default false,
  constraint sessions_pkey PRIMARY KEY (organization_id, token_hash),
  constraint sessions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE,
  constraint sessions_user_agent_check CHECK ((length(user_agent) <= 500))
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (organization_id, user_id);
-- row-level security on, forced
create policy platform on sessions for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on sessions for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select on sessions to voelgoed_app;
grant delete, select, update (last_seen_at) on sessions to voelgoed_platform;

create table sign_in_address_failures (
  organization_id uuid not null,
  subject_hash bytea not null,
  address_key text not null,
  failures integer not null,
  window_ends_at timestamp with time zone not null,
  constraint sign_in_address_failures_pkey PRIMARY KEY (organization_id, subject_hash, address_key),
  constraint sign_in_address_failures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX sign_in_address_failures_expiry ON public.sign_in_address_failures USING btree (window_ends_at);
-- row-level security on, forced
create policy platform on sign_in_address_failures for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on sign_in_address_failures for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on sign_in_address_failures to voelgoed_app;
grant delete, select on sign_in_address_failures to voelgoed_platform;

create table sign_in_addresses (
  organization_id uuid not null,
  subject_hash bytea not null,
  address_key text not null,
  last_at timestamp with time zone not null default now(),
  constraint sign_in_addresses_pkey PRIMARY KEY (organization_id, subject_hash, address_key),
  constraint sign_in_addresses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX sign_in_addresses_age ON public.sign_in_addresses USING btree (last_at);
-- row-level security on, forced
create policy platform on sign_in_addresses for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on sign_in_addresses for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on sign_in_addresses to voelgoed_app;
grant delete, select on sign_in_addresses to voelgoed_platform;

create table sign_in_failures (
  organization_id uuid not null,
  subject_hash bytea not null,
  failures integer not null,
  window_ends_at timestamp with time zone not null,
  next_try_at timestamp with time zone not null default now(),
  constraint sign_in_failures_pkey PRIMARY KEY (organization_id, subject_hash),
  constraint sign_in_failures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX sign_in_failures_expiry ON public.sign_in_failures USING btree (window_ends_at);
-- row-level security on, forced
create policy platform on sign_in_failures for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on sign_in_failures for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update on sign_in_failures to voelgoed_app;
grant delete, select on sign_in_failures to voelgoed_platform;

create table simulated_intents (
  organization_id uuid not null,
  id uuid not null,
  order_key text not null,
  amount bigint not null,
  currency text not null,
  status text not null,
  decline_code text,
  due_at timestamp with time zone,
  is_disputed boolean not null default false,
  return_url text not null,
  metadata jsonb not null,
  refunded bigint not null default 0,
  created_at timestamp with time zone not null,
  captured_at timestamp with time zone,
  constraint simulated_intents_organization_id_order_key_key UNIQUE (organization_id, order_key),
  constraint simulated_intents_pkey PRIMARY KEY (organization_id, id),
  constraint simulated_intents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint simulated_intents_amount_check CHECK ((amount > 0)),
  constraint simulated_intents_check CHECK (((status = 'declined'::text) = (decline_code IS NOT NULL))),
  constraint simulated_intents_check1 CHECK (((status = ANY (ARRAY['needs_step'::text, 'pending'::text])) = (due_at IS NOT NULL))),
  constraint simulated_intents_check2 CHECK (((refunded >= 0) AND (refunded <= amount))),
  constraint simulated_intents_check3 CHECK (((status = 'captured'::text) = (captured_at IS NOT NULL))),
  constraint simulated_intents_check4 CHECK (((refunded = 0) OR (status = 'captured'::text))),
  constraint simulated_intents_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint simulated_intents_order_key_check CHECK (((length(order_key) >= 1) AND (length(order_key) <= 255))),
  constraint simulated_intents_return_url_check CHECK (((length(return_url) >= 1) AND (length(return_url) <= 2000))),
  constraint simulated_intents_status_check CHECK ((status = ANY (ARRAY['declined'::text, 'needs_step'::text, 'pending'::text, 'captured'::text])))
);
CREATE INDEX simulated_intents_due ON public.simulated_intents USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE TRIGGER captured_stays_captured BEFORE UPDATE ON public.simulated_intents FOR EACH ROW WHEN (((old.status = 'captured'::text) AND ((new.status <> 'captured'::text) OR (new.captured_at <> old.captured_at) OR (new.refunded < old.refunded)))) EXECUTE FUNCTION refuse_uncapturing();
-- row-level security on, forced
create policy platform on simulated_intents for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on simulated_intents for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (captured_at, decline_code, due_at, is_disputed, refunded, return_url, status) on simulated_intents to voelgoed_app;
grant select (due_at, id, organization_id) on simulated_intents to voelgoed_platform;

create table simulated_refunds (
  organization_id uuid not null,
  key text not null,
  id uuid not null,
  intent_id uuid not null,
  amount bigint not null,
  created_at timestamp with time zone not null,
  constraint simulated_refunds_pkey PRIMARY KEY (organization_id, key),
  constraint simulated_refunds_organization_id_intent_id_fkey FOREIGN KEY (organization_id, intent_id) REFERENCES simulated_intents(organization_id, id),
  constraint simulated_refunds_amount_check CHECK ((amount > 0)),
  constraint simulated_refunds_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
-- row-level security on, forced
create policy platform on simulated_refunds for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on simulated_refunds for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on simulated_refunds to voelgoed_app;

create table simulated_webhooks (
  organization_id uuid not null,
  id uuid not null,
  body text not null,
  state text not null,
  attempts integer not null default 0,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint simulated_webhooks_pkey PRIMARY KEY (organization_id, id),
  constraint simulated_webhooks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint simulated_webhooks_attempts_check CHECK ((attempts >= 0)),
  constraint simulated_webhooks_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'given_up'::text])))
);
CREATE INDEX simulated_webhooks_done ON public.simulated_webhooks USING btree (created_at) WHERE (state <> 'waiting'::text);
CREATE INDEX simulated_webhooks_due ON public.simulated_webhooks USING btree (due_at) WHERE (state = 'waiting'::text);
CREATE INDEX simulated_webhooks_waiting ON public.simulated_webhooks USING btree (organization_id) WHERE (state = 'waiting'::text);
-- row-level security on, forced
create policy platform on simulated_webhooks for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on simulated_webhooks for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on simulated_webhooks to voelgoed_app;
grant delete, select, update (attempts, due_at, state) on simulated_webhooks to voelgoed_platform;

create table ticket_keys (
  organization_id uuid not null,
  id uuid not null,
  public_key bytea not null,
  sealed_private_key bytea not null,
  created_at timestamp with time zone not null default now(),
  replaced_at timestamp with time zone,
  retired_at timestamp with time zone,
  constraint ticket_keys_pkey PRIMARY KEY (organization_id, id),
  constraint ticket_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint ticket_keys_check CHECK (((retired_at IS NULL) OR (replaced_at IS NOT NULL))),
  constraint ticket_keys_public_key_check CHECK ((octet_length(public_key) = 44)),
  constraint ticket_keys_sealed_private_key_check CHECK (((octet_length(sealed_private_key) >= 29) AND (octet_length(sealed_private_key) <= 200)))
);
CREATE UNIQUE INDEX ticket_keys_signing ON public.ticket_keys USING btree (organization_id) WHERE (replaced_at IS NULL);
CREATE TRIGGER replaced_stays_replaced BEFORE UPDATE ON public.ticket_keys FOR EACH ROW WHEN ((((old.replaced_at IS NOT NULL) AND (new.replaced_at IS DISTINCT FROM old.replaced_at)) OR ((old.retired_at IS NOT NULL) AND (new.retired_at IS DISTINCT FROM old.retired_at)))) EXECUTE FUNCTION refuse_reviving_ticket_keys();
-- row-level security on, forced
create policy platform on ticket_keys for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on ticket_keys for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (replaced_at, retired_at) on ticket_keys to voelgoed_app;

create table ticket_moves (
  organization_id uuid not null,
  from_ticket_id uuid not null,
  to_ticket_id uuid not null,
  order_id uuid not null,
  moved_by uuid not null,
  moved_at timestamp with time zone not null default now(),
  constraint ticket_moves_to UNIQUE (organization_id, to_ticket_id),
  constraint ticket_moves_pkey PRIMARY KEY (organization_id, from_ticket_id),
  constraint ticket_moves_organization_id_from_ticket_id_fkey FOREIGN KEY (organization_id, from_ticket_id) REFERENCES tickets(organization_id, id),
  constraint ticket_moves_organization_id_moved_by_fkey FOREIGN KEY (organization_id, moved_by) REFERENCES users(organization_id, id),
  constraint ticket_moves_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES orders(organization_id, id),
  constraint ticket_moves_organization_id_to_ticket_id_fkey FOREIGN KEY (organization_id, to_ticket_id) REFERENCES tickets(organization_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint ticket_moves_check CHECK ((from_ticket_id <> to_ticket_id))
);
CREATE INDEX ticket_moves_order ON public.ticket_moves USING btree (organization_id, order_id);
-- row-level security on, forced
create policy platform on ticket_moves for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on ticket_moves for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on ticket_moves to voelgoed_app;

create table tickets (
  organization_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  hold_id uuid not null,
  user_id uuid not null,
  ordinal integer,
  seat_id uuid,
  zone_index integer not null,
  checkout_id uuid not null,
  created_at timestamp with time zone not null,
  voided_at timestamp with time zone,
  version integer not null default 1,
  reissued_at timestamp with time zone,
  constraint tickets_pkey PRIMARY KEY (organization_id, id),
  constraint tickets_check CHECK (((ordinal IS NULL) = (seat_id IS NULL))),
  constraint tickets_version_check CHECK ((version > 0))
);
alter table tickets alter created_at set (n_distinct=1000);
CREATE INDEX tickets_event ON public.tickets USING btree (organization_id, event_id, created_at, id);
CREATE INDEX tickets_hold ON public.tickets USING btree (organization_id, hold_id);
CREATE INDEX tickets_order ON public.tickets USING btree (organization_id, checkout_id);
CREATE INDEX tickets_owner ON public.tickets USING btree (organization_id, event_id, user_id);
CREATE INDEX tickets_reissued ON public.tickets USING btree (organization_id, event_id, reissued_at, id) WHERE (reissued_at IS NOT NULL);
CREATE UNIQUE INDEX tickets_valid_seat ON public.tickets USING btree (organization_id, event_id, ordinal) WHERE ((ordinal IS NOT NULL) AND (voided_at IS NULL));
CREATE UNIQUE INDEX tickets_valid_seat_id ON public.tickets USING btree (organization_id, event_id, seat_id) WHERE ((seat_id IS NOT NULL) AND (voided_at IS NULL));
CREATE INDEX tickets_void ON public.tickets USING btree (organization_id, event_id, voided_at, id) WHERE (voided_at IS NOT NULL);
CREATE TRIGGER note_reissue BEFORE UPDATE ON public.tickets FOR EACH ROW WHEN ((new.version <> old.version)) EXECUTE FUNCTION note_reissue();
CREATE TRIGGER ticket_has_its_hold AFTER INSERT ON public.tickets FOR EACH ROW WHEN ((new.ordinal IS NOT NULL)) EXECUTE FUNCTION refuse_ticket_without_hold();
CREATE TRIGGER tickets_have_their_places AFTER INSERT ON public.tickets REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_tickets_without_places();
CREATE TRIGGER void_stays_void BEFORE UPDATE ON public.tickets FOR EACH ROW WHEN (((old.voided_at IS NOT NULL) OR (new.version <> (old.version +
        CASE
            WHEN (new.voided_at IS NULL) THEN 1
            ELSE 0
        END)))) EXECUTE FUNCTION refuse_changing_tickets();
-- row-level security on, forced
create policy platform on tickets for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on tickets for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (version, voided_at) on tickets to voelgoed_app;

create table users (
  organization_id uuid not null,
  id uuid not null,
  email text,
  role user_role not null,
  membership_tier text,
  membership_status membership_status,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  held_before boolean not null default false,
  disabled_at timestamp with time zone,
  email_key text default lower(email),
  email_proven_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (organization_id, id),
  constraint users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint users_check CHECK (((membership_tier IS NULL) = (membership_status IS NULL))),
  constraint users_proof CHECK (((email_proven_at IS NULL) OR (email IS NOT NULL)))
);
CREATE INDEX users_by_email ON public.users USING btree (organization_id, email_key) WHERE (email_key IS NOT NULL);
CREATE UNIQUE INDEX users_email ON public.users USING btree (organization_id, lower(email));
CREATE INDEX users_guests ON public.users USING btree (created_at, organization_id, id) WHERE (email IS NULL);
CREATE INDEX users_staff ON public.users USING btree (organization_id, email_key) WHERE ((role <> 'customer'::user_role) AND (email_key IS NOT NULL));
CREATE TRIGGER proof_of_one_address BEFORE UPDATE ON public.users FOR EACH ROW WHEN ((new.email IS DISTINCT FROM old.email)) EXECUTE FUNCTION end_address_proof();
-- row-level security on, forced
create policy keep on users for DELETE to voelgoed_platform using (((email IS NULL) AND (created_at < (now() - '1 day'::interval)))) with check (-);
create policy platform on users for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on users for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on users to voelgoed_app;
grant delete, insert, select, update on users to voelgoed_platform;

create table venues (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  time_zone text,
  address text,
  constraint venues_pkey PRIMARY KEY (organization_id, id),
  constraint venues_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
-- row-level security on, forced
create policy platform on venues for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on venues for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (address, name, time_zone) on venues to voelgoed_app;

create table whitelist_entries (
  organization_id uuid not null,
  event_id uuid not null,
  id uuid not null,
  email_key text not null,
  note text,
  added_by uuid not null,
  added_at timestamp with time zone not null default now(),
  constraint whitelist_entries_organization_id_event_id_id_key UNIQUE (organization_id, event_id, id),
  constraint whitelist_entries_pkey PRIMARY KEY (organization_id, event_id, email_key),
  constraint whitelist_entries_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint whitelist_entries_email_key_check CHECK (((length(email_key) >= 3) AND (length(email_key) <= 254))),
  constraint whitelist_entries_note_check CHECK (((length(note) >= 1) AND (length(note) <= 200)))
);
-- row-level security on, forced
create policy platform on whitelist_entries for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on whitelist_entries for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant delete, insert, select, update (note) on whitelist_entries to voelgoed_app;

create table zone_counts (
  organization_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  zone_id uuid not null,
  capacity integer not null,
  held integer not null default 0,
  sold integer not null default 0,
  blocked integer not null default 0,
  companions_released boolean not null default false,
  constraint zone_counts_pkey PRIMARY KEY (organization_id, event_id, zone_index),
  constraint zone_counts_blocked_check CHECK ((blocked >= 0)),
  constraint zone_counts_capacity_check CHECK ((capacity > 0)),
  constraint zone_counts_check CHECK ((((held + sold) + blocked) <= capacity)),
  constraint zone_counts_held_check CHECK ((held >= 0)),
  constraint zone_counts_sold_check CHECK ((sold >= 0))
);
CREATE TRIGGER released_stays_released BEFORE UPDATE ON public.zone_counts FOR EACH ROW WHEN ((old.companions_released AND (NOT new.companions_released))) EXECUTE FUNCTION refuse_keeping_again();
-- row-level security on, forced
create policy platform on zone_counts for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on zone_counts for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update on zone_counts to voelgoed_app;

create table zone_days (
  organization_id uuid not null,
  event_id uuid not null,
  zone_index integer not null,
  day date not null,
  inside integer not null default 0,
  places_given integer not null default 0,
  constraint zone_days_pkey PRIMARY KEY (organization_id, event_id, zone_index, day),
  constraint zone_days_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES events(organization_id, id),
  constraint zone_days_inside_check CHECK ((inside >= 0)),
  constraint zone_days_places_given_check CHECK ((places_given >= 0))
);
-- row-level security on, forced
create policy platform on zone_days for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on zone_days for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select, update (inside, places_given) on zone_days to voelgoed_app;

create table zones (
  organization_id uuid not null,
  layout_id uuid not null,
  version integer not null,
  zone_id uuid not null,
  "position" integer not null,
  name text not null,
  zone_type zone_type not null,
  capacity integer not null,
  access_mode access_mode not null,
  membership_tier text,
  allowed_roles text[] not null,
  allowed_user_ids uuid[] not null,
  metadata jsonb not null,
  outline jsonb,
  first_ordinal integer not null,
  seat_count integer not null,
  level text,
  constraint zones_organization_id_layout_id_version_position_key UNIQUE (organization_id, layout_id, version, "position"),
  constraint zones_pkey PRIMARY KEY (organization_id, layout_id, version, zone_id),
  constraint zones_organization_id_layout_id_version_fkey FOREIGN KEY (organization_id, layout_id, version) REFERENCES layout_versions(organization_id, layout_id, version),
  constraint zones_capacity_check CHECK ((capacity > 0)),
  constraint zones_check CHECK (((access_mode = 'membership_tier'::access_mode) = (membership_tier IS NOT NULL))),
  constraint zones_check1 CHECK (((access_mode = 'role_based'::access_mode) = (cardinality(allowed_roles) > 0))),
  constraint zones_check2 CHECK (
CASE
    WHEN (zone_type = ANY (ARRAY['reserved_seating'::zone_type, 'vip_reserved'::zone_type])) THEN (capacity = seat_count)
    ELSE (seat_count = 0)
END),
  constraint zones_level_check CHECK (((length(level) >= 1) AND (length(level) <= 100)))
);
-- row-level security on, forced
create policy platform on zones for ALL to voelgoed_platform using (sees_all_organizations()) with check (sees_all_organizations());
create policy tenant on zones for ALL to voelgoed_app using ((organization_id = ( SELECT current_organization() AS current_organization))) with check ((organization_id = ( SELECT current_organization() AS current_organization)));
grant insert, select on zones to voelgoed_app;

create view journal_entries with (security_invoker=true) as
 SELECT j.organization_id,
    j.event_id,
    j.first_seq,
    ((j.first_seq + e."position") - 1) AS seq,
    (e.entry ->> 'kind'::text) AS kind,
    ((e.entry ->> 'command'::text))::uuid AS command_id,
    ((e.entry ->> 'actor'::text))::uuid AS actor_id,
    (e.entry ->> 'source'::text) AS source,
    j.at,
    ((e.entry ->> 'previous'::text))::bigint AS previous,
    (e.entry -> 'body'::text) AS body
   FROM (journal j
     CROSS JOIN LATERAL jsonb_array_elements((j.packed)::jsonb) WITH ORDINALITY e(entry, "position"))
  WHERE (j.encoding = 0)
UNION ALL
 SELECT j.organization_id,
    j.event_id,
    j.first_seq,
    ((j.first_seq + c."position") - 1) AS seq,
    k.kind,
    ((m.command ->> 0))::uuid AS command_id,
    ((m.command ->> 1))::uuid AS actor_id,
    (m.command ->> 2) AS source,
    t.at,
        CASE
            WHEN ((k.code <= 7) OR (k.code = 13)) THEN ((c.change ->> 2))::bigint
            ELSE NULL::bigint
        END AS previous,
    ((
        CASE
            WHEN ((k.code <= 7) OR (k.code = 13)) THEN jsonb_build_object('holdId', (c.change -> 3), 'ordinal', (c.change -> 4), 'version', (c.change -> 5), 'zoneIndex', (c.change -> 6), 'quantity', (c.change -> 7))
            ELSE '{}'::jsonb
        END ||
        CASE k.code
            WHEN 0 THEN jsonb_build_object('userId',
            CASE (c.change -> 8)
                WHEN '0'::jsonb THEN (m.command -> 1)
                ELSE (c.change -> 8)
            END, 'ip',
            CASE (c.change -> 9)
                WHEN '0'::jsonb THEN (m.command -> 3)
                ELSE (c.change -> 9)
            END, 'cartToken', (c.change -> 10), 'heldUntil', (t.ms + ((c.change ->> 11))::bigint), 'capUntil', (t.ms + ((c.change ->> 12))::bigint))
            WHEN 1 THEN jsonb_strip_nulls(jsonb_build_object('heldUntil', (t.ms + ((c.change ->> 8))::bigint), 'capUntil', (t.ms + ((c.change ->> 9))::bigint)))
            WHEN 2 THEN jsonb_strip_nulls(jsonb_build_object('checkoutId', (c.change -> 8), 'heldUntil', (t.ms + ((c.change ->> 9))::bigint), 'capUntil', (t.ms + ((c.change ->> 10))::bigint)))
            WHEN 3 THEN jsonb_build_object('freed', (c.change -> 8))
            WHEN 4 THEN jsonb_build_object('userId',
            CASE (c.change -> 8)
                WHEN '0'::jsonb THEN (m.command -> 1)
                ELSE (c.change -> 8)
            END, 'heldUntil', (t.ms + ((c.change ->> 9))::bigint), 'capUntil', (t.ms + ((c.change ->> 10))::bigint))
            WHEN 6 THEN jsonb_build_object('reason', (c.change -> 8), 'notes', (c.change -> 9))
            WHEN 7 THEN jsonb_build_object('userId',
            CASE (c.change -> 8)
                WHEN '0'::jsonb THEN (m.command -> 1)
                ELSE (c.change -> 8)
            END, 'checkoutId', (c.change -> 9), 'ticketIds', (c.change -> 10))
            WHEN 8 THEN jsonb_build_object('ordinal', (c.change -> 2), 'version', (c.change -> 3), 'zoneIndex', (c.change -> 4), 'reason', (c.change -> 5))
            WHEN 9 THEN jsonb_build_object('ordinal', (c.change -> 2), 'version', (c.change -> 3), 'zoneIndex', (c.change -> 4), 'reason', (c.change -> 5))
            WHEN 10 THEN (c.change -> 2)
            WHEN 11 THEN jsonb_build_object('zoneIndex', (c.change -> 2), 'occupied', (c.change -> 3), 'capacity', (c.change -> 4), 'ordinals', (c.change -> 5))
            WHEN 12 THEN jsonb_build_object('ticketId', (c.change -> 2), 'ordinal', (c.change -> 3), 'version', (c.change -> 4), 'zoneIndex', (c.change -> 5), 'reason', (c.change -> 6))
            WHEN 13 THEN jsonb_build_object('checkoutId', (c.change -> 8))
            ELSE '{}'::jsonb
        END) ||
        CASE
            WHEN (jsonb_array_length(m.command) > 3) THEN jsonb_build_object('address', (m.command -> 3), 'userAgent', (p.agents -> ((m.command ->> 4))::integer))
            ELSE '{}'::jsonb
        END) AS body
   FROM (((((journal j
     CROSS JOIN LATERAL ( SELECT (parsed.whole -> 0) AS commands,
            (parsed.whole -> 1) AS changes,
            (parsed.whole -> 2) AS agents
           FROM ( SELECT (j.packed)::jsonb AS whole
                 OFFSET 0) parsed
         OFFSET 0) p)
     CROSS JOIN LATERAL jsonb_array_elements(p.changes) WITH ORDINALITY c(change, "position"))
     CROSS JOIN LATERAL ( SELECT (p.commands -> ((c.change ->> 1))::integer) AS command
         OFFSET 0) m)
     CROSS JOIN LATERAL ( SELECT moment.at,
            (floor((EXTRACT(epoch FROM moment.at) * (1000)::numeric)))::bigint AS ms
           FROM ( SELECT COALESCE(to_timestamp((((m.command ->> 5))::double precision / (1000.0)::double precision)), j.at) AS at) moment
         OFFSET 0) t)
     CROSS JOIN LATERAL ( SELECT coded.code,
            COALESCE((ARRAY['seat_reserved'::text, 'seat_hold_extended'::text, 'payment_started'::text, 'hold_reduced'::text, 'hold_transferred'::text, 'seat_hold_expired'::text, 'seat_released'::text, 'seat_converted'::text, 'seat_blocked'::text, 'seat_unblocked'::text, 'event_changed'::text, 'companions_released'::text, 'ticket_voided'::text, 'payment_ended'::text])[(coded.code + 1)], ('kind '::text || coded.code)) AS kind
           FROM ( SELECT ((c.change ->> 0))::integer AS code) coded
         OFFSET 0) k)
  WHERE (j.encoding = 1);
grant select on journal_entries to voelgoed_app;
grant select on journal_entries to voelgoed_platform;
