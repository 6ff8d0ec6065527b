import { randomUUID } from 'node:crypto'
import type { Actor } from '@voelgoed/core/event/command'
import type { HoldAnswer, Skipped } from '@voelgoed/core/event/decision'
import type { Chosen } from '@voelgoed/core/event/rules/end-holds'
import type { CommandId, EventId, HoldId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import type { FastifyBaseLogger } from 'fastify'

/** Holds that one transaction ends: buyers of the event get their turn in between. */
const CHUNK = 1_000
/** After so long the caller gets an answer, and repeats the request for the rest. */
const LONGEST_MS = 5_000

export interface ReleaseDeps {
  readonly lanes: Pick<Lanes, 'lane'>
  readonly log: FastifyBaseLogger
}

/** The journal names the actor, the audit log names `by`. */
export interface Releaser {
  readonly actor: Actor
  readonly by: AuditActor
}

export interface HoldsToRelease {
  readonly releaser: Releaser
  readonly holds: ReadonlyMap<EventId, readonly HoldId[]>
  readonly notes?: string | undefined
  /** Also holds that are being paid for. */
  readonly force?: boolean | undefined
}

export interface ReleasedHolds {
  readonly released: readonly HoldAnswer[]
  readonly skipped: readonly { readonly holdId: HoldId; readonly code: Skipped['code'] | Refusal['kind'] }[]
  /** Set when no event could be asked at all: then the caller may repeat the request as a whole. */
  readonly failure: Refusal | null
}

/**
 * Staff release buyers' holds, event by event. What is released and its audit entry are one transaction. An
 * event that fails keeps its holds, and does not hide what was released in the others.
 */
export async function releaseHolds(
  scope: TenantScope,
  deps: ReleaseDeps,
  wanted: HoldsToRelease,
): Promise<ReleasedHolds> {
  const released: HoldAnswer[] = []
  const skipped: ReleasedHolds['skipped'][number][] = []
  let failure: Refusal | null = null
  let wasDecided = false
  for (const [eventId, all] of wanted.holds) {
    for (let first = 0; first < all.length; first += CHUNK) {
      const holdIds = all.slice(first, first + CHUNK)
      const result = await releaseOfEvent(scope, deps, { ...wanted, eventId, holdIds })
      if (result.ok) {
        wasDecided = true
        released.push(...result.value.holds)
        skipped.push(...result.value.skipped)
      } else {
        // An event whose outcome is unknown speaks for all: there the holds may be released.
        if (!failure || result.problem.kind === 'outcome_unknown') failure = result.problem
        for (const holdId of holdIds) skipped.push({ holdId, code: result.problem.kind })
      }
    }
  }
  return { released, skipped, failure: wasDecided ? null : failure }
}

function releaseOfEvent(
  scope: TenantScope,
  deps: ReleaseDeps,
  given: Omit<HoldsToRelease, 'holds'> & { readonly eventId: EventId; readonly holdIds: readonly HoldId[] },
): Promise<Result<{ holds: readonly HoldAnswer[]; skipped: readonly Skipped[] }, Refusal>> {
  const { releaser, eventId, holdIds, notes, force } = given
  return orRefusal(deps, eventId, () =>
    deps.lanes.lane(scope, eventId).exclusive(async (tx, give) => {
      const outcome = give({
        kind: 'release',
        reason: 'admin_override',
        commandId: randomUUID() as CommandId,
        actor: releaser.actor,
        holdIds,
        ...(notes !== undefined && { notes }),
        ...(force !== undefined && { force }),
      })
      if (!outcome.ok) return outcome
      const { holds, skipped } = outcome.value
      if (holds.length > 0) {
        await appendAudit(tx, releaser.by, {
          action: 'holds_released',
          entity: { type: 'event', id: eventId },
          changes: {
            hold_ids: holds.map(hold => hold.holdId),
            seats_released: placesOf(holds),
            notes: notes ?? null,
            force: force ?? false,
          },
        })
      }
      return ok({ holds, skipped })
    }),
  )
}

/** The same, as an answer. A hold that is being paid for stays: the checkout decides about it. */
export async function takeBackHolds(scope: TenantScope, deps: ReleaseDeps, wanted: HoldsToRelease) {
  const { released, skipped } = await releaseHolds(scope, deps, wanted)
  return { places_released: placesOf(released), skipped: skippedAnswer(skipped) }
}

export function skippedAnswer(skipped: ReleasedHolds['skipped']): { hold_id: string; code: string }[] {
  return skipped.map(({ holdId, code }) => ({ hold_id: holdId, code }))
}

export interface ReleasedChoice {
  readonly holds: number
  readonly seats: number
  readonly remaining: number
  readonly inPayment: number
  /** The release stopped early for this reason; null: it did not fail. */
  readonly stoppedBy: Refusal['kind'] | null
}

/**
 * Staff release the chosen holds of one event, in chunks, for a bounded time.
 * Refused when nothing was released.
 */
export async function releaseChosen(
  scope: TenantScope,
  { clock, ...deps }: ReleaseDeps & { readonly clock: Pick<Clock, 'elapsed'> },
  given: {
    readonly releaser: Releaser
    readonly eventId: EventId
    readonly chosen: Chosen
    readonly notes: string
    /** The audit log keeps what staff asked for. */
    readonly asked: Readonly<Record<string, unknown>>
  },
): Promise<Result<ReleasedChoice, Refusal>> {
  const until = clock.elapsed() + LONGEST_MS
  let holds = 0
  let seats = 0
  let left = { remaining: 0, inPayment: 0 }
  do {
    const chunk = await endChunk()
    if (!chunk.ok) {
      if (holds === 0) return chunk
      // Something was released before: the answer says how much, and that there is more.
      const remaining = Math.max(1, left.remaining)
      return ok({ holds, seats, ...left, remaining, stoppedBy: chunk.problem.kind })
    }
    holds += chunk.value.holds
    seats += chunk.value.seats
    left = chunk.value.left
  } while (left.remaining > 0 && clock.elapsed() < until)
  return ok({ holds, seats, ...left, stoppedBy: null })

  function endChunk() {
    const { releaser, eventId, chosen, notes, asked } = given
    return orRefusal(deps, eventId, () =>
      deps.lanes.lane(scope, eventId).exclusive(async (tx, give, event) => {
        const outcome = give({
          kind: 'end_holds',
          reason: 'admin_override',
          commandId: randomUUID() as CommandId,
          actor: releaser.actor,
          limit: CHUNK,
          notes,
          ...chosen,
        })
        if (!outcome.ok) return outcome
        const ended = outcome.value.holds
        if (ended.length > 0) {
          await appendAudit(tx, releaser.by, {
            action: 'holds_released',
            entity: { type: 'event', id: eventId },
            changes: {
              ...asked,
              holds_released: ended.length,
              seats_released: placesOf(ended),
              notes,
              force: chosen.force ?? false,
            },
          })
        }
        return ok({ holds: ended.length, seats: placesOf(ended), left: event.countHolds(chosen) })
      }),
    )
  }
}

export function placesOf(holds: readonly HoldAnswer[]): number {
  return holds.reduce((sum, hold) => sum + hold.quantity, 0)
}

/**
 * A failure is an answer about one event, not the end of the request: other events may have released their
 * holds. What is no outage of Postgres is a bug of ours, and is logged.
 */
async function orRefusal<T>(
  { log }: ReleaseDeps,
  eventId: EventId,
  work: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  try {
    return await work()
  } catch (error) {
    const kind = outageKind(error)
    if (kind !== null) return refuse({ kind, retryAfterSeconds: 1 })
    log.error({ err: error, event_id: eventId }, 'holds could not be released')
    return refuse({ kind: 'internal_error' })
  }
}
