import { expect, test } from 'vitest'
import { exitOf, isInside, type KnownScan } from './early-exits.ts'

/** Reads what happened, in the order in which it did: `+` came in, `-` left. */
const scansOf = (story: string): KnownScan[] =>
  [...story].map((sign, at) => ({ direction: sign === '+' ? 'in' : 'out', at }))

function* ordersOf<T>(scans: readonly T[]): Generator<T[]> {
  if (scans.length === 0) yield []
  for (const [index, scan] of scans.entries()) {
    for (const rest of ordersOf(scans.toSpliced(index, 1))) yield [scan, ...rest]
  }
}

/** The server hears of these one after another: how many does it count inside? */
function insideAfter(told: readonly KnownScan[]): number {
  const known: KnownScan[] = []
  const waiting: KnownScan[] = []
  for (const scan of told) {
    if (scan.direction === 'in') {
      const exit = exitOf(scan.at, known, waiting)
      known.push(scan)
      if (exit) known.push(...waiting.splice(waiting.indexOf(exit), 1))
    } else (isInside(known, scan.at, Number.POSITIVE_INFINITY) ? known : waiting).push(scan)
  }
  return known.reduce((inside, { direction }) => inside + (direction === 'in' ? 1 : -1), 0)
}

test.each([
  ['came in and left', '+-', 0],
  ['left, of an entry that is never told of, and came in', '-+', 1],
  ['came back', '+-+', 1],
  ['came back and left again', '+-+-', 0],
  ['left, and the exit was told of twice', '+--', 0],
  ['left by an exit that was told of twice, and came back', '+--+', 1],
  ['left by an exit that was told of twice, came back and left', '+--+-', 0],
  ['were two, of whom one left', '++-', 1],
  ['came, left, and came with another, who stays', '+-++-', 1],
  ['an exit of an entry that is not told of, then in and out twice', '-+-+-', 0],
])('%s: in whatever order gates tell of it, the count is the same', (_, story, expected) => {
  const counts = new Set([...ordersOf(scansOf(story))].map(insideAfter))
  expect([...counts]).toEqual([expected])
})

test('an exit at the moment of the entry is of the person who came in', () => {
  expect(exitOf(5, [], [{ at: 4 }, { at: 5 }])).toEqual({ at: 5 })
})

test('of several exits after the entry the first one counts', () => {
  expect(exitOf(5, [], [{ at: 9 }, { at: 7 }])).toEqual({ at: 7 })
})
