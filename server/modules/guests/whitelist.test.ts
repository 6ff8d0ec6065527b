import { randomUUID } from 'node:crypto'
import { MAX_WHITELIST, WHITELIST_ADD_ENTRIES } from '@voelgoed/core/guests/whitelist-limits'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { eventOnSale, PASSWORD } from '@voelgoed/testing/harness'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { beforeAll, describe, expect, it } from 'vitest'

const { server, ours, organize, send } = useServer()
let at: Hall
let list: string

beforeAll(async () => {
  at = await openHall(server.request, ours.tokens.organizer, {
    seats: 4,
    zones: [
      { name: 'Friends', zone_type: 'ga_standing', capacity: 100, access_mode: 'whitelist' },
      {
        name: 'Crew',
        zone_type: 'reserved_seating',
        access_mode: 'whitelist',
        seats: [{ row: 'C', number: 1 }],
      },
    ],
    event: { seating_overrides: { max_seats_per_booking: null, holds_per_window: null } },
  })
  list = `/api/admin/events/${at.eventId}/whitelist`
})

/** The address of this person is known to be theirs. */
async function account(name: string): Promise<{ email: string; token: string; id: string }> {
  const email = `${name}-${randomUUID().slice(0, 8)}@example.org`
  const { body } = await server.request('POST', '/api/accounts', {
    body: { organization: ours.slug, email, password: PASSWORD },
  })
  const { id } = body.data.user
  await organize('PATCH', `/api/admin/users/${id}`, { email_proven: true })
  return { email, token: body.data.token, id }
}

/** A list of its own, on an event of its own. */
async function newList(): Promise<string> {
  return `/api/admin/events/${(await eventOnSale(server, ours)).eventId}/whitelist`
}

const emailsOf = async (url: string, query = '') =>
  (await organize('GET', `${url}${query}`)).body.data.map((entry: { email: string }) => entry.email)

