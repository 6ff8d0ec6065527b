import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { PASSWORD, ROOT_KEY } from '@voelgoed/testing/harness'
import { decodeSvg } from '@voelgoed/testing/read-qr'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { describe, expect, it } from 'vitest'
import { ATTEMPTS, targetOf } from './sign-in.ts'
import { countAttempt, rememberSignIn } from './tables/sign-in-failures.ts'
import { stepAt, totpCode } from './totp.ts'

const { server, ours, send } = useServer()
const URL_OF = '/api/accounts/second-factor'

function fromBase32(text: string): Buffer {
  const bits = [...text].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map(byte => Number.parseInt(byte, 2)),
  )
}

/**
 * The code of the step that comes next by the database's clock, which judges codes. It is good for more than
 * a minute from now: the one of this step may have only half of that left.
 */
async function codeOf(secret: Buffer): Promise<string> {
  const [row] = await server.database.sql<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 as now',
  )
  return totpCode(secret, stepAt(row!.now) + 1)
}

/** Codes are of later steps from now on. */
const aStepPasses = () => server.passes(30_000)

async function newStaff(role = 'support') {
  const email = `${randomUUID().slice(0, 8)}@factor.example`
  const url = `/api/platform/organizations/${ours.id}/users`
  const made = await send('POST', url, ROOT_KEY, { email, password: PASSWORD, role })
  const signIn = (code?: string, password = PASSWORD) =>
    server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password, ...(code && { code }) },
    })
  return { id: made.body.data.id as string, email, signIn }
}

async function enrolled(role = 'support') {
  const staff = await newStaff(role)
  const { token } = (await staff.signIn()).body.data
  const begun = await send('POST', URL_OF, token, { password: PASSWORD })
  expect(begun.status, begun.text).toBe(201)
  const secret = fromBase32(begun.body.data.secret)
  const first = await codeOf(secret)
  const confirmed = await send('POST', `${URL_OF}/confirm`, token, { code: first })
  expect(confirmed.status, confirmed.text).toBe(200)
  await aStepPasses()
  return {
    ...staff,
    token,
    secret,
    first,
    codes: confirmed.body.data.recovery_codes as string[],
    begun: begun.body.data,
  }
}

describe('two sign-ins of one account', () => {
  it('lock what they count in one order', async () => {
    const target = targetOf({ email: 'two@factor.example', addressKey: '192.0.2.1' })
    const scope = TenantScope.of(ours.id as OrganizationId)
    const { database } = server.node
    await database.tenant(scope, tx => countAttempt(tx, target, ATTEMPTS))
    const told = await database.tenant(scope, async tx => {
      const of = 'where organization_id = $1 and subject_hash = $2 for update'
      await tx.query(`select from sign_in_address_failures ${of}`, [target.subjectHash])
      const other = database.tenant(scope, second => rememberSignIn(second, target, ATTEMPTS))
      await waitUntil('the other waits', async () => {
        const [row] = await server.database.sql<{ waits: boolean }>(
          `select exists (select from pg_stat_activity where datname = current_database()
             and wait_event_type = 'Lock' and query like '%sign_in_address_failures%') as waits`,
        )
        return row!.waits
      })
      await tx.query(`select from sign_in_failures ${of} nowait`, [target.subjectHash])
      return { other }
    })
    await told.other
  })
})

