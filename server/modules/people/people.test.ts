import { randomUUID } from 'node:crypto'
import { MAX_MEMBER_ROWS } from '@voelgoed/contract/members'
import { MAX_INVITATIONS_OF_ONE } from '@voelgoed/contract/users'
import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { mailsEnded, TestSmtp } from '@voelgoed/testing/test-smtp'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import PostalMime from 'postal-mime'
import { afterAll, describe, expect, it } from 'vitest'

const smtp = await TestSmtp.start()
const { server, ours, send, organize } = useServer({
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  MAIL_FROM: 'tickets@example.org',
  PUBLIC_URL: 'https://tickets.example.org',
})
afterAll(() => smtp.close())

const newEmail = () => `${randomUUID().slice(0, 8)}@people.example`

const signIn = (email: string, password = PASSWORD, headers = {}) =>
  server.request('POST', '/api/sessions', { body: { organization: ours.slug, email, password }, headers })

async function newUser(role: string, membership: object = {}) {
  const email = newEmail()
  const url = `/api/platform/organizations/${ours.id}/users`
  const made = await send('POST', url, ROOT_KEY, { email, password: PASSWORD, role, ...membership })
  expect(made.status, made.text).toBe(201)
  return { id: made.body.data.id as string, email }
}

const actionsOn = async (id: string): Promise<string[]> =>
  (await send('GET', `/api/admin/audit?entity_id=${id}`, ours.tokens.admin)).body.data.map(
    (entry: { action: string }) => entry.action,
  )

/** They come in the order in which they arrived. */
const mailsTo = async (email: string) => {
  await mailsEnded(server, email)
  return Promise.all(smtp.to(email).map(mail => PostalMime.parse(mail.raw)))
}
const mailTo = async (email: string) => (await mailsTo(email)).at(-1)
const tokenIn = (text: string) => /#token=(vgr1_[\w-]+)/.exec(text)![1]!

describe('an invitation', () => {
  it('makes an account that opens nothing until the reader of the mail has chosen a password, once', async () => {
    const email = newEmail()
    const answer = await organize('POST', '/api/admin/invitations', { email, role: 'support' })
    expect(answer.body.data).toMatchObject({ email, role: 'support', invited: true, disabled: false })
    const { id } = answer.body.data
    expect((await signIn(email)).status).toBe(401)
    const signUp = { organization: ours.slug, email, password: PASSWORD }
    expect((await server.request('POST', '/api/accounts', { body: signUp })).status).toBe(409)

    const mail = await mailTo(email)
    expect(mail!.text).toContain('https://tickets.example.org/')
    expect(mail!.text).toContain('&next=console')
    const token = tokenIn(mail!.text!)
    const stored = await server.database.sql('select * from password_resets where user_id = $1', [id])
    expect(JSON.stringify(stored)).not.toContain(token)
    const accept = () =>
      server.request('POST', `/api/password-resets/${token}`, { body: { password: 'my own password' } })
    expect((await accept()).status).toBe(204)
    expect((await accept()).status).toBe(404)
    const session = await signIn(email, 'my own password')
    expect(session.body.data.user).toMatchObject({ id, role: 'support' })
    const [found] = (await organize('GET', `/api/admin/users?query=${id}`)).body.data
    expect(found.invited).toBe(false)
    expect(await actionsOn(id)).toEqual(expect.arrayContaining(['user_invited', 'invitation_accepted']))
    // There was no password before, so no mail says that it was changed.
    expect(await mailsTo(email)).toHaveLength(1)
  })

  it('ends after seven days, and with the account', async () => {
    const email = newEmail()
    const { id } = (await organize('POST', '/api/admin/invitations', { email, role: 'scanner' })).body.data
    const token = tokenIn((await mailTo(email))!.text!)
    const [row] = await server.database.sql<{ days: number }>(
      `select round(extract(epoch from expires_at - now()) / 86400)::int as days
       from password_resets where user_id = $1`,
      [id],
    )
    expect(row!.days).toBe(7)
    const accept = () =>
      server.request('POST', `/api/password-resets/${token}`, { body: { password: 'my own password' } })
    await organize('PATCH', `/api/admin/users/${id}`, { disabled: true })
    expect((await accept()).status).toBe(404)
    await organize('PATCH', `/api/admin/users/${id}`, { disabled: false })
    await server.database.sql('update password_resets set expires_at = now() where user_id = $1', [id])
    expect((await accept()).status).toBe(404)
    expect((await organize('POST', `/api/admin/users/${id}/invite`)).status).toBe(201)
    const again = tokenIn((await mailTo(email))!.text!)
    const second = await server.request('POST', `/api/password-resets/${again}`, {
      body: { password: 'my own password' },
    })
    expect(second.status).toBe(204)
    const late = await organize('POST', `/api/admin/users/${id}/invite`)
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transition'])
  })

  it("raises no role above the inviter's, takes no account that is there, and is limited", async () => {
    const email = newEmail()
    const raised = await organize('POST', '/api/admin/invitations', { email, role: 'admin' })
    expect([raised.status, raised.body.code]).toEqual([403, 'forbidden'])
    for (const role of ['customer', 'scanner', 'support'] as const) {
      const refused = await send('POST', '/api/admin/invitations', ours.tokens[role], { email, role })
      expect(refused.status).toBe(403)
    }
    const { email: known } = await newUser('customer')
    const taken = await organize('POST', '/api/admin/invitations', { email: known, role: 'support' })
    expect([taken.status, taken.body.code]).toEqual([409, 'already_exists'])
    const bad = await organize('POST', '/api/admin/invitations', { email: 'no address', role: 'support' })
    expect(bad.status).toBe(400)

    const made = await organize('POST', '/api/admin/users', { email, role: 'customer' })
    const again = () => organize('POST', `/api/admin/users/${made.body.data.id}/invite`)
    for (let sent = 1; sent < MAX_INVITATIONS_OF_ONE; sent += 1) expect((await again()).status).toBe(201)
    const much = await again()
    expect([much.status, much.body.code]).toEqual([429, 'rate_limited'])
  })
})

