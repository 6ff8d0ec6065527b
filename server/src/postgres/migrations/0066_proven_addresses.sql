-- Whether the one who uses an account reads its address. Signing up proves nothing: a link in a mail does,
-- the identity provider, or the staff or the platform that made the account. Null: not yet. The whitelist and
-- memberships count for proven addresses alone (docs/decisions/086).
alter table users add column email_proven_at timestamptz,
  add constraint users_proof check (email_proven_at is null or email is not null);

-- Another address is not proven by a link that went to the one before.
create function end_address_proof() returns trigger language plpgsql as $$
begin
  new.email_proven_at := null;
  update password_resets set ended_at = now()
    where organization_id = old.organization_id and user_id = old.id and ended_at is null;
  return new;
end
$$;
create trigger proof_of_one_address before update on users for each row
  when (new.email is distinct from old.email) execute function end_address_proof();

-- Mails whose link confirms the address of an account that is there, or lets its reader take the account
-- over. A person waits for the one; the other comes from a list of members, and may take its time.
alter table mails drop constraint mails_kind_check, drop constraint mails_check3;
alter table mails
  add constraint mails_kind_check check (kind in ('order_paid', 'order_refunded', 'order_moved', 'password_reset',
    'password_changed', 'invitation', 'address_confirmation', 'membership_confirmation')),
  add constraint mails_check3 check ((user_id is not null) =
    (kind in ('password_reset', 'password_changed', 'invitation', 'address_confirmation', 'membership_confirmation')));

-- Accounts that are there already. The audit log has who made each, and keeps it: those of staff, of the
-- platform and of an identity provider are proven, and those that a person made by themselves who has read a
-- mail since, who is linked with the provider, or to whom the platform has given a membership.
update users u set email_proven_at = now() where u.email is not null and (
  not exists (select from audit_log a where a.organization_id = u.organization_id and a.entity_type = 'user'
    and a.entity_id = u.id and a.action = 'account_created')
  or exists (select from audit_log a where a.organization_id = u.organization_id and a.entity_type = 'user'
    and a.entity_id = u.id and (a.action in ('password_reset', 'invitation_accepted', 'account_linked')
      or (a.actor = 'root' and a.action = 'user_updated' and a.changes -> 'after' ->> 'membershipTier' is not null))));

-- The others lose their membership until they confirm, so they hear of it.
insert into mails (organization_id, id, key, kind, recipient, data, user_id)
select organization_id, gen_random_uuid(), 'membership_confirmation:' || id || ':upgrade', 'membership_confirmation', email,
  jsonb_build_object('userId', id), id
from users where email is not null and email_proven_at is null and membership_status = 'active'
  and disabled_at is null and length(email) between 3 and 254 and email !~ '[[:cntrl:]]';
