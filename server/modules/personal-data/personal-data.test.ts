import { randomUUID } from 'node:crypto'
import { checkoutsAt } from '@voelgoed/testing/checkouts'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { PASSWORD } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { useServer } from '@voelgoed/testing/use-server'
import { beforeAll, expect, it } from 'vitest'

/** People take away what is kept of them, and have it erased. */
const used = useServer()
const { server, ours, send, organize } = used
const sql = (text: string, values: unknown[] = []) =>
  server.database.sql<Record<string, unknown>>(text, values)
let at: Hall
let next = 0

beforeAll(async () => {
  at = await openHall(server.request, ours.tokens.organizer, {
    seats: 60,
    event: { seating_overrides: UNLIMITED },
  })
})

async function signUp(email = `${randomUUID()}@buyer.example`) {
  const body = { organization: ours.slug, email, password: PASSWORD }
  const { data } = (await server.request('POST', '/api/accounts', { body })).body
  return { email, token: data.token as string, id: data.user.id as string }
}

async function hold(token: string): Promise<string> {
  const held = await send('POST', `${at.url}/holds`, token, { seat_ids: [at.seats[next]] })
  next += 2
  expect(held.status, held.text).toBe(201)
  return held.body.data.holds[0].hold_id
}

/** An order that the buyer made by themselves: no member of staff sold it. */
async function buy(
  token: string,
  email: string,
  { name = 'Ben', attendee = 'Carla' } = {},
): Promise<{ order: string; ticket: string }> {
  const hold_id = await hold(token)
  const sold = await organize('POST', '/api/admin/orders', {
    ...{ event_id: at.eventId, method: 'external', hold_ids: [hold_id], allow_stranding: true },
    contact: { name, email },
    attendees: [{ hold_id, attendee }],
  })
  expect(sold.status, sold.text).toBe(201)
  const { order_id: order, tickets } = sold.body.data
  await sql('update orders set sold_by = null where id = $1', [order])
  return { order, ticket: tickets[0].ticket_id }
}

const erase = (token: string, body: object = {}) =>
  send('POST', '/api/account/erasure', token, { password: PASSWORD, ...body })

/** Every column of every table that has one of these texts, as `table.column`. */
async function whereStands(...texts: string[]): Promise<string[]> {
  const columns = await sql(
    `select table_name, column_name from information_schema.columns c join information_schema.tables t
       using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'jsonb')`,
  )
  const found = await Promise.all(
    columns.map(async ({ table_name: table, column_name: column }) => {
      const rows = await sql(
        `select 1 from "${table}" where "${column}"::text ilike any ($1::text[]) limit 1`,
        [texts.map(text => `%${text}%`)],
      )
      return rows.length > 0 ? [`${table}.${column}`] : []
    }),
  )
  return found.flat()
}

it('the account has a name that its owner gives and takes away', async () => {
  const { token, email, id } = await signUp()
  const read = async () => (await send('GET', '/api/account', token)).body.data
  expect(await read()).toMatchObject({ id, email, email_proven: false, name: null, has_password: true })
  const named = await send('PATCH', '/api/account', token, { name: ' Thandi Mokoena ' })
  expect(named.body.data.name).toBe('Thandi Mokoena')
  expect(await read()).toMatchObject({ name: 'Thandi Mokoena' })
  expect((await send('PATCH', '/api/account', token, { name: '' })).status).toBe(400)
  await send('PATCH', '/api/account', token, { name: null })
  expect(await read()).toMatchObject({ name: null })
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  for (const [method, path] of [
    ['GET', '/api/account'],
    ['GET', '/api/account/data'],
  ] as const)
    expect((await send(method, path, guest.body.data.token)).status).toBe(403)
})

it('a buyer takes all that is kept of them away, and an admin takes that of a person', async () => {
  const { token, email, id } = await signUp()
  const { order } = await buy(token, email)
  await hold(token)
  const mine = await send('GET', '/api/account/data', token)
  expect(mine.body.data).toMatchObject({
    account: { id, email, role: 'customer' },
    identities: [{ issuer: 'password', subject: email }],
    sessions: [{ address: expect.any(String) }],
    orders: [{ order_id: order, contact: { name: 'Ben', email } }],
    mails: expect.arrayContaining([expect.objectContaining({ kind: 'order_paid', recipient: email })]),
    incomplete: [],
  })
  expect(mine.body.data.holds.length).toBeGreaterThan(0)
  // A ticket's token opens a gate: the file is no place for it.
  expect(mine.text).not.toContain('VG1.')
  const url = `/api/admin/people/${id}/data`
  const theirs = await send('GET', url, ours.tokens.admin)
  expect(theirs.body.data.orders).toEqual(mine.body.data.orders)
  expect((await organize('GET', url)).status).toBe(403)
  expect((await send('GET', `/api/admin/people/${randomUUID()}/data`, ours.tokens.admin)).status).toBe(404)
  const noted = await sql(
    `select changes ->> 'by' as by from audit_log where action = 'person_exported' and entity_id = $1 order by id`,
    [id],
  )
  expect(noted.map(({ by }) => by)).toEqual(['self', 'staff'])
})

