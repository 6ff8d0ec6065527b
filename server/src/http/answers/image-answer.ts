import { imageAddress, plainFile } from '../../image-address.ts'
import type { Brand, StoredImage } from '../../postgres/tables/images.ts'

/** As the contract says it (core/contract/images.ts). */
export function imageAnswer(image: StoredImage) {
  const { width, height, colour, widths } = image
  const plain = plainFile(image)
  return {
    width,
    height,
    colour,
    sources: widths.map(wide => ({ url: imageAddress(image, `${wide}.webp`), width: wide })),
    plain: { url: imageAddress(image, plain.name), type: plain.type },
  }
}

export function brandAnswer({ slug, name, colour, logo, cover }: Brand) {
  return { slug, name, colour, logo: logo && imageAnswer(logo), cover: cover && imageAnswer(cover) }
}
