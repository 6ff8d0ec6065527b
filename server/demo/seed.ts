import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import type { Role } from '@voelgoed/core/access'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { appendAudit, listAudit, SYSTEM_ACTOR } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import { isLoopback } from '@voelgoed/kit/base/loopback'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import type { Config } from '../config.ts'
import {
  countOrganizations,
  insertOrganization,
  organizationBySlug,
} from '../modules/people/tables/organizations.ts'
import {
  insertUser,
  PASSWORD_ISSUER,
  replaceSecrets,
  userByCredential,
} from '../modules/people/tables/users.ts'
import type { App } from '../node/app.ts'
import { ARENA_PRICES, type DemoPrices, FESTIVAL_PRICES, THEATRE_PRICES, withZoneIds } from './prices.ts'
import { DEMO_SELLERS } from './sellers.ts'

/** Known to everyone who reads this. */
const PUBLISHED_PASSWORD = 'voelgoed-demo'
const MEMBERS = 'voelgoed_vriendinne'
const TIME_ZONE = 'Africa/Johannesburg'
const DAY_MS = 24 * 60 * 60 * 1000
/** The audit of the first organization has it once the demo was begun. */
const BEGUN = 'demo_begun'
const COMPLETED = 'demo_completed'
/** A slow machine may need more than the first attempt. */
const TRIES = 8

interface DemoUser {
  readonly email: string
  readonly role: Role
  readonly member?: boolean
}

interface DemoEvent {
  readonly venue: string
  readonly address: string
  readonly layout: string
  readonly config: () => LayoutConfig
  readonly event: string
  readonly description: string
  /** Days from the start of the demo. */
  readonly inDays: number
  readonly days?: number
  readonly prices: DemoPrices
}

interface DemoOrganization {
  readonly slug: keyof typeof DEMO_SELLERS
  readonly name: string
  /** Left out: the product's own. */
  readonly colour?: string
  readonly policy: object
  readonly users: readonly DemoUser[]
  readonly events: readonly DemoEvent[]
}

const ORGANIZATIONS: readonly DemoOrganization[] = [
  {
    slug: 'voelgoed',
    name: 'Voelgoed Events',
    policy: { allow_vip_zones: true },
    users: [
      { email: 'admin@voelgoed.example', role: 'admin' },
      { email: 'organizer@voelgoed.example', role: 'organizer' },
      { email: 'support@voelgoed.example', role: 'support' },
      { email: 'scanner@voelgoed.example', role: 'scanner' },
      { email: 'member@voelgoed.example', role: 'customer', member: true },
      { email: 'buyer@voelgoed.example', role: 'customer' },
    ],
    events: [
      {
        venue: 'Breytenbach Theatre',
        address: '137 Gerard Moerdyk St, Sunnyside, Pretoria',
        layout: 'Main auditorium',
        config: () => generateVenue({ kind: 'theatre', seats: 1_200 }),
        event: 'Somerstorm',
        description:
          'Drie susters, een erfplaas, en ’n storm wat nie wil breek nie. A new play in Afrikaans, with English surtitles.\n\nWhen their father dies, three sisters come home to a farm that none of them wants and all of them need. In one long night of thunder and dry lightning the house gives up what it has kept.\n\nTwo hours and ten minutes, with an interval. Latecomers are let in between the acts. From 13 years.',
        inDays: 45,
        prices: THEATRE_PRICES,
      },
      {
        venue: 'Riverside Park',
        address: 'River Road, Parys',
        layout: 'Festival ground',
        config: festival,
        event: 'Voelgoed Festival',
        description:
          'Two days by the river: forty bands on three stages, food from the valley, and a quiet field for those who came with children.\n\nDay tickets and weekend tickets; seats on the terrace are numbered, all else is open. Bring a hat. Glass stays at home.',
        inDays: 90,
        days: 2,
        prices: FESTIVAL_PRICES,
      },
    ],
  },
  {
    slug: 'kaap-arena',
    name: 'Kaap Arena',
    colour: '#0f6b8a',
    policy: {},
    users: [
      { email: 'admin@kaap-arena.example', role: 'admin' },
      { email: 'organizer@kaap-arena.example', role: 'organizer' },
      { email: 'buyer@kaap-arena.example', role: 'customer' },
    ],
    events: [
      {
        venue: 'Kaap Arena',
        address: '1 Jan Smuts St, Foreshore, Cape Town',
        layout: 'Concert in the round',
        config: () => generateVenue({ kind: 'arena', seats: 20_000 }),
        event: 'Winter Tour',
        description:
          'The band stands in the middle of the hall, and no seat is further than forty metres from it. Support from 19:30, main act at 20:30.',
        inDays: 120,
        prices: ARENA_PRICES,
      },
      {
        venue: 'Kaap Recital Hall',
        address: '1 DF Malan St, Foreshore, Cape Town',
        layout: 'Stalls and circle',
        config: () => generateVenue({ kind: 'theatre', seats: 640, levels: true }),
        event: 'Nagmusiek',
        description:
          'A string quartet, a piano, and two hours of music that was written for the evening. The hall has a circle above its stalls: choose the level first, then the seat.',
        inDays: 75,
        prices: THEATRE_PRICES,
      },
    ],
  },
]

