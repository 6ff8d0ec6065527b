-- An account at Stripe takes money once the platform has said so: who names it first need not own it. Those
-- that take money today stay. One that an admin has named waits here, and keeps no other from naming it.
alter table organizations add stripe_account_wanted text collate "C"
  check (stripe_account_wanted ~ '^acct_[A-Za-z0-9]{1,100}$');
grant update (stripe_account_wanted) on organizations to voelgoed_app, voelgoed_platform;
