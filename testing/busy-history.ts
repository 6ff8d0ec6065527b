import { randomUUID } from 'node:crypto'
import type { CheckoutId, CommandId, EventId, HoldId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import { reapOnce } from '@voelgoed/engine/reaper/reaper'
import { postgresWork } from '@voelgoed/engine/reaper/work'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { eventOnSale, sell, type TestOrganization, type TestServer } from './harness.ts'

/** Rows of seats with wheelchairs, a pit, and a balcony whose chairs the second event does without. */
const HALL = {
  zones: [
    { name: 'Stalls', zone_type: 'reserved_seating', seats: rowsOfSeats(['A', 'B', 'C'], 10, 0) },
    { name: 'Pit', zone_type: 'ga_standing', capacity: 12 },
    { name: 'Balcony', zone_type: 'reserved_seating', seats: rowsOfSeats(['K', 'L'], 6, 10) },
  ],
}

function rowsOfSeats(rows: readonly string[], perRow: number, top: number): object[] {
  return rows.flatMap((row, y) =>
    Array.from({ length: perRow }, (_, x) => ({ row, number: x + 1, coordinates: { x, y: top + y } })),
  )
}

/**
 * Everything that can happen to the seats of two events, some of it at the same moment, by chance but always
 * the same: holds, extensions, releases by buyers and staff, payments that succeed and fail, expiry by the
 * next buyer and by the reaper, blocking, growth, going live.
 * The server should run without a reaper of its own.
 */
export async function makeBusyHistory(server: TestServer, ours: TestOrganization): Promise<void> {
  const admin = { token: ours.tokens.admin }
  const send = async (method: string, url: string, body?: object) => {
    const headers = { 'if-match': '*' }
    const answer = await server.request(method, url, { ...admin, headers, ...(body && { body }) })
    assert(answer.status < 300, answer.text)
    return answer.body.data
  }
  await send('PUT', '/api/admin/policy', { default_hold_ttl_seconds: 200, holds_per_window: null })
  const buyers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const answer = await server.request('POST', '/api/sessions/guest', {
        body: { organization: ours.slug },
      })
      return answer.body.data.token as string
    }),
  )
  const first = await eventOnSale(server, ours, HALL)
  const place = { venue_id: first.venueId, layout_id: first.layoutId }
  const zones = (await send('GET', `/api/events/${first.eventId}/layout`)).zones
  const draft = await send('POST', '/api/admin/events', { name: 'Without chairs', ...place })
  await send('PUT', `/api/admin/events/${draft.id}/layout`, {
    overrides: {
      zone_overrides: { [zones[2].zone_id]: { zone_type: 'ga_seated', capacity: 20 } },
      blocked_seat_ids: [zones[0].seats[4].seat_id],
    },
  })
  await send('POST', `/api/admin/events/${draft.id}/publish`)
  await send('POST', '/api/admin/events', { name: 'A draft', ...place })

  await sellAndRefund(server, ours, { eventId: first.eventId, zones, send })
  await letExpire(server, { eventId: first.eventId, zones, buyers, send })
  const chance = seeded(7)
  for (const eventId of [first.eventId, draft.id as string]) {
    const live = { server, ours, eventId, zones, buyers, chance, holds: [] as { id: string; of: string }[] }
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(Array.from({ length: 8 }, () => doSomething(live)))
      if (round === 7) await send('POST', `/api/admin/events/${eventId}/go-live`)
      if (round === 9) await grow(eventId, zones[1].zone_id, send)
    }
  }
}

type Send = (method: string, url: string, body?: object) => Promise<unknown>

interface Scene {
  readonly eventId: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly zones: any
  readonly buyers: readonly string[]
}

