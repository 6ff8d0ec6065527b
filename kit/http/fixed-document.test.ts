import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FixedDocument } from './fixed-document.ts'

const text = 'one line like another\n'.repeat(1_000)
const document = new FixedDocument(text, { 'content-type': 'text/plain' })

describe('a document that stays the same', () => {
  it('is the very bytes that were made once, for each caller', async () => {
    for (const accepted of [undefined, 'gzip', 'br, gzip']) {
      const [one, other] = [
        await document.answer({ 'accept-encoding': accepted }),
        await document.answer({ 'accept-encoding': accepted }),
      ]
      expect(one.status).toBe(200)
      expect(one.bytes).toBe(other.bytes)
    }
  })

  it('is packed as the caller takes it, with a tag of its own', async () => {
    const plain = await document.answer({})
    const br = await document.answer({ 'accept-encoding': 'gzip, br' })
    const zip = await document.answer({ 'accept-encoding': 'gzip;q=1, br;q=0' })
    expect(String(plain.bytes)).toBe(text)
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(String(brotliDecompressSync(br.bytes!))).toBe(text)
    expect(String(gunzipSync(zip.bytes!))).toBe(text)
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(new Set([plain, br, zip].map(({ headers }) => headers.etag)).size).toBe(3)
  })

  it('is not sent to a caller that has it', async () => {
    const { headers } = await document.answer({ 'accept-encoding': 'br' })
    const again = { 'accept-encoding': 'br', 'if-none-match': headers.etag }
    expect(await document.answer(again)).toMatchObject({ status: 304, bytes: null })
    expect(await document.answer({ ...again, 'accept-encoding': 'gzip' })).toMatchObject({ status: 200 })
  })
})
