import { Connections } from '@voelgoed/testing/connections'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import {
  type Ask,
  foundOrganization,
  type Hall,
  type HallPlan,
  openHall,
  UNLIMITED,
} from '@voelgoed/testing/hall'
import { ROOT_KEY } from '@voelgoed/testing/harness'
import { brokenInvariants, expectSound } from '@voelgoed/testing/invariants'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { type Seeded, seeded, setting } from '@voelgoed/testing/seeded'
import {
  gather,
  type Stampede,
  stampedeForGroups,
  stampedeForPlaces,
  stampedeForSeat,
} from '@voelgoed/testing/stampede'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import {
  dropConstraints,
  type NaiveWay,
  startNaiveNode,
  startUnlockedNodes,
  type Unguarded,
} from '@voelgoed/testing/unguarded'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

/** A hundred for a night's run: VOELGOED_ROUNDS=100. */
const ROUNDS = setting('VOELGOED_ROUNDS', 5)
const CROWD = 1_000
const ONE_SEAT_ONE_HOLD = 'a seat has one live hold or one valid ticket, not more'

const connections = new Connections(100)
afterAll(() => connections.close())

interface Scene {
  readonly database: TestDatabase
  readonly node: ListeningNode
  readonly organizationId: string
  readonly buyers: readonly Buyer[]
  hall(plan: HallPlan): Promise<Hall>
  close(): Promise<void>
}

async function scene(): Promise<Scene> {
  const database = await createTestDatabase()
  const node = await startListeningNode(database.url)
  const ask: Ask = (method, path, options) => connections.send(method, node.url + path, options)
  const { id, organizer } = await foundOrganization(ask, ROOT_KEY)
  return {
    database,
    node,
    organizationId: id,
    buyers: await createBuyers(database, id, CROWD),
    hall: plan => openHall(ask, organizer, { ...plan, event: { seating_overrides: UNLIMITED } }),
    async close() {
      await node.close()
      await database.drop()
    },
  }
}

describe('with the guards in place', () => {
  let here: Scene
  let second: ListeningNode
  beforeAll(async () => {
    here = await scene()
    second = await startListeningNode(here.database.url)
  })
  afterAll(async () => {
    await second.close()
    await here.close()
  })

  const stampede = (hall: Hall, random: Seeded, nodes: 1 | 2): Stampede => ({
    connections,
    urls: nodes === 1 ? [here.node.url] : [here.node.url, second.url],
    buyers: here.buyers,
    hall,
    random,
  })

  for (const [nodes, name] of [
    [1, 'one node'],
    [2, 'two nodes at once'],
  ] as const) {
    it(`${CROWD} buyers for one seat on ${name}: one has it, ${CROWD - 1} learn for how long`, async () => {
      const random = seeded(`one seat, ${name}, ${ROUNDS} rounds`)
      const hall = await here.hall({ seats: ROUNDS, perRow: 50 })
      const crowd = stampede(hall, random, nodes)
      await gather(crowd)
      for (let round = 0; round < ROUNDS; round += 1) await stampedeForSeat(crowd, round)
      await expectSound(here.database)
    })
  }

  it(`${CROWD} buyers for one to three of 100 places on two nodes: never too many, none left that fits`, async () => {
    const hall = await here.hall({ seats: 0, standing: 100 })
    const crowd = stampede(hall, seeded('places'), 2)
    await gather(crowd)
    await stampedeForPlaces(crowd, { zoneId: hall.zones[0]!, capacity: 100 })
    await expectSound(here.database)
  })

  it('groups that overlap, in any order, on two nodes: all or nothing, no deadlock, no failure', async () => {
    const hall = await here.hall({ seats: 400, perRow: 40 })
    const crowd = stampede(hall, seeded('groups'), 2)
    await gather(crowd)
    await stampedeForGroups(crowd)
    await expectSound(here.database)
  })

  it('places given back and taken again while the crowd runs: the zone is never overfull', async () => {
    const random = seeded('places, given back')
    const hall = await here.hall({ seats: 0, standing: 20 })
    const urls = [here.node.url, second.url]
    const zone_id = hall.zones[0]
    const statuses = await Promise.all(
      random.shuffled(here.buyers.slice(0, 400)).map(async ({ token }, index) => {
        const body = { zone_id, quantity: 1 + random.below(3) }
        const taken = await connections.send('POST', `${urls[index % 2]}${hall.url}/holds`, { token, body })
        if (taken.status !== 201) return taken.status
        const [hold] = taken.body.data.holds
        const back = `${urls[random.below(2)]}/api/holds/${hold.hold_id}`
        expect((await connections.send('DELETE', back, { token })).status).toBe(200)
        return 201
      }),
    )
    expect(statuses.filter(status => status !== 201 && status !== 409)).toEqual([])
    // The journal tells the whole story: at no entry were more than twenty places held.
    const [peak] = await here.database.sql<{ peak: number }>(
      `select max(held)::int as peak from (select sum(case kind when 'seat_reserved' then (body ->> 'quantity')::int
         when 'seat_released' then -(body ->> 'quantity')::int else 0 end) over (order by seq) as held
       from journal_entries where event_id = $1) as steps`,
      [hall.eventId],
    )
    expect(peak!.peak).toBeGreaterThan(15)
    expect(peak!.peak).toBeLessThanOrEqual(20)
    await expectSound(here.database)
  })
})