/** A platform books seats and places, with prices and without; some are taken back. */
async function sellAndRefund(
  server: TestServer,
  ours: TestOrganization,
  { eventId, zones, send }: Omit<Scene, 'buyers'> & { send: Send },
): Promise<void> {
  const session = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const { token } = session.body.data
  const seats = zones[2].seats.map((seat: { seat_id: string }) => seat.seat_id)
  const hold = async (body: object): Promise<string[]> => {
    const answer = await server.request('POST', `/api/events/${eventId}/holds`, { token, body })
    assert(answer.status === 201, answer.text)
    return answer.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  }
  const sell = (hold_ids: string[], more: object = {}) =>
    send('POST', '/api/admin/orders', {
      event_id: eventId,
      method: 'external',
      hold_ids,
      ...more,
    }) as Promise<{
      order_id: string
      tickets: { ticket_id: string }[]
    }>
  const priced = [
    ...(await hold({ seat_ids: seats.slice(0, 2) })),
    ...(await hold({ zone_id: zones[1].zone_id, quantity: 2 })),
  ]
  const lines = priced.map(hold_id => ({ hold_id, amount: 1_250 }))
  const first = await sell(priced, { currency: 'ZAR', lines, reference: 'priced' })
  await sell(await hold({ seat_ids: seats.slice(4, 6) }))
  await letIn(server, ours, eventId, first.tickets.slice(1))
  const back = [first.tickets[0]!, first.tickets[3]!].map(ticket => ticket.ticket_id)
  await send('POST', `/api/admin/orders/${first.order_id}/refund`, { ticket_ids: back, reason: 'ill' })
}

/** Gates scan these tickets, one of them out again; a gate without a network lets the first in once more. */
async function letIn(
  server: TestServer,
  ours: TestOrganization,
  eventId: string,
  tickets: readonly { ticket_id: string }[],
): Promise<void> {
  const scope = TenantScope.of(ours.id as OrganizationId)
  const device_id = 'gate'
  const scan = async (url: string, body: object) => {
    const answer = await server.request('POST', url, { token: ours.tokens.scanner, body })
    assert(answer.status === 200, answer.text)
  }
  const tokens = await Promise.all(
    tickets.map(({ ticket_id }) =>
      server.node.ticketKeys.sign(scope, {
        eventId: eventId as EventId,
        ticketId: ticket_id as TicketId,
        version: 1,
      }),
    ),
  )
  for (const token of tokens) await scan('/api/scans', { token, device_id })
  await scan('/api/scans', { token: tokens.at(-1), device_id, direction: 'out' })
  const scans = [{ scan_id: 'late', token: tokens[0], at: new Date().toISOString() }]
  await scan('/api/scans/batch', { device_id, scans })
}

/** Holds of a second: one is overtaken by the next buyer, one by staff, the others by the reaper. */
async function letExpire(server: TestServer, scene: Scene & { send: Send }): Promise<void> {
  const { eventId, zones, buyers, send } = scene
  const url = `/api/admin/events/${eventId}`
  const seats = zones[0].seats.slice(0, 4).map((seat: { seat_id: string }) => seat.seat_id)
  const hold = async (token: string, body: object) => {
    const answer = await server.request('POST', `/api/events/${eventId}/holds`, { token, body })
    assert(answer.status === 201, answer.text)
  }
  await send('PATCH', url, { seating_overrides: { default_hold_ttl_seconds: 1 } })
  await hold(buyers[0]!, { seat_ids: seats })
  await hold(buyers[1]!, { zone_id: zones[1].zone_id, quantity: 3 })
  await send('PATCH', url, { seating_overrides: {} })
  await server.passes(1_000)
  await hold(buyers[2]!, { seat_ids: [seats[0]] })
  await send('POST', `${url}/seats/block`, { seat_ids: [seats[1], seats[2]], reason: 'camera' })
  await send('POST', `${url}/seats/unblock`, { seat_ids: [seats[2]], reason: 'a smaller camera' })
  await reapOnce({ work: postgresWork(server.node.database), lanes: server.node.lanes })
}

