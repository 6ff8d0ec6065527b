import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { type KnownPoint, raiseEpochIfLost } from '@voelgoed/engine/tables/epochs'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { oneOfEverything } from '@voelgoed/testing/example'
import { losingCommits } from '@voelgoed/testing/lose-commits'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { describe, expect, it } from 'vitest'
import { programArguments } from '../../scripts/build/programs.mjs'

const { server, ours } = useServer({ VOELGOED_REAPER: 'off' })

async function newEvent() {
  const { event: eventId } = await oneOfEverything(server, ours)
  const ledger = async () => {
    const [row] = await server.database.sql<{ epoch: number; seq: number; tip: CommandId; lostUpTo: number }>(
      `select epoch::int as epoch, seq::int as seq, tip, lost_up_to::int as "lostUpTo"
       from event_ledgers where event_id = $1`,
      [eventId],
    )
    return row!
  }
  const scope = TenantScope.of(ours.id as OrganizationId)
  const raise = (known: KnownPoint) =>
    server.node.database.tenant(scope, tx => raiseEpochIfLost(tx, eventId as EventId, known))
  const firstCommand = async () => {
    const [row] = await server.database.sql<{ first_command: CommandId }>(
      'select first_command from journal where event_id = $1 and first_seq = 1',
      [eventId],
    )
    return row!.first_command
  }
  return { eventId, ledger, raise, firstCommand }
}

describe('the epoch of an event', () => {
  it('stays while the journal has what a copy knows', async () => {
    const { ledger, raise, firstCommand } = await newEvent()
    const now = await ledger()
    expect(now.epoch).toBe(1)
    expect(await raise(now)).toBe(false)
    expect(await raise({ epoch: 1, seq: 1, tip: await firstCommand() })).toBe(false)
    expect(await raise({ epoch: 1, seq: 1, tip: null })).toBe(false)
    expect(await raise({ epoch: 1, seq: 0, tip: null })).toBe(false)
    expect(await ledger()).toEqual(now)
  })

  it('goes up when a copy is ahead, knows another command, or a later epoch; once for one loss', async () => {
    const { ledger, raise, firstCommand } = await newEvent()
    const first = await ledger()
    expect(await raise({ ...first, seq: first.seq + 1 })).toBe(true)
    const second = await ledger()
    expect(second).toEqual({ ...first, epoch: expect.any(Number), lostUpTo: first.seq + 1 })
    expect(second.epoch).toBeGreaterThan(1_700_000_000)
    // Others that notice the same loss know the old epoch.
    expect(await raise({ ...first, seq: first.seq + 1 })).toBe(false)
    expect(await ledger()).toEqual(second)

    expect(await raise({ epoch: second.epoch, seq: 2, tip: await firstCommand() })).toBe(true)
    const third = await ledger()
    expect(third.epoch).toBeGreaterThan(second.epoch)

    expect(await raise({ ...third, epoch: third.epoch + 1_000 })).toBe(true)
    expect((await ledger()).epoch).toBe(third.epoch + 1_001)
  })

  it('notes how far the lost history went, also when another node has told of more of it', async () => {
    const { ledger, raise, firstCommand } = await newEvent()
    const first = await ledger()
    expect(first.lostUpTo).toBe(0)
    await raise({ ...first, seq: first.seq + 1 })
    const { epoch } = await ledger()
    expect(await raise({ ...first, seq: first.seq + 5 })).toBe(false)
    expect(await ledger()).toMatchObject({ epoch, lostUpTo: first.seq + 5 })
    // The first node knew less, and the history of the second goes on.
    expect(await raise({ ...first, seq: first.seq + 2 })).toBe(false)
    expect(await raise({ ...first, seq: 1, tip: await firstCommand() })).toBe(false)
    expect(await ledger()).toMatchObject({ epoch, lostUpTo: first.seq + 5 })
    // Postgres has lost that it knew: a node remembers it.
    const known = { ...first, epoch: epoch + 1, lostUpTo: first.seq + 9 }
    expect(await raise(known)).toBe(true)
    expect(await ledger()).toMatchObject({ lostUpTo: first.seq + 9 })
  })

  it('is raised by the lane that notices that Postgres has lost commits', async () => {
    const { eventId, ledger } = await newEvent()
    const replica = losingCommits(server.database)
    await replica.save()
    const url = `/api/events/${eventId}`
    const token = ours.tokens.customer
    const { body } = await server.request('GET', `${url}/layout`, { token })
    const seat = (at: number) => body.data.zones[0].seats[at].seat_id as string
    const reserve = () => server.request('POST', `${url}/seats/${seat(2)}/reserve`, { token })
    expect((await reserve()).status).toBe(201)
    const before = await ledger()
    await replica.lose()
    expect((await reserve()).status).toBe(201)
    const after = await ledger()
    expect(after.seq).toBe(before.seq)
    expect(after.epoch).toBeGreaterThan(before.epoch)
    const scope = TenantScope.of(ours.id as OrganizationId)
    const view = server.node.lanes.inMemory(scope, eventId as EventId)!
    expect({ ...view.epochPoint, lostUpTo: view.lostUpTo }).toEqual(after)
    expect(after.lostUpTo).toBe(before.seq)
  })

  it('is another for every event after `npm run new-epochs`', async () => {
    const { ledger } = await newEvent()
    const before = await ledger()
    const restored = losingCommits(server.database)
    await restored.save()
    const child = spawn(process.execPath, programArguments('new-epochs'), {
      env: { ...process.env, DATABASE_URL: server.database.url },
    })
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(said).toMatch(/^\d+ events have a new epoch/)
    expect((await ledger()).epoch).toBeGreaterThan(before.epoch)
    // The command cannot know how far the lost history went, so it takes a number that is surely high enough.
    expect((await ledger()).lostUpTo).toBe(before.seq + 1_000_000)
    // It was for the neighbour as well, of whom nothing may change here.
    await restored.lose()
  })

  it('is known within seconds to a node whose history goes on in it', async () => {
    const { eventId, raise, ledger } = await newEvent()
    const scope = TenantScope.of(ours.id as OrganizationId)
    const { lanes } = server.node
    await lanes.lane(scope, eventId as EventId).ready()
    // Another node has noticed a loss that this one never knew of.
    await raise({ ...(await ledger()), epoch: 7 })
    const { epoch } = await ledger()
    await waitUntil(
      'it is known',
      () => lanes.inMemory(scope, eventId as EventId)?.epochPoint.epoch === epoch,
    )
    // And that it has told of more than the first.
    await raise({ ...(await ledger()), epoch: 1, seq: 500 })
    await waitUntil('that is known', () => lanes.inMemory(scope, eventId as EventId)?.lostUpTo === 500)
  })

  it('never goes back', async () => {
    const { eventId, raise, ledger } = await newEvent()
    const first = await ledger()
    await raise({ ...first, epoch: 7 })
    await expect(
      server.database.sql('update event_ledgers set epoch = 6 where event_id = $1', [eventId]),
    ).rejects.toThrow('event_ledgers would go back')
    await raise({ ...first, seq: first.seq + 3 })
    await expect(
      server.database.sql('update event_ledgers set lost_up_to = 1 where event_id = $1', [eventId]),
    ).rejects.toThrow('event_ledgers would go back')
  })
})
