import * as contract from '@voelgoed/contract/events'
import type { Role } from '@voelgoed/core/access'
import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { effectivePolicy, type SeatingPolicy } from '@voelgoed/core/policy'
import { ok, refuse } from '@voelgoed/core/result'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import { imageAnswer } from '../../images/image-answer.ts'
import type { Kit } from '../../module.ts'
import { type Event, findEvents, listEvents, salesEndOf } from '../tables/events.ts'
import { readPolicy } from '../tables/policies.ts'

/** Serves the events that buyers read. */
export function serveEvents(router: Router, { database }: Kit): void {
  const answers = new AskTogether(database, async (tx, ids) => {
    const [events, policy] = await Promise.all([findEvents(tx, ids), readPolicy(tx)])
    return new Map(
      [...events].map(([id, event]) => [
        id,
        { event, data: { ...eventAnswer(event, policy), description: event.description } },
      ]),
    )
  })

  router.serve(contract.listEvents, async ({ principal, query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const statuses: EventStatus[] | null = isStaff(principal.user.role)
      ? null
      : ['published', 'live', 'cancelled']
    return database.tenant(principal.scope, async tx => {
      const policy = await readPolicy(tx)
      const rows = await listEvents(tx, { statuses, after, limit: limit + 1 })
      return ok({
        status: 200,
        body: toPage(
          rows,
          limit,
          row => row.id,
          row => ({ ...eventAnswer(row, policy), ...salesOf(principal) }),
        ),
      })
    })
  })

  router.serve(contract.readEvent, async ({ principal, params }) => {
    const answer = await answers.ask(principal.scope, params.event)
    if (!answer || !visibleTo(principal.user.role, answer.event)) return refuse({ kind: 'event_not_found' })
    return ok({ status: 200, body: { data: { ...answer.data, ...salesOf(principal) } } })
  })
}

function salesOf({ suspension }: SignedIn): object {
  return { sales_paused: suspension !== null }
}

export function eventAnswer(event: Event, policy: SeatingPolicy): object {
  const effective = effectivePolicy(policy, event.seatingOverrides)
  const image = event.image && imageAnswer(event.image)
  return {
    id: event.id,
    name: event.name,
    status: event.status,
    sale_start: iso(event.saleStart),
    sale_end: iso(event.saleEnd),
    sales_end_at: iso(salesEndOf(event)),
    starts_at: iso(event.startsAt),
    doors_at: iso(event.doorsAt),
    image,
    image_id: image?.image_id ?? null,
    image_url: image?.plain.url ?? null,
    sold_out: event.isSoldOut,
    days: event.days,
    venue: { id: event.venueId, name: event.venueName },
    time_zone: event.timeZone,
    layout: { id: event.layoutId, version: event.layoutVersion },
    currency: currencyOf(event),
    price_from: event.prices?.priceFrom ?? null,
    all_in_from: event.prices?.allInFrom ?? null,
    hold_ttl_seconds: effective.default_hold_ttl_seconds,
    max_seats_per_booking: effective.max_seats_per_booking,
    seating: {
      prefer_best_available: effective.prefer_clustering_over_selection,
      group_adjacency_strict: effective.group_adjacency_strict,
    },
  }
}

/** Null: the event has no prices, or a list without categories. */
export function currencyOf({ prices }: Pick<Event, 'prices'>): string | null {
  return prices && prices.priceFrom !== null ? prices.currency : null
}

/**
 * Buyers see an event from its publication until it is archived: never a draft,
 * nor a draft that was cancelled.
 */
export function visibleTo(role: Role, { status, wasOnSale }: Pick<Event, 'status' | 'wasOnSale'>): boolean {
  return isStaff(role) || (wasOnSale && status !== 'archived')
}

function isStaff(role: Role): boolean {
  return role !== 'customer'
}

function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}
