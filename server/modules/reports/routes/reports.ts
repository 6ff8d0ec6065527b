import * as contract from '@voelgoed/contract/reports'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { SharedTurns } from '@voelgoed/kit/base/shared-turns'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer } from '@voelgoed/kit/http/call'
import type { Router } from '@voelgoed/kit/http/serve'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type Event, findEvent } from '../../events/tables/events.ts'
import { readPrices } from '../../events/tables/prices.ts'
import type { Kit } from '../../module.ts'
import { readOrganization } from '../../people/tables/organizations.ts'
import {
  eventsMoneyAnswer,
  moneyAnswer,
  type ReportNames,
  salesAnswer,
  soldAnswer,
  ticketMoneyAnswer,
} from '../report-answers.ts'
import {
  countOrders,
  readFunnelSteps,
  readMoney,
  readReportedEvents,
  readReportedZones,
  readSales,
  readSeries,
  readSold,
} from '../tables/sales-reports.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 30
const MAX_DAYS = 366
/** A series with too many steps. */
const TOO_MANY: object = {}

interface Range {
  readonly from: Date
  readonly to: Date
}

/**
 * Tells all staff what was sold, and those who run the organization the money for it. Each report is read
 * in one snapshot, so that its parts add up; those who ask for the same at once share it.
 */
export function serveReports(router: Router, { database, clock }: Pick<Kit, 'database' | 'clock'>): void {
  const turns = new SharedTurns<object | null>()

  router.serve(contract.readEventSales, async ({ principal, params }) => {
    const asked = ['sales']
    const found = await ofEvent(principal.scope, params.event, asked, async (tx, { id, timeZone }) => ({
      event_id: id,
      time_zone: timeZone,
      ...soldAnswer(await readSold(tx, id), await countOrders(tx, id), await readNames(tx, id)),
    }))
    return answered(found)
  })

  router.serve(contract.readSalesSeries, async ({ principal, params, query }) => {
    const { step = 'day' } = query
    const series = { from: momentOf(query.from), to: momentOf(query.to), step }
    if (series.from && series.to && series.from >= series.to) return invalid('from', 'must be before `to`')
    const asked = ['series', step, query.from, query.to]
    const found = await ofEvent(principal.scope, params.event, asked, async (tx, { id, timeZone }) => {
      const steps = await readSeries(tx, id, { ...series, timeZone, limit: contract.MAX_POINTS + 1 })
      if (steps.length > contract.MAX_POINTS) return TOO_MANY
      return {
        event_id: id,
        time_zone: timeZone,
        step,
        series: steps.map(({ from, ...row }) => ({ from: from.toISOString(), ...row })),
      }
    })
    if (found === TOO_MANY) {
      return invalid('from', `must be closer to \`to\`: an answer has at most ${contract.MAX_POINTS} steps`)
    }
    return answered(found)
  })

  router.serve(contract.readEventRevenue, async ({ principal, params }) => {
    const asked = ['revenue']
    const found = await ofEvent(principal.scope, params.event, asked, async (tx, { id, timeZone }) => {
      const money = await readMoney(tx, { eventId: id }, timeZone)
      // Most of the work of either report: who asks for the money gets the tickets with it.
      const tickets = await readSold(tx, id)
      const names = await readNames(tx, id)
      return {
        event_id: id,
        time_zone: timeZone,
        ...moneyAnswer(money),
        ...ticketMoneyAnswer(tickets, names),
        sales: soldAnswer(tickets, await countOrders(tx, id), names),
      }
    })
    return answered(found)
  })

  router.serve(contract.readSales, ({ principal, query }) =>
    ofTime(principal.scope, 'sales', query, async (tx, range, timeZone) => {
      const rows = await readSales(tx, range, timeZone)
      const { events, leftOut } = await eventsOf(tx, rows)
      const steps = await readFunnelSteps(tx, range)
      const count = (step: string) => steps.get(step) ?? 0
      return {
        ...salesAnswer(rows, events),
        events_left_out: leftOut,
        holds: {
          attempted: count('granted') + count('refused'),
          granted: count('granted'),
          refused: count('refused'),
          held: count('held'),
          extended: count('extended'),
          paid: count('paid'),
          expired: count('expired'),
          released: count('released'),
        },
      }
    }),
  )

  router.serve(contract.readRevenue, ({ principal, query }) =>
    ofTime(principal.scope, 'revenue', query, async (tx, range, timeZone) => {
      const rows = await readMoney(tx, range, timeZone)
      const { events, leftOut } = await eventsOf(tx, rows)
      return { ...moneyAnswer(rows), events: eventsMoneyAnswer(rows, events), events_left_out: leftOut }
    }),
  )

  function ofEvent(
    scope: TenantScope,
    id: string,
    asked: readonly (string | undefined)[],
    read: (tx: TenantTx, event: Event) => Promise<object>,
  ): Promise<object | null> {
    return turns.take([scope.organizationId, id, ...asked].join('\n'), () =>
      readAtOnce(scope, async tx => {
        const event = await findEvent(tx, id)
        return event ? read(tx, event) : null
      }),
    )
  }

  async function ofTime(
    scope: TenantScope,
    name: string,
    query: { readonly from?: string; readonly to?: string },
    read: (tx: TenantTx, range: Range, timeZone: string) => Promise<object>,
  ): Promise<Result<Answer, Refusal>> {
    const range = rangeOf(query, clock.now())
    if (!range.ok) return range
    const { from, to } = range.value
    const key = [scope.organizationId, name, query.from, query.to].join('\n')
    return answered(
      await turns.take(key, () =>
        readAtOnce(scope, async tx => {
          const { time_zone } = await readOrganization(tx)
          const found = await read(tx, range.value, time_zone)
          return { from: from.toISOString(), to: to.toISOString(), time_zone, ...found }
        }),
      ),
    )
  }

  function readAtOnce(scope: TenantScope, read: (tx: TenantTx) => Promise<object | null>) {
    return database.tenant(
      scope,
      tx => {
        tx.discard()
        return read(tx)
      },
      { isolation: 'snapshot' },
    )
  }
}

