import type { EventId } from '@voelgoed/core/ids'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** The place it is for. An upload has none yet, and may come into any. */
export type ImageKind = 'logo' | 'cover' | 'event' | 'upload'

/** In pixels: what is wider is for events and covers. */
export const LOGO_WIDTH = 256

export interface ImageFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** An upload as it is stored: files without metadata, in a few widths. */
export interface MadeImage {
  /** The digest of all files. */
  readonly hash: string
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly widths: readonly number[]
  readonly files: readonly ImageFile[]
}

/** Answers say this of an image. */
export interface StoredImage {
  /** By which people name it; copies of an image have the same. */
  readonly id: string
  readonly slug: string
  readonly kind: ImageKind
  readonly hash: string
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly widths: readonly number[]
  /** The name of its file for programs that do not know WebP. */
  readonly plain: string
}

/** Each of these places has at most one image. */
export type ImagePlace =
  | { readonly kind: 'logo' | 'cover' }
  | { readonly kind: 'event'; readonly eventId: EventId }

/** An image `i` of an organization `o`, as a column; null where there is none. */
export const IMAGE = `case when i.hash is not null then json_build_object('id', coalesce(i.upload_id, i.id),
  'slug', o.slug, 'kind', i.kind, 'hash', i.hash, 'width', i.width, 'height', i.height, 'colour', i.colour,
  'widths', i.widths, 'plain', coalesce(i.plain, case when i.kind = 'logo' then 'plain.png' else 'plain.jpg' end)) end`

export interface Brand {
  readonly slug: string
  readonly name: string
  readonly colour: string | null
  readonly logo: StoredImage | null
  readonly cover: StoredImage | null
}

export async function readBrand(tx: TenantTx): Promise<Brand> {
  const brandImage = (kind: string) => `(select ${IMAGE} from images i
    where i.organization_id = o.id and i.kind = '${kind}' and i.event_id is null)`
  return (await tx.one<Brand & Record<string, unknown>>(
    `select o.slug, o.name, o.colour, ${brandImage('logo')} as logo, ${brandImage('cover')} as cover
     from organizations o where o.id = $1`,
  ))!
}

/** In the place of the one before. The caller holds the lock of the event or of the organization. */
export async function replaceImage(
  tx: TenantTx,
  place: ImagePlace,
  image: MadeImage & { readonly id: string },
): Promise<void> {
  await deleteImage(tx, place)
  await insertImage(tx, place, image)
}

export async function insertImage(
  tx: TenantTx,
  place: ImagePlace | { readonly kind: 'upload' },
  { id, hash, width, height, colour, widths, files }: MadeImage & { readonly id: string },
): Promise<void> {
  await tx.query(
    `insert into images (organization_id, id, kind, event_id, hash, width, height, colour, widths)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, place.kind, eventOf(place), hash, width, height, colour, widths],
  )
  await tx.query(
    `insert into image_files (organization_id, image_id, name, bytes)
     select $1, $2, * from unnest($3::text[], $4::bytea[])`,
    [id, files.map(file => file.name), files.map(file => Buffer.from(file.bytes))],
  )
}

/** Copies have files of their own, and the id of what they were copied from. */
const HAS_ID = '(upload_id = $2 or (id = $2 and upload_id is null))'

/**
 * The image with this id comes into a place: as a copy of all its files, so that the place owns what it
 * shows. False: the organization has no such image, and the caller undoes what was done. The caller holds
 * the lock of the event or of the organization.
 */
export async function placeImage(
  tx: TenantTx,
  place: ImagePlace,
  { id, imageId }: { readonly id: string; readonly imageId: string },
): Promise<boolean> {
  const there = await tx.one(
    `select 1 from images where organization_id = $1 and kind = $2 and event_id is not distinct from $3
       and coalesce(upload_id, id) = $4`,
    [place.kind, eventOf(place), imageId],
  )
  if (there) return true
  await deleteImage(tx, place)
  // One statement, and so one moment: the source may be deleted meanwhile.
  const rows = await tx.query(
    `with source as (
       select * from images where organization_id = $1 and ${HAS_ID} order by id limit 1
     ), files as (
       select f.name, substring(f.name from '^([0-9]+)[.]webp$')::integer as width
       from source s join image_files f on f.organization_id = s.organization_id and f.image_id = s.id
     ), fitting as (
       select coalesce(array_agg(width order by width) filter (where (width <= ${LOGO_WIDTH}) = ($4::text = 'logo')),
         array_agg(width order by width)) as widths
       from files where width is not null
     ), copied as (
       insert into images (organization_id, id, kind, event_id, hash, width, height, colour, widths, upload_id, plain)
       select s.organization_id, $3::uuid, $4::text, $5::uuid, s.hash, widest,
         greatest(1, round(s.height::numeric * widest / s.width))::integer, s.colour, fitting.widths, $2::uuid,
         (select name from files where width is null order by (name = 'plain.png') = ($4::text = 'logo') desc limit 1)
       from source s, fitting, lateral (select fitting.widths[cardinality(fitting.widths)] as widest) last
       returning 1
     ), copied_files as (
       insert into image_files (organization_id, image_id, name, bytes)
       select f.organization_id, $3::uuid, f.name, f.bytes
       from source s join image_files f on f.organization_id = s.organization_id and f.image_id = s.id
     )
     select 1 from copied`,
    [imageId, id, place.kind, eventOf(place)],
  )
  return rows.length === 1
}

export async function findImage(tx: TenantTx, imageId: string): Promise<StoredImage | null> {
  const row = await tx.one<{ image: StoredImage }>(
    `select ${IMAGE} as image from (
       select * from images where organization_id = $1 and ${HAS_ID} order by id limit 1
     ) i join organizations o on o.id = i.organization_id`,
    [imageId],
  )
  return row?.image ?? null
}

/** Counts the images that have no place. */
export async function countUploads(tx: TenantTx): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::integer as count from images where organization_id = $1 and kind = 'upload'`,
  )
  return row!.count
}

/** A place that named one of them has a copy. */
export async function sweepUploads(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from images where (organization_id, id) in (
       select organization_id, id from images
       where kind = 'upload' and created_at < now() - interval '1 day' limit $1)
     returning 1`,
    [limit],
  )
  return rows.length
}

/** With its files; null when there was none. */
export async function deleteImage(tx: TenantTx, place: ImagePlace): Promise<{ hash: string } | null> {
  const row = await tx.one<{ hash: string }>(
    `delete from images where organization_id = $1 and kind = $2 and event_id is not distinct from $3
     returning hash`,
    [place.kind, eventOf(place)],
  )
  return row ?? null
}

export async function readImageFile(tx: TenantTx, hash: string, name: string): Promise<Buffer | null> {
  const row = await tx.one<{ bytes: Buffer }>(
    `select f.bytes from images i
       join image_files f on f.organization_id = i.organization_id and f.image_id = i.id
     where i.organization_id = $1 and i.hash = $2 and f.name = $3 limit 1`,
    [hash, name],
  )
  return row?.bytes ?? null
}

function eventOf(place: ImagePlace | { readonly kind: 'upload' }): EventId | null {
  return place.kind === 'event' ? place.eventId : null
}
