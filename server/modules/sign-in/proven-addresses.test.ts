import { randomUUID } from 'node:crypto'
import { type Hall, openHall } from '@voelgoed/testing/hall'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { mailsEnded, TestSmtp } from '@voelgoed/testing/test-smtp'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const smtp = await TestSmtp.start()
const { server, ours, send, organize } = useServer({
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'tickets@example.org',
  PUBLIC_URL: 'https://tickets.example.org',
})
afterAll(() => smtp.close())

let at: Hall

/** Four seats for everyone, places for invited people, places for members. */
beforeAll(async () => {
  at = await openHall(server.request, ours.tokens.organizer, {
    seats: 4,
    zones: [
      { name: 'State', zone_type: 'ga_standing', capacity: 100, access_mode: 'whitelist' },
      {
        name: 'Gold',
        zone_type: 'vip_standing',
        capacity: 100,
        access_mode: 'membership_tier',
        membership_tier: 'gold',
      },
    ],
    event: {
      seating_overrides: { allow_vip_zones: true, max_seats_per_booking: null, holds_per_window: null },
    },
  })
})

const STATE = 1
const GOLD = 2
const FIVE_MINUTES = 5 * 60_000
const newEmail = () => `${randomUUID().slice(0, 8)}@state.test`

async function signUp(email = newEmail()) {
  const body = { organization: ours.slug, email, password: PASSWORD }
  const made = await server.request('POST', '/api/accounts', { body })
  expect(made.status, made.text).toBe(201)
  return { email, token: made.body.data.token as string, id: made.body.data.user.id as string }
}

const invite = (email: string) =>
  organize('POST', `/api/admin/events/${at.eventId}/whitelist`, { entries: [{ email }] })

/** The code of the refusal; null: two places are held. */
async function hold(token: string, zone: number): Promise<string | null> {
  const held = await send('POST', `${at.url}/holds`, token, { zone_id: at.zones[zone], quantity: 2 })
  return held.status === 201 ? null : held.body.code
}

/** The token of the last mail that confirms this address. */
async function mailedTo(email: string): Promise<string> {
  await mailsEnded(server, email)
  const mails = await Promise.all(smtp.to(email).map(mail => PostalMime.parse(mail.raw)))
  const mail = mails.filter(({ text }) => text?.includes('&confirm=1')).at(-1)
  return /\/password#token=(vgr1_[\w-]+)&confirm=1/.exec(mail?.text ?? '')![1]!
}

const ask = (token: string) => send('POST', '/api/accounts/email-confirmations', token)
const confirm = (token: string, mailed: string) =>
  send('POST', `/api/accounts/email-confirmations/${mailed}`, token)
const choose = (mailed: string, password: string) =>
  server.request('POST', `/api/password-resets/${mailed}`, { body: { password } })
const me = async (token: string) => (await send('GET', '/api/session', token)).body.data.user
const people = async (id: string) => (await organize('GET', `/api/admin/users?query=${id}`)).body.data[0]
const importGold = (email: string, dry_run = false, tier = 'gold') =>
  organize('POST', '/api/admin/members/import', { dry_run, rows: [{ line: 2, email, tier, status: '' }] })

