import { LARGE_BODY_BYTES } from '@voelgoed/kit/http/large-bodies'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

let server: TestServer
let ours: TestOrganization
let url: string

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  const { venueId, layoutId } = await eventOnSale(server, ours)
  const draft = await server.request('POST', '/api/admin/events', {
    token: ours.tokens.organizer,
    body: { name: 'Draft', venue_id: venueId, layout_id: layoutId },
  })
  url = `/api/admin/events/${draft.body.data.id}/layout`
})
afterAll(() => server.close())
afterEach(() => vi.restoreAllMocks())

const put = (raw: string) => server.request('PUT', url, { token: ours.tokens.organizer, raw })
/** Spaces are as good as nothing in JSON. */
const large = (text: string) => text + ' '.repeat(LARGE_BODY_BYTES)
const longestDecoded = (spy: { mock: { calls: unknown[][] } }) =>
  Math.max(0, ...spy.mock.calls.map(([bytes]) => (bytes as Uint8Array).byteLength))

describe('a large body', () => {
  it('is read in another thread, not in the one that serves buyers', async () => {
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    const parse = vi.spyOn(JSON, 'parse')
    const text = 'é'.repeat(4 * 1024 * 1024)
    const answer = await put(JSON.stringify({ overrides: { blocked_seat_ids: [text] } }))
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/overrides/blocked_seat_ids/0' }],
    })
    expect(longestDecoded(decode)).toBeLessThanOrEqual(LARGE_BODY_BYTES)
    expect(Math.max(0, ...parse.mock.calls.map(([read]) => read.length))).toBeLessThanOrEqual(
      LARGE_BODY_BYTES,
    )
  })

  it('is checked by the same rules as a small one, and takes the same effect', async () => {
    for (const wrong of [
      '{"overrides":{"blocked_seat_ids":["x"]}}',
      '{"overrides":{},"more":1}',
      '{"overrides":',
      '{"overrides":{"pricing_zones":{"x":"\\u0000"}}}',
    ]) {
      const [small, same] = [await put(wrong), await put(large(wrong))]
      expect(same.body).toMatchObject({ status: 400, code: 'invalid_request' })
      // The message of JSON.parse names a place, or the end of the text.
      if (wrong !== '{"overrides":') expect(same.body.errors).toEqual(small.body.errors)
    }
    const answer = await put(large('{"overrides":{"disabled_zones":[]}}'))
    expect([answer.status, answer.body.data.overrides.disabled_zones]).toEqual([200, []])
  })
})
