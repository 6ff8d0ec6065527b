import { allInFrom } from '@voelgoed/core/prices/all-in'
import { moneyText } from '@voelgoed/kit/base/money-text'
import { brandAnswer, imageAnswer } from '../images/image-answer.ts'
import type { Brand, StoredImage } from '../images/tables/images.ts'
import { MAIL_LOCALES, type MailLanguage } from '../mail/language.ts'
import { eventTimes } from '../tickets/event-times.ts'
import { drawnCoverPath } from './drawn-covers.ts'
import { eventData, organizationData } from './event-data.ts'
import { type Html, html, jsonLd } from './html.ts'
import { SHARE_WORDS } from './share-words.ts'
import { type PublicEvent, type PublicOrganization, publicSalesEnd } from './tables/public-pages.ts'

/** A page that everyone may see, and what it is about. */
export type PublicPage =
  | {
      readonly kind: 'storefront'
      readonly organization: PublicOrganization
      readonly brand: Brand
      /** Names of the events that begin next. */
      readonly next: readonly string[]
    }
  | {
      readonly kind: 'event'
      readonly organization: PublicOrganization
      readonly brand: Brand
      readonly event: PublicEvent
    }

export interface HeadOptions {
  readonly language: MailLanguage
  /** Where browsers reach the server, without a slash at the end. */
  readonly origin: string
  readonly now: number
}

/** Writes what the document says of itself, to search engines and to those that show a shared link. */
export function pageHead(page: PublicPage, { language, origin, now }: HeadOptions): Html {
  const { organization, brand } = page
  const storefront = `${origin}/${organization.slug}`
  const words = SHARE_WORDS[language]
  if (page.kind === 'storefront') {
    return tags({
      language,
      url: storefront,
      site: organization.name,
      title: organization.name,
      description: words.storefront(organization.name, page.next),
      type: 'website',
      image: sharedImage(brand.cover, origin),
      brand,
      data: organizationData(organization, storefront, sharedImage(brand.logo, origin)?.url ?? null),
    })
  }
  const { event } = page
  const url = `${storefront}/events/${event.id}`
  const description = describe(event, language, now)
  const image = sharedImage(event.image ?? brand.cover, origin) ?? {
    url: origin + drawnCoverPath(organization.slug, event),
    type: 'image/jpeg',
  }
  return tags({
    language,
    url,
    site: organization.name,
    title: `${event.name} · ${organization.name}`,
    description,
    type: 'event',
    image,
    brand,
    data: eventData(organization, event, {
      url,
      storefront,
      description: event.description ?? description,
      image: image.url,
      now,
    }),
  })
}

function tags(of: {
  readonly language: MailLanguage
  readonly url: string
  readonly site: string
  readonly title: string
  readonly description: string
  readonly type: 'website' | 'event'
  readonly image: SharedImage | null
  readonly brand: Brand
  readonly data: object
}): Html {
  const description = shortened(of.description)
  return html`<title>${of.title}</title>
    <meta name="description" content="${description}" />
    <link rel="canonical" href="${of.url}" />
    <meta property="og:type" content="${of.type}" />
    <meta property="og:title" content="${of.title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${of.url}" />
    <meta property="og:site_name" content="${of.site}" />
    <meta property="og:locale" content="${MAIL_LOCALES[of.language].replace('-', '_')}" />
    <meta name="twitter:card" content="${of.image ? 'summary_large_image' : 'summary'}" />
    ${imageTags(of.image)}<meta name="brand" content="${JSON.stringify(brandAnswer(of.brand))}" />
    ${jsonLd(of.data)}`
}

interface SharedImage {
  readonly url: string
  readonly type: string
}

/** With the server's name: messengers read it outside of the page. */
function sharedImage(image: StoredImage | null, origin: string): SharedImage | null {
  if (!image) return null
  const { url, type } = imageAnswer(image).plain
  return { url: origin + url, type }
}

function imageTags(image: SharedImage | null): Html {
  return image
    ? html`<meta property="og:image" content="${image.url}" />
    <meta property="og:image:type" content="${image.type}" />
    `
    : html``
}

/** When and where, and how one gets in. */
export function describe(event: PublicEvent, language: MailLanguage, now: number): string {
  const words = SHARE_WORDS[language]
  const locale = MAIL_LOCALES[language]
  const when = eventTimes(language, {
    timeZone: event.time_zone,
    startsAt: event.starts_at?.toISOString() ?? null,
    days: event.days,
  })
  return [`${when.join(', ').replace(/\.$/, '')}.`, words.at(event.venue_name), ...saleWords()].join(' ')

  function saleWords(): string[] {
    if (event.status === 'cancelled') return [words.cancelled]
    if (event.status === 'completed') return [words.over]
    if (event.is_sold_out) return [words.soldOut]
    const end = publicSalesEnd(event)
    if (end !== null && end.getTime() <= now) return []
    const { currency, fees, tax, usual_amounts, sale_start } = event
    const from = fees && usual_amounts && allInFrom({ fees, tax }, usual_amounts)
    const opens = sale_start !== null && sale_start.getTime() > now
    const day = { timeZone: event.time_zone, dateStyle: 'long' } as const
    return [
      ...(opens ? [words.opens(new Intl.DateTimeFormat(locale, day).format(sale_start))] : []),
      ...(currency !== null && from !== null ? [words.from(moneyText(from, currency, locale))] : []),
      words.choose,
    ]
  }
}

/** As much as search engines show. */
const MAX_DESCRIPTION = 300

export function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= MAX_DESCRIPTION
    ? text
    : `${characters
        .slice(0, MAX_DESCRIPTION - 1)
        .join('')
        .trimEnd()}…`
}
