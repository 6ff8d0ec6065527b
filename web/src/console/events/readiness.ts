import type { Data } from '@voelgoed/client'
import type { Desk } from '../kit/desk.svelte.ts'
import type { AdminEvent } from './event-desk.svelte.ts'

export type ReadyPoint = Data<'GET /api/admin/events/:event/readiness'>['checks'][number]

/** Where a point is mended; null: not in this console, or not by this member of staff. */
export function mendingPlace({ check, reason }: ReadyPoint, event: AdminEvent, desk: Desk): string | null {
  const { links, session } = desk
  const field = (name: string) => `${links.event(event.id, 'settings')}?field=${name}`
  switch (check) {
    case 'date':
      return event.days.length > 1 ? links.event(event.id, 'days') : field('starts')
    case 'end':
      return event.days.length > 1 ? links.event(event.id, 'days') : field('ends')
    case 'sales_open':
      return field('saleStart')
    case 'sales_close':
      return field('saleEnd')
    case 'prices':
      return links.event(event.id, 'prices')
    case 'layout':
      return links.event(event.id, 'policy')
    case 'contact':
    case 'time_zone':
      return links.to('settings')
    case 'payments': {
      const mayName = reason === 'no_gateway' && session.may('PUT /api/admin/organization/stripe-account')
      return mayName ? links.to('settings') : null
    }
    case 'mail':
      return session.may('GET /api/admin/system') ? links.to('system') : null
  }
}

/** A point in words: what is wrong with it, or what is right. */
export function pointWords(point: ReadyPoint, timeZone: string, { words, format }: Desk) {
  const { ready } = words
  const at = point.at === null ? '' : format.moment(point.at, timeZone).there
  const facts = { at, places: point.places ?? 0, zones: point.zones, text: point.text ?? '' }
  if (point.reason !== null) return ready.reasons[point.reason](facts)
  const notes: Partial<Record<ReadyPoint['check'], string>> = {
    sales_open: at || ready.atOnce,
    prices: ready.allPriced,
    mail: ready.sends,
    layout: ready.places(facts.places),
    time_zone: facts.text.replaceAll('_', ' '),
  }
  return { title: ready.checks[point.check], note: notes[point.check] ?? (at || facts.text) }
}
