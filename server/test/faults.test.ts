import { randomUUID } from 'node:crypto'
import { ALL_HOLDS } from '@voelgoed/testing/all-holds'
import { Connections, tally } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { foundOrganization, type Hall, type HallPlan, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { ask, expectTruth, isDefinite, settle, wishes } from '@voelgoed/testing/keyed-load'
import { holdLedgerLock } from '@voelgoed/testing/ledger-lock'
import { OwnPostgres } from '@voelgoed/testing/own-postgres'
import { useProductionLocks } from '@voelgoed/testing/patient-locks'
import { atCommit, atCommitOf, PostgresProxy } from '@voelgoed/testing/postgres-proxy'
import { type ServerProcess, startProcess } from '@voelgoed/testing/process'
import { lifeOf } from '@voelgoed/testing/run-out'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { seeded } from '@voelgoed/testing/seeded'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const connections = new Connections(60)
const closing: (() => Promise<void> | void)[] = []
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  connections.close()
})

interface Site {
  readonly id: string
  readonly organizer: string
  hall(plan?: HallPlan): Promise<Hall>
  buyers(count: number): Promise<Buyer[]>
}

async function siteAt(url: string, database: Pick<TestDatabase, 'sql'>): Promise<Site> {
  const via = (method: string, path: string, options?: object) =>
    connections.send(method, url + path, options)
  const { id, organizer } = await foundOrganization(via, ROOT_KEY)
  return {
    id,
    organizer,
    hall: plan => openHall(via, organizer, { event: { seating_overrides: UNLIMITED }, ...plan }),
    buyers: count => createBuyers(database, id, count),
  }
}

const reserve = (url: string, at: Hall, seat: number, { token }: Buyer, key?: string) =>
  connections.send('POST', `${url}${at.url}/seats/${at.seats[seat]}/reserve`, {
    token,
    ...(key && { headers: { 'idempotency-key': key } }),
  })