/** Each of the tests above, on a system without the guard it is about: then it has to fail. */
describe('controls: with the guards taken away', () => {
  let here: Scene
  let isBare = false
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    here = await scene()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  afterAll(() => here.close())

  const nodesOf = async (starting: Promise<Unguarded>) => {
    const nodes = await starting
    closing.push(() => nodes.close())
    return nodes.urls
  }
  const unlocked = () => nodesOf(startUnlockedNodes(here.database))
  const naive = (hall: Hall, way: NaiveWay) =>
    nodesOf(startNaiveNode(here.database, hall, here.organizationId, way))

  /** A hall in a database whose constraints are gone. */
  async function bareHall(plan: HallPlan): Promise<Hall> {
    if (!isBare) await dropConstraints(here.database)
    isBare = true
    return here.hall(plan)
  }

  async function crowdAt(urls: readonly string[], hall: Hall, what: string): Promise<Stampede> {
    const buyers = here.buyers.slice(0, 200)
    const crowd = { connections, urls, buyers, hall, random: seeded(what) }
    await gather(crowd)
    return crowd
  }

  it('the second line: without the lock but with the constraints, requests fail and no invariant breaks', async () => {
    const hall = await here.hall({ seats: 1 })
    const crowd = await crowdAt(await unlocked(), hall, 'the second line')
    await expect(stampedeForSeat(crowd, 0)).rejects.toThrow('500 internal_error')
    await expectSound(here.database)
  })

  it('1: look, then write, on one node: the seat is given away more than once', async () => {
    const hall = await bareHall({ seats: 1 })
    const crowd = await crowdAt(await naive(hall, 'look, then write'), hall, 'control 1')
    await expect(stampedeForSeat(crowd, 0)).rejects.toThrow(/201 × ([2-9]|\d\d)/)
    expect(await brokenInvariants(here.database, hall.eventId)).toContain(ONE_SEAT_ONE_HOLD)
  })

  it('2: one seat on two nodes without the lock: both give it away', async () => {
    const hall = await bareHall({ seats: 1 })
    const crowd = await crowdAt(await unlocked(), hall, 'control 2')
    await expect(stampedeForSeat(crowd, 0)).rejects.toThrow()
    expect(await brokenInvariants(here.database, hall.eventId)).toContain(ONE_SEAT_ONE_HOLD)
  })

  it('3: places on two nodes without the lock: more than there are', async () => {
    const hall = await bareHall({ seats: 0, standing: 100 })
    const crowd = await crowdAt(await unlocked(), hall, 'control 3')
    await expect(stampedeForPlaces(crowd, { zoneId: hall.zones[0]!, capacity: 100 })).rejects.toThrow()
    const broken = await brokenInvariants(here.database, hall.eventId)
    expect(broken).toContain('no zone has less than nothing in it, or more than its capacity')
  })

  it('4: groups on two nodes without the lock: seats are given away twice', async () => {
    const hall = await bareHall({ seats: 100, perRow: 20 })
    const crowd = await crowdAt(await unlocked(), hall, 'control 4')
    await expect(stampedeForGroups(crowd)).rejects.toThrow()
    expect(await brokenInvariants(here.database, hall.eventId)).toContain(ONE_SEAT_ONE_HOLD)
  })

  it('5: groups with a lock for each seat, in the order asked for: deadlocks', async () => {
    const hall = await bareHall({ seats: 40, perRow: 40 })
    const crowd = await crowdAt(await naive(hall, 'a lock for each seat'), hall, 'control 5')
    await expect(stampedeForGroups(crowd)).rejects.toThrow('500 deadlock')
  })
})
