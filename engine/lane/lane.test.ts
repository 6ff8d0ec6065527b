import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomUUID } from 'node:crypto'
import { hallOf } from '@voelgoed/core/allocation/seat-columns'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { ok } from '@voelgoed/core/result'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import type { LaneTracer } from '@voelgoed/engine/lane/lane-tracer'
import { Lanes } from '@voelgoed/engine/lane/lanes'
import type { Bus } from '@voelgoed/engine/ports/bus'
import { postgresStore } from '@voelgoed/engine/postgres/postgres-store'
import { loadEvent } from '@voelgoed/engine/view/load-event'
import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import { CommitUnknown, type Database, type TenantDoor } from '@voelgoed/kit/postgres/database'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { deafLane, holdSeat } from '@voelgoed/testing/deaf-lane'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventSource } from '../../server/modules/events/event-source.ts'
import { findEvent } from '../../server/modules/events/tables/events.ts'

let server: TestServer
let ours: TestOrganization
let scope: TenantScope
let buyers: Buyer[]

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
  scope = TenantScope.of(ours.id as OrganizationId)
  buyers = await createBuyers(server.database, ours.id, 20)
})
afterAll(() => server.close())

const hall = (): Promise<Hall> =>
  openHall(server.request, ours.tokens.organizer, { event: { seating_overrides: UNLIMITED } })
const buyer = (index: number) => buyers[index]!.userId

/** A database that says what a lane does with it: `batch` under the event's lock, `sync` without. */
function watched(database: Database, saw: (what: 'batch' | 'sync') => void): Database {
  return {
    ...database,
    tenant: (of, work, options) => {
      if (options === undefined) saw('sync')
      return database.tenant(of, work, options)
    },
    lanes: {
      tenant: (of, work, options) => {
        if (options?.holdsLedger) saw('batch')
        return database.lanes.tenant(of, work, options)
      },
    },
  }
}

