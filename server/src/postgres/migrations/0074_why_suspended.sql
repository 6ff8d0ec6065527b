-- The platform may say why it has suspended an organization: its staff read it.
alter table organizations add column suspended_reason text,
  add constraint organizations_suspended_reason_check check (length(suspended_reason) between 1 and 500),
  add constraint organizations_suspended check (suspended_reason is null or suspended_at is not null);
grant update (suspended_reason) on organizations to voelgoed_platform;
