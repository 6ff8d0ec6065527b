import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { hashSecret, makeResetToken } from '@voelgoed/kit/http/tokens'
import { type ForgingProvider, startForgingProvider } from '@voelgoed/testing/forging-provider'
import { PASSWORD, ROOT_KEY, startTestServer, type TestOrganization } from '@voelgoed/testing/harness'
import {
  CLIENT,
  startTestProvider,
  type TestPerson,
  type TestProvider,
} from '@voelgoed/testing/test-provider'
import { useServer } from '@voelgoed/testing/use-server'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { stepAt, totpCode } from './totp.ts'

const PAGE = 'https://tickets.example.org'
const URL_OF = '/api/admin/organization/identity-provider'
const { server, ours, send } = useServer({ PUBLIC_URL: PAGE, VOELGOED_PRIVATE_PROVIDERS: 'on' })
let theirs: TestOrganization
let lastAdmins: TestOrganization
let provider: TestProvider
let forger: ForgingProvider

/** A question to a provider has five seconds, and a busy machine may need more. */
const endIn = AbortSignal.timeout.bind(AbortSignal)

const redirectOf = ({ slug }: { slug: string }) => `${PAGE}/${slug}/console/signed-in`

beforeAll(async () => {
  theirs = await server.organization('Theirs')
  lastAdmins = await server.organization('Last admin')
  provider = await startTestProvider([ours, theirs, lastAdmins].map(redirectOf))
  forger = await startForgingProvider()
})
afterAll(async () => {
  await provider.close()
  await forger.close()
})
beforeEach(async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => endIn(WITHIN_MS))
  forger.claims = {}
  forger.metadata = {}
  for (const { id } of [ours, theirs]) {
    await server.database.sql('delete from identity_providers where organization_id = $1', [id])
  }
})

const settings = (more: object = {}) => ({
  name: 'Staff Login',
  issuer: provider.issuer,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  email_domains: ['staff.example'],
  role_for_new: 'support',
  counts_as_second_factor: false,
  password_sign_in: true,
  ...more,
})

async function setUp(more: object = {}, organization: TestOrganization = ours) {
  const set = await send('PUT', URL_OF, organization.tokens.admin, settings(more))
  expect(set.status, set.text).toBe(200)
  return set.body.data
}

async function begin({ slug }: { slug: string } = ours) {
  const begun = await server.request('POST', '/api/sessions/provider', { body: { organization: slug } })
  expect(begun.status, begun.text).toBe(201)
  return begun.body.data as { authorization_url: string; browser_secret: string }
}

const finish = (body: object, { slug }: { slug: string } = ours) =>
  server.request('POST', '/api/sessions/provider/finish', { body: { organization: slug, ...body } })

/** Signs a person in at the provider, and returns what the browser brings back. */
async function claimOf(person: TestPerson, organization: { slug: string } = ours) {
  const { authorization_url, browser_secret } = await begin(organization)
  const back = await provider.signIn(authorization_url, person)
  return { browser_secret, ...Object.fromEntries(back.searchParams) } as Record<string, string>
}

const signIn = async (person: TestPerson, organization: { slug: string } = ours) =>
  finish(await claimOf(person, organization), organization)

async function forged() {
  const { authorization_url, browser_secret } = await begin()
  return finish({ browser_secret, ...forger.comeBack(authorization_url) })
}

const newPerson = (more: Partial<TestPerson> = {}): TestPerson & { email: string } => {
  const sub = randomUUID()
  return { sub, email: `${sub.slice(0, 8)}@staff.example`, email_verified: true, ...more } as never
}

async function newUser(role: string, email: string) {
  const url = `/api/platform/organizations/${ours.id}/users`
  return (await send('POST', url, ROOT_KEY, { email, password: PASSWORD, role })).body.data.id as string
}

const byPassword = (email: string, code?: string) =>
  server.request('POST', '/api/sessions', {
    body: { organization: ours.slug, email, password: PASSWORD, ...(code && { code }) },
  })

const reasonOf = ({ status, body }: { status: number; body: { code?: string; reason?: string } }) => [
  status,
  body.code,
  body.reason,
]
const refused = (reason: string) => [403, 'identity_provider_refused', reason]

