import { expect, it, vi } from 'vitest'
import type { StaffSession } from '../../kit/staff-session.svelte.ts'
import { Locks, locksIn } from './locks.svelte.ts'

const entry = (at: string, user_name: string | null, before: string[], after: string[]) => ({
  at,
  user_name,
  user_id: user_name && `the id of ${user_name}`,
  changes: { locked_fields: { before, after } },
})

it('a lock is whose change set it last, not whose change left it', () => {
  const locks = locksIn([
    { at: '5', user_name: 'eve', changes: { default_hold_ttl_seconds: { before: 600, after: 480 } } },
    entry('4', 'dan', ['a'], ['a', 'b']),
    entry('3', 'cat', [], ['a']),
    entry('2', 'ben', ['a'], []),
    entry('1', 'ann', [], ['a']),
  ])
  expect([...locks]).toEqual([
    ['a', { name: 'cat', at: '3' }],
    ['b', { name: 'dan', at: '4' }],
  ])
})

it('who locked what is one request, however many people there are', async () => {
  const data = [
    entry('2', 'dan@example.org', ['hold_during_presale'], ['hold_during_presale', 'max_seats_per_hold']),
    entry('1', 'ann@example.org', [], ['hold_during_presale']),
  ]
  const call = vi.fn(async () => ({ data }))
  const locks = new Locks({ may: () => true, call } as unknown as StaffSession)
  const stop = locks.open()
  await expect.poll(() => locks.loaded.value).not.toBeNull()
  stop()
  expect(call).toHaveBeenCalledTimes(1)
  expect([...locks.loaded.value!]).toEqual([
    ['hold_during_presale', { name: 'ann@example.org', at: '1' }],
    ['max_seats_per_hold', { name: 'dan@example.org', at: '2' }],
  ])
})
