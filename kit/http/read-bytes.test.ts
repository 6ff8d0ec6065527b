import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { LARGE_BODY_BYTES } from './large-bodies.ts'
import { readBytes } from './read-bytes.ts'

const LIMIT = 4 * LARGE_BODY_BYTES

function read(pieces: readonly Buffer[], announced?: number): Promise<Buffer> {
  const headers = announced === undefined ? {} : { 'content-length': String(announced) }
  const request = { headers, routeOptions: { bodyLimit: LIMIT } } as unknown as FastifyRequest
  const payload = new PassThrough()
  return new Promise((resolve, reject) => {
    readBytes(request, payload, (error, bytes) => (error ? reject(error) : resolve(bytes!)))
    for (const piece of pieces) payload.write(piece)
    payload.end()
  })
}

const piecesOf = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(size, 1 + index))

it('a small body is put together from its pieces', async () => {
  const pieces = piecesOf(3, 100)
  expect(await read(pieces, 300)).toEqual(Buffer.concat(pieces))
  expect(await read([], 0)).toEqual(Buffer.alloc(0))
})

it.each([true, false])('a large body lies in memory that threads share; announced: %s', async isAnnounced => {
  const pieces = piecesOf(5, LARGE_BODY_BYTES / 2)
  const whole = Buffer.concat(pieces)
  const bytes = await read(pieces, isAnnounced ? whole.length : undefined)
  expect(bytes.equals(whole)).toBe(true)
  expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
})

it('a body beyond the limit of its route is refused, before it is read or while it is', async () => {
  const tooLarge = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }
  await expect(read([], LIMIT + 1)).rejects.toMatchObject(tooLarge)
  await expect(read(piecesOf(5, LARGE_BODY_BYTES))).rejects.toMatchObject(tooLarge)
})

it('a body that ends early is no body', async () => {
  await expect(read(piecesOf(1, 10), 11)).rejects.toMatchObject({
    code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
  })
})