describe('an address that a person only typed', () => {
  it('opens no zone of invited people, until a link in a mail has confirmed it', async () => {
    const minister = newEmail()
    await invite(minister)
    const { token } = await signUp(minister)
    expect(await hold(token, STATE)).toBe('zone_access_denied')
    expect(await me(token)).toMatchObject({ email: minister, email_proven: false })

    const confirmed = await confirm(token, await mailedTo(minister))
    expect(confirmed.body.data, confirmed.text).toMatchObject({ email: minister, email_proven: true })
    expect(await hold(token, STATE)).toBe(null)
  })

  it('gets a membership that waits for its owner, and the report says so', async () => {
    const golden = newEmail()
    const { token, id } = await signUp(golden)
    const dry = await importGold(golden, true)
    expect(dry.body.data).toMatchObject({
      changed: 0,
      not_confirmed: 1,
      lines: [{ outcome: 'not_confirmed' }],
    })
    const before = await mailedTo(golden)
    const imported = await importGold(golden)
    expect(imported.body.data).toMatchObject({
      changed: 0,
      not_confirmed: 1,
      lines: [{ outcome: 'not_confirmed', before: null, after: { tier: 'gold', status: 'active' } }],
    })
    expect(await hold(token, GOLD)).toBe('zone_access_denied')
    // The stranger does not learn that the address is a member's; staff do.
    expect(await me(token)).toMatchObject({ membership_tier: null, email_proven: false })
    expect(await people(id)).toMatchObject({ membership_tier: 'gold', email_proven: false })

    const mailed = await mailedTo(golden)
    expect(mailed).not.toBe(before)
    expect((await importGold(golden)).body.data).toMatchObject({ not_confirmed: 1 })
    expect((await confirm(token, mailed)).status).toBe(200)
    expect(await hold(token, GOLD)).toBe(null)
    expect(await me(token)).toMatchObject({ membership_tier: 'gold', email_proven: true })
    expect((await importGold(golden)).body.data).toMatchObject({
      not_confirmed: 0,
      lines: [{ outcome: 'same' }],
    })
  })

  it('loses a membership at once, proven or not', async () => {
    const { email, id } = await signUp()
    await importGold(email)
    expect((await importGold(email, false, '')).body.data).toMatchObject({ changed: 1, not_confirmed: 0 })
    expect(await people(id)).toMatchObject({ membership_tier: null })
  })

  it('is given to its true owner by the link, and the stranger who signed up is out', async () => {
    const email = newEmail()
    const stranger = await signUp(email)
    await invite(email)
    await importGold(email)
    const mailed = await mailedTo(email)
    expect((await choose(mailed, 'the owner chose this')).status).toBe(204)
    expect((await send('GET', '/api/session', stranger.token)).status).toBe(401)
    const session = await server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password: 'the owner chose this' },
    })
    expect(session.body.data.user).toMatchObject({ email_proven: true, membership_tier: 'gold' })
    expect(await hold(session.body.data.token, STATE)).toBe(null)
    expect(await hold(session.body.data.token, GOLD)).toBe(null)
  })

  it('is not confirmed by its owner for the stranger: a link counts for the account that it was sent to', async () => {
    const [stranger, other] = [await signUp(), await signUp()]
    const mailed = await mailedTo(stranger.email)
    expect((await confirm(other.token, mailed)).status).toBe(403)
    expect((await server.request('POST', `/api/accounts/email-confirmations/${mailed}`)).status).toBe(401)
    for (const { token } of [stranger, other]) expect(await me(token)).toMatchObject({ email_proven: false })
    const theirs = await server.organization('Theirs')
    expect((await confirm(theirs.tokens.customer, mailed)).status).toBe(404)
    expect((await confirm(stranger.token, mailed)).status).toBe(200)
  })

  it('counts on every node from the next request on, also for a session that is open there', async () => {
    const { email, token } = await signUp()
    await invite(email)
    await importGold(email)
    // The other node has no mail server, and would keep the mail.
    const mailed = await mailedTo(email)
    const other = await startListeningNode(server.database.url)
    const there = async (zone: number) =>
      (
        await fetch(`${other.url}${at.url}/holds`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ zone_id: at.zones[zone], quantity: 1 }),
        })
      ).status
    expect(await there(GOLD)).toBe(403)
    await confirm(token, mailed)
    await waitUntil('the other node has heard of it', async () => (await there(GOLD)) === 201)
    expect(await there(STATE)).toBe(201)
    await other.close()
  })
})

