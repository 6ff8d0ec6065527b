import { randomUUID } from 'node:crypto'
import type { Person } from '@voelgoed/core/access'
import type {
  CheckoutId,
  CommandId,
  EventId,
  HoldId,
  OrganizationId,
  TicketId,
  UserId,
} from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx } from '@voelgoed/kit/postgres/database'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { openPool } from '@voelgoed/testing/test-database'
import { useServer } from '@voelgoed/testing/use-server'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { judgeEntry, knowForCheckout } from './guests-of-places.ts'
import { findTicketPlace, sweepPlaceGuests } from './tables/place-guests.ts'

const { server, ours, organize, send } = useServer()

interface Account {
  readonly id: string
  readonly email: string
  readonly token: string
}

/** With a membership of the tier gold, unless told otherwise. */
async function person(name: string, membership_tier: string | null = 'gold'): Promise<Account> {
  const email = `${name}-${randomUUID().slice(0, 8)}@example.org`
  const membership = membership_tier && { membership_tier, membership_status: 'active' }
  const made = await server.request('POST', `/api/platform/organizations/${ours.id}/users`, {
    token: ROOT_KEY,
    body: { email, password: PASSWORD, role: 'customer', ...membership },
  })
  expect(made.status, made.text).toBe(201)
  const session = await server.request('POST', '/api/sessions', {
    body: { organization: ours.slug, email, password: PASSWORD },
  })
  return { id: made.body.data.id, email, token: session.body.data.token }
}

const scope = () => TenantScope.of(ours.id as OrganizationId)

let at: Hall
let anna: Account
let ben: Account
let stranger: Account

beforeAll(async () => {
  anna = await person('anna')
  ben = await person('ben')
  stranger = await person('stranger', null)
})

/** Zones: four seats for everyone, four gold seats, gold places. */
beforeEach(async () => {
  const gold = { access_mode: 'membership_tier', membership_tier: 'gold' }
  const seats = [1, 2, 3, 4].map(number => ({ row: 'G', number }))
  at = await openHall(server.request, ours.tokens.organizer, {
    seats: 4,
    zones: [
      { name: 'Gold seats', zone_type: 'vip_reserved', seats, ...gold },
      { name: 'Gold places', zone_type: 'vip_standing', capacity: 50, ...gold },
    ],
    event: {
      seating_overrides: { allow_vip_zones: true, max_seats_per_booking: 20, holds_per_window: null },
    },
  })
})

