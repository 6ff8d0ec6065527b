import { randomBytes, randomUUID } from 'node:crypto'
import type { Command } from '@voelgoed/core/event/command'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { type EventAddress, type EventStore, NOTHING_ASKED, Stale } from '@voelgoed/engine/ports/store'
import { postgresStore } from '@voelgoed/engine/postgres/postgres-store'
import type { Rider } from '@voelgoed/engine/round/rider'
import { Round } from '@voelgoed/engine/round/round'
import { type HotEvent, pointOf } from '@voelgoed/engine/view/hot-event'
import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { CommitUnknown } from '@voelgoed/kit/postgres/database'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { holdSeat } from '@voelgoed/testing/deaf-lane'
import { openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { useProductionLocks } from '@voelgoed/testing/patient-locks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventSource } from '../../server/modules/events/event-source.ts'
import { SimulatedDatabase } from './database.ts'
import { HALL } from './hall.ts'
import { steadyNetwork } from './network.ts'
import { Process, Scheduler } from './scheduler.ts'
import { SimulatedStore } from './store.ts'

/** A lane asks the same of Postgres and of the simulated database: both must answer alike. */
interface Ground {
  /** The stores belong to two nodes. */
  readonly a: EventStore
  readonly b: EventStore
  readonly event: EventAddress
  readonly buyer: string
}

let server: TestServer
let ours: TestOrganization
let buyers: Buyer[]
beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  // Both must keep a lock, and wait for one, for as long as in production.
  await useProductionLocks(server.database)
  ours = await server.organization()
  buyers = await createBuyers(server.database, ours.id, 1)
})
afterAll(() => server.close())

async function onPostgres(): Promise<Ground> {
  const event = { seating_overrides: UNLIMITED }
  const { eventId } = await openHall(server.request, ours.tokens.organizer, { event })
  const store = () => postgresStore(server.node.database, new SeatMaps(eventSource))
  const scope = TenantScope.of(ours.id as OrganizationId)
  return { a: store(), b: store(), event: { scope, eventId: eventId as EventId }, buyer: buyers[0]!.userId }
}

let isPumping = false
afterAll(() => {
  isPumping = false
})

async function onSimulation(): Promise<Ground> {
  const scheduler = new Scheduler(1)
  const database = new SimulatedDatabase(scheduler)
  const event = { scope: TenantScope.of(randomUUID() as OrganizationId), eventId: randomUUID() as EventId }
  database.open(event, HALL)
  const store = (name: string) => {
    const process = new Process(name)
    const time = scheduler.timeOf(process, { origin: 0, rate: 1 })
    return new SimulatedStore({ database, network: steadyNetwork(1), process, time })
  }
  isPumping = true
  void (async () => {
    while (isPumping) {
      await scheduler.run(Number.POSITIVE_INFINITY)
      await new Promise(setImmediate)
    }
  })()
  return { a: store('a'), b: store('b'), event, buyer: randomUUID() }
}