describe('signing in with the identity provider', () => {
  it('makes an account for a new person, and finds it again by the subject alone', async () => {
    await setUp()
    const person = newPerson()
    const first = await signIn({ ...person, email: person.email.toUpperCase() })
    expect(first.status, first.text).toBe(201)
    expect(first.body.data.user).toMatchObject({ email: person.email, role: 'support' })
    expect((await send('GET', '/api/session', first.body.data.token)).status).toBe(200)
    // The address is no longer verified, nor of the domain: the subject is the person.
    const again = await signIn({ sub: person.sub, email: 'other@elsewhere.example', email_verified: false })
    expect(again.body.data.user.id).toBe(first.body.data.user.id)
    const { id } = first.body.data.user
    const audit = await send('GET', `/api/admin/audit?entity_id=${id}`, ours.tokens.admin)
    const actions = audit.body.data.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(
      expect.arrayContaining(['account_created_by_provider', 'session_started_by_provider']),
    )
  })

  it('works with providers that say the address in the token', async () => {
    const other = await startTestProvider([redirectOf(ours)], { emailInToken: true })
    await setUp({ issuer: other.issuer })
    const { authorization_url, browser_secret } = await begin()
    const back = await other.signIn(authorization_url, newPerson())
    const done = await finish({ browser_secret, ...Object.fromEntries(back.searchParams) })
    expect(done.status, done.text).toBe(201)
    await other.close()
  })

  it('links staff who were there before, by their verified address, and keeps their role', async () => {
    await setUp({ role_for_new: null })
    const person = newPerson()
    const id = await newUser('organizer', person.email)
    const linked = await signIn(person)
    expect(linked.body.data.user).toMatchObject({ id, role: 'organizer' })
    expect((await byPassword(person.email)).status).toBe(201)
  })

  it('lets an invited person in, who is invited no longer', async () => {
    await setUp({ role_for_new: null })
    const person = newPerson()
    const invited = await send('POST', '/api/admin/invitations', ours.tokens.admin, {
      email: person.email,
      role: 'organizer',
    })
    expect((await signIn(person)).body.data.user.id).toBe(invited.body.data.id)
    const [found] = (await send('GET', `/api/admin/users?query=${person.email}`, ours.tokens.admin)).body.data
    expect(found.invited).toBe(false)
  })

  it('does not believe an address that is not verified, or of another domain', async () => {
    await setUp()
    const unverified = newPerson({ email_verified: false })
    await newUser('admin', unverified.email)
    expect(reasonOf(await signIn(unverified))).toEqual(refused('email_not_verified'))
    expect(reasonOf(await signIn(newPerson({ email: `x@not-staff.example` })))).toEqual(
      refused('email_domain'),
    )
    expect(reasonOf(await signIn(newPerson({ email: `a@staff.example@evil.example` })))[2]).not.toBe(
      undefined,
    )
  })

  it('gives no account to new people, nor to buyers, where the organization wants none', async () => {
    await setUp({ role_for_new: null })
    expect(reasonOf(await signIn(newPerson()))).toEqual(refused('no_account'))
    const buyer = newPerson()
    await newUser('customer', buyer.email)
    expect(reasonOf(await signIn(buyer))).toEqual(refused('no_account'))
  })

  it('ends the password and the sessions of the person who signed up with the address', async () => {
    await setUp()
    const person = newPerson()
    const squatter = await server.request('POST', '/api/accounts', {
      body: { organization: ours.slug, email: person.email, password: PASSWORD },
    })
    const { token, user } = squatter.body.data
    const linked = await signIn(person)
    expect(linked.body.data.user).toMatchObject({ id: user.id, role: 'support' })
    expect((await send('GET', '/api/session', token)).status).toBe(401)
    expect((await byPassword(person.email)).body.code).toBe('unauthorized')
  })

  it('does not give the account of a person to another one who got their address', async () => {
    await setUp()
    const person = newPerson()
    const { user, token } = (await signIn(person)).body.data
    const heir = { ...person, sub: randomUUID() }
    expect(reasonOf(await signIn(heir))).toEqual(refused('other_person'))
    const listed = async () =>
      (await send('GET', `/api/admin/users?query=${user.id}`, ours.tokens.admin)).body.data[0]
    expect((await listed()).linked).toBe(true)
    const unlinked = await send('DELETE', `/api/admin/users/${user.id}/identity`, ours.tokens.admin)
    expect((await listed()).linked).toBe(false)
    expect(unlinked.body.data.sessions_ended).toBe(1)
    expect((await send('GET', '/api/session', token)).status).toBe(401)
    expect((await signIn(heir)).body.data.user.id).toBe(user.id)
    const customer = await send('DELETE', `/api/admin/users/${user.id}/identity`, ours.tokens.organizer)
    expect(customer.status).toBe(403)
  })

  it('refuses a disabled person, linked or not', async () => {
    await setUp()
    const person = newPerson()
    const { user } = (await signIn(person)).body.data
    await send('PATCH', `/api/admin/users/${user.id}`, ours.tokens.admin, { disabled: true })
    expect((await signIn(person)).body.code).toBe('account_disabled')
    const other = newPerson()
    const id = await newUser('support', other.email)
    await send('PATCH', `/api/admin/users/${id}`, ours.tokens.admin, { disabled: true })
    expect((await signIn(other)).body.code).toBe('account_disabled')
  })
})

