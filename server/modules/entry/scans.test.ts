import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { EventId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { verify } from '../operations/verify/verify.ts'

const { server, ours, send, organize } = useServer({ VOELGOED_REAPER: 'off' })
let otherNode: ListeningNode
/** For all tests that need no event of their own. Its zones are those of `ZONE`. */
let at: Hall

beforeAll(async () => {
  const patch = { token: ours.tokens.admin, body: { time_zone: noon().timeZone } }
  const changed = await server.request('PATCH', '/api/admin/organization', patch)
  expect(changed.status, changed.text).toBe(200)
  otherNode = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' })
  at = await hall({
    seats: 20,
    standing: 50,
    zones: [
      { name: 'Garden', zone_type: 'ga_standing', capacity: 20 },
      { name: 'Cellar', zone_type: 'ga_standing', capacity: 2 },
      { name: 'Lawn', zone_type: 'ga_seated', capacity: 4, metadata: { assign_seat_at_entry: true } },
      { name: 'Benches', zone_type: 'ga_seated', capacity: 4 },
      { name: 'Gold', zone_type: 'vip_standing', capacity: 9, ...GOLD },
      {
        name: 'Access',
        zone_type: 'reserved_seating',
        seats: [
          { row: 'W', number: 1, category: 'wheelchair', companion_seat_label: 'W-2' },
          { row: 'W', number: 2, category: 'companion' },
        ],
      },
    ],
  })
  await price(at, {
    [ZONE.garden]: { reentry: true },
    [ZONE.cellar]: { entries_per_day: 2 },
    [ZONE.lawn]: { reentry: true },
  })
})
afterAll(async () => {
  await otherNode.close()
  await expectSound(server.database)
})

const GOLD = { access_mode: 'membership_tier', membership_tier: 'gold' }
const ZONE = { pit: 1, garden: 2, cellar: 3, lawn: 4, benches: 5, gold: 6 }

interface Sold {
  readonly orderId: string
  readonly tickets: readonly { readonly id: string; readonly token: string }[]
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
let noonZone: { readonly timeZone: string; readonly offset: number } | null = null
/**
 * A time zone where the hour after noon had begun when these tests did: no day ends there while they run, at
 * midnight or at five in the morning. The tests' venues have it unless they say otherwise.
 */
function noon() {
  if (!noonZone) {
    const hours = 12 - new Date(server.clock.now()).getUTCHours()
    // The names of these zones have the sign the other way about.
    const timeZone = hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
    noonZone = { timeZone, offset: hours * HOUR }
  }
  return noonZone
}
/** The calendar day there. */
const dateOf = (ms: number) => new Date(ms + noon().offset).toISOString().slice(0, 10)
const ADMISSION = { days: 'all' as const, entries_per_day: 1, reentry: false }

const hall = (plan: HallPlan = {}) =>
  openHall(server.request, ours.tokens.organizer, {
    ...plan,
    event: { seating_overrides: { ...UNLIMITED, allow_vip_zones: true }, ...plan.event },
  })

/** Seats by ordinal, or places of a zone, sold by the box office. */
async function sell(
  at: Hall,
  what: number[] | { zone: number; places: number },
  buyer?: string,
  guests?: (object | null)[],
): Promise<Sold> {
  const token = buyer ?? ours.tokens.organizer
  const held = await send(
    'POST',
    `${at.url}/holds`,
    token,
    Array.isArray(what)
      ? { seat_ids: what.map(ordinal => at.seats[ordinal]) }
      : { zone_id: at.zones[what.zone], quantity: what.places },
  )
  expect(held.status, held.text).toBe(201)
  const hold_ids = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  if (guests) {
    const named = await send('PUT', `/api/holds/${hold_ids[0]}/guests`, token, { guests })
    expect(named.status, named.text).toBe(200)
  }
  const body = { event_id: at.eventId, hold_ids, method: 'external', allow_stranding: true }
  const sold = await organize('POST', '/api/admin/orders', body)
  expect(sold.status, sold.text).toBe(201)
  const ids: string[] = sold.body.data.tickets.map((one: { ticket_id: string }) => one.ticket_id)
  const tickets = await Promise.all(ids.map(async id => ({ id, token: await sign(at, id) })))
  return { orderId: sold.body.data.order_id, tickets }
}

function sign(at: Hall, ticketId: string, version = 1): Promise<string> {
  const scope = TenantScope.of(ours.id as OrganizationId)
  const name = { eventId: at.eventId as EventId, ticketId: ticketId as TicketId, version }
  return server.node.ticketKeys.sign(scope, name)
}

const scan = (token: string, body: object = {}, headers: Record<string, string> = {}) =>
  send(
    'POST',
    '/api/scans',
    ours.tokens.scanner,
    { token, device_id: 'north-1', gate: 'North', ...body },
    headers,
  )
/** The code of the refusal, or null. */
const code = async (token: string, body: object = {}) => {
  const answer = await scan(token, body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.data.result).toBe(answer.body.data.code === null ? 'admitted' : 'refused')
  return answer.body.data.code
}
const upload = (scans: object[], device_id = 'offline-1', headers: Record<string, string> = {}) =>
  send('POST', '/api/scans/batch', ours.tokens.scanner, { device_id, scans }, headers)
const bundle = (at: Hall, query = '') =>
  send('GET', `/api/scans/bundle?event_id=${at.eventId}${query}`, ours.tokens.scanner)
const attendance = async (at: Hall) =>
  (await send('GET', `/api/admin/events/${at.eventId}/attendance`, ours.tokens.support)).body.data
const conflicts = async (at: Hall) =>
  (await send('GET', `/api/admin/events/${at.eventId}/attendance/conflicts`, ours.tokens.support)).body.data
/** A category for each of these zones, with what it lets its tickets do. */
const price = async (where: Hall, admission: Record<number, object>) => {
  const zones = Object.entries(admission)
  const ticket_types = [{ key: 'adult', name: 'Adult', amount: 100 }]
  const answer = await organize(
    'PUT',
    `/api/admin/events/${where.eventId}/prices`,
    {
      currency: 'ZAR',
      categories: zones.map(([zone]) => ({ key: `c${zone}`, name: zone, ticket_types })),
      zones: Object.fromEntries(zones.map(([zone]) => [where.zones[Number(zone)], `c${zone}`])),
      admission: Object.fromEntries(zones.map(([zone, given]) => [`c${zone}`, { ...ADMISSION, ...given }])),
    },
    { 'if-match': '"0"' },
  )
  expect(answer.status, answer.text).toBe(200)
}

describe('a ticket at the gate', () => {
  it('shows its type by its name, with a network and in the list of the gate', async () => {
    const gate = await hall()
    await price(gate, { 0: {} })
    const held = await organize('POST', `${gate.url}/holds`, { seat_ids: [gate.seats[0]] })
    const { hold_id } = held.body.data.holds[0]
    const sold = await organize('POST', '/api/admin/orders', {
      ...{ event_id: gate.eventId, hold_ids: [hold_id], method: 'external', allow_stranding: true },
      ...{ currency: 'ZAR', lines: [{ hold_id, amount: 100, ticket_type: 'adult' }] },
    })
    const token = await sign(gate, sold.body.data.tickets[0].ticket_id)
    const shown = (await scan(token)).body.data.ticket
    expect(shown).toMatchObject({ ticket_type: 'adult', ticket_type_name: 'Adult' })
    expect((await bundle(gate, '&tickets=true')).body.data.ticket_type_names).toEqual({ adult: 'Adult' })
  })

  it('opens it once a day, and the answer says who comes and where they sit', async () => {
    const [ticket] = (await sell(at, [2])).tickets
    const began = server.clock.now()
    const first = await scan(ticket!.token)
    expect(first.body.data).toMatchObject({
      result: 'admitted',
      code: null,
      ticket: {
        ticket_id: ticket!.id,
        zone_name: 'Stalls',
        row: 'R1',
        seat_number: 3,
        attendee: null,
        flags: [],
      },
      entries_today: 1,
      live: null,
      day: dateOf(server.clock.now()),
    })
    const second = await scan(ticket!.token, { gate: 'South', device_id: 'south-1' })
    expect(second.body.data).toMatchObject({
      result: 'refused',
      code: 'already_entered',
      entries_today: 1,
      entered: { gate: 'North' },
      entry_id: null,
    })
    expect(Date.parse(second.body.data.entered.at)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(second.body.data.entered.at)).toBeLessThanOrEqual(server.clock.now())
  })

  it('at two gates of two nodes at one instant: one lets its holder in', async () => {
    const seats = (await sell(at, [4, 5, 6])).tickets
    const places = (await sell(at, { zone: ZONE.pit, places: 3 })).tickets
    const ask = async (token: string, gate: number) => {
      const answer = await fetch(`${otherNode.url}/api/scans`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${ours.tokens.scanner}` },
        body: JSON.stringify({ token, device_id: `other-${gate}` }),
      })
      return ((await answer.json()) as { data: { code: string | null } }).data.code
    }
    for (const { token } of [...seats, ...places]) {
      const gates = [1, 2, 3, 4]
      const codes = await Promise.all([
        ...gates.map(gate => code(token, { device_id: `here-${gate}` })),
        ...gates.map(gate => ask(token, gate)),
      ])
      expect(codes.filter(each => each === null)).toHaveLength(1)
      expect(codes.filter(each => each === 'already_entered')).toHaveLength(7)
    }
    const ids = [...seats, ...places].map(({ id }) => id)
    const [row] = await server.database.sql('select count(*)::int from entries where ticket_id = any ($1)', [
      ids,
    ])
    expect(row).toEqual({ count: 6 })
  })

  it('repeats its answer to a device that asks again, by the scan’s name or by a key', async () => {
    const [first, second] = (await sell(at, [7, 8])).tickets
    const once = await scan(first!.token, { scan_id: 'n/1' })
    const again = await scan(first!.token, { scan_id: 'n/1' })
    expect(again.body.data).toEqual(once.body.data)
    expect(again.body.data.result).toBe('admitted')
    expect(await code(first!.token, { scan_id: 'n/2' })).toBe('already_entered')
    expect(await code(first!.token, { scan_id: 'n/1', device_id: 'other' })).toBe('already_entered')

    const key = { 'idempotency-key': randomUUID() }
    const keyed = await scan(second!.token, {}, key)
    expect((await scan(second!.token, {}, key)).body).toEqual(keyed.body)
    expect(keyed.body.data.result).toBe('admitted')
    const ids = [first!.id, second!.id]
    const [row] = await server.database.sql('select count(*)::int from entries where ticket_id = any ($1)', [
      ids,
    ])
    expect(row).toEqual({ count: 2 })
  })

  it('is refused when it is void, replaced, of another event, forged, or of another organization', async () => {
    const { orderId, tickets } = await sell(at, [9, 10, 11])
    const [first, second, third] = tickets
    const body = { ticket_ids: [first!.id], reason: 'ill' }
    expect((await organize('POST', `/api/admin/orders/${orderId}/refund`, body)).status).toBe(200)
    expect(await code(first!.token)).toBe('void')

    await server.database.sql('update tickets set version = 2 where id = $1', [second!.id])
    expect(await code(second!.token)).toBe('replaced')
    expect(await code(await sign(at, second!.id, 3))).toBe('unknown_ticket')
    expect(await code(await sign(at, second!.id, 2))).toBe(null)

    expect(await code(third!.token, { event_id: randomUUID() })).toBe('wrong_event')
    expect(await code(await sign(at, randomUUID()))).toBe('unknown_ticket')
    const forged = `${third!.token.slice(0, -4)}${third!.token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    for (const token of [forged, 'VG1.', 'x'.repeat(200)]) expect(await code(token)).toBe('unknown_ticket')
    const theirs = await server.organization('Theirs')
    const foreign = await send('POST', '/api/scans', theirs.tokens.scanner, {
      token: third!.token,
      device_id: 'd',
    })
    expect(foreign.body.data).toMatchObject({ code: 'unknown_ticket', ticket: null })
    expect(await code(third!.token, { event_id: at.eventId })).toBe(null)
  })

  it('is valid on its days, in the time zone of the venue', async () => {
    const now = server.clock.now()
    const days = [dateOf(now), dateOf(now + 2 * DAY)]
    const at = await hall({ standing: 10, event: { days } })
    await price(at, { [ZONE.pit]: { days: [days[1]] } })
    const [seat] = (await sell(at, [0])).tickets
    const [later] = (await sell(at, { zone: 1, places: 1 })).tickets
    expect((await scan(later!.token)).body.data).toMatchObject({
      code: 'not_valid_today',
      valid_days: [days[1]],
    })
    await organize('PATCH', `/api/admin/events/${at.eventId}`, { days: [dateOf(now + DAY * 3)] })
    expect((await scan(seat!.token)).body.data).toMatchObject({
      code: 'too_early',
      valid_days: [dateOf(now + DAY * 3)],
    })
    // It is another day there already.
    // A day of an event goes on until five in the morning: where that is soon, it is not asked for.
    const isFour = new Date(now + 14 * HOUR).getUTCHours() === 4
    const [east, hours] = isFour ? ['Pacific/Tongatapu', 13] : ['Pacific/Kiritimati', 14]
    const west = 'Pacific/Pago_Pago'
    const eastern = new Date(now + (hours - 5) * HOUR).toISOString().slice(0, 10)
    await organize('PATCH', `/api/admin/events/${at.eventId}`, { days: [eastern] })
    await organize('PATCH', `/api/admin/venues/${at.venueId}`, { time_zone: east })
    expect((await scan(seat!.token)).body.data).toMatchObject({ code: null, day: eastern })
    await organize('PATCH', `/api/admin/events/${at.eventId}`, { days: [dateOf(now + DAY)] })
    await organize('PATCH', `/api/admin/venues/${at.venueId}`, { time_zone: west })
    expect(await code(seat!.token)).toBe('too_early')
  })

  it('lets its holder out and in again where the price list says so', async () => {
    const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
    expect(await code(ticket!.token, { direction: 'out' })).toBe('not_inside')
    const steps = ['in', 'in', 'out', 'out', 'in'] as const
    const seen = []
    for (const direction of steps) {
      const { body } = await scan(ticket!.token, { direction })
      seen.push([body.data.code, body.data.live.inside])
    }
    expect(seen).toEqual([
      [null, 1],
      ['already_entered', 1],
      [null, 0],
      ['not_inside', 0],
      [null, 1],
    ])
  })

  it('shows who needs a wheelchair place, and the seat that is kept for a companion', async () => {
    const { tickets } = await sell(at, [20, 21])
    const flags = []
    for (const { token } of tickets) flags.push((await scan(token)).body.data.ticket.flags)
    expect(flags.sort()).toEqual([['companion_reserved'], ['wheelchair']])
  })
})

describe('zones that are counted', () => {
  it('a standing zone is full when as many are inside as it holds', async () => {
    const [one, two] = (await sell(at, { zone: ZONE.cellar, places: 2 })).tickets
    const answers = []
    for (const ticket of [one, one, two]) answers.push((await scan(ticket!.token)).body.data)
    expect(answers.map(({ code, live }) => [code, live.inside, live.capacity])).toEqual([
      [null, 1, 2],
      [null, 2, 2],
      ['zone_full', 2, 2],
    ])
    expect(await code(one!.token, { direction: 'out' })).toBe(null)
    expect(await code(two!.token)).toBe(null)
  })

  it('a zone that gives places at the entry gives each once, and keeps it for those who come back', async () => {
    const { tickets } = await sell(at, { zone: ZONE.lawn, places: 3 })
    const [bench] = (await sell(at, { zone: ZONE.benches, places: 1 })).tickets
    const placeOf = async (token: string, body = {}) => (await scan(token, body)).body.data.ticket.seat_number
    const given = await Promise.all(tickets.map(({ token }) => placeOf(token)))
    expect(given.sort()).toEqual([1, 2, 3])
    const [first] = tickets
    const kept = await placeOf(first!.token, { direction: 'out' })
    expect(await placeOf(first!.token)).toBe(kept)
    expect(await placeOf(bench!.token)).toBeNull()
  })

  it('a members’ zone asks for the membership at the gate, and lets a person in once', async () => {
    const email = `anna-${randomUUID().slice(0, 8)}@example.org`
    const users = `/api/platform/organizations/${ours.id}/users`
    const membership = (membership_status: string) => ({ membership_tier: 'gold', membership_status })
    const anna = await server.request('POST', users, {
      token: ROOT_KEY,
      body: { email, password: PASSWORD, role: 'customer', ...membership('active') },
    })
    const session = await server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })
    const { token } = session.body.data
    const friend = 'carla@example.org'
    await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, { entries: [{ email: friend }] })
    const guests = [null, { email: friend }]
    const { tickets } = await sell(at, { zone: ZONE.gold, places: 2 }, token, guests)
    // The tickets of a hold, in the order of their ids, are its places.
    const [mine, hers] = [...tickets].sort((a, b) => (a.id < b.id ? -1 : 1))
    const change = (status: string) =>
      server.request('PATCH', `${users}/${anna.body.data.id}`, { token: ROOT_KEY, body: membership(status) })
    await change('suspended')
    expect(await code(mine!.token)).toBe('membership_not_active')
    await change('active')
    expect(await code(mine!.token)).toBe(null)
    const [row] = await server.database.sql<{ row: string }>(
      'select e::text as row from entries e where ticket_id = $1',
      [mine!.id],
    )
    expect(row!.row).not.toContain(anna.body.data.id)
    // Both places are now the buyer's own, who came in by one of them.
    await server.database.sql('delete from place_guests where email_key = $1', [friend])
    expect(await code(hers!.token)).toBe('guest_not_named')
  })
})

describe('gates without a network', () => {
  it('upload what they did; two that let the same ticket in are a conflict to look at', async () => {
    const at = await hall({ standing: 5 })
    const { orderId, tickets } = await sell(at, [0, 1, 2, 3])
    const [both, late, voided, fine] = tickets
    const began = server.clock.now()
    const item = (ticket: { token: string } | undefined, minutes: number) => ({
      scan_id: randomUUID(),
      token: ticket!.token,
      at: new Date(began - minutes * 60_000).toISOString(),
      gate: 'Barn',
    })
    expect(await code(late!.token)).toBe(null)
    const first = [item(both, 10), item(fine, 9), { ...item(fine, 8), token: 'VG1.nothing' }]
    const one = await upload(first, 'offline-1')
    expect(one.body.data).toMatchObject({ admitted: 2, refused: 1 })
    expect(one.body.data.scans.map((each: { code: string | null }) => each.code)).toEqual([
      null,
      null,
      'unknown_ticket',
    ])
    // Repeated after a lost answer: nothing is added.
    expect((await upload(first, 'offline-1')).body.data).toEqual(one.body.data)
    const key = { 'idempotency-key': randomUUID() }
    expect((await upload(first, 'offline-1', key)).body).toEqual(one.body)
    expect((await upload(first, 'offline-1', key)).body).toEqual(one.body)
    expect((await upload(first.slice(1), 'offline-1', key)).body.code).toBe('idempotency_key_reused')
    const two = await upload([item(both, 7), item(late, 6), item(both, 12)], 'offline-2')
    expect(two.body.data.scans.map((each: { code: string | null }) => each.code)).toEqual([
      'already_entered',
      null,
      null,
    ])

    expect(await code(both!.token)).toBe('already_entered')
    await organize('POST', `/api/admin/orders/${orderId}/refund`, { ticket_ids: [voided!.id], reason: 'ill' })
    const now = { at: new Date(server.clock.now()).toISOString() }
    const after = await upload([item(voided, 5), { ...item(voided, 0), ...now }], 'offline-3')
    expect(after.body.data.scans.map((each: { code: string | null }) => each.code)).toEqual([null, 'void'])

    const found = await conflicts(at)
    expect(found.map((one: { code: string; ticket_id: string }) => [one.code, one.ticket_id])).toEqual([
      ['already_entered', both!.id],
      ['already_entered', both!.id],
      ['already_entered', late!.id],
      ['void', voided!.id],
    ])
    expect(found[0]).toMatchObject({ zone_name: 'Stalls', row: 'R1', gate: 'Barn', device_id: 'offline-1' })
    // The one at the gate with a network came after the one without, and is the second of the two.
    expect(found[2]).toMatchObject({ gate: 'North', first: { gate: 'Barn' } })
    expect((await attendance(at)).conflicts).toBe(4)
    const { checks } = await verify(server.database.url, { tidyWithinSeconds: 1e9 })
    expect(checks.filter(check => check.invariant === 22 && check.violations > 0)).toEqual([])
  })

  it.each([
    ['in a standing zone', { zone: ZONE.garden, places: 1 }],
    ['in a zone without counts', { zone: ZONE.lawn, places: 1 }],
  ])(
    'tell of one exit twice, the later one first, %s: it counts once, and one person comes back',
    async (_, what) => {
      const [ticket] = (await sell(at, what)).tickets
      const item = (seconds: number, direction: string) => ({
        ...{ scan_id: randomUUID(), token: ticket!.token, direction },
        at: new Date(server.clock.now() - seconds * 1000).toISOString(),
      })
      const told = [item(60, 'in'), item(20, 'out'), item(30, 'out')]
      const codes = []
      for (const [device, one] of told.entries()) {
        const answer = await upload([one], `exit-${device}`)
        expect(answer.status, answer.text).toBe(200)
        codes.push(answer.body.data.scans[0].code)
      }
      expect(codes).toEqual([null, null, 'not_inside'])
      expect(await code(ticket!.token, { device_id: 'north-1' })).toBe(null)
      expect(await code(ticket!.token, { device_id: 'north-2' })).toBe('already_entered')
      expect(await code(ticket!.token, { direction: 'out' })).toBe(null)
    },
  )

  describe('tell of an exit before its entry', () => {
    /** The scans of a test are so far apart as it says, however long it takes to tell of one. */
    let began: number
    beforeEach(() => {
      began = server.clock.now()
    })
    const item = (token: string, seconds: number, direction: string) => ({
      ...{ scan_id: randomUUID(), token, direction, at: new Date(began - seconds * 1000).toISOString() },
    })
    const codeOf = async (one: object, device: string) => {
      const answer = await upload([one], device)
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.scans[0].code
    }
    const insideGarden = async () => {
      const [row] = await server.database.sql<{ inside: number }>(
        'select inside from zone_days where event_id = $1 and zone_index = $2',
        [at.eventId, ZONE.garden],
      )
      return row?.inside ?? 0
    }
    /** In the order in which they happened, with what became of the counts. */
    const written = (ticketId: string) =>
      server.database.sql<{ direction: string; gate: string | null }>(
        'select direction, gate from entries where ticket_id = $1 order by at',
        [ticketId],
      )

    it('at a gate with a network: the guard hears that none is inside, and the exit counts later', async () => {
      const before = await insideGarden()
      const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      const entry = item(ticket!.token, 60, 'in')
      const out = { direction: 'out', scan_id: randomUUID(), gate: 'South', device_id: 'south-1' }
      const told = await scan(ticket!.token, out)
      expect(told.body.data).toMatchObject({ result: 'refused', code: 'not_inside', entry_id: null })
      // The answer was lost: once more is the same, and nothing is added.
      expect((await scan(ticket!.token, out)).body.data).toEqual(told.body.data)
      expect(await codeOf({ ...item(ticket!.token, 0, 'out'), scan_id: out.scan_id }, 'south-1')).toBe(
        'not_inside',
      )
      expect(await written(ticket!.id)).toEqual([])
      expect(await codeOf(entry, 'offline-1')).toBe(null)
      expect(await written(ticket!.id)).toEqual([
        { direction: 'in', gate: null },
        { direction: 'out', gate: 'South' },
      ])
      expect(await insideGarden()).toBe(before)
      // Both are sent once more: nothing is added.
      expect(await codeOf(entry, 'offline-1')).toBe(null)
      const again = await scan(ticket!.token, out)
      expect(again.body.data).toMatchObject({ result: 'admitted', code: null, live: { inside: before } })
      expect(await written(ticket!.id)).toHaveLength(2)
      // Gates without a network hear of it.
      const { entries } = (await bundle(at, '&limit=10000')).body.data
      const heard = entries.filter((one: { ticket_id: string }) => one.ticket_id === ticket!.id)
      expect(heard.map((one: { direction: string }) => one.direction).sort()).toEqual(['in', 'out'])
      // The guest comes back, once.
      expect(await code(ticket!.token)).toBe(null)
      expect(await code(ticket!.token, { device_id: 'north-2' })).toBe('already_entered')
      expect(await code(ticket!.token, { direction: 'out' })).toBe(null)
    })

    it('so many of a ticket are kept, however often it is held up', async () => {
      const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      for (let n = 0; n < 22; n += 1) await code(ticket!.token, { direction: 'out' })
      const kept = await server.database.sql(
        'select count(*)::int as kept from early_exits where ticket_id = $1',
        [ticket!.id],
      )
      expect(kept).toEqual([{ kept: 20 }])
    })

    it.each([
      ['the exit first', [1, 0, 2, 3]],
      ['the second exit first', [3, 0, 1, 2]],
      ['exits before entries', [1, 3, 0, 2]],
      ['the last first', [3, 2, 1, 0]],
      ['the first exit after the second, then the second entry', [0, 3, 1, 2]],
    ])('in and out twice, by four gates, %s: none is inside in the end', async (_, order) => {
      const before = await insideGarden()
      const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      const story = ['in', 'out', 'in', 'out'].map((way, index) => item(ticket!.token, 60 - index * 10, way))
      for (const each of order) await codeOf(story[each]!, `gate-${each}`)
      expect((await written(ticket!.id)).map(({ direction }) => direction)).toEqual([
        'in',
        'out',
        'in',
        'out',
      ])
      expect(await insideGarden()).toBe(before)
      expect(await code(ticket!.token, { direction: 'out' })).toBe('not_inside')
      // The exit that came last of all does not let them in twice.
      expect(await code(ticket!.token)).toBe(null)
      expect(await code(ticket!.token)).toBe('already_entered')
      expect(await code(ticket!.token, { direction: 'out' })).toBe(null)
    })

    it('who left before they came back is not listed as one who came in twice', async () => {
      const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      const { token } = ticket!
      expect(await codeOf(item(token, 60, 'in'), 'gate-1')).toBe(null)
      expect(await codeOf(item(token, 30, 'out'), 'gate-2')).toBe(null)
      expect(await codeOf(item(token, 50, 'out'), 'gate-3')).toBe('not_inside')
      expect(await codeOf(item(token, 40, 'in'), 'gate-4')).toBe(null)
      // With a network meanwhile, at a gate that did not know of the first entry.
      const [other] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      const first = item(other!.token, 60, 'in')
      expect(await code(other!.token, { direction: 'out' })).toBe('not_inside')
      expect(await code(other!.token)).toBe(null)
      expect(await codeOf(first, 'gate-1')).toBe(null)
      const listed = (await conflicts(at)).map((one: { ticket_id: string }) => one.ticket_id)
      expect(listed).not.toContain(ticket!.id)
      expect(listed).not.toContain(other!.id)
      expect(await code(other!.token, { direction: 'out' })).toBe(null)
    })

    it('an exit counts for one entry, and not for another that arrives late as well', async () => {
      const before = await insideGarden()
      const [ticket] = (await sell(at, { zone: ZONE.garden, places: 1 })).tickets
      expect(await code(ticket!.token, { direction: 'out' })).toBe('not_inside')
      expect(await codeOf(item(ticket!.token, 60, 'in'), 'gate-1')).toBe(null)
      expect(await codeOf(item(ticket!.token, 50, 'in'), 'gate-2')).toBe('already_entered')
      expect(await insideGarden()).toBe(before + 1)
      expect(await code(ticket!.token, { direction: 'out' })).toBe(null)
    })

    it('a full zone: who has left by now was not too many', async () => {
      const small = await hall({ zones: [{ name: 'Attic', zone_type: 'ga_standing', capacity: 2 }] })
      const { tickets } = await sell(small, { zone: 1, places: 2 })
      await server.database.sql(
        `insert into zone_days (organization_id, event_id, zone_index, day, inside) values ($1, $2, 1, $3, 2)`,
        [ours.id, small.eventId, dateOf(server.clock.now())],
      )
      expect(await codeOf(item(tickets[0]!.token, 20, 'out'), 'gate-1')).toBe('not_inside')
      expect(await codeOf(item(tickets[0]!.token, 60, 'in'), 'gate-2')).toBe(null)
      expect(await codeOf(item(tickets[1]!.token, 60, 'in'), 'gate-2')).toBe('zone_full')
      await server.database.sql('update zone_days set inside = 1 where event_id = $1', [small.eventId])
    })
  })

  describe('with a clock that is wrong', () => {
    const item = (token: string, at: number) => ({
      ...{ scan_id: randomUUID(), token, gate: 'South' },
      at: new Date(at).toISOString(),
    })
    const codesOf = (answer: { body: { data: { scans: { code: string | null }[] } } }) =>
      answer.body.data.scans.map(({ code }) => code)
    const liveHall = async () => {
      const today = dateOf(server.clock.now())
      const at = await hall({ event: { days: [today] } })
      const { tickets } = await sell(at, [0, 1, 2])
      const live = await organize('POST', `/api/admin/events/${at.eventId}/go-live`)
      expect(live.status, live.text).toBe(200)
      return { at, tickets, today }
    }

    it.each([
      ['a device whose battery was empty', 5 * 60_000],
      ['a day behind', systemClock.now() - 26 * HOUR],
      ['a year behind', systemClock.now() - 400 * DAY],
    ])('%s: who came in twice is listed, and on the day on which they came', async (_, madeAt) => {
      const { at, tickets, today } = await liveHall()
      const [ticket, other] = tickets
      expect(await code(ticket!.token)).toBe(null)
      const told = item(ticket!.token, madeAt)
      const sent = await upload([told], 'south-1')
      expect(codesOf(sent)).toEqual(['already_entered'])
      expect((await upload([told], 'south-1')).body.data).toEqual(sent.body.data)
      // The other way about: its gate is told of first.
      expect(codesOf(await upload([item(other!.token, madeAt)], 'south-1'))).toEqual([null])
      expect(await code(other!.token)).toBe('already_entered')
      const found = await conflicts(at)
      const listed = (id: string) =>
        found.flatMap((one: { code: string; ticket_id: string }) => (one.ticket_id === id ? one.code : []))
      expect(listed(ticket!.id).sort()).toEqual(['already_entered', 'clock_wrong'])
      expect(listed(other!.id)).toEqual(['clock_wrong'])
      const { days, conflicts: count } = await attendance(at)
      expect(days).toMatchObject([{ day: today, entries: 3, tickets: 2 }])
      // Two people too many, or none: two entries to look at.
      expect(count).toBe(2)
    })

    it('two gates without a network, one of which is a day behind: one of the entries is listed', async () => {
      const { at, tickets } = await liveHall()
      const { token, id } = tickets[0]!
      const before = server.clock.now() - 60_000
      expect(codesOf(await upload([item(token, before - 26 * HOUR)], 'south-1'))).toEqual([null])
      expect(codesOf(await upload([item(token, before)], 'north-9'))).toEqual([null])
      const found = await conflicts(at)
      expect(found.map((one: { code: string; ticket_id: string }) => [one.code, one.ticket_id])).toEqual([
        ['clock_wrong', id],
        ['already_entered', id],
      ])
      const { checks } = await verify(server.database.url, { tidyWithinSeconds: 1e9 })
      expect(checks.filter(check => check.invariant === 22 && check.violations > 0)).toEqual([])
    })

    it('a device that sends its own time is understood', async () => {
      const { at, tickets, today } = await liveHall()
      const behind = server.clock.now() - 26 * HOUR
      const scans = [item(tickets[0]!.token, behind - 60_000), item(tickets[1]!.token, behind)]
      const body = { device_id: 'south-1', sent_at: new Date(behind).toISOString(), scans }
      const sent = await send('POST', '/api/scans/batch', ours.tokens.scanner, body)
      expect(codesOf(sent)).toEqual([null, null])
      expect(await conflicts(at)).toEqual([])
      const { days } = await attendance(at)
      expect(days).toMatchObject([{ day: today, entries: 2 }])
      expect(await code(tickets[0]!.token)).toBe('already_entered')
    })
  })

  it('upload what a stuck reader has read in a few transactions, each scan judged after the one before', async () => {
    const gate = await hall()
    await price(gate, { 0: { reentry: true } })
    const { tickets } = await sell(gate, [0, 1])
    const [stuck, other] = tickets
    const began = server.clock.now() - 3_600_000
    const item = (token: string, index: number, direction: string) => {
      return { scan_id: randomUUID(), token, direction, at: new Date(began + index * 1_000).toISOString() }
    }
    const way = (index: number) => (index % 2 === 0 ? 'in' : 'out')
    const scans = Array.from({ length: 60 }, (_, index) => item(stuck!.token, index, way(index)))
    scans.push(item(other!.token, 60, 'in'), item(stuck!.token, 61, 'out'), item(stuck!.token, 62, 'in'))
    // The node's own work goes on meanwhile: only what this upload calls is counted.
    const calls = new AsyncLocalStorage<'upload'>()
    const { database } = server.node
    const { tenant } = database
    let count = 0
    const counting = vi.spyOn(database, 'tenant').mockImplementation((...given) => {
      if (calls.getStore()) count += 1
      return tenant.apply(database, given)
    })
    const sent = await calls.run('upload', () => upload(scans, 'stuck-1'))
    counting.mockRestore()
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(20)
    const results: { scan_id: string; code: string | null }[] = sent.body.data.scans
    expect(results.map(({ scan_id }) => scan_id)).toEqual(scans.map(({ scan_id }) => scan_id))
    const refused = results.flatMap(({ code }, index) => (code === null ? [] : [[index, code]]))
    expect(refused).toEqual([[61, 'not_inside']])
    const again = await upload(scans, 'stuck-1')
    expect(again.body.data.scans).toEqual(results)
  })

  it('upload after their event was cancelled or is over: what they did before that was good', async () => {
    const before = server.clock.now() - 60_000
    const item = (token: string, at = server.clock.now()) => {
      return { scan_id: randomUUID(), token, at: new Date(at).toISOString() }
    }
    const codesOf = async (scans: object[]) => {
      const { data } = (await upload(scans)).body
      return data.scans.map((each: { code: string | null }) => each.code)
    }
    const off = await hall()
    const [first, second, third, fourth] = (await sell(off, [0, 1, 2, 3])).tickets
    expect((await organize('POST', `/api/admin/events/${off.eventId}/cancel`)).status).toBe(200)
    expect(await codesOf([item(first!.token, before), item(second!.token)])).toEqual([null, 'void'])
    expect(await code(third!.token)).toBe('void')
    // Not asked for: it waits for the refunds.
    await server.database.sql(`update events set status = 'archived' where id = $1`, [off.eventId])
    expect(await codesOf([item(third!.token, before), item(fourth!.token)])).toEqual([null, 'void'])
    expect((await conflicts(off)).map((each: { code: string }) => each.code)).toEqual(['void', 'void'])
    // An event that was cancelled before the time was kept has none.
    for (const change of [`status = 'cancelled'`, 'cancelled_at = null']) {
      await server.database.sql(`update events set ${change} where id = $1`, [off.eventId])
    }
    expect(await codesOf([item(fourth!.token, before)])).toEqual(['void'])

    // Its gates were opened before its first day.
    const over = await hall({ event: { days: [dateOf(server.clock.now() + 3 * DAY)] } })
    const [early] = (await sell(over, [0])).tickets
    await organize('POST', `/api/admin/events/${over.eventId}/go-live`)
    const done = await organize('POST', `/api/admin/events/${over.eventId}/complete`)
    expect(done.status, done.text).toBe(200)
    expect(await codesOf([item(early!.token)])).toEqual([null])
  })

  it('get what they need by page, and from then on only news', async () => {
    const at = await hall({ standing: 20 })
    const { orderId, tickets } = await sell(at, { zone: 1, places: 12 })
    await organize('POST', `/api/admin/orders/${orderId}/refund`, {
      ticket_ids: [tickets[0]!.id],
      reason: 'ill',
    })
    await server.database.sql('update tickets set version = version + 1 where id = $1', [tickets[1]!.id])
    for (const { token } of tickets.slice(2)) await scan(token)
    const entered = new Set<string>()
    const gone = new Set<string>()
    let since = ''
    let pages = 0
    for (let isComplete = false; !isComplete; pages += 1) {
      const { data } = (await bundle(at, `&limit=5${since}`)).body
      for (const { ticket_id } of data.entries) entered.add(ticket_id)
      for (const { ticket_id } of [...data.void, ...data.replaced]) gone.add(ticket_id)
      if (pages === 0) {
        expect(data.event).toMatchObject({ id: at.eventId, time_zone: noon().timeZone })
        expect(data.public_keys[0].public_key).toMatch(/^MCowBQYDK2Vw/)
      }
      isComplete = data.is_complete
      since = `&since=${data.since}`
      expect(pages).toBeLessThan(10)
    }
    expect(pages).toBe(3)
    expect(gone).toEqual(new Set([tickets[0]!.id, tickets[1]!.id]))
    expect(entered).toEqual(new Set(tickets.slice(2).map(({ id }) => id)))
    await server.database.sql(`update entries set recorded_at = recorded_at - interval '1 hour'`)
    await scan(tickets[2]!.token, { direction: 'out' })
    const news = (await bundle(at, since)).body.data
    expect(news.entries.map((entry: { direction: string }) => entry.direction)).toEqual(['out'])
    for (const wrong of ['x', '1.2', `1.${randomUUID()}`, '9'.repeat(18), '-1']) {
      expect((await bundle(at, `&since=${wrong}`)).body.code).toBe('invalid_request')
    }
    expect((await bundle({ ...at, eventId: randomUUID() })).body.code).toBe('event_not_found')
  })
})

describe('a ticket that was moved after a gate without a network let its holder in', () => {
  /** All places cost the same and may be left and entered again. */
  const alike = async (plan: HallPlan = {}) => {
    const where = await hall({ standing: 5, ...plan })
    const ticket_types = [{ key: 'adult', name: 'Adult', amount: 100 }]
    const list = {
      currency: 'ZAR',
      categories: [{ key: 'one', name: 'One', ticket_types }],
      zones: Object.fromEntries(where.zones.map(zone => [zone, 'one'])),
      admission: { one: { ...ADMISSION, reentry: true } },
    }
    const url = `/api/admin/events/${where.eventId}/prices`
    const answer = await organize('PUT', url, list, { 'if-match': '"0"' })
    expect(answer.status, answer.text).toBe(200)
    return where
  }
  const askToMove = (where: Hall, orderId: string, ticketId: string, seat: number) =>
    organize('POST', `/api/admin/orders/${orderId}/move`, {
      moves: [{ ticket_id: ticketId, seat_id: where.seats[seat] }],
    })
  const move = async (where: Hall, orderId: string, ticketId: string, seat: number) => {
    const before: { ticket_id: string }[] = (await organize('GET', `/api/admin/orders/${orderId}`)).body.data
      .tickets
    const index = before.findIndex(ticket => ticket.ticket_id === ticketId)
    const moved = await askToMove(where, orderId, ticketId, seat)
    expect(moved.status, moved.text).toBe(200)
    const id: string = moved.body.data.tickets[index].ticket_id
    return { id, token: await sign(where, id) }
  }
  const ago = (seconds: number) => new Date(server.clock.now() - seconds * 1000).toISOString()
  const offline = (token: string, seconds: number, more: object = {}) => ({
    ...{ scan_id: randomUUID(), token, at: ago(seconds), gate: 'Barn' },
    ...more,
  })
  const codes = (answer: { body: { data: { scans: { code: string | null }[] } } }) =>
    answer.body.data.scans.map(each => each.code)
  const inside = async (where: Hall, zone: number) => {
    const [row] = await server.database.sql<{ inside: number }>(
      'select inside from zone_days where event_id = $1 and zone_index = $2',
      [where.eventId, zone],
    )
    return row?.inside
  }

  it('is used: the new one opens no gate, and says when and where its holder came in', async () => {
    const { orderId, tickets } = await sell(at, [12])
    const item = offline(tickets[0]!.token, 60)
    const second = await move(at, orderId, tickets[0]!.id, 13)
    const third = await move(at, orderId, second.id, 14)
    expect(codes(await upload([item]))).toEqual([null])
    for (const { token } of [third, third]) {
      expect((await scan(token)).body.data).toMatchObject({
        ...{ code: 'already_entered', entries_today: 1, entered: { at: item.at, gate: 'Barn' } },
      })
    }
    expect(await code(tickets[0]!.token)).toBe('void')
    expect(await code(second.token)).toBe('void')
    // It is not moved any more, and its order says that it was used.
    const again = await askToMove(at, orderId, third.id, 15)
    expect(again.body).toMatchObject({ code: 'ticket_used', ticket_ids: [third.id] })
    const order = (await organize('GET', `/api/admin/orders/${orderId}`)).body.data
    expect(order.tickets[0]).toMatchObject({ ticket_id: third.id, entries: 1 })
    // Gates without a network hear that the entry counts for all of them.
    const { entries } = (await bundle(at, '&limit=10000')).body.data
    const told = entries.find((entry: { ticket_id: string }) => entry.ticket_id === tickets[0]!.id)
    expect([...told.moved_ticket_ids].sort()).toEqual([second.id, third.id].sort())
  })

  it('of two entries by the old and the new ticket, the later one is listed', async () => {
    const where = await hall()
    const { orderId, tickets } = await sell(where, [0, 1])
    const [early, late] = [offline(tickets[0]!.token, 60), offline(tickets[1]!.token, 60)]
    const first = await move(where, orderId, tickets[0]!.id, 10)
    const second = await move(where, orderId, tickets[1]!.id, 11)
    expect(await code(first.token)).toBe(null)
    expect(codes(await upload([early]))).toEqual([null])
    expect(codes(await upload([late]))).toEqual([null])
    expect(codes(await upload([offline(second.token, 0)], 'offline-2'))).toEqual(['already_entered'])
    expect(await conflicts(where)).toMatchObject([
      { code: 'already_entered', ticket_id: first.id, gate: 'North', first: { gate: 'Barn', at: early.at } },
      { code: 'already_entered', ticket_id: second.id, first: { gate: 'Barn', at: late.at } },
    ])
    const { checks } = await verify(server.database.url, { tidyWithinSeconds: 1e9 })
    expect(checks.filter(check => check.invariant === 22 && check.violations > 0)).toEqual([])
  })

  it('its holder leaves the zone that they came into, and comes back by the new ticket', async () => {
    const where = await alike()
    const { orderId, tickets } = await sell(where, { zone: ZONE.pit, places: 1 })
    const item = offline(tickets[0]!.token, 60)
    const seat = await move(where, orderId, tickets[0]!.id, 3)
    expect(codes(await upload([item]))).toEqual([null])
    expect(await inside(where, ZONE.pit)).toBe(1)
    const out = { direction: 'out', scan_id: 'out/1' }
    const left = await scan(seat.token, out)
    expect(left.body.data).toMatchObject({ code: null, ticket: { ticket_id: seat.id }, live: null })
    expect((await scan(seat.token, out)).body.data).toEqual(left.body.data)
    expect(await inside(where, ZONE.pit)).toBe(0)
    expect(await code(seat.token, { direction: 'out' })).toBe('not_inside')
    expect(await code(seat.token)).toBe(null)
    expect(await code(seat.token)).toBe('already_entered')
    expect(await inside(where, ZONE.pit)).toBe(0)
    // One person came, by two tickets.
    expect(await attendance(where)).toMatchObject({
      valid_tickets: 1,
      days: [{ entries: 2, exits: 1, tickets: 1 }],
      zones: [
        { zone_name: 'Stalls', valid_tickets: 1, entries: 1, exits: 0, tickets: 1 },
        { zone_name: 'Pit', valid_tickets: 0, entries: 1, exits: 1, tickets: 1 },
      ],
    })
  })

  it('its holder left by the new ticket before the entry was told of: the exit counts for the old one', async () => {
    const where = await alike()
    const { orderId, tickets } = await sell(where, { zone: ZONE.pit, places: 1 })
    const item = offline(tickets[0]!.token, 60)
    const seat = await move(where, orderId, tickets[0]!.id, 3)
    expect(await code(seat.token, { direction: 'out' })).toBe('not_inside')
    expect(codes(await upload([item]))).toEqual([null])
    expect(await inside(where, ZONE.pit)).toBe(0)
    expect(await code(seat.token)).toBe(null)
  })

  it('in a members’ zone: the entry is of the guest whom the place is for, and not of the buyer', async () => {
    const seats = [1, 2, 3].map(number => ({ row: 'G', number, coordinates: { x: number, y: 9 } }))
    const where = await alike({ zones: [{ name: 'Gold', zone_type: 'vip_reserved', ...GOLD, seats }] })
    const friend = 'friend@example.org'
    await organize('POST', `/api/admin/events/${where.eventId}/whitelist`, { entries: [{ email: friend }] })
    const account = { organization: ours.slug, email: `m-${randomUUID()}@example.org`, password: PASSWORD }
    const made = (await server.request('POST', '/api/accounts', { body: account })).body.data
    const gold = { membership_tier: 'gold', membership_status: 'active', email_proven: true }
    expect((await organize('PATCH', `/api/admin/users/${made.user.id}`, gold)).status).toBe(200)
    const hold = await send('POST', `${where.url}/holds`, made.token, {
      seat_ids: [where.seats[20], where.seats[21]],
    })
    const hold_ids: string[] = hold.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
    await send('PUT', `/api/holds/${hold_ids[1]}/guests`, made.token, { guests: [{ email: friend }] })
    const terms = { method: 'external', allow_stranding: true }
    const sold = await organize('POST', '/api/admin/orders', { event_id: where.eventId, hold_ids, ...terms })
    expect(sold.status, sold.text).toBe(201)
    const [mine, hers]: string[] = sold.body.data.tickets.map((one: { ticket_id: string }) => one.ticket_id)
    const item = offline(await sign(where, hers!), 60)
    await move(where, sold.body.data.order_id, hers!, 22)
    expect(codes(await upload([item]))).toEqual([null])
    expect(await code(await sign(where, mine!))).toBe(null)
  })

  it('a gate waits for the one that looks at another ticket of the same place', async () => {
    const { orderId, tickets } = await sell(at, [16])
    const item = offline(tickets[0]!.token, 60)
    const second = await move(at, orderId, tickets[0]!.id, 17)
    const scope = TenantScope.of(ours.id as OrganizationId)
    const waiting = (many: number) =>
      waitUntil('gates wait', async () => (await server.database.lockWaits()) >= many)
    const { gates } = await server.node.database.tenant(scope, async tx => {
      await tx.query('select from tickets where organization_id = $1 and id = $2 for no key update', [
        tickets[0]!.id,
      ])
      const uploaded = upload([item])
      await waiting(1)
      const scanned = scan(second.token)
      await waiting(2)
      const moved = askToMove(at, orderId, second.id, 18)
      await waiting(3)
      // Not waited for: they go on when this transaction ends.
      return { gates: [uploaded, scanned, moved] as const }
    })
    const [uploaded, scanned, moved] = await Promise.all(gates)
    expect(codes(uploaded)).toEqual([null])
    expect(scanned.body.data).toMatchObject({ code: 'already_entered', entered: { gate: 'Barn' } })
    expect(moved.body.code).toBe('ticket_used')
  })

  it('a mover, an upload and a gate at one instant: one person comes in, or a line says who was too many', async () => {
    const where = await hall()
    for (const seat of [0, 1, 2, 3]) {
      const { orderId, tickets } = await sell(where, [seat])
      const item = offline(tickets[0]!.token, 60)
      const second = await move(where, orderId, tickets[0]!.id, 4 + seat)
      const [uploaded, scanned, moved] = await Promise.all([
        upload([item]),
        scan(second.token),
        askToMove(where, orderId, second.id, 10 + seat),
      ])
      expect([uploaded.status, scanned.status]).toEqual([200, 200])
      expect(['ticket_used', undefined]).toContain(moved.body.code)
      const last: string = moved.status === 200 ? moved.body.data.tickets[0].ticket_id : second.id
      expect(await code(await sign(where, last))).toBe('already_entered')
      const [row] = await server.database.sql(
        `select count(*)::int as entries from entries e where event_id = $1
           and not exists (select from entry_conflicts c where c.entry_id = e.id)`,
        [where.eventId],
      )
      expect(row).toEqual({ entries: seat + 1 })
    }
  })
})

it('a gate that asks for them gets the tickets by page, once each, with what it shows and how often they open', async () => {
  const gate = await hall({
    seats: 4,
    standing: 20,
    zones: [{ name: 'Gold', zone_type: 'vip_standing', capacity: 9, ...GOLD }],
  })
  await price(gate, { 1: { reentry: true } })
  const seats = await sell(gate, [2])
  const standing = await sell(gate, { zone: 1, places: 6 })
  await scan(seats.tickets[0]!.token)
  const began = server.clock.now()
  const listed = new Map<string, { zone: number; category?: string; row?: string; seat_number?: number }>()
  let since = ''
  let entries = 0
  for (let isComplete = false; !isComplete; ) {
    const { data } = (await bundle(gate, `&tickets=true&limit=3${since}`)).body
    expect(data.zones.map((zone: { zone_name: string }) => zone.zone_name)).toEqual(['Stalls', 'Pit', 'Gold'])
    expect(data.zones.map((zone: { asks_for_member: boolean }) => zone.asks_for_member)).toEqual([
      false,
      false,
      true,
    ])
    expect(data.tickets.length + data.entries.length).toBeLessThanOrEqual(3)
    for (const { ticket_id, ...place } of data.tickets) {
      expect(listed.has(ticket_id)).toBe(false)
      listed.set(ticket_id, place)
      expect(place.category === undefined || data.admissions[place.category]).toBeTruthy()
    }
    entries += data.entries.length
    expect(Date.parse(data.timestamp)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(data.timestamp)).toBeLessThanOrEqual(server.clock.now())
    isComplete = data.is_complete
    since = `&since=${data.since}`
  }
  expect(entries).toBe(1)
  expect(listed.size).toBe(7)
  expect(listed.get(seats.tickets[0]!.id)).toMatchObject({ zone: 0, row: 'R1', seat_number: 3 })
  expect(listed.get(standing.tickets[0]!.id)).toMatchObject({ zone: 1 })
  expect((await bundle(gate)).body.data.tickets).toEqual([])
  // From then on only what was sold since.
  const [{ now }] = (await server.database.sql<{ now: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now',
  )) as [{ now: string }]
  const later = await sell(gate, [0])
  const news = (await bundle(gate, `&tickets=true&since=${now}`)).body.data
  expect(news.tickets.map((ticket: { ticket_id: string }) => ticket.ticket_id)).toEqual([
    later.tickets[0]!.id,
  ])
})

it('the gates of a suspended organization admit as ever, and are told', async () => {
  const [ticket, other] = (await sell(at, { zone: ZONE.benches, places: 2 })).tickets
  const suspend = (suspended: boolean) =>
    server.request('PATCH', `/api/platform/organizations/${ours.id}`, {
      token: ROOT_KEY,
      body: { suspended },
    })
  const isTold = async () => (await bundle(at, '&limit=1')).body.data.suspended
  expect(await isTold()).toBe(false)
  expect((await suspend(true)).status).toBe(200)
  try {
    expect([await isTold(), await code(ticket!.token), await code(ticket!.token)]).toEqual([
      true,
      null,
      'already_entered',
    ])
    const item = { scan_id: randomUUID(), token: other!.token, at: new Date().toISOString() }
    expect((await upload([item])).body.data).toMatchObject({ admitted: 1 })
  } finally {
    await suspend(false)
  }
})

it('buyers scan nothing, and gates do not read who came', async () => {
  const { customer, scanner } = ours.tokens
  const body = { token: 'VG1.', device_id: 'd' }
  const scans = [{ scan_id: 'a', token: 'VG1.', at: new Date().toISOString() }]
  const asked = [
    await send('POST', '/api/scans', customer, body),
    await send('POST', '/api/scans/batch', customer, { device_id: 'd', scans }),
    await send('GET', `/api/scans/bundle?event_id=${at.eventId}`, customer),
    await send('GET', `/api/admin/events/${at.eventId}/attendance`, scanner),
    await send('GET', `/api/admin/events/${at.eventId}/attendance/conflicts`, scanner),
  ]
  expect(asked.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
})

it('attendance counts by day, zone, gate and hour', async () => {
  const at = await hall({ standing: 5 })
  // At the venue the next hour begins in half an hour or later.
  const isLate = new Date(server.clock.now()).getUTCMinutes() >= 30
  const time_zone = isLate ? 'Asia/Kolkata' : 'UTC'
  expect((await organize('PATCH', `/api/admin/venues/${at.venueId}`, { time_zone })).status).toBe(200)
  const seats = (await sell(at, [0, 1])).tickets
  const places = (await sell(at, { zone: 1, places: 3 })).tickets
  await scan(seats[0]!.token)
  await scan(places[0]!.token, { gate: 'South' })
  await scan(places[1]!.token, { gate: 'South' })
  await scan(places[1]!.token, { gate: 'South', direction: 'out' })
  const seen = await attendance(at)
  const counts = (entries: number, exits: number, tickets: number) => ({ entries, exits, tickets })
  expect(seen).toMatchObject({
    valid_tickets: 5,
    conflicts: 0,
    days: [counts(3, 1, 3)],
    hours: [counts(3, 1, 3)],
  })
  expect(seen.zones).toMatchObject([
    { zone_name: 'Stalls', valid_tickets: 2, ...counts(1, 0, 1) },
    { zone_name: 'Pit', valid_tickets: 3, ...counts(2, 1, 2) },
  ])
  expect(seen.gates).toMatchObject([
    { gate: 'North', ...counts(1, 0, 1) },
    { gate: 'South', ...counts(2, 1, 2) },
  ])
  const metrics = (await server.request('GET', '/metrics')).text
  expect(metrics).toMatch(/voelgoed_scans_total\{way="live",result="admitted",code="none"\} [1-9]/)
  expect(metrics).toMatch(/voelgoed_scan_seconds_count [1-9]/)
})