describe('the turns of a lane', () => {
  it('a command does not wait for announcements of other nodes, however many there are', async () => {
    const at = await hall()
    const order: string[] = []
    let announcements = 50
    const { lane } = deafLane(
      watched(server.node.database, what => {
        order.push(what)
        // On a busy event the next announcement is there before the lane has caught up with this one.
        if (what === 'sync' && announcements > 0) {
          announcements -= 1
          void lane.sync()
          if (order.length === 2) void lane.submit(holdSeat(buyer(0), 0))
        }
      }),
      ours.id,
      at.eventId,
    )
    await lane.ready()
    await lane.sync()
    while (announcements > 0) await lane.sync()
    // The command came during the second look at the journal: it is next.
    expect(order.indexOf('batch')).toBe(2)
  })

  it('a caller that waits until the lane has caught up is served by the next batch', async () => {
    const at = await hall()
    const order: string[] = []
    const { lane } = deafLane(
      watched(server.node.database, what => order.push(what)),
      ours.id,
      at.eventId,
    )
    await lane.ready()
    const other = server.node.lanes.lane(scope, at.eventId as EventId)
    await other.submit(holdSeat(buyer(1), 1))
    const holding = lane.submit(holdSeat(buyer(0), 0))
    await lane.sync()
    expect(lane.view!.state.seatStatus[1]).toBe(1)
    await holding
    expect(order).toEqual(['batch'])
  })

  it('takes in the commands that came while another node had the lock, with the answers to their keys', async () => {
    const at = await hall()
    const key = {
      keyHash: randomBytes(32),
      fingerprint: randomBytes(32),
      render: () => ({ status: 201, body: { said: 'by the other node' } }),
    }
    const late: Promise<LaneAnswer>[] = []
    const order: string[] = []
    const { lane } = deafLane(
      watched(server.node.database, what => {
        order.push(what)
        if (order.length > 1) return
        late.push(lane.submit(holdSeat(buyer(1), 1), key), lane.submit(holdSeat(buyer(2), 2)))
      }),
      ours.id,
      at.eventId,
    )
    await lane.ready()
    const other = server.node.lanes.lane(scope, at.eventId as EventId)
    await other.submit(holdSeat(buyer(1), 1), key)
    const first = await lane.submit(holdSeat(buyer(0), 0))
    const [repeated, second] = await Promise.all(late)
    expect(order).toEqual(['batch'])
    expect([first.kind, second!.kind]).toEqual(['decided', 'decided'])
    expect(repeated).toMatchObject({ kind: 'replayed' })
    expect([...lane.view!.state.seatStatus.slice(0, 3)]).toEqual([1, 1, 1])
  })

  it('a bug stays a bug to its caller where the connection is lost besides', async () => {
    const at = await hall()
    const { database } = server.node
    const lost = Object.assign(new Error('planted'), { code: 'ECONNRESET' })
    const breaking: Database = {
      ...database,
      lanes: {
        tenant: (of, work, options) =>
          database.lanes.tenant(
            of,
            async tx => {
              await work(tx)
              throw lost
            },
            options,
          ),
      },
    }
    const { lane } = deafLane(breaking, ours.id, at.eventId)
    await lane.ready()
    const { ordinals, ...wish } = holdSeat(buyer(0), 0)
    // A number of seats without a hold id for each of them: nothing that a client can bring about.
    const impossible = { ...wish, kind: 'hold_best', quantity: 2, wheelchair: 0, companions: 0 } as const
    const rest = { zoneIndexes: null, prices: null, together: null }
    const [tripped, other] = await Promise.all([
      lane.submit({ ...impossible, ...rest }),
      lane.submit(holdSeat(buyer(1), 1)),
    ])
    expect(ordinals).toHaveLength(1)
    expect(tripped).toMatchObject({ refusal: { kind: 'internal_error' } })
    expect(other).toMatchObject({ refusal: { kind: 'database_unavailable' } })
  })

  it('exclusive work and batches alternate while both wait', async () => {
    const at = await hall()
    const { lane } = deafLane(server.node.database, ours.id, at.eventId)
    await lane.ready()
    const order: string[] = []
    // The next command of the same buyer comes when the last one was answered: there is always one waiting.
    const buying = async () => {
      for (let seat = 0; seat < 5; seat += 1) {
        await lane.submit(holdSeat(buyer(0), seat))
        order.push('batch')
      }
    }
    const exclusives = Array.from({ length: 5 }, () =>
      lane.exclusive(async () => {
        order.push('exclusive')
        return ok(null)
      }),
    )
    await Promise.all([buying(), ...exclusives])
    expect(order.slice(0, 8)).toEqual(Array.from({ length: 4 }, () => ['exclusive', 'batch']).flat())
  })

  it('a reader who hears of exclusive work reads what it has written, revisions too', async () => {
    const at = await hall()
    const { lane, revisions } = deafLane(server.node.database, ours.id, at.eventId)
    await lane.ready()
    const before = lane.view!.eventRevision
    const { ordinals: _, holdIds: __, ...given } = holdSeat(buyer(0), 0)
    await lane.exclusive(async (tx, give) => {
      give({ ...given, kind: 'event_changed' })
      await tx.query('update events set revision = revision + 1 where organization_id = $1 and id = $2', [
        at.eventId,
      ])
      return ok(null)
    })
    expect(revisions).toEqual([before + 1])
  })
})