describe('a sign-in that is under way', () => {
  it('ends in the browser where it began, once, and in its organization', async () => {
    await setUp()
    await setUp({}, theirs)
    const claim = await claimOf(newPerson())
    const over = refused('attempt_over')
    expect(reasonOf(await finish({ ...claim, browser_secret: 'x'.repeat(43) }))).toEqual(over)
    expect(reasonOf(await finish({ ...claim, state: 'x'.repeat(43) }))).toEqual(over)
    expect(reasonOf(await finish(claim, theirs))).toEqual(over)
    const both = await Promise.all([finish(claim), finish(claim)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
    expect(reasonOf(await finish(claim))).toEqual(over)
  })

  it('does not take the code of another sign-in, and the provider takes a code once', async () => {
    await setUp()
    const first = await claimOf(newPerson())
    const second = await claimOf(newPerson())
    // The verifier of this sign-in is not that of the code.
    expect(reasonOf(await finish({ ...second, code: first.code }))).toEqual(refused('code_refused'))
    const used = await claimOf(newPerson())
    expect((await finish(used)).status).toBe(201)
    const later = await claimOf(newPerson())
    expect(reasonOf(await finish({ ...later, code: used.code }))).toEqual(refused('code_refused'))
  })

  it('is over after ten minutes, by the database’s clock', async () => {
    await setUp()
    const claim = await claimOf(newPerson())
    await server.database.sql(`update provider_sign_ins set expires_at = now() - interval '1 second'`)
    expect(reasonOf(await finish(claim))).toEqual(refused('attempt_over'))
  })

  it('is over when the organization has another provider by then', async () => {
    await setUp()
    const claim = await claimOf(newPerson())
    await setUp({ issuer: forger.issuer })
    expect(reasonOf(await finish(claim))).toEqual(refused('attempt_over'))
  })

  it('does not believe an answer that names another issuer, or none where this provider names itself', async () => {
    await setUp()
    const { iss: _iss, ...unnamed } = await claimOf(newPerson())
    expect(reasonOf(await finish(unnamed))).toEqual(refused('token_invalid'))
    const claim = await claimOf(newPerson())
    expect(reasonOf(await finish({ ...claim, iss: forger.issuer }))).toEqual(refused('token_invalid'))
  })

  it('does not believe a token that is too old', async () => {
    await setUp()
    const claim = await claimOf(newPerson())
    server.clock.jump(20 * 60_000)
    expect(reasonOf(await finish(claim))).toEqual(refused('token_invalid'))
    server.clock.jump(-20 * 60_000)
  })

  it('knows a person of one organization in no other', async () => {
    await setUp()
    await setUp({ role_for_new: null }, theirs)
    const person = newPerson()
    expect((await signIn(person)).status).toBe(201)
    expect(reasonOf(await signIn(person, theirs))).toEqual(refused('no_account'))
  })
})

describe('a token', () => {
  const now = () => Math.floor(server.clock.now() / 1000)

  it.each<[string, () => Record<string, unknown>]>([
    ['for another sign-in', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['of another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['for another client', () => ({ aud: 'another' })],
    ['for several clients, made for another', () => ({ aud: [CLIENT.id, 'another'], azp: 'another' })],
    ['for several clients, without saying for which', () => ({ aud: [CLIENT.id, 'another'] })],
    ['that has expired', () => ({ exp: now() - 120 })],
    ['without an end', () => ({ exp: undefined })],
    ['of tomorrow', () => ({ iat: now() + 86_400, exp: now() + 90_000 })],
    ['without a subject', () => ({ sub: undefined })],
  ])('%s is refused', async (_what, claims) => {
    await setUp({ issuer: forger.issuer })
    expect((await forged()).status).toBe(201)
    forger.claims = claims()
    expect(reasonOf(await forged())).toEqual(refused('token_invalid'))
  })

  it('with a new key of the provider is believed; with a stranger’s it is not, however often it comes', async () => {
    await setUp({ issuer: forger.issuer })
    await forged()
    for (const algorithm of ['RS256', 'ES256'] as const) {
      await forger.rotate(algorithm)
      const done = await forged()
      expect(done.status, done.text).toBe(201)
    }
    await forger.signWithStranger()
    const asked = forger.keysAsked
    for (let count = 0; count < 3; count += 1)
      expect(reasonOf(await forged())).toEqual(refused('token_invalid'))
    expect(forger.keysAsked).toBe(asked)
    await forger.rotate()
    expect((await forged()).status).toBe(201)
  })
})

describe('a provider that does not answer as it should', () => {
  it('is named as the reason, and leaves the password as a way in', async () => {
    const down = await startForgingProvider()
    await setUp({ issuer: down.issuer })
    await down.close()
    const begun = await server.request('POST', '/api/sessions/provider', {
      body: { organization: ours.slug },
    })
    expect(reasonOf(begun)).toEqual([424, 'identity_provider_unavailable', 'unreachable'])
    const ways = await server.request('GET', `/api/sessions/ways?organization=${ours.slug}`)
    expect(ways.body.data).toEqual({ password: true, provider: { name: 'Staff Login' } })
    expect((await byPassword(`support@${ours.slug}.example`)).status).toBe(201)
  })

  it('is told to the admin who tests it', async () => {
    const test = (issuer = forger.issuer) => send('POST', `${URL_OF}/test`, ours.tokens.admin, { issuer })
    const good = await test(provider.issuer)
    expect(good.body.data).toMatchObject({ token_endpoint: `${provider.issuer}/token`, keys: 1 })
    forger.metadata = { issuer: 'https://elsewhere.example' }
    expect((await test()).body.reason).toBe('other_issuer')
    forger.metadata = { token_endpoint: 7 }
    expect((await test()).body.reason).toBe('answer_invalid')
    forger.metadata = { authorization_endpoint: 'javascript:alert(1)' }
    expect((await test()).body.reason).toBe('address_not_allowed')
    forger.metadata = { jwks_uri: `${forger.issuer}/nothing` }
    expect((await test()).body.reason).toBe('answer_invalid')
    forger.metadata = { more: 'x'.repeat(300_000) }
    expect((await test()).body.reason).toBe('answer_too_large')
    expect((await test('http://example.org')).body.errors[0].path).toBe('/issuer')
  })

  it('in a private network is refused where the operator does not allow it', async () => {
    const strict = await startTestServer({ PUBLIC_URL: PAGE })
    const organization = await strict.organization()
    const ask = (method: string, url: string, body: object) =>
      strict.request(method, url, { token: organization.tokens.admin, body })
    for (const issuer of [provider.issuer, 'https://127.0.0.1', 'https://[::1]:8443', 'https://10.1.2.3']) {
      expect((await ask('PUT', URL_OF, settings({ issuer }))).body.errors[0].path).toBe('/issuer')
      expect((await ask('POST', `${URL_OF}/test`, { issuer })).body.errors[0].path).toBe('/issuer')
    }
    // Its address is known only when the name is looked up.
    const named = await ask('POST', `${URL_OF}/test`, { issuer: 'https://localhost' })
    expect(reasonOf(named)).toEqual([424, 'identity_provider_unavailable', 'address_not_allowed'])
    await strict.close()
  })
})

describe('people whom the provider alone knows', () => {
  /** Asks for a password. Returns the mails about it that wait for this person. */
  async function askForPassword(email: string, { slug } = ours) {
    const asked = await server.request('POST', '/api/password-resets', {
      body: { organization: slug, email },
    })
    expect(asked.status).toBe(202)
    return server.database.sql<{ id: string; user_id: string; organization_id: string }>(
      `select id, user_id, organization_id from mails where kind = 'password_reset' and recipient = $1`,
      [email],
    )
  }
  async function choosePassword(email: string) {
    const [mail] = await askForPassword(email)
    const token = makeResetToken(ours.id as OrganizationId)
    await server.database.sql(
      `insert into password_resets (organization_id, mail_id, user_id, token_hash, expires_at)
       values ($1, $2, $3, $4, now() + interval '1 hour')`,
      [mail!.organization_id, mail!.id, mail!.user_id, hashSecret(token)],
    )
    const done = await server.request('POST', `/api/password-resets/${token}`, {
      body: { password: PASSWORD },
    })
    expect(done.status, done.text).toBe(204)
  }
  async function newAdmin(organization = ours) {
    const person = newPerson()
    const body = { email: person.email, role: 'admin' }
    await send('POST', '/api/admin/invitations', organization.tokens.admin, body)
    const { token, user } = (await signIn(person, organization)).body.data
    return { ...person, token: token as string, id: user.id as string }
  }
  const turnOff = (organization = ours) =>
    server.database.sql('update identity_providers set password_sign_in = false where organization_id = $1', [
      organization.id,
    ])

  it('get a password by mail, also after the provider is gone', async () => {
    await setUp()
    const person = newPerson()
    expect((await signIn(person)).status).toBe(201)
    expect((await send('DELETE', URL_OF, ours.tokens.admin)).status).toBe(204)
    await choosePassword(person.email)
    expect((await byPassword(person.email)).status).toBe(201)
  })

  it('get none where it would open nothing, nor before they have accepted their invitation', async () => {
    await setUp()
    const [support, admin, strong] = [newPerson(), await newAdmin(), await newAdmin()]
    expect((await signIn(support)).status).toBe(201)
    await turnFactorOn(strong.token, null)
    const invited = newPerson().email
    await send('POST', '/api/admin/invitations', ours.tokens.admin, { email: invited, role: 'scanner' })
    await turnOff()
    for (const email of [support.email, admin.email, invited]) {
      expect(await askForPassword(email), email).toEqual([])
    }
    expect(await askForPassword(strong.email)).toHaveLength(1)
  })

  it('turn passwords off only when they have one themselves', async () => {
    await setUp()
    const admin = await newAdmin()
    const { codes } = await turnFactorOn(admin.token, null)
    const off = settings({ password_sign_in: false })
    const refusal = await send('PUT', URL_OF, admin.token, off)
    expect([refusal.status, refusal.body.errors?.[0].path]).toEqual([400, '/password_sign_in'])
    await choosePassword(admin.email)
    const again = await byPassword(admin.email, codes[0])
    expect((await send('PUT', URL_OF, again.body.data.token, off)).status).toBe(200)
  })

  it('are the last admin no longer when their provider is gone', async () => {
    const organization = lastAdmins
    await setUp({}, organization)
    const linked = await newAdmin(organization)
    const { id } = (await send('GET', '/api/session', organization.tokens.admin)).body.data.user
    const lower = (user: string, token: string) =>
      send('PATCH', `/api/admin/users/${user}`, token, { role: 'support' })
    expect((await lower(id, linked.token)).status).toBe(200)
    const url = `/api/platform/organizations/${organization.id}/users/${id}`
    await send('PATCH', url, ROOT_KEY, { role: 'admin' })
    // A password without a second factor opens nothing while passwords are off.
    await turnOff(organization)
    expect((await lower(linked.id, organization.tokens.admin)).body.code).toBe('last_admin')
    await send('DELETE', URL_OF, organization.tokens.admin)
    expect((await lower(id, linked.token)).body.code).toBe('last_admin')
    expect((await lower(linked.id, organization.tokens.admin)).status).toBe(200)
  })
})

describe('the settings', () => {
  it('are for admins alone, never show the secret, and are kept sealed', async () => {
    for (const role of ['customer', 'scanner', 'support', 'organizer'] as const) {
      expect((await send('PUT', URL_OF, ours.tokens[role], settings())).status).toBe(403)
      expect((await send('GET', URL_OF, ours.tokens[role])).status).toBe(403)
    }
    const set = await setUp()
    expect(set.redirect_uri).toBe(redirectOf(ours))
    expect(JSON.stringify(set)).not.toContain(CLIENT.secret)
    const rows = await server.database.sql<{ sealed_secret: Buffer }>('select * from identity_providers')
    expect(rows[0]!.sealed_secret.includes(CLIENT.secret)).toBe(false)
    const audit = await send('GET', '/api/admin/audit', ours.tokens.admin)
    expect(audit.text).toContain('identity_provider_set')
    expect(audit.text).not.toContain(CLIENT.secret)
    const { client_secret: _secret, ...without } = settings()
    expect((await send('PUT', URL_OF, ours.tokens.admin, { ...without, name: 'Other' })).status).toBe(200)
    expect((await signIn(newPerson())).status).toBe(201)
    const moved = await send('PUT', URL_OF, ours.tokens.admin, { ...without, issuer: forger.issuer })
    expect(moved.body.errors[0].path).toBe('/client_secret')
    for (const role of ['admin', 'customer']) {
      const made = await send('PUT', URL_OF, ours.tokens.admin, settings({ role_for_new: role }))
      expect(made.status).toBe(400)
    }
    expect((await send('DELETE', URL_OF, ours.tokens.admin)).status).toBe(204)
    expect((await send('DELETE', URL_OF, ours.tokens.admin)).status).toBe(404)
    const begun = await server.request('POST', '/api/sessions/provider', {
      body: { organization: ours.slug },
    })
    expect(reasonOf(begun)).toEqual(refused('not_set_up'))
  })

  it('can turn passwords of staff off: admins with a second factor keep theirs, buyers and scanners too', async () => {
    const { admin } = ours.tokens
    const off = settings({ password_sign_in: false })
    expect((await send('PUT', URL_OF, admin, off)).body.code).toBe('second_factor_needed')
    const factor = await turnFactorOn(admin)
    expect((await send('PUT', URL_OF, admin, off)).status).toBe(200)
    for (const role of ['support', 'organizer']) {
      expect((await byPassword(`${role}@${ours.slug}.example`)).body.code).toBe('password_sign_in_off')
    }
    for (const role of ['customer', 'scanner']) {
      expect((await byPassword(`${role}@${ours.slug}.example`)).status).toBe(201)
    }
    const email = newPerson().email
    await newUser('admin', email)
    expect((await byPassword(email)).body.code).toBe('password_sign_in_off')
    const own = `admin@${ours.slug}.example`
    expect((await byPassword(own)).body.code).toBe('second_factor_required')
    expect((await byPassword(own, factor.codes[0])).status).toBe(201)
    const ways = await server.request('GET', `/api/sessions/ways?organization=${ours.slug}`)
    expect(ways.body.data.password).toBe(false)
    await send('POST', '/api/accounts/second-factor/remove', admin, { code: factor.codes[1] })
  })

  it('say whether the provider counts as a second factor', async () => {
    const person = newPerson()
    await setUp()
    const { token } = (await signIn(person)).body.data
    const { codes } = await turnFactorOn(token, null)
    // It does not count: the code is asked for, and a wrong one ends nothing.
    const claim = await claimOf(person)
    expect((await finish(claim)).body.code).toBe('second_factor_required')
    expect(reasonOf(await finish(claim))).toEqual(refused('attempt_over'))
    expect((await finish({ ...claim, second_factor: '000000' })).body.code).toBe('second_factor_wrong')
    const stranger = { ...claim, browser_secret: 'x'.repeat(43), second_factor: codes[0] }
    expect(reasonOf(await finish(stranger))).toEqual(refused('attempt_over'))
    expect((await finish({ ...claim, second_factor: codes[0] })).status).toBe(201)
    expect(reasonOf(await finish({ ...claim, second_factor: codes[1] }))).toEqual(refused('attempt_over'))
    await setUp({ counts_as_second_factor: true })
    expect((await signIn(person)).status).toBe(201)
  })

  it('decide whether staff without a factor of their own are let in where one is asked for', async () => {
    await setUp()
    const { token } = (await signIn(newPerson())).body.data
    const factor = await turnFactorOn(ours.tokens.admin)
    const require = (required: boolean) =>
      send('PUT', '/api/admin/organization/second-factor', ours.tokens.admin, { required })
    expect((await require(true)).status).toBe(200)
    const read = () => send('GET', '/api/admin/organization', token)
    expect((await read()).body.code).toBe('second_factor_needed')
    await setUp({ counts_as_second_factor: true })
    expect((await read()).status).toBe(200)
    // A session by password of the same provider's organization does not count.
    const byWord = (await byPassword(`support@${ours.slug}.example`)).body.data.token
    expect((await send('GET', '/api/admin/organization', byWord)).body.code).toBe('second_factor_needed')
    await require(false)
    await send('POST', '/api/accounts/second-factor/remove', ours.tokens.admin, { code: factor.codes[1] })
  })
})

/** `password` null: a person of the provider, who has none. */
async function turnFactorOn(token: string, password: string | null = PASSWORD) {
  const url = '/api/accounts/second-factor'
  const begun = await send('POST', url, token, password === null ? {} : { password })
  expect(begun.status, begun.text).toBe(201)
  const bits = [...(begun.body.data.secret as string)]
    .map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const secret = Buffer.from(bits.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2)))
  const confirmed = await send('POST', `${url}/confirm`, token, {
    // It is the code of the next step, and so it is good for more than a minute.
    code: totpCode(secret, stepAt(server.clock.now() / 1000) + 1),
  })
  expect(confirmed.status, confirmed.text).toBe(200)
  return { codes: confirmed.body.data.recovery_codes as string[] }
}
