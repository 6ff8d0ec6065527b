import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentTakes } from './recent-takes.ts'

test('each user has what they took since the oldest take that is left, newest first', () => {
  const step = fc.record({
    user: fc.nat(5),
    wait: fc.constantFrom(0, 0, 1, 5),
    places: fc.nat(3),
    drops: fc.nat(2),
  })
  const property = fc.property(
    fc.array(step, { maxLength: 120, size: 'max' }),
    fc.integer({ min: 5, max: 60 }),
    (steps, window) => {
      const takes = new RecentTakes()
      let naive: { user: number; at: number; places: number }[] = []
      let now = 0
      for (const { user, wait, places, drops } of steps) {
        now += wait
        const last = naive.findLast(take => take.user === user)
        if (last?.at === now) last.places += places
        else naive.push({ user, at: now, places })
        takes.add(user, { at: now, places })
        for (let i = 0; i < drops; i += 1) {
          const oldest = naive[0]
          const left = takes.dropOldest(now - window)
          if (!oldest || oldest.at > now - window) {
            expect(left).toBeNull()
            continue
          }
          naive = naive.slice(1)
          expect(left).toBe(naive.some(take => take.user === oldest.user) ? null : oldest.user)
        }
        const expected: unknown[] = []
        const seen: unknown[] = []
        const source = wait === 0 ? takes : takes.copy()
        for (let each = 0; each <= 5; each += 1) {
          for (const take of naive.toReversed()) if (take.user === each) expected.push(take)
          source.each(each, (at, places) => {
            seen.push({ user: each, at, places })
            return 'more'
          })
        }
        expect(seen).toEqual(expected)
      }
    },
  )
  fc.assert(property, { seed: 20_260_801, numRuns: 60 })
})
