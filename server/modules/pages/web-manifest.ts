import { accentOf } from '@voelgoed/core/brand/accent'
import { imageAddress, plainFile } from '../images/image-address.ts'
import type { StoredImage } from '../images/tables/images.ts'
import type { PublicPage } from './page-head.ts'

/** Our own: devices want icons of these sizes. */
const ICONS = [
  { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
  { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
  { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
]
const OUR_COLOUR = '#cf3f27'
/** A logo that is large enough, and nearly square: in an icon a wide one would be too small to read. */
const LEAST_ICON = 128
const MOST_UNEVEN = 1.2

/** A device shows this of an organization whose page was put on its screen. */
export function webManifest({ organization, brand }: Pick<PublicPage, 'organization' | 'brand'>): object {
  const { name, slug } = organization
  const accent = brand.colour === null ? null : accentOf(brand.colour)
  return {
    name,
    short_name: name,
    id: `/${slug}`,
    start_url: `/${slug}`,
    scope: `/${slug}`,
    display: 'standalone',
    background_color: '#fdfbf8',
    theme_color: accent?.light.accent ?? OUR_COLOUR,
    icons: [...(brand.logo && isIcon(brand.logo) ? [iconOf(brand.logo)] : []), ...ICONS],
  }
}

function isIcon({ width, height }: StoredImage): boolean {
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  return short >= LEAST_ICON && long <= MOST_UNEVEN * short
}

function iconOf(logo: StoredImage): object {
  const { name, type } = plainFile(logo)
  return { src: imageAddress(logo, name), sizes: `${logo.width}x${logo.height}`, type }
}
