import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'

export type ImageKind = 'logo' | 'cover' | 'event'

export interface ImageFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** An upload as it is stored: files without metadata, in a few widths. */
export interface MadeImage {
  /** Of all files. */
  readonly hash: string
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly widths: readonly number[]
  readonly files: readonly ImageFile[]
}

/** What answers say of an image. */
export interface StoredImage {
  readonly slug: string
  readonly kind: ImageKind
  readonly hash: string
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly widths: readonly number[]
}

/** Of which there is at most one image. */
export type ImagePlace =
  | { readonly kind: 'logo' | 'cover' }
  | { readonly kind: 'event'; readonly eventId: EventId }

/** An image `i` of an organization `o`, as a column; null where there is none. */
export const IMAGE = `case when i.hash is not null then json_build_object('slug', o.slug, 'kind', i.kind, 'hash', i.hash,
  'width', i.width, 'height', i.height, 'colour', i.colour, 'widths', i.widths) end`

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
  { id, hash, width, height, colour, widths, files }: MadeImage & { readonly id: string },
): Promise<void> {
  await deleteImage(tx, place)
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

function eventOf(place: ImagePlace): EventId | null {
  return place.kind === 'event' ? place.eventId : null
}