describe('what a lane tells a tracer', () => {
  /** A lane whose tracer writes down what it hears, and who the work is done for. */
  async function tracedLane(isTraced = () => true) {
    const at = await hall()
    const workingFor = new AsyncLocalStorage<string>()
    const told: string[] = []
    const tracer: LaneTracer = {
      came(kind) {
        if (!isTraced()) return null
        told.push(`${kind} of ${workingFor.getStore()}`)
        return {
          began: () => told.push('began'),
          ended: ({ commands, outcome }) => told.push(`${outcome}, ${commands} together`),
          left: () => told.push('left'),
        }
      },
      apart: run => workingFor.run('everyone', run),
    }
    const database = watched(server.node.database, what => {
      if (what === 'batch') told.push(`lock for ${workingFor.getStore()}`)
    })
    const { lane } = deafLane(database, ours.id, at.eventId, processTime, tracer)
    await lane.ready()
    return { lane, told, as: <T>(name: string, run: () => T) => workingFor.run(name, run) }
  }

  it('a command: when it came, when its batch began and ended, when its caller was answered', async () => {
    const { lane, told, as } = await tracedLane()
    await Promise.all([
      as('Ann', () => lane.submit(holdSeat(buyer(0), 0))),
      as('Ben', () => lane.submit(holdSeat(buyer(1), 1))),
    ])
    expect(told).toEqual([
      ...['hold_seats of Ann', 'hold_seats of Ben', 'began', 'began', 'lock for everyone'],
      ...['written, 2 together', 'written, 2 together', 'left', 'left'],
    ])
  })

  it('a refusal from memory has no batch', async () => {
    const { lane, told, as } = await tracedLane()
    await lane.submit(holdSeat(buyer(0), 0))
    told.length = 0
    const answer = await as('Ben', () => lane.submit(holdSeat(buyer(1), 0)))
    expect(answer).toMatchObject({ kind: 'decided', outcome: { ok: false } })
    expect(told).toEqual(['hold_seats of Ben', 'left'])
  })

  it('exclusive work, also when it fails', async () => {
    const { lane, told, as } = await tracedLane()
    const failing = as('Ann', () => lane.exclusive(() => Promise.reject(new Error('no'))))
    await expect(failing).rejects.toThrow('no')
    expect(told).toEqual(['exclusive of Ann', 'began', 'lock for everyone', 'left'])
  })

  it('nothing of a command that is not traced, in the same batch', async () => {
    let asked = 0
    const { lane, told, as } = await tracedLane(() => ++asked !== 1)
    await Promise.all([
      as('Ann', () => lane.submit(holdSeat(buyer(0), 0))),
      as('Ben', () => lane.submit(holdSeat(buyer(1), 1))),
    ])
    expect(told).toEqual([
      ...['hold_seats of Ben', 'began', 'lock for everyone', 'written, 2 together', 'left'],
    ])
  })
})

describe('what rides with a command', () => {
  const rider = (id: number, render: () => { status: number; body: unknown }) => ({
    keyHash: Buffer.alloc(32, id),
    fingerprint: Buffer.alloc(32, id),
    render,
  })

  it('is made once, stored as it is sent, and given again for the same key', async () => {
    const at = await hall()
    const { lane } = deafLane(server.node.database, ours.id, at.eventId)
    let made = 0
    const body = { data: 'an answer without a secret' }
    const key = rider(11, () => {
      made += 1
      return { status: 201, body }
    })
    const first = await lane.submit(holdSeat(buyer(0), 0), key)
    const again = await lane.submit(holdSeat(buyer(0), 0), key)
    expect(made).toBe(1)
    expect(first).toMatchObject({ kind: 'decided', kept: { status: 201, isSealed: false } })
    expect(again).toMatchObject({ kind: 'replayed', stored: { status: 201, isSealed: false } })
    const rows = await server.database.sql<{ answer: Buffer; is_sealed: boolean }>(
      'select answer, is_sealed from idempotency_keys where organization_id = $1 and key_hash = $2',
      [ours.id, key.keyHash],
    )
    expect(rows).toEqual([{ answer: Buffer.from(JSON.stringify(body)), is_sealed: false }])
  })

  it('takes only its own command down when it fails, and that command has done nothing', async () => {
    const at = await hall()
    const { lane } = deafLane(server.node.database, ours.id, at.eventId)
    await lane.ready()
    const bad = rider(12, () => {
      throw new Error('a bug of ours')
    })
    const good = rider(13, () => ({ status: 201, body: {} }))
    const answers = await Promise.all([
      lane.submit(holdSeat(buyer(0), 0), good),
      lane.submit(holdSeat(buyer(1), 1), bad),
      lane.submit(holdSeat(buyer(2), 1)),
    ])
    expect(answers).toMatchObject([
      { kind: 'decided', outcome: { ok: true } },
      { kind: 'refused', refusal: { kind: 'internal_error' } },
      { kind: 'decided', outcome: { ok: true } },
    ])
    expect(lane.view!.state.seq).toBe(3)
  })
})