describe('processes', () => {
  let database: TestDatabase
  /** A node that is left alone. */
  let other: string
  let site: Site
  /** Three nodes to be harmed, each with a proxy of its own before the database. */
  const victims: { process: ServerProcess; proxy: PostgresProxy; url: string }[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    await useProductionLocks(database)
    closing.push(() => database.drop())
    const start = (databaseUrl: string) => {
      const server = startProcess({
        DATABASE_URL: databaseUrl,
        VOELGOED_ROOT_KEY: ROOT_KEY,
        VOELGOED_LIMITS: 'off',
        VOELGOED_DEMO: '0',
      })
      closing.push(async () => {
        server.child.kill('SIGCONT')
        server.child.kill('SIGTERM')
        await server.exited()
      })
      return server
    }
    const proxies = await Promise.all([1, 2, 3].map(() => PostgresProxy.start(database.url)))
    for (const proxy of proxies) closing.push(() => proxy.close())
    const processes = proxies.map(proxy => start(proxy.urlOf(database.url)))
    const node = await startListeningNode(database.url)
    closing.push(() => node.close())
    other = node.url
    site = await siteAt(other, database)
    for (const [index, server] of processes.entries()) {
      victims.push({ process: server, proxy: proxies[index]!, url: await server.ready() })
    }
  })

  for (const [index, moment] of ['before', 'after'].entries()) {
    it(`kill -9 right ${moment} the commit of a batch, under load on two nodes: what was said is true`, async () => {
      const { process: server, proxy, url } = victims[index]!
      const random = seeded(`kill -9 ${moment} the commit`)
      const at = await site.hall({ seats: 120, perRow: 20, standing: 60 })
      const all = wishes(at, await site.buyers(300), random)
      const fatal = 1 + random.below(2)
      let commits = 0
      proxy.trap = atCommit(async () => {
        commits += 1
        if (commits !== fatal) return 'pass'
        if (moment === 'before') {
          server.child.kill('SIGKILL')
          return 'cut before'
        }
        // Frozen, it can't hear that the commit has got through; and then it dies.
        server.child.kill('SIGSTOP')
        const before = await seqOf(at)
        void waitUntil('the commit got through', async () => (await seqOf(at)) > before).finally(() =>
          server.child.kill('SIGKILL'),
        )
        return 'pass'
      })
      await Promise.all(all.map((wish, i) => ask(connections, i % 2 === 0 ? url : other, at, wish)))
      expect(await server.exited()).toBe('SIGKILL')
      // The node that committed died before it told the other one, which has to look for itself.
      const { token } = all[0]!.buyer
      await waitUntil('the other node knows what is in the tables', async () => {
        const { body } = await connections.send('GET', `${other}${at.url}/occupancy`, { token })
        return body.data?.seq === (await seqOf(at))
      })
      const unanswered = all.filter(wish => wish.replies[0] === null)
      console.log(`${unanswered.length} of ${all.length} were left without an answer`)
      expect(unanswered.length).toBeGreaterThan(0)
      await Promise.all(all.map(wish => settle(connections, other, at, wish)))
      const replayed = unanswered.filter(wish => wish.replies.at(-1)!.headers['idempotency-replayed'])
      if (moment === 'after') expect(replayed.length).toBeGreaterThan(0)
      // Everybody asks once more, to be sure.
      await Promise.all(all.map(wish => ask(connections, other, at, wish)))
      await expectTruth(database, at, all)
      await expectSound(database)
    })
  }

  it('a node that freezes with the lock in its hand: the others go on within seconds, and it has done nothing', async () => {
    const { process: server, proxy, url } = victims[2]!
    const at = await site.hall()
    const [anna, ben] = await site.buyers(2)
    expect((await reserve(url, at, 5, anna!)).status).toBe(201)
    let thaw = () => {}
    const frozen = new Promise<void>(resolve => {
      proxy.trap = atCommit(() => {
        proxy.trap = null
        server.child.kill('SIGSTOP')
        resolve()
        return new Promise(release => {
          thaw = () => release('pass')
        })
      })
    })
    const key = randomUUID()
    const first = reserve(url, at, 0, anna!, key)
    await frozen
    await waitUntil('another buyer gets the seat', async () => {
      const reply = await reserve(other, at, 0, ben!)
      if (reply.status !== 201) expect([reply.status, reply.body.code]).toEqual([503, 'busy'])
      return reply.status === 201
    })
    thaw()
    server.child.kill('SIGCONT')
    const reply = await first
    expect([reply.status, reply.body.code]).toEqual([503, 'database_unavailable'])
    const again = await waitUntil('it works again', async () => {
      const answer = await reserve(url, at, 0, anna!, key)
      return answer.status < 500 && answer
    })
    expect([again.status, again.body.code]).toEqual([409, 'seat_held_by_another_user'])
    await expectSound(database)
  })

  it('a node that was frozen for longer than a hold lived: it neither extends it nor gives the seat back', async () => {
    const { process: server, url } = victims[2]!
    const at = await site.hall()
    const [anna, ben] = await site.buyers(2)
    const mine = (await reserve(url, at, 0, anna!)).body.data.hold_id
    server.child.kill('SIGSTOP')
    await database.passes(await lifeOf(database, mine))
    await waitUntil('another buyer gets the seat', async () => {
      const reply = await reserve(other, at, 0, ben!)
      return reply.status === 201
    })
    server.child.kill('SIGCONT')
    const extended = await connections.send('POST', `${url}/api/holds/${mine}/extend`, { token: anna!.token })
    expect([extended.status, extended.body.code]).toEqual([410, 'hold_expired'])
    const released = await connections.send('DELETE', `${url}/api/holds/${mine}`, { token: anna!.token })
    expect(released.body.data).toMatchObject({ status: 'expired', released_count: 0 })
    const again = await reserve(url, at, 0, anna!)
    expect([again.status, again.body.code]).toEqual([409, 'seat_held_by_another_user'])
    await expectSound(database)
  })

  it('backends terminated again and again under load: 503 at worst, and what was said is true', async () => {
    const { process: server, proxy, url } = victims[2]!
    const random = seeded('backends terminated')
    const at = await site.hall({ seats: 120, perRow: 20, standing: 60 })
    const all = wishes(at, await site.buyers(300), random)
    let isOver = false
    const terminateAll = async () => {
      const rows = await database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'voelgoed%' and client_port = any ($1::int[])`,
        [proxy.upstreamPorts],
      )
      return rows.length > 0
    }
    // One of them while it is about to commit: how the others are met is for chance to say.
    proxy.trap = atCommit(async () => {
      proxy.trap = null
      await terminateAll()
      return 'pass' as const
    })
    const terminating = (async () => {
      let count = 0
      for (; !isOver && count < 40; count += 1) await waitUntil('there are some', terminateAll)
      return count
    })()
    await Promise.all(
      all.map(async wish => {
        await ask(connections, url, at, wish)
        await settle(connections, url, at, wish)
      }),
    )
    isOver = true
    const first = all.flatMap(wish => wish.replies.filter(reply => reply !== null))
    console.log(`terminated ${await terminating} times: ${tally(first)}`)
    expect(first.some(reply => reply.status === 503)).toBe(true)
    expect([server.child.exitCode, server.child.signalCode]).toEqual([null, null])
    await expectTruth(database, at, all)
    await expectSound(database)
  })

  async function seqOf(at: Hall): Promise<number> {
    const [row] = await database.sql<{ seq: string }>('select seq from event_ledgers where event_id = $1', [
      at.eventId,
    ])
    return Number(row!.seq)
  }
})

describe('the connection to Postgres', () => {
  let database: TestDatabase
  let proxy: PostgresProxy
  let url: string
  let site: Site

  beforeAll(async () => {
    database = await createTestDatabase()
    await useProductionLocks(database)
    closing.push(() => database.drop())
    proxy = await PostgresProxy.start(database.url)
    closing.push(() => proxy.close())
    const node = await startListeningNode(proxy.urlOf(database.url))
    closing.push(() => node.close())
    url = node.url
    site = await siteAt(url, database)
  })

  const holdsOf = ({ userId }: Buyer) =>
    database.sql(`select id from ${ALL_HOLDS} h where user_id = $1 and status = 'active'`, [userId])
  /** The next batch only. */
  const atNextCommit = (fate: 'cut before' | 'cut after', alsoShut = false) => {
    proxy.trap = atCommit(() => {
      proxy.trap = null
      if (alsoShut) proxy.refuseNew()
      return fate
    })
  }

  it('cut after COMMIT was sent: the node finds out that it happened, and says so', async () => {
    const at = await site.hall()
    const [anna] = await site.buyers(1)
    const key = randomUUID()
    atNextCommit('cut after')
    const reply = await reserve(url, at, 0, anna!, key)
    expect(reply.status).toBe(201)
    expect(await holdsOf(anna!)).toEqual([{ id: reply.body.data.hold_id }])
    const again = await reserve(url, at, 0, anna!, key)
    expect([again.status, again.text]).toEqual([201, reply.text])
    // The memory is still right, for others as well.
    const [ben] = await site.buyers(1)
    expect((await reserve(url, at, 0, ben!)).body.code).toBe('seat_held_by_another_user')
    expect((await reserve(url, at, 1, ben!)).status).toBe(201)
    await expectSound(database)
  })

  it('control 7: without the look into the journal the same cut is answered wrongly', async () => {
    const at = await site.hall()
    const [anna] = await site.buyers(1)
    proxy.rewritings = [
      { within: 'select first_command from journal', pattern: /first_seq = \$3/, by: 'first_seq < $3' },
    ]
    atNextCommit('cut after')
    const reply = await reserve(url, at, 0, anna!)
    proxy.rewritings = []
    expect(reply.status).toBe(503)
    expect(await holdsOf(anna!)).toHaveLength(1)
  })

  it('cut before COMMIT got through: 503, nothing has happened, and a retry succeeds', async () => {
    const at = await site.hall()
    const [anna] = await site.buyers(1)
    const key = randomUUID()
    atNextCommit('cut before')
    const reply = await reserve(url, at, 0, anna!, key)
    expect([reply.status, reply.body.code]).toEqual([503, 'database_unavailable'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(await holdsOf(anna!)).toEqual([])
    const again = await reserve(url, at, 0, anna!, key)
    expect(again.status).toBe(201)
    expect(await holdsOf(anna!)).toEqual([{ id: again.body.data.hold_id }])
    await expectSound(database)
  })

  it('cut after COMMIT, and Postgres stays out of reach: it says that it does not know, and how to find out', async () => {
    const at = await site.hall()
    const [anna] = await site.buyers(1)
    const key = randomUUID()
    atNextCommit('cut after', true)
    const reply = await reserve(url, at, 0, anna!, key)
    expect([reply.status, reply.body.code]).toEqual([503, 'outcome_unknown'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(reply.body.detail).toContain('Idempotency-Key')
    proxy.open()
    const again = await waitUntil('Postgres is back', async () => {
      const answer = await reserve(url, at, 0, anna!, key)
      return answer.status < 500 && answer
    })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expect(await holdsOf(anna!)).toEqual([{ id: again.body.data.hold_id }])
    await expectSound(database)
  })

  it('a batch with nothing but a stored answer: its commit is looked up as well', async () => {
    const at = await site.hall()
    const [anna] = await site.buyers(1)
    expect((await reserve(url, at, 0, anna!)).status).toBe(201)
    // The seat is hers already: the answer is stored under the key, and the journal has nothing to say of it.
    const lost = randomUUID()
    atNextCommit('cut before')
    const first = await reserve(url, at, 0, anna!, lost)
    expect([first.status, first.body.code]).toEqual([503, 'database_unavailable'])
    const again = await reserve(url, at, 0, anna!, lost)
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined])

    const kept = randomUUID()
    atNextCommit('cut after')
    const second = await reserve(url, at, 0, anna!, kept)
    expect(second.status).toBe(200)
    const holdId = second.body.data.hold_id
    const gone = await connections.send('DELETE', `${url}/api/holds/${holdId}`, { token: anna!.token })
    expect(gone.status).toBe(200)
    // The same key has the same answer, whatever has become of the hold.
    const replayed = await reserve(url, at, 0, anna!, kept)
    expect([replayed.status, replayed.text]).toEqual([200, second.text])
    await expectSound(database)
  })

  describe('commits of administration', () => {
    const staff = (method: string, path: string, body: object, key?: string) =>
      connections.send(method, url + path, {
        token: site.organizer,
        body,
        ...(key && { headers: { 'idempotency-key': key } }),
      })
    const atNextCommitOf = (table: string, fate: 'cut before' | 'cut after') => {
      proxy.trap = atCommitOf(table, () => {
        proxy.trap = null
        return fate
      })
    }
    const countOf = async (table: string, where: string, value: string) => {
      const [row] = await database.sql<{ count: number }>(
        `select count(*)::int as count from ${table} where organization_id = $1 and ${where} = $2`,
        [site.id, value],
      )
      return row!.count
    }

    it('with a key: the node finds out whether it took effect, and answers what is so', async () => {
      const at = await site.hall()
      const body = { name: randomUUID(), venue_id: at.venueId, layout_id: at.layoutId }
      const key = randomUUID()
      atNextCommitOf('events', 'cut before')
      const lost = await staff('POST', '/api/admin/events', body, key)
      expect([lost.status, lost.body.code]).toEqual([503, 'database_unavailable'])
      expect(await countOf('events', 'name', body.name)).toBe(0)
      atNextCommitOf('events', 'cut after')
      const made = await staff('POST', '/api/admin/events', body, key)
      expect(made.status).toBe(201)
      const replayed = await staff('POST', '/api/admin/events', body, key)
      expect([replayed.status, replayed.text]).toEqual([201, made.text])
      expect(await countOf('events', 'name', body.name)).toBe(1)
    })

    it('without a key it says that it does not know: it may have taken effect', async () => {
      const name = randomUUID()
      atNextCommitOf('venues', 'cut after')
      const reply = await staff('POST', '/api/admin/venues', { name })
      expect([reply.status, reply.body.code, reply.body.retryable]).toEqual([503, 'outcome_unknown', true])
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      expect(await countOf('venues', 'name', name)).toBe(1)
    })

    it('through the lane: the journal tells', async () => {
      const at = await site.hall()
      const path = `/api/admin/events/${at.eventId}/seats/block`
      const block = (seat: number) => staff('POST', path, { seat_ids: [at.seats[seat]!], reason: 'camera' })
      atNextCommit('cut after')
      const done = await block(0)
      expect([done.status, done.body.data?.seats_changed]).toEqual([200, 1])
      atNextCommit('cut before')
      const lost = await block(1)
      expect([lost.status, lost.body.code]).toEqual([503, 'database_unavailable'])
      const { data } = (
        await connections.send('GET', `${url}${at.url}/availability`, { token: site.organizer })
      ).body
      expect(data.seats).toEqual([{ seat_id: at.seats[0], status: 'blocked' }])
      await expectSound(database)
    })
  })

  it('an event’s lock that another session keeps: callers get 503 busy while it is kept, and afterwards all is well', async () => {
    const at = await site.hall()
    const buyers = await site.buyers(40)
    await reserve(url, at, 0, buyers[0]!)
    const release = await holdLedgerLock(database.url, at.eventId)
    // Half of them with a key: it is looked up in the same breath as the lock is asked for.
    const replies = await Promise.all(
      buyers.map((buyer, index) =>
        reserve(url, at, 1 + (index % 19), buyer, index % 2 === 0 ? randomUUID() : undefined),
      ),
    )
    expect(tally(replies)).toBe('503 busy × 40')
    expect(replies.every(reply => Number(reply.headers['retry-after']) > 0)).toBe(true)
    await release()
    expect((await reserve(url, at, 1, buyers[1]!)).status).toBe(201)
    await expectSound(database)
  })
})

describe('Postgres itself', () => {
  it('restarted at once under load: 503 within a bounded wait, back by itself, nothing confirmed is lost', async () => {
    const postgres = await OwnPostgres.start()
    closing.push(() => postgres.stop())
    const proxy = await PostgresProxy.start(postgres.url)
    closing.push(() => proxy.close())
    const node = await startListeningNode(proxy.urlOf(postgres.url))
    closing.push(() => node.close())
    const { url } = node
    const site = await siteAt(url, postgres)
    const at = await site.hall({ seats: 200, perRow: 20, standing: 100 })
    const all = wishes(at, await site.buyers(400), seeded('Postgres restarted'))
    const waiting = [...all]
    let isDown = false
    const buying = Array.from({ length: 20 }, async () => {
      for (let wish = waiting.shift(); wish; wish = waiting.shift()) {
        await ask(connections, url, at, wish)
        if (!isDefinite(wish.replies.at(-1))) await waitUntil('Postgres is down', () => isDown)
      }
    })
    // Batches that are about to commit wait for the end: some callers are certainly left without success.
    let goOn = () => {}
    const gone = new Promise<void>(resolve => {
      goOn = resolve
    })
    await new Promise<void>(isCaught => {
      proxy.trap = atCommit(async () => {
        if (waiting.length < 300) {
          isCaught()
          await gone
        }
        return 'pass' as const
      })
    })
    await postgres.kill()
    isDown = true
    proxy.trap = null
    goOn()
    const [anna] = all
    const away = await connections.send('GET', `${url}/api/holds`, { token: anna!.buyer.token })
    expect([away.status, away.body.code]).toEqual([503, 'database_unavailable'])
    expect(Number(away.headers['retry-after'])).toBeGreaterThan(0)
    expect((await connections.send('GET', `${url}/readyz`)).status).toBe(503)
    await postgres.restart()
    proxy.pointTo(postgres.url)
    await Promise.all(buying)
    await Promise.all(all.map(wish => settle(connections, url, at, wish)))
    await waitUntil('it is ready again', async () => {
      return (await connections.send('GET', `${url}/readyz`)).status === 200
    })
    const firsts = all.flatMap(wish => wish.replies.slice(0, 1)).filter(reply => reply !== null)
    console.log(`first answers around the restart: ${tally(firsts)}`)
    expect(firsts.some(reply => reply.status === 503)).toBe(true)
    await Promise.all(all.map(wish => ask(connections, url, at, wish)))
    await expectTruth(postgres, at, all)
    await expectSound(postgres)
  })
})