export interface DemoDeps {
  readonly database: Database
  readonly app: App
  readonly clock: Clock
  readonly embedded: boolean
  readonly say: (line: string) => void
}

/** It opens the demo's accounts; `unknown`: it was printed when it was made, and is not kept. */
export type Demo = { readonly password: string | 'unknown' }

/** Where to look and who to sign in as, for the person who has just started the product. */
export function demoGuide(address: string, { password }: Demo): string[] {
  return [
    password === 'unknown'
      ? 'Demo. The password of its accounts was printed when it was made.'
      : `Demo, everyone's password: ${password}`,
    ...ORGANIZATIONS.map(({ slug, users }) => `  ${slug}: ${users.map(user => user.email).join(', ')}`),
    'Choose seats at',
    ...ORGANIZATIONS.map(
      ({ slug, events }) => `  ${address}/${slug}  (${events.map(({ venue }) => venue).join(', ')})`,
    ),
    'Run the events, as an organizer, at',
    ...ORGANIZATIONS.map(({ slug }) => `  ${address}/${slug}/console`),
  ]
}

/**
 * Creates the demo when asked to, or when the database is empty and embedded and only this machine can reach
 * it. Returns the demo when it is there to be shown. Organizations and users are written directly, as the
 * platform would; everything else goes through the API. What a start that was ended meanwhile has left half
 * made, the next start completes.
 *
 * The password is a published one only while no other machine can try it: elsewhere it is random, and
 * accounts that still have the published one get a new one.
 */
export async function seedDemo(config: Pick<Config, 'demo' | 'host'>, deps: DemoDeps): Promise<Demo | null> {
  const { database } = deps
  const isPrivate = isLoopback(config.host)
  const { empty, present } = await database.platform('create demo data', async tx => ({
    empty: (await countOrganizations(tx)) === 0,
    present: (await organizationBySlug(tx, ORGANIZATIONS[0]!.slug)) !== null,
  }))
  if (present) {
    const isPublished = await hasPublishedPassword(database)
    const shown = (deps.embedded && config.demo !== false) || config.demo === true
    if (shown && isPrivate && (await isUnfinished(database))) {
      await seedAll(deps, PUBLISHED_PASSWORD)
      return { password: PUBLISHED_PASSWORD }
    }
    if (!isPublished) return shown ? { password: 'unknown' } : null
    if (isPrivate) return shown ? { password: PUBLISHED_PASSWORD } : null
    const password = randomPassword()
    await replacePasswords(database, await hash(password))
    deps.say('Other machines can reach this address: the accounts of the demo have a new password.')
    return { password }
  }
  const wanted = config.demo ?? (empty && deps.embedded && isPrivate)
  if (!wanted) return null
  const password = isPrivate ? PUBLISHED_PASSWORD : randomPassword()
  await seedAll(deps, password)
  return { password }
}