describe('a refusal from memory', () => {
  const reserve = (at: Hall, seat: number, { token }: Buyer, key?: string) =>
    server.request('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, {
      token,
      ...(key && { headers: { 'idempotency-key': key } }),
    })

  it('is given without the event’s lock when memory proves to be exact, with a key or without', async () => {
    const at = await hall()
    const seen: string[] = []
    const { lane } = deafLane(
      watched(server.node.database, what => seen.push(what)),
      ours.id,
      at.eventId,
    )
    await lane.ready()
    await lane.submit(holdSeat(buyer(0), 0))
    seen.length = 0
    const key = {
      keyHash: Buffer.alloc(32, 1),
      fingerprint: Buffer.alloc(32, 2),
      render: () => ({ status: 201, body: {} }),
    }
    for (const with_ of [null, key]) {
      const answer = await lane.submit(holdSeat(buyer(1), 0), with_)
      expect(answer).toMatchObject({ outcome: { problem: { kind: 'seat_held_by_another_user' } } })
    }
    expect(seen).not.toContain('batch')
  })

  it('is not given when another node has changed the event since', async () => {
    const at = await hall()
    const { lane } = deafLane(server.node.database, ours.id, at.eventId)
    const other = server.node.lanes.lane(scope, at.eventId as EventId)
    const held = holdSeat(buyer(0), 0)
    await other.submit(held)
    await lane.ready()
    const { commandId, actor } = holdSeat(buyer(0), 0)
    await other.submit({ kind: 'release', reason: 'user_cancelled', commandId, actor, holdIds: held.holdIds })
    // This lane has heard nothing: in its memory the seat is held for ten more minutes.
    const answer = await lane.submit(holdSeat(buyer(1), 0))
    expect(answer).toMatchObject({ kind: 'decided', outcome: { ok: true } })
  })

  it('never takes the place of a stored answer', async () => {
    const at = await hall()
    const key = randomUUID()
    const first = await reserve(at, 0, buyers[2]!, key)
    expect(first.status).toBe(201)
    const { hold_id } = first.body.data
    expect(
      (await server.request('DELETE', `/api/holds/${hold_id}`, { token: buyers[2]!.token })).status,
    ).toBe(200)
    expect((await reserve(at, 0, buyers[3]!)).status).toBe(201)
    const again = await reserve(at, 0, buyers[2]!, key)
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ])
    // A key whose request was refused may be tried again.
    const refused = randomUUID()
    expect((await reserve(at, 0, buyers[4]!, refused)).status).toBe(409)
    const mine = await server.request('GET', `/api/holds?event_id=${at.eventId}`, { token: buyers[3]!.token })
    const holdId = mine.body.data[0].hold_id
    expect((await server.request('DELETE', `/api/holds/${holdId}`, { token: buyers[3]!.token })).status).toBe(
      200,
    )
    expect((await reserve(at, 0, buyers[4]!, refused)).status).toBe(201)
  })
})

