-- The outbox. A mail is queued in the transaction of what it tells of; a job of any node sends it later. The
-- rows hold no secret: links and tokens are made when the mail is sent, and only their hashes are stored.
create table mails (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- What the mail is about: queued at most once.
  key text collate "C" not null check (length(key) between 1 and 200),
  kind text not null check (kind in ('order_paid', 'order_refunded', 'password_reset', 'password_changed')),
  -- One address, as it was given. No control characters: it is written into a header.
  recipient text not null check (length(recipient) between 3 and 254 and recipient !~ '[[:cntrl:]]'),
  -- Null: the organization's.
  locale text check (length(locale) between 1 and 200),
  data jsonb not null check (jsonb_typeof(data) = 'object'),
  order_id uuid,
  user_id uuid,
  -- What staff sent again.
  resend_of uuid,
  -- queued → sending → sent | dead | unknown, or queued again when the mail surely was not accepted;
  -- queued → kept where no mail server is configured. A mail in `sending` is never sent by another attempt.
  status text not null default 'queued'
    check (status in ('queued', 'sending', 'sent', 'kept', 'dead', 'unknown')),
  attempts integer not null default 0 check (attempts >= 0),
  due_at timestamptz not null default now(),
  -- The node that sends it must be done by then.
  lease_until timestamptz check ((status = 'sending') = (lease_until is not null)),
  -- Why the last attempt did not succeed: a word of ours, and the code of the mail server's answer.
  last_error text check (length(last_error) between 1 and 100),
  created_at timestamptz not null default now(),
  ended_at timestamptz check ((status in ('queued', 'sending')) = (ended_at is null)),
  primary key (organization_id, id),
  constraint mails_key unique (organization_id, key),
  foreign key (organization_id, order_id) references orders (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id),
  check ((order_id is not null) = (kind in ('order_paid', 'order_refunded'))),
  check ((user_id is not null) = (kind in ('password_reset', 'password_changed')))
);
create index mails_due on mails (due_at) where status = 'queued';
create index mails_leased on mails (lease_until) where status = 'sending';
create index mails_ended on mails (ended_at) where ended_at is not null;
create index mails_status on mails (organization_id, status, id);
create index mails_order on mails (organization_id, order_id, id) where order_id is not null;
create index mails_user on mails (organization_id, user_id, id) where user_id is not null;
call protect_tenant_table('mails');
grant select, insert, update (status, attempts, due_at, lease_until, last_error, ended_at) on mails to voelgoed_app;
grant select (organization_id, id, status, attempts, due_at, lease_until, ended_at),
  update (status, attempts, due_at, lease_until, last_error, ended_at), delete on mails to voelgoed_platform;

create function refuse_mail_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) in (('queued', 'sending'), ('queued', 'kept'), ('queued', 'dead'), ('sending', 'queued'),
    ('sending', 'sent'), ('sending', 'dead'), ('sending', 'unknown'), ('unknown', 'sent')) then return new; end if;
  raise exception 'mail % does not go from % to %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger status_moves before update on mails for each row
  when (new.status <> old.status) execute function refuse_mail_move();

-- What opens an order to the reader of a mail about it. One for each mail: it stays when the mail is deleted.
create table order_links (
  organization_id uuid not null,
  mail_id uuid not null,
  order_id uuid not null,
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  created_at timestamptz not null default now(),
  primary key (organization_id, mail_id),
  foreign key (organization_id, order_id) references orders (organization_id, id)
);
create index order_links_order on order_links (organization_id, order_id);
call protect_tenant_table('order_links');
grant select, insert, update (secret_hash) on order_links to voelgoed_app;

-- What lets the reader of a mail choose a new password: once, for an hour.
create table password_resets (
  organization_id uuid not null,
  mail_id uuid not null,
  user_id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  expires_at timestamptz not null,
  -- By a reset, or by another way to a new password.
  ended_at timestamptz,
  primary key (organization_id, mail_id),
  constraint password_resets_token unique (organization_id, token_hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index password_resets_user on password_resets (organization_id, user_id) where ended_at is null;
create index password_resets_expired on password_resets (expires_at);
call protect_tenant_table('password_resets');
grant select, insert, update (token_hash, expires_at, ended_at) on password_resets to voelgoed_app;
grant select (organization_id, mail_id, expires_at), delete on password_resets to voelgoed_platform;

create function refuse_second_reset() returns trigger language plpgsql as $$
begin
  raise exception 'a password reset has ended' using errcode = 'integrity_constraint_violation';
end
$$;
create trigger ended_stays_ended before update on password_resets for each row
  when (old.ended_at is not null) execute function refuse_second_reset();
