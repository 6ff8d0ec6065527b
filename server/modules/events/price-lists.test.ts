import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { beforeEach, describe, expect, it } from 'vitest'
import { PriceLists } from './price-lists.ts'

const OURS = TenantScope.of('0197a000-0000-7000-8000-000000000001' as OrganizationId)
const THEIRS = TenantScope.of('0197a000-0000-7000-8000-000000000002' as OrganizationId)

/** The table has this of an event now. */
let stored: { currency: string; epoch: number; eventRevision: number }
let asked: string[]

const database = {
  tenant: (scope: TenantScope, work: (tx: object) => Promise<unknown>) =>
    work({
      finish() {},
      async query(_: string, [ids]: [string[]]) {
        asked.push(...ids)
        return ids.map(event_id => ({
          event_id,
          list: listOf(`${stored.currency} of ${scope.organizationId.at(-1)}`),
          epoch: stored.epoch,
          eventRevision: stored.eventRevision,
        }))
      },
    }),
} as unknown as TenantDoor

const listOf = (currency: string) => ({
  currency,
  categories: [{ key: 'a', name: 'A', colour: null, ticket_types: [{ key: 'a', name: 'A', amount: 1 }] }],
  zones: {},
  fees: [],
  tax: null,
  admission: {},
})

const point = (eventRevision: number, { epoch = 1, eventId = 'play', scope = OURS } = {}) => ({
  scope,
  eventId: eventId as EventId,
  eventRevision,
  epochPoint: { epoch },
})

beforeEach(() => {
  stored = { currency: 'ZAR', epoch: 1, eventRevision: 3 }
  asked = []
})

describe('price lists in memory', () => {
  it('serve readers whose view is as old as the list, or older, and no others', async () => {
    const lists = new PriceLists(database, () => {})
    expect((await lists.of(point(3)))!.currency).toBe('ZAR of 1')
    stored = { currency: 'EUR', epoch: 1, eventRevision: 4 }
    expect((await lists.of(point(3)))!.currency).toBe('ZAR of 1')
    expect((await lists.of(point(4)))!.currency).toBe('EUR of 1')
    expect((await lists.of(point(3)))!.currency).toBe('EUR of 1')
    expect(asked).toEqual(['play', 'play'])
  })

  it('do not outlive their history: a revision that was lost may come again with another list', async () => {
    const lists = new PriceLists(database, () => {})
    await lists.of(point(3))
    stored = { currency: 'EUR', epoch: 2, eventRevision: 3 }
    expect((await lists.of(point(3, { epoch: 2 })))!.currency).toBe('EUR of 1')
  })

  it('belong to their organization', async () => {
    const lists = new PriceLists(database, () => {})
    await lists.of(point(3))
    expect((await lists.of(point(3, { scope: THEIRS })))!.currency).toBe('ZAR of 2')
  })

  it('are asked for together', async () => {
    const lists = new PriceLists(database, () => {})
    await Promise.all(Array.from({ length: 50 }, () => lists.of(point(3))))
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  it('are bounded in number and in size; those used last stay', async () => {
    const few = new PriceLists(database, () => {}, { lists: 2, entries: 100 })
    const small = new PriceLists(database, () => {}, { lists: 100, entries: 4 })
    for (const lists of [few, small]) {
      for (const eventId of ['a', 'b', 'a', 'c']) await lists.of(point(3, { eventId }))
      expect(lists.stats()).toEqual({ lists: 2, entries: 4 })
      asked = []
      await lists.of(point(3, { eventId: 'a' }))
      expect(asked).toEqual([])
      await lists.of(point(3, { eventId: 'b' }))
      expect(asked).toEqual(['b'])
    }
  })
})