describe('the whitelist of an event', () => {
  it('takes addresses and users, each once, in any spelling', async () => {
    const url = await newList()
    const anna = await account('anna')
    const entries = [{ email: 'Zoe@Example.org', note: 'Sponsor' }, { user_id: anna.id.toUpperCase() }]
    const first = await organize('POST', url, { entries })
    expect([first.status, first.body.data]).toEqual([201, { added: 2, known: 0, total: 2 }])
    const again = await organize('POST', url, {
      entries: [{ email: anna.email.toUpperCase() }, { email: ' zoe@example.org '.trim(), note: 'Speaker' }],
    })
    expect(again.body.data).toEqual({ added: 0, known: 2, total: 2 })
    const { data } = (await organize('GET', url)).body
    expect(data).toMatchObject([
      { email: anna.email, note: null },
      { email: 'zoe@example.org', note: 'Speaker' },
    ])
  })

  it('takes all or nothing, and a user without an address not at all', async () => {
    const url = await newList()
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const refused = await organize('POST', url, {
      entries: [{ email: 'a@example.org' }, { user_id: guest.body.data.user.id }],
    })
    expect([refused.status, refused.body.code]).toEqual([404, 'user_not_found'])
    const odd = await organize('POST', url, {
      entries: [{ email: 'a@example.org' }, { email: 'a＠b＠c.org' }],
    })
    expect(odd.status).toBe(400)
    expect(await emailsOf(url)).toEqual([])
  })

  it('is listed in pages, searched by address and note, and removed from', async () => {
    const url = await newList()
    await organize('POST', url, {
      entries: ['a', 'b', 'c'].map(name => ({ email: `${name}@example.org`, note: `Friend of ${name}nna` })),
    })
    const first = (await organize('GET', `${url}?limit=2`)).body
    expect(first.data).toHaveLength(2)
    expect(await emailsOf(url, `?limit=2&after=${first.next}`)).toEqual(['c@example.org'])
    expect(await emailsOf(url, '?query=B%40EX')).toEqual(['b@example.org'])
    expect(await emailsOf(url, '?query=of+CNNA')).toEqual(['c@example.org'])
    const [entry] = first.data
    const removed = await organize('DELETE', `${url}/${entry.entry_id}`)
    expect([removed.status, removed.body.data.total]).toEqual([200, 2])
    expect((await organize('DELETE', `${url}/${entry.entry_id}`)).status).toBe(404)
    expect(await emailsOf(url)).toEqual(['b@example.org', 'c@example.org'])
  })

  it('is read by support and changed by organizers and admins', async () => {
    const body = { entries: [{ email: 'x@example.org' }] }
    for (const role of ['customer', 'scanner', 'support', 'organizer', 'admin'] as const) {
      const token = ours.tokens[role]
      const mayRead = ['support', 'organizer', 'admin'].includes(role)
      const mayChange = ['organizer', 'admin'].includes(role)
      expect((await send('GET', list, token)).status).toBe(mayRead ? 200 : 403)
      expect((await send('GET', `${list}/export`, token)).status).toBe(mayRead ? 200 : 403)
      expect((await send('POST', list, token, body)).status).toBe(mayChange ? 201 : 403)
      expect((await send('POST', `${list}/import`, token, { csv: 'x@example.org' })).status).toBe(
        mayChange ? 201 : 403,
      )
    }
  })

  it("does not exist for another organization, nor do another's users", async () => {
    const theirs = await server.organization('Theirs')
    const { eventId } = await eventOnSale(server, theirs)
    const foreign = `/api/admin/events/${eventId}/whitelist`
    for (const [method, url, body] of [
      ['GET', foreign],
      ['GET', `${foreign}/export`],
      ['POST', foreign, { entries: [{ email: 'x@example.org' }] }],
      ['POST', `${foreign}/import`, { csv: 'x@example.org' }],
    ] as const) {
      const answer = await organize(method, url, body)
      expect([answer.status, answer.body.code]).toEqual([404, 'event_not_found'])
    }
    const entries = [{ email: 'shared@example.org' }]
    await send('POST', foreign, theirs.tokens.organizer, { entries })
    const [entry] = (await send('GET', foreign, theirs.tokens.organizer)).body.data
    expect((await organize('DELETE', `${list}/${entry.entry_id}`)).status).toBe(404)
    const [user] = await server.database.sql<{ id: string }>(
      `select id from users where organization_id = $1 and role = 'customer'`,
      [theirs.id],
    )
    expect((await organize('POST', list, { entries: [{ user_id: user!.id }] })).status).toBe(404)
  })

  it('has a limit, which two who add at once do not pass', async () => {
    const url = await newList()
    const eventId = url.split('/')[4]
    await server.database.sql(
      `insert into whitelist_entries (organization_id, event_id, id, email_key, added_by)
       select $1, $2, gen_random_uuid(), 'p' || i || '@example.org', gen_random_uuid() from generate_series(1, $3) i`,
      [ours.id, eventId, MAX_WHITELIST - 1],
    )
    const add = (name: string) => organize('POST', url, { entries: [{ email: `${name}@example.org` }] })
    // Connections that are open already, so that the three meet.
    await Promise.all(Array.from({ length: 6 }, () => organize('GET', url)))
    const answers = await Promise.all([add('one'), add('two'), add('three')])
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 422, 422])
    const full = answers.find(answer => answer.status === 422)!
    expect(full.body).toMatchObject({ code: 'whitelist_full', limit: MAX_WHITELIST })
    // A name that is known already needs no room.
    expect((await organize('POST', url, { entries: [{ email: 'p1@example.org' }] })).status).toBe(201)
    const tooMany = Array.from({ length: WHITELIST_ADD_ENTRIES + 1 }, (_, i) => ({ email: `a${i}@b.org` }))
    expect((await organize('POST', url, { entries: tooMany })).status).toBe(400)
  })

  it('gets one entry from two who add the same address at once', async () => {
    const url = await newList()
    const add = () => organize('POST', url, { entries: [{ email: 'both@example.org' }] })
    const added = (await Promise.all([add(), add(), add()])).map(answer => answer.body.data.added)
    expect(added.sort()).toEqual([0, 0, 1])
  })

  it('of an event that is over only gets shorter', async () => {
    const url = await newList()
    await organize('POST', url, { entries: [{ email: 'a@example.org' }] })
    await organize('POST', url.replace('whitelist', 'cancel'))
    const refused = await organize('POST', url, { entries: [{ email: 'b@example.org' }] })
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
    const [entry] = (await organize('GET', url)).body.data
    expect((await organize('DELETE', `${url}/${entry.entry_id}`)).status).toBe(200)
  })

  it('is audited without addresses, and counted', async () => {
    const url = await newList()
    const eventId = url.split('/')[4]
    await organize('POST', url, { entries: [{ email: 'secret@example.org' }] })
    await organize('POST', `${url}/import`, { csv: 'secret@example.org\nother@example.org' })
    const [entry] = (await organize('GET', url)).body.data
    await organize('DELETE', `${url}/${entry.entry_id}`)
    const audit = await organize('GET', `/api/admin/audit?entity_id=${eventId}`)
    const actions = audit.body.data.map((row: { action: string }) => row.action)
    expect(actions).toEqual(
      expect.arrayContaining(['whitelist_extended', 'whitelist_imported', 'whitelist_entry_removed']),
    )
    expect(audit.text).not.toContain('example.org')
    const metrics = (await server.request('GET', '/metrics')).text
    expect(metrics).toMatch(/voelgoed_whitelist_entries_total\{change="imported"\} [1-9]/)
    expect(metrics).toMatch(/voelgoed_whitelist_entries_total\{change="removed"\} [1-9]/)
  })

  it('repeats its answer for a key', async () => {
    const url = await newList()
    const body = { entries: [{ email: 'k@example.org' }] }
    const headers = { 'idempotency-key': randomUUID() }
    const first = await organize('POST', url, body, headers)
    expect((await organize('POST', url, body, headers)).body).toEqual(first.body)
    expect(first.body.data.added).toBe(1)
  })
})