describe.each([
  ['Postgres', onPostgres],
  ['the simulation', onSimulation],
])('an event store on %s', (_, prepare) => {
  let on: Ground
  let hot: HotEvent
  beforeEach(async () => {
    on = await prepare()
    hot = (await on.a.load(on.event))!
  })

  const elsewhere = (): EventAddress => ({ ...on.event, eventId: randomUUID() as EventId })
  const rider = (): Rider => ({
    keyHash: randomBytes(32),
    fingerprint: randomBytes(32),
    render: () => ({ status: 200, body: { said: randomUUID() } }),
  })
  const give = (command: Command, key: Rider | null = null, store = on.a) =>
    store.locked(on.event, NOTHING_ASKED, async locked => {
      const round = new Round(hot, locked, 0)
      const given = round.give(command, key)
      expect(given.outcome.ok).toBe(true)
      round.finish()
      return { trace: round.trace!, kept: given.kept }
    })
  /** A node waits a second for the lock, and asks again: on a slow machine another one may have it longer. */
  const lockedByB = async <T>(work: Parameters<typeof on.b.locked<T>>[2]): Promise<T> => {
    for (;;) {
      try {
        return await on.b.locked(on.event, NOTHING_ASKED, work)
      } catch (error) {
        if (outageKind(error) !== 'busy') throw error
      }
    }
  }
  const ledger = async (store = on.a) => (await store.prove(on.event, null))!.ledger

  it('appends what is committed, and every node sees it', async () => {
    const before = pointOf(hot)
    const command = holdSeat(on.buyer, 0)
    await give(command)
    expect(await ledger(on.b)).toMatchObject({ seq: before.seq + 1, tip: command.commandId })
    expect((await ledger()).nextExpiry).toBe(hot.state.queue.first!.heldUntil)
    const loaded = (await on.b.load(on.event))!
    expect(loaded.tip).toBe(command.commandId)
    expect([...loaded.state.seatStatus]).toEqual([...hot.state.seatStatus])
    expect([...loaded.state.holds.keys()]).toEqual([...hot.state.holds.keys()])
  })

  it('undoes everything when the script throws', async () => {
    const { seq } = await ledger()
    const failing = on.a.locked(on.event, NOTHING_ASKED, async locked => {
      const round = new Round(hot, locked, 0)
      round.give(holdSeat(on.buyer, 0), rider())
      round.finish()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await ledger()).seq).toBe(seq)
  })

  it('undoes everything that is discarded', async () => {
    const { seq } = await ledger()
    await on.a.locked(on.event, NOTHING_ASKED, async locked => {
      const round = new Round(hot, locked, 0)
      round.give(holdSeat(on.buyer, 0))
      round.finish()
      locked.discard()
    })
    expect((await ledger()).seq).toBe(seq)
  })

  it('lets one node after the other at an event', async () => {
    const order: string[] = []
    let second: Promise<unknown> = Promise.resolve()
    await on.a.locked(on.event, NOTHING_ASKED, async locked => {
      order.push('a begins')
      second = lockedByB(async () => {
        order.push('b')
      })
      for (let times = 0; times < 10; times += 1) await locked.continueJournal(pointOf(hot), 1)
      order.push('a ends')
    })
    await second
    expect(order).toEqual(['a begins', 'a ends', 'b'])
  })

  it('shows who comes next what was committed before them', async () => {
    const command = holdSeat(on.buyer, 0)
    const [, seen] = await Promise.all([
      give(command),
      lockedByB(async locked => {
        const read = await locked.continueJournal({ seq: 1, tip: null }, 10)
        return { seq: locked.ledger.seq, tip: locked.ledger.tip, read }
      }),
    ])
    // Either may be first; what is seen is whole.
    expect(seen.read!.to.seq).toBe(seen.seq)
    if (seen.seq > 1) expect(seen.tip).toBe(command.commandId)
  })

  it('takes the lock away from a node that says nothing, and tells it nothing of its commit', async () => {
    const { seq } = await ledger()
    const frozen = on.a.locked(on.event, NOTHING_ASKED, async locked => {
      const round = new Round(hot, locked, 0)
      round.give(holdSeat(on.buyer, 0))
      round.finish()
      // Says nothing until another node has the lock; that one may have to ask more than once.
      for (let tries = 0; tries < 5; tries += 1) {
        const isThere = await on.b.locked(on.event, NOTHING_ASKED, async () => true).catch(() => false)
        if (isThere) return
      }
    })
    await expect(frozen).rejects.toBeInstanceOf(CommitUnknown)
    expect((await ledger()).seq).toBe(seq)
  })

  it('says that an event without a ledger is stale', async () => {
    await expect(on.a.locked(elsewhere(), NOTHING_ASKED, async () => {})).rejects.toBeInstanceOf(Stale)
    await expect(on.a.look(elsewhere(), async () => {})).rejects.toBeInstanceOf(Stale)
    expect(await on.a.load(elsewhere())).toBeNull()
    expect(await on.a.prove(elsewhere(), null)).toBeNull()
  })

  it('continues the journal from a point that it has, and from no other', async () => {
    const from = pointOf(hot)
    const first = holdSeat(on.buyer, 0)
    const second = holdSeat(on.buyer, 1)
    await give(first)
    await give(second)
    const expected = [from.seq + 1, from.seq + 2]
    await on.b.look(on.event, async seen => {
      const read = (await seen.continueJournal(from, 10))!
      expect(read.changes.map(change => change.seq)).toEqual(expected)
      expect(read.changes.map(change => change.kind)).toEqual(['seat_reserved', 'seat_reserved'])
      expect(read.to).toEqual({ seq: from.seq + 2, tip: second.commandId })
      expect((await seen.continueJournal(from, 1))!.to).toEqual({ seq: from.seq + 1, tip: first.commandId })
      const other = { seq: from.seq + 1, tip: second.commandId }
      expect(await seen.continueJournal(other, 1)).toBeNull()
      const end = { seq: from.seq + 2, tip: second.commandId }
      expect(await seen.continueJournal(end, 5)).toEqual({ changes: [], to: end })
    })
  })

  it('finds stored answers by their key, under the lock and without', async () => {
    const key = rider()
    const { kept } = await give(holdSeat(on.buyer, 0), key)
    const other = randomBytes(32)
    const stored = await on.b.locked(on.event, { keys: [key.keyHash, other], riders: [] }, async locked => {
      locked.discard()
      return locked.stored
    })
    expect([...stored.keys()]).toEqual([key.keyHash.toString('latin1')])
    const proof = await on.b.prove(on.event, key.keyHash)
    for (const found of [[...stored.values()][0]!, proof!.stored!]) {
      expect(found.answer.equals(kept!.answer)).toBe(true)
      expect(found.fingerprint.equals(key.fingerprint)).toBe(true)
      expect(found.isSealed).toBe(false)
    }
    expect((await on.b.prove(on.event, other))!.stored).toBeNull()
  })

  it('finds answers under the lock that were not asked for with it', async () => {
    const key = rider()
    await give(holdSeat(on.buyer, 0), key)
    const other = randomBytes(32)
    const stored = await on.b.locked(on.event, { keys: [other], riders: [] }, async locked => {
      expect([...locked.stored.keys()]).toEqual([])
      await locked.lookUp({ keys: [key.keyHash], riders: [] })
      locked.discard()
      return locked.stored
    })
    expect([...stored.keys()]).toEqual([key.keyHash.toString('latin1')])
  })

  it('finds the trace of a transaction, and no other', async () => {
    const key = rider()
    const { trace, kept } = await give(holdSeat(on.buyer, 0), key)
    expect(trace.kind).toBe('journal')
    const seq = trace.kind === 'journal' ? trace.seq : 0
    expect(await on.b.hasTrace(on.event, trace)).toBe(true)
    expect(await on.b.hasTrace(on.event, { kind: 'journal', seq, command: randomUUID() as CommandId })).toBe(
      false,
    )
    expect(await on.b.hasTrace(on.event, { ...trace, seq: seq + 1 } as typeof trace)).toBe(false)
    const { keyHash } = key
    expect(await on.b.hasTrace(on.event, { kind: 'answer', keyHash, answer: kept!.answer })).toBe(true)
    expect(await on.b.hasTrace(on.event, { kind: 'answer', keyHash, answer: Buffer.from('{}') })).toBe(false)
  })

  it('writes nothing when nothing has changed', async () => {
    const { seq } = await ledger()
    const hasWritten = await on.a.locked(on.event, NOTHING_ASKED, async locked =>
      new Round(hot, locked, 0).finish(),
    )
    expect(hasWritten).toBe(false)
    expect((await ledger()).seq).toBe(seq)
  })
})
