import { allIn } from '@voelgoed/core/prices/all-in'
import { minorDigits } from '@voelgoed/core/prices/currency'
import { daysWithStart } from '../tickets/event-times.ts'
import { type PublicEvent, type PublicOrganization, publicSalesEnd } from './tables/public-pages.ts'
import { zonedTime } from './zoned-time.ts'

/** An event as search engines read it (schema.org). */
export function eventData(
  organization: PublicOrganization,
  event: PublicEvent,
  page: {
    readonly url: string
    readonly storefront: string
    readonly description: string
    readonly image: string | null
    readonly now: number
  },
): object {
  const { starts, ends } = datesOf(event)
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: event.name,
    description: page.description,
    url: page.url,
    ...(page.image !== null && { image: [page.image] }),
    ...(event.doors_at && { doorTime: zonedTime(event.doors_at, event.time_zone) }),
    ...(starts !== null && { startDate: starts }),
    ...(ends !== null && { endDate: ends }),
    eventStatus: `https://schema.org/${event.status === 'cancelled' ? 'EventCancelled' : 'EventScheduled'}`,
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    location: {
      '@type': 'Place',
      name: event.venue_name,
      ...(event.venue_address !== null && { address: event.venue_address }),
    },
    organizer: { '@type': 'Organization', name: organization.name, url: page.storefront },
    ...offersOf(event, page.url, page.now),
  }
}

export function organizationData(organization: PublicOrganization, url: string, logo: string | null): object {
  const { name } = organization
  return {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name,
    url,
    ...(logo !== null && { logo }),
  }
}

function datesOf({ starts_at, days: asSaid, time_zone }: PublicEvent): {
  starts: string | null
  ends: string | null
} {
  const zoned = (at: string) => zonedTime(new Date(at), time_zone)
  const startsAt = starts_at?.toISOString() ?? null
  const days = daysWithStart({ timeZone: time_zone, startsAt, days: asSaid })
  const first = days[0]
  const last = days.at(-1)
  if (!first || !last) {
    return { starts: starts_at === null ? null : zonedTime(starts_at, time_zone), ends: null }
  }
  const end = last.ends_at === null ? last.date : zoned(last.ends_at)
  return {
    starts: first.starts_at === null ? first.date : zoned(first.starts_at),
    ends: days.length > 1 || last.ends_at !== null ? end : null,
  }
}

function offersOf(event: PublicEvent, url: string, now: number): object {
  const { currency, price_from: low, price_to: high, fees, tax } = event
  if (currency === null || low === null || high === null || fees === null) return {}
  const toPay = (amount: number) => decimal(allIn({ fees, tax }, [amount]).total)
  const end = publicSalesEnd(event)
  const decimal = (amount: number) => (amount / 10 ** minorDigits(currency)).toFixed(minorDigits(currency))
  return {
    offers: {
      '@type': 'AggregateOffer',
      url,
      priceCurrency: currency,
      lowPrice: toPay(low),
      highPrice: toPay(high),
      availability: `https://schema.org/${availabilityOf(event, now)}`,
      ...(event.sale_start && { validFrom: zonedTime(event.sale_start, event.time_zone) }),
      ...(end && { validThrough: zonedTime(end, event.time_zone) }),
    },
  }
}

function availabilityOf(event: PublicEvent, now: number): string {
  if (event.is_sold_out) return 'SoldOut'
  if (event.status === 'cancelled' || event.status === 'completed') return 'Discontinued'
  const end = publicSalesEnd(event)
  if (end && end.getTime() <= now) return 'OutOfStock'
  return event.sale_start && event.sale_start.getTime() > now ? 'PreOrder' : 'InStock'
}