async function holdSeats(ordinals: readonly number[], who = anna): Promise<string[]> {
  const answer = await send('POST', `${at.url}/holds`, who.token, {
    seat_ids: ordinals.map(ordinal => at.seats[ordinal]),
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.holds.map((hold: { hold_id: string }) => hold.hold_id)
}

async function holdPlaces(quantity: number, who = anna): Promise<string> {
  const answer = await send('POST', `${at.url}/holds`, who.token, { zone_id: at.zones[2], quantity })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.holds[0].hold_id
}

const name = (holdId: string, guests: unknown[], who = anna) =>
  send('PUT', `/api/holds/${holdId}/guests`, who.token, { guests })

const onWhitelist = async (...emails: string[]) => {
  const entries = emails.map(email => ({ email }))
  const answer = await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, { entries })
  expect(answer.status, answer.text).toBe(201)
}

const membership = (who: Account, membership_status: string) =>
  server.request('PATCH', `/api/platform/organizations/${ours.id}/users/${who.id}`, {
    token: ROOT_KEY,
    body: { membership_tier: 'gold', membership_status },
  })

/** Does what checkout does: asks what there is to know, starts the payment, and asks again to sell. */
async function checkOut(
  holdIds: readonly string[],
  who = anna,
): Promise<{ refused: string; by: 'start_payment' | 'sell' } | { tickets: TicketId[] }> {
  const lane = server.node.lanes.lane(scope(), at.eventId as EventId)
  const view = (await lane.ready())!
  const buyer: Person = {
    userId: who.id as UserId,
    role: 'customer',
    membershipTier: 'gold',
    membershipStatus: 'active',
  }
  const ids = holdIds as HoldId[]
  const places = ids.reduce((sum, id) => sum + view.state.holds.get(id)!.quantity, 0)
  const know = () =>
    server.node.database.tenant(scope(), tx =>
      knowForCheckout(tx, { eventId: at.eventId as EventId, state: view.state }, buyer, ids),
    )
  const checkoutId = randomUUID() as CheckoutId
  const tickets = Array.from({ length: places }, () => randomUUID() as TicketId)
  for (const kind of ['start_payment', 'sell'] as const) {
    const { buyer: person, guests } = await know()
    const actor = { person, ip: null, source: 'web' as const }
    const commandId = randomUUID() as CommandId
    const common = { commandId, actor, checkoutId, guests, allowStranding: true }
    const holds = ids.map(holdId => {
      return { holdId, againAs: randomUUID() as HoldId, cartToken: null, ended: null }
    })
    const answer = await lane.submit(
      kind === 'sell'
        ? { kind, ...common, buyer: person, holds, ticketIds: tickets }
        : { kind, ...common, holdIds: ids },
    )
    if (answer.kind !== 'decided') throw new Error(answer.kind)
    if (!answer.outcome.ok) return { refused: answer.outcome.problem.kind, by: kind }
  }
  return { tickets }
}

async function buy(holdIds: readonly string[], who = anna): Promise<TicketId[]> {
  const done = await checkOut(holdIds, who)
  if ('refused' in done) throw new Error(done.refused)
  return done.tickets
}

const guestOf = async (ticketId: string, who = anna) =>
  (await send('GET', `/api/tickets/${ticketId}/guest`, who.token)).body.data.guest

describe('the guests of a hold', () => {
  it('are none at first: the places are the buyer’s own', async () => {
    const holdId = await holdPlaces(2)
    const answer = await send('GET', `/api/holds/${holdId}/guests`, anna.token)
    expect(answer.body.data).toEqual({
      hold_id: holdId,
      event_id: at.eventId,
      zone_id: at.zones[2],
      asks_for_guests: true,
      guests: [null, null],
    })
  })

  it('are members by address or id, or people on the whitelist', async () => {
    await onWhitelist('carla@example.org')
    const holdId = await holdPlaces(4)
    const given = [null, { email: ben.email.toUpperCase() }, { email: 'Carla@example.org' }]
    const named = await name(holdId, given)
    expect(named.status, named.text).toBe(200)
    const kept = [null, { email: ben.email }, { email: 'carla@example.org' }, null]
    expect(named.body.data.guests).toEqual(kept)
    expect((await send('GET', `/api/holds/${holdId}/guests`, anna.token)).body.data.guests).toEqual(kept)
    // By id, the address stays private.
    const byId = await name(holdId, [{ user_id: ben.id }])
    expect(byId.body.data.guests).toEqual([{ user_id: ben.id }, null, null, null])
    expect(byId.text).not.toContain(ben.email)
  })

  it('are refused when they are neither, place by place, and nothing is named then', async () => {
    const holdId = await holdPlaces(3)
    const silver = await person('silver', 'silver')
    for (const guest of [{ email: stranger.email }, { user_id: silver.id }, { email: 'x@example.org' }]) {
      const refused = await name(holdId, [null, { email: ben.email }, guest])
      expect(refused.status).toBe(409)
      expect(refused.body).toMatchObject({
        code: 'guest_not_allowed',
        hold_id: holdId,
        place: 2,
        required: { mode: 'membership_tier', membership_tier: 'gold' },
      })
    }
    expect((await name(holdId, [{ user_id: randomUUID() }])).body.code).toBe('user_not_found')
    expect((await send('GET', `/api/holds/${holdId}/guests`, anna.token)).body.data.guests).toEqual([
      null,
      null,
      null,
    ])
  })

  it('do not count with a membership that is not active, or an account that is disabled', async () => {
    const friend = await person('friend')
    const holdId = await holdPlaces(2)
    await membership(friend, 'suspended')
    expect((await name(holdId, [{ email: friend.email }])).body.code).toBe('guest_not_allowed')
    await membership(friend, 'active')
    expect((await name(holdId, [{ email: friend.email }])).status).toBe(200)
    await organize('PATCH', `/api/admin/users/${friend.id}`, { disabled: true })
    expect((await name(holdId, [{ email: friend.email }])).body.code).toBe('guest_not_allowed')
  })

  it('have one place in an event, also when two members name them', async () => {
    const dora = await person('dora')
    const mine = await holdPlaces(3)
    expect((await name(mine, [{ email: ben.email }, { user_id: ben.id }])).body).toMatchObject({
      code: 'guest_already_named',
      place: 1,
    })
    expect((await name(mine, [{ email: ben.email }])).status).toBe(200)
    const theirs = await holdPlaces(2, dora)
    expect((await name(theirs, [{ email: ben.email }], dora)).body).toMatchObject({
      code: 'guest_already_named',
      place: 0,
    })
    // A hold that has ended does not count, nor does a place that was given back.
    await send('DELETE', `/api/holds/${mine}`, anna.token)
    expect((await name(theirs, [null, { email: ben.email }], dora)).status).toBe(200)
    await send('PATCH', `/api/holds/${theirs}`, dora.token, { quantity: 1 })
    const again = await holdPlaces(1)
    expect((await name(again, [{ email: ben.email }])).status).toBe(200)
  })

  it('are named once by two who do it at once', async () => {
    const others = await Promise.all(['e', 'f', 'g'].map(letter => person(letter)))
    const holds = await Promise.all(others.map(other => holdPlaces(1, other)))
    const answers = await Promise.all(
      others.map((other, i) => name(holds[i]!, [{ email: ben.email }], other)),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409, 409])
  })

  it('may change places among themselves; the buyer needs no naming', async () => {
    await onWhitelist('carla@example.org')
    const holdId = await holdPlaces(3)
    await name(holdId, [{ email: ben.email }, { email: 'carla@example.org' }])
    const swapped = [{ email: 'carla@example.org' }, { email: ben.email }, { email: anna.email }]
    const answer = await name(holdId, swapped)
    expect(answer.body.data.guests).toEqual([...swapped.slice(0, 2), null])
  })

  it('are asked for in members’ zones only', async () => {
    const [seat] = await holdSeats([0])
    expect((await name(seat!, [{ email: ben.email }])).body.code).toBe('guests_not_asked_for')
    const read = await send('GET', `/api/holds/${seat}/guests`, anna.token)
    expect(read.body.data).toMatchObject({ asks_for_guests: false, guests: [null] })
  })

  it('are for the owner of a living hold to name, before it is paid for', async () => {
    const [seat] = await holdSeats([4])
    expect((await name(seat!, [], ben)).body.code).toBe('hold_not_found')
    expect((await send('GET', `/api/holds/${seat}/guests`, ben.token)).body.code).toBe('hold_not_found')
    expect((await name(seat!, [null, null])).body.code).toBe('invalid_request')
    const lane = server.node.lanes.lane(scope(), at.eventId as EventId)
    const actor = {
      person: {
        userId: anna.id as UserId,
        role: 'customer',
        membershipTier: 'gold',
        membershipStatus: 'active',
      },
      ip: null,
      source: 'web',
    } as const
    const payment = { actor, holdIds: [seat as HoldId], checkoutId: randomUUID() as CheckoutId }
    await lane.submit({ kind: 'start_payment', commandId: randomUUID() as CommandId, ...payment })
    expect((await name(seat!, [{ email: ben.email }])).body.code).toBe('hold_in_payment')
  })

  it('are audited without addresses, and counted', async () => {
    const holdId = await holdPlaces(2)
    await name(holdId, [{ email: ben.email }])
    await name(holdId, [{ email: 'x@example.org' }])
    const audit = await organize('GET', `/api/admin/audit?entity_id=${holdId}&action=guests_named`)
    expect(audit.body.data).toMatchObject([{ action: 'guests_named', changes: { named: 1 } }])
    expect(audit.text).not.toContain(ben.email)
    const metrics = (await server.request('GET', '/metrics')).text
    expect(metrics).toMatch(/voelgoed_guest_namings_total\{outcome="guest_not_allowed"\} [1-9]/)
    expect(metrics).toMatch(/voelgoed_guest_namings_total\{outcome="named"\} [1-9]/)
  })

  it('are the same on a node that has just started', async () => {
    const holdId = await holdPlaces(2)
    await name(holdId, [{ email: ben.email }])
    const other = await startListeningNode(server.database.url)
    try {
      const answer = await fetch(`${other.url}/api/holds/${holdId}/guests`, {
        headers: { authorization: `Bearer ${anna.token}` },
      })
      expect(await answer.json()).toMatchObject({ data: { guests: [{ email: ben.email }, null] } })
    } finally {
      await other.close()
    }
  })
})

