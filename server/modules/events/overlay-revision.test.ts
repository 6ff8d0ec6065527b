import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(async () => {
  await expectSound(server.database)
  await server.close()
})

const send = (method: string, url: string, body?: object, headers: Record<string, string> = {}) =>
  server.request(method, url, { token: ours.tokens.organizer, headers, ...(body && { body }) })

async function event({ isDraft = false } = {}) {
  const made = await eventOnSale(server, ours)
  let id = made.eventId
  if (isDraft) {
    const draft = { name: 'Draft', venue_id: made.venueId, layout_id: made.layoutId }
    id = (await send('POST', '/api/admin/events', draft)).body.data.id
  }
  const layout = (await send('GET', `/api/events/${id}/layout`)).body.data
  const seats: string[] = layout.zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
  const url = `/api/admin/events/${id}`
  return {
    url,
    seats,
    publish: () => send('POST', `${url}/publish`),
    put: (blocked_seat_ids: (string | undefined)[], ifMatch?: string) =>
      send(
        'PUT',
        `${url}/layout`,
        { overrides: { blocked_seat_ids } },
        ifMatch ? { 'if-match': ifMatch } : {},
      ),
    byHand: async (verb: 'block' | 'unblock', ...seat_ids: (string | undefined)[]) =>
      (await send('POST', `${url}/seats/${verb}`, { seat_ids, reason: 'camera' })).body.data,
    /** Finds which of the four seats are blocked, as buyers see it. */
    blocked: async () => {
      const found: { seat_id: string; status: string }[] = (
        await send('GET', `/api/events/${id}/availability`)
      ).body.data.seats
      const ids = found.filter(seat => seat.status === 'blocked').map(seat => seats.indexOf(seat.seat_id))
      return ids.sort()
    },
  }
}

describe('the revision of an overlay', () => {
  it('must be named once the event is on sale, and only the last one will do', async () => {
    const at = await event()
    const { revision } = (await send('GET', at.url)).body.data
    expect(await at.put([])).toMatchObject({ status: 428, body: { code: 'precondition_required', revision } })
    const first = await at.put([at.seats[0]], `"${revision}"`)
    expect(first.body.data).toMatchObject({
      revision: revision + 1,
      overrides: { blocked_seat_ids: [at.seats[0]] },
    })
    expect(first.headers.etag).toBe(`"${revision + 1}"`)
    for (const old of [`"${revision}"`, `W/"${revision + 1}"`, String(revision + 1), '']) {
      if (old === '') continue
      expect(await at.put([], old)).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed', revision: revision + 1 },
      })
    }
    expect((await at.put([], `"7", "${revision + 1}"`)).status).toBe(200)
    expect((await at.put([], '*')).status).toBe(200)
    expect((await send('PATCH', at.url, { name: 'Renamed' })).body.data.revision).toBe(revision + 3)
  })

  it('of a draft need not be named, but is looked at when it is', async () => {
    const at = await event({ isDraft: true })
    expect((await at.put([])).status).toBe(200)
    expect((await at.put([], '"1"')).status).toBe(412)
    expect((await at.put([], '"2"')).status).toBe(200)
  })

  it('of two who read the same one, one is told', async () => {
    const at = await event()
    const answers = await Promise.all([at.put([at.seats[0]], '"1"'), at.put([at.seats[1]], '"1"')])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 412])
    expect(await at.blocked()).toHaveLength(1)
  })
})

describe('seats that the overlay blocks and seats that staff block', () => {
  it('are told apart: neither unblocks what is the other’s', async () => {
    const at = await event()
    await at.put([at.seats[0], at.seats[1]], '*')
    expect(await at.byHand('block', at.seats[1], at.seats[2])).toMatchObject({
      seats_changed: 1,
      blocked_by_overlay: 1,
    })
    expect(await at.blocked()).toEqual([0, 1, 2])
    const read = (await send('GET', at.url)).body.data
    expect(read.overrides.blocked_seat_ids.sort()).toEqual([at.seats[0], at.seats[1]].sort())
    expect(read.blocked_by_hand.sort()).toEqual([at.seats[1], at.seats[2]].sort())

    await at.put([at.seats[3]], '*')
    expect(await at.blocked()).toEqual([1, 2, 3])
    expect(await at.byHand('unblock', ...at.seats)).toMatchObject({ seats_changed: 2, blocked_by_overlay: 1 })
    expect(await at.blocked()).toEqual([3])
    await at.put([], '*')
    expect(await at.blocked()).toEqual([])
  })

  it('stay so from the draft through the publication', async () => {
    const at = await event({ isDraft: true })
    await at.put([at.seats[0]])
    expect(await at.byHand('block', at.seats[0], at.seats[1])).toMatchObject({
      seats_changed: 1,
      blocked_by_overlay: 1,
    })
    await at.put([at.seats[2]])
    expect(await at.blocked()).toEqual([0, 1, 2])
    expect((await at.publish()).body.data).toMatchObject({
      overrides: { blocked_seat_ids: [at.seats[2]] },
      revision: 3,
    })
    expect(await at.blocked()).toEqual([0, 1, 2])
    await at.put([], '*')
    expect(await at.blocked()).toEqual([0, 1])
  })

  it('a seat that is held or sold can be blocked by neither: the refusal lists all of them', async () => {
    const at = await event()
    const taken = at.seats.slice(0, 2)
    const id = at.url.split('/').at(-1)
    await send('POST', `/api/events/${id}/holds`, { seat_ids: taken })
    const refused = { status: 409, body: { code: 'seat_not_available', current_status: 'held' } }
    const overlay = await at.put([...at.seats].reverse(), '*')
    expect(overlay).toMatchObject(refused)
    expect(overlay.body.seat_ids.sort()).toEqual(taken.sort())
    const hand = await send('POST', `${at.url}/seats/block`, { seat_ids: at.seats, reason: 'camera' })
    expect(hand).toMatchObject(refused)
    expect(hand.body.seat_ids.sort()).toEqual(taken.sort())
    expect((await send('GET', at.url)).body.data).toMatchObject({ revision: 1, blocked_by_hand: [] })
  })
})
