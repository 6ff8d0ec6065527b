import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization
let buyers: readonly Buyer[]

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
  buyers = await createBuyers(server.database, ours.id, 6)
})
afterAll(async () => {
  await expectSound(server.database)
  await server.close()
})

const hall = (seats: number, policy: object = {}) =>
  openHall(server.request, ours.tokens.organizer, {
    seats,
    perRow: 100,
    event: { seating_overrides: { ...UNLIMITED, ...policy } },
  })
const look = (at: Hall, buyer: Buyer, headers: Record<string, string> = {}) =>
  server.request('GET', `${at.url}/availability`, { token: buyer.token, headers })
const hold = (at: Hall, seats: readonly number[], buyer: Buyer) =>
  server.request('POST', `${at.url}/holds`, {
    token: buyer.token,
    body: { seat_ids: seats.map(seat => at.seats[seat]) },
  })

async function encodings(): Promise<Record<string, number>> {
  const { text } = await server.request('GET', '/metrics')
  const found = text.matchAll(/^voelgoed_availability_encodings_total\{form="(\w+)"\} (\d+)/gm)
  return Object.fromEntries([...found].map(([, form, count]) => [form, Number(count)]))
}

/** Counts what was encoded while `work` ran. */
async function encodedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await encodings()
  await work()
  const after = await encodings()
  return Object.fromEntries(Object.entries(after).map(([form, count]) => [form, count - before[form]!]))
}

describe('availability', () => {
  it('is encoded and compressed once for each seq, however many ask', async () => {
    const at = await hall(400)
    await hold(at, [1, 2, 3], buyers[0]!)
    const gzip = { 'accept-encoding': 'gzip' }
    const once = await encodedBy(() =>
      Promise.all(Array.from({ length: 40 }, (_, index) => look(at, buyers[1 + (index % 5)]!, gzip))),
    )
    expect(once).toEqual({ packed: 1, json: 1, compressed: 0, marked: 0 })
    await hold(
      at,
      Array.from({ length: 50 }, (_, index) => 100 + index),
      buyers[0]!,
    )
    const again = await encodedBy(async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          look(at, buyers[1 + (index % 5)]!, index % 2 === 0 ? gzip : { 'accept-encoding': 'br, gzip' }),
        ),
      )
      expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(2)
    })
    expect(again).toEqual({ packed: 1, json: 1, compressed: 2, marked: 0 })
    const binary = { accept: 'application/octet-stream' }
    expect(await encodedBy(() => Promise.all(buyers.map(buyer => look(at, buyer, binary))))).toEqual({
      packed: 0,
      json: 0,
      compressed: 0,
      marked: 0,
    })
  })

  it('is the same in every encoding, and marks what the buyer who asks holds', async () => {
    const at = await hall(200)
    const mine = Array.from({ length: 20 }, (_, index) => 3 * index)
    await hold(at, mine, buyers[0]!)
    await hold(at, [1, 2], buyers[1]!)
    const listed = (await look(at, buyers[2]!)).body.data
    expect(listed.seats).toHaveLength(22)
    expect(new Set(listed.seats.map(({ status }: { status: string }) => status))).toEqual(new Set(['held']))
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const { headers } = await look(at, buyers[2]!, { 'accept-encoding': encoding })
      expect(headers['content-encoding']).toBe(encoding)
      const raw = await server.node.app.fastify.inject({
        method: 'GET',
        url: `${at.url}/availability`,
        headers: { authorization: `Bearer ${buyers[2]!.token}`, 'accept-encoding': encoding },
      })
      expect(JSON.parse(decode(raw.rawPayload).toString()).data).toEqual(listed)
    }
    const own = (await look(at, buyers[0]!, { 'accept-encoding': 'gzip' })).body.data
    const isMine = new Set(mine.map(seat => at.seats[seat]))
    expect(own.seats).toEqual(
      listed.seats.map(({ seat_id }: { seat_id: string }) => ({
        seat_id,
        status: isMine.has(seat_id) ? 'held_by_me' : 'held',
      })),
    )
    expect(own.zones).toEqual(listed.zones)
  })

  it('is 304 to a buyer who has it, and not after a change', async () => {
    const at = await hall(20)
    await hold(at, [4], buyers[0]!)
    for (const accept of ['application/json', 'application/octet-stream']) {
      for (const buyer of buyers.slice(0, 2)) {
        const { etag } = (await look(at, buyer, { accept })).headers
        const again = await look(at, buyer, { accept, 'if-none-match': String(etag) })
        expect(again).toMatchObject({ status: 304, text: '' })
      }
    }
    const ofAnother = (await look(at, buyers[1]!)).headers.etag
    expect((await look(at, buyers[0]!, { 'if-none-match': String(ofAnother) })).status).toBe(200)
    await hold(at, [5], buyers[2]!)
    expect((await look(at, buyers[1]!, { 'if-none-match': String(ofAnother) })).status).toBe(200)
  })

  it('shows a buyer their own hold in the first answer after it, while others change the event all the time', async () => {
    const at = await hall(300)
    let over = false
    const others = buyers.slice(1).map(async (buyer, index) => {
      for (let seat = 50 + index; !over; seat = seat + 5 < 300 ? seat + 5 : 50 + index) {
        const { body } = await hold(at, [seat], buyer)
        await server.request('DELETE', `/api/holds/${body.data.holds[0].hold_id}`, { token: buyer.token })
      }
    })
    let lastSeq = 0
    for (let seat = 0; seat < 15; seat += 1) {
      await hold(at, [seat], buyers[0]!)
      const { data } = (await look(at, buyers[0]!)).body
      const own = data.seats.filter(({ status }: { status: string }) => status === 'held_by_me')
      expect(own).toHaveLength(seat + 1)
      expect(data.seq).toBeGreaterThan(lastSeq)
      lastSeq = data.seq
    }
    over = true
    await Promise.all(others)
  })

  it('shows a seat as free when its hold has run out, before anything is tidied up', async () => {
    const at = await hall(20, { default_hold_ttl_seconds: 60 })
    await hold(at, [7], buyers[0]!)
    const held = async (headers = {}) => (await look(at, buyers[1]!, headers)).body.data
    const { seq, seats } = await held()
    expect(seats).toHaveLength(1)
    await server.passes(60_000)
    expect(await held()).toMatchObject({ seq, seats: [] })
  })
})
