import { cover } from '@voelgoed/core/brand/cover'

/** The picture of an event without one, for the `src` of an image. */
export function coverUrl(name: string): string {
  return `data:image/svg+xml,${encodeURIComponent(cover(name))}`
}
