import { etagMatches } from '@voelgoed/kit/http/etag-matches'
import { imageAddress, plainFile } from './image-address.ts'
import type { Brand, StoredImage } from './tables/images.ts'

/** As the contract says it (contract/images.ts). */
export function imageAnswer(image: StoredImage) {
  const { id, width, height, colour, widths } = image
  const plain = plainFile(image)
  return {
    image_id: id,
    width,
    height,
    colour,
    sources: widths.map(wide => ({ url: imageAddress(image, `${wide}.webp`), width: wide })),
    plain: { url: imageAddress(image, plain.name), type: plain.type },
  }
}

/** A file of an image. Its address has a hash of what it shows, or an id: it will never be anything else. */
export function imageFileAnswer(
  { 'if-none-match': known }: { readonly 'if-none-match'?: string | string[] | undefined },
  { etag, type, bytes }: { readonly etag: string; readonly type: string; readonly bytes: Buffer },
  cache: 'public' | 'private' = 'private',
) {
  const headers = {
    etag,
    'cache-control': `${cache}, max-age=31536000, immutable`,
    // Mails and pages of other sites show it as well.
    'cross-origin-resource-policy': 'cross-origin',
    // A browser that opens it by itself takes it for nothing but an image.
    'content-security-policy': "default-src 'none'; sandbox",
  }
  const isKnown = typeof known === 'string' && etagMatches(known, etag)
  if (isKnown) return { status: 304, bytes: null, headers }
  return { status: 200, bytes, headers: { ...headers, 'content-type': type } }
}

export function brandAnswer({ slug, name, colour, logo, cover }: Brand) {
  return { slug, name, colour, logo: logo && imageAnswer(logo), cover: cover && imageAnswer(cover) }
}
