-- The account that goes on with what a guest bought: the guest signed in, in the same browser. The buyer of
-- record (user_id) stays, because the tickets and the seats name them too.
alter table orders add column account_id uuid,
  add constraint orders_account_fkey foreign key (organization_id, account_id) references users (organization_id, id);
create index orders_account on orders (organization_id, account_id, id) where account_id is not null;
grant update (account_id) on orders to voelgoed_app;
