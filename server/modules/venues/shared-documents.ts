import { webcrypto } from 'node:crypto'
import type { Encoding, FinishedDocument } from '@voelgoed/kit/http/growing-document'
import { RedisUnavailable } from '@voelgoed/kit/redis/breaker'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'

/** Longer documents are made by each node: they would hold up what else waits for Redis. */
const MAX_BYTES = 16 * 1024 * 1024
/** From the last time that a node took it. */
const KEEP_SECONDS = 24 * 60 * 60
/** More than these on their way to Redis: the next one is made again by the node that needs it. */
const MAX_WRITING = 4

/** A look for a document ends so. `unreadable`: another type, or bytes that are not ours. */
export const FINDS = ['found', 'absent', 'unreadable', 'unavailable'] as const
/** A document that could be kept ends so. */
export const KEEPS = ['written', 'too_large', 'dropped', 'failed'] as const

export interface SharedDocumentsDeps {
  readonly redis: Pick<RedisConnection, 'getBytes' | 'putBytes'>
  onFind(outcome: (typeof FINDS)[number]): void
  onKeep(outcome: (typeof KEEPS)[number]): void
}

/**
 * Documents that one node has made, in Redis for the others: those that have just started take them from
 * there. A document never changes under its key, so nothing is ever taken back; what no node takes for a day
 * expires. A value that can't be read is as good as none, and is written again. Nothing here fails: without
 * Redis, within one time-out of it, a document is made as ever.
 */
export class SharedDocuments {
  readonly #deps: SharedDocumentsDeps
  #writing = 0

  constructor(deps: SharedDocumentsDeps) {
    this.#deps = deps
  }

  async find(key: string, encoding: Encoding): Promise<FinishedDocument | null> {
    const { redis, onFind } = this.#deps
    try {
      const value = await redis.getBytes(key, KEEP_SECONDS)
      const found = value && (await unpack(value, encoding))
      onFind(found ? 'found' : value ? 'unreadable' : 'absent')
      return found
    } catch (error) {
      onFind(error instanceof RedisUnavailable ? 'unavailable' : 'unreadable')
      return null
    }
  }

  /** No caller waits for it. */
  keep(key: string, document: FinishedDocument): void {
    const { onKeep } = this.#deps
    if (document.bytes.length > MAX_BYTES) onKeep('too_large')
    else if (this.#writing >= MAX_WRITING) onKeep('dropped')
    else void this.#write(key, document)
  }

  async #write(key: string, document: FinishedDocument): Promise<void> {
    const { redis, onKeep } = this.#deps
    this.#writing += 1
    try {
      await redis.putBytes(key, await pack(document), KEEP_SECONDS)
      onKeep('written')
    } catch {
      onKeep('failed')
    } finally {
      this.#writing -= 1
    }
  }
}

const MARK = Buffer.from('vgd1')
const DIGEST_AT = MARK.length
const REST_AT = DIGEST_AT + 32

/** The mark, the digest of what follows, the length of the tag, the tag, the bytes. */
async function pack({ etag, bytes }: FinishedDocument): Promise<Buffer> {
  const rest = Buffer.concat([Buffer.of(etag.length), Buffer.from(etag, 'latin1'), bytes])
  return Buffer.concat([MARK, await digest(rest), rest])
}

/** Null: that is nothing we write, or not all of it. */
async function unpack(value: Buffer, encoding: Encoding): Promise<FinishedDocument | null> {
  if (value.length <= REST_AT || !value.subarray(0, DIGEST_AT).equals(MARK)) return null
  const rest = value.subarray(REST_AT)
  if (!value.subarray(DIGEST_AT, REST_AT).equals(await digest(rest))) return null
  const bytesAt = 1 + rest[0]!
  return { etag: rest.toString('latin1', 1, bytesAt), encoding, bytes: rest.subarray(bytesAt) }
}

/** On the thread pool: a document may have megabytes. */
async function digest(bytes: Buffer): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes))
}