async function grow(eventId: string, zoneId: string, send: Send): Promise<void> {
  const { overrides } = (await send('GET', `/api/admin/events/${eventId}`)) as {
    overrides: { zone_overrides: object }
  }
  const zone_overrides = { ...overrides.zone_overrides, [zoneId]: { capacity: 30 } }
  await send('PUT', `/api/admin/events/${eventId}/layout`, { overrides: { ...overrides, zone_overrides } })
}

/** One random request of a user. Most of them may be refused: only their effect matters here. */
async function doSomething(
  scene: Scene & {
    server: TestServer
    ours: TestOrganization
    chance: (below: number) => number
    holds: { id: string; of: string }[]
  },
): Promise<void> {
  const { server, ours, eventId, zones, buyers, chance, holds } = scene
  const token = buyers[chance(buyers.length)]!
  const aSeat = () => zones[0].seats[chance(zones[0].seats.length)].seat_id as string
  const url = `/api/events/${eventId}`
  const keep = (answer: {
    status: number
    body: { data: { holds?: { hold_id: string }[]; hold_id?: string } }
  }) => {
    if (answer.status > 299) return
    const { data } = answer.body
    for (const id of data.holds?.map(hold => hold.hold_id) ?? [data.hold_id!]) holds.push({ id, of: token })
  }
  const mine = holds.splice(chance(Math.max(holds.length, 1)), 1)[0]
  switch (chance(9)) {
    case 0: {
      const headers = { 'idempotency-key': randomUUID() }
      keep(await server.request('POST', `${url}/seats/${aSeat()}/reserve`, { token, headers }))
      break
    }
    case 1:
      keep(await server.request('POST', `${url}/holds`, { token, body: { seat_ids: [aSeat(), aSeat()] } }))
      break
    case 2: {
      const zone = zones[1 + chance(2)].zone_id
      const body = { zone_id: zone, quantity: 1 + chance(3), cart_token: 'a "cart"' }
      keep(await server.request('POST', `${url}/holds`, { token, body }))
      break
    }
    case 3: {
      const body = { seat_ids: [zones[0].seats[25 + chance(3)].seat_id], reason: 'a pillar' }
      const verb = chance(2) === 0 ? 'block' : 'unblock'
      const as = ours.tokens.organizer
      await server.request('POST', `/api/admin/events/${eventId}/seats/${verb}`, { token: as, body })
      break
    }
    case 4:
      if (mine) await server.request('DELETE', `/api/holds/${mine.id}`, { token: mine.of })
      break
    case 5: {
      const body = { hold_ids: [mine?.id ?? randomUUID()], notes: 'by telephone' }
      await server.request('POST', '/api/admin/seats/release', { token: ours.tokens.support, body })
      break
    }
    case 6:
      if (mine) await server.request('POST', `/api/holds/${mine.id}/extend`, { token: mine.of })
      if (mine) holds.push(mine)
      break
    default:
      if (mine) await pay(scene, mine.id, chance(4) > 0)
  }
}

/** Does what a checkout does: the payment starts, and then the money comes or does not. */
async function pay(
  { server, ours, eventId }: { server: TestServer; ours: TestOrganization; eventId: string },
  holdId: string,
  succeeds: boolean,
): Promise<void> {
  const lane = server.node.lanes.lane(TenantScope.of(ours.id as OrganizationId), eventId as EventId)
  const hold = (await lane.ready())!.state.holds.get(holdId as HoldId)
  if (!hold) return
  if (succeeds) {
    await sell(server, ours, eventId, holdId)
    return
  }
  const person = {
    userId: hold.user.key,
    role: 'customer' as const,
    membershipTier: null,
    membershipStatus: null,
  }
  const actor = { person, ip: null, source: 'web' as const }
  const payment = { actor, holdIds: [holdId as HoldId], checkoutId: randomUUID() as CheckoutId }
  const commandId = () => randomUUID() as CommandId
  await lane.submit({ kind: 'start_payment', commandId: commandId(), ...payment, allowStranding: true })
  await lane.submit({ kind: 'release', reason: 'payment_failed', commandId: commandId(), ...payment })
}

/** Numbers by chance that come out the same every time. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
