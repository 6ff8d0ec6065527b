-- Sessions as people see them: from which device and address, and when they were last used. The id names a
-- session to its owner and to admins; it opens nothing. It is looked for among the sessions of one user.
alter table sessions
  add id uuid not null default gen_random_uuid(),
  add ip inet,
  add user_agent text check (length(user_agent) <= 500),
  -- Of staff alone, written about once a minute.
  add last_seen_at timestamptz;
grant update (last_seen_at) on sessions to voelgoed_platform;

-- An invitation is a mail whose link lets its reader choose the first password of an account that is there
-- already: the same secret as that of a reset, which lives longer.
alter table mails drop constraint mails_kind_check, drop constraint mails_check3;
alter table mails
  add constraint mails_kind_check
    check (kind in ('order_paid', 'order_refunded', 'password_reset', 'password_changed', 'invitation')),
  add constraint mails_check3
    check ((user_id is not null) = (kind in ('password_reset', 'password_changed', 'invitation')));
-- An organization sends so many invitations a day, and no more.
create index mails_invitations on mails (organization_id, created_at) where kind = 'invitation';

-- News of the gateway that waits or was given up, for the staff of the organization that it is about.
create index gateway_events_open on gateway_events ((event ->> 'organizationId'), received_at) where state <> 'done';

-- Where buyers write to.
alter table organizations add support_email text
  check (length(support_email) between 3 and 254 and support_email !~ '[[:cntrl:]]');
grant update (support_email) on organizations to voelgoed_app;
