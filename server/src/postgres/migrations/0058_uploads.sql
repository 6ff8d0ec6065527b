-- Pictures that were uploaded before anyone said what they are for. An event or a brand that names one gets a
-- copy of its files in its own place, so that a place owns its picture as before, and uploads may go after a
-- day.
alter table images
  drop constraint images_kind_check,
  add constraint images_kind_check check (kind in ('logo', 'cover', 'event', 'upload')),
  -- Of a copy: the id by which the picture was named.
  add upload_id uuid check (kind <> 'upload' or upload_id is null),
  -- Its file for programs that do not know WebP; null: plain.png of a logo, plain.jpg of others.
  add plain text check (plain in ('plain.png', 'plain.jpg'));
drop index images_of_brand;
create unique index images_of_brand on images (organization_id, kind) where kind in ('logo', 'cover');
create index images_of_upload on images (organization_id, upload_id) where upload_id is not null;
create index images_uploads on images (organization_id, created_at) where kind = 'upload';
-- To sweep uploads. Their files go with them.
grant select (organization_id, id, kind, created_at), delete on images to voelgoed_platform;
