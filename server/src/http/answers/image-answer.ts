import type { Brand, StoredImage } from '../../postgres/tables/images.ts'

/** As the contract says it (core/contract/images.ts). */
export function imageAnswer(image: StoredImage) {
  const { kind, width, height, colour, widths } = image
  return {
    width,
    height,
    colour,
    sources: widths.map(wide => ({ url: fileUrl(image, `${wide}.webp`), width: wide })),
    plain:
      kind === 'logo'
        ? { url: fileUrl(image, 'plain.png'), type: 'image/png' }
        : { url: fileUrl(image, 'plain.jpg'), type: 'image/jpeg' },
  }
}

export function brandAnswer({ slug, name, colour, logo, cover }: Brand) {
  return { slug, name, colour, logo: logo && imageAnswer(logo), cover: cover && imageAnswer(cover) }
}

/** Other bytes have another address. */
function fileUrl({ slug, hash }: StoredImage, name: string): string {
  return `/${slug}/images/${hash}/${name}`
}