describe('a customer who becomes staff', () => {
  const signUp = async (email: string) => {
    const body = { organization: ours.slug, email, password: PASSWORD }
    return (await server.request('POST', '/api/accounts', { body })).body.data as {
      token: string
      user: { id: string }
    }
  }
  const promote = (id: string, body: object = {}) =>
    organize('PATCH', `/api/admin/users/${id}`, { role: 'organizer', confirm_address: true, ...body })

  it('is the reader of the address, not the stranger who signed up with it', async () => {
    const email = newEmail()
    const { token, user } = await signUp(email)
    await server.request('POST', '/api/password-resets', { body: { organization: ours.slug, email } })
    const older = tokenIn((await mailTo(email))!.text!)
    const promoted = await promote(user.id)
    expect(promoted.status, promoted.text).toBe(200)
    expect(promoted.body.data).toMatchObject({ role: 'organizer', invited: true, sessions_ended: 1 })
    expect((await send('GET', '/api/session', token)).status).toBe(401)
    expect((await signIn(email)).body.code).toBe('unauthorized')
    const choose = (reset: string, password: string) =>
      server.request('POST', `/api/password-resets/${reset}`, { body: { password } })
    expect((await choose(older, 'what the stranger chose')).status).toBe(404)

    const mail = await mailTo(email)
    expect(mail!.text).toContain('&next=console')
    expect((await choose(tokenIn(mail!.text!), 'my own password')).status).toBe(204)
    const session = await signIn(email, 'my own password')
    expect(session.body.data.user).toMatchObject({ id: user.id, role: 'organizer' })
    expect(await actionsOn(user.id)).toEqual(
      expect.arrayContaining(['user_updated', 'user_invited', 'invitation_accepted']),
    )
  })

  it('goes on with their password where the caller knows whose address it is', async () => {
    const { token, user } = await signUp(newEmail())
    const promoted = await promote(user.id, { confirm_address: false })
    expect(promoted.body.data).toMatchObject({ invited: false, sessions_ended: 0 })
    expect((await send('GET', '/api/session', token)).body.data.user.role).toBe('organizer')
  })

  it('gets the mail again as an invited person does, within the same limits', async () => {
    const { user } = await signUp(newEmail())
    for (let sent = 0; sent < MAX_INVITATIONS_OF_ONE; sent += 1) {
      const again = () => organize('POST', `/api/admin/users/${user.id}/invite`)
      expect((await (sent === 0 ? promote(user.id) : again())).status).toBeLessThan(300)
    }
    expect((await promote(user.id, { role: 'support' })).body.code).toBe('rate_limited')
    const [found] = (await organize('GET', `/api/admin/users?query=${user.id}`)).body.data
    expect(found.role).toBe('organizer')
  })

  it('is invited after they are enabled, if they were disabled', async () => {
    const email = newEmail()
    const { user } = await signUp(email)
    const promoted = await promote(user.id, { disabled: true })
    expect(promoted.body.data).toMatchObject({ disabled: true, invited: true, sessions_ended: 1 })
    // The mail that confirms the address may have gone out before.
    const invitation = async () => (await mailsTo(email)).find(({ text }) => text!.includes('&next=console'))
    expect(await invitation()).toBe(undefined)
    await organize('PATCH', `/api/admin/users/${user.id}`, { disabled: false })
    expect((await signIn(email)).body.code).toBe('unauthorized')
    expect((await organize('POST', `/api/admin/users/${user.id}/invite`)).status).toBe(201)
    expect(tokenIn((await invitation())!.text!)).toBeTruthy()
  })

  it('has an address, and no user asks it of themselves', async () => {
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const refused = await promote(guest.body.data.user.id)
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/confirm_address'])
    const own = (await send('GET', '/api/session', ours.tokens.organizer)).body.data.user.id
    expect((await promote(own)).status).toBe(403)
    expect((await send('GET', '/api/session', ours.tokens.organizer)).status).toBe(200)
  })

  it('leaves an admin who can sign in', async () => {
    const theirs = await server.organization('One admin')
    const { id } = (await send('GET', '/api/session', theirs.tokens.admin)).body.data.user
    const url = `/api/platform/organizations/${theirs.id}/users/${id}`
    expect((await send('PATCH', url, ROOT_KEY, { confirm_address: true })).body.code).toBe('last_admin')
  })
})