describe('a second factor', () => {
  it('is asked for after the password, and a code works once', async () => {
    const { signIn, secret, first, id, begun } = await enrolled()
    expect(decodeSvg(begun.qr_svg)).toBe(begun.uri)
    const asked = await signIn()
    expect([asked.status, asked.body.code]).toEqual([401, 'second_factor_required'])
    const stranger = await signIn(undefined, 'not the password')
    expect([stranger.status, stranger.body.code]).toEqual([401, 'unauthorized'])
    const code = await codeOf(secret)
    const both = await Promise.all([signIn(code), signIn(code)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
    const replayed = await signIn(code)
    expect([replayed.status, replayed.body.code]).toEqual([401, 'second_factor_wrong'])
    // Its first code, of the step before, was used to set it up.
    expect((await signIn(first)).body.code).toBe('second_factor_wrong')
    const [found] = (await send('GET', `/api/admin/users?query=${id}`, ours.tokens.support)).body.data
    expect(found.second_factor).toBe(true)
  })

  it('is stored sealed, and its recovery codes hashed; each of them works once', async () => {
    const { signIn, secret, id, codes, token } = await enrolled()
    const [row] = await server.database.sql<{ sealed_secret: Buffer }>(
      'select sealed_secret from second_factors where user_id = $1',
      [id],
    )
    expect(row!.sealed_secret.includes(secret)).toBe(false)
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    const kept = JSON.stringify(
      await server.database.sql('select * from recovery_codes where user_id = $1', [id]),
    )
    for (const code of codes) expect(kept).not.toContain(code)
    expect((await signIn(codes[0]!.toUpperCase().replaceAll('-', ' '))).status).toBe(201)
    expect((await signIn(codes[0])).body.code).toBe('second_factor_wrong')
    expect((await send('GET', URL_OF, token)).body.data).toMatchObject({
      recovery_codes_left: 9,
      required: false,
    })
    const renewed = await send('POST', `${URL_OF}/recovery-codes`, token, { code: codes[1] })
    expect(renewed.body.data.recovery_codes).toHaveLength(10)
    expect((await signIn(codes[2])).body.code).toBe('second_factor_wrong')
    expect((await signIn(renewed.body.data.recovery_codes[0])).status).toBe(201)
  })

  it('looks at five wrong codes, then at none until the window ends, from any address', async () => {
    const { signIn, secret, codes } = await enrolled()
    for (let wrong = 0; wrong < 5; wrong += 1)
      expect((await signIn('000000')).body.code).toBe('second_factor_wrong')
    for (const code of [await codeOf(secret), codes[0]]) {
      const refused = await signIn(code)
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    }
  })

  it('is not on before a code was confirmed, asks for the password, and is turned off with a code', async () => {
    const { signIn } = await newStaff()
    const { token } = (await signIn()).body.data
    expect((await send('POST', URL_OF, token, { password: 'not the password' })).status).toBe(400)
    const begun = await send('POST', URL_OF, token, { password: PASSWORD })
    expect((await signIn()).status).toBe(201)
    expect((await send('POST', `${URL_OF}/confirm`, token, { code: '000000' })).body.code).toBe(
      'second_factor_wrong',
    )
    const secret = fromBase32(begun.body.data.secret)
    expect((await send('POST', `${URL_OF}/confirm`, token, { code: await codeOf(secret) })).status).toBe(200)
    expect((await send('POST', URL_OF, token, { password: PASSWORD })).body.code).toBe('invalid_transition')
    await aStepPasses()
    expect((await send('POST', `${URL_OF}/remove`, token, { code: '111111' })).status).toBe(401)
    expect((await send('POST', `${URL_OF}/remove`, token, { code: await codeOf(secret) })).status).toBe(204)
    expect((await signIn()).status).toBe(201)
    expect((await send('POST', `${URL_OF}/remove`, token, { code: '111111' })).body.code).toBe(
      'invalid_transition',
    )
    for (const role of ['customer', 'scanner'] as const) {
      expect((await send('POST', URL_OF, ours.tokens[role], { password: PASSWORD })).status).toBe(403)
    }
  })

  it('is reset by an admin, not by the owner themselves, and ends the sessions', async () => {
    const { id, token, signIn } = await enrolled()
    const reset = (who: string, user = id) => send('DELETE', `/api/admin/users/${user}/second-factor`, who)
    expect((await reset(ours.tokens.organizer)).status).toBe(403)
    expect((await reset(ours.tokens.admin)).status).toBe(200)
    expect((await send('GET', '/api/session', token)).status).toBe(401)
    expect((await signIn()).status).toBe(201)
    const admin = await enrolled('admin')
    expect((await reset(admin.token, admin.id)).status).toBe(403)
  })
})

describe('an organization whose staff need a second factor', () => {
  it('lets those without one do nothing but set it up; scanners, buyers and API keys go on', async () => {
    const admin = await enrolled('admin')
    const required = (value: boolean, token = admin.token) =>
      send('PUT', '/api/admin/organization/second-factor', token, { required: value })
    const early = await required(true, ours.tokens.admin)
    expect([early.status, early.body.code]).toEqual([403, 'second_factor_needed'])
    expect((await required(true, ours.tokens.organizer)).status).toBe(403)
    const key = await send('POST', '/api/admin/api-keys', admin.token, { name: 'Robot', role: 'support' })
    const staff = await newStaff('organizer')
    expect((await required(true)).status).toBe(200)

    const { token } = (await staff.signIn()).body.data
    for (const [method, url] of [
      ['GET', '/api/admin/orders'],
      ['GET', '/api/events'],
      ['POST', '/api/admin/venues'],
    ] as const) {
      const refused = await send(method, url, token, method === 'POST' ? { name: 'Hall' } : undefined)
      expect([url, refused.status, refused.body.code]).toEqual([url, 403, 'second_factor_needed'])
    }
    expect((await send('GET', '/api/admin/orders', ours.tokens.support)).body.code).toBe(
      'second_factor_needed',
    )
    expect((await send('GET', '/api/session', token)).status).toBe(200)
    expect((await send('GET', '/api/admin/orders', key.body.data.key)).status).toBe(200)
    expect((await send('GET', '/api/events', ours.tokens.scanner)).status).toBe(200)
    expect((await send('GET', '/api/events', ours.tokens.customer)).status).toBe(200)

    const begun = await send('POST', URL_OF, token, { password: PASSWORD })
    const code = await codeOf(fromBase32(begun.body.data.secret))
    expect((await send('POST', `${URL_OF}/confirm`, token, { code })).status).toBe(200)
    expect((await send('GET', '/api/admin/orders', token)).status).toBe(200)
    expect((await required(false)).status).toBe(200)
    expect((await send('GET', '/api/admin/orders', ours.tokens.support)).status).toBe(200)
  })
})
