import type { StoredImage } from './tables/images.ts'

/** Where a file of an image is, on this server. Other bytes have another address. */
export function imageAddress({ slug, hash }: StoredImage, file: string): string {
  return `/${slug}/images/${hash}/${file}`
}

/** For programs that do not know WebP: mails, and those that show shared links. */
export function plainFile({ plain }: StoredImage): { readonly name: string; readonly type: string } {
  return { name: plain, type: plain === 'plain.png' ? 'image/png' : 'image/jpeg' }
}
