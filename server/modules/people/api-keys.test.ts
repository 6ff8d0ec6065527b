import { MAX_API_KEYS } from '@voelgoed/contract/api-keys'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import { FeedReader } from '@voelgoed/testing/feed-reader'
import { openHall } from '@voelgoed/testing/hall'
import { eventOnSale } from '@voelgoed/testing/harness'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idleGuests } from '../guests/tables/guests.ts'
import { LastUses } from '../sign-in/last-uses.ts'

const { server, ours, send } = useServer()
let otherNode: ListeningNode

beforeAll(async () => {
  otherNode = await startListeningNode(server.database.url)
})
afterAll(() => otherNode.close())

async function newKey(role = 'organizer', token = ours.tokens.admin) {
  const made = await send('POST', '/api/admin/api-keys', token, { name: 'Web shop', role })
  expect(made.status, made.text).toBe(201)
  return made.body.data as { key_id: string; key: string }
}

const onOtherNode = (token: string, url = '/api/session') =>
  fetch(`${otherNode.url}${url}`, { headers: { authorization: `Bearer ${token}` } })

describe('a key', () => {
  it('is the source of what it holds: in the list of holds and in the journal', async () => {
    const { key } = await newKey()
    const { eventId, seats } = await openHall(server.request, ours.tokens.organizer)
    const held = await send('POST', `/api/events/${eventId}/holds`, key, { seat_ids: [seats[0]] })
    expect(held.status, held.text).toBe(201)
    const [{ hold_id }] = held.body.data.holds
    const list = async (source: string) =>
      (await send('GET', `/api/admin/events/${eventId}/holds?source=${source}`, ours.tokens.support)).body
        .data
    expect(await list('api')).toMatchObject([{ hold_id, source: 'api' }])
    expect(await list('admin')).toEqual([])
    const url = `/api/admin/events/${eventId}/journal?hold_id=${hold_id}`
    const entries = (await send('GET', url, ours.tokens.support)).body.data
    expect(entries).toMatchObject([{ source: 'api' }])
    // The box office sells what the key holds for it.
    const order = { event_id: eventId, hold_ids: [hold_id], method: 'cash', currency: 'ZAR' }
    const lines = [{ hold_id, amount: 100 }]
    const sold = await send('POST', '/api/admin/orders', ours.tokens.organizer, { ...order, lines })
    expect(sold.status, sold.text).toBe(201)
  })

  it('is shown once, and only its hash is stored', async () => {
    const { key_id, key } = await newKey()
    expect(key).toMatch(/^vgk1_/)
    const list = await send('GET', '/api/admin/api-keys', ours.tokens.admin)
    const listed = list.body.data.find((one: { key_id: string }) => one.key_id === key_id)
    expect(listed).toMatchObject({ name: 'Web shop', role: 'organizer', last_used_at: null })
    expect(list.text).not.toContain(key)
    const rows = await server.database.sql<{ row: string; token_hash: Buffer }>(
      'select k::text as row, token_hash from api_keys k where id = $1',
      [key_id],
    )
    expect(rows[0]!.row).not.toContain(key.slice(-43))
    expect(rows[0]!.token_hash).toEqual(hashSecret(key))
  })

  it('opens what its role opens, in its organization, and does not expire', async () => {
    const { key_id, key } = await newKey('support')
    const session = await send('GET', '/api/session', key)
    expect(session.body.data).toMatchObject({
      expires_at: null,
      user: { id: key_id, email: null, role: 'support' },
      organization: { id: ours.id },
    })
    expect((await send('GET', '/api/admin/users', key)).status).toBe(200)
    expect((await send('POST', '/api/admin/venues', key, { name: 'Hall' })).status).toBe(403)
    const aYear = 400 * 86_400_000
    // Now and then the node reads the clock of the database, for which none of this time has passed.
    await waitUntil('sessions are over', async () => {
      server.clock.advance(aYear)
      const ofKey = await send('GET', '/api/session', key)
      const ofAdmin = await send('GET', '/api/session', ours.tokens.admin)
      server.clock.advance(-aYear)
      expect(ofKey.status).toBe(200)
      return ofAdmin.status === 401
    })
    const theirs = await server.organization()
    const { eventId } = await eventOnSale(server, theirs)
    expect((await send('GET', `/api/admin/events/${eventId}`, key)).status).toBe(404)
  })

  it('is made by admins alone, a key of the role admin among them, and none has a role above its maker', async () => {
    const body = { name: 'X', role: 'organizer' }
    for (const role of ['customer', 'scanner', 'support', 'organizer'] as const) {
      expect((await send('POST', '/api/admin/api-keys', ours.tokens[role], body)).status).toBe(403)
    }
    const { key } = await newKey('organizer')
    for (const role of ['organizer', 'admin']) {
      expect((await send('POST', '/api/admin/api-keys', key, { ...body, role })).status).toBe(403)
    }
    const admin = await newKey('admin')
    const made = await newKey('admin', admin.key)
    const [row] = await server.database.sql<{ created_by: string }>(
      'select created_by from api_keys where id = $1',
      [made.key_id],
    )
    expect(row!.created_by).toBe(admin.key_id)
    const asBuyer = await send('POST', '/api/admin/api-keys', ours.tokens.admin, {
      name: 'X',
      role: 'customer',
    })
    expect(asBuyer.status).toBe(400)
  })

  it('is no user to change: its role stays, and organizers can not raise it', async () => {
    const { key_id, key } = await newKey('scanner')
    const url = `/api/admin/users/${key_id}`
    expect((await send('PATCH', url, ours.tokens.admin, { role: 'admin' })).body.code).toBe('user_not_found')
    expect((await send('DELETE', `${url}/sessions`, ours.tokens.admin)).body.code).toBe('user_not_found')
    const found = await send('GET', `/api/admin/users?query=${key_id}`, ours.tokens.admin)
    expect(found.body.data).toEqual([])
    expect((await send('GET', '/api/session', key)).body.data.user.role).toBe('scanner')
  })

  it('has no session to end, and no cart that another could take over', async () => {
    const { key } = await newKey()
    expect((await send('DELETE', '/api/session', key)).body.code).toBe('forbidden')
    const taken = await send('POST', '/api/holds/transfer', ours.tokens.customer, { from_token: key })
    expect(taken.status).toBeGreaterThanOrEqual(400)
    expect((await send('GET', '/api/session', key)).status).toBe(200)
  })

  it('stands in the audit with its id, as what it is', async () => {
    const { key_id, key } = await newKey()
    const venue = await send('POST', '/api/admin/venues', key, { name: 'Hall' })
    expect(venue.status).toBe(201)
    const audit = await send('GET', `/api/admin/audit?user_id=${key_id}`, ours.tokens.admin)
    expect(audit.body.data).toMatchObject([
      {
        ...{ action: 'venue_created', actor: 'api_key', user_id: key_id, user_name: 'Web shop' },
        entity_id: venue.body.data.id,
      },
    ])
    const made = await send('GET', `/api/admin/audit?entity_id=${key_id}`, ours.tokens.admin)
    expect(made.body.data).toMatchObject([
      {
        ...{ action: 'api_key_created', actor: 'user', user_name: `admin@${ours.slug}.example` },
        changes: { name: 'Web shop', role: 'organizer' },
      },
    ])
  })

  it('made with an Idempotency-Key is one key, shown again to its sender alone', async () => {
    const headers = { 'idempotency-key': 'one shop' }
    const body = { name: 'Once', role: 'support' }
    const first = await send('POST', '/api/admin/api-keys', ours.tokens.admin, body, headers)
    const again = await send('POST', '/api/admin/api-keys', ours.tokens.admin, body, headers)
    expect(again.body).toEqual(first.body)
    const list = await send('GET', '/api/admin/api-keys', ours.tokens.admin)
    expect(list.body.data.filter((key: { name: string }) => key.name === 'Once')).toHaveLength(1)
  })
})