describe('a commit whose outcome is unknown', () => {
  /** Batches are committed, and nothing that a lane asks under the lock is answered any more. */
  function withoutAnswers(database: Database): Database {
    const tenant: Database['lanes']['tenant'] = async (of, work, options) => {
      await database.lanes.tenant(of, work, options)
      throw options?.holdsLedger ? new CommitUnknown() : new Error('a broken line')
    }
    return { ...database, lanes: { tenant } }
  }

  /** Waits take no time. */
  function hurriedTime(): Time {
    let passed = 0
    const after = (ms: number, run: () => void) => {
      passed += ms
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    }
    return { ...processTime, now: () => processTime.now() + passed, after }
  }

  it('is looked for before the next reader is served: it may have taken effect', async () => {
    const at = await hall()
    const { lane, told } = deafLane(withoutAnswers(server.node.database), ours.id, at.eventId, hurriedTime())
    const seq = (await lane.ready())!.seq
    const answer = await lane.submit(holdSeat(buyer(0), 0))
    expect(answer).toMatchObject({ kind: 'refused', refusal: { kind: 'outcome_unknown' } })
    expect([lane.view!.seq, lane.isUncertain]).toEqual([seq, true])
    expect(await lane.sync()).toBeNull()
    expect([lane.view!.seq, lane.isUncertain]).toEqual([seq + 1, false])
    expect(told.flatMap(changes => changes!.map(change => change.seq))).toEqual([seq + 1])
  })
})

describe('a reconciliation', () => {
  it('takes its turn on a busy lane, and says whether memory had been right', async () => {
    const at = await hall()
    const { lane } = deafLane(server.node.database, ours.id, at.eventId)
    await lane.ready()
    lane.view!.state.seatStatus[5] = 3
    const holding = lane.submit(holdSeat(buyer(0), 0))
    expect(await lane.reload()).toBe(false)
    await holding
    expect([...lane.view!.state.seatStatus.subarray(0, 6)]).toEqual([1, 0, 0, 0, 0, 0])
    expect(await lane.reload()).toBe(true)
  })

  it('happens on every node', async () => {
    const at = await hall()
    const other = await startListeningNode(server.database.url)
    try {
      const registry = async () =>
        (
          await server.request('GET', `/api/admin/events/${at.eventId}/registry`, {
            token: ours.tokens.organizer,
          })
        ).body.data
      await waitUntil('this node hears', async () => (await registry()).status === 'ok')
      const view = (await other.node.lanes.read(scope, at.eventId as EventId))!.view
      // Both listen now: what this node does reaches the other.
      await server.node.lanes.lane(scope, at.eventId as EventId).submit(holdSeat(buyer(0), 0))
      await waitUntil('the other hears', () => view.state.seatStatus[0] === 1)
      const { state } = view
      state.seatStatus[5] = 3
      const reply = await server.request('POST', `/api/admin/events/${at.eventId}/registry/reconcile`, {
        token: ours.tokens.organizer,
      })
      expect([reply.status, reply.body.data]).toMatchObject([
        200,
        { other_nodes_told: true, consistent: true },
      ])
      await waitUntil('the other node has loaded it again', () => {
        const now = other.node.lanes.inMemory(scope, at.eventId as EventId)
        return now !== null && now.state !== state && now.state.seatStatus[5] === 0
      })
    } finally {
      await other.close()
    }
  })
})

describe('the hall of an event that is loaded', () => {
  it('is made while no transaction waits for it, and once for all events on the layout', async () => {
    const at = await hall()
    const token = ours.tokens.organizer
    const body = { name: 'Again', venue_id: at.venueId, layout_id: at.layoutId }
    const { id } = (await server.request('POST', '/api/admin/events', { token, body })).body.data
    await server.request('POST', `/api/admin/events/${id}/publish`, { token })
    let open = 0
    const counted: TenantDoor = {
      async tenant(...given) {
        open += 1
        return server.node.database.tenant(...given).finally(() => {
          open -= 1
        })
      },
    }
    const openMeanwhile: number[] = []
    const maps = () =>
      new SeatMaps(eventSource, {
        async make(columns) {
          openMeanwhile.push(open)
          return hallOf(columns)
        },
      })
    expect(await loadEvent(counted, maps(), scope, id)).not.toBeNull()
    expect(openMeanwhile).toEqual([0])
    const shared = maps()
    const ids = [at.eventId, id, at.eventId, id] as EventId[]
    const loaded = await Promise.all(ids.map(eventId => loadEvent(counted, shared, scope, eventId)))
    expect(new Set(loaded.map(hot => hot!.seats)).size).toBe(1)
    expect(openMeanwhile).toHaveLength(2)
    // Another load looked before it was made, and comes for it afterwards.
    const event = await server.node.database.tenant(scope, tx => findEvent(tx, id))
    await shared.make(counted, scope, event!)
    expect(openMeanwhile).toHaveLength(2)
  })
})

