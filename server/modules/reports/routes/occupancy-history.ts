import { readOccupancyHistory } from '@voelgoed/contract/occupancy'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { readZoneCounts } from '@voelgoed/engine/tables/event-state'
import type { Router } from '@voelgoed/kit/http/serve'
import { findEvent } from '../../events/tables/events.ts'
import type { Kit } from '../../module.ts'
import { type OccupancyPoint, occupancyPoints } from '../tables/occupancy-snapshots.ts'

const MINUTE_S = 60
const DAY_S = 86_400
const MAX_RANGE_DAYS = 366
const MAX_POINTS = 2_000
/** When no step is asked for. */
const USUAL_POINTS = 500
/** An answer with zones has so many at most: points times zones. */
const MAX_ZONE_COUNTS = 50_000

export function serveOccupancyHistory(
  router: Router,
  { database, clock }: Pick<Kit, 'database' | 'clock'>,
): void {
  router.serve(readOccupancyHistory, async ({ principal, params, query }) => {
    const range = readRange(query, clock.now())
    if (!range.ok) return range
    const { from, to, step, points } = range.value
    const eventId = params.event as EventId
    const withZones = query.zones === 'true'
    const found = await database.tenant(principal.scope, async tx => {
      tx.discard()
      if (!(await findEvent(tx, eventId))) return null
      const zones = withZones ? (await readZoneCounts(tx, eventId)).length : 0
      if (points * zones > MAX_ZONE_COUNTS) return 'too many'
      return occupancyPoints(tx, eventId, { from, to, stepSeconds: step, withZones })
    })
    if (!found) return refuse({ kind: 'event_not_found' })
    if (found === 'too many') {
      return invalid('step', `so many points of so many zones: at most ${MAX_ZONE_COUNTS} counts an answer`)
    }
    const data = {
      from: from.toISOString(),
      to: to.toISOString(),
      step,
      points: found.map(point => answerOf(point)),
    }
    return ok({ status: 200, body: { data } })
  })
}

function answerOf({ at, status, available, held, sold, blocked, zones }: OccupancyPoint) {
  return {
    at: at.toISOString(),
    status,
    ...{ available, held, sold, blocked },
    ...(zones && {
      zones: zones.map(([zoneId, ...counts]) => ({
        zone_id: zoneId,
        available: counts[0],
        held: counts[1],
        sold: counts[2],
        blocked: counts[3],
      })),
    }),
  }
}

interface Range {
  readonly from: Date
  readonly to: Date
  /** Seconds. */
  readonly step: number
  /** The answer has at most so many. */
  readonly points: number
}

/** The last day, unless the caller says otherwise. */
function readRange(
  query: { readonly from?: string; readonly to?: string; readonly step?: string },
  now: number,
): Result<Range, Refusal> {
  const to = query.to === undefined ? new Date(now) : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - DAY_S * 1000) : new Date(query.from)
  const seconds = (to.getTime() - from.getTime()) / 1000
  if (seconds <= 0) return invalid('from', 'must be before `to`')
  if (seconds > MAX_RANGE_DAYS * DAY_S)
    return invalid('from', `must be at most ${MAX_RANGE_DAYS} days before \`to\``)
  const usual = Math.ceil(seconds / USUAL_POINTS / MINUTE_S) * MINUTE_S
  const step = query.step === undefined ? Math.min(usual, DAY_S) : Number(query.step)
  if (step < MINUTE_S || step > DAY_S || step % MINUTE_S !== 0) {
    return invalid('step', 'must be a multiple of 60, from 60 to 86400')
  }
  const points = Math.ceil(seconds / step) + 1
  if (points > MAX_POINTS) {
    const shortest = Math.ceil(seconds / (MAX_POINTS - 1) / MINUTE_S) * MINUTE_S
    return invalid(
      'step',
      `must be at least ${shortest} for this range: an answer has at most ${MAX_POINTS} points`,
    )
  }
  return ok({ from, to, step, points })
}

function invalid(name: string, message: string): { readonly ok: false; readonly problem: Refusal } {
  return refuse({ kind: 'invalid_request', errors: [{ path: `/query/${name}`, message }] })
}
