import { systemClock } from '@voelgoed/kit/base/clock'
import { historyWritten } from '@voelgoed/testing/all-holds'
import { openHall } from '@voelgoed/testing/hall'
import {
  PASSWORD,
  sell,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { type MetricFamily, parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { expectPromtool, hasPromtool } from '@voelgoed/testing/promtool'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { beforeAll, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization
let neighbourNode: ListeningNode
let began: number

beforeAll(async () => {
  began = systemClock.now()
  server = await startTestServer()
  ours = await server.organization()
  neighbourNode = await startListeningNode(server.database.url)
  for (const families of [metrics, () => metricsOf(neighbourNode)]) {
    await waitUntil('hears', async () => seriesValue(await families(), 'voelgoed_bus_listening') === 1)
  }
  return async () => {
    await neighbourNode.close()
    await server.close()
  }
})

async function scrape(): Promise<string> {
  const answer = await server.request('GET', '/metrics')
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  return answer.text
}

const metrics = async () => parsePrometheusText(await scrape())

async function metricsOf({ url }: ListeningNode) {
  return parsePrometheusText(await (await fetch(`${url}/metrics`)).text())
}

/** Returns how much these series moved while something was done. */
async function moved(queries: readonly string[], work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await metrics()
  await work()
  const after = await metrics()
  return Object.fromEntries(
    queries.map(query => [query, seriesValue(after, query) - seriesValue(before, query)]),
  )
}

async function guest(): Promise<string> {
  const answer = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  return answer.body.data.token
}

function hall(event: object = {}) {
  return openHall(server.request, ours.tokens.organizer, { event })
}

it('what becomes of a wish for a seat is counted, each thing once', async () => {
  const { url, seats, eventId } = await hall({ seating_overrides: { default_hold_ttl_seconds: 60 } })
  const [anna, ben] = [await guest(), await guest()]
  const reserve = async (index: number, token: string, status: number) => {
    const answer = await server.request('POST', `${url}/seats/${seats[index]}/reserve`, { token })
    expect(answer.status, answer.text).toBe(status)
    return answer.body.data?.hold_id as string
  }
  const expected = {
    'voelgoed_hold_attempts_total{method="seat"}': 5,
    'voelgoed_hold_successes_total{method="seat"}': 3,
    'voelgoed_hold_attempts_total{method="seats"}': 0,
    'voelgoed_hold_conflicts_total{reason="seat_held_by_another_user"}': 1,
    'voelgoed_hold_conflicts_total{reason="seat_not_available"}': 1,
    'voelgoed_hold_extensions_total{outcome="ok"}': 1,
    'voelgoed_hold_releases_total{outcome="released"}': 1,
    'voelgoed_seats_sold_total{category="standard"}': 1,
    'voelgoed_command_seconds_count{command="hold_seats",outcome="ok"}': 3,
    'voelgoed_command_seconds_count{command="hold_seats",outcome="refused"}': 2,
    'voelgoed_command_refusals_total{command="hold_seats",reason="seat_held_by_another_user"}': 1,
    'voelgoed_command_seconds_count{command="extend",outcome="ok"}': 1,
    'voelgoed_command_seconds_count{command="release",outcome="ok"}': 1,
    'voelgoed_command_seconds_count{command="exclusive",outcome="ok"}': 1,
    'voelgoed_changes_total{kind="seat_reserved"}': 3,
    'voelgoed_changes_total{kind="seat_hold_extended"}': 1,
    'voelgoed_changes_total{kind="seat_released",reason="user_cancelled"}': 1,
    'voelgoed_changes_total{kind="seat_released",reason="admin_override"}': 1,
    'voelgoed_changes_total{kind="payment_started"}': 1,
    'voelgoed_changes_total{kind="seat_converted"}': 1,
    'voelgoed_changes_total{kind="seat_hold_expired"}': 0,
    // Three holds, an extension, a release, a payment and a ticket. Both losers were refused from memory, and
    // staff release in a transaction of their own, with the audit entry.
    'voelgoed_lane_batches_total{outcome="written"}': 7,
    'voelgoed_lane_batches_total{outcome="failed"}': 0,
    voelgoed_lane_batch_commands_sum: 7,
    voelgoed_lane_queue_seconds_count: 7,
    voelgoed_lane_lock_seconds_count: 7,
    voelgoed_lane_commit_seconds_count: 7,
    'voelgoed_tier_reads_total{tier="hot"}': 1,
    'voelgoed_http_request_seconds_count{method="POST",route="/api/events/:event/seats/:seat/reserve",status="409"}': 2,
  }
  const counted = await moved(Object.keys(expected), async () => {
    const kept = await reserve(0, anna, 201)
    await reserve(0, ben, 409)
    await server.request('POST', `/api/holds/${kept}/extend`, { token: anna })
    await server.request('DELETE', `/api/holds/${kept}`, { token: anna })
    const taken = await reserve(1, anna, 201)
    await server.request('POST', '/api/admin/seats/release', {
      token: ours.tokens.support,
      body: { hold_ids: [taken] },
    })
    await sell(server, ours, eventId, await reserve(2, anna, 201))
    await reserve(2, ben, 409)
    await server.request('GET', `${url}/seats/${seats[2]}`, { token: ben })
  })
  expect(counted).toEqual(expected)
})

it('how a hold is asked for, extended and released is counted by its outcome', async () => {
  const { url, seats, zones } = await openHall(server.request, ours.tokens.organizer, { standing: 10 })
  const [anna, ben] = [await guest(), await guest()]
  const ask = async (token: string, body: object) => {
    const answer = await server.request('POST', `${url}/holds`, { token, body })
    return answer.body.data?.holds[0].hold_id as string
  }
  const expected = {
    'voelgoed_hold_attempts_total{method="seats"}': 2,
    'voelgoed_hold_successes_total{method="seats"}': 1,
    'voelgoed_hold_attempts_total{method="places"}': 1,
    'voelgoed_hold_successes_total{method="places"}': 1,
    'voelgoed_hold_releases_total{outcome="released"}': 2,
    'voelgoed_hold_releases_total{outcome="already_cancelled"}': 1,
    'voelgoed_hold_releases_total{outcome="hold_not_found"}': 1,
    'voelgoed_hold_extensions_total{outcome="ok"}': 0,
    'voelgoed_hold_extensions_total{outcome="hold_not_found"}': 2,
  }
  const counted = await moved(Object.keys(expected), async () => {
    const pair = await ask(anna, { seat_ids: seats.slice(0, 2) })
    await ask(ben, { seat_ids: seats.slice(1, 3) })
    const places = await ask(ben, { zone_id: zones[1], quantity: 2 })
    for (const [id, token] of [
      [pair, ben],
      [pair, anna],
      [pair, anna],
      [places, ben],
    ] as const) {
      await server.request('DELETE', `/api/holds/${id}`, { token })
    }
    // Released, and another buyer's.
    await server.request('POST', `/api/holds/${pair}/extend`, { token: anna })
    await server.request('POST', `/api/holds/${places}/extend`, { token: anna })
  })
  expect(counted).toEqual(expected)
})

it('how long holds lasted is counted once over all nodes, by how they ended', async () => {
  const ends = ['converted', 'user_cancelled', 'admin_override', 'expired']
  const counts = async () => {
    const nodes = [await metrics(), await metricsOf(neighbourNode)]
    const sum = (query: string) => nodes.reduce((total, families) => total + seriesValue(families, query), 0)
    return {
      ...Object.fromEntries(
        ends.map(end => [end, sum(`voelgoed_hold_duration_seconds_count{end="${end}"}`)]),
      ),
      seconds: sum('voelgoed_hold_duration_seconds_sum{end="converted"}'),
      before_payment: sum('voelgoed_holds_expired_total{stage="before_payment"}'),
      in_payment: sum('voelgoed_holds_expired_total{stage="in_payment"}'),
    } as Record<string, number>
  }
  const { url, seats, eventId } = await hall()
  const token = await guest()
  await historyWritten(server.database)
  const before = await counts()
  const reserve = async (index: number) => {
    const answer = await server.request('POST', `${url}/seats/${seats[index]}/reserve`, { token })
    return answer.body.data.hold_id as string
  }
  await sell(server, ours, eventId, await reserve(0))
  const given = await reserve(1)
  await server.request('DELETE', `/api/holds/${given}`, { token })
  const body = { hold_ids: [await reserve(2)] }
  await server.request('POST', '/api/admin/seats/release', { token: ours.tokens.support, body })
  // A look-up of support is written into the history there and then, and counted there.
  const journal = `/api/admin/events/${eventId}/journal?seat_id=${seats[0]}`
  expect((await server.request('GET', journal, { token: ours.tokens.support })).status).toBe(200)
  const grown = async () => {
    const after = await counts()
    return Object.fromEntries(Object.keys(after).map(key => [key, after[key]! - before[key]!]))
  }
  // By the node that wrote it, after its commit: another may have written the rest, and counted it before.
  await waitUntil('counted', async () => {
    const { converted, user_cancelled, admin_override } = await grown()
    return converted! > 0 && user_cancelled! > 0 && admin_override! > 0
  })
  const { seconds, ...ended } = await grown()
  expect(ended).toEqual({
    converted: 1,
    user_cancelled: 1,
    admin_override: 1,
    expired: 0,
    before_payment: 0,
    in_payment: 0,
  })
  expect(seconds).toBeLessThan(60)
})

it('a hold that runs out is tidied up by one reaper, which counts it once', async () => {
  const { url, seats } = await hall({ seating_overrides: { default_hold_ttl_seconds: 1 } })
  const token = await guest()
  await server.request('POST', `${url}/seats/${seats[0]}/reserve`, { token })
  const nodes = async () => [await metrics(), await metricsOf(neighbourNode)]
  const onBoth = async (query: string) =>
    (await nodes()).reduce((sum, families) => sum + seriesValue(families, query), 0)
  await waitUntil('tidied up', async () => (await onBoth('voelgoed_reaper_expired_total')) > 0)
  await waitUntil('told', async () => (await onBoth('voelgoed_changes_total{kind="seat_hold_expired"}')) > 0)
  expect(await onBoth('voelgoed_reaper_expired_total')).toBe(1)
  const before = 'voelgoed_holds_expired_total{stage="before_payment"}'
  await waitUntil('in the history', async () => (await onBoth(before)) > 0)
  expect(await onBoth(before)).toBe(1)
  expect(await onBoth('voelgoed_hold_duration_seconds_count{end="expired"}')).toBe(1)
  expect(await onBoth('voelgoed_hold_duration_seconds_sum{end="expired"}')).toBeGreaterThanOrEqual(1)
  const runs = 'voelgoed_reaper_run_seconds_count{outcome="ok"}'
  await waitUntil('both reapers have run', async () =>
    (await nodes()).every(families => seriesValue(families, runs) > 0),
  )
  for (const families of await nodes()) {
    const ranAt = seriesValue(families, 'voelgoed_reaper_run_timestamp_seconds')
    expect(ranAt * 1000).toBeGreaterThanOrEqual(began)
  }
})

it('sign-ins, layouts, connections', async () => {
  const email = `customer@${ours.slug}.example`
  const signIn = (password: string) =>
    server.request('POST', '/api/sessions', { body: { organization: ours.slug, email, password } })
  const expected = {
    'voelgoed_sign_ins_total{way="guest",outcome="ok"}': 1,
    'voelgoed_sign_ins_total{way="password",outcome="ok"}': 1,
    'voelgoed_sign_ins_total{way="password",outcome="unauthorized"}': 1,
    'voelgoed_layout_save_seconds_count{outcome="ok"}': 1,
    voelgoed_layout_cache_misses_total: 1,
    voelgoed_layout_cache_hits_total: 1,
  }
  const counted = await moved(Object.keys(expected), async () => {
    await guest()
    await signIn(PASSWORD)
    await signIn('not my password')
    const { url } = await hall()
    await server.request('GET', `${url}/layout`, { token: ours.tokens.organizer })
  })
  expect(counted).toEqual(expected)
  const now = await metrics()
  expect(seriesValue(now, 'voelgoed_database_up')).toBe(1)
  expect(seriesValue(now, 'voelgoed_bus_listening')).toBe(1)
  expect(seriesValue(now, 'voelgoed_database_connections{pool="requests",state="idle"}')).toBeGreaterThan(0)
  expect(seriesValue(now, 'voelgoed_database_waiting_callers{pool="requests"}')).toBe(0)
  expect(seriesValue(now, 'voelgoed_lanes')).toBeGreaterThan(0)
  expect(seriesValue(now, 'voelgoed_zone_places{zone_type="reserved_seating",state="free"}')).toBeGreaterThan(
    0,
  )
})

it('a node that follows another says how late it was, and who reads its live feed', async () => {
  const { url, seats } = await hall()
  const token = await guest()
  const reader = await fetch(`${neighbourNode.url}${url}/live`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const there = () => metricsOf(neighbourNode)
  const before = await there()
  expect(seriesValue(before, 'voelgoed_feed_readers')).toBe(1)
  await server.request('POST', `${url}/seats/${seats[0]}/reserve`, { token })
  await waitUntil('the message', async () => {
    const after = await there()
    const grown = (query: string) => seriesValue(after, query) - seriesValue(before, query)
    // A heartbeat is a message too, and comes when it does.
    return grown('voelgoed_feed_messages_total') >= 1 && grown('voelgoed_follower_delay_seconds_count') === 1
  })
  expect(seriesValue(await there(), 'voelgoed_follower_lag_changes')).toBe(0)
  await reader.body!.cancel()
  await waitUntil('gone', async () => seriesValue(await there(), 'voelgoed_feed_readers') === 0)
})

it('everything at /metrics keeps the conventions of Prometheus, and no label holds an id', async () => {
  const families = await metrics()
  for (const family of families.values()) {
    const ours = family.name.startsWith('voelgoed_')
    if (ours) expect(family.name.endsWith('_total'), family.name).toBe(family.type === 'counter')
    for (const { labels, value } of family.samples) {
      if (family.type === 'counter') expect(value).toBeGreaterThanOrEqual(0)
      expect(JSON.stringify(labels)).not.toMatch(/[\da-f]{8}-[\da-f]{4}|@|vg1_/i)
    }
    if (family.type === 'histogram') expectCumulative(family)
  }
})

function expectCumulative(family: MetricFamily): void {
  const series = new Map<string, number[]>()
  for (const { name, labels, value } of family.samples) {
    if (!name.endsWith('_bucket')) continue
    const { le: _le, ...rest } = labels
    const key = JSON.stringify(rest)
    series.set(key, [...(series.get(key) ?? []), value])
  }
  for (const buckets of series.values()) expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
}

it.runIf(hasPromtool)('promtool finds nothing wrong with it', async () => {
  const ours = (await scrape()).replace(/^.*\b(nodejs|process)_.*\n/gm, '')
  expect(expectPromtool(['check', 'metrics'], ours).said).toBe('')
})

it('a malformed message on the bus is counted, and the node goes on', async () => {
  const name = 'voelgoed_bus_malformed_messages_total'
  const payloads = [
    '',
    '{',
    'null',
    '{}',
    '{"kind":"token_revoked"}',
    ':::',
    'x:y:z',
    `${ours.id}:${ours.id}:NaN`,
  ]
  const before = seriesValue(await metrics(), name)
  for (const channel of ['voelgoed_sessions', 'voelgoed_journal']) {
    for (const payload of payloads) await server.database.sql('select pg_notify($1, $2)', [channel, payload])
  }
  const sent = 2 * payloads.length
  await waitUntil('counted', async () => seriesValue(await metrics(), name) - before === sent)
  const there = await waitUntil('counted there as well', async () => {
    const families = await metricsOf(neighbourNode)
    return seriesValue(families, name) >= sent && families
  })
  expect(seriesValue(there, 'voelgoed_bus_listening')).toBe(1)
  // It still hears what is well-formed.
  const token = await guest()
  const signedIn = await fetch(`${neighbourNode.url}/api/session`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(signedIn.status).toBe(200)
  expect((await server.request('DELETE', '/api/session', { token })).status).toBe(204)
  await waitUntil('the other node heard', async () => {
    const answer = await fetch(`${neighbourNode.url}/api/session`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return answer.status === 401
  })
})
