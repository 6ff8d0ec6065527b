import { Refused } from '@voelgoed/client'
import type { MapModel } from '../../../map/index.ts'
import { releaseHolds } from '../../holds/release-holds.ts'
import { BulkWork } from '../../kit/bulk-work.svelte.ts'
import type { Desk } from '../../kit/desk.svelte.ts'
import type { PartDone, Skipped } from '../../kit/run-in-parts.ts'
import type { EventDesk } from '../event-desk.svelte.ts'

/** A call takes 10,000 seats, all or none: smaller parts show how far it is, and are sent again sooner. */
const CHUNK = 500
/** Seats that are taken meanwhile are left out, and the rest is sent again, this often. */
const TRIES = 5

export interface SeatWork {
  readonly desk: Desk
  readonly at: EventDesk
  readonly model: MapModel
  readonly ordinals: readonly number[]
  readonly reason: string
}

export function blockSeats(work: SeatWork): Promise<void> {
  return change(work, work.desk.words.map.blocking(work.ordinals.length), 'block')
}

export function unblockSeats(work: SeatWork): Promise<void> {
  return change(work, work.desk.words.map.unblocking(work.ordinals.length), 'unblock')
}

async function change(work: SeatWork, title: string, verb: 'block' | 'unblock'): Promise<void> {
  const bulk = new BulkWork(title, work.reason, work.ordinals.length)
  work.desk.begin(bulk)
  await bulk.run(work.ordinals, CHUNK, part => changePart(work, part, verb))
}

export async function changePart(
  { desk, at, model, reason }: Omit<SeatWork, 'ordinals'>,
  part: readonly number[],
  verb: 'block' | 'unblock',
): Promise<PartDone> {
  const skipped: Skipped[] = []
  let left = part.map(ordinal => ({ ordinal, seatId: model.seatIdOf(ordinal) }))
  for (let attempt = 0; left.length > 0; attempt += 1) {
    try {
      const body = { seat_ids: left.map(({ seatId }) => seatId), reason }
      const { params } = at
      const { data } = await desk.session.call(`POST /api/admin/events/:event/seats/${verb}`, {
        params,
        body,
      })
      // A seat that the overlay blocks is out of the sale whatever is done by hand.
      if (verb === 'block' || data.blocked_by_overlay === 0) return { done: left.length, skipped }
      const event = await desk.session.call('GET /api/admin/events/:event', { params })
      const kept = new Set(event.data.overrides.blocked_seat_ids)
      const still = left.filter(({ seatId }) => kept.has(seatId))
      const why = desk.words.map.keptByOverlay
      skipped.push(...still.map(({ ordinal }) => ({ name: model.labelOf(ordinal), why })))
      return { done: left.length - still.length, skipped }
    } catch (error) {
      if (!(error instanceof Refused) || attempt >= TRIES) throw error
      const taken = error.is('seat_not_available') ? new Set(error.problem.seat_ids) : new Set<string>()
      if (taken.size === 0) throw error
      const why = desk.explain(error)
      for (const { ordinal, seatId } of left) {
        if (taken.has(seatId)) skipped.push({ name: model.labelOf(ordinal), why })
      }
      left = left.filter(({ seatId }) => !taken.has(seatId))
    }
  }
  return { done: 0, skipped }
}

/** The holds of these seats, page by page: the list of an event has all of them. */
export async function releaseSeats({ desk, at, model, ordinals, reason }: SeatWork): Promise<void> {
  const wanted = new Map(ordinals.map(ordinal => [model.seatIdOf(ordinal), ordinal]))
  const holds: { hold_id: string; name: string }[] = []
  let after: string | null = null
  do {
    const query: { limit: string; after?: string } = { limit: '200', ...(after !== null && { after }) }
    const page = await at.session.call('GET /api/admin/events/:event/holds', { params: at.params, query })
    for (const { hold_id, seat_id } of page.data) {
      const ordinal = seat_id === null ? undefined : wanted.get(seat_id)
      if (ordinal !== undefined) holds.push({ hold_id, name: model.labelOf(ordinal) })
    }
    after = page.next
  } while (after !== null && holds.length < wanted.size)
  await releaseHolds(desk, holds, { notes: reason, force: false })
}
