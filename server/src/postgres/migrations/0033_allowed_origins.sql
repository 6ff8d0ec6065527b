-- Other sites whose pages may call the routes of buyers with sessions of this organization, and show its
-- pages in a frame. Origins in their normal form: https://shop.example.org.
alter table organizations add allowed_origins text[] not null default '{}'
  check (cardinality(allowed_origins) <= 20);
create index organizations_allowed_origins on organizations using gin (allowed_origins);
grant update (allowed_origins) on organizations to voelgoed_app;