describe('a mail that confirms', () => {
  it('is sent when it is asked for, a bounded number of times, and not to who is confirmed', async () => {
    const { email, token } = await signUp()
    const first = await mailedTo(email)
    // An account gets one mail in five minutes: both questions come at their beginning.
    const untilNext = FIVE_MINUTES - (server.clock.now() % FIVE_MINUTES)
    server.clock.jump(untilNext)
    expect([(await ask(token)).status, (await ask(token)).status]).toEqual([202, 202])
    server.clock.jump(-untilNext)
    const second = await mailedTo(email)
    expect(second).not.toBe(first)
    expect(smtp.to(email)).toHaveLength(2)
    const [row] = await server.database.sql<{ id: string }>('select id from users where email = $1', [email])
    await server.database.sql(
      `insert into mails (organization_id, id, key, kind, recipient, data, user_id, status, ended_at)
       select $1, gen_random_uuid(), 'k' || i, 'address_confirmation', $2, '{}', $3, 'sent', now()
       from generate_series(1, 3) i`,
      [ours.id, email, row!.id],
    )
    expect((await ask(token)).body.code).toBe('rate_limited')
    expect((await confirm(token, second)).status).toBe(200)
    expect((await ask(token)).status).toBe(202)
  })

  it('works once, and repeating it tells the same; its link chooses no password after that', async () => {
    const { email, token } = await signUp()
    const mailed = await mailedTo(email)
    const both = await Promise.all([confirm(token, mailed), confirm(token, mailed)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect((await choose(mailed, 'another password')).status).toBe(404)
    expect((await choose(`${mailed.slice(0, -1)}${mailed.endsWith('A') ? 'B' : 'A'}`, PASSWORD)).status).toBe(
      404,
    )
  })

  it('is for accounts: a guest and a program have no address', async () => {
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    expect((await ask(guest.body.data.token)).status).toBe(403)
    const body = { name: 'Shop', role: 'organizer' }
    const { key } = (await send('POST', '/api/admin/api-keys', ours.tokens.admin, body)).body.data
    expect((await ask(key)).status).toBe(403)
  })
})

describe('whose word counts', () => {
  const url = () => `/api/platform/organizations/${ours.id}/users`

  it('staff and the platform vouch for the accounts that they make', async () => {
    const made = await send('POST', url(), ROOT_KEY, {
      email: newEmail(),
      password: PASSWORD,
      role: 'customer',
    })
    expect(made.body.data).toMatchObject({ email_proven: true })
    const invited = await organize('POST', '/api/admin/invitations', {
      email: newEmail(),
      role: 'customer',
      membership_tier: 'gold',
    })
    expect(invited.body.data).toMatchObject({ email_proven: true, invited: true })
  })

  it('the platform vouches with a membership; staff who give one say whether they know the person', async () => {
    const gold = { membership_tier: 'gold', membership_status: 'active' }
    const known = await signUp()
    await send('PATCH', `${url()}/${known.id}`, ROOT_KEY, gold)
    expect(await hold(known.token, GOLD)).toBe(null)

    const typed = await signUp()
    const given = await organize('PATCH', `/api/admin/users/${typed.id}`, gold)
    expect(given.body.data).toMatchObject({ membership_tier: 'gold', email_proven: false })
    expect(await hold(typed.token, GOLD)).toBe('zone_access_denied')
    await organize('PATCH', `/api/admin/users/${typed.id}`, { email_proven: true })
    expect(await hold(typed.token, GOLD)).toBe(null)
    await organize('PATCH', `/api/admin/users/${typed.id}`, { email_proven: false })
    expect(await hold(typed.token, GOLD)).toBe('zone_access_denied')

    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const refused = await organize('PATCH', `/api/admin/users/${guest.body.data.user.id}`, {
      email_proven: true,
    })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/email_proven'])
  })

  it('a proof ends when staff want the address confirmed, and when the address changes', async () => {
    const { email, id } = await signUp()
    await organize('PATCH', `/api/admin/users/${id}`, { email_proven: true })
    await organize('PATCH', `/api/admin/users/${id}`, { confirm_address: true })
    expect(await people(id)).toMatchObject({ email_proven: false, invited: true })

    const moved = await signUp()
    const mailed = await mailedTo(moved.email)
    await organize('PATCH', `/api/admin/users/${moved.id}`, { email_proven: true })
    await server.database.sql('update users set email = $2 where id = $1', [moved.id, `new-${email}`])
    expect(await people(moved.id)).toMatchObject({ email: `new-${email}`, email_proven: false })
    // A link that went to the address before says nothing of the new one.
    expect((await confirm(moved.token, mailed)).status).toBe(404)
  })
})

it('the seats of a cart are judged again when they are paid for: a proof that ended counts no more', async () => {
  const { email, token, id } = await signUp()
  await invite(email)
  await confirm(token, await mailedTo(email))
  const zone_id = at.zones[STATE]
  const held = await send('POST', `${at.url}/holds`, token, { zone_id, quantity: 1 })
  expect(held.status, held.text).toBe(201)
  await organize('PATCH', `/api/admin/users/${id}`, { email_proven: false })
  const hold_ids = held.body.data.holds.map((one: { hold_id: string }) => one.hold_id)
  const sold = await organize('POST', '/api/admin/orders', {
    event_id: at.eventId,
    method: 'external',
    hold_ids,
  })
  expect([sold.status, sold.body.code]).toEqual([403, 'zone_access_denied'])
})
