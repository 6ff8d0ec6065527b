import { Type } from 'typebox'
import { Data, Nullable, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** An upload may have so much. */
export const IMAGE_BYTES = 10 * 1024 * 1024
export const IMAGE_PIXELS = 40_000_000
/**
 * An upload without a place may be so large; the next line says how many an organization may have at once.
 */
export const UPLOAD_BYTES = 4 * 1024 * 1024
export const UPLOADS = 100

const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'] as const

const LIMITS =
  'The body is the file itself: JPEG, PNG, WebP or AVIF, at most 10 MiB and 40 megapixels. It is judged by its content, and stored in a few widths without its metadata. The one before is deleted'

const Address = Type.String({ description: 'On this server, open to everyone; another image has another' })

const image = {
  image_id: Uuid,
  width: Type.Integer({ description: 'Of the widest source, in pixels' }),
  height: Type.Integer(),
  colour: Type.String({ description: 'Its mean, for the ground on which it appears' }),
  sources: Type.Array(Strict({ url: Address, width: Type.Integer() }), {
    description: 'The same image as WebP in several widths, the narrowest first: a srcset',
  }),
  plain: Strict(
    { url: Address, type: Type.String() },
    { description: 'For programs that do not know WebP: a JPEG, or the PNG of a logo' },
  ),
}

export const Image = Strict(image)

const editors = ['organizer', 'admin'] as const

function upload<const Path extends string>(path: Path, what: string) {
  return route({
    method: 'PUT',
    path,
    summary: `Set ${what}. ${LIMITS}`,
    area: 'Administration',
    access: editors,
    bytesOf: TYPES,
    answers: { 200: Data(Image) },
    refusals: ['image_invalid', 'images_unavailable', ...ofEvent(path)],
    bodyLimitBytes: IMAGE_BYTES,
  })
}

function removal<const Path extends string>(path: Path, what: string) {
  return route({
    method: 'DELETE',
    path,
    summary: `Delete ${what}. Without one it is the same`,
    area: 'Administration',
    access: editors,
    answers: { 204: null },
    refusals: ofEvent(path),
  })
}

/** An event that is over stays as it was. */
function ofEvent(path: string): 'invalid_transition'[] {
  return path.includes(':event') ? ['invalid_transition'] : []
}

export const setLogo = upload('/api/admin/organization/logo', 'the logo of the organization')
export const deleteLogo = removal('/api/admin/organization/logo', 'the logo of the organization')
export const setCover = upload('/api/admin/organization/cover', 'the picture at the head of the storefront')
export const deleteCover = removal(
  '/api/admin/organization/cover',
  'the picture at the head of the storefront',
)
export const setEventImage = upload('/api/admin/events/:event/image', 'the image of an event')
export const deleteEventImage = removal('/api/admin/events/:event/image', 'the image of an event')

/** Names an upload, or any other image of the organization, in a body; null: no image. */
export const ImageId = Type.Optional(Nullable(Uuid))

export const uploadImage = route({
  method: 'POST',
  path: '/api/admin/images',
  summary:
    'Upload an image, to be named as image_id of an event, logo_image_id or cover_image_id of the organization. ' +
    'The body is the file itself: JPEG, PNG, WebP or AVIF, at most 4 MiB and 40 megapixels; it is judged by its content. ' +
    'What nothing names is deleted after a day; 100 may wait at once',
  area: 'Administration',
  access: editors,
  bytesOf: TYPES,
  answers: {
    201: Data(
      Strict({
        ...image,
        url: Type.String({
          description: 'Of `plain`: one file that every program can show, open to everyone',
        }),
      }),
    ),
  },
  refusals: ['image_invalid', 'images_unavailable', 'quota_exceeded'],
  idempotencyKey: true,
  bodyLimitBytes: UPLOAD_BYTES,
})

export const readImage = route({
  method: 'GET',
  path: '/api/images/:image',
  summary:
    'An image of the organization by its id, as one file that every program can show (JPEG, or the PNG of a logo). ' +
    'Pages use the addresses that answers give, which need no session',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: null, 304: null },
})

/** This is what pages of the organization look like. */
export const brand = {
  colour: Nullable(Type.String({ description: 'Of buttons and links, as #rrggbb; null: the product’s own' })),
  logo: Nullable(Image),
  cover: Nullable(Image),
}

export const readBrand = route({
  method: 'GET',
  path: '/api/organization',
  summary: 'The organization whose session this is, as its pages show it: name, colour, logo and cover',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: Data(Strict({ slug: Type.String(), name: Type.String(), ...brand })) },
})
