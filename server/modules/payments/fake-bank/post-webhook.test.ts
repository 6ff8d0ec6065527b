import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postToServer } from './post-webhook.ts'

const seen: { url: string | undefined; body: string; signature: unknown; type: unknown }[] = []
let status = 200

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  seen.push({
    url: request.url,
    body: Buffer.concat(pieces).toString(),
    signature: request.headers['simulator-signature'],
    type: request.headers['content-type'],
  })
  response.writeHead(status, { location: '/elsewhere' }).end('{}')
})
let address: string | null = null
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const post = (headers = {}) => postToServer(() => address)('{"id":1}', headers)

it('posts the bytes as they were signed, to the route of the webhooks', async () => {
  expect(await post({ 'simulator-signature': 't=1' })).toBe(true)
  expect(seen).toEqual([
    {
      url: '/api/payments/simulator/webhook',
      body: '{"id":1}',
      signature: 't=1',
      type: 'application/json',
    },
  ])
})

it('is accepted by 2xx alone', async () => {
  for (status of [400, 404, 500]) expect(await post()).toBe(false)
  status = 307
  await expect(post()).rejects.toThrow()
})

it('is not accepted before the server listens', async () => {
  expect(await postToServer(() => null)('{}', {})).toBe(false)
})