it('an account is deleted with all that names its owner; what the books need stays', async () => {
  const { token, email, id } = await signUp()
  await organize('PATCH', `/api/admin/users/${id}`, { email_proven: true })
  await send('PATCH', '/api/account', token, { name: 'Thandi Mokoena' })
  const names = { name: 'Thandi Mokoena', attendee: 'Naledi Mokoena' }
  const { order, ticket } = await buy(token, email, names)
  const refunded = await buy(token, email, names)
  await organize('POST', `/api/admin/orders/${refunded.order}/refund`, { reason: 'ill' })
  await send('POST', `/api/admin/orders/${order}/tickets/${ticket}/reissue`, ours.tokens.admin, {
    attendee: 'Naledi Mokoena',
  })
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const asGuest = await buy(guest.body.data.token, email.toUpperCase(), names)
  await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, {
    entries: [{ email, note: 'Thandi' }],
  })
  const held = await hold(token)

  const wrong = await erase(token, { password: 'not my password' })
  expect(wrong.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/password' }] })
  expect((await erase(token)).body).toMatchObject({ code: 'tickets_to_come', tickets: 2, status: 409 })
  const done = await erase(token, { tickets_stay: true })
  expect(done.body.data).toMatchObject({
    orders: 3,
    tickets_to_come: 2,
    sessions_ended: 1,
    places_released: 1,
  })

  expect((await send('GET', '/api/session', token)).status).toBe(401)
  const body = { organization: ours.slug, email, password: PASSWORD }
  expect((await server.request('POST', '/api/sessions', { body })).status).toBe(401)
  expect(await whereStands(email, 'Thandi', 'Naledi')).toEqual([])
  const [where] = await sql(
    `select count(*)::int as many from audit_log where user_id = $1 and (ip is not null or user_agent is not null)`,
    [id],
  )
  expect(where).toEqual({ many: 0 })
  const kept = await organize('GET', `/api/admin/orders/${order}`)
  expect(kept.body.data).toMatchObject({ status: 'paid', contact: null, user_id: id })
  expect(kept.body.data.tickets[0]).toMatchObject({ status: 'valid', attendee: null })
  expect((await organize('GET', `/api/admin/orders/${asGuest.order}`)).body.data.contact).toBeNull()
  expect((await organize('GET', `/api/admin/holds?user_id=${id}`)).body.data).not.toContainEqual(
    expect.objectContaining({ hold_id: held, status: 'active' }),
  )
  expect((await organize('PATCH', `/api/admin/users/${id}`, { disabled: false })).status).toBe(404)
  const noted = await sql(`select changes from audit_log where action = 'person_erased' and entity_id = $1`, [
    id,
  ])
  expect(noted).toMatchObject([{ changes: { by: 'self', orders: 3, tickets_to_come: 2, whitelists: 1 } }])
  // The address is free for a new account, which has nothing of the one before.
  const again = await signUp(email)
  expect((await send('GET', '/api/orders', again.token)).body.data).toEqual([])
})

it('what went to an address that is not proven to be theirs stays', async () => {
  const owner = `${randomUUID()}@buyer.example`
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const { order } = await buy(guest.body.data.token, owner)
  await organize('POST', `/api/admin/events/${at.eventId}/whitelist`, { entries: [{ email: owner }] })
  const stranger = await signUp(owner)
  expect((await send('GET', '/api/account/data', stranger.token)).body.data).toMatchObject({
    orders: [],
    whitelists: [],
  })
  expect((await erase(stranger.token)).body.data).toMatchObject({ orders: 0 })
  expect((await organize('GET', `/api/admin/orders/${order}`)).body.data.contact.email).toBe(owner)
  expect(await sql('select 1 from whitelist_entries where email_key = $1', [owner])).toHaveLength(1)
})

it('an open payment waits, and so does the account', async () => {
  const { pricedHall, hold: holdAt, open } = checkoutsAt(used)
  const priced = await pricedHall({ seats: 10 })
  const { token } = await signUp()
  await holdAt(priced, token, [0])
  const { checkout_id } = (await open(priced, token)).body.data
  expect((await erase(token)).body).toMatchObject({ code: 'open_payment', order_ids: [checkout_id] })
  expect((await send('GET', '/api/account', token)).status).toBe(200)
  await send('DELETE', `/api/checkouts/${checkout_id}`, token)
  expect((await erase(token)).body.data).toMatchObject({ orders: 1, tickets_to_come: 0 })
})

it('an admin erases a person, and no admin erases themselves; staff do not delete their own account', async () => {
  const { token, email, id } = await signUp()
  await buy(token, email)
  const url = `/api/admin/people/${id}/data`
  expect((await organize('DELETE', url)).status).toBe(403)
  expect((await send('DELETE', url, ours.tokens.admin)).body).toMatchObject({ code: 'tickets_to_come' })
  const done = await send('DELETE', `${url}?tickets_stay=true`, ours.tokens.admin)
  expect(done.body.data).toMatchObject({ orders: 1, tickets_to_come: 1, sessions_ended: 1 })
  expect((await send('DELETE', url, ours.tokens.admin)).status).toBe(404)
  expect(await whereStands(email)).toEqual([])
  const me = (await send('GET', '/api/session', ours.tokens.admin)).body.data.user.id
  expect((await send('DELETE', `/api/admin/people/${me}/data`, ours.tokens.admin)).status).toBe(403)
  expect((await erase(ours.tokens.organizer)).status).toBe(403)
})

it('an entry of the audit log forgets from where, and nothing else', async () => {
  const { id } = await signUp()
  const change = (set: string) => sql(`update audit_log set ${set} where user_id = $1`, [id])
  for (const set of ['ip = null, user_agent = null', `ip = '10.0.0.1'`, `changes = '{"a":1}'`])
    await expect(change(set)).rejects.toThrow('only forgets')
})

it('what npm run verify asks still holds of what stays', () => expectSound(server.database))
