import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { type TenantDoor, TooManyWaiting } from '@voelgoed/kit/postgres/database'
import { readImageFile } from './tables/images.ts'

export interface ImageFilesDeps {
  readonly database: TenantDoor
  readonly clock: Pick<Clock, 'elapsed'>
  readonly onRead: (from: 'memory' | 'postgres' | 'none') => void
}

/** Bytes in memory: of the files that were asked for last. */
const MAX_BYTES = 32 * 1024 * 1024
/** A file that was deleted is gone after so long. */
const FRESH_MS = 60_000
/** Files that are read at once; each may have a megabyte. */
const MAX_READING = 32

/** Files of images. When a sale opens, thousands ask for the same one. */
export class ImageFiles {
  readonly #deps: ImageFilesDeps
  readonly #kept = new Map<string, { readonly bytes: Buffer; readonly until: number }>()
  readonly #reading = new Map<string, Promise<Buffer | null>>()
  #bytes = 0

  constructor(deps: ImageFilesDeps) {
    this.#deps = deps
  }

  get bytes(): number {
    return this.#bytes
  }

  async find(scope: TenantScope, hash: string, name: string): Promise<Buffer | null> {
    const { clock, onRead } = this.#deps
    const key = `${scope.organizationId} ${hash} ${name}`
    const kept = this.#kept.get(key)
    if (kept && clock.elapsed() < kept.until) {
      // The file that was asked for last is the last to go.
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      onRead('memory')
      return kept.bytes
    }
    const bytes = await this.#read(key, scope, hash, name)
    onRead(bytes ? 'postgres' : 'none')
    return bytes
  }

  #read(key: string, scope: TenantScope, hash: string, name: string): Promise<Buffer | null> {
    const known = this.#reading.get(key)
    if (known) return known
    if (this.#reading.size >= MAX_READING)
      return Promise.reject(new TooManyWaiting('too many images at once'))
    const reading = this.#deps.database
      .tenant(scope, tx => readImageFile(tx, hash, name))
      .then(bytes => this.#keep(key, bytes))
      .finally(() => this.#reading.delete(key))
    this.#reading.set(key, reading)
    return reading
  }

  #keep(key: string, bytes: Buffer | null): Buffer | null {
    this.#forget(key)
    if (!bytes || bytes.length > MAX_BYTES) return bytes
    this.#kept.set(key, { bytes, until: this.#deps.clock.elapsed() + FRESH_MS })
    this.#bytes += bytes.length
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_BYTES) break
      this.#forget(oldest)
    }
    return bytes
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes.length ?? 0
    this.#kept.delete(key)
  }
}