describe('a key that is deleted', () => {
  it('opens nothing any more, on every node, and its live feed ends', async () => {
    const { key_id, key } = await newKey()
    const { eventId } = await eventOnSale(server, ours)
    expect((await onOtherNode(key)).status).toBe(200)
    expect((await send('GET', '/api/session', key)).status).toBe(200)
    const feed = await FeedReader.open(`${otherNode.url}/api/events/${eventId}/live`, { token: key })
    expect((await send('DELETE', `/api/admin/api-keys/${key_id}`, ours.tokens.admin)).status).toBe(204)
    expect((await send('GET', '/api/session', key)).status).toBe(401)
    await waitUntil('the other node knows', async () => (await onOtherNode(key)).status === 401)
    await waitUntil('the feed has ended', () => feed.isClosed)
    const again = await send('DELETE', `/api/admin/api-keys/${key_id}`, ours.tokens.admin)
    expect(again.status).toBe(404)
    const list = await send('GET', '/api/admin/api-keys', ours.tokens.admin)
    expect(list.body.data.map((one: { key_id: string }) => one.key_id)).not.toContain(key_id)
    const audit = await send('GET', `/api/admin/audit?entity_id=${key_id}`, ours.tokens.admin)
    expect(audit.body.data[0]).toMatchObject({ action: 'api_key_deleted', changes: { name: 'Web shop' } })
  })

  it('can not be woken up in the database either', async () => {
    const { key_id } = await newKey()
    await send('DELETE', `/api/admin/api-keys/${key_id}`, ours.tokens.admin)
    await expect(
      server.database.sql('update api_keys set ended_at = null where id = $1', [key_id]),
    ).rejects.toThrow('has ended')
  })
})

