import { randomUUID } from 'node:crypto'
import { isClosedWhileSuspended, paramNames, type Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { nameOf } from '@voelgoed/contract/tasks'
import { oneOfEverything } from '@voelgoed/testing/example'
import { ROLES, ROOT_KEY, type TestOrganization } from '@voelgoed/testing/harness'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { PIXEL } from '../modules/images/example.fixture.ts'

const { server, ours } = useServer()
let theirs: TestOrganization
const picture = { raw: PIXEL, headers: { 'content-type': 'image/png' } }
let theirIds: Record<string, string>
let ourIds: Record<string, string>

beforeAll(async () => {
  theirs = await server.organization('Theirs')
  ourIds = await oneOfEverything(server, ours)
  theirIds = await oneOfEverything(server, theirs)
})

describe('every route × every role × ids of another organization', () => {
  const withParams = routes.filter(route => paramNames(route.path).length > 0)

  it('knows an id for every path parameter, so that no route escapes', () => {
    const known = new Set(Object.keys(theirIds))
    const unknown = withParams.flatMap(route => paramNames(route.path)).filter(name => !known.has(name))
    expect(unknown, 'the example.fixture.ts of a module returns an id by each of these names').toEqual([])
  })

  it('has an example of a body for every route that takes one, so that validation is passed', () => {
    const without = routes.filter(route => route.body && route.example === undefined)
    expect(without.map(nameOf), 'each of these needs an `example` in contract/').toEqual([])
  })

  for (const route of withParams) {
    it(`${route.method} ${route.path}`, async () => {
      // The platform works on any organization by its id: below, it has tests of its own.
      const root = route.access === 'root' ? [] : [ROOT_KEY]
      for (const token of [...root, ...ROLES.map(role => ours.tokens[role])]) {
        const foreign = await ask(route, theirIds, token)
        const never = await ask(route, fresh(theirIds), token)
        expect(foreign).toEqual(never)
        const mayAsk = route.access === 'signed_in' || (Array.isArray(route.access) && foreign.status !== 403)
        const isPublic = route.access === 'public'
        expect(foreign.status).toBe(isPublic ? 404 : token === ROOT_KEY ? 401 : mayAsk ? 404 : 403)
      }
    })
  }

  it("a user of another organization does not exist below ours, for the platform's key either", async () => {
    const route = routes.find(candidate => candidate.path.endsWith('/users/:user'))!
    const foreign = await ask(route, { ...ourIds, user: theirIds.user! }, ROOT_KEY)
    expect(foreign.status).toBe(404)
    expect(foreign).toEqual(await ask(route, { ...ourIds, user: randomUUID() }, ROOT_KEY))
  })

  it('each id alone, with the others ours', async () => {
    for (const route of withParams.filter(candidate => candidate.access !== 'root')) {
      for (const name of paramNames(route.path).filter(param => param !== 'v')) {
        const foreign = await ask(route, { ...ourIds, [name]: theirIds[name]! }, ours.tokens.admin)
        const never = await ask(route, { ...ourIds, [name]: randomUUID() }, ours.tokens.admin)
        expect(foreign).toEqual(never)
        expect(foreign.status).toBe(404)
      }
    }
  })

  it('ids in a body: another organization’s venue, layout and image do not exist', async () => {
    for (const [member, id] of [
      ['venue_id', theirIds.venue],
      ['layout_id', theirIds.layout],
      ['image_id', theirIds.image],
    ] as const) {
      const body = { name: 'X', venue_id: ourIds.venue, layout_id: ourIds.layout }
      const create = (value: string) =>
        server.request('POST', '/api/admin/events', {
          token: ours.tokens.admin,
          body: { ...body, [member]: value },
        })
      const foreign = await create(id!)
      expect(foreign.status).toBe(404)
      expect(withoutRequestId(foreign.body)).toEqual(withoutRequestId((await create(randomUUID())).body))
    }
  })

  it('ids in a query: the audit log of another organization stays empty', async () => {
    const found = await server.request('GET', `/api/admin/audit?entity_id=${theirIds.event}`, {
      token: ours.tokens.admin,
    })
    expect(found.body.data).toEqual([])
  })

  async function ask(route: Route, ids: Record<string, string>, token: string) {
    const url = route.path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)
    const answer = await server.request(route.method, url, {
      token,
      ...(route.example !== undefined && { body: route.example }),
      ...(route.bytesOf && picture),
    })
    return { status: answer.status, body: withoutRequestId(answer.body) }
  }

  function fresh(ids: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.keys(ids).map(name => [name, name === 'v' ? '1' : randomUUID()]))
  }

  function withoutRequestId(body: Record<string, unknown> | null) {
    if (!body) return body
    const { request_id, ...rest } = body
    return rest
  }
})