async function seedAll(deps: DemoDeps, password: string): Promise<void> {
  const passwordHash = await hash(password)
  for (const organization of ORGANIZATIONS) {
    await seedOrganization(deps, organization, { password, passwordHash })
  }
  await inFirst(deps.database, tx => appendAudit(tx, SYSTEM_ACTOR, { action: COMPLETED }))
}

/** True: a start began to make the demo, with the published password, and did not come to its end. */
async function isUnfinished(database: Database): Promise<boolean> {
  return inFirst(database, async tx => {
    const account = await userByCredential(tx, PASSWORD_ISSUER, ORGANIZATIONS[0]!.users[0]!.email)
    if (!account) return true
    const has = async (action: string) => (await listAudit(tx, { action, subjects: [], limit: 1 })).length > 0
    if (!(await has(BEGUN)) || (await has(COMPLETED))) return false
    return account.secretHash ? verify(account.secretHash, PUBLISHED_PASSWORD) : false
  })
}

/** In the demo's first organization, which has been made. */
async function inFirst<T>(database: Database, run: (tx: TenantTx) => Promise<T>): Promise<T> {
  const { slug } = ORGANIZATIONS[0]!
  const found = await database.platform('create demo data', tx => organizationBySlug(tx, slug))
  return database.tenant(TenantScope.of(found!.organization.id), run)
}

function randomPassword(): string {
  return randomBytes(12).toString('base64url')
}

/** The first account stands for all: they are made, and changed, together. */
async function hasPublishedPassword(database: Database): Promise<boolean> {
  const { slug, users } = ORGANIZATIONS[0]!
  const demo = await database.platform('create demo data', tx => organizationBySlug(tx, slug))
  if (!demo) return false
  const found = await database.tenant(TenantScope.of(demo.organization.id), tx =>
    userByCredential(tx, PASSWORD_ISSUER, users[0]!.email),
  )
  return found?.secretHash ? verify(found.secretHash, PUBLISHED_PASSWORD) : false
}

async function replacePasswords(database: Database, passwordHash: string): Promise<void> {
  for (const { slug, users } of ORGANIZATIONS) {
    const demo = await database.platform('create demo data', tx => organizationBySlug(tx, slug))
    if (!demo) continue
    await database.tenant(TenantScope.of(demo.organization.id), async tx => {
      await replaceSecrets(
        tx,
        PASSWORD_ISSUER,
        users.map(({ email }) => email),
        passwordHash,
      )
      await appendAudit(tx, SYSTEM_ACTOR, { action: 'demo_passwords_replaced' })
    })
  }
}

async function seedOrganization(
  deps: DemoDeps,
  { slug, name, colour, policy, users, events }: DemoOrganization,
  { password, passwordHash }: { password: string; passwordHash: string },
): Promise<void> {
  const { database } = deps
  const found = await database.platform('create demo data', tx => organizationBySlug(tx, slug))
  const id = found?.organization.id ?? (uuidV7(deps.clock.now()) as OrganizationId)
  if (!found) {
    await database.platform('create demo data', tx =>
      insertOrganization(tx, { id, slug, name, time_zone: TIME_ZONE }),
    )
  }
  await database.tenant(TenantScope.of(id), async tx => {
    if (await userByCredential(tx, PASSWORD_ISSUER, users[0]!.email)) return
    if (slug === ORGANIZATIONS[0]!.slug) await appendAudit(tx, SYSTEM_ACTOR, { action: BEGUN })
    for (const { email, role, member } of users) {
      const userId = uuidV7(deps.clock.now()) as UserId
      await insertUser(
        tx,
        {
          userId,
          email,
          isEmailProven: true,
          role,
          membershipTier: member ? MEMBERS : null,
          membershipStatus: member ? 'active' : null,
        },
        passwordHash,
      )
      await appendAudit(tx, SYSTEM_ACTOR, { action: 'user_created', entity: { type: 'user', id: userId } })
    }
  })

  const credentials = { organization: slug, email: users[0]!.email, password }
  const { token = null } = await call(deps.app, 'POST', '/api/sessions', null, credentials)
  await call(deps.app, 'PUT', '/api/admin/policy', token, policy)
  const { support_email, seller } = DEMO_SELLERS[slug]
  const look = { support_email, ...(colour !== undefined && { colour }) }
  await call(deps.app, 'PATCH', '/api/admin/organization', token, look)
  await call(deps.app, 'PATCH', '/api/admin/organization/seller', token, seller)
  const made = await call<readonly MadeEvent[]>(deps.app, 'GET', '/api/events', token)
  for (const demo of events) {
    const known = made.find(event => event.name === demo.event)
    if (known && known.status !== 'draft') continue
    deps.say(`Creating the demo: ${demo.event}, ${demo.venue} …`)
    const event = known ?? (await createEvent(deps, token, demo))
    const url = `/api/admin/layouts/${event.layout.id}`
    const { config } = await call<{ config: LayoutConfig }>(deps.app, 'GET', url, token)
    const list = withZoneIds(demo.prices, config)
    await call(deps.app, 'PUT', `/api/admin/events/${event.id}/prices`, token, list)
    await call(deps.app, 'POST', `/api/admin/events/${event.id}/publish`, token)
  }
  await call(deps.app, 'DELETE', '/api/session', token)
}

