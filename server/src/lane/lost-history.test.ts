import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { expect, it } from 'vitest'
import { TenantScope } from '../tenant.ts'
import { LostHistory } from './lost-history.ts'

const ours = TenantScope.of('10000000-0000-7000-8000-000000000000' as OrganizationId)
const neighbour = TenantScope.of('20000000-0000-7000-8000-000000000000' as OrganizationId)
const event = (n: number) => `event-${n}` as EventId

it('remembers the furthest seq that was lost, for each event of each organization', () => {
  const history = new LostHistory()
  history.lost(ours, event(1), 9)
  history.lost(ours, event(1), 5)
  expect(history.upTo(ours, event(1))).toBe(9)
  expect(history.upTo(ours, event(2))).toBe(0)
  expect(history.upTo(neighbour, event(1))).toBe(0)
})

it('is bounded: the event that lost something first is forgotten', () => {
  const history = new LostHistory()
  for (let n = 0; n < 10_000; n += 1) history.lost(ours, event(n), 7)
  history.lost(ours, event(0), 8)
  history.lost(ours, event(10_000), 7)
  expect(history.upTo(ours, event(0))).toBe(8)
  expect(history.upTo(ours, event(1))).toBe(0)
  expect(history.upTo(ours, event(2))).toBe(7)
})