describe('a checkout in a members’ zone', () => {
  it('sells one place without a guest, and refuses two', async () => {
    const holds = await holdSeats([4, 5])
    expect(await checkOut(holds)).toEqual({ refused: 'guests_not_named', by: 'start_payment' })
    await name(holds[1]!, [{ email: ben.email }])
    expect(await checkOut(holds)).toHaveProperty('tickets')
  })

  it('counts the own place once over all that the buyer buys', async () => {
    await buy(await holdSeats([4]))
    const [more] = await holdSeats([5])
    expect(await checkOut([more!])).toEqual({ refused: 'guests_not_named', by: 'start_payment' })
    await name(more!, [{ email: ben.email }])
    expect(await checkOut([more!])).toHaveProperty('tickets')
  })

  it('refuses a guest who was taken off the whitelist, or whose membership has ended', async () => {
    await onWhitelist('carla@example.org')
    const friend = await person('friend')
    const [first, second] = await holdSeats([4, 5])
    await name(first!, [{ email: 'carla@example.org' }])
    await name(second!, [{ email: friend.email }])
    const list = `/api/admin/events/${at.eventId}/whitelist`
    const [entry] = (await organize('GET', list)).body.data
    await organize('DELETE', `${list}/${entry.entry_id}`)
    await membership(friend, 'expired')
    expect(await checkOut([first!])).toEqual({ refused: 'guest_not_allowed', by: 'start_payment' })
    expect(await checkOut([second!])).toEqual({ refused: 'guest_not_allowed', by: 'start_payment' })
    await onWhitelist('carla@example.org')
    expect(await checkOut([first!])).toHaveProperty('tickets')
  })

  it('asks nothing of other zones', async () => {
    expect(await checkOut(await holdSeats([0, 1, 2]))).toHaveProperty('tickets')
  })
})