describe('an id without an event', () => {
  it('costs no lane, whatever is asked of it', async () => {
    const { lanes } = server.node
    const before = lanes.stats().lanes
    const token = ours.tokens.admin
    const ids = Array.from({ length: 1_000 }, () => randomUUID())
    const paths = (id: string): [string, string, object?][] => [
      ['GET', `/api/holds?event_id=${id}`],
      ['GET', `/api/events/${id}/availability`],
      ['POST', `/api/events/${id}/seats/${randomUUID()}/reserve`],
      ['GET', `/api/admin/events/${id}/registry`],
      ['POST', `/api/admin/events/${id}/registry/reconcile`],
      ['POST', `/api/admin/events/${id}/seats/block`, { seat_ids: [randomUUID()], reason: 'camera' }],
      ['PATCH', `/api/admin/events/${id}`, { name: 'Nothing' }],
    ]
    for (let from = 0; from < ids.length; from += 20) {
      const some = ids.slice(from, from + 20)
      await Promise.all(some.map(id => lanes.read(scope, id as EventId)))
    }
    for (const id of ids.slice(0, 20)) {
      for (const [method, path, body] of paths(id)) {
        const answer = await server.request(method, path, { token, ...(body && { body }) })
        expect(answer.status, `${method} ${path}`).toBe(path.startsWith('/api/holds') ? 200 : 404)
      }
    }
    expect(lanes.stats().lanes).toBe(before)
  })

  it('becomes an event: those who asked before and ask again find it', async () => {
    const at = await openHall(server.request, ours.tokens.organizer, { isDraft: true })
    const { lanes } = server.node
    expect(await lanes.read(scope, at.eventId as EventId)).toBeNull()
    const token = ours.tokens.organizer
    const published = await server.request('POST', `/api/admin/events/${at.eventId}/publish`, { token })
    expect(published.status).toBe(200)
    expect((await lanes.read(scope, at.eventId as EventId))?.view.seq).toBe(1)
    const renamed = await server.request('PATCH', `/api/admin/events/${at.eventId}`, {
      token,
      body: { name: 'Another' },
    })
    expect(renamed.status).toBe(200)
  })

  it('becomes an event while a reader watches it: this node finds that by itself', async () => {
    const at = await openHall(server.request, ours.tokens.organizer, { isDraft: true })
    const eventId = at.eventId as EventId
    const timers: (() => void)[] = []
    const told: string[] = []
    const silent: Bus = {
      tell() {},
      onHeard() {},
      ask: async () => true,
      onAsked() {},
      onListening() {},
      isListening: true,
    }
    const lanes = new Lanes({
      store: postgresStore(server.node.database, new SeatMaps(eventSource)),
      time: {
        ...processTime,
        every: (_ms, run) => {
          timers.push(run)
          return () => {}
        },
      },
      bus: silent,
      log: pino({ level: 'fatal' }),
    })
    lanes.follow({ loaded: view => told.push(`loaded at ${view.seq}`), gone: () => told.push('gone') })
    const look = () => timers.forEach(run => void run())
    expect(await lanes.read(scope, eventId)).toBeNull()
    const unwatch = lanes.watch(scope, eventId)
    look()
    await waitUntil('the look is over', () => lanes.stats().lanes === 0)
    // A draft that was read is no event that has gone: its readers stay.
    expect(told).toEqual([])
    const token = ours.tokens.organizer
    const published = await server.request('POST', `/api/admin/events/${eventId}/publish`, { token })
    expect(published.status).toBe(200)
    look()
    await waitUntil('the event is in memory', () => lanes.inMemory(scope, eventId) !== null)
    expect(told).toEqual(['loaded at 1'])
    unwatch()
  })
})