async function readNames(tx: TenantTx, eventId: EventId): Promise<ReportNames> {
  return {
    zones: await readReportedZones(tx, eventId),
    list: (await readPrices(tx, eventId))?.list ?? null,
  }
}

/** Reads the events that sold most: rows of events come in that order. */
async function eventsOf(
  tx: TenantTx,
  rows: readonly { readonly what: string; readonly event_id: EventId | null }[],
) {
  const ids = [...new Set(rows.flatMap(row => (row.what === 'event' ? row.event_id! : [])))]
  const events = await readReportedEvents(tx, ids.slice(0, contract.MAX_REPORTED_EVENTS))
  return { events, leftOut: Math.max(0, ids.length - contract.MAX_REPORTED_EVENTS) }
}

function answered(data: object | null): Result<Answer, Refusal> {
  return data ? ok({ status: 200, body: { data } }) : refuse({ kind: 'event_not_found' })
}

/** The last 30 days, unless the caller says otherwise. */
function rangeOf(
  query: { readonly from?: string; readonly to?: string },
  now: number,
): Result<Range, Refusal> {
  const to = momentOf(query.to) ?? new Date(now)
  const from = momentOf(query.from) ?? new Date(to.getTime() - USUAL_DAYS * DAY_MS)
  const ms = to.getTime() - from.getTime()
  if (ms <= 0) return invalid('from', 'must be before `to`')
  if (ms > MAX_DAYS * DAY_MS) return invalid('from', `must be at most ${MAX_DAYS} days before \`to\``)
  return ok({ from, to })
}

function momentOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text)
}

function invalid(name: string, message: string): { readonly ok: false; readonly problem: Refusal } {
  return refuse({ kind: 'invalid_request', errors: [{ path: `/query/${name}`, message }] })
}