describe('every route of a suspended organization', () => {
  /** These work there besides reading: a new route belongs here or not, and its author decides. */
  const OPEN = [
    // People sign in, and keep their accounts safe.
    'POST /api/sessions',
    'POST /api/sessions/guest',
    'POST /api/sessions/provider',
    'POST /api/sessions/provider/finish',
    'POST /api/password-resets',
    'POST /api/password-resets/:reset_token',
    'POST /api/accounts/password',
    'PATCH /api/account',
    'POST /api/account/erasure',
    'POST /api/accounts/email-confirmations',
    'POST /api/accounts/email-confirmations/:reset_token',
    'POST /api/accounts/second-factor',
    'POST /api/accounts/second-factor/confirm',
    'POST /api/accounts/second-factor/recovery-codes',
    'POST /api/accounts/second-factor/remove',
    'DELETE /api/session',
    'DELETE /api/sessions',
    'DELETE /api/sessions/:session',
    'DELETE /api/admin/users/:user/sessions',
    'DELETE /api/admin/users/:user/sessions/:session',
    'DELETE /api/admin/api-keys/:key',
    // Holds go back, or to the account of their guest; an open page goes on.
    'POST /api/events/:event/live-token',
    'POST /api/holds/transfer',
    'DELETE /api/holds/:hold',
    'DELETE /api/checkouts/:checkout',
    // Tickets that were sold reach their holders, and open the gates.
    'POST /api/orders/:order/resend',
    'POST /api/admin/orders/:order/resend',
    'POST /api/admin/mails/:mail/resend',
    'PUT /api/tickets/:ticket/guest',
    'POST /api/scans',
    'POST /api/scans/batch',
  ]
  const ofOrganizations = routes.filter(({ access, area }) => access !== 'root' && area !== 'Running')

  it('is open when it only reads, and else when it is listed', () => {
    const open = ofOrganizations.filter(route => !isClosedWhileSuspended(route))
    const reads = open.filter(({ method }) => method === 'GET')
    expect(reads).toEqual(ofOrganizations.filter(({ method }) => method === 'GET'))
    const others = open.filter(({ method }) => method !== 'GET')
    expect(others.map(nameOf).sort(), 'OPEN lists all with `whileSuspended: true`').toEqual([...OPEN].sort())
  })

  it('refuses what it is closed for, and nothing else, to every role', async () => {
    const closed = await server.organization('Closed')
    const ids = await oneOfEverything(server, closed)
    const body = { suspended: true, reason: 'A test' }
    const suspended = await server.request('PATCH', `/api/platform/organizations/${closed.id}`, {
      token: ROOT_KEY,
      body,
    })
    expect(suspended.status, suspended.text).toBe(200)
    // Those that end sessions come last. Streams do not end by themselves.
    const last = (route: Route) => Number(route.method === 'DELETE' && route.path.includes('session'))
    const asked = ofOrganizations
      .filter(({ tokenInQuery }) => !tokenInQuery)
      .sort((a, b) => last(a) - last(b))
    for (const route of asked) {
      const { access, example } = route
      const url = route.path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)
      const named = example as { organization?: string } | undefined
      const roles = access === 'public' ? [null] : Array.isArray(access) ? access : ROLES
      for (const role of last(route) ? roles.slice(0, 1) : roles) {
        const answer = await server.request(route.method, url, {
          ...(role !== null && { token: closed.tokens[role as keyof typeof closed.tokens] }),
          ...(named && { body: named.organization ? { ...named, organization: closed.slug } : named }),
          ...(route.bytesOf && picture),
        })
        const isRefused = answer.body?.code === 'organization_suspended'
        expect([nameOf(route), role, isRefused]).toEqual([nameOf(route), role, isClosedWhileSuspended(route)])
      }
    }
  })
})

