import type { Direction } from './scan.ts'

/*
 * Gates tell of what they did in any order. An exit that comes before its entry waits for it: an early exit.
 * Who is inside in the end follows from when people came and left, and not from when the server heard of it.
 */

/** An entry or an exit of a ticket on one day. At one moment entries come before exits. */
export interface KnownScan {
  readonly direction: Direction
  readonly at: number
}

/**
 * The early exit that counts from now on, because an entry at this moment has become known; null: none does.
 * An entry lets out one person, so it is one at most: the first that can be. It can be after the entry; and
 * before it, if people were inside all the time from the exit to the entry. Then one of those left, and the
 * exit that was counted instead is of the person who came in by this entry.
 * `known`: what counts so far, without the entry.
 */
export function exitOf<Exit extends { readonly at: number }>(
  entryAt: number,
  known: readonly KnownScan[],
  waiting: readonly Exit[],
): Exit | null {
  const inOrder = [...waiting].sort((a, b) => a.at - b.at)
  return inOrder.find(({ at }) => at >= entryAt || isInside(known, at, entryAt)) ?? null
}

/** From this moment on, and until the other, one person or more were inside. */
export function isInside(known: readonly KnownScan[], from: number, until: number): boolean {
  const before = known.filter(({ at }) => at <= from)
  const later = known.filter(({ at }) => at > from && at < until).sort(byTime)
  let inside = before.reduce((sum, scan) => sum + change(scan), 0)
  let least = inside
  for (const scan of later) {
    inside += change(scan)
    least = Math.min(least, inside)
  }
  return least > 0
}

function change({ direction }: KnownScan): 1 | -1 {
  return direction === 'in' ? 1 : -1
}

function byTime(a: KnownScan, b: KnownScan): number {
  return a.at - b.at || change(b) - change(a)
}
