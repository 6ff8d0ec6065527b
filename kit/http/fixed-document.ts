import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedEncoding } from './accepted-encoding.ts'
import { etagMatches } from './etag-matches.ts'
import type { Encoding } from './growing-document.ts'

const packWithBrotli = promisify(brotliCompress)
const packWithGzip = promisify(gzip)
/** 900 kB of JSON become 60 kB in 40 ms on another thread; the next better one takes five times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * A large text that stays the same while the process runs. Strangers may ask for it as often as they like, so
 * nothing is made for a request: its bytes are made once, and packed once when that is first asked for.
 */
export class FixedDocument {
  readonly #identity: Buffer
  readonly #hash: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #packed = new Map<Encoding, Promise<Buffer>>()

  constructor(text: string, headers: Readonly<Record<string, string>>) {
    this.#identity = Buffer.from(text)
    this.#hash = createHash('sha256').update(this.#identity).digest('base64url').slice(0, 22)
    this.#headers = headers
  }

  async answer(request: RequestHeaders) {
    const encoding = acceptedEncoding(request)
    // As for files: each packing has a tag of its own, because the tag is a strong one.
    const etag = encoding === 'identity' ? `"${this.#hash}"` : `"${this.#hash}-${encoding}"`
    const tagged = { etag, vary: 'accept-encoding', 'cache-control': 'no-cache' }
    const known = request['if-none-match']
    if (typeof known === 'string' && etagMatches(known, etag)) {
      return { status: 304, bytes: null, headers: tagged }
    }
    const headers = { ...this.#headers, ...tagged }
    if (encoding === 'identity') return { status: 200, bytes: this.#identity, headers }
    const bytes = await this.#pack(encoding)
    return { status: 200, bytes, headers: { ...headers, 'content-encoding': encoding } }
  }

  #pack(encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
    let packed = this.#packed.get(encoding)
    if (!packed) {
      packed = encoding === 'br' ? packWithBrotli(this.#identity, BROTLI) : packWithGzip(this.#identity)
      this.#packed.set(encoding, packed)
    }
    return packed
  }
}
