import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import { decide } from '@voelgoed/core/event/decide'
import { restoreState } from '@voelgoed/core/event/restore'
import { seatBits } from '@voelgoed/core/event/seat-bits'
import { createState, type EventPlan } from '@voelgoed/core/event/state'
import { plans } from '@voelgoed/core/event/test/hall'
import { play } from '@voelgoed/core/event/test/play'
import { history } from '@voelgoed/core/event/test/steps'
import { seatStatusFor } from '@voelgoed/core/event/view'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { CommittedFact } from '@voelgoed/engine/facts/fact'
import { CommittedView } from '@voelgoed/engine/view/committed-view'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { hotEvent } from '@voelgoed/testing/hot-event'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LiveFeed } from './feed.ts'
import { Snapshots } from './snapshots.ts'

const event = { scope: TenantScope.of('o' as OrganizationId), eventId: 'e' as EventId }
/** So early that no hold has run out: what time alone frees, the feed tells when it is tidied up. */
const LONG_AGO = -1e15
const CODES = ['available', 'held', 'sold', 'blocked']

/** A reader of the feed takes a snapshot, and what is told after it. */
class Reader {
  readonly writableLength = 0
  codes: string[] = []
  readonly #snapshot: () => string[]

  constructor(snapshot: () => string[]) {
    this.#snapshot = snapshot
    this.codes = snapshot()
  }

  write(message: Buffer): void {
    const text = message.toString()
    if (text.startsWith('event: reset')) this.codes = this.#snapshot()
    const [, data] = /event: seats\ndata: (.*)/.exec(text) ?? []
    if (data === undefined) return
    for (const [ordinal, status] of JSON.parse(data).seats) this.codes[ordinal] = status
  }

  end(): void {}
  destroy(): void {}
  on(): void {}
}

function viewOf(plan: EventPlan): CommittedView {
  const hot = { ...hotEvent(), clockOffset: LONG_AGO, state: createState(plan) }
  return new CommittedView(event, { ...hot, seats: { ...hot.seats, map: plan.seats } })
}

function factsOf(changes: readonly Change[], sizes: readonly number[]): CommittedFact[] {
  const facts: CommittedFact[] = []
  for (let from = 0, turn = 0; from < changes.length; turn += 1) {
    const some = changes.slice(from, from + sizes[turn % sizes.length]!)
    from += some.length
    const { seq } = some.at(-1)!
    facts.push({ kind: 'committed', ...event, seq, tip: null, changes: some, isOwn: true })
  }
  return facts
}

it('feed, snapshot, seat and the copy in Redis say the same of every seat, after any commands', async () => {
  const snapshots = new Snapshots()
  const seen = new Map<string, number>()
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 })
  const property = fc.property(fc.constantFrom(...plans), history, sizes, (plan, steps, sizes) => {
    const { changes } = play(steps, plan, { decide, apply, restore: restoreState })
    const view = viewOf(plan)
    const due: (() => void)[] = []
    const after = (_: number, run: () => void) => {
      due.push(run)
      return () => {}
    }
    const feed = new LiveFeed({ now: () => 0, soon: run => run(), after, every: () => () => {} })
    const bits = () => codesOf(snapshots.binary(view).bytes, plan.seats.count, ordinal => ordinal)
    const reader = new Reader(bits)
    feed.open(view).add(reader, { since: null, journal: [], isPaused: false })
    for (const fact of factsOf(changes, sizes)) {
      view.apply(fact)
      feed.heard(fact, view)
      for (const run of due.splice(0)) run()
      const { state } = view
      const snapshot = bits()
      const copy = codesOf(seatBits(state), plan.seats.count, ordinal => ordinal ^ 3)
      const seats = snapshot.map((_, ordinal) => {
        const status = seatStatusFor(state, { ordinal, userId: null }, LONG_AGO)
        return status === 'reserved_companion' ? 'blocked' : status
      })
      expect({ at: fact.seq, reader: reader.codes, copy, seats }).toEqual({
        at: fact.seq,
        reader: snapshot,
        copy: snapshot,
        seats: snapshot,
      })
      if (state.zones.some(({ settings }) => settings.disabled)) note(seen, 'a closed zone')
      for (const { kind } of fact.changes) note(seen, kind)
    }
    feed.close()
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 300 })
  await snapshots.close()
  const wanted = [
    'a closed zone',
    'seat_released',
    'seat_hold_expired',
    'ticket_voided',
    'companions_released',
  ]
  expect(wanted.filter(what => (seen.get(what) ?? 0) < 10)).toEqual([])
})

function note(seen: Map<string, number>, what: string): void {
  seen.set(what, (seen.get(what) ?? 0) + 1)
}

/** Two bits a seat; `place`: where in its byte a seat stands. */
function codesOf(bytes: Uint8Array, count: number, place: (ordinal: number) => number): string[] {
  return Array.from({ length: count }, (_, ordinal) => {
    return CODES[(bytes[ordinal >> 2]! >> (2 * (place(ordinal) & 3))) & 3]!
  })
}
