import type { ListedEvent } from '../events/event-list.svelte.ts'
import type { ListedLayout, Venue } from '../venues/venues.ts'

export const FIRST_STEPS = ['region', 'venue', 'layout', 'event', 'prices', 'publish', 'open'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

/** The organization has these. Nothing else is remembered: a step is done when its result is there. */
export interface FirstRunFacts {
  readonly venues: readonly Pick<Venue, 'id'>[]
  readonly layouts: readonly Pick<ListedLayout, 'versions'>[]
  readonly events: readonly Pick<ListedEvent, 'status' | 'currency'>[]
  /** Places that were held or sold. */
  readonly taken: number
  /** A person has said on this screen where the organization is. With a venue it is not asked again. */
  readonly isPlaced?: boolean
}

export function stepsDone({
  venues,
  layouts,
  events,
  taken,
  isPlaced = false,
}: FirstRunFacts): ReadonlySet<FirstStep> {
  const hasActive = layouts.some(({ versions }) => versions.some(({ status }) => status === 'active'))
  const facts: Readonly<Record<FirstStep, boolean>> = {
    region: isPlaced || venues.length > 0,
    venue: venues.length > 0,
    layout: hasActive || events.length > 0,
    event: events.length > 0,
    prices: events.some(({ currency }) => currency !== null),
    publish: events.some(({ status }) => status !== 'draft'),
    open: taken > 0,
  }
  return new Set(FIRST_STEPS.filter(step => facts[step]))
}

/** Until the first event is on sale, and a first seat of it was taken. */
export function isFirstRun(events: readonly Pick<ListedEvent, 'status'>[], taken: number | null): boolean {
  if (events.every(({ status }) => status === 'draft')) return true
  return events.length === 1 && events[0]!.status === 'published' && taken === 0
}
