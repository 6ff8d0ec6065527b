import type { Data } from '@voelgoed/client'

type Event = Data<'GET /api/events/:event'>
type Hold = Data<'GET /api/events/:event/cart'>['holds'][number]

/**
 * The server said this last about one event to one person: the page shows it, and marks it as such, when a
 * reload finds no server.
 */
export interface LastKnown {
  readonly userId: string
  readonly event: Event
  readonly holds: readonly Hold[]
  readonly heldUntil: string | null
  /**
   * The server's clock and this machine's at the same moment, in ms; null: the server had not told its time.
   */
  readonly clocks: { readonly server: number; readonly ours: number } | null
}

const KEPT_AT = 'voelgoed:last-known'
/** As many as the service worker keeps maps. */
const KEPT_EVENTS = 8

export function keepLastKnown(eventId: string, known: LastKnown): void {
  const others = read().filter(([id]) => id !== eventId)
  write([...others, [eventId, known] as const].slice(-KEPT_EVENTS))
}

/** Only for the person it was told to. */
export function lastKnown(eventId: string, userId: string | undefined): LastKnown | null {
  const known = read().find(([id]) => id === eventId)?.[1]
  return known && known.userId === userId ? known : null
}

/** Someone signs out: the next person at this browser has no business with it. */
export function forgetLastKnown(userId: string): void {
  write(read().filter(([, known]) => known.userId !== userId))
}

/** The same person has another id: the event stays known. What that other id holds, the server says. */
export function handOnLastKnown(from: string, to: string): void {
  const entries = read()
  if (!entries.some(([, { userId }]) => userId === from)) return
  const handedOn = { userId: to, holds: [], heldUntil: null }
  write(entries.map(([id, known]) => [id, known.userId === from ? { ...known, ...handedOn } : known]))
}

/**
 * The server's time by this machine's clock, which may have been set since: good enough to count down what is
 * marked as last known. Null when this clock has gone backwards, for then it is surely wrong.
 */
export function estimateServerTime({ clocks }: LastKnown, ours: number): number | null {
  return clocks === null || ours < clocks.ours ? null : clocks.server + (ours - clocks.ours)
}

function read(): readonly (readonly [string, LastKnown])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AT) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}

function write(entries: readonly (readonly [string, LastKnown])[]): void {
  try {
    localStorage.setItem(KEPT_AT, JSON.stringify(entries))
  } catch {
    // No room, or not allowed: a reload without a network shows less.
  }
}
