import type { Data } from '@voelgoed/client'
import type { Format } from '../../kit/words/format.ts'

type Point = Data<'GET /api/admin/events/:event/readiness'>['checks'][number]
type Reason = NonNullable<Point['reason']>

/** A point in words. `at`: its moment, as people at the venue say it. */
interface PointFacts {
  readonly at: string
  readonly places: number
  readonly zones: readonly string[]
  readonly text: string
}
interface PointWords {
  readonly title: string
  readonly note: string
}

/** Words with which an organization and its events are made ready for buyers. */
export function readyEn(format: Format) {
  const n = format.number
  const many = (count: number, one: string, more: string) => `${n(count)} ${count === 1 ? one : more}`
  const places = (count: number) => many(count, 'place', 'places')
  return {
    region: {
      about: 'Every date, price and email follows this. It was taken from your browser: is it right?',
      name: 'Name of the organization',
      nameHint: 'As buyers read it, on your pages and in emails.',
      zone: 'Time zone',
      nowThere: (time: string) => `It is ${time} there now.`,
      elsewhere: (zone: string) => `Your browser is in another zone: ${zone}.`,
      currency: 'Currency',
      looksLike: (money: string) => `Prices look like ${money}.`,
      locale: 'Language of emails',
      localeHint: 'Where a buyer’s own is not known.',
      later: 'All of it can be changed in the settings.',
      save: 'Yes, next: your venue',
    },
    ready: {
      list: 'What is to be looked at',
      counts: (right: number, all: number, stops: number, warns: number) =>
        [
          `${n(right)} of ${n(all)} are right.`,
          stops > 0 && `${n(stops)} to be mended first.`,
          warns > 0 && `${n(warns)} you may leave.`,
        ]
          .filter(Boolean)
          .join(' '),
      stops: 'To be mended first',
      warns: 'May stay',
      inOrder: 'In order',
      mend: 'Mend',
      /** For those who hear it: which one. */
      mendWhat: (title: string) => `Mend: ${title}`,
      checks: {
        date: 'Start',
        end: 'End',
        sales_open: 'Sales open',
        sales_close: 'Sales close',
        prices: 'Prices',
        payments: 'Payments',
        mail: 'Email',
        contact: 'Contact for buyers',
        time_zone: 'Time zone',
        layout: 'Layout',
      } satisfies Record<Point['check'], string>,
      atOnce: 'As soon as it is published',
      allPriced: 'Every place has one',
      sends: 'A mail server is there',
      places,
      reasons: {
        no_date: () => ({ title: 'It has no date', note: 'Needed before it is published.' }),
        in_past: ({ at }) => ({ title: 'It starts in the past', note: `${at}.` }),
        no_end: () => ({ title: 'It has no end', note: 'Calendars of buyers show three hours.' }),
        opens_after_close: ({ at }) => ({
          title: 'Sales never open',
          note: `They would open ${at}, when they are closed already.`,
        }),
        closed: ({ at }) => ({ title: 'Sales are closed', note: `They ended ${at}.` }),
        no_prices: () => ({
          title: 'It has no prices',
          note: 'Buyers can hold seats, and cannot pay for them here.',
        }),
        unpriced: ({ places: count, zones }) => ({
          title: `${places(count)} ${count === 1 ? 'has' : 'have'} no price`,
          note: `${format.list(zones.slice(0, 4))}. Buyers see them and cannot pay for them.`,
        }),
        not_payable: ({ text }) => ({ title: 'The prices need a look', note: text }),
        no_gateway: () => ({
          title: 'Buyers cannot pay on the page',
          note: 'This server takes no payments. Sell at the box office or through a checkout of your own; what is free can be had on the page.',
        }),
        simulated: () => ({
          title: 'Payments are play money',
          note: 'A fake bank takes them: no money moves.',
        }),
        no_mail_server: () => ({
          title: 'Email is not being sent',
          note: 'No mail server is configured. Buyers find their tickets on the page of their order.',
        }),
        no_contact: () => ({
          title: 'Buyers cannot write to you',
          note: 'Name an address for questions in the settings.',
        }),
        utc: () => ({
          title: 'Times are those of UTC',
          note: 'Neither the venue nor the organization says where it is.',
        }),
        not_sellable: ({ text }) => ({ title: 'The layout cannot be sold as it is', note: text }),
      } satisfies Record<Reason, (facts: PointFacts) => PointWords> as Record<
        Reason,
        (facts: PointFacts) => PointWords
      >,
      undo: 'It can be unpublished until a place is held or sold.',
      early: 'It is early',
      earlyNote: (at: string, days: number) => `The event starts ${at}, in ${many(days, 'day', 'days')}.`,
    },
    care: {
      copy: 'Copy…',
      copyTitle: (name: string) => `Copy “${name}”`,
      copyName: 'Name of the copy',
      copyOf: (name: string) => `${name} (copy)`,
      copyStarts: 'The copy starts',
      copyStartsHint: 'Its doors, end, days and sales move along. Empty: it has no times yet.',
      copyWhitelist: 'Also the people on the whitelist',
      comes: 'Comes along: layout, zones, prices, booking rules, description and picture.',
      stays: 'Stays behind: holds, orders, and seats that were blocked by hand.',
      copyButton: 'Make the copy',
      copied: 'The copy is a draft. Look through its settings, then publish it.',
      remove: 'Delete draft…',
      removeTitle: (name: string) => `Delete “${name}”?`,
      removeNote:
        'Its settings, prices, picture and whitelist are deleted with it, for good. It was never on sale, so no buyer has seen it. The audit log keeps that it was there.',
      removeButton: 'Delete the draft',
      removed: (name: string) => `“${name}” is deleted.`,
      wasOnSale: 'Only staff see it. It was on sale before: its venue and layout stay.',
      taken: (held: number, sold: number) =>
        held + sold > 0
          ? `It cannot be unpublished: ${many(held, 'place is', 'places are')} held, ${n(sold)} sold. Wait until holds end, or cancel the event.`
          : 'It cannot be unpublished: it has orders. Cancel the event, and buyers get their money back.',
      offSale: 'Buyers do not see it any more',
      offSaleNote: 'Pages that are open say so at the next step.',
      again: 'It is a draft again',
      againNote: 'Dates and prices can change, and it can be published again. Venue and layout stay.',
      onlyUntaken: 'Only while nothing is taken',
      onlyUntakenNote:
        'With holds or orders it has to be cancelled instead, so that buyers get their money back.',
    },
    marked: {
      note: (count: number) =>
        count === 1
          ? 'One field is not right yet: it is marked.'
          : `${n(count)} fields are not right yet: they are marked.`,
      missing: 'This is missing.',
      choose: 'Choose one.',
    },
    closing: {
      title: (zones: number, name: string) => (zones === 1 ? `Close ${name}?` : `Close ${n(zones)} zones?`),
      button: (zones: number, name: string) => (zones === 1 ? `Close ${name}` : `Close ${n(zones)} zones`),
      leave: 'Leaves the sale',
      leaveNote: 'Buyers cannot choose there any more.',
      held: 'Holds stay until they end',
      heldNote: 'Their buyers can still pay.',
      sold: 'Tickets stay valid',
      soldNote: 'Gates admit them as before.',
      places,
      undo: 'Open again',
      undone: (zones: number) =>
        zones === 1 ? 'The zone is open again.' : `${n(zones)} zones are open again.`,
      justClosed: (names: readonly string[]) => `Closed: ${format.list(names)}.`,
    },
    matters: {
      noServer: 'No email is sent',
      noServerNote: (kept: number) =>
        kept === 0
          ? 'No mail server is configured: emails are kept.'
          : `No mail server is configured: ${many(kept, 'email is', 'emails are')} kept.`,
      kept: (count: number) => `${many(count, 'email is', 'emails are')} kept unsent`,
      keptNote: 'They were written before the mail server was there. An admin can send them.',
      utc: 'The organization is on UTC',
      utcNote: 'Times of its events are probably wrong. Choose a time zone.',
    },
  }
}

export type ReadyWords = ReturnType<typeof readyEn>