interface MadeEvent extends Named {
  readonly status: string
  readonly layout: { readonly id: string }
}

interface Named {
  readonly id: string
  readonly name: string
}

interface MadeLayout {
  readonly layout_id: string
  readonly versions: readonly { readonly status: string }[]
}

/** With its venue and its layout, unless an earlier start has made those. */
async function createEvent(
  { app, clock }: DemoDeps,
  token: string | null,
  demo: DemoEvent,
): Promise<MadeEvent> {
  const venues = await call<readonly Named[]>(app, 'GET', '/api/admin/venues', token)
  const venue =
    venues.find(({ name }) => name === demo.venue) ??
    (await call<Named>(app, 'POST', '/api/admin/venues', token, {
      name: demo.venue,
      address: demo.address,
    }))
  const layoutsUrl = `/api/admin/venues/${venue.id}/layouts`
  const [known] = await call<readonly MadeLayout[]>(app, 'GET', layoutsUrl, token)
  const layout =
    known ??
    (await call<Pick<MadeLayout, 'layout_id'>>(app, 'POST', layoutsUrl, token, {
      name: demo.layout,
      config: demo.config(),
    }))
  if (known?.versions[0]?.status !== 'active') {
    await call(app, 'POST', `/api/admin/layouts/${layout.layout_id}/versions/1/activate`, token)
  }
  // Half past five in the afternoon, UTC: half past seven where the demo is at home.
  const startsAt = Math.floor(clock.now() / DAY_MS + demo.inDays) * DAY_MS + 17.5 * 3_600_000
  return call<MadeEvent>(app, 'POST', '/api/admin/events', token, {
    name: demo.event,
    venue_id: venue.id,
    layout_id: layout.layout_id,
    description: demo.description,
    doors_at: new Date(startsAt - 3_600_000).toISOString(),
    starts_at: new Date(startsAt).toISOString(),
    days: Array.from({ length: demo.days ?? 1 }, (_, day) =>
      new Date(startsAt + day * DAY_MS).toISOString().slice(0, 10),
    ),
  })
}

/**
 * The API, without a network: the demo is made the way an integrator would make it. Where Postgres was too
 * slow to answer, the same request goes out again, with the same key.
 */
async function call<Data = Record<string, string>>(
  app: App,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  token: string | null,
  body?: object,
): Promise<Data> {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
  }
  for (let attempt = 1; ; attempt += 1) {
    const payload = body && { payload: JSON.stringify(body) }
    const response = await app.fastify.inject({ method, url, headers, ...payload })
    if (response.statusCode < 400) return response.body === '' ? ({} as Data) : response.json().data
    if (response.statusCode !== 503 || attempt === TRIES) {
      throw new Error(`demo: ${method} ${url}: ${response.body.slice(0, 2_000)}`)
    }
    await pause(Number(response.headers['retry-after'] ?? 1) * 1_000)
  }
}