describe('a whitelist as CSV', () => {
  it('is imported as a whole, and comes back from the export', async () => {
    const url = await newList()
    const imported = await organize('POST', `${url}/import`, {
      csv: 'E-mail;Note\r\nCarla@example.org;=Sponsor\r\ndawid@example.org;\r\n',
    })
    expect([imported.status, imported.body.data]).toEqual([201, { added: 2, known: 0, total: 2 }])
    const exported = await organize('GET', `${url}/export`)
    expect(exported.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(exported.text).toBe("email,note\r\ncarla@example.org,'=Sponsor\r\ndawid@example.org,\r\n")
    const copy = await newList()
    await organize('POST', `${copy}/import`, { csv: exported.text })
    expect((await organize('GET', `${copy}/export`)).text).toBe(exported.text)
  })

  it('with faults adds nothing, and says what to do on which line', async () => {
    const url = await newList()
    const csv = `anna@example.org\n${'carla\n'.repeat(150)}"open`
    const refused = await organize('POST', `${url}/import`, { csv })
    expect([refused.status, refused.body.code, refused.body.faults]).toEqual([422, 'csv_invalid', 151])
    expect(refused.body.errors).toHaveLength(100)
    expect(refused.body.errors[0]).toMatchObject({
      line: 2,
      code: 'not_an_email',
      message: expect.stringContaining('remove the line'),
    })
    expect(await emailsOf(url)).toEqual([])
  })

  it('has a limit of characters', async () => {
    const refused = await organize('POST', `${list}/import`, { csv: 'x'.repeat(512 * 1024 + 1) })
    expect(refused.status).toBe(400)
  })
})

describe('a zone with a whitelist', () => {
  const place = (token: string) =>
    send('POST', `${at.url}/holds`, token, { zone_id: at.zones[1], quantity: 1 })
  const seat = (token: string) => send('POST', `${at.url}/seats/${at.seats[4]}/reserve`, token)

  it('opens to those on the whitelist of the event with their next request, and closes likewise', async () => {
    const anna = await account('anna')
    expect((await place(anna.token)).body).toMatchObject({
      code: 'zone_access_denied',
      required: { mode: 'whitelist' },
    })
    await organize('POST', list, { entries: [{ email: anna.email }] })
    expect((await place(anna.token)).status).toBe(201)
    expect((await seat(anna.token)).status).toBe(201)
    const [entry] = (await organize('GET', `${list}?query=${encodeURIComponent(anna.email)}`)).body.data
    await organize('DELETE', `${list}/${entry.entry_id}`)
    expect((await place(anna.token)).body.code).toBe('zone_access_denied')
    // Held places stay held.
    expect((await send('GET', `/api/holds?event_id=${at.eventId}`, anna.token)).body.data).toHaveLength(2)
  })

  it('opens to them on a node that has just started, and there as soon as here', async () => {
    const ben = await account('ben')
    const other = await startListeningNode(server.database.url)
    try {
      const there = () =>
        fetch(`${other.url}${at.url}/holds`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ben.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ zone_id: at.zones[1], quantity: 1 }),
        })
      expect((await there()).status).toBe(403)
      await organize('POST', list, { entries: [{ email: ben.email }] })
      expect((await there()).status).toBe(201)
    } finally {
      await other.close()
    }
  })

  it('of another event stays closed, and so do members’ zones', async () => {
    const carla = await account('carla')
    await organize('POST', list, { entries: [{ email: carla.email }] })
    const zone = { zone_type: 'ga_standing', capacity: 10 }
    const elsewhere = await openHall(server.request, ours.tokens.organizer, {
      seats: 1,
      zones: [{ ...zone, name: 'Friends', access_mode: 'whitelist' }],
    })
    const body = { zone_id: elsewhere.zones[1], quantity: 1 }
    expect((await send('POST', `${elsewhere.url}/holds`, carla.token, body)).body.code).toBe(
      'zone_access_denied',
    )
    const gold = await openHall(server.request, ours.tokens.organizer, {
      seats: 1,
      zones: [{ ...zone, name: 'Gold', access_mode: 'membership_tier', membership_tier: 'gold' }],
    })
    await organize('POST', `/api/admin/events/${gold.eventId}/whitelist`, {
      entries: [{ email: carla.email }],
    })
    const asked = await send('POST', `${gold.url}/holds`, carla.token, {
      zone_id: gold.zones[1],
      quantity: 1,
    })
    expect(asked.body).toMatchObject({ code: 'zone_access_denied', required: { mode: 'membership_tier' } })
  })

  it('takes over the holds of a guest who signs in, if the account is on the whitelist', async () => {
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const { token, user } = guest.body.data
    const open = await openHall(server.request, ours.tokens.organizer, {
      seats: 0,
      zones: [
        {
          name: 'Friends',
          zone_type: 'ga_standing',
          capacity: 5,
          access_mode: 'whitelist',
          allowed_user_ids: [user.id],
        },
      ],
    })
    await send('POST', `${open.url}/holds`, token, { zone_id: open.zones[0], quantity: 1 })
    const dawid = await account('dawid')
    const transfer = () => send('POST', '/api/holds/transfer', dawid.token, { from_token: token })
    expect((await transfer()).body.data.not_moved).toMatchObject([{ code: 'zone_access_denied' }])
    await organize('POST', `/api/admin/events/${open.eventId}/whitelist`, {
      entries: [{ user_id: dawid.id }],
    })
    expect((await transfer()).body.data).toMatchObject({ moved: [{ event_id: open.eventId }], not_moved: [] })
  })
})

it('row-level security shows no entry of another organization, without any filter of ours', async () => {
  const theirs = await server.organization('Theirs')
  const scope = { organizationId: theirs.id } as never
  const rows = await server.node.database.tenant(scope, tx =>
    tx.query(
      'select $1::uuid, email_key from whitelist_entries union all select $1::uuid, email_key from place_guests',
    ),
  )
  expect(rows).toEqual([])
  const [all] = await server.database.sql<{ count: number }>(
    'select count(*)::int as count from whitelist_entries',
  )
  expect(all!.count).toBeGreaterThan(0)
})
