import { isCurrency } from '@voelgoed/core/prices/currency'

/** An organization is there: its clocks, its money, and the language of its mails. */
export interface Region {
  readonly time_zone: string
  readonly currency: string
  readonly locale: string
}

/** The languages of mails, as people who live there write them. */
export const LOCALES = ['af-ZA', 'en-ZA', 'en-GB'] as const

/** As the database makes an organization: nothing was chosen. */
const UNSAID = { time_zone: 'UTC', locale: 'en' } as const

const EURO =
  'Amsterdam Andorra Athens Berlin Bratislava Brussels Busingen Dublin Helsinki Lisbon Ljubljana Luxembourg ' +
  'Madrid Malta Monaco Paris Podgorica Riga Rome San_Marino Tallinn Vatican Vienna Vilnius Zagreb'

/** Zones are of one country each, and a country has one currency. Only where these pages are used most. */
const CURRENCY_OF_ZONE: Readonly<Record<string, string>> = {
  'Africa/Johannesburg': 'ZAR',
  'Africa/Windhoek': 'NAD',
  'Africa/Gaborone': 'BWP',
  'Africa/Maseru': 'LSL',
  'Africa/Mbabane': 'SZL',
  'Africa/Maputo': 'MZN',
  'Africa/Lusaka': 'ZMW',
  'Africa/Nairobi': 'KES',
  'Africa/Lagos': 'NGN',
  'Africa/Accra': 'GHS',
  'Africa/Cairo': 'EGP',
  'Europe/London': 'GBP',
  'Europe/Zurich': 'CHF',
  'Europe/Stockholm': 'SEK',
  'Europe/Oslo': 'NOK',
  'Europe/Copenhagen': 'DKK',
  'America/New_York': 'USD',
  'America/Chicago': 'USD',
  'America/Denver': 'USD',
  'America/Los_Angeles': 'USD',
  'America/Toronto': 'CAD',
  'America/Vancouver': 'CAD',
  'Australia/Sydney': 'AUD',
  'Australia/Melbourne': 'AUD',
  'Australia/Brisbane': 'AUD',
  'Australia/Perth': 'AUD',
  'Pacific/Auckland': 'NZD',
  ...Object.fromEntries(EURO.split(' ').map(city => [`Europe/${city}`, 'EUR'])),
}

/**
 * A first guess for a person to confirm. What the organization has said before counts more than its browser,
 * which knows where it stands, and seldom in which country's language it was installed.
 */
export function guessRegion(
  known: Region,
  browser: { readonly timeZone: string; readonly languages: readonly string[] },
): Region {
  const time_zone = known.time_zone === UNSAID.time_zone ? browser.timeZone : known.time_zone
  const locale = known.locale === UNSAID.locale ? guessLocale(time_zone, browser.languages) : known.locale
  return { time_zone, locale, currency: CURRENCY_OF_ZONE[time_zone] ?? known.currency }
}

function guessLocale(timeZone: string, languages: readonly string[]): string {
  const first = languages.find(tag => /^(af|en)\b/i.test(tag))?.toLowerCase() ?? 'en'
  if (first.startsWith('af')) return 'af-ZA'
  return timeZone === 'Africa/Johannesburg' || first === 'en-za' ? 'en-ZA' : 'en-GB'
}

/** All currencies that prices can be in. */
export const currencies = (): readonly string[] => Intl.supportedValuesOf('currency').filter(isCurrency)
