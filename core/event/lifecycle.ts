/**
 * An event's life:
 *
 *   draft ──publish──▶ published ──go_live──▶ live ──complete──▶ completed ──archive──▶ archived
 *     │  ◀──unpublish──────│                   │                                           ▲
 *     └──────cancel────────┴──────cancel───────┴──cancel──▶ cancelled ──────archive────────┘
 *
 * Seats are on sale while the event is published or live and its sale window is open.
 * An event without holds and orders can be unpublished: it is a draft that was on sale once.
 * From `publish` on, the layout version is frozen: see layout/overlay.ts.
 */
export const EVENT_STATUSES = ['draft', 'published', 'live', 'completed', 'cancelled', 'archived'] as const
export type EventStatus = (typeof EVENT_STATUSES)[number]

export const EVENT_ACTIONS = ['publish', 'unpublish', 'go-live', 'complete', 'cancel', 'archive'] as const
export type EventAction = (typeof EVENT_ACTIONS)[number]

const transitions: Record<EventAction, { from: readonly EventStatus[]; to: EventStatus }> = {
  publish: { from: ['draft'], to: 'published' },
  unpublish: { from: ['published'], to: 'draft' },
  'go-live': { from: ['published'], to: 'live' },
  complete: { from: ['live'], to: 'completed' },
  cancel: { from: ['draft', 'published', 'live'], to: 'cancelled' },
  archive: { from: ['completed', 'cancelled'], to: 'archived' },
}

export function nextStatus(status: EventStatus, action: EventAction): EventStatus | null {
  const { from, to } = transitions[action]
  return from.includes(status) ? to : null
}

export function allowedActions(status: EventStatus): EventAction[] {
  return EVENT_ACTIONS.filter(action => transitions[action].from.includes(status))
}

/** Published or live: the layout version is frozen, and seats can be sold inside the sale window. */
export function isOnSale(status: EventStatus): boolean {
  return status === 'published' || status === 'live'
}
