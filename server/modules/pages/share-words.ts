import type { MailLanguage } from '../mail/language.ts'

interface ShareWords {
  storefront(organization: string, next: readonly string[]): string
  at(venue: string): string
  readonly cancelled: string
  readonly over: string
  readonly soldOut: string
  opens(when: string): string
  from(price: string): string
  readonly choose: string
  /** The way back to all events. */
  readonly events: string
  until(first: string, last: string): string
  readonly loading: string
}

/**
 * Search results, shared links and the first view say this of a page. Names and amounts come in as they are
 * to be read.
 */
export const SHARE_WORDS: Readonly<Record<MailLanguage, ShareWords>> = {
  en: {
    storefront: (organization, next) =>
      next.length === 0
        ? `Events and tickets of ${organization}.`
        : `Events and tickets of ${organization}. Next: ${next.join(', ')}.`,
    at: venue => `At ${venue}.`,
    cancelled: 'This event has been cancelled.',
    over: 'This event is over.',
    soldOut: 'Sold out.',
    opens: when => `On sale from ${when}.`,
    from: price => `Tickets from ${price}.`,
    choose: 'Choose your seats on the map.',
    events: 'Events',
    until: (first, last) => `${first} to ${last}`,
    loading: 'The seats are loading …',
  },
  af: {
    storefront: (organization, next) =>
      next.length === 0
        ? `Geleenthede en kaartjies van ${organization}.`
        : `Geleenthede en kaartjies van ${organization}. Volgende: ${next.join(', ')}.`,
    at: venue => `By ${venue}.`,
    cancelled: 'Hierdie geleentheid is gekanselleer.',
    over: 'Hierdie geleentheid is verby.',
    soldOut: 'Uitverkoop.',
    opens: when => `Te koop vanaf ${when}.`,
    from: price => `Kaartjies vanaf ${price}.`,
    choose: 'Kies jou sitplekke op die kaart.',
    events: 'Geleenthede',
    until: (first, last) => `${first} tot ${last}`,
    loading: 'Die sitplekke laai tans …',
  },
}
