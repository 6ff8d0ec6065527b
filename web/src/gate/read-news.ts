import type { Client } from '@voelgoed/client'
import type { DeviceStore } from './device-store.ts'
import { type Bundle, type GateList, newsByTicket } from './gate-list.ts'

/** News of a page: about half a megabyte of tickets. */
const NEWS_OF_PAGE = '5000'
/** 200,000 tickets and as many entries are 80. A server that never comes to an end is not followed. */
const MOST_PAGES = 400

/**
 * Brings the device's list up to date: all of it the first time, later what is new. After each page what came
 * is kept, so that a network that breaks off loses nothing.
 */
export async function readNews(
  client: Pick<Client, 'call'>,
  store: Pick<DeviceStore, 'applyPage'>,
  before: GateList | null,
  gate: { slug: string; eventId: string; signal: AbortSignal; onPage(list: GateList): void },
): Promise<void> {
  const { slug, eventId, signal, onPage } = gate
  let list = before
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const since = list ? { since: list.since } : {}
    const query = { event_id: eventId, tickets: 'true' as const, limit: NEWS_OF_PAGE, ...since }
    const { data } = await client.call('GET /api/scans/bundle', { query, signal })
    list = listOf(slug, data, list?.isComplete ?? false)
    await store.applyPage(list, newsByTicket(data))
    onPage(list)
    if (data.is_complete) return
  }
}

function listOf(slug: string, data: Bundle, wasComplete: boolean): GateList {
  const readAt = Date.parse(data.timestamp)
  return {
    slug,
    event: data.event,
    isSuspended: data.suspended,
    keys: data.public_keys,
    zones: data.zones,
    admissions: data.admissions,
    typeNames: data.ticket_type_names,
    since: data.since,
    isComplete: wasComplete || data.is_complete,
    readAt,
    clockOffset: readAt - Date.now(),
  }
}
