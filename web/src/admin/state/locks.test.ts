import { expect, it } from 'vitest'
import { locksIn } from './locks.svelte.ts'

it('a lock is whose change set it last, not whose change left it', () => {
  const entry = (at: string, user_id: string, before: string[], after: string[]) => ({
    at,
    user_id,
    changes: { locked_fields: { before, after } },
  })
  const locks = locksIn([
    { at: '5', user_id: 'eve', changes: { default_hold_ttl_seconds: { before: 600, after: 480 } } },
    entry('4', 'dan', ['a'], ['a', 'b']),
    entry('3', 'cat', [], ['a']),
    entry('2', 'ben', ['a'], []),
    entry('1', 'ann', [], ['a']),
  ])
  expect([...locks]).toEqual([
    ['a', { userId: 'cat', at: '3' }],
    ['b', { userId: 'dan', at: '4' }],
  ])
})
