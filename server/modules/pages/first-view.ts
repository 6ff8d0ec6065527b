import { MAIL_LOCALES } from '../mail/language.ts'
import { type Html, html } from './html.ts'
import { describe, type HeadOptions, type PublicPage, shortened } from './page-head.ts'
import { SHARE_WORDS } from './share-words.ts'
import type { PublicEvent } from './tables/public-pages.ts'

/**
 * A browser paints this of an event before the code of the page has come: its name, when and where it is, and
 * what it is about. The page takes its place (web/src/kit/state/first-view.ts); its style sheet puts every
 * line where the page has it (web/src/kit/look/first.css).
 */
export function firstView(page: PublicPage, { language, now }: Omit<HeadOptions, 'origin'>): Html {
  if (page.kind !== 'event') return html``
  const { event, organization } = page
  const words = SHARE_WORDS[language]
  const lines = [...briefTimes(event, MAIL_LOCALES[language], words.until), event.venue_name]
  return html`<div id="first">
      <header><a class="button plain" href="/${organization.slug}">${ARROW}${words.events}</a></header>
      <main>
        <div class="facts"><h1>${event.name}</h1><p>${lines.join(' · ')}</p></div>
        <div class="hall">
          <p class="about">${shortened(event.description ?? describe(event, language, now))}</p>
          <p>${words.loading}</p>
        </div>
      </main>
    </div>
    `
}

const ARROW = html`<svg aria-hidden="true" width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="m12 19-7-7 7-7"/><path d="M19 12H5"/></svg>`

/** As the page says it in one line of a phone. */
function briefTimes(
  { starts_at, days, time_zone: timeZone }: PublicEvent,
  locale: string,
  until: (first: string, last: string) => string,
): string[] {
  const [first, last] = [days[0], days.at(-1)]
  if (days.length > 1 && first && last) {
    // A date of the calendar is in no time zone.
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...DATE })
    return [until(format.format(new Date(first.date)), format.format(new Date(last.date)))]
  }
  return starts_at === null
    ? []
    : [new Intl.DateTimeFormat(locale, { timeZone, ...MOMENT }).format(starts_at)]
}

const DATE = { weekday: 'short', day: 'numeric', month: 'long' } as const
const MOMENT = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
} as const
