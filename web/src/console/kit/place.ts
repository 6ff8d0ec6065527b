/** A member of staff is here in the console: the part of the address that follows `/:org/console`. */
export type ConsolePlace =
  | { readonly screen: 'home' }
  | { readonly screen: 'events' }
  | { readonly screen: 'new-event' }
  | { readonly screen: 'event'; readonly event: string; readonly tab: EventTab }
  | { readonly screen: 'orders'; readonly order: string | null }
  | { readonly screen: PlainScreen }
  | { readonly screen: 'people'; readonly person: string | null }
  | { readonly screen: 'venue'; readonly venue: string }
  /** This venue gets a new layout. */
  | { readonly screen: 'new-layout'; readonly venue: string }
  | { readonly screen: 'layout'; readonly venue: string; readonly layout: string }
  | { readonly screen: 'new-version'; readonly venue: string; readonly layout: string }
  | { readonly screen: 'nowhere' }

/** Screens without anything after their name; `policy`: of the organization, which its events start from. */
const PLAIN = ['reports', 'holds', 'venues', 'policy', 'audit', 'account', 'settings', 'system'] as const
type PlainScreen = (typeof PLAIN)[number]

export const EVENT_TABS = [
  'overview',
  'report',
  'map',
  'zones',
  'prices',
  'policy',
  'days',
  'whitelist',
  'holds',
  'orders',
  'attendance',
  'settings',
] as const
export type EventTab = (typeof EVENT_TABS)[number]

export function consolePlaceOf(parts: readonly string[]): ConsolePlace {
  const [screen, id, tab, ...rest] = parts
  if (screen === 'venues' && id !== undefined) return venuePlace(id, tab, rest)
  if (rest.length > 0) return { screen: 'nowhere' }
  if (screen === undefined) return { screen: 'home' }
  if (screen === 'events' && id === 'new' && tab === undefined) return { screen: 'new-event' }
  if (screen === 'events' && id !== undefined) return eventPlace(id, tab)
  if (tab !== undefined) return { screen: 'nowhere' }
  if (screen === 'orders') return { screen, order: id ?? null }
  if (screen === 'people') return { screen, person: id ?? null }
  if (id !== undefined) return { screen: 'nowhere' }
  if (screen === 'events') return { screen }
  const plain = PLAIN.find(candidate => candidate === screen)
  return { screen: plain ?? 'nowhere' }
}

function eventPlace(event: string, tab = 'overview'): ConsolePlace {
  const known = EVENT_TABS.find(candidate => candidate === tab)
  return known ? { screen: 'event', event, tab: known } : { screen: 'nowhere' }
}

function venuePlace(
  venue: string,
  layout: string | undefined,
  [more, ...rest]: readonly string[],
): ConsolePlace {
  if (layout === undefined) return { screen: 'venue', venue }
  if (layout === 'new-layout' && more === undefined) return { screen: 'new-layout', venue }
  if (more === undefined) return { screen: 'layout', venue, layout }
  const isNew = more === 'new-version' && rest.length === 0
  return isNew ? { screen: 'new-version', venue, layout } : { screen: 'nowhere' }
}

/** The item of the navigation to which a place belongs. */
export function sectionOf({ screen }: ConsolePlace): string {
  if (screen === 'event' || screen === 'new-event') return 'events'
  return ['venue', 'new-layout', 'layout', 'new-version'].includes(screen) ? 'venues' : screen
}

/** Addresses inside the console of one organization. */
export class ConsoleLinks {
  readonly home: string

  constructor(slug: string) {
    this.home = `/${slug}/console`
  }

  to(screen: 'events' | 'orders' | 'people' | PlainScreen): string {
    return `${this.home}/${screen}`
  }

  event(id: string, tab: EventTab = 'overview'): string {
    return `${this.home}/events/${id}${tab === 'overview' ? '' : `/${tab}`}`
  }

  /** The map of the event, for moving tickets of an order; without tickets: all of them. */
  move(event: string, order: string, tickets: readonly string[] = []): string {
    const chosen = tickets.length > 0 ? `&tickets=${tickets.join(',')}` : ''
    return `${this.event(event, 'map')}?move=${order}${chosen}`
  }

  get newEvent(): string {
    return `${this.home}/events/new`
  }

  venue(id: string): string {
    return `${this.home}/venues/${id}`
  }

  newLayout(venue: string): string {
    return `${this.home}/venues/${venue}/new-layout`
  }

  layout(venue: string, id: string): string {
    return `${this.home}/venues/${venue}/${id}`
  }

  newVersion(venue: string, layout: string): string {
    return `${this.home}/venues/${venue}/${layout}/new-version`
  }

  order(id: string): string {
    return `${this.home}/orders/${id}`
  }

  person(id: string): string {
    return `${this.home}/people/${id}`
  }
}