describe('how many keys', () => {
  it('an organization has at most so many, also when they are asked for at once', async () => {
    const theirs = await server.organization()
    const make = () =>
      send('POST', '/api/admin/api-keys', theirs.tokens.admin, { name: 'N', role: 'support' })
    for (let count = 2; count < MAX_API_KEYS; count += 1) expect((await make()).status).toBe(201)
    const last = await Promise.all([make(), make(), make()])
    expect(last.map(answer => answer.status).sort()).toEqual([201, 201, 422])
    const refused = last.find(answer => answer.status === 422)!
    expect(refused.body).toMatchObject({ code: 'too_many_api_keys', limit: MAX_API_KEYS })
    const list = await send('GET', '/api/admin/api-keys?limit=1', theirs.tokens.admin)
    await send('DELETE', `/api/admin/api-keys/${list.body.data[0].key_id}`, theirs.tokens.admin)
    expect((await make()).status).toBe(201)
  })
})

describe('the last use of a key', () => {
  it('is written once for many uses, and not with the request', async () => {
    const written: number[] = []
    const uses = new LastUses(
      {
        platform: async (_purpose, work) =>
          work({
            query: async (_sql: string, [ids]: readonly unknown[][]) => {
              written.push(ids!.length)
              return []
            },
          } as never),
      },
      pino({ level: 'fatal' }),
    )
    for (let use = 0; use < 6_000; use += 1) uses.keyUsed(ours.id as OrganizationId, `${use}` as UserId)
    for (let use = 0; use < 100; use += 1) uses.keyUsed(ours.id as OrganizationId, '7' as UserId)
    expect(written).toEqual([])
    await uses.flush()
    await uses.flush()
    expect(written).toEqual([5_000])
    expect(uses.counts).toEqual({ written: 5_000, dropped: 1_000 })
  })

  it('is in the list after a while', async () => {
    const third = await startListeningNode(server.database.url)
    const { key_id, key } = await newKey()
    await fetch(`${third.url}/api/session`, { headers: { authorization: `Bearer ${key}` } })
    await third.close()
    const list = await send('GET', '/api/admin/api-keys', ours.tokens.admin)
    const listed = list.body.data.find((one: { key_id: string }) => one.key_id === key_id)
    expect(Date.parse(listed.last_used_at)).toBeGreaterThanOrEqual(Date.parse(listed.created_at))
  })
})

it('the sweep of guests leaves keys alone', async () => {
  const { key_id } = await newKey()
  await server.database.sql(`update users set created_at = now() - interval '400 days' where id = $1`, [
    key_id,
  ])
  const { guests } = await server.node.database.platform('sweep what has expired', tx =>
    idleGuests(tx, { keepDays: 30, limit: 100, cursor: null }),
  )
  expect(guests.map(guest => guest.id)).not.toContain(key_id)
})
