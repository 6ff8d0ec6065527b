-- People give their name, and have all that names them erased. What tax law keeps (orders, payments, tickets)
-- stays with an id that says nothing of them any more (docs/decisions/103).
alter table users
  add column name text check (length(name) between 1 and 200),
  -- From then on nothing says who it was, and no session begins.
  add column erased_at timestamptz,
  add constraint users_erased check (erased_at is null
    or (email is null and name is null and membership_tier is null and disabled_at is not null));

-- A mail names its reader and what they bought: it goes with them, before its time.
grant delete on mails to voelgoed_app;

-- A line that was refunded stays as it is, but forgets whose ticket it was.
drop trigger refunded_once on order_lines;
create trigger refunded_once before update on order_lines for each row
  when (old.refund_id is not null and ((new.refund_id, new.ticket_id) is distinct from (old.refund_id, old.ticket_id)
    or new.attendee is not null)) execute function refuse_second_refund();

-- An entry of the audit log goes on saying what was done and by which id. It may forget from where, when the
-- person is erased, and whose ticket it was.
grant update (ip, user_agent, changes) on audit_log to voelgoed_app;
create function refuse_other_words() returns trigger language plpgsql as $$
begin
  if (new.changes = old.changes or new.changes = old.changes - 'attendee')
    and ((new.ip, new.user_agent) is not distinct from (old.ip, old.user_agent)
      or new.ip is null and new.user_agent is null and exists (select from users u
        where u.organization_id = old.organization_id and u.id = old.user_id and u.erased_at is not null))
  then return new; end if;
  raise exception 'an entry of the audit log only forgets' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger only_forgets before update on audit_log for each row execute function refuse_other_words();