describe('the guest of a ticket', () => {
  it('is the one who was named for its place', async () => {
    await onWhitelist('carla@example.org')
    const holdId = await holdPlaces(3)
    await name(holdId, [null, { email: ben.email }, { email: 'carla@example.org' }])
    const tickets = await buy([holdId])
    const guests = await Promise.all(tickets.map(ticket => guestOf(ticket)))
    expect(guests.map(guest => guest?.email ?? null).sort()).toEqual(
      [ben.email, 'carla@example.org', null].sort(),
    )
  })

  it('can be another, or the buyer, unless that would be their second place', async () => {
    const dora = await person('dora')
    const [own, guests] = await holdSeats([4, 5])
    await name(guests!, [{ email: ben.email }])
    const tickets = await buy([own!, guests!])
    const put = (ticket: string, guest: unknown, who = anna) =>
      send('PUT', `/api/tickets/${ticket}/guest`, who.token, { guest })
    const [ticket] = await server.database.sql<{ id: string }>('select id from tickets where hold_id = $1', [
      guests,
    ])
    const other = tickets.find(id => id !== ticket!.id)!
    expect((await put(ticket!.id, null)).body.code).toBe('guests_not_named')
    expect((await put(ticket!.id, { email: anna.email })).body.code).toBe('guests_not_named')
    expect(await guestOf(ticket!.id)).toEqual({ email: ben.email })
    expect((await put(other, { email: ben.email })).body.code).toBe('guest_already_named')
    expect((await put(ticket!.id, { email: stranger.email })).body.code).toBe('guest_not_allowed')
    expect((await put(ticket!.id, { email: dora.email })).status).toBe(200)
    expect((await put(other, { email: ben.email })).status).toBe(200)
    expect((await put(other, null)).status).toBe(200)
    expect((await put(other, null, ben)).body.code).toBe('ticket_not_found')
    expect((await send('GET', `/api/tickets/${other}/guest`, ben.token)).body.code).toBe('ticket_not_found')
    // The hold is gone: its guests are those of the tickets now.
    expect((await name(guests!, [])).body).toMatchObject({
      code: 'invalid_transition',
      current_status: 'converted',
    })
  })
})

