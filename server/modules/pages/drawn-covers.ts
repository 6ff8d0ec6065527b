import { createHash } from 'node:crypto'
import { cover } from '@voelgoed/core/brand/cover'
import { TooManyWaiting } from '@voelgoed/kit/postgres/database'
import type { ImageMaker } from '../images/image-maker.ts'

/** Pictures in memory, some 40 kB each: of the names that were asked for last. */
const MAX_KEPT = 200
/** Drawn at once, by the thread that reads uploads: staff who set a picture do not wait behind more. */
const MAX_DRAWING = 2

/**
 * Draws what shared links show of an event without a picture: the one that pages draw from its name, as JPEG,
 * for messengers know no SVG.
 */
export class DrawnCovers {
  readonly #maker: Pick<ImageMaker, 'draw'>
  readonly #kept = new Map<string, Buffer>()
  /** These have one drawn just now: one each, so that another one's can begin. */
  readonly #owners = new Set<string>()
  readonly #drawing = new Map<string, Promise<Buffer | null>>()

  constructor(maker: Pick<ImageMaker, 'draw'>) {
    this.#maker = maker
  }

  get size(): number {
    return this.#kept.size
  }

  /** `owner`: whose page shows it. Null: images can't be made on this machine. */
  find(name: string, owner: string): Promise<Buffer | null> {
    const hash = coverHash(name)
    const kept = this.#kept.get(hash)
    if (kept) {
      this.#kept.delete(hash)
      this.#kept.set(hash, kept)
      return Promise.resolve(kept)
    }
    const drawing = this.#drawing.get(hash)
    if (drawing) return drawing
    if (this.#drawing.size >= MAX_DRAWING || this.#owners.has(owner))
      return Promise.reject(new TooManyWaiting('too many covers at once'))
    const drawn = this.#draw(hash, name, owner).finally(() => {
      this.#drawing.delete(hash)
      this.#owners.delete(owner)
    })
    this.#drawing.set(hash, drawn)
    this.#owners.add(owner)
    return drawn
  }

  async #draw(hash: string, name: string, owner: string): Promise<Buffer | null> {
    const drawn = await this.#maker.draw(cover(name), owner)
    if (!drawn.ok) {
      if (drawn.problem.kind === 'images_unavailable') return null
      throw new TooManyWaiting('covers can not be drawn just now')
    }
    const bytes = Buffer.from(drawn.value)
    this.#kept.set(hash, bytes)
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return bytes
  }
}

/** Hashes the picture that is drawn from the name: another name has another address. */
export function coverHash(name: string): string {
  return createHash('sha256').update(cover(name)).digest('base64url').slice(0, 22)
}

/** The picture is at this address of this server. */
export function drawnCoverPath(slug: string, event: { readonly id: string; readonly name: string }): string {
  return `/${slug}/events/${event.id}/cover/${coverHash(event.name)}.jpg`
}