describe('row-level security alone, without any filter of ours', () => {
  const MAY_BE_EMPTY = [
    'audit_subjects',
    'disputes',
    'early_exits',
    'entries',
    'entry_conflicts',
    'funnel_counts',
    'funnel_cursors',
    'gateway_refunds',
    'idempotency_keys',
    'identity_providers',
    'node_reports',
    'occupancy_snapshots',
    'order_links',
    'password_resets',
    'place_guests',
    'provider_sign_ins',
    'recovery_codes',
    'refund_failures',
    'refund_runs',
    'refunds',
    'refused_attempt_counts',
    'seat_groups',
    'seating_policies',
    'second_factors',
    'sign_in_address_failures',
    'sign_in_addresses',
    'sign_in_failures',
    'simulated_intents',
    'simulated_refunds',
    'simulated_webhooks',
    'ticket_moves',
    'zone_days',
  ]
  const tenantTables = async () =>
    server.database.sql<{ name: string; column: string }>(
      `select c.relname as name, case when c.relname = 'organizations' then 'id' else 'organization_id' end as column
       from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and (c.relname = 'organizations' or exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'))
       order by 1`,
    )

  async function asApp<T>(
    organizationId: string | null,
    work: (client: pg.Client) => Promise<T>,
  ): Promise<T> {
    const client = new pg.Client({ connectionString: server.database.url, options: '-c role=voelgoed_app' })
    await client.connect()
    try {
      await client.query('begin')
      if (organizationId)
        await client.query(`select set_config('app.organization_id', $1, true)`, [organizationId])
      return await work(client)
    } finally {
      await client.end()
    }
  }

  it('shows only the own rows of every table', async () => {
    const tables = await tenantTables()
    expect(tables.length).toBeGreaterThan(12)
    for (const { name, column } of tables) {
      const [all] = await server.database.sql<{ count: number }>(`select count(*)::int as count from ${name}`)
      const seen = await asApp(ours.id, client =>
        client.query<{ id: string; count: number }>(
          `select ${column} as id, count(*)::int as count from ${name} group by 1`,
        ),
      )
      for (const row of seen.rows) expect(`${name} ${row.id}`).toBe(`${name} ${ours.id}`)
      // The control: without row-level security there would be more to see.
      const own = seen.rows[0]?.count ?? 0
      if (!MAY_BE_EMPTY.includes(name))
        expect(all!.count, `the example.fixture.ts of a module makes a row of ${name}`).toBeGreaterThan(own)
    }
  })

  it('shows nothing at all when the transaction names no organization', async () => {
    for (const { name } of await tenantTables()) {
      const { rows } = await asApp(null, client => client.query(`select * from ${name}`))
      expect(`${name} ${rows.length}`).toBe(`${name} 0`)
    }
  })

  it('refuses to write rows of another organization', async () => {
    await expect(
      asApp(ours.id, client =>
        client.query(`insert into venues (organization_id, id, name) values ($1, $2, 'planted')`, [
          theirs.id,
          randomUUID(),
        ]),
      ),
    ).rejects.toThrow(/row-level security/)
    const changed = await asApp(ours.id, client =>
      client.query(`update events set name = 'taken over' where id = $1`, [theirIds.event]),
    )
    expect(changed.rowCount).toBe(0)
  })

  it('is on and forced on every table that belongs to a tenant', async () => {
    const open = await server.database.sql(
      `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and not (c.relrowsecurity and c.relforcerowsecurity)`,
    )
    expect(open).toEqual([])
  })

  it('binds the readers of every view as well', async () => {
    const open = await server.database.sql(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
         and not coalesce('security_invoker=true' = any (reloptions), false)`,
    )
    expect(open).toEqual([])
  })
})

describe('the roles the server works as', () => {
  it('own nothing, are no superusers and can not pass row-level security by', async () => {
    const rows = await server.database.sql(
      `select r.rolname, r.rolsuper, r.rolbypassrls,
         (select count(*)::int from pg_class c where c.relowner = r.oid)
           + (select count(*)::int from pg_proc p where p.proowner = r.oid) as owned
       from pg_roles r where r.rolname in ('voelgoed_app', 'voelgoed_platform') order by 1`,
    )
    expect(rows).toEqual([
      { rolname: 'voelgoed_app', rolsuper: false, rolbypassrls: false, owned: 0 },
      { rolname: 'voelgoed_platform', rolsuper: false, rolbypassrls: false, owned: 0 },
    ])
  })

  it('are what every connection of the server runs as', async () => {
    // The connection that listens is lost for half a second when Postgres was late with an answer.
    const rows = await waitUntil('it listens', async () => {
      const found = await server.database.sql<{ application_name: string }>(
        `select distinct application_name from pg_stat_activity
         where datname = current_database() and application_name like 'voelgoed%' order by 1`,
      )
      return found.some(row => row.application_name === 'voelgoed_listen') && found
    })
    expect(rows.map(row => row.application_name)).toEqual([
      'voelgoed_app',
      'voelgoed_listen',
      'voelgoed_platform',
    ])
    const { organizationId } = { organizationId: ours.id }
    const scope = { organizationId } as never
    const user = await server.node.database.tenant(scope, tx => tx.one('select current_user, $1::uuid'))
    expect(user).toMatchObject({ current_user: 'voelgoed_app' })
  })

  it('can add to the audit log, and neither change nor delete what is in it', async () => {
    const client = new pg.Client({ connectionString: server.database.url })
    await client.connect()
    for (const [role, ...statements] of [
      ['voelgoed_app', 'delete from audit_log', `update audit_log set action = 'x'`, 'truncate audit_log'],
      ['voelgoed_platform', `update audit_log set action = 'x'`, 'truncate audit_log'],
    ]) {
      for (const statement of statements) {
        await client.query('begin')
        await client.query(`set local role ${role}`)
        await expect(client.query(statement)).rejects.toThrow(/permission denied/)
        await client.query('rollback')
      }
    }
    await client.end()
  })

  it('delete nothing but old refused attempts and guests, whatever the statement says', async () => {
    const client = new pg.Client({ connectionString: server.database.url })
    await client.connect()
    await client.query('begin')
    await client.query(
      `insert into audit_log (organization_id, action, actor, at)
       select $1, action, 'user', now() - make_interval(hours => age)
       from unnest(array['seat_reserve_failed', 'venue_created']) action, unnest(array[23, 25]) age`,
      [ours.id],
    )
    await client.query('delete from sessions where user_id in (select id from users where email is null)')
    await client.query('set local role voelgoed_platform')
    const gone = await client.query<{ action: string }>('delete from audit_log returning action')
    expect(gone.rows).toEqual([{ action: 'seat_reserve_failed' }])
    expect((await client.query('delete from users')).rowCount).toBe(0)
    await client.query('rollback')
    await client.end()
  })

  it('can not alter a layout version once it is saved', async () => {
    const client = new pg.Client({ connectionString: server.database.url, options: '-c role=voelgoed_app' })
    await client.connect()
    for (const statement of [
      'update seats set label = label',
      'delete from seats',
      'update zones set capacity = capacity',
      'delete from zones',
      'update layout_versions set total_capacity = total_capacity',
      'delete from layout_versions',
    ]) {
      await expect(client.query(statement)).rejects.toThrow(/permission denied/)
    }
    await client.end()
  })
})