describe('the last admin', () => {
  it('stays, also when two admins take each other’s rights at once', async () => {
    const theirs = await server.organization('Two admins')
    const make = async (email: string) => {
      const body = { email, password: PASSWORD, role: 'admin' }
      const made = await send('POST', `/api/platform/organizations/${theirs.id}/users`, ROOT_KEY, body)
      const session = await server.request('POST', '/api/sessions', {
        body: { organization: theirs.slug, email, password: PASSWORD },
      })
      return { id: made.body.data.id as string, token: session.body.data.token as string }
    }
    const [anna, ben] = [await make(newEmail()), await make(newEmail())]
    const first = await server.database.sql<{ id: string }>(
      `select id from users where organization_id = $1 and role = 'admin' and id <> all ($2)`,
      [theirs.id, [anna.id, ben.id]],
    )
    const change = (id: string, token: string, body: object = { role: 'support' }) =>
      send('PATCH', `/api/admin/users/${id}`, token, body)
    expect((await change(first[0]!.id, anna.token)).status).toBe(200)
    // An invited admin can't sign in yet, and so does not count.
    await send('POST', '/api/admin/invitations', anna.token, { email: newEmail(), role: 'admin' })
    // Both are let in before either of them is decided.
    const scope = TenantScope.of(theirs.id as OrganizationId)
    const { asked } = await server.node.database.tenant(scope, async tx => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('admins of ' || $1::text, 0))`)
      const changes = [change(anna.id, ben.token), change(ben.id, anna.token)]
      await waitUntil('both wait', async () => (await server.database.lockWaits()) === 2)
      // Not waited for: they go on when this transaction ends.
      return { asked: changes }
    })
    const answers = await Promise.all(asked)
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 409])
    const [left] = await server.database.sql<{ id: string }>(
      `select id from users where organization_id = $1 and role = 'admin' and exists (
         select from credentials c where c.user_id = users.id)`,
      [theirs.id],
    )
    const key = await send('POST', '/api/admin/api-keys', left!.id === anna.id ? anna.token : ben.token, {
      name: 'Robot',
      role: 'admin',
    })
    for (const body of [{ role: 'organizer' }, { disabled: true }]) {
      const refused = await change(left!.id, key.body.data.key, body)
      expect([refused.status, refused.body.code]).toEqual([409, 'last_admin'])
      const byPlatform = `/api/platform/organizations/${theirs.id}/users/${left!.id}`
      expect((await send('PATCH', byPlatform, ROOT_KEY, body)).body.code).toBe('last_admin')
    }
  })
})

describe('sessions', () => {
  const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'

  it('are listed with device and address, and ended one by one or all but this one', async () => {
    const { email, id } = await newUser('support')
    const open = async (agent: string) =>
      (await signIn(email, PASSWORD, { 'user-agent': agent })).body.data.token as string
    const [one, two, three] = [await open(AGENT), await open('curl/8'), await open('curl/9')]
    const listed = (await send('GET', '/api/sessions', one)).body.data
    expect(listed).toHaveLength(3)
    expect(listed.map((session: { current: boolean }) => session.current)).toEqual([false, false, true])
    expect(listed[2]).toMatchObject({ device: AGENT, address: expect.stringContaining('127.0.0.1') })
    expect(JSON.stringify(listed)).not.toContain(one.slice(-40))

    expect((await send('DELETE', `/api/sessions/${listed[0].session_id}`, one)).status).toBe(204)
    expect((await send('GET', '/api/session', three)).status).toBe(401)
    expect((await send('GET', '/api/session', two)).status).toBe(200)
    expect((await send('DELETE', `/api/sessions/${listed[0].session_id}`, one)).status).toBe(404)
    expect((await send('DELETE', '/api/sessions', one)).body.data).toEqual({ sessions_ended: 1 })
    expect((await send('GET', '/api/session', two)).status).toBe(401)
    expect((await send('GET', '/api/session', one)).status).toBe(200)
    expect(await actionsOn(id)).toEqual(expect.arrayContaining(['session_ended', 'sessions_ended']))
  })

  it('tell when staff were last seen, after a while; buyers are not followed', async () => {
    const staff = await newUser('scanner')
    const buyer = await newUser('customer')
    for (const { email } of [staff, buyer]) {
      const { token } = (await signIn(email)).body.data
      await send('GET', '/api/session', token)
    }
    await server.node.lastUses.flush()
    const seen = async (id: string) =>
      (await organize('GET', `/api/admin/users/${id}/sessions`)).body.data[0].last_seen_at
    expect(Date.parse(await seen(staff.id))).toBeGreaterThan(server.clock.now() - 60_000)
    expect(await seen(buyer.id)).toBe(null)
  })

  it('of others are for those who manage them: no user ends a session that is not theirs', async () => {
    const admin = await newUser('admin')
    const ben = await newUser('customer')
    const session = await signIn(ben.email)
    await signIn(admin.email)
    const ofAdmin = `/api/admin/users/${admin.id}/sessions`
    expect((await organize('GET', ofAdmin)).status).toBe(403)
    const [listed] = (await send('GET', ofAdmin, ours.tokens.admin)).body.data
    expect((await organize('DELETE', `${ofAdmin}/${listed.session_id}`)).status).toBe(403)
    expect((await send('DELETE', `/api/sessions/${listed.session_id}`, ours.tokens.organizer)).status).toBe(
      404,
    )
    const ofBen = `/api/admin/users/${ben.id}/sessions`
    expect((await organize('DELETE', `${ofBen}/${listed.session_id}`)).status).toBe(404)
    expect((await send('GET', ofBen, ours.tokens.support)).status).toBe(403)
    const [his] = (await organize('GET', ofBen)).body.data
    expect((await organize('DELETE', `${ofBen}/${his.session_id}`)).status).toBe(204)
    expect((await send('GET', '/api/session', session.body.data.token)).status).toBe(401)
  })
})

describe("the import of members' lists", () => {
  const GOLD = { membership_tier: 'gold', membership_status: 'active' }
  const row = (line: number, email: string, tier = 'gold', status = '') => ({ line, email, tier, status })
  const importRows = (rows: object[], dry_run = false, token = ours.tokens.organizer) =>
    send('POST', '/api/admin/members/import', token, { dry_run, rows })

  it('says of each line what it does, first without doing it', async () => {
    const [anna, ben, carla] = [
      await newUser('customer'),
      await newUser('customer', GOLD),
      await newUser('admin'),
    ]
    const rows = [
      row(2, ` ${anna.email.toUpperCase()} `, ' gold '),
      row(3, ben.email),
      row(4, 'stranger@people.example'),
      row(5, 'no address'),
      row(6, anna.email, 'gold', 'golden'),
      row(7, anna.email, '', 'active'),
      row(8, anna.email, 'x'.repeat(101)),
      row(9, carla.email),
      row(10, ben.email, '', ''),
    ]
    const outcomes = [
      'changed',
      'twice',
      'no_account',
      'not_an_email',
      'unknown_status',
      'status_without_tier',
      'tier_too_long',
      'not_allowed',
      'changed',
    ]
    const membershipOf = async (id: string) =>
      (await server.database.sql(
        'select membership_tier as tier, membership_status as status from users where id = $1',
        [id],
      ))![0]
    for (const dryRun of [true, false]) {
      const answer = await importRows(rows, dryRun)
      expect(answer.status, answer.text).toBe(200)
      const { lines, ...rest } = answer.body.data
      expect(rest).toEqual({ dry_run: dryRun, changed: 2, not_confirmed: 0 })
      expect(lines.map((line: { outcome: string }) => line.outcome)).toEqual(outcomes)
      expect(lines.map((line: { line: number }) => line.line)).toEqual(rows.map(({ line }) => line))
      expect(lines[0]).toMatchObject({
        email: anna.email,
        before: null,
        after: { tier: 'gold', status: 'active' },
      })
      expect(lines[8]).toMatchObject({ before: { tier: 'gold', status: 'active' }, after: null })
      expect(await membershipOf(anna.id)).toEqual(
        dryRun ? { tier: null, status: null } : { tier: 'gold', status: 'active' },
      )
    }
    expect(await membershipOf(ben.id)).toEqual({ tier: null, status: null })
    expect(await membershipOf(carla.id)).toEqual({ tier: null, status: null })
    expect(await actionsOn(anna.id)).toEqual(['membership_imported', 'user_created'])
    const again = await importRows(rows.slice(0, 1))
    expect(again.body.data).toMatchObject({ changed: 0, lines: [{ outcome: 'same' }] })
    expect((await importRows([row(1, carla.email)], false, ours.tokens.admin)).body.data.changed).toBe(1)
  })

  it('counts from the next request on, also in open sessions', async () => {
    const { email } = await newUser('customer')
    const { token } = (await signIn(email)).body.data
    const tier = async () => (await send('GET', '/api/session', token)).body.data.user.membership_tier
    expect(await tier()).toBe(null)
    await importRows([row(1, email)])
    expect(await tier()).toBe('gold')
  })

  it('is bounded, and for organizers and admins', async () => {
    const rows = Array.from({ length: MAX_MEMBER_ROWS + 1 }, (_, index) => row(index + 1, 'a@people.example'))
    expect((await importRows(rows)).status).toBe(400)
    expect((await importRows(rows.slice(1))).status).toBe(200)
    for (const role of ['customer', 'scanner', 'support'] as const) {
      expect((await importRows(rows.slice(0, 1), true, ours.tokens[role])).status).toBe(403)
    }
  })
})

describe('the system', () => {
  it('tells what waits, of one’s own organization alone', async () => {
    const theirs = await server.organization('Others')
    const put = (id: string, organizationId: string) =>
      server.database.sql(
        `insert into gateway_events (gateway, id, event, state) values ('simulator', $1, $2, 'given_up')`,
        [id, JSON.stringify({ eventId: id, kind: 'payment', organizationId, orderId: randomUUID() })],
      )
    await put('evt_ours', ours.id)
    await put('evt_theirs', theirs.id)
    const system = (await send('GET', '/api/admin/system', ours.tokens.support)).body.data
    expect(system).toMatchObject({
      postgres: { state: 'ok' },
      redis: { state: 'off' },
      mails: { can_send: true },
      gateway_events: { gateway: 'simulator', given_up: 1, waiting: 0 },
    })
    const listed = (await organize('GET', '/api/admin/gateway-events')).body.data
    expect(listed.map((event: { gateway_event_id: string }) => event.gateway_event_id)).toEqual(['evt_ours'])
    const retry = (gateway_event_id: string) =>
      organize('POST', '/api/admin/gateway-events/retry', { gateway_event_id })
    expect((await retry('evt_theirs')).status).toBe(404)
    expect((await retry('evt_ours')).status).toBe(202)
    const [kept] = await server.database.sql(`select state from gateway_events where id = 'evt_theirs'`)
    expect(kept).toEqual({ state: 'given_up' })
    await server.database.sql(`delete from gateway_events where id in ('evt_ours', 'evt_theirs')`)
  })

  it('answers to mails go to the support address', async () => {
    const support_email = 'help@people.example'
    const changed = await organize('PATCH', '/api/admin/organization', { support_email })
    expect(changed.body.data).toMatchObject({ support_email, sends_mails: true })
    const email = newEmail()
    await organize('POST', '/api/admin/invitations', { email, role: 'customer' })
    expect((await mailTo(email))!.replyTo).toMatchObject([{ address: support_email }])
    expect((await organize('PATCH', '/api/admin/organization', { support_email: 'x\n@y' })).status).toBe(400)
    await organize('PATCH', '/api/admin/organization', { support_email: null })
  })
})