describe('the gate', () => {
  const gold = () => {
    const view = server.node.lanes.inMemory(scope(), at.eventId as EventId)!
    return view.state.zones[1]!.settings.access
  }
  const scan = (ticketId: string, inside: readonly string[] = []) =>
    server.node.database.tenant(scope(), async tx => {
      const place = (await findTicketPlace(tx, ticketId))!
      return judgeEntry(tx, place, gold(), async who =>
        inside.includes('email' in who ? who.email : who.userId),
      )
    })

  it('lets in the buyer once, and each guest, while they are members or on the whitelist', async () => {
    const friend = await person('friend')
    const buyer = await person('buyer')
    const [own, guests] = await holdSeats([4, 5], buyer)
    await name(guests!, [{ email: friend.email }], buyer)
    await buy([own!, guests!], buyer)
    const ticketOf = async (holdId: string) =>
      (await server.database.sql<{ id: string }>('select id from tickets where hold_id = $1', [holdId]))[0]!
        .id
    const [mine, theirs] = [await ticketOf(own!), await ticketOf(guests!)]
    expect([await scan(mine), await scan(theirs)]).toEqual([null, null])
    expect(await scan(mine, [buyer.id])).toBe('guest_not_named')
    expect(await scan(theirs, [friend.email])).toBe('already_entered')
    await membership(friend, 'expired')
    expect(await scan(theirs)).toBe('membership_not_active')
    await onWhitelist(friend.email)
    expect(await scan(theirs)).toBeNull()
    await membership(buyer, 'suspended')
    expect(await scan(mine)).toBe('membership_not_active')
    await onWhitelist(buyer.email)
    expect(await scan(mine)).toBeNull()
  })
})

describe('the sweep', () => {
  it('deletes guests of holds that have ended, after a day, and keeps those of tickets and living holds', async () => {
    await server.database.sql('delete from place_guests where organization_id = $1', [ours.id])
    await onWhitelist('ended@example.org', 'sold@example.org', 'living@example.org', 'young@example.org')
    const [ended, sold, living, young] = await holdSeats([4, 5, 6, 7])
    await name(ended!, [{ email: 'ended@example.org' }])
    await name(sold!, [{ email: 'sold@example.org' }])
    await name(living!, [{ email: 'living@example.org' }])
    await name(young!, [{ email: 'young@example.org' }])
    await send('DELETE', `/api/holds/${ended}`, anna.token)
    await send('DELETE', `/api/holds/${young}`, anna.token)
    await buy([sold!])
    const pool = openPool({ connectionString: server.database.url, max: 1 })
    const client = await pool.connect()
    const tx = {
      query: async (sql: string, values: unknown[]) => (await client.query(sql, values)).rows,
    } as unknown as PlatformTx
    try {
      // In one transaction: the server's own sweep finds nothing to do before or after it.
      await client.query('begin')
      await client.query(
        `update place_guests set named_at = now() - interval '25 hours' where email_key <> 'young@example.org'`,
      )
      await client.query('set local role voelgoed_platform')
      expect(await sweepPlaceGuests(tx, 100)).toBe(2)
      expect(await sweepPlaceGuests(tx, 100)).toBe(0)
      await client.query('commit')
    } finally {
      client.release(true)
      await pool.end()
    }
    const left = await server.database.sql<{ email_key: string }>(
      'select email_key from place_guests where organization_id = $1 order by 1',
      [ours.id],
    )
    expect(left.map(row => row.email_key)).toEqual([
      'living@example.org',
      'sold@example.org',
      'young@example.org',
    ])
  })
})

it("a hold or a ticket of another organization does not exist, nor does another's member", async () => {
  const theirs = await server.organization('Theirs')
  const holdId = await holdPlaces(1)
  const token = theirs.tokens.customer
  expect((await send('PUT', `/api/holds/${holdId}/guests`, token, { guests: [] })).body.code).toBe(
    'hold_not_found',
  )
  const [user] = await server.database.sql<{ id: string; email: string }>(
    `update users set membership_tier = 'gold', membership_status = 'active'
     where organization_id = $1 and role = 'customer' returning id, email`,
    [theirs.id],
  )
  expect((await name(holdId, [{ user_id: user!.id }])).body.code).toBe('user_not_found')
  expect((await name(holdId, [{ email: user!.email }])).body.code).toBe('guest_not_allowed')
})
