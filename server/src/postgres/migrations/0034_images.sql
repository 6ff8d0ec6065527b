-- Pictures of events and of brands: made from what staff uploaded, in a few widths, without its metadata.
-- An organization has one logo and one cover, an event has one image: a new one takes the place of the old.
create table images (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  kind text not null check (kind in ('logo', 'cover', 'event')),
  event_id uuid check ((kind = 'event') = (event_id is not null)),
  -- Of all its files: the address at which they are served.
  hash text collate "C" not null check (hash ~ '^[A-Za-z0-9_-]{22}$'),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  -- Its mean, for the ground on which it appears.
  colour text not null check (colour ~ '^#[0-9a-f]{6}$'),
  -- Of its WebP files.
  widths integer[] not null check (cardinality(widths) between 1 and 8),
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, event_id) references events (organization_id, id)
);
create unique index images_of_event on images (organization_id, event_id) where event_id is not null;
create unique index images_of_brand on images (organization_id, kind) where event_id is null;
create index images_hash on images (organization_id, hash);
call protect_tenant_table('images');
grant select, insert, delete on images to voelgoed_app;

create table image_files (
  organization_id uuid not null,
  image_id uuid not null,
  name text collate "C" not null check (name ~ '^[a-z0-9]{1,10}[.](webp|jpg|png)$'),
  bytes bytea not null check (length(bytes) between 1 and 8388608),
  primary key (organization_id, image_id, name),
  foreign key (organization_id, image_id) references images (organization_id, id) on delete cascade
);
-- WebP, JPEG and PNG are packed already.
alter table image_files alter bytes set storage external;
call protect_tenant_table('image_files');
grant select, insert on image_files to voelgoed_app;

alter table events add description text check (length(description) between 1 and 5000),
  add doors_at timestamptz;
-- Of its buttons and links; null: the product's own.
alter table organizations add colour text check (colour ~ '^#[0-9a-f]{6}$');
grant update (colour) on organizations to voelgoed_app;
