import * as contract from '@voelgoed/contract/scans'
import { type EventId, isUuid } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import { listMovedTickets } from '../../orders/tables/moved-tickets.ts'
import {
  attendanceAnswer,
  bundleAnswer,
  conflictAnswer,
  lastScanAnswer,
  soldAnswer,
} from '../scan-answers.ts'
import {
  countAttendance,
  countConflicts,
  countValidTickets,
  type GateNews,
  type ListedTicket,
  listConflicts,
  listGateNews,
  listLastScans,
  listSoldTickets,
  type NewsCursor,
  readGateClock,
} from '../tables/entry-reports.ts'
import type { EntryNeeds } from './scans.ts'

/**
 * News is listed by when it was written, which is before it is committed: a transaction that takes as long as
 * one may take could bring news that is older than what a gate has seen. So a gate that has everything goes
 * on from so many seconds before it began to ask.
 */
const SETTLED_AFTER_SECONDS = 30

/** Tells gates what they need to know, and staff who came. */
export function serveAttendance(
  router: Router,
  { database }: Pick<Kit, 'database'>,
  { lanes, priceLists, ticketKeys }: EntryNeeds,
): void {
  router.serve(contract.readBundle, async ({ principal, query }) => {
    const { scope } = principal
    const since = readSince(query.since)
    if (!since.ok) return since
    const limit = Math.min(Number(query.limit ?? contract.DEFAULT_NEWS), contract.MAX_NEWS)
    const eventId = query.event_id.toLowerCase() as EventId
    const keys = await ticketKeys.publicKeys(scope)
    // Nothing was sold of a draft.
    const read = query.tickets === 'true' ? await lanes.read(scope, eventId) : null
    const found = await database.tenant(scope, async tx => {
      const event = await findEvent(tx, eventId)
      if (!event) return null
      const clock = await readGateClock(tx, SETTLED_AFTER_SECONDS)
      const { cursor, floor = clock.settled } = since.value
      const news = await listGateNews(tx, eventId, cursor, limit)
      const sold = read ? await listSoldTickets(tx, eventId, cursor, limit) : []
      const page = firstOf(news, sold, limit)
      const entered = page.news.filter(({ kind }) => kind === 'in' || kind === 'out')
      const moved = await listMovedTickets(
        tx,
        entered.map(({ ticket_id }) => ticket_id),
      )
      return { event, clock, floor, moved, ...page }
    })
    if (!found) return refuse({ kind: 'event_not_found' })
    const { event, clock, floor, moved, news, sold, last } = found
    const hall = read && {
      zones: read.view.zones,
      seats: read.view.seats,
      list: await priceLists.of(read.view),
    }
    const data = {
      ...bundleAnswer(event, keys, news, moved),
      ...soldAnswer(hall, sold),
      suspended: principal.suspension !== null,
      timestamp: new Date(Number(clock.now) / 1000).toISOString(),
      since: last ? sinceOf(last, floor) : floor,
      is_complete: last === null,
    }
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.readAttendance, async ({ principal, params }) => {
    const { scope } = principal
    const eventId = params.event as EventId
    const read = await lanes.read(scope, eventId)
    const found = await database.tenant(scope, async tx => {
      const event = await findEvent(tx, eventId)
      if (!event) return null
      return {
        event,
        rows: await countAttendance(tx, eventId, event.timeZone),
        validTickets: await countValidTickets(tx, eventId),
        conflicts: await countConflicts(tx, eventId),
      }
    })
    if (!found) return refuse({ kind: 'event_not_found' })
    // A draft has sold no tickets, so nothing of its zones is shown.
    const data = attendanceAnswer(found.event, read?.view ?? { zones: [] }, found)
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.listEntryConflicts, call => list(call, listConflicts, conflictAnswer))
  router.serve(contract.listScans, call => list(call, listLastScans, lastScanAnswer))

  async function list<Row extends { readonly id: string }>(
    { principal, params, query }: Call<typeof contract.listEntryConflicts | typeof contract.listScans>,
    read: (tx: TenantTx, eventId: EventId, page: { after?: string; limit: number }) => Promise<Row[]>,
    toAnswer: (hall: EventHall, row: Row) => object,
  ): Promise<Result<Answer, Refusal>> {
    const { scope } = principal
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const eventId = params.event as EventId
    const rows = await database.tenant(scope, async tx => {
      if (!(await findEvent(tx, eventId))) return null
      return read(tx, eventId, { ...(after !== undefined && { after }), limit: limit + 1 })
    })
    if (!rows) return refuse({ kind: 'event_not_found' })
    const view = rows.length > 0 ? (await lanes.read(scope, eventId))!.view : null
    return ok({
      status: 200,
      body: toPage(
        rows,
        limit,
        row => row.id,
        row => toAnswer(view!, row),
      ),
    })
  }
}

interface Since {
  readonly cursor: NewsCursor | null
  /** The gate goes on here once it has everything; left out: it begins to ask now. */
  readonly floor?: string
}

const NOTHING_YET: Since = { cursor: null }
/** Before the ids of all news. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** `floor`, or `told.id.floor` in the middle of the pages; moments are microseconds since 1970. */
function readSince(text: string | undefined): Result<Since, Refusal> {
  if (text === undefined) return ok(NOTHING_YET)
  const [first, id, floor, ...more] = text.split('.')
  const isMoment = (part: string | undefined) => part !== undefined && /^\d{1,17}$/.test(part)
  if (isMoment(first) && id === undefined) {
    return ok({ cursor: { toldAt: first!, id: FIRST_ID } })
  }
  if (isMoment(first) && isUuid(id!) && isMoment(floor) && more.length === 0) {
    return ok({ cursor: { toldAt: first!, id: id! }, floor: floor! })
  }
  const errors = [{ path: '/query/since', message: 'must be the `since` of an earlier answer' }]
  return refuse({ kind: 'invalid_request', errors })
}

/**
 * Two lists, each in the order in which the database heard of it, become one page. `last`: there may be more
 * after it.
 */
function firstOf(news: readonly GateNews[], sold: readonly ListedTicket[], limit: number) {
  const inOrder = [...news, ...sold].sort((a, b) => compareTold(a, b)).slice(0, limit)
  const last = inOrder.length === limit ? inOrder.at(-1)! : null
  const isIn = (one: GateNews | ListedTicket) => last === null || compareTold(one, last) <= 0
  return { news: news.filter(isIn), sold: sold.filter(isIn), last }
}

function compareTold(a: Pick<GateNews, 'told_at' | 'id'>, b: Pick<GateNews, 'told_at' | 'id'>): number {
  return Number(a.told_at) - Number(b.told_at) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function sinceOf({ told_at, id }: Pick<GateNews, 'told_at' | 'id'>, floor: string): string {
  return `${told_at}.${id}.${floor}`
}
