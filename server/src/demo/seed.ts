import { hash } from '@node-rs/argon2'
import type { Role } from '@voelgoed/core/access'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { App } from '../http/app.ts'
import { appendAudit, SYSTEM_ACTOR } from '../postgres/audit-log.ts'
import type { Database } from '../postgres/database.ts'
import { countOrganizations, insertOrganization, organizationBySlug } from '../postgres/organizations.ts'
import { insertUser } from '../postgres/users.ts'
import { TenantScope } from '../tenant.ts'
import { uuidV7 } from '../uuid-v7.ts'

const DEMO_PASSWORD = 'voelgoed-demo'
const MEMBERS = 'voelgoed_vriendinne'
const TIME_ZONE = 'Africa/Johannesburg'
const DAY_MS = 24 * 60 * 60 * 1000

interface DemoUser {
  readonly email: string
  readonly role: Role
  readonly member?: boolean
}

interface DemoEvent {
  readonly venue: string
  readonly layout: string
  readonly config: () => LayoutConfig
  readonly event: string
  /** Days from the start of the demo. */
  readonly inDays: number
  readonly days?: number
}

interface DemoOrganization {
  readonly slug: string
  readonly name: string
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
        layout: 'Main auditorium',
        config: () => generateVenue({ kind: 'theatre', seats: 1_200 }),
        event: 'Somerstorm',
        inDays: 45,
      },
      {
        venue: 'Riverside Park',
        layout: 'Festival ground',
        config: festival,
        event: 'Voelgoed Festival',
        inDays: 90,
        days: 2,
      },
    ],
  },
  {
    slug: 'kaap-arena',
    name: 'Kaap Arena',
    policy: {},
    users: [
      { email: 'admin@kaap-arena.example', role: 'admin' },
      { email: 'organizer@kaap-arena.example', role: 'organizer' },
      { email: 'buyer@kaap-arena.example', role: 'customer' },
    ],
    events: [
      {
        venue: 'Kaap Arena',
        layout: 'Concert in the round',
        config: () => generateVenue({ kind: 'arena', seats: 20_000 }),
        event: 'Winter Tour',
        inDays: 120,
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

/** Where to look and who to sign in as, for the person who has just started the product. */
export function demoGuide(address: string): string[] {
  return [
    `Demo, everyone's password: ${DEMO_PASSWORD}`,
    ...ORGANIZATIONS.map(({ slug, users }) => `  ${slug}: ${users.map(user => user.email).join(', ')}`),
    'Choose seats at',
    ...ORGANIZATIONS.map(
      ({ slug, events }) => `  ${address}/${slug}  (${events.map(({ venue }) => venue).join(', ')})`,
    ),
  ]
}

/**
 * Creates the demo when asked to, or when the database is empty and embedded. True when the demo is there.
 * Organizations and users are written directly, as the platform would; everything else goes through the API.
 */
export async function seedDemo(config: Pick<Config, 'demo'>, deps: DemoDeps): Promise<boolean> {
  const { database } = deps
  const { empty, present } = await database.platform('create demo data', async tx => ({
    empty: (await countOrganizations(tx)) === 0,
    present: (await organizationBySlug(tx, ORGANIZATIONS[0]!.slug)) !== null,
  }))
  if (present) return deps.embedded && config.demo !== false
  const wanted = config.demo ?? (empty && deps.embedded)
  if (!wanted) return false
  const passwordHash = await hash(DEMO_PASSWORD)
  for (const organization of ORGANIZATIONS) await seedOrganization(deps, organization, passwordHash)
  return true
}

async function seedOrganization(
  deps: DemoDeps,
  { slug, name, policy, users, events }: DemoOrganization,
  passwordHash: string,
): Promise<void> {
  const { database, clock } = deps
  const id = uuidV7(clock.now()) as OrganizationId
  await database.platform('create demo data', tx =>
    insertOrganization(tx, { id, slug, name, time_zone: TIME_ZONE }),
  )
  await database.tenant(TenantScope.of(id), async tx => {
    for (const { email, role, member } of users) {
      const userId = uuidV7(clock.now()) as UserId
      await insertUser(
        tx,
        {
          userId,
          email,
          role,
          membershipTier: member ? MEMBERS : null,
          membershipStatus: member ? 'active' : null,
        },
        passwordHash,
      )
      await appendAudit(tx, SYSTEM_ACTOR, { action: 'user_created', entity: { type: 'user', id: userId } })
    }
  })

  const credentials = { organization: slug, email: users[0]!.email, password: DEMO_PASSWORD }
  const { token = null } = await call(deps.app, 'POST', '/api/sessions', null, credentials)
  await call(deps.app, 'PUT', '/api/admin/policy', token, policy)
  for (const demo of events) {
    deps.say(`Creating the demo: ${demo.event}, ${demo.venue} …`)
    const venue = await call(deps.app, 'POST', '/api/admin/venues', token, { name: demo.venue })
    const layout = await call(deps.app, 'POST', `/api/admin/venues/${venue.id}/layouts`, token, {
      name: demo.layout,
      config: demo.config(),
    })
    await call(deps.app, 'POST', `/api/admin/layouts/${layout.layout_id}/versions/1/activate`, token)
    // Half past five in the afternoon, UTC: half past seven where the demo is at home.
    const startsAt = Math.floor(clock.now() / DAY_MS + demo.inDays) * DAY_MS + 17.5 * 3_600_000
    const event = await call(deps.app, 'POST', '/api/admin/events', token, {
      name: demo.event,
      venue_id: venue.id,
      layout_id: layout.layout_id,
      starts_at: new Date(startsAt).toISOString(),
      days: Array.from({ length: demo.days ?? 1 }, (_, day) =>
        new Date(startsAt + day * DAY_MS).toISOString().slice(0, 10),
      ),
    })
    await call(deps.app, 'POST', `/api/admin/events/${event.id}/publish`, token)
  }
  await call(deps.app, 'DELETE', '/api/session', token)
}

/** The API, without a network: the demo is made the way an integrator would make it. */
async function call(
  app: App,
  method: 'POST' | 'PUT' | 'DELETE',
  url: string,
  token: string | null,
  body?: object,
): Promise<Record<string, string>> {
  const response = await app.fastify.inject({
    method,
    url,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { payload: JSON.stringify(body) }),
  })
  if (response.statusCode >= 400) throw new Error(`demo: ${method} ${url}: ${response.body.slice(0, 2_000)}`)
  return response.body === '' ? {} : response.json().data
}
